"""Trees of arrays: dicts, lists and tuples of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["leaves", "map_leaves"]


def leaves(tree: Any) -> list[Any]:
    """The leaves, those of a dict by its sorted keys, as JAX has them."""
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    if isinstance(tree, tuple | list):
        return [leaf for part in tree for leaf in leaves(part)]
    return [tree]


def map_leaves(convert: Callable[[Any], Any], tree: Any) -> Any:
    """The same tree of other leaves."""
    if isinstance(tree, dict):
        return {key: map_leaves(convert, part) for key, part in tree.items()}
    if isinstance(tree, tuple | list):
        return type(tree)(map_leaves(convert, part) for part in tree)
    return convert(tree)
