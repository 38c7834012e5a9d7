"""Piecewise polynomials and B-splines at places, of coefficients and knots that are tensors."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from symtape.primitives.arithmetic import as_array
from symtape.primitives.indexing import getitem
from symtape.primitives.primitive import Array


def interval(knots: Array, x: Array, first: int, last: int) -> Any:
    """The number of the interval of knots that each of `x` is in, or next to."""
    return np.clip(np.searchsorted(knots, x, side="right") - 1, first, last)


def _intervals(x: Array, at: Array) -> tuple[Any, Any]:
    """The interval of each of `at`, and the end of it that it counts from."""
    last = x.shape[0] - 2
    if x.shape[0] > 1 and np.asarray(x)[0] > np.asarray(x)[-1]:
        return last - interval(np.flip(x), at, 0, last), True
    return interval(x, at, 0, last), False


def _outside(found: Array, x: Array, at: Array, extrapolate: bool) -> Array:
    if extrapolate:
        return found
    lowest, highest = np.minimum(x[0], x[-1]), np.maximum(x[0], x[-1])
    inside = (at >= lowest) & (at <= highest)
    return np.where(np.reshape(inside, (-1,) + (1,) * (found.ndim - 1)), found, np.nan)


def powers(c: Array, x: Array, at: Array, nu: int, extrapolate: bool) -> Array:
    """Polynomials in powers of the distance to breakpoints, or their derivatives, at places."""
    c, x, at = as_array(c), as_array(x), as_array(at)
    which, _ = _intervals(x, at)
    step = np.reshape(at - getitem(x, which), (-1,) + (1,) * (c.ndim - 2))
    degree = c.shape[0] - 1
    found: Any = np.zeros((at.shape[0], *c.shape[2:]), c.dtype)
    for power in range(degree, nu - 1, -1):
        found = found * step + math.perm(power, nu) * getitem(c[degree - power], which)
    return _outside(found, x, at, extrapolate)


def bernstein(c: Array, x: Array, at: Array, nu: int, extrapolate: bool) -> Array:
    """Polynomials in Bernstein's basis of each interval, or their derivatives, at places."""
    c, x, at = as_array(c), as_array(x), as_array(at)
    which, _ = _intervals(x, at)
    spread = (-1,) + (1,) * (c.ndim - 2)
    start, end = getitem(x, which), getitem(x, which + 1)
    width = np.reshape(end - start, spread)
    step = np.reshape(at - start, spread) / width
    rows = [getitem(c[k], which) for k in range(c.shape[0])]
    for order in range(nu):
        degree = c.shape[0] - 1 - order
        rows = [degree * (b - a) / width for a, b in itertools.pairwise(rows)]
    if not rows:
        return _outside(np.zeros((at.shape[0], *c.shape[2:])), x, at, extrapolate)
    while len(rows) > 1:
        rows = [(1 - step) * a + step * b for a, b in itertools.pairwise(rows)]
    return _outside(rows[0], x, at, extrapolate)


def continuous(c: Array, x: Array, order: int) -> Array:
    """Polynomials whose last coefficients are such that derivatives to an order go on."""
    c, x = as_array(c), as_array(x)
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
    c = as_array(c)
    degrees = np.reshape(np.arange(c.shape[0], 0, -1), (-1,) + (1,) * (c.ndim - 1))
    whole = np.concatenate([c / degrees, np.zeros_like(c[:1])])
    whole = continuous(whole, x, 0)
    ends = [np.reshape(as_array(end), (1,)) for end in (a, b)]
    low, high = (powers(whole, x, end, 0, extrapolate)[0] for end in ends)
    return high - low


def splines(
    t: Array, c: Array, k: int, at: Array, nu: int, extrapolate: bool, which: Any = None
) -> Array:
    """B-splines of degree `k` with coefficients `c`, or their derivatives, at places.

    `which` is the number of the interval that each place is in, where that is known.
    """
    t, c, at = as_array(t), as_array(c), as_array(at)
    count = t.shape[0] - k - 1
    which = interval(t, at, k, count - 1) if which is None else which
    spread = (-1,) + (1,) * (c.ndim - 1)
    knots = {j: getitem(t, which + j) for j in range(1 - k, k + 1)}
    rows = [getitem(c, which + j) for j in range(-k, 1)]
    if nu > k:
        rows = [0.0 * row for row in rows[-1:]]
    for degree in range(k, max(k - nu, 0), -1):
        rows = [
            degree * (b - a) / np.reshape(knots[j + degree] - knots[j], spread)
            for a, b, j in zip(rows[:-1], rows[1:], range(1 - degree, 1), strict=True)
        ]
    for degree in range(len(rows) - 1, 0, -1):
        shares = [
            np.reshape((at - knots[j]) / (knots[j + degree] - knots[j]), spread)
            for j in range(1 - degree, 1)
        ]
        rows = [
            (1 - share) * a + share * b
            for a, b, share in zip(rows[:-1], rows[1:], shares, strict=True)
        ]
    return _outside(rows[0], t[k : count + 1], at, extrapolate)


def design(t: Array, k: int, at: Array, nu: int = 0, which: Any = None) -> Array:
    """The matrix that takes coefficients of B-splines to values, or derivatives, at places."""
    return splines(t, np.eye(np.shape(t)[0] - k - 1), k, at, nu, True, which)
