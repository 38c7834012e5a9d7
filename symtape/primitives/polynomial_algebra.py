"""Functions: sums, products, quotients, derivatives and fits of polynomials.

Coefficients come highest power first. Where NumPy drops leading coefficients that are zero, the
shape of the result depends on values, which the path of a recording says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array, implements


def _coefficients(p: Any) -> Array:
    return np.atleast_1d(to_array(p))


def _pad_coefficients(p: Array, length: int) -> Array:
    return np.pad(p, (length - p.shape[0], 0)) if p.shape[0] < length else p


def _trim_leading_zeros(p: Array) -> Array:
    """Coefficients as NumPy takes them: one stays of those that are all 0."""
    kept = np.trim_zeros(p, "f")
    return kept if kept.shape[0] else p[-1:]


@implements(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Array:
    """As ``numpy.polyadd``."""
    a1, a2 = _coefficients(a1), _coefficients(a2)
    length = max(a1.shape[0], a2.shape[0])
    return _pad_coefficients(a1, length) + _pad_coefficients(a2, length)


@implements(np.polysub)
def polysub(a1: Any, a2: Any) -> Array:
    """As ``numpy.polysub``."""
    a1, a2 = _coefficients(a1), _coefficients(a2)
    length = max(a1.shape[0], a2.shape[0])
    return _pad_coefficients(a1, length) - _pad_coefficients(a2, length)


@implements(np.polymul)
def polymul(a1: Any, a2: Any) -> Array:
    """As ``numpy.polymul``."""
    return np.convolve(*(_trim_leading_zeros(_coefficients(a)) for a in (a1, a2)))


@implements(np.polydiv)
def polydiv(u: Any, v: Any) -> tuple[Array, Array]:
    """As ``numpy.polydiv``: quotient and remainder."""
    remainder, v = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    steps = remainder.shape[0] - v.shape[0] + 1
    scale = 1.0 / v[0]
    quotient = []
    for k in range(steps):
        digit = scale * remainder[k]
        quotient.append(digit)
        remainder = remainder - np.pad(digit * v, (k, steps - 1 - k))
    first = 0
    # NumPy's own bound for what it takes for a zero.
    while first < remainder.shape[0] - 1 and np.abs(remainder[first]) <= 1e-8:
        first += 1
    return np.stack(quotient) if quotient else np.zeros_like(v[:1]), remainder[first:]


@implements(np.polyder)
def polyder(p: Any, m: int = 1) -> Array:
    """As ``numpy.polyder``."""
    if int(m) != m or m < 0:
        raise ValueError(f"m={m!r}; expected how often to differentiate, a whole number")
    p = _coefficients(p)
    for _ in range(int(m)):
        p = p[:-1] * np.arange(p.shape[0] - 1, 0, -1)
    return p


@implements(np.polyint)
def polyint(p: Any, m: int = 1, k: Any = None) -> Array:
    """As ``numpy.polyint``."""
    if int(m) != m or m < 0:
        raise ValueError(f"m={m!r}; expected how often to integrate, a whole number")
    p = _coefficients(p)
    constants = np.zeros(int(m)) if k is None else _coefficients(k)
    if constants.shape[0] == 1 and m > 1:
        constants = np.broadcast_to(constants, (int(m),))
    if constants.shape[0] < m:
        raise ValueError(f"{constants.shape[0]} constants for m={m} integrations; give one or m")
    for i in range(int(m)):
        p = np.concatenate([p / np.arange(p.shape[0], 0, -1), constants[i : i + 1]])
    return p


@implements(np.poly)
def poly(seq_of_zeros: Any) -> Array:
    """As ``numpy.poly``, of a vector of roots."""
    roots = _coefficients(seq_of_zeros)
    if roots.ndim != 1:
        raise Unsupported(
            f"poly of shape {roots.shape} asks for the characteristic polynomial of a matrix, "
            "which has no gradient here; give a vector of roots"
        )
    product: Any = np.ones(1, np.result_type(roots.dtype, np.float16))
    for i in range(roots.shape[0]):
        product = np.convolve(product, np.stack([np.ones_like(roots[i]), -roots[i]]))
    return product


@implements(np.polyfit)
def polyfit(
    x: Any,
    y: Any,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: bool | str = False,
) -> Array:
    """As ``numpy.polyfit``, the coefficients alone."""
    if full or cov:
        raise Unsupported(
            "polyfit with full=True or cov=True has no gradient; leave them out, for the "
            "coefficients alone"
        )
    x, y = to_array(x) + 0.0, to_array(y) + 0.0
    columns = np.vander(x, int(deg) + 1)
    if w is not None:
        w = to_array(w)
        columns = columns * np.expand_dims(w, -1)
        y = y * (w if np.ndim(y) == 1 else np.expand_dims(w, -1))
    scale = np.sqrt(np.sum(columns * columns, axis=0))
    limit = x.shape[0] * np.finfo(x.dtype).eps if rcond is None else rcond
    solution = np.linalg.lstsq(columns / scale, y, limit)[0]
    return (solution.T / scale).T
