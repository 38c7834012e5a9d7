"""How arrays lie over the turns of nested loops: strides, and axes that can be one."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

Shape: TypeAlias = tuple[int, ...]
Strides: TypeAlias = tuple[int, ...]

WIDTH: Final = 8
"""Elements at a time, and sums in which NumPy adds neighbours."""

HALVED: Final = 128
"""Neighbours, of which NumPy adds no more without halving them."""

_MOST_KNOWN: Final = 4096
"""Answers that are kept of what is asked for thousands of nodes alike."""


@functools.lru_cache(_MOST_KNOWN)  # of shapes and strides, which say all
def contiguous(shape: Shape) -> Strides:
    """The strides, in elements, of an array whose last axis is next to itself.

    Examples
    --------
    >>> contiguous((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


@functools.lru_cache(_MOST_KNOWN)  # of shapes and strides, which say all
def spread(shape: Shape, strides: Strides, over: Shape) -> Strides:
    """The strides with which an array is read that is broadcast.

    Examples
    --------
    >>> spread((3, 1), (1, 1), (2, 3, 4))
    (0, 1, 0)
    """
    lacking = len(over) - len(shape)
    found = [0 if size == 1 else step for size, step in zip(shape, strides, strict=True)]
    return (0,) * lacking + tuple(found)


def sum_strides(shape: Shape, axes: Sequence[int]) -> Strides:
    """The strides with which the sums over some axes are added to, in each turn.

    Examples
    --------
    >>> sum_strides((2, 3, 4), (1,))
    (4, 0, 1)
    """
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    found = dict(zip(kept, contiguous(tuple(shape[axis] for axis in kept)), strict=True))
    return tuple(found.get(axis, 0) for axis in range(len(shape)))


def merge_loops(shape: Shape, every: Sequence[Strides]) -> tuple[Shape, list[Strides]]:
    """Fewer loops of the same turns: neighbours are one, wherever they are for all arrays.

    Examples
    --------
    >>> merge_loops((2, 3, 4), [(12, 4, 1), (4, 0, 1)])
    ((2, 3, 4), [(12, 4, 1), (4, 0, 1)])
    >>> merge_loops((2, 3, 4), [(12, 4, 1), (0, 4, 1)])
    ((2, 12), [(12, 1), (0, 1)])
    """
    axes = [axis for axis, size in enumerate(shape) if size != 1]
    sizes: list[int] = []
    steps: list[list[int]] = [[] for _ in every]
    for axis in axes:
        here = [strides[axis] for strides in every]
        if sizes and all(
            of[-1] == step * shape[axis] for of, step in zip(steps, here, strict=True)
        ):
            sizes[-1] *= shape[axis]
            for of, step in zip(steps, here, strict=True):
                of[-1] = step
        else:
            sizes.append(shape[axis])
            for of, step in zip(steps, here, strict=True):
                of.append(step)
    return tuple(sizes), [tuple(of) for of in steps]


def summed_in_a_row(shape: Shape, axes: Sequence[int]) -> int:
    """How many neighbours NumPy adds by halves, of a contiguous array; 1 where it does not.

    Examples
    --------
    >>> summed_in_a_row((2, 3, 4), (1, 2)), summed_in_a_row((2, 3, 4), (0,))
    (12, 1)
    """
    count = 1
    for axis in reversed(range(len(shape))):
        if axis not in axes and shape[axis] != 1:
            break
        count *= shape[axis]
    return count


def strides_of(value: Any) -> Strides | None:
    """Strides in elements of what an entry takes; None of all else."""
    # Those of float64 are floats too.
    if isinstance(value, float | np.float32 | np.bool_ | np.int64):
        return ()
    if type(value) is not np.ndarray or not value.ndim:
        return None
    steps = [divmod(step, value.itemsize) for step in value.strides]
    if any(rest for _, rest in steps) or not value.flags.aligned:
        return None
    return tuple(step for step, _ in steps)


def offsets(value: Any) -> Any:
    """Where in memory each element is, counted from the first; None of what is no floats."""
    strides = strides_of(value)
    if strides is None or np.asarray(value).dtype not in (np.float64, np.float32):
        return None
    steps = (np.arange(n) * step for n, step in zip(np.shape(value), strides, strict=True))
    return functools.reduce(np.add.outer, steps, np.zeros((), np.int64))
