"""Data movement, sums, casts and comparisons of complex arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from symtape.graph.cartesian.parts import (
    Parts,
    Real,
    absolute,
    map_parts,
    multiply,
    pair,
    parts,
    stack_parts,
    take,
)
from symtape.graph.cartesian.readings import reads, reads_parts
from symtape.graph.cartesian.slack import slack
from symtape.primitives.primitive import PRIMITIVES, Primitive


def apply_to_parts(row: Primitive, args: Sequence[Any], params: Any) -> Any:
    """What a row that is linear in all of its arguments together means on parts."""
    given = [parts(x) for x in args]
    re = None if all(z.re is None for z in given) else row(*[z.real for z in given], **params)
    im = None if all(z.im is None for z in given) else row(*[z.imag for z in given], **params)
    return pair(re, im)


@reads("mean")
def mean(x: Parts, **params: Any) -> Parts:
    """The sum by a quotient of complex numbers."""
    return map_parts(apply_to_parts(PRIMITIVES["mean"], [x], params), lambda part: slack(part, 1))


@reads("where")
def where(condition: Any, a: Any, b: Any) -> Parts:
    """A choice of whole numbers."""
    one, other = parts(a), parts(b)
    re = None if one.re is None is other.re else np.where(condition, one.real, other.real)
    im = None if one.im is None is other.im else np.where(condition, one.imag, other.imag)
    return pair(re, im)


@reads("getitem_by", "scatter_by")
def apply_by_indices(row: Primitive, x: Parts, *indices: Any, **params: Any) -> Parts:
    """Elements moved to where indices say."""
    return map_parts(x, lambda part: row(part, *indices, **params))


@reads("astype")
def astype(x: Any, dtype: Any) -> Any:
    """A cast, to real numbers that of the real part."""
    z, dtype = parts(x), np.dtype(dtype)
    if dtype.kind == "f":
        return _cast(z.real, dtype)
    component = np.empty(0, dtype).real.dtype
    return map_parts(z, lambda part: _cast(part, component))


def _cast(x: Real, dtype: Any) -> Real:
    return x.astype(dtype) if hasattr(x, "astype") else np.asarray(x, dtype)[()]


@reads_parts("equal")
def equal(a: Parts, b: Parts) -> Any:
    """Of both parts."""
    return np.logical_and(np.equal(a.real, b.real), np.equal(a.imag, b.imag))


@reads_parts("not_equal")
def not_equal(a: Parts, b: Parts) -> Any:
    """Of either part."""
    return np.logical_or(np.not_equal(a.real, b.real), np.not_equal(a.imag, b.imag))


@reads_parts("isfinite")
def isfinite(z: Parts) -> Any:
    """Of both parts."""
    return np.logical_and(np.isfinite(z.real), np.isfinite(z.imag))


@reads_parts("isnan")
def isnan(z: Parts) -> Any:
    """Of either part."""
    return np.logical_or(np.isnan(z.real), np.isnan(z.imag))


@reads_parts("isinf")
def isinf(z: Parts) -> Any:
    """Of either part."""
    return np.logical_or(np.isinf(z.real), np.isinf(z.imag))


@reads("prod")
def prod(x: Parts, axis: Any = None, keepdims: bool = False) -> Parts:
    """One factor after the other, along all axes at once."""
    shape = np.shape(x.real)
    axes = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
    kept = [k for k in range(len(shape)) if k not in axes]
    lengths = [shape[k] for k in kept]
    count = math.prod(shape[k] for k in axes)
    last = map_parts(
        x, lambda part: np.reshape(np.transpose(part, (*kept, *axes)), (*lengths, count))
    )
    found = Parts(1.0, None)
    for k in range(count):
        found = multiply(found, take(last, (..., k)))
    return map_parts(found, lambda part: np.expand_dims(part, tuple(axes))) if keepdims else found


@reads("cumprod")
def cumprod(x: Parts, axis: int | None = None) -> Parts:
    """One factor after the other."""
    if axis is None:
        x, axis = map_parts(x, lambda part: np.reshape(part, -1)), 0
    before = (slice(None),) * (axis % np.ndim(x.real))
    found = [take(x, (*before, 0))]
    for k in range(1, np.shape(x.real)[axis]):
        found.append(multiply(found[-1], take(x, (*before, k))))
    return stack_parts(found, axis)


@reads("zeros_like", "ones_like", "one")
def fill_parts(row: Primitive, x: Parts, **params: Any) -> Parts:
    """An array of the same number."""
    return Parts(row(x.real, **params), None)


@reads("var")
def var(x: Parts, **params: Any) -> Real:
    """Of both parts together."""
    return sum(np.var(part, **params) for part in (x.re, x.im) if part is not None)


@reads("std")
def std(x: Parts, **params: Any) -> Real:
    """Of both parts together."""
    return np.sqrt(var(x, **params))


@reads("euclidean_norm")
def euclidean_norm(x: Parts, axis: Any = None, keepdims: bool = False) -> Real:
    """Of both parts together, so that a zero among others is no kink."""
    row = PRIMITIVES["euclidean_norm"]
    if x.re is None or x.im is None:
        return row(x.re if x.im is None else x.im, axis=axis, keepdims=keepdims)
    if axis is None:
        axis = tuple(range(np.ndim(x.re)))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    return row(np.concatenate([x.re, x.im], axis=axes[0]), axis=axis, keepdims=keepdims)


@reads("power_norm")
def power_norm(x: Parts, **params: Any) -> Real:
    """Of the sizes."""
    return PRIMITIVES["power_norm"](absolute(x), **params)


@reads_parts("iscomplex")
def has_imaginary_part(z: Parts) -> Any:
    """Whether the imaginary part is not zero."""
    return np.not_equal(z.imag, 0)


@reads_parts("isreal")
def has_none(z: Parts) -> Any:
    """Whether the imaginary part is zero."""
    return np.equal(z.imag, 0)
