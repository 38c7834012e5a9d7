"""Functions: differences, numerical gradients and integrals, and interpolation, of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import one_axis
from symtape.primitives.indexing import getitem
from symtape.primitives.primitive import Array, implements


def _span(a: Array, axis: int, start: int | None, stop: int | None) -> Array:
    return a[(*(slice(None),) * axis, slice(start, stop))]


@implements(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """As ``numpy.diff``."""
    if n < 0:
        raise ValueError(f"n={n}; expected a number of differences that is not negative")
    a = to_array(a)
    axis = one_axis(axis, a.ndim)
    parts = [*_edge(prepend, a, axis), a, *_edge(append, a, axis)]
    a = np.concatenate(parts, axis) if len(parts) > 1 else a
    for _ in range(n):
        later, earlier = _span(a, axis, 1, None), _span(a, axis, None, -1)
        a = later != earlier if a.dtype == bool else later - earlier
    return a


def _edge(value: Any, a: Array, axis: int) -> list[Array]:
    if value is None or value is np._NoValue:
        return []
    value = to_array(value)
    if np.ndim(value):
        return [value]
    return [np.broadcast_to(value, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))]


@implements(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """As ``numpy.ediff1d``."""
    inner = diff(np.ravel(to_array(ary)))
    begin, end = (
        [] if given is None else [np.ravel(to_array(given)).astype(inner.dtype)]
        for given in (to_begin, to_end)
    )
    return np.concatenate([*begin, inner, *end]) if begin or end else inner


@implements(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    """As ``numpy.trapezoid``."""
    y = to_array(y)
    axis = one_axis(axis, y.ndim)
    step: Any = dx
    if x is not None:
        x = to_array(x)
        step = diff(x, axis=axis if x.ndim == y.ndim else -1)
        if x.ndim == 1:
            step = step.reshape((-1, *(1,) * (y.ndim - axis - 1)))
    return np.sum(step * (_span(y, axis, 1, None) + _span(y, axis, None, -1)) / 2.0, axis=axis)


@implements(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """As ``numpy.gradient``: finite differences of samples, second order inside."""
    f = to_array(f)
    f = f if f.dtype.kind in "fc" else f.astype(float)
    axes = (
        range(f.ndim)
        if axis is None
        else [one_axis(i, f.ndim) for i in (axis if isinstance(axis, tuple | list) else (axis,))]
    )
    if edge_order not in (1, 2):
        raise ValueError(f"edge_order={edge_order}; expected 1 or 2")
    spacings = list(varargs) or [1.0]
    if len(spacings) == 1 and np.ndim(spacings[0]) == 0:
        spacings *= len(axes)
    if len(spacings) != len(axes):
        raise TypeError(f"{len(varargs)} spacings for {len(axes)} axes; expected one for each")
    results = [
        _differentiate_along(f, to_array(spacing), at, edge_order)
        for at, spacing in zip(axes, spacings, strict=True)
    ]
    return results[0] if len(results) == 1 else tuple(results)


def _differentiate_along(f: Array, spacing: Any, axis: int, edge_order: int) -> Array:
    if f.shape[axis] < edge_order + 1:
        raise ValueError(
            f"axis {axis} has length {f.shape[axis]}; edge_order={edge_order} needs at least "
            f"{edge_order + 1} samples"
        )
    if np.ndim(spacing):
        steps = np.diff(spacing).astype(f.dtype)
    else:
        steps = spacing * np.ones(f.shape[axis] - 1, f.dtype)
    steps = steps.reshape((-1, *(1,) * (f.ndim - axis - 1)))
    if np.shape(steps)[0] != f.shape[axis] - 1:
        raise ValueError(
            f"{np.shape(spacing)[0]} coordinates for the {f.shape[axis]} samples of axis {axis}"
        )
    slopes = diff(f, axis=axis) / steps
    if f.shape[axis] == 2:
        return np.concatenate([slopes, slopes], axis)
    left, right = steps[:-1], steps[1:]
    before, after = _span(slopes, axis, None, -1), _span(slopes, axis, 1, None)
    inner = (before * right + after * left) / (left + right)
    first, last = _span(slopes, axis, 0, 1), _span(slopes, axis, -1, None)
    if edge_order == 2:
        second, before_last = _span(slopes, axis, 1, 2), _span(slopes, axis, -2, -1)
        first = first + (first - second) * (steps[:1] / (steps[:1] + steps[1:2]))
        last = last + (last - before_last) * (steps[-1:] / (steps[-1:] + steps[-2:-1]))
    return np.concatenate([first, inner, last], axis)


@implements(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Array:
    """As ``numpy.interp``; differentiable by the places, the samples and their positions."""
    x, xp, fp = to_array(x), to_array(xp), to_array(fp)
    if period is not None:
        x, xp, fp = _wrap_samples(x, xp, fp, abs(period))
        left = right = None
    last = np.shape(xp)[0] - 1
    if last < 1:
        raise ValueError(f"np.interp on a tensor needs two samples or more, got {last + 1}")
    above = np.searchsorted(xp, x, side="right")
    at = np.clip(above, 1, last)
    x0, f0 = getitem(xp, at - 1), getitem(fp, at - 1)
    slope = (getitem(fp, at) - f0) / (getitem(xp, at) - x0)
    inside = slope * (x - x0) + f0
    low = fp[0] if left is None else left
    high = fp[-1] if right is None else right
    return np.where(
        x < xp[0], low, np.where(x >= xp[-1], np.where(x > xp[-1], high, fp[-1]), inside)
    )


def _wrap_samples(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """The places and the samples brought into one period, with a sample more at either end."""
    if not period:
        raise ValueError(f"period={period}; expected a number that is not 0")
    x, xp = x % period, np.mod(xp, period)
    order = np.argsort(xp)
    xp, fp = getitem(xp, order), getitem(fp, order)
    places = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
    return x, places, np.concatenate([fp[-1:], fp, fp[:1]])
