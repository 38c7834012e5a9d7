"""Readings: sums, means, products, extremes and norms over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads
from symtape.scipy import special as scipy_special

__all__: list[str] = []


def _axes(dim: Any) -> Any:
    """Axes as NumPy takes them; none, or an empty list, are all."""
    if isinstance(dim, list | tuple):
        return tuple(dim) or None
    return dim


def _typed(x: Any, dtype: Any) -> Any:
    return x if dtype is None else x.astype(dtype)


@reads("sum")
def total(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """As ``np.sum``."""
    return np.sum(_typed(x, dtype), axis=_axes(dim), keepdims=keepdim)


@reads("mean")
def mean(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """As ``np.mean``."""
    return np.mean(_typed(x, dtype), axis=_axes(dim), keepdims=keepdim)


@reads("nansum")
def nansum(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """As ``np.nansum``."""
    return np.nansum(_typed(x, dtype), axis=_axes(dim), keepdims=keepdim)


@reads("prod")
def product(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """As ``np.prod``."""
    return np.prod(_typed(x, dtype), axis=dim, keepdims=keepdim)


@reads("amax")
def amax(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """As ``np.max``."""
    return np.max(x, axis=_axes(dim), keepdims=keepdim)


@reads("amin")
def amin(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """As ``np.min``."""
    return np.min(x, axis=_axes(dim), keepdims=keepdim)


@reads("aminmax")
def aminmax(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Both extremes."""
    return amin(x, dim, keepdim), amax(x, dim, keepdim)


def _extreme(values: Any, places: Any, x: Any, dim: int | None, keepdim: bool) -> Any:
    if dim is None:
        return values(x)
    index = places(x, axis=dim)
    index = np.expand_dims(index, dim) if keepdim and np.ndim(x) else index
    return values(x, axis=dim, keepdims=keepdim), index


@reads("max", "max.dim")
def largest(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The largest element; along an axis also where it is."""
    return _extreme(np.max, np.argmax, x, dim, keepdim)


@reads("min", "min.dim")
def smallest(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The smallest element; along an axis also where it is."""
    return _extreme(np.min, np.argmin, x, dim, keepdim)


reads("max.other", promotes=True)(np.maximum)
reads("min.other", promotes=True)(np.minimum)


@reads("argmax")
def argmax(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """As ``np.argmax``."""
    return _kept(np.argmax(x, axis=dim), x, dim, keepdim)


@reads("argmin")
def argmin(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """As ``np.argmin``."""
    return _kept(np.argmin(x, axis=dim), x, dim, keepdim)


def _kept(found: Any, x: Any, dim: int | None, keepdim: bool) -> Any:
    if not keepdim or not np.ndim(x):
        return found
    return np.reshape(found, (1,) * np.ndim(x)) if dim is None else np.expand_dims(found, dim)


@reads("all", "all.dim", "all.dims")
def all_(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """As ``np.all``."""
    return np.all(x, axis=_axes(dim), keepdims=keepdim)


@reads("any", "any.dim", "any.dims")
def any_(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """As ``np.any``."""
    return np.any(x, axis=_axes(dim), keepdims=keepdim)


@reads("count_nonzero")
def count_nonzero(x: Any, dim: Any = None) -> Any:
    """As ``np.count_nonzero``."""
    return np.count_nonzero(x, axis=_axes(dim))


def _freedom(unbiased: bool, correction: Any) -> Any:
    return (1 if unbiased else 0) if correction is None else correction


@reads("var")
def var(
    x: Any,
    dim: Any = None,
    unbiased: Any = True,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """As ``np.var``, which by default subtracts no degree of freedom."""
    freedom = _freedom(unbiased, correction)
    return np.var(x, axis=_axes(dim), ddof=freedom, keepdims=keepdim)


@reads("std")
def std(
    x: Any,
    dim: Any = None,
    unbiased: Any = True,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """As ``np.std``, which by default subtracts no degree of freedom."""
    freedom = _freedom(unbiased, correction)
    return np.std(x, axis=_axes(dim), ddof=freedom, keepdims=keepdim)


@reads("var.default")
def var_of_all(x: Any, unbiased: bool = True) -> Any:
    """The variance of all elements."""
    return var(x, None, unbiased)


@reads("std.default")
def std_of_all(x: Any, unbiased: bool = True) -> Any:
    """The deviation of all elements."""
    return std(x, None, unbiased)


@reads("var_mean")
def var_mean(x: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """Variance and mean."""
    return var(x, dim, True, keepdim, correction=correction), mean(x, dim, keepdim)


@reads("std_mean")
def std_mean(x: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """Deviation and mean."""
    return std(x, dim, True, keepdim, correction=correction), mean(x, dim, keepdim)


@reads("logsumexp")
def logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Any:
    """The logarithm of the sum of exponentials."""
    return scipy_special.logsumexp(x, axis=_axes(dim), keepdims=keepdim)


@reads("linalg_vector_norm")
def vector_norm(
    x: Any,
    ord: float = 2,  # noqa: A002 -- ATen's name
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Any:
    """As ``np.linalg.vector_norm``."""
    return np.linalg.vector_norm(_typed(x, dtype), axis=_axes(dim), keepdims=keepdim, ord=ord)


@reads("norm")
def norm(
    x: Any, p: float | None = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """The norm of all elements, or along axes."""
    return vector_norm(x, 2 if p is None else p, dim, keepdim, dtype=dtype)


@reads("dist")
def dist(a: Any, b: Any, p: float = 2) -> Any:
    """The norm of the difference."""
    return vector_norm(a - b, p)


@reads("_softmax", "_safe_softmax")
def softmax(x: Any, dim: int, half_to_float: Any = False) -> Any:
    """Shares along an axis."""
    return scipy_special.softmax(x, axis=dim)


@reads("_log_softmax")
def log_softmax(x: Any, dim: int, half_to_float: bool = False) -> Any:
    """Logarithms of shares along an axis."""
    return scipy_special.log_softmax(x, axis=dim)
