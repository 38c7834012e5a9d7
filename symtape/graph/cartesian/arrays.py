"""Data movement, sums, casts and comparisons of complex arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.graph.cartesian.parts import Parts, Real, absolute, multiply, pair, parts
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
    found = apply_to_parts(PRIMITIVES["mean"], [x], params)
    return pair(*(None if part is None else slack(part, 1) for part in (found.re, found.im)))


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
    return _map_parts(x, lambda part: row(part, *indices, **params))


def _map_parts(x: Parts, move: Any) -> Parts:
    return pair(*(None if part is None else move(part) for part in (x.re, x.im)))


@reads("astype")
def astype(x: Any, dtype: Any) -> Any:
    """A cast, to real numbers that of the real part."""
    z, dtype = parts(x), np.dtype(dtype)
    if dtype.kind == "f":
        return _cast(z.real, dtype)
    component = np.empty(0, dtype).real.dtype
    return pair(*(None if part is None else _cast(part, component) for part in (z.re, z.im)))


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
    """One factor after the other, along one axis or all of them."""
    whole = axis is None or not isinstance(axis, int)
    rank = np.ndim(x.real)
    if whole and axis is not None and len(axis) not in (1, rank):
        moved = x
        for one in sorted((k % rank for k in axis), reverse=True):
            moved = prod(moved, one, keepdims)
        return moved
    if whole and (axis is None or len(axis) == rank):
        flat = pair(*(None if part is None else np.reshape(part, -1) for part in (x.re, x.im)))
        found = _multiply_along(flat, 0)
        shape = (1,) * rank if keepdims else ()
        return pair(*(None if p is None else np.reshape(p, shape) for p in (found.re, found.im)))
    along = axis if isinstance(axis, int) else axis[0]
    found = _multiply_along(x, along)
    if not keepdims:
        return found
    return pair(*(None if p is None else np.expand_dims(p, along) for p in (found.re, found.im)))


def _multiply_along(x: Parts, axis: int) -> Parts:
    length = np.shape(x.real)[axis]
    before = (slice(None),) * (axis % np.ndim(x.real))
    found = Parts(1.0, None)
    for k in range(length):
        found = multiply(found, take(x, (*before, k)))
    return found


def take(x: Parts, index: Any) -> Parts:
    """``x[index]``."""
    return pair(*(None if part is None else part[index] for part in (x.re, x.im)))


@reads("cumprod")
def cumprod(x: Parts, axis: int | None = None) -> Parts:
    """One factor after the other."""
    if axis is None:
        x, axis = _map_parts(x, lambda part: np.reshape(part, -1)), 0
    before = (slice(None),) * (axis % np.ndim(x.real))
    found = [take(x, (*before, 0))]
    for k in range(1, np.shape(x.real)[axis]):
        found.append(multiply(found[-1], take(x, (*before, k))))
    return Parts(
        *(
            np.stack(list(sides), axis)
            for sides in ([z.real for z in found], [z.imag for z in found])
        )
    )


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
