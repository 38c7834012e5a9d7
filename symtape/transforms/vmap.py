"""``symtape.vmap``: a function of one slice as a function of a stack of them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.errors import BudgetSpent
from symtape.graph.slices import SliceGraph, record_slice, replay
from symtape.numeric.batch import Batch, unbatch
from symtape.one_line import clip_line
from symtape.reading.readings import ways_to_run
from symtape.recording.axes import Arguments, axis_of, checked_axes, is_axis
from symtape.recording.for_programs import FOR_PROGRAM
from symtape.recording.misfits import check_function
from symtape.recording.stack import STACK
from symtape.recording.structure import flatten, flatten_like, layout, pack
from symtape.recording.tensor import Tensor
from symtape.transforms.products import own_part

_MOST_PATHS: Final = 16
"""Paths that are recorded; the slices that take others are called one by one."""


def vmap(function: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """Map a function over an axis of its arguments: ``vmap(f)(xs)[k]`` is ``f(xs[k])``.

    It is recorded on one slice, and each operation of it is run on all slices at once. Slices that
    take another path through its branches are recorded for themselves; a function that values
    leave, or that has a gradient of its own, is called slice by slice. It composes with all other
    transforms, both ways, and with itself.

    Parameters
    ----------
    function : callable ``(*args) -> array, or tree``
        Plain NumPy code of one slice. What it reads from around it is the same in each slice,
        random numbers that it draws too.
    in_axes : int, None, or tuple of trees
        Over which axis of each positional argument to map: an int for all, or one entry for each:
        an int, None for an argument that is the same in each slice, or a tree of them that is
        nested as the argument is, so far as it differs. Arguments by keyword are mapped over their
        first axis.
    out_axes : int, None, or tree
        Where the axis is in each result; None for one that is the same in each slice.

    Returns
    -------
    callable

    Raises
    ------
    TypeError
        `in_axes` or `out_axes` have something else in them.
    ValueError
        (When called.) The axes do not fit the arguments, or are of different sizes; or slices give
        results of different shapes.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> def distance(x, y):
    ...     return np.linalg.norm(x - y)
    >>> points = np.array([[3.0, 4.0], [0.0, 1.0], [1.0, 1.0]])
    >>> symtape.vmap(distance, in_axes=(0, None))(points, np.ones(2))
    array([3.60555128, 1.        , 0.        ])
    >>> symtape.vmap(symtape.grad(lambda x: x**2 if x > 0 else -x))(np.array([3.0, -1.0]))
    array([ 6., -1.])
    """
    check_function(function)
    in_axes, out_axes = checked_axes(in_axes, "in_axes"), checked_axes(out_axes, "out_axes")

    @functools.wraps(function)
    def call_mapped(*args: Any, **kwargs: Any) -> Any:
        given = Arguments(args, kwargs, in_axes, _names(function, len(args)))
        returned, columns = _results(function, given)
        outputs = _place_axes(returned, columns, out_axes, given)
        return pack(returned, iter(outputs))

    return call_mapped


def _names(function: Callable[..., Any], count: int) -> Sequence[str]:
    from symtape.symbolic.naming import argument_names

    return argument_names(function, count)


def _results(function: Callable[..., Any], given: Arguments) -> tuple[Any, list[Any]]:
    """The structure of what `function` returns, and its leaves: Batched, or alike in all slices."""
    if not given.size:
        return _call_without_slices(function, given)
    groups: list[_Group] = []
    left = np.arange(given.size)
    while left.size:
        made = _record_slice(function, given, left[0]) if len(groups) < _MOST_PATHS else None
        try:
            found = _run(made, given, left) if made else _call_slices(function, given, left)
        except ArithmeticError:  # of which slices, each says for itself
            found = _call_slices(function, given, left)
        groups.append(found)
        left = left[~np.isin(left, groups[-1].slices)]
    return groups[0].returned, _join_groups(groups)


class _Group(NamedTuple):
    """Slices whose results are known: the structure, and its leaves, Batched where they differ."""

    slices: Any
    returned: Any
    outputs: list[Any]


def _record_slice(function: Callable[..., Any], given: Arguments, k: int) -> SliceGraph | None:
    """The function of slice `k`, as it stands or as it is read; None if there is no such graph."""
    values = [x._value if isinstance(x, Tensor) else x for x in given.slices(k)]
    outer = [(one, len(one.escaped())) for one in STACK.recorders]
    for way in ways_to_run(function):
        before = FOR_PROGRAM.set(True)  # it stands for the function in other slices as well
        try:
            made = record_slice(functools.partial(_call, way, given), values)
        except BudgetSpent:
            raise
        except Exception:  # noqa: BLE001  # raised again when it is called slice by slice
            pass
        else:
            # A graph sees through gradients of users' own.
            if not made.graph.escapes and not made.graph.customs:
                return made
        finally:
            FOR_PROGRAM.reset(before)
        for one, count in outer:
            del one.escaped()[count:]
    return None


def _call(function: Callable[..., Any], given: Arguments, *parts: Any) -> Any:
    args, kwargs = given.fill(parts)
    return function(*args, **kwargs)


def _run(made: SliceGraph, given: Arguments, left: Any) -> _Group:
    """Those of the slices that are `left` that take the path of a graph."""
    whole = left.size == given.size
    columns = [leaf.value for leaf in given.leaves if leaf.is_mapped]
    kept, outputs = replay(made, columns if whole else [column[left] for column in columns])
    return _Group(left[kept], made.returned, outputs)


def _call_slices(function: Callable[..., Any], given: Arguments, left: Any) -> _Group:
    """The slices one by one."""
    results = [_call(function, given, *given.slices(k)) for k in left]
    for result in results:
        _check_alike(results[0], result)
    rows = [map(_to_number, flatten(result), itertools.repeat(result)) for result in results]
    outputs = [Batch(_stack_parts(parts)) for parts in zip(*rows, strict=True)]
    return _Group(left, results[0], outputs)


def _to_number(leaf: Any, result: Any) -> Any:
    value = leaf._read() if isinstance(leaf, Tensor) else np.asarray(leaf)
    if value.dtype.kind not in "biufc":
        raise ValueError(
            f"the function returned {clip_line(repr(result))}, which cannot be stacked; "
            "expected numbers or arrays"
        )
    return value


def _stack_parts(parts: Sequence[Any]) -> Any:
    _check_shapes([part.shape for part in parts])
    return np.stack(parts)


def _check_alike(one: Any, other: Any) -> None:
    if layout(one, str) != layout(other, str):
        raise ValueError(
            f"slices give results of different structure: {one!r} and {other!r}; they must be alike"
        )


def _check_shapes(shapes: Sequence[tuple[int, ...]]) -> None:
    different = next((shape for shape in shapes if shape != shapes[0]), None)
    if different is not None:
        raise ValueError(
            f"slices give results of different shapes, {shapes[0]} and {different}, which cannot "
            "be stacked; let the function return the same shape on each path"
        )


def _join_groups(groups: Sequence[_Group]) -> list[Any]:
    """One leaf for those of all groups, its slices in their order."""
    if len(groups) == 1:
        return groups[0].outputs
    for group in groups:
        _check_alike(groups[0].returned, group.returned)
    order = np.argsort(np.concatenate([group.slices for group in groups]))
    found = []
    rows = [[unbatch(output, len(group.slices)) for output in group.outputs] for group in groups]
    for parts in zip(*rows, strict=True):
        _check_shapes([part.shape[1:] for part in parts])
        found.append(Batch(np.concatenate(parts)[order]))
    return found


def _call_without_slices(function: Callable[..., Any], given: Arguments) -> tuple[Any, list[Any]]:
    """No results, of the shape that the function has of ones."""
    columns = [leaf.value for leaf in given.leaves if leaf.is_mapped]
    with np.errstate(all="ignore"):
        returned = _call(function, given, *[np.ones(x.shape[1:], x.dtype)[()] for x in columns])
    leaves = [_to_number(leaf, returned) for leaf in flatten(returned)]
    return returned, [Batch(np.zeros((0, *leaf.shape), leaf.dtype)) for leaf in leaves]


def _place_axes(returned: Any, outputs: list[Any], out_axes: Any, given: Arguments) -> list[Any]:
    """The leaves with their axis where `out_axes` says, in arrays of the caller's own."""
    try:
        axes = flatten_like(out_axes, returned, is_axis)
    except ValueError as error:
        raise ValueError(f"out_axes does not fit what the function returned: {error}") from None
    taken = {id(leaf.value) for leaf in given.leaves}
    return [
        own_part(_place_axis(output, axis, given.size), taken)
        for output, axis in zip(outputs, axes, strict=True)
    ]


def _place_axis(output: Any, axis: Any, size: int) -> Any:
    if axis is None:
        if isinstance(output, Batch):
            raise ValueError(
                f"out_axes is None for a result of shape {output.shape} that differs by slice; "
                "give the axis where the slices shall be"
            )
        return output
    rows = unbatch(output, size)
    place = axis_of(axis, rows.ndim, "a result with its slices", rows.shape)
    return np.moveaxis(rows, 0, place) if place else rows
