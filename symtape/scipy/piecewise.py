"""Piecewise polynomials and B-splines at places, of coefficients and knots that are tensors."""

from __future__ import annotations

import math
from typing import Any, Final, Literal

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.indexing import getitem
from symtape.primitives.primitive import Array

_SPELT_OUT: Final = 3
"""The degree up to which SciPy multiplies Bernstein's polynomials out."""


def interval(
    knots: Array, x: Array, first: int, last: int, side: Literal["left", "right"] = "right"
) -> Any:
    """The number of the interval of knots that each of `x` is in, or next to."""
    return np.clip(np.searchsorted(knots, x, side=side) - 1, first, last)


def _intervals(x: Array, at: Array) -> tuple[Any, Any]:
    """The interval of each of `at`, and the end of it that it counts from."""
    last = x.shape[0] - 2
    if x.shape[0] > 1 and np.asarray(x)[0] > np.asarray(x)[-1]:
        # A breakpoint belongs to the interval that begins with it, which is here on its left.
        return last - interval(np.flip(x), at, 0, last, "left"), True
    return interval(x, at, 0, last), False


def _mask_outside(found: Array, x: Array, at: Array, extrapolate: bool) -> Array:
    if extrapolate:
        return found
    lowest, highest = np.minimum(x[0], x[-1]), np.maximum(x[0], x[-1])
    inside = (at >= lowest) & (at <= highest)
    return np.where(np.reshape(inside, (-1,) + (1,) * (found.ndim - 1)), found, np.nan)


def powers(c: Array, x: Array, at: Array, nu: int, extrapolate: bool) -> Array:
    """Polynomials in powers of the distance to breakpoints, or their derivatives, at places.

    The terms are added up in SciPy's order, lowest power first, so that they round as SciPy's do.
    """
    c, x, at = to_array(c), to_array(x), to_array(at)
    which, _ = _intervals(x, at)
    step = np.reshape(at - getitem(x, which), (-1,) + (1,) * (c.ndim - 2))
    degree = c.shape[0] - 1
    found: Any = np.zeros((at.shape[0], *c.shape[2:]), c.dtype)
    risen: Any = None
    for power in range(nu, degree + 1):
        term = getitem(c[degree - power], which)
        term = term if risen is None else term * risen
        found = found + (term if nu == 0 else term * math.perm(power, nu))
        risen = step if risen is None else risen * step
    return _mask_outside(found, x, at, extrapolate)


def bernstein(c: Array, x: Array, at: Array, nu: int, extrapolate: bool) -> Array:
    """Polynomials in Bernstein's basis of each interval, or their derivatives, at places.

    In the basis, and in SciPy's order of operations, so that they round as SciPy's do.
    """
    c, x, at = to_array(c), to_array(x), to_array(at)
    which, _ = _intervals(x, at)
    spread = (-1,) + (1,) * (c.ndim - 2)
    start, end = getitem(x, which), getitem(x, which + 1)
    width = np.reshape(end - start, spread)
    step = np.reshape(at - start, spread) / width
    rows = _differences([getitem(c[k], which) for k in range(c.shape[0])], nu)
    if not rows:
        return _mask_outside(np.zeros((at.shape[0], *c.shape[2:])), x, at, extrapolate)
    found = _evaluate_bernstein(rows, step)
    return _mask_outside(found if nu == 0 else found / width**nu, x, at, extrapolate)


def _differences(rows: list[Any], nu: int) -> list[Any]:
    """The coefficients of a derivative, by forward differences, for intervals of width 1."""
    degree = len(rows) - 1
    if nu == 0 or nu > degree:
        return rows if nu == 0 else []
    factor = float(math.perm(degree, nu))
    found = []
    for k in range(degree - nu + 1):
        terms = [(-1) ** (b + nu) * math.comb(nu, b) * rows[k + b] for b in range(nu + 1)]
        found.append(sum(terms[1:], terms[0]) * factor)
    return found


def _evaluate_bernstein(rows: list[Any], step: Any) -> Any:
    """The sum of coefficients times the polynomials of Bernstein."""
    degree, other = len(rows) - 1, 1.0 - step
    found: Any = 0.0
    for k, row in enumerate(rows):
        if degree <= _SPELT_OUT:
            term = row * math.comb(degree, k) if 0 < k < degree else row
            for factor in [other] * (degree - k) + [step] * k:
                term = term * factor
        else:
            term = math.comb(degree, k) * _power(step, k) * _power(other, degree - k) * row
        found = found + term
    return found


def _power(x: Any, exponent: int) -> Any:
    return 1.0 if exponent == 0 else x**exponent


def continuous(c: Array, x: Array, order: int) -> Array:
    """Polynomials whose last coefficients are such that derivatives to an order go on."""
    c, x = to_array(c), to_array(x)
    rows = [c[k] for k in range(c.shape[0])]
    steps = np.reshape(x[1:] - x[:-1], (-1,) + (1,) * (c.ndim - 2))
    for power in range(order, -1, -1):
        here = len(rows) - 1 - power
        risen: Any = 0.0
        for k in range(here):
            degree = len(rows) - 1 - k
            risen = risen + math.comb(degree, power) * rows[k] * steps ** (degree - power)
        risen = risen + np.zeros_like(rows[here])
        rows[here] = rows[here][:1] + np.concatenate(
            [np.zeros_like(rows[here][:1]), np.cumsum(risen[:-1], axis=0)]
        )
    return np.stack(rows)


def integral(c: Array, x: Array, a: Any, b: Any, extrapolate: bool) -> Array:
    """The integral of polynomials in powers from `a` to `b`."""
    c = to_array(c)
    degrees = np.reshape(np.arange(c.shape[0], 0, -1), (-1,) + (1,) * (c.ndim - 1))
    whole = np.concatenate([c / degrees, np.zeros_like(c[:1])])
    whole = continuous(whole, x, 0)
    ends = [np.reshape(to_array(end), (1,)) for end in (a, b)]
    low, high = (powers(whole, x, end, 0, extrapolate)[0] for end in ends)
    return high - low


def splines(
    t: Array, c: Array, k: int, at: Array, nu: int, extrapolate: bool, which: Any = None
) -> Array:
    """B-splines of degree `k` with coefficients `c`, or their derivatives, at places.

    `which` is the number of the interval that each place is in, where that is known.
    """
    t, c, at = to_array(t), to_array(c), to_array(at)
    count = t.shape[0] - k - 1
    which = interval(t, at, k, count - 1) if which is None else which
    spread = (-1,) + (1,) * (c.ndim - 1)
    knots = {j: getitem(t, which + j) for j in range(1 - k, k + 1)}
    if nu > k:
        return _mask_outside(0.0 * getitem(c, which), t[k : count + 1], at, extrapolate)
    basis = _basis(knots, at, k, nu)
    rows = [getitem(c, which + j) for j in range(-k, 1)]
    found: Any = 0.0
    for row, value in zip(rows, basis, strict=True):
        found = found + row * np.reshape(value, spread)
    return _mask_outside(found, t[k : count + 1], at, extrapolate)


def _basis(knots: dict[int, Any], at: Array, k: int, nu: int) -> list[Any]:
    """The B-splines of degree `k` that are not 0 at places, or their derivatives.

    By the recurrence of de Boor and Cox, as SciPy evaluates it; the last `nu` steps differentiate.
    """
    found: list[Any] = [np.ones_like(at)]
    for degree in range(1, k + 1):
        differentiates = degree > k - nu
        shares = [
            (degree * value if differentiates else value) / (knots[n] - knots[n - degree])
            for n, value in enumerate(found, 1)
        ]
        if differentiates:
            rising, falling = shares, [-share for share in shares]
        else:
            rising = [w * (at - knots[n - degree]) for n, w in enumerate(shares, 1)]
            falling = [w * (knots[n] - at) for n, w in enumerate(shares, 1)]
        between = [a + b for a, b in zip(rising[:-1], falling[1:], strict=True)]
        found = [falling[0], *between, rising[-1]]
    return found


def design(t: Array, k: int, at: Array, nu: int = 0, which: Any = None) -> Array:
    """The matrix that takes coefficients of B-splines to values, or derivatives, at places."""
    return splines(t, np.eye(np.shape(t)[0] - k - 1), k, at, nu, True, which)
