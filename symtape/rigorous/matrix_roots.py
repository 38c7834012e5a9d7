"""The principal square root and logarithm of object arrays of balls.

Denman and Beavers's iteration gives x, a function of the matrix a for which ``m = x x / a`` goes
to 1, and the root is ``x m**(-1/2)`` exactly as soon as m is near 1: by eigenvalues, Newton's
iteration for a scalar root stays in the half plane of the principal one, and never comes near a
root if that eigenvalue is negative. The logarithm is 2**k times that of a root near 1. Higham 2008,
Functions of Matrices, sections 6.3 and 11.5.
"""

from __future__ import annotations

from typing import Any, Final

import flint
import numpy as np
from flint import arb, arb_mat

from symtape.rigorous.matrices import objects, stacked_parts, to_matrix
from symtape.rigorous.scalar import UNKNOWN

_STEPS: Final = 60
_ROOTS: Final = 64
"""After so many roots a matrix that can be represented is near 1."""

_CLOSENESS: Final = 0.0625


def sqrtm(a: Any) -> Any:
    """The principal square root; balls of unknown value where there may be none."""
    return _apply_to_stack(_root, a)


def logm(a: Any) -> Any:
    """The principal logarithm; balls of unknown value where there may be none."""
    return _apply_to_stack(_logarithm, a)


def _apply_to_stack(function: Any, a: Any) -> Any:
    (found,) = stacked_parts(lambda one: (_apply_to_balls(function, one),), objects(a))
    return found


def _apply_to_balls(function: Any, a: Any) -> Any:
    try:
        found = function(to_matrix(a))
    except ZeroDivisionError:
        found = None
    if found is None:
        return np.full(a.shape, UNKNOWN, dtype=object)
    return np.array(found.entries(), dtype=object).reshape(a.shape)


def _identity(n: int) -> Any:
    return arb_mat([[int(i == j) for j in range(n)] for i in range(n)])


def _root(a: Any) -> Any:
    identity = _identity(a.nrows())
    x, y = a, identity
    best = arb("inf")
    for _ in range(_STEPS):
        x, y = (x + y.inv()) / 2, (y + x.inv()) / 2
        rest = x * y - identity
        size = _norm(rest)
        if not size.is_finite():
            return None
        # Farther than to the radius of the matrix it does not get.
        if size < _CLOSENESS and not size < best / 2:
            return x * _inverse_root(rest, size)
        best = size
    return None


def _inverse_root(rest: Any, size: Any) -> Any:
    """``(1 + rest)**(-1/2)`` by its series, whose coefficients are at most 1."""
    n = rest.nrows()
    total = power = _identity(n)
    terms, coefficient = 1, arb(1)
    while size**terms > arb(2) ** (-flint.ctx.prec) and terms < flint.ctx.prec:
        coefficient = coefficient * (arb(1) / 2 - terms) / terms
        power = power * rest
        total = total + power * coefficient
        terms += 1
    return _widen_matrix(total, size**terms / (1 - size))


def _logarithm(a: Any) -> Any:
    identity = _identity(a.nrows())
    for count in range(_ROOTS):
        size = _norm(a - identity)
        if not size.is_finite():
            return None
        if size < _CLOSENESS:
            return _logarithm_near_one(a - identity, size) * arb(2**count)
        root = _root(a)
        if root is None:
            return None
        a = root
    return None


def _logarithm_near_one(rest: Any, size: Any) -> Any:
    power = total = rest
    terms = 1
    while size**terms > arb(2) ** (-flint.ctx.prec) and terms < flint.ctx.prec:
        terms += 1
        power = power * rest
        total = total + power * (arb(-1 if terms % 2 == 0 else 1) / terms)
    return _widen_matrix(total, size ** (terms + 1) / (1 - size))


def _widen_matrix(matrix: Any, by: Any) -> Any:
    """With what a series leaves out, whose norm bounds each of its entries."""
    radius = arb(0, by.upper())
    return arb_mat([[x + radius for x in row] for row in matrix.tolist()])


def _norm(a: Any) -> Any:
    """A bound on the norm by rows, which goes along with products."""
    largest = arb(0)
    for row in a.tolist():
        largest = largest.max(sum((abs(x) for x in row), start=arb(0)).upper())
    return largest
