"""Discrete Fourier transforms, with roots of unity that are exact in every reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.graph.cartesian.elementary import refuse
from symtape.graph.cartesian.exact import pi_times, record_constant
from symtape.graph.cartesian.parts import (
    Parts,
    add,
    dtype_of,
    map_parts,
    minus,
    multiply,
    pair,
    parts,
    plus,
    stack_parts,
    subtract,
    take,
)
from symtape.graph.cartesian.readings import reads
from symtape.graph.cartesian.slack import slack
from symtape.primitives.fourier import fit_length, weigh_halves

_IN_OCTANT: Final = (
    # The cosine and the sine in each octant: the sign and which function of the reduced angle.
    ((1, 0), (1, 1)),
    ((1, 1), (1, 0)),
    ((-1, 1), (1, 0)),
    ((-1, 0), (1, 1)),
    ((-1, 0), (-1, 1)),
    ((-1, 1), (-1, 0)),
    ((1, 1), (-1, 0)),
    ((1, 0), (-1, 1)),
)

_STAGES: Final = 4
"""Half of the roundings that each factor of 2 in the length may cost all of the sum of sizes
(Higham 2002, theorem 24.2, by the sum for the root of the sum of squares), generously: libraries
take other factors and other ways."""


_MOST_DIRECT: Final = 256
"""Points of a transform whose matrix is written down, prime factors of others included."""


def transform(z: Parts, sign: int) -> Parts:
    """``sum_j z[j] exp(sign 2 pi i j k / n)`` along the last axis, by the factors of n.

    Cooley and Tukey 1965. A prime factor is a product with the matrix of its roots of unity.
    """
    shape = np.shape(z.real)
    n = shape[-1]
    first = _least_factor(n)
    if first == n:
        return _direct(z, sign)
    rest = n // first
    columns = map_parts(z, lambda x: np.swapaxes(np.reshape(x, (*shape[:-1], rest, first)), -1, -2))
    inner = transform(columns, sign)
    turns = np.outer(np.arange(first), np.arange(rest))
    turned = multiply(inner, roots(turns, n, sign, dtype_of(z)))
    outer = _transform_across(turned, first, sign)
    return map_parts(outer, lambda x: np.reshape(x, shape))


def _transform_across(z: Parts, n: int, sign: int) -> Parts:
    """The transform along the last axis but one, of prime length."""
    if n == 2:
        one, other = (take(z, (..., k, slice(None))) for k in (0, 1))
        return stack_parts((add(one, other), subtract(one, other)), axis=-2)
    swapped = map_parts(z, lambda x: np.swapaxes(x, -1, -2))
    return map_parts(_direct(swapped, sign), lambda x: np.swapaxes(x, -1, -2))


def _direct(z: Parts, sign: int) -> Parts:
    """The transform along the last axis by the matrix of roots of unity."""
    n = np.shape(z.real)[-1]
    if n == 1:
        return z
    if n > _MOST_DIRECT:
        raise refuse(f"a Fourier transform of {n} points")
    if n == 2:
        one, other = (take(z, (..., k)) for k in (0, 1))
        return stack_parts((add(one, other), subtract(one, other)), axis=-1)
    turns = np.outer(np.arange(n), np.arange(n))
    matrix = roots(turns, n, sign, dtype_of(z))
    by_cosine = map_parts(z, lambda x: x @ matrix.real)
    by_sine = map_parts(z, lambda x: x @ matrix.imag)
    re, im = minus(by_cosine.re, by_sine.im), plus(by_cosine.im, by_sine.re)
    return pair(re, im)


def roots(turns: Any, n: int, sign: int, dtype: Any = np.float64) -> Parts:
    """``exp(sign 2 pi i k / n)`` of integers k: sines and cosines of angles up to pi/4."""
    octant, rest = np.divmod(8 * (np.asarray(turns) % n), n)
    reduced = np.where(octant % 2, n - rest, rest)
    angles = np.unique(reduced[reduced > 0])
    table = _table(angles, n, dtype)
    number = np.searchsorted(angles, reduced)
    chosen = []
    for part in (0, 1):
        signs, kinds = np.array([row[part] for row in _IN_OCTANT]).transpose(1, 0)[:, octant]
        of_zero = 2 * len(angles) + kinds
        at = np.where(reduced > 0, number + kinds * len(angles), of_zero)
        chosen.append(table[at] * signs.astype(dtype))
    return Parts(chosen[0], chosen[1] if sign > 0 else -chosen[1])


def _table(angles: Any, n: int, dtype: Any) -> Any:
    """The cosines of ``angles pi / 4n``, their sines, 1 and 0."""
    ends = np.array([1.0, 0.0], dtype)
    if not len(angles):
        return ends
    exact = pi_times(angles, np.float64) / (4 * n)
    return np.concatenate([np.cos(exact).astype(dtype), np.sin(exact).astype(dtype), ends])


def _least_factor(n: int) -> int:
    return next((k for k in range(2, int(n**0.5) + 1) if n % k == 0), n)


def _slacken_parts(z: Parts) -> Parts:
    units = _STAGES * np.shape(z.real)[-1].bit_length()
    near = map_parts(z, lambda x: slack(x, units))
    # Either part of a result may be off by what both parts of the data are large.
    return Parts(plus(near.re, _make_zeros(near.im)), plus(near.im, _make_zeros(near.re)))


def _make_zeros(x: Any) -> Any:
    """Zeros, as uncertain as `x` is."""
    return None if x is None else x - x


_INVERSE: Final = {"backward": (0, -1), "forward": (-1, 0), "ortho": (-0.5, -0.5)}
"""By which powers of n the transform and its inverse are multiplied."""


@reads("fft")
def fft(x: Any, axis: int, inverse: bool, norm: str) -> Parts:
    """The transform, or its inverse, along an axis."""
    z = map_parts(parts(x), lambda part: np.moveaxis(part, axis, -1))
    n = np.shape(z.real)[-1]
    found = transform(_slacken_parts(z), 1 if inverse else -1)
    power = _INVERSE[norm][inverse]
    if power == -1:
        found = map_parts(found, lambda part: slack(part / n, 1))
    elif power:
        found = map_parts(
            found, lambda part: slack(part / np.sqrt(record_constant(n, dtype_of(z))), 1)
        )
    return map_parts(found, lambda part: np.moveaxis(part, -1, axis))


@reads("rfft")
def rfft(x: Any, axis: int, norm: str) -> Parts:
    """The first half of the transform of real numbers, along an axis."""
    whole = fft(x, axis, inverse=False, norm=norm)
    half = np.shape(whole.real)[axis] // 2 + 1
    index = (*(slice(None),) * (axis % np.ndim(whole.real)), slice(0, half))
    return take(whole, index)


@reads("irfft")
def irfft(x: Any, n: int, axis: int, norm: str) -> Any:
    """The real numbers whose transform begins with `x`, along an axis.

    Those that are left out are conjugates, which give the same real parts again.
    """
    half = parts(x)
    weights = weigh_halves(n, axis, half.real)
    whole = map_parts(half, lambda part: fit_length(part * weights, n, axis))
    return fft(whole, axis, inverse=True, norm=norm).real


@reads("dct")
def dct(x: Any, type: int, axis: int) -> Any:  # noqa: A002 -- SciPy's
    """The cosine transform by its matrix (SciPy, scipy.fft.dct)."""
    return _transform_by_matrix(x, axis, lambda n: _cosines(n, type))


@reads("dst")
def dst(x: Any, type: int, axis: int) -> Any:  # noqa: A002 -- SciPy's
    """The sine transform by its matrix (SciPy, scipy.fft.dst)."""
    return _transform_by_matrix(x, axis, lambda n: _sines(n, type))


def _cosines(n: int, kind: int) -> tuple[Any, int, Any]:
    """Integers m, a whole turn q, and factors f: the matrix is ``f cos(2 pi m / q)``."""
    j, k = np.arange(n), np.arange(n)[:, None]
    ends = np.full((n, n), 2.0)
    if kind == 1:
        ends[:, [0, -1]] = 1
        return j * k, 2 * (n - 1), ends
    if kind == 2:
        return (2 * j + 1) * k, 4 * n, ends
    if kind == 3:
        ends[:, 0] = 1
        return j * (2 * k + 1), 4 * n, ends
    return (2 * j + 1) * (2 * k + 1), 8 * n, ends


def _sines(n: int, kind: int) -> tuple[Any, int, Any]:
    """As :func:`_cosines`; a sine is a cosine a quarter of a turn before."""
    j, k = np.arange(n), np.arange(n)[:, None]
    ends = np.full((n, n), 2.0)
    if kind == 1:
        turns, whole = (j + 1) * (k + 1), 2 * (n + 1)
    elif kind == 2:
        turns, whole = (2 * j + 1) * (k + 1), 4 * n
    elif kind == 3:
        turns, whole = (j + 1) * (2 * k + 1), 4 * n
        ends[:, -1] = 1
    else:
        turns, whole = (2 * j + 1) * (2 * k + 1), 8 * n
    return 4 * turns - whole, 4 * whole, ends


def _transform_by_matrix(x: Any, axis: int, made: Callable[[int], tuple[Any, int, Any]]) -> Any:
    z = map_parts(parts(x), lambda part: np.moveaxis(part, axis, -1))
    n = np.shape(z.real)[-1]
    if n > _MOST_DIRECT:
        raise refuse(f"a cosine or sine transform of {n} points")
    turns, whole, ends = made(n)
    matrix = (roots(turns, whole, 1, dtype_of(z)).real * ends.astype(dtype_of(z))).T

    def transform_part(x: Any) -> Any:
        # Libraries take the way by a transform of Fourier, in which what meets a 0 of the matrix
        # cancels: each result may be off by what all of the data are large.
        cancelled = 2 * np.sum(_make_zeros(x), axis=-1, keepdims=True)
        return np.moveaxis(x @ matrix + cancelled, -1, axis)

    found = map_parts(_slacken_parts(z), transform_part)
    return found if isinstance(x, Parts) else found.re
