"""Primitives that look elements up, or put them in place, by index."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.frontends.jaxpr.table import Call, reads
from symtape.frontends.placing import replace_at, spread
from symtape.frontends.windows import taken_or
from symtape.recording.tensor import Tensor, constant, value_of


def _is_fixed(*values: Any) -> bool:
    return not any(isinstance(value, Tensor) for value in values)


def _clamp_index(index: Any, highest: int) -> Any:
    """`index` between 0 and `highest`; one that is there already stays what it is."""
    found = value_of(index)
    if np.all((found >= 0) & (found <= highest)):
        return index
    return np.clip(index, 0, highest)


def _lookup(x: Any, index: tuple[Any, ...]) -> Any:
    return (x if isinstance(x, Tensor) or _is_fixed(*index) else constant(x))[index]


def _align_vector(array: Any, axis: int, rank: int) -> Any:
    """A vector as an array of `rank` axes that lies along one of them."""
    return np.reshape(array, tuple(-1 if i == axis else 1 for i in range(rank)))


def _window(starts: Any, sizes: tuple[int, ...], lengths: tuple[int, ...]) -> tuple[Any, ...]:
    """The index of a window that begins at `starts`, and lies inside."""
    places = [_clamp_index(s, n - k) for s, k, n in zip(starts, sizes, lengths, strict=True)]
    if _is_fixed(*places):
        firsts = [int(place) for place in places]
        return tuple(slice(a, a + k) for a, k in zip(firsts, sizes, strict=True))
    rank = len(sizes)
    return tuple(
        _align_vector(place + np.arange(k), axis, rank)
        for axis, (place, k) in enumerate(zip(places, sizes, strict=True))
    )


@reads("dynamic_slice")
def _window_of(call: Call, x: Any, *starts: Any) -> Any:
    sizes = tuple(int(n) for n in call.params["slice_sizes"])
    return _lookup(x, _window(starts, sizes, x.shape))


@reads("dynamic_update_slice")
def _window_set(call: Call, x: Any, update: Any, *starts: Any) -> Any:
    starts = tuple(np.broadcast_to(value_of(start), ()) for start in starts)
    places = np.arange(x.size).reshape(x.shape)[_window(starts, update.shape, x.shape)]
    return _put(x, np.ravel(places), np.reshape(update, (-1,)))


class _Numbers:
    """The dimension numbers of a gather or a scatter, as if they were of a gather."""

    def __init__(self, given: Any, sizes: tuple[int, ...]) -> None:
        def axes(*names: str) -> tuple[int, ...]:
            found = next(getattr(given, name) for name in names if hasattr(given, name))
            return tuple(int(axis) for axis in found)

        self.offsets = axes("offset_dims", "update_window_dims")
        self.collapsed = axes("collapsed_slice_dims", "inserted_window_dims")
        self.mapped = axes("start_index_map", "scatter_dims_to_operand_dims")
        self.batched = axes("operand_batching_dims")
        self.batches = axes("start_indices_batching_dims", "scatter_indices_batching_dims")
        self.sizes = sizes

    def index(self, starts: Any, shape: tuple[int, ...], rank: int) -> tuple[list[Any], Any]:
        """An index for each axis of the operand, as an array to broadcast to the result.

        Also which windows lie inside of `shape`. The axes of the result, of which there are
        `rank`, are in their own order.
        """
        lead = [axis for axis in range(rank) if axis not in self.offsets]
        inside = np.ones(tuple(starts.shape[:-1]), dtype=bool)
        offsets = iter(self.offsets)
        found: list[Any] = []
        for axis, length in enumerate(shape):
            if axis in self.batched:
                place = self.batches[self.batched.index(axis)]
                found.append(_align_vector(np.arange(length), lead[place], rank))
                continue
            index: Any = np.zeros((1,) * rank, dtype=np.intp)
            if axis not in self.collapsed:
                index = _align_vector(np.arange(self.sizes[axis]), next(offsets), rank)
            if axis in self.mapped:
                start = starts[..., self.mapped.index(axis)]
                highest = length - self.sizes[axis]
                inside &= (value_of(start) >= 0) & (value_of(start) <= highest)
                index = index + self._spread(_clamp_index(start, highest), lead, rank)
            found.append(index)
        return found, self._spread(inside, lead, rank)

    @staticmethod
    def _spread(array: Any, lead: list[int], rank: int) -> Any:
        shape = [1] * rank
        for axis, length in zip(lead, array.shape, strict=True):
            shape[axis] = length
        return np.reshape(array, tuple(shape))


def _drops(call: Call) -> bool:
    """Whether what reaches beyond the array is filled or dropped, rather than moved inside."""
    return "FILL" in str(call.params["mode"])


@reads("gather")
def _gather(call: Call, x: Any, starts: Any) -> Any:
    numbers = _Numbers(
        call.params["dimension_numbers"], tuple(map(int, call.params["slice_sizes"]))
    )
    index, inside = numbers.index(starts, x.shape, len(call.shape))
    fill = np.asarray(_fill_value(call), x.dtype)
    if _is_fixed(starts):
        places = np.ravel_multi_index(np.broadcast_arrays(*index), x.shape) if index else 0
        places = np.broadcast_to(places, call.shape)
        return taken_or(np.ravel(x), np.where(inside, places, -1) if _drops(call) else places, fill)
    found = np.broadcast_to(_lookup(x, tuple(index)), call.shape)
    return np.where(inside, found, fill) if _drops(call) and not np.all(inside) else found


def _fill_value(call: Call) -> Any:
    given = call.params.get("fill_value")
    if given is not None:
        return given
    kind = call.dtype.kind
    if kind == "f":
        return np.nan
    return {"i": lambda: np.iinfo(call.dtype).min, "u": lambda: np.iinfo(call.dtype).max}.get(
        kind, lambda: True
    )()


def _targets(call: Call, x: Any, starts: Any, updates: Any) -> tuple[Any, Any]:
    """Where each update goes, in the raveled operand; and which updates count."""
    given = call.params["dimension_numbers"]
    numbers = _Numbers(given, ())
    windows = iter(updates.shape[axis] for axis in numbers.offsets)
    outside = (*numbers.collapsed, *numbers.batched)
    numbers.sizes = tuple(1 if axis in outside else next(windows) for axis in range(x.ndim))
    index, inside = numbers.index(starts, x.shape, updates.ndim)
    flat: Any = np.zeros((1,) * updates.ndim, dtype=np.intp)
    for axis, each in enumerate(index):
        flat = flat * x.shape[axis] + each
    counts = np.broadcast_to(inside if _drops(call) else True, updates.shape)
    return np.reshape(np.broadcast_to(flat, updates.shape), (-1,)), np.ravel(counts)


def _keep_targets(call: Call, x: Any, starts: Any, updates: Any) -> tuple[Any, Any]:
    into, counts = _targets(call, x, starts, updates)
    flat = np.reshape(updates, (-1,))
    if np.all(counts):
        return into, flat
    places = np.flatnonzero(counts)
    return into[places], flat[places]


def _sum_arrivals(values: Any, into: Any, x: Any) -> Any:
    """What arrives at each element of `x`."""
    return np.reshape(spread(values, (into,), (x.size,)), x.shape)


def _put(x: Any, into: Any, values: Any) -> Any:
    """`x` with the elements at `into`, where it is raveled, replaced; the last one counts."""
    return np.reshape(replace_at(np.reshape(x, (-1,)), (into,), values), x.shape)


@reads("scatter-add", "scatter-sub")
def _scatter_add(call: Call, x: Any, starts: Any, updates: Any) -> Any:
    into, values = _keep_targets(call, x, starts, updates)
    arriving = _sum_arrivals(values, into, x)
    if call.name == "scatter-sub":
        return x - arriving
    return arriving if _is_fixed(x) and not np.any(x) else x + arriving


@reads("scatter")
def _set(call: Call, x: Any, starts: Any, updates: Any) -> Any:
    if call.params.get("update_jaxpr") is not None:
        raise call.refuse("scatter_apply, which applies a function of its own, is not read")
    into, values = _keep_targets(call, x, starts, updates)
    places = value_of(into)
    if not _is_fixed(into) and np.unique(places).size < places.size:
        raise call.refuse("several values are set at one index that depends on the inputs")
    return _put(x, into, values)


_COMBINED: Final[dict[str, Callable[..., Any]]] = {
    "scatter-mul": np.multiply,
    "scatter_mul": np.multiply,
    "scatter-min": np.minimum,
    "scatter_min": np.minimum,
    "scatter-max": np.maximum,
    "scatter_max": np.maximum,
}


@reads(*_COMBINED)
def _scatter_combine(call: Call, x: Any, starts: Any, updates: Any) -> Any:
    into, values = _keep_targets(call, x, starts, updates)
    if not _is_fixed(into):
        raise call.refuse("its indices depend on the inputs")
    combine, flat = _COMBINED[call.name], np.reshape(x, (-1,))
    waiting = np.arange(into.size)
    while waiting.size:
        # One update for each target at a time.
        _, first = np.unique(into[waiting], return_index=True)
        now = waiting[np.sort(first)]
        flat = _put(flat, into[now], combine(flat[into[now]], values[now]))
        waiting = np.setdiff1d(waiting, now)
    return np.reshape(flat, x.shape)


@reads("sort")
def _sort_operands(call: Call, *operands: Any) -> Any:
    axis, keys = int(call.params["dimension"]), int(call.params["num_keys"])
    if len(operands) == 1:
        return [np.sort(operands[0], axis=axis)]
    order: Any = None
    for key in reversed(operands[:keys]):
        ordered = key if order is None else _reorder(key, order, axis)
        by_key = np.argsort(ordered, axis=axis)
        order = by_key if order is None else _reorder(order, by_key, axis)
    results = [_reorder(operand, order, axis) for operand in operands]
    if keys == 1 and isinstance(operands[0], Tensor):
        results[0] = np.sort(operands[0], axis=axis)
    return results


def _reorder(x: Any, order: Any, axis: int) -> Any:
    """``np.take_along_axis``, of which the integers from 0 give the order itself."""
    if _is_fixed(x):
        steps = np.broadcast_to(_align_vector(np.arange(x.shape[axis]), axis, x.ndim), x.shape)
        if np.array_equal(x, steps):
            return order.astype(x.dtype)
        if not _is_fixed(order):
            x = constant(x)
    return np.take_along_axis(x, order, axis)


@reads("top_k")
def _largest(call: Call, x: Any) -> Any:
    axis = int(call.params.get("axis", x.ndim - 1)) % x.ndim
    first = (*(slice(None),) * axis, slice(int(call.params["k"])))
    order = np.argsort(np.negative(x), axis=axis)[first]
    return [np.take_along_axis(x, order, axis), order.astype(call.outputs[1].dtype)]


def _select_in_windows(call: Call, x: Any) -> tuple[Any, tuple[Any, ...]]:
    """Where the elements of windows are, and in each the extreme one, the first of several."""
    from symtape.frontends.jaxpr.contraction import source_of_windows

    largest = str(call.params["select_prim"]) == "ge"
    places = source_of_windows(call, x)
    worst = np.asarray(-np.inf if largest else np.inf, x.dtype)
    found = taken_or(np.ravel(x), places, worst)
    best = (np.argmax if largest else np.argmin)(found, axis=-1)
    return places, (*np.ix_(*(range(n) for n in places.shape[:-1])), best)


@reads("select_and_gather_add")
def _picked_by_window(call: Call, tangents: Any, x: Any) -> Any:
    """Of each window the element of `tangents` where `x` is extreme."""
    places, at = _select_in_windows(call, x)
    return _lookup(taken_or(np.ravel(tangents), places, np.zeros((), tangents.dtype)), at)


@reads("select_and_scatter_add")
def _back_to_selected(call: Call, source: Any, x: Any) -> Any:
    """To the element of each window that is its extreme."""
    places, at = _select_in_windows(call.replace_outputs(source), x)
    into = np.reshape(_lookup(places, at), (math.prod(source.shape),))
    return _sum_arrivals(np.reshape(source, (-1,)), into, x)
