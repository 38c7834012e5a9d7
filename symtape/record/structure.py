"""Nested lists, tuples and dicts of tensors: taken apart and put together again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["flatten", "pack"]


def flatten(structure: Any) -> list[Any]:
    """The leaves of nested lists, tuples and dicts, dicts in order of insertion."""
    if isinstance(structure, dict):
        return [leaf for item in structure.values() for leaf in flatten(item)]
    if isinstance(structure, list | tuple):
        return [leaf for item in structure for leaf in flatten(item)]
    return [structure]


def pack(structure: Any, leaves: Iterator[Any]) -> Any:
    """`leaves` in the shape of `structure`."""
    if isinstance(structure, dict):
        return {key: pack(item, leaves) for key, item in structure.items()}
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(pack(item, leaves) for item in structure))
    if isinstance(structure, list | tuple):
        return type(structure)(pack(item, leaves) for item in structure)
    return next(leaves)
