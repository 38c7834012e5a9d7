"""Axes of arguments and results that a function is mapped over: an int, None, or trees of them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from symtape.recording.structure import flatten, flatten_like, pack, paths
from symtape.recording.tensor import Tensor

_NUMBERS = (int, float, complex, np.number)


def checked_axes(axes: Any, name: str) -> Any:
    """`axes`, if they are ints and None, or trees of them.

    Raises
    ------
    TypeError
        Something else is in them.
    """
    for leaf in flatten(axes):
        if leaf is None or isinstance(leaf, bool):
            valid = leaf is None
        else:
            valid = hasattr(type(leaf), "__index__")
        if not valid:
            raise TypeError(
                f"{name}={axes!r}; expected an int, None, or a tree of them: the axis to map over, "
                "None for what is the same in each slice"
            )
    return axes


class MappedLeaf(NamedTuple):
    """One leaf of the arguments, and the axis that it is mapped over.

    Attributes
    ----------
    path : str
        How it is reached.
    value : object
        With the axis in front; as it was given, if it is None.
    axis : int or None
    """

    path: str
    value: Any
    axis: int | None

    @property
    def is_mapped(self) -> bool:
        """Whether each slice has another value of it."""
        return self.axis is not None


class Arguments:
    """The arguments of a mapped function by their leaves.

    Parameters
    ----------
    args, kwargs
        As they are given.
    in_axes : int, None, or sequence of trees
        One for each of `args`; those by keyword are mapped over their first axis.
    names : sequence of str
        Of `args`.

    Attributes
    ----------
    leaves : list of Mapped
    size : int
        How many slices there are.

    Raises
    ------
    ValueError
        The axes do not fit the arguments.

    Examples
    --------
    >>> given = Arguments(([1, 2, 3], 5.0), {}, (0, None), ("x", "y"))
    >>> given.size, given.fill([7.0])
    (3, ((7.0, 5.0), {}))
    """

    def __init__(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], in_axes: Any, names: Sequence[str]
    ) -> None:
        self.leaves: list[MappedLeaf] = []
        positional = zip(args, _spread_axes(in_axes, args), names, strict=True)
        self._structure = (
            tuple([self._add_argument(arg, axes, name) for arg, axes, name in positional]),
            {name: self._add_argument(arg, 0, name) for name, arg in kwargs.items()},
        )
        self.size = self._common_size()

    def _add_argument(self, arg: Any, axes: Any, name: str) -> Any:
        """The structure of an argument, whose leaves are taken up."""
        arg = arg if axes is None else _join_numbers(arg)
        try:
            spread = flatten_like(axes, arg, is_axis)
        except ValueError as error:
            raise ValueError(f"in_axes does not fit argument {name}: {error}") from None
        pairs = zip(paths(arg, name), flatten(arg), spread, strict=True)
        self.leaves += [_map_leaf(path, leaf, axis) for path, leaf, axis in pairs]
        return arg

    def _common_size(self) -> int:
        sizes = {leaf.path: len(leaf.value) for leaf in self.leaves if leaf.is_mapped}
        if not sizes:
            raise ValueError(
                "there is nothing to map over: in_axes is None for all arguments, or there are "
                "none; give one of them an axis"
            )
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{path} has {size}" for path, size in sizes.items())
            raise ValueError(
                f"the mapped axes are of different sizes: {told}; they must be equal, and in_axes "
                "is None for what is the same in each slice"
            )
        return next(iter(sizes.values()))

    def slices(self, k: int) -> list[Any]:
        """The mapped leaves of slice `k`."""
        return [leaf.value[k] for leaf in self.leaves if leaf.is_mapped]

    def fill(self, parts: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with `parts` in place of the mapped leaves."""
        given = iter(parts)
        leaves = [next(given) if leaf.is_mapped else leaf.value for leaf in self.leaves]
        filled: tuple[tuple[Any, ...], dict[str, Any]] = pack(self._structure, iter(leaves))
        return filled


def _join_numbers(arg: Any) -> Any:
    """Lists of plain numbers as the array that they are; all else as it is."""
    if type(arg) in (list, tuple) and arg:
        leaves = flatten(arg)
        if leaves and all(isinstance(x, _NUMBERS) for x in leaves):
            return np.asarray(arg)
    return arg


def is_axis(part: Any) -> bool:
    """Whether it is an axis, or None."""
    return part is None or hasattr(type(part), "__index__")


def _spread_axes(in_axes: Any, args: tuple[Any, ...]) -> Sequence[Any]:
    if is_axis(in_axes):
        return [in_axes] * len(args)
    if not isinstance(in_axes, list | tuple):
        raise TypeError(
            f"in_axes={in_axes!r}; expected an int, None, or a tuple with an entry for each "
            "positional argument: write (in_axes,) for the tree of a single one"
        )
    if len(in_axes) != len(args):
        raise ValueError(
            f"in_axes={in_axes!r} has {len(in_axes)} entries, but there are {len(args)} "
            "positional arguments; give one for each (those by keyword are mapped over axis 0)"
        )
    return in_axes


def _map_leaf(path: str, leaf: Any, axis: Any) -> MappedLeaf:
    if axis is None:
        return MappedLeaf(path, leaf, None)
    value: Any = leaf._read() if isinstance(leaf, Tensor) else np.asarray(leaf)
    if value.dtype.kind not in "biufc":
        raise ValueError(
            f"argument {path} has nothing to map over: {str(leaf)[:60]!r} is not an array of "
            "numbers; give None for it in in_axes"
        )
    place = axis_of(axis, value.ndim, f"argument {path}", value.shape)
    return MappedLeaf(path, np.moveaxis(value, place, 0) if place else value, place)


def axis_of(axis: Any, ndim: int, whose: str, shape: tuple[int, ...]) -> int:
    """`axis` counted from the front.

    Raises
    ------
    ValueError
        There is no such axis.
    """
    if not is_axis(axis):
        raise ValueError(f"{whose} is one array, and {axis!r} is no axis; expected an int or None")
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise ValueError(
            f"{whose} has shape {shape}, and no axis {axis} to map over; give None for what is "
            "the same in each slice"
        )
    found: int = normalize_axis_index(axis, ndim)
    return found
