"""Transposes: what linear operations do to cotangents, from the readings of the operations.

Torch's backward pass of a linear operation is its transpose, so the two readings share a meaning:
the rows of the operations that the forward one calls are asked for theirs. That a graph computes
what torch does is checked where it is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symtape.recording.tape import GradientTape
from symtape.recording.tensor import constant


def transpose_linear(linear: Callable[[Any], Any], cotangent: Any, shape: Sequence[int]) -> Any:
    """The cotangent of what `linear` takes, an array of `shape`, from that of what it gives."""
    with GradientTape() as tape:
        x = constant(np.zeros(tuple(shape), cotangent.dtype))
        tape.watch(x)
        y = linear(x)
    return tape.pull_back(y, cotangent, [x])[0]


def backward(forward: Callable[..., Any]) -> Callable[..., Any]:
    """The reading of a backward pass, which takes the input, or its shape, before the options."""

    def reading(g: Any, like: Any, *options: Any) -> Any:
        shape = like if isinstance(like, list | tuple) else np.shape(like)
        return transpose_linear(lambda x: forward(x, *options), g, shape)

    return reading
