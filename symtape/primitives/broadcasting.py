"""Broadcasting undone: what rules whose arguments broadcast share."""

from __future__ import annotations

import numpy as np

from symtape.primitives.primitive import Array
from symtape.primitives.short_axes import reduced


def sum_to(cotangent: Array, shape: tuple[int, ...]) -> Array:
    """Sum a broadcast `cotangent` back to `shape`: the transpose of broadcasting."""
    if not shape:
        return cotangent.sum()
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
            cotangent = reduced(np.add, cotangent, axes, True)
        else:
            cotangent = np.sum(cotangent, axis=axes, keepdims=True)
    return cotangent if cotangent.shape == shape else cotangent.reshape(shape)


def align_batch(arg: Array, flag: bool, rank: int) -> Array:
    """`arg` with axes of length 1 behind its batch axis, so that `rank` axes follow that one."""
    shape = np.shape(arg)
    missing = rank - (len(shape) - flag)
    if not flag or missing <= 0:
        return arg
    return arg.reshape((shape[0], *(1,) * missing, *shape[1:]))
