"""Rows and functions: norms of vectors and matrices.

At the zero vector the gradient is 0, which lies in the subdifferential of every norm.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from symtape.primitives.axes import axes_or_all, length, reduce_array, restore_reduced_axes
from symtape.primitives.power import ONE
from symtape.primitives.primitive import Array, Primitive, declare, implements

Axes = tuple[int, ...] | None


def _largest_magnitude(x: Array, axis: Axes) -> Array:
    """The largest magnitude, by which elements are divided so that no power overflows."""
    largest = np.maximum.reduce(np.abs(x), axis=axis, keepdims=True, initial=0)
    return np.where((largest == 0) | ~np.isfinite(largest), x.dtype.type(1), largest)


def _euclidean(x: Array, axis: Axes, keepdims: bool) -> Array:
    x = np.abs(x) if np.iscomplexobj(x) else x
    with np.errstate(over="ignore", under="ignore"):
        total = reduce_array(np.add, x * x, axis, keepdims)
    limits = np.finfo(total.dtype)
    if np.all((total > limits.tiny / limits.eps) & (total < limits.max)):
        return np.sqrt(total)
    scale = _largest_magnitude(x, axis)
    unit = x / scale
    total = np.add.reduce(unit * unit, axis=axis, keepdims=True)
    return _drop_reduced_axes(np.sqrt(total) * scale, axis, keepdims)


def _drop_reduced_axes(y: Array, axis: Axes, keepdims: bool) -> Array:
    return y if keepdims else np.squeeze(y, axis)[()]


def _euclidean_rule(g: Array, x: Array, y: Array, axis: Axes, keepdims: bool) -> Array:
    # Dividing by infinity makes the gradient, and what comes from it, 0 at the zero vector.
    length_ = restore_reduced_axes(np.where(y == 0, np.inf, y), x.shape, axis, keepdims)
    return restore_reduced_axes(g, x.shape, axis, keepdims) * (x / length_)


def _power_norm(a: Array, p: float, axis: Axes, keepdims: bool) -> Array:
    a = np.asarray(a)
    scale = _largest_magnitude(a, axis)
    with np.errstate(divide="ignore"):
        total = np.add.reduce((a / scale) ** p, axis=axis, keepdims=True)
        return _drop_reduced_axes(total ** (1 / p) * scale, axis, keepdims)


def _euclidean_elements(x: Any, axis: Axes, keepdims: bool) -> Any:
    total = np.asarray(np.sum(x * x, axis=axis, keepdims=keepdims), dtype=object)
    # Sums of no elements are plain zeros, which have no square root of their own kind.
    return np.sqrt(total) if x.size else total


def _power_norm_elements(a: Any, p: float, axis: Axes, keepdims: bool) -> Any:
    from fractions import Fraction  # of formulas alone, which gradients do not load

    # The exponent as a fraction: 1/3 rounded to a float would be the exponent of another norm.
    total = np.asarray(np.sum(a**p, axis=axis, keepdims=keepdims), dtype=object)
    return total ** (1 / Fraction(p))


def _power_norm_ball(ball: Any, a: Any, p: float, axis: Axes, keepdims: bool) -> Any:
    power = np.frompyfunc(ball.power, 2, 1)
    total = np.asarray(np.sum(power(a, p), axis=axis, keepdims=keepdims), dtype=object)
    return power(total, ball.reciprocal(p))


def _power_norm_rule(g: Array, a: Array, y: Array, p: float, axis: Axes, keepdims: bool) -> Array:
    length_ = restore_reduced_axes(np.where(y == 0, np.inf, y), a.shape, axis, keepdims)
    ratio = a / length_
    if p < 1:
        ratio = np.where(ratio == 0, np.inf, ratio)
    less = p - 1
    exponent = less if less + 1 == p else p - ONE(ratio)
    return restore_reduced_axes(g, a.shape, axis, keepdims) * ratio**exponent


EUCLIDEAN_NORM: Primitive = declare(
    name="euclidean_norm",
    evaluate=_euclidean,
    vjp=[_euclidean_rule],
    elements=_euclidean_elements,
    convention="0 at the zero vector",
    kinks=lambda x, axis, keepdims: np.all(np.asarray(x) == 0, axis=axis),
    pieces=lambda kink, axis, keepdims: kink.cone(axis),
    puiseux=True,
    rounding=lambda shapes, params: length(shapes[0], params["axis"]) + 4,
    structure="relative",
    complex=[lambda g, x, y, axis, keepdims: np.conj(_euclidean_rule(g, x, y, axis, keepdims))],
    dependence="reduces",
    source="NumPy, numpy.linalg.norm",
    example=(([1.5, -2.0, 0.25],), {"axis": None, "keepdims": False}),
    smooth="value",
)

# (sum of a**p) ** (1/p), for a that is not negative.
POWER_NORM: Primitive = declare(
    evaluate=_power_norm,
    vjp=[_power_norm_rule],
    elements=_power_norm_elements,
    ball=_power_norm_ball,
    domain=lambda a, p, axis, keepdims: np.asarray(a) >= 0,
    convention="0 at the zero vector",
    kinks=lambda a, p, axis, keepdims: np.all(np.asarray(a) == 0, axis=axis),
    pieces=lambda kink, p, axis, keepdims: kink.cone(axis) if p >= 1 else None,
    rounding=lambda shapes, params: length(shapes[0], params["axis"]) + 4 * abs(params["p"]) + 8,
    structure="relative",
    dependence="reduces",
    source="NumPy, numpy.linalg.norm",
    example=(([1.5, 2.0, 0.25],), {"p": 3.0, "axis": None, "keepdims": False}),
)


def _vector(x: Array, order: Any, axis: Axes, keepdims: bool) -> Array:
    if order is None or order == 2:
        return EUCLIDEAN_NORM(x, axis=axis, keepdims=keepdims)
    if order == np.inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    if order == -np.inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    if order == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if order == 0:
        return np.sum((x != 0).astype(np.real(x).dtype), axis=axis, keepdims=keepdims)
    if isinstance(order, str):
        raise ValueError(f"ord={order!r} is no norm of vectors; expected a number")
    return POWER_NORM(np.abs(x), p=float(order), axis=axis, keepdims=keepdims)


def _matrix(x: Array, order: Any, axes: tuple[int, int], keepdims: bool) -> Array:
    if order in (None, "fro", "f"):
        return EUCLIDEAN_NORM(x, axis=axes, keepdims=keepdims)
    moved = np.moveaxis(x, axes, (-2, -1))
    if order in (1, -1, np.inf, -np.inf):
        sums = np.sum(np.abs(moved), axis=-2 if abs(order) == 1 else -1)
        result = (np.max if order > 0 else np.min)(sums, axis=-1)
    elif order in (2, -2, "nuc"):
        singular = np.linalg.svd(moved, compute_uv=False)
        reduce = np.sum if order == "nuc" else np.max if order == 2 else np.min
        result = reduce(singular, axis=-1)
    else:
        raise ValueError(
            f"ord={order!r} is no norm of matrices; expected 'fro', 'nuc', 1, -1, 2, -2, "
            "inf or -inf"
        )
    return np.expand_dims(result, axes) if keepdims else result


def _to_floating(x: Array) -> Array:
    return x if x.dtype.kind in "fc" else x.astype(float)


@implements(np.linalg.norm)
def norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:  # noqa: A002
    """As ``numpy.linalg.norm``."""
    x = _to_floating(x)
    if axis is None:
        if ord is None or (x.ndim == 2 and ord in ("fro", "f")):
            return EUCLIDEAN_NORM(x, axis=None, keepdims=keepdims)
        axis = tuple(range(x.ndim))
    axes = normalize_axis_tuple(axis, x.ndim)
    if len(axes) == 1:
        return _vector(x, ord, axes, keepdims)
    if len(axes) == 2:
        return _matrix(x, ord, (axes[0], axes[1]), keepdims)
    raise ValueError(f"axis={axis} for an array of shape {x.shape}; a norm is over 1 or 2 axes")


@implements(np.linalg.vector_norm)
def vector_norm(
    x: Array,
    /,
    *,
    axis: Any = None,
    keepdims: bool = False,
    ord: Any = 2,  # noqa: A002
) -> Array:
    """As ``numpy.linalg.vector_norm``."""
    x = _to_floating(x)
    return _vector(x, ord, axes_or_all(axis, x.ndim), keepdims)


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:  # noqa: A002
    """As ``numpy.linalg.matrix_norm``."""
    return _matrix(_to_floating(x), ord, (x.ndim - 2, x.ndim - 1), keepdims)
