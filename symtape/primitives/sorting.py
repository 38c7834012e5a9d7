"""Rows and functions: sorting, and the searches that are not differentiable.

Ties keep their order: equal elements pass their cotangents on first to first, last to last.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import one_axis, shift_axes
from symtape.primitives.primitive import Array, Primitive, declare, implements


def _positions(x: Any, axis: int) -> Any:
    flat = np.arange(np.size(x)).reshape(np.shape(x))
    return np.take_along_axis(flat, np.argsort(x, axis, kind="stable"), axis)


def _sort_rule(g: Array, x: Array, y: Array, axis: int) -> Array:
    if type(g) is np.ndarray and type(x) is np.ndarray:
        # To put elements back is quicker than to sort where they came from.
        given = np.empty_like(g)
        np.put_along_axis(given, _find_order(x, y, axis), g, axis)
        return given
    order = ARGSORT(x, axis=axis)
    return np.take_along_axis(g, ARGSORT(order, axis=axis), axis)


def _find_order(x: Array, y: Array, axis: int) -> Array:
    """The stable order of `x`, which is sorted in `y`; where all differ any sort finds it."""
    line = np.moveaxis(y, axis, -1)
    differ = line[..., :-1] < line[..., 1:]
    kind: Any = None if np.count_nonzero(differ) == differ.size else "stable"
    return np.argsort(x, axis, kind=kind)


def _argsort_ball(ball: Any, x: Any, axis: int) -> Any:
    def compare(i_and_a: Any, j_and_b: Any) -> int:
        (i, a), (j, b) = i_and_a, j_and_b
        if ball.equal(a, b) is True:
            return int(i - j)
        if ball.less(a, b) is True:
            return -1
        if ball.less(b, a) is True:
            return 1
        from symtape.errors import Unsupported

        raise Unsupported(f"argsort: the order of {a} and {b} is undecided")

    rows = np.moveaxis(x, axis, -1)
    order = np.empty(rows.shape, dtype=object)
    for place in np.ndindex(rows.shape[:-1]):
        ordered = sorted(enumerate(rows[place]), key=functools.cmp_to_key(compare))
        order[place] = [i for i, _ in ordered]
    return np.moveaxis(order, -1, axis)


def _ties(x: Any, axis: int) -> Any:
    return np.diff(np.sort(x, axis), axis=axis) == 0


SORT: Primitive = declare(
    name="sort",
    evaluate=lambda x, axis: np.sort(x, axis),
    vjp=[_sort_rule],
    select=_positions,
    ball="sort",
    jvp=[lambda t, x, axis: np.take_along_axis(t, ARGSORT(x, axis=axis), axis)],
    convention="ties keep their order",
    kinks=_ties,
    pieces=lambda kink, axis: kink.sorted(axis),
    ties="elements",
    rounding=(0, 0),
    decision="ascending",
    dependence="mixes",
    complex="holomorphic",
    source="NumPy, numpy.sort",
    example=(([1.5, -2.0, 0.25],), {"axis": 0}),
)
ARGSORT: Primitive = declare(
    name="argsort",
    evaluate=lambda x, *, axis: np.argsort(x, axis, kind="stable"),
    vjp=None,
    convention="constant across a tie",
    kinks=_ties,
    pieces=lambda kink, axis: kink.places_sorted(axis),
    ties="elements",
    ball=_argsort_ball,
    batch=lambda flags, args, params: ARGSORT(args[0], **shift_axes(args[0], params)),
    rounding=(0, 0),
    decision="order",
    source="NumPy, numpy.argsort",
)
ARGPARTITION: Primitive = declare(
    name="argpartition",
    evaluate=lambda x, *, kth, axis: np.argpartition(x, kth, axis),
    vjp=None,
    convention="constant across a tie",
    kinks=lambda x, kth, axis: _ties(x, axis),
    batch=lambda flags, args, params: ARGPARTITION(args[0], **shift_axes(args[0], params)),
    rounding=(0, 0),
    decision="order",
    source="NumPy, numpy.argpartition",
)
SEARCHSORTED: Primitive = declare(
    name="searchsorted",
    evaluate=lambda a, v, *, side: np.searchsorted(a, v, side),
    vjp=None,
    convention="constant across a jump",
    kinks=lambda a, v, side: np.isin(v, a),
    pieces=lambda kink, side: kink.insertion_choices(),
    rounding=(0, 0),
    decision="order",
    source="NumPy, numpy.searchsorted",
)


def _flat_axis(a: Array, axis: int | None) -> tuple[Array, int]:
    return (np.ravel(a), 0) if axis is None else (a, one_axis(axis, a.ndim))


def _apply_stable_sort(
    row: Primitive,
    a: Array,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
) -> Array:
    """As ``numpy.sort``, always stable."""
    a, place = _flat_axis(a, axis)
    return row(a, axis=place)


implements(np.sort)(functools.partial(_apply_stable_sort, SORT))
implements(np.argsort)(functools.partial(_apply_stable_sort, ARGSORT))


@implements(np.sort_complex)
def sort_complex(a: Array) -> Array:
    """As ``numpy.sort_complex``: by real parts first."""
    found = np.sort(to_array(a))
    return found if found.dtype.kind == "c" else found.astype(complex)


@implements(np.argpartition)
def argpartition(
    a: Array, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Array:
    """As ``numpy.argpartition``; not differentiable."""
    a, place = _flat_axis(a, axis)
    return ARGPARTITION(a, kth=kth, axis=place)


@implements(np.partition)
def partition(
    a: Array, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Array:
    """As ``numpy.partition``."""
    a, place = _flat_axis(a, axis)
    return np.take_along_axis(a, ARGPARTITION(a, kth=kth, axis=place), place)


@implements(np.searchsorted)
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    """As ``numpy.searchsorted``; not differentiable."""
    a = to_array(a) if sorter is None else np.take(a, sorter)
    return SEARCHSORTED(a, to_array(v), side=side)


@implements(np.digitize)
def digitize(x: Array, bins: Any, right: bool = False) -> Array:
    """As ``numpy.digitize``; not differentiable."""
    bins, side = to_array(bins), "left" if right else "right"
    falling = bool(np.size(bins) > 1 and bins[0] > bins[-1])
    if not falling:
        return SEARCHSORTED(bins, to_array(x), side=side)
    return np.size(bins) - SEARCHSORTED(bins[::-1], to_array(x), side=side)
