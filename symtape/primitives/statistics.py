"""Functions: covariance, correlation, and sums by bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.contraction import conjugate_complex
from symtape.primitives.indexing import SCATTER
from symtape.primitives.primitive import Array, implements


def _observations(m: Any, rowvar: bool) -> Array:
    m = to_array(m)
    if np.ndim(m) > 2:
        raise ValueError(f"observations of shape {np.shape(m)}; expected one or two axes")
    m = np.reshape(m, (1, -1)) if np.ndim(m) < 2 else m
    return m if rowvar or m.shape[0] == 1 else m.T


@implements(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Array:
    """As ``numpy.cov``."""
    x = _observations(m, rowvar)
    if y is not None:
        x = np.concatenate([x, _observations(y, rowvar)])
    x = x.astype(np.result_type(x.dtype, np.float64) if dtype is None else dtype)
    lost = ddof if ddof is not None else 0 if bias else 1
    weights = None if fweights is None else to_array(fweights)
    if aweights is not None:
        weights = to_array(aweights) * (1 if weights is None else weights)
    total: Any = x.shape[1] if weights is None else np.sum(weights)
    scaled = x - np.expand_dims(np.average(x, axis=1, weights=weights), -1)
    if aweights is None or not lost:
        freedom = total - lost
    else:
        freedom = total - lost * np.sum(weights * to_array(aweights)) / total
    weighted = scaled if weights is None else scaled * weights
    return np.squeeze(scaled @ conjugate_complex(weighted.T) / freedom)


@implements(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """As ``numpy.corrcoef``."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not np.ndim(c):
        return c / c
    deviation = np.sqrt(np.real(np.diagonal(c)))
    ratios = c / np.expand_dims(deviation, -1) / deviation
    if not np.iscomplexobj(ratios):
        return np.clip(ratios, -1, 1)
    return np.clip(np.real(ratios), -1, 1) + np.clip(np.imag(ratios), -1, 1) * 1j


@implements(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Array:
    """As ``numpy.bincount``, differentiable by the weights."""
    x = np.asarray(x)
    if weights is None:
        return np.bincount(x, minlength=minlength)
    if x.ndim != 1 or np.shape(weights) != x.shape:
        raise ValueError(
            f"bincount of shape {x.shape} with weights of shape {np.shape(weights)}; expected two "
            "vectors of one length"
        )
    if x.size and (x.dtype.kind not in "iu" or x.min() < 0):
        raise ValueError(f"bincount counts whole numbers that are not negative, got {x}")
    length = max(int(x.max(initial=-1)) + 1, minlength)
    return SCATTER(to_array(weights).astype(float), shape=(length,), index=x.astype(np.intp))
