"""Rows: indexing, and its transpose, which puts values into an array of zeros.

An index of integers, slices, arrays, None and Ellipsis is a static parameter. Where tensors
of integers or booleans take part they are inputs, so that a graph replays them; a
:class:`Slot` holds each one's place in the index.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.primitives.broadcasting import align_batch
from symtape.primitives.ownership import COPIES
from symtape.primitives.primitive import Array, Params, Primitive, declare, is_stand_in

_BASIC: frozenset[type] = frozenset((int, slice, type(None), type(Ellipsis), np.int64))
_ENDS: frozenset[type] = frozenset((int, np.int64, type(None)))


@dataclass(frozen=True, slots=True)
class Slot:
    """The place, in an index, of the input `number`, an array of integers or booleans."""

    number: int
    boolean: bool


def _items(index: Any) -> tuple[Any, ...]:
    return index if type(index) is tuple else (index,)


def _fill_index(template: tuple[Any, ...], arrays: tuple[Array, ...]) -> tuple[Any, ...]:
    return tuple([arrays[item.number] if type(item) is Slot else item for item in template])


_NARROW: Final = 4
"""Up to so many columns are summed one by one."""

_MANY: Final = 2**14
"""From so many elements on, it pays to load SciPy's sparse matrices."""


def _scatter(g: Array, shape: tuple[int, ...], index: Any) -> Array:
    repeats = not takes_once(index)
    is_quicker = g.size > 0 if g.dtype == np.float64 else g.dtype == np.float32 and g.size >= _MANY
    if repeats and is_quicker:
        rows = _row_numbers(_items(index), shape)
        if rows is not None and rows.shape + shape[len(_items(index)) :] == g.shape:
            return _sum_rows(g, rows, shape, len(_items(index)))
    out = np.zeros(shape, g.dtype)
    if g.dtype == object:
        g = g[()]  # An array of objects would keep one without axes as it is.
    if repeats:
        if len(shape) == 1 and isinstance(index, np.ndarray):
            index, g = index.ravel(), np.ravel(g)  # NumPy is quick along one axis alone
        np.add.at(out, index, g)
    else:
        out[index] = g
    return out


def _take(x: Array, index: Any) -> Array:
    """``x[index]``; of rows by a quicker way to the same."""
    of_rows = type(index) is np.ndarray and type(x) is np.ndarray and x.ndim > 1
    if of_rows and index.dtype.kind == "i" and x.flags.c_contiguous:
        found: Array = x.take(index, 0)
        return found
    return x[index]


def _row_numbers(items: tuple[Any, ...], shape: tuple[int, ...]) -> Array | None:
    """Where arrays of whole numbers point to, counted through the axes that they index.

    Slices of whole axes may be in front. None for other indices, for numbers beyond an axis or
    below 0, and along a single axis, where ``np.add.at`` is as quick.
    """
    arrays = [*itertools.dropwhile(lambda x: type(x) is slice and x == slice(None), items)]
    if len(shape) == 1 or any(type(x) is not np.ndarray or x.dtype.kind != "i" for x in arrays):
        return None
    front, lengths = shape[: len(items) - len(arrays)], shape[len(items) - len(arrays) :]
    known = [(x.astype(np.intp, copy=False), n) for x, n in zip(arrays, lengths, strict=False)]
    if any(not x.size or x.min() < 0 or x.max() >= n for x, n in known):
        return None
    (found, _), *others = known
    for x, n in others:
        found = found * n + x
    if front:
        stacks = np.arange(math.prod(front)).reshape((*front, *(1,) * found.ndim))
        found = found + stacks * math.prod(lengths[: len(arrays)])
    return found


def _sum_rows(g: Array, rows: Array, shape: tuple[int, ...], indexed: int) -> Array:
    """The rows of `g` added up by their numbers, in a fraction of the time of ``np.add.at``.

    It adds in the same order, from 0.0 on.
    """
    count, width = math.prod(shape[:indexed]), math.prod(shape[indexed:])
    numbers = rows.ravel()
    columns = g.reshape((numbers.size, width))
    is_wide = width > _NARROW or g.dtype == np.float32
    if is_wide and g.size < _MANY:
        places = numbers[:, None] * width + np.arange(width)
        return np.bincount(places.ravel(), g.ravel(), count * width).reshape(shape)
    if is_wide:
        from scipy.sparse import csc_array

        entries = np.ones(numbers.size, g.dtype), numbers, np.arange(numbers.size + 1)
        found: Array = csc_array(entries, shape=(count, numbers.size)) @ columns
        return found.reshape(shape)
    sums = np.empty((count, width))
    for k in range(width):
        sums[:, k] = np.bincount(numbers, columns[:, k], count)
    return sums.reshape(shape)


def _getitem_rule(g: Array, x_shape: tuple[int, ...], index: Any) -> Array:
    # On a bare array there is nothing to record, and the call through the row is half the time.
    return (
        _scatter(g, x_shape, index)
        if type(g) is np.ndarray
        else SCATTER(g, shape=x_shape, index=index)
    )


_getitem_rule.scatters = True  # type: ignore[attr-defined]


def is_plain_index(index: Any) -> bool:
    """Whether an index is of whole numbers, slices between such, None and Ellipsis alone."""
    for item in index if type(index) is tuple else (index,):
        if type(item) is slice:
            if not _ENDS.issuperset((type(item.start), type(item.stop), type(item.step))):
                return False
        elif type(item) not in _ENDS and item is not Ellipsis:
            return False
    return True


def takes_once(index: Any) -> bool:
    """Whether an index takes no element twice: only one with an array of whole numbers may."""
    items = _items(index)
    if _BASIC.issuperset(map(type, items)):
        return True
    return not any(isinstance(item, np.ndarray) and item.dtype != bool for item in items)


def add_at(total: Array, index: Any, g: Array) -> bool:
    """Add `g` to the elements of `total` that an index takes, each at most once.

    Returns
    -------
    bool
        False, and nothing is done, where it may take some more than once, or rounds `g`.
    """
    once = _BASIC.issuperset(map(type, _items(index)))
    if not once or type(total) is not np.ndarray or total.dtype is not g.dtype:
        return False
    total[index] += g
    return True


def _dimensions(index: tuple[Any, ...], arrays: dict[int, Array]) -> list[int | None]:
    """For each item of an index the axes of its array; 0 for an integer, None for a slice."""
    found: list[int | None] = []
    for item in index:
        if type(item) is Slot:
            found.append(1 if item.boolean else np.ndim(arrays[item.number]))
        elif isinstance(item, np.ndarray):
            found.append(1 if item.dtype == bool else item.ndim)
        elif isinstance(item, bool | np.bool_):
            found.append(1)
        else:
            found.append(0 if isinstance(item, int | np.integer) else None)
    return found


def _axes_in_front(index: tuple[Any, ...], arrays: dict[int, Array]) -> int:
    """How many axes NumPy puts in front of all others, because arrays are set apart in `index`."""
    if _BASIC.issuperset(map(type, index)):
        return 0
    dimensions = _dimensions(index, arrays)
    places = [place for place, rank in enumerate(dimensions) if rank is not None]
    if not places or places[-1] - places[0] + 1 == len(places):
        return 0
    return max(rank for rank in dimensions if rank is not None)


def _batched_getitem(x: Array, template: tuple[Any, ...], arrays: list[Array]) -> Array:
    behind = (slice(None), *template)
    front = _axes_in_front(behind, dict(enumerate(arrays)))
    picked = _pick(x, behind, arrays)
    return np.moveaxis(picked, front, 0) if front else picked


def _pick(x: Array, template: tuple[Any, ...], arrays: list[Array]) -> Array:
    if arrays:
        return GETITEM_BY(x, *arrays, template=template)
    return GETITEM(x, index=template)


def _batched_scatter(
    g: Array, template: tuple[Any, ...], shape: tuple[int, ...], arrays: list[Array]
) -> Array:
    behind, whole = (slice(None), *template), (g.shape[0], *shape)
    front = _axes_in_front(behind, dict(enumerate(arrays)))
    if front:
        g = np.moveaxis(g, 0, front)
    if arrays:
        return SCATTER_BY(g, *arrays, template=behind, shape=whole)
    return SCATTER(g, shape=whole, index=behind)


def _merge_slice_indices(
    template: tuple[Any, ...], flags: Sequence[bool], arrays: Sequence[Array], ndim: int, size: int
) -> tuple[tuple[Any, ...], list[Array], list[int], list[int]] | None:
    """An index whose arrays differ by slice as one of all slices; None if a mask does.

    With the axes that come of its arrays behind that of the slices, and where they belong.
    """
    slots = {item.number: item for item in template if type(item) is Slot}
    if any(flag and slots[k].boolean for k, flag in enumerate(flags)):
        return None
    own = {k: a[0] if flag else a for k, (a, flag) in enumerate(zip(arrays, flags, strict=True))}
    dimensions = _dimensions(template, own)
    rank = max(found for found in dimensions if found is not None)
    places = [place for place, found in enumerate(dimensions) if found is not None]
    apart = places[-1] - places[0] + 1 != len(places)
    before = 0 if apart else _axes_of(template[: places[0]], template, own, ndim)
    slices = np.arange(size).reshape((size,) + (1,) * rank)
    aligned = [align_batch(a, flag, rank) for a, flag in zip(arrays, flags, strict=True)]
    come = list(range(1, rank + 1)) if before else []
    return (slices, *template), aligned, come, [before + axis for axis in come]


def _axes_of(
    items: tuple[Any, ...], index: tuple[Any, ...], arrays: dict[int, Array], ndim: int
) -> int:
    """How many axes come of slices, None and Ellipsis among `items` of an index."""
    taken = sum(_count_indexed_axes(item, arrays) for item in index)
    return sum(ndim - taken if item is Ellipsis else 1 for item in items)


def _count_indexed_axes(item: Any, arrays: dict[int, Array]) -> int:
    """How many axes of what is indexed an item stands for."""
    if item is None or item is Ellipsis:
        return 0
    array = arrays[item.number] if type(item) is Slot else item
    is_mask = item.boolean if type(item) is Slot else np.asarray(item).dtype.kind == "b"
    return int(np.ndim(array)) if is_mask else 1


def _getitem_by_batch(flags: Sequence[bool], args: Sequence[Array], params: Params) -> Any:
    (x, *arrays), (batched, *differ), template = args, flags, params["template"]
    if not any(differ):
        return _batched_getitem(x, template, arrays)
    size = next(len(a) for a, flag in zip(args, flags, strict=True) if flag)
    found = _merge_slice_indices(template, differ, arrays, np.ndim(x) - batched, size)
    if found is None:
        return NotImplemented
    template, arrays, come, belong = found
    x = x if batched else np.broadcast_to(x, (size, *np.shape(x)))
    picked = GETITEM_BY(x, *arrays, template=template)
    return np.moveaxis(picked, come, belong) if come else picked


def _scatter_by_batch(flags: Sequence[bool], args: Sequence[Array], params: Params) -> Any:
    (g, *arrays), (batched, *differ) = args, flags
    template, shape = params["template"], params["shape"]
    if not any(differ):
        return _batched_scatter(g, template, shape, arrays)
    size = next(len(a) for a, flag in zip(args, flags, strict=True) if flag)
    found = _merge_slice_indices(template, differ, arrays, len(shape), size)
    if found is None:
        return NotImplemented
    template, arrays, come, belong = found
    g = g if batched else np.broadcast_to(g, (size, *np.shape(g)))
    g = np.moveaxis(g, belong, come) if come else g
    return SCATTER_BY(g, *arrays, template=template, shape=(size, *shape))


def _exact(slot: Slot, array: Any) -> Any:
    """An index, as an engine may hand it over (floats, balls of one point), as NumPy wants it."""
    wanted = np.dtype(bool if slot.boolean else np.intp)
    if np.asarray(array).dtype == object:
        return np.vectorize(_exact_entry, otypes=[wanted])(array)
    return np.asarray(array).astype(wanted)


def _exact_entry(entry: Any) -> Any:
    if entry is None:
        from symtape.errors import Unsupported

        raise Unsupported("indexing: the index is undecided, as it depends on a comparison that is")
    whole = entry.unique_fmpz() if hasattr(entry, "unique_fmpz") else entry
    if whole is None:
        from symtape.errors import Unsupported

        raise Unsupported(f"indexing: the index {entry} is undecided between several integers")
    return int(whole)


def _exact_index(template: tuple[Any, ...], arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    slots = {item.number: item for item in template if type(item) is Slot}
    return _fill_index(template, tuple(_exact(slots[k], a) for k, a in enumerate(arrays)))


def _positions(x: Any, *arrays: Any, template: tuple[Any, ...]) -> Any:
    return np.arange(np.size(x)).reshape(np.shape(x))[_exact_index(template, arrays)]


GETITEM: Primitive = declare(
    name="getitem",
    evaluate=_take,
    vjp=[_getitem_rule],
    batch=lambda flags, args, params: _batched_getitem(args[0], _items(params["index"]), []),
    rounding=(0, 0),
    complex="holomorphic",
    source="NumPy, indexing",
    example=[
        (([1.5, -2.0, 0.25],), {"index": slice(1, None)}),
        (([1.5, -2.0, 0.25],), {"index": np.array([2, 0, 2])}),
    ],
)
SCATTER: Primitive = declare(
    evaluate=_scatter,
    vjp=[lambda g, index: GETITEM(g, index=index)],
    elements=lambda g, shape, index: _scatter(np.asarray(g, dtype=object), shape, index),
    jvp="linear",
    batch=lambda flags, args, params: _batched_scatter(
        args[0], _items(params["index"]), params["shape"], []
    ),
    rounding=lambda shapes, params: max(
        [item.size for item in _items(params["index"]) if not takes_once(item)],
        default=0,
    ),
    structure="multilinear",
    complex="holomorphic",
    dependence="puts",
    source="the transpose of NumPy's indexing",
    example=[
        (([1.5, -2.0],), {"shape": (3,), "index": slice(1, None)}),
        (([1.5, -2.0, 0.25],), {"shape": (3,), "index": np.array([2, 0, 2])}),
    ],
)
GETITEM_BY: Primitive = declare(
    name="getitem_by",
    inputs="*xs",
    evaluate=lambda x, *arrays, template: x[_fill_index(template, arrays)],
    vjp=lambda g, argnum, xs, template: (
        None if argnum else SCATTER_BY(g, *xs[1:], template=template, shape=np.shape(xs[0]))
    ),
    decision="index",
    example=(([1.5, -2.0, 0.25], [2, 0, 2]), {"template": (Slot(0, boolean=False),)}),
    elements=lambda x, *arrays, template: x[_exact_index(template, arrays)],
    select=_positions,
    jvp=lambda t, argnum, xs, template: (
        None if argnum else GETITEM_BY(t, *xs[1:], template=template)
    ),
    batch=_getitem_by_batch,
    rounding=(0, 0),
    complex="holomorphic",
    dependence="picks",
    source="NumPy, indexing",
)
SCATTER_BY: Primitive = declare(
    name="scatter_by",
    inputs="*xs",
    evaluate=lambda g, *arrays, template, shape: _scatter(g, shape, _fill_index(template, arrays)),
    vjp=lambda g, argnum, xs, template: (
        None if argnum else GETITEM_BY(g, *xs[1:], template=template)
    ),
    structure="multilinear",
    example=(
        ([1.5, -2.0, 0.25], [2, 0, 2]),
        {"template": (Slot(0, boolean=False),), "shape": (3,)},
    ),
    elements=lambda g, *arrays, template, shape: _scatter(
        np.asarray(g, dtype=object), shape, _exact_index(template, arrays)
    ),
    jvp=lambda t, argnum, xs, template, shape: (
        None if argnum else SCATTER_BY(t, *xs[1:], template=template, shape=shape)
    ),
    batch=_scatter_by_batch,
    rounding=lambda shapes, params: max(int(np.prod(shapes[0])), 1),
    complex="holomorphic",
    dependence="puts",
    source="the transpose of NumPy's indexing",
)


def getitem(x: Array, index: Any) -> Array:
    """``x[index]`` for a stand-in `x`.

    Raises
    ------
    IndexError
        As NumPy does; and for a tensor of floats in the index.
    """
    if is_plain_index(index):
        return GETITEM(x, index=index)
    template, arrays = index_by_inputs(index)
    if arrays:
        for item in template:
            if type(item) is Slot and item.boolean:
                arrays[item.number]._keep_count()
        return GETITEM_BY(x, *arrays, template=template)
    return GETITEM(x, index=template if type(index) is tuple else template[0])


def index_by_inputs(index: Any) -> tuple[tuple[Any, ...], list[Array]]:
    """An index as a static parameter, and the stand-ins in it, whose places are slots there.

    Raises
    ------
    IndexError
        For a tensor of floats in the index.
    """
    template: list[Any] = []
    arrays: list[Array] = []
    for item in _items(index):
        template.append(_normalise_item(item, arrays))
    return tuple(template), arrays


def _normalise_item(item: Any, arrays: list[Array]) -> Any:
    """One item of an index as a static parameter; a tensor is added to `arrays`."""
    kind = type(item)
    if kind is slice:
        ends = (item.start, item.stop, item.step)
        if any(is_stand_in(end) for end in ends):
            return slice(*[end if end is None else operator.index(end) for end in ends])
        return item
    if kind in _BASIC:
        return item
    if is_stand_in(item):
        if item.dtype.kind not in "iub":
            raise IndexError(
                f"an index of dtype {item.dtype}; expected integers or booleans, as from "
                "np.argmax or a comparison"
            )
        arrays.append(item)
        return Slot(len(arrays) - 1, item.dtype.kind == "b")
    if isinstance(item, np.ndarray):
        return COPIES.own(item) if item.flags.c_contiguous else item.copy()
    if isinstance(item, list | tuple):
        item = np.asarray(item)
        return item if item.size else item.astype(np.intp)
    return item
