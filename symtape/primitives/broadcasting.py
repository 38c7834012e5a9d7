"""Broadcasting undone: what rules whose arguments broadcast share."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from symtape.primitives.axes import reduce_array
from symtape.primitives.primitive import Array

_NARROW: Final = 32
"""Elements behind the summed axes that are fewer make NumPy's inner loop too short."""

_MANY: Final = 1024
"""Elements from which a sum in the middle pays for a call of BLAS."""


def sum_to(cotangent: Array, shape: tuple[int, ...]) -> Array:
    """Sum a broadcast `cotangent` back to `shape`: the transpose of broadcasting."""
    if not shape:
        plain = type(cotangent) is np.ndarray
        return np.add.reduce(cotangent, None) if plain else cotangent.sum()
    if cotangent.shape == shape:
        return cotangent
    extra = cotangent.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        extra + axis
        for axis, length in enumerate(shape)
        if length == 1 and cotangent.shape[extra + axis] != 1
    )
    if axes:
        if type(cotangent) is np.ndarray:
            cotangent = _sum_axes(cotangent, axes)
        else:
            cotangent = np.sum(cotangent, axis=axes, keepdims=True)
    return cotangent if cotangent.shape == shape else cotangent.reshape(shape)


def _sum_axes(x: Array, axes: tuple[int, ...]) -> Array:
    """The sums over some axes, which are kept with length 1."""
    first, end = axes[0], axes[-1] + 1
    behind = math.prod(x.shape[end:])
    if (
        not 1 < behind < _NARROW
        or x.size < _MANY
        or end - first != len(axes)
        or x.dtype.char not in "fd"
        or not x.flags.c_contiguous
    ):
        return reduce_array(np.add, x, axes, True)
    # NumPy adds row after row here as well, in short loops; no precision is lost.
    front, count = x.shape[:first], math.prod(x.shape[first:end])
    ones = np.ones(count, x.dtype)
    sums = np.matmul(ones, x.reshape((math.prod(front), count, behind)))
    return sums.reshape((*front, *(1,) * len(axes), *x.shape[end:]))


def align_batch(arg: Array, flag: bool, rank: int) -> Array:
    """`arg` with axes of length 1 behind its batch axis, so that `rank` axes follow that one."""
    shape = np.shape(arg)
    missing = rank - (len(shape) - flag)
    if not flag or missing <= 0:
        return arg
    return arg.reshape((shape[0], *(1,) * missing, *shape[1:]))
