"""Where the elements come from of an operation that moves them, and where slices lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Node

Shape = tuple[int, ...]


def find_sources(node: Node, shapes: Sequence[Shape]) -> Any:
    """Of which of all elements of its arguments each is, -1 for a zero beside them.

    None of a row that does not hand elements on: it is asked of their numbers.
    """
    starts = np.cumsum([1, *map(math.prod, shapes)]).tolist()
    numbered = [
        np.arange(start, end).reshape(shape)
        for shape, start, end in zip(shapes, starts, starts[1:], strict=False)
    ]
    places = np.asarray(node.row.evaluate(*numbered, **node.params)) - 1
    is_moved = places.shape == node.shape and places.dtype == np.int64
    return places if is_moved and ((places >= -1) & (places < starts[-1] - 1)).all() else None


def plan_moves(node: Node, args: Sequence[Any]) -> tuple[Any, bool]:
    """As :func:`find_sources`, and whether there are zeros."""
    places = find_sources(node, list(map(np.shape, args)))
    if places is None:
        raise Unsupported(f"{node.row.name} in machine numbers")
    has_zeros = bool((places < 0).any())
    if has_zeros and (node.dtype.kind == "b" or len(args) > 1):
        raise Unsupported(f"{node.row.name} of truth values in machine numbers")
    return places, has_zeros


def plan_slices(shape: Shape, indices: Sequence[Any]) -> list[tuple[list[int], Shape]]:
    """The places of each slice of an array, and its shape."""
    whole = np.arange(math.prod(shape)).reshape(shape)
    return [(np.ravel(whole[index]).tolist(), np.shape(whole[index])) for index in indices]


def spread(ids: Any, shape: Shape) -> list[int]:
    """The operations of a slice, of what is broadcast to it."""
    whole = ids if ids.shape == shape else np.broadcast_to(ids, shape)
    found: list[int] = (whole if len(shape) == 1 else whole.ravel()).tolist()
    return found
