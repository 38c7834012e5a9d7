"""Rows and functions: the largest and the smallest element.

At a tie the cotangent is shared equally among the tied elements.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from symtape.primitives.arguments import refuse_out
from symtape.primitives.axes import (
    axes_or_all,
    length,
    reduce_array,
    restore_reduced_axes,
    shift_axes,
)
from symtape.primitives.primitive import Array, Primitive, declare, implements
from symtape.primitives.reductions import last_axes

Axes = tuple[int, ...] | None


def merge_reduced_axes(x: Array, axis: Axes) -> Array:
    """`x` with the axes to be reduced as one, the last."""
    order, kept = last_axes(x.ndim, axis)
    moved = x.transpose(order)
    return moved.reshape((*moved.shape[:kept], length(x.shape, axis)))


def kept_shape(shape: tuple[int, ...], axis: Axes, keepdims: bool) -> tuple[int, ...]:
    """The shape that a reduction of an array of `shape` gives."""
    reduced = range(len(shape)) if axis is None else axis
    return tuple(
        1 if i in reduced else n for i, n in enumerate(shape) if keepdims or i not in reduced
    )


def _extreme(x: Array, axis: Axes, largest: bool, keepdims: bool = True) -> Array:
    return reduce_array(np.maximum if largest else np.minimum, x, axis, keepdims)


def _share(x: Array, *, axis: Axes, largest: bool) -> Array:
    return _share_of(x, _extreme(x, axis, largest), axis)


def _share_of(x: Array, extreme: Array, axis: Axes) -> Array:
    """The share of each element in the extremes, which are known, with all axes."""
    is_tied = x == extreme
    tied = is_tied.astype(x.dtype)
    if np.count_nonzero(is_tied) == extreme.size and not np.isnan(extreme).any():
        return tied
    count = tied
    for place in range(x.ndim - 1, -1, -1) if axis is None else axis[::-1]:
        count = reduce_array(np.add, count, (place,), keepdims=True)
    with np.errstate(invalid="ignore"):  # where there is a NaN nothing is the extreme
        return tied / count


def _share_ball(ball: Any, x: Any, axis: Axes, largest: bool) -> Any:
    rows = merge_reduced_axes(x, axis)
    shares = np.empty(rows.shape, dtype=object)
    for place in np.ndindex(rows.shape[:-1]):
        shares[place] = _row_shares(ball, rows[place], largest)
    order, _ = last_axes(x.ndim, axis)
    moved = shares.reshape(tuple(x.shape[i] for i in order))
    return moved.transpose(tuple(np.argsort(order).tolist()))


def _row_shares(ball: Any, row: Any, largest: bool) -> list[Any]:
    """1 where an element is certainly the extreme, 0 where not, else all between."""
    beats = ball.greater if largest else ball.less
    shares: list[Any] = []
    champion = functools.reduce(lambda a, b: b if beats(b, a) is True else a, row)
    for i, own in enumerate(row):
        if beats(champion, own) is True:
            shares.append(0)
            continue
        others = [other for j, other in enumerate(row) if j != i]
        ties = sum(ball.equal(own, other) is True for other in others)
        if any(beats(other, own) is True for other in others):
            shares.append(0)
        elif all(ball.equal(own, o) is True or beats(own, o) is True for o in others):
            shares.append(type(own)(1) / (1 + ties))
        else:
            shares.append(type(own)(0.5, 0.5))
    return shares


def _extreme_positions(x: Any, axis: Axes, keepdims: bool, largest: bool) -> Any:
    positions = merge_reduced_axes(np.arange(np.size(x)).reshape(np.shape(x)), axis)
    values = merge_reduced_axes(np.asarray(x), axis)
    at = (np.argmax if largest else np.argmin)(values, axis=-1)
    picked = np.take_along_axis(positions, at[..., None], -1)
    return picked.reshape(kept_shape(np.shape(x), axis, keepdims))


def _is_tied(x: Any, axis: Axes, largest: bool) -> Any:
    return np.sum(x == _extreme(x, axis, largest), axis=axis) > 1


def _row(name: str, ufunc: np.ufunc, decision: str, example_axis: Axes) -> Primitive:
    """The largest element, or the smallest one."""
    largest = decision == "largest"

    def ball(ball: Any, x: Any, axis: Axes, keepdims: bool) -> Any:
        better = np.frompyfunc(getattr(ball, ufunc.__name__), 2, 1)
        best = np.asarray(better.reduce(merge_reduced_axes(x, axis), axis=-1), dtype=object)
        return best.reshape(kept_shape(x.shape, axis, keepdims))

    def pull_back(g: Array, x: Array, y: Array, axis: Axes, keepdims: bool) -> Array:
        if type(x) is np.ndarray and type(y) is np.ndarray:
            share = _share_of(x, restore_reduced_axes(y, x.shape, axis, keepdims), axis)
        else:
            share = SHARE(x, axis=axis, largest=largest)
        return restore_reduced_axes(g, x.shape, axis, keepdims) * share

    return declare(
        name=name,
        evaluate=lambda x, axis, keepdims: reduce_array(ufunc, x, axis, keepdims),
        vjp=[pull_back],
        select=lambda x, axis, keepdims: _extreme_positions(x, axis, keepdims, largest),
        ball=ball,
        convention="equal shares at a tie",
        kinks=lambda x, axis, keepdims: _is_tied(x, axis, largest),
        pieces=lambda kink, axis, keepdims: getattr(kink, decision)(axis),
        ties="elements",
        rounding=(0, 0),
        decision=decision,
        dependence="reduces",
        complex="holomorphic",
        source=f"NumPy, numpy.{name}",
        example=(([[1.5, -2.0], [0.25, 3.0]],), {"axis": example_axis, "keepdims": False}),
    )


MAX = _row("max", np.maximum, "largest", (1,))
MIN = _row("min", np.minimum, "smallest", None)

# One over the number of ties where x is the extreme, 0 elsewhere; piecewise constant.
SHARE: Primitive = declare(
    name="share_of_extreme",
    evaluate=_share,
    vjp=None,
    ball=_share_ball,
    batch=lambda flags, args, params: SHARE(args[0], **shift_axes(args[0], params)),
    rounding=lambda shapes, params: 1,
    structure="relative",
    source="the subgradient of the maximum of least norm",
    example=(([[1.5, -2.0, 1.5], [0.25, 3.0, 1.0]],), {"axis": (1,), "largest": True}),
)


def _extremum(
    row: Primitive,
    a: Array,
    axis: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    dtype: Any = None,
) -> Array:
    """As ``numpy.max`` or ``numpy.min``."""
    refuse_out(row.name, out)
    axes = axes_or_all(axis, a.ndim)
    if where is not True:
        if initial is None:
            raise ValueError(
                f"np.{row.name} with where= needs initial=, the result where nothing is chosen"
            )
        a = np.where(where, a, initial)
    best = (
        row(a, axis=axes, keepdims=keepdims)
        if initial is None or length(a.shape, axes)
        else (np.zeros_like(a, shape=kept_shape(a.shape, axes, keepdims)) + initial)
    )
    return best if initial is None else (np.maximum if row is MAX else np.minimum)(best, initial)


max_ = implements(np.max, np.amax)(functools.partial(_extremum, MAX))
min_ = implements(np.min, np.amin)(functools.partial(_extremum, MIN))


@implements(np.ptp)
def ptp(a: Array, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    """As ``numpy.ptp``."""
    refuse_out("ptp", out)
    return max_(a, axis, keepdims=keepdims) - min_(a, axis, keepdims=keepdims)
