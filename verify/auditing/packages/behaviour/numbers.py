"""Numbers of an answer: all in one vector, and which of them are which item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

Path = tuple[int, ...]

_MOST_ITEMS: Final = 6
"""Along one axis."""

_MOST_PARTS: Final = 12
"""Items of a tuple."""

_LARGEST: Final = 64
"""Numbers of an answer."""


Layout = Mapping[Path, np.ndarray]
"""The places of each item in the vector, by the indices that lead to it, () for the whole."""


def numbers_of(answer: Any, split: bool = True) -> tuple[np.ndarray, Layout] | None:
    """The numbers of an answer; None where it has others than real numbers, or too many.

    Items are the elements of a tuple and, where arrays are `split`, those of arrays.

    Examples
    --------
    >>> vector, layout = numbers_of((1.0, np.array([2.0, 3.0])))
    >>> vector.tolist(), layout[1,].tolist()
    ([1.0, 2.0, 3.0], [1, 2])
    """
    leaves: list[tuple[Path, np.ndarray]] = []
    parts = list(answer) if isinstance(answer, list | tuple) else None
    if parts is not None and len(parts) <= _MOST_PARTS:
        for k, part in enumerate(parts):
            leaf = _array(part)
            if leaf is not None:
                leaves.append(((k,), leaf))
    else:
        whole = _array(answer)
        if whole is None:
            return None
        leaves.append(((), whole))
    vector = np.concatenate([np.ravel(leaf) for _, leaf in leaves]) if leaves else np.zeros(0)
    if not 0 < vector.size <= _LARGEST:
        return None
    items = dict(_items(leaves, split))
    whole_tuple = parts is not None and len(leaves) == len(parts) > 1
    if whole_tuple and len({leaf.shape for _, leaf in leaves}) == 1:
        items[()] = np.arange(vector.size).reshape(len(leaves), *leaves[0][1].shape)
    return vector, items


def _items(leaves: list[tuple[Path, np.ndarray]], split: bool) -> Iterator[tuple[Path, np.ndarray]]:
    start = 0
    for path, leaf in leaves:
        places = np.arange(start, start + leaf.size).reshape(leaf.shape)
        start += leaf.size
        yield path, places
        if split and leaf.ndim and len(leaf) <= _MOST_ITEMS:
            for k in range(len(leaf)):
                yield (*path, k), places[k]
                if leaf.ndim == 2 and leaf.shape[1] <= _MOST_ITEMS:
                    yield from (((*path, k, j), places[k, j]) for j in range(leaf.shape[1]))


def _array(part: Any) -> np.ndarray | None:
    """Real numbers as an array; None of anything else."""
    if part is None or isinstance(part, str | bytes | bool | np.bool_ | dict | set):
        return None
    try:
        array = np.asarray(part)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        return None
    return array.astype(np.float64) if array.dtype.kind in "iuf" else None


def are_alike(one: Layout, other: Layout) -> bool:
    """Whether two answers have the same items of the same shapes."""
    return {k: x.shape for k, x in one.items()} == {k: x.shape for k, x in other.items()}
