"""Nested lists, tuples and dicts of tensors: taken apart and put together again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np


def flatten(structure: Any) -> list[Any]:
    """The leaves of nested lists, tuples and dicts, dicts in order of insertion."""
    if isinstance(structure, dict):
        return [leaf for item in structure.values() for leaf in flatten(item)]
    if isinstance(structure, list | tuple):
        return [leaf for item in structure for leaf in flatten(item)]
    return [structure]


def flatten_like(structure: Any, reference: Any) -> list[Any]:
    """The parts of `structure` that lie where `reference` has its leaves; None counts for all.

    Raises
    ------
    ValueError
        `structure` is not nested as `reference` is.
    """
    if not isinstance(reference, dict | list | tuple):
        return [structure]
    if structure is None:
        return [None] * len(flatten(reference))
    if isinstance(reference, dict):
        if not isinstance(structure, dict) or structure.keys() != reference.keys():
            raise ValueError(f"expected a dict with the keys {list(reference)}, got {structure!r}")
        pairs = [(structure[key], item) for key, item in reference.items()]
    else:
        if not isinstance(structure, list | tuple) or len(structure) != len(reference):
            raise ValueError(f"expected {len(reference)} entries, got {structure!r}")
        pairs = list(zip(structure, reference, strict=True))
    return [leaf for part, like in pairs for leaf in flatten_like(part, like)]


def pack(structure: Any, leaves: Iterator[Any]) -> Any:
    """`leaves` in the shape of `structure`."""
    if isinstance(structure, dict):
        return {key: pack(item, leaves) for key, item in structure.items()}
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(pack(item, leaves) for item in structure))
    if isinstance(structure, list | tuple):
        return type(structure)(pack(item, leaves) for item in structure)
    return next(leaves)


def concatenated(parts: Sequence[Any]) -> Any:
    """The entries of arrays, one after the other, as a vector of float64.

    Examples
    --------
    >>> concatenated([1, np.eye(2)])
    array([1., 1., 0., 0., 1.])
    """
    return np.concatenate(parts, axis=None, dtype=np.float64, casting="unsafe")


def separated(vector: Any, shapes: Iterable[tuple[int, ...]]) -> list[Any]:
    """The arrays of these shapes whose entries, one after the other, are `vector`.

    Examples
    --------
    >>> [part.tolist() for part in separated([1, 2, 3], [(), (2, 1)])]
    [1, [[2], [3]]]
    """
    shapes = list(shapes)
    ends = np.cumsum([math.prod(shape) for shape in shapes], dtype=int)[:-1]
    parts = np.split(np.asarray(vector), ends)
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
