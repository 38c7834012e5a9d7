"""Tables of sets of indices: as rows of bits, or as lists, whose work grows with their sizes.

The first set of a table is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.primitives.primitive import Array

BITS: Final = 64
"""Indices in one word of a set of bits."""

WORD: Final = np.dtype("<u8")
"""Its first index is the lowest bit, in memory too, whatever the machine."""

_MOST_WORDS: Final = 2**18
"""Words of as many sets as there are indices, above which lists are shorter where few are used."""


def singles(count: int, widest: int) -> Table:
    """Behind the empty set those of one index each, in the shorter form for `widest` sets.

    Examples
    --------
    >>> table = singles(3, 3)
    >>> [part.tolist() for part in table.members(np.array([3, 0, 1]))]
    [[0, 2], [2, 0]]
    """
    if -(-count // BITS) * max(widest, 1) <= _MOST_WORDS:
        word, bit = np.divmod(np.arange(count), BITS)
        bits = np.zeros((count + 1, -(-count // BITS)), WORD)
        bits[np.arange(1, count + 1), word] = np.left_shift(np.uint64(1), bit.astype(np.uint64))
        return Bits(bits)
    return Lists(np.maximum(np.arange(-1, count + 1), 0), np.arange(count), count)


class Bits:
    """Each set a row of bits, so that a union is one operation of NumPy on all of them."""

    __slots__ = ("bits",)

    def __init__(self, bits: Array) -> None:
        self.bits = bits

    def __len__(self) -> int:
        return len(self.bits)

    def total(self, rows: Array) -> int:
        """How many members the sets of `rows` have: none that counts, for a row is bounded."""
        return 0

    def union(self, rows: Array, other: Any, others: Array) -> Bits:
        """Set by set those of `rows` with those of `others` in the `other` table of its kind."""
        found = np.zeros((len(rows) + 1, self.bits.shape[1]), WORD)
        np.bitwise_or(self.bits[rows], other.bits[others], out=found[1:])
        return Bits(found)

    def unite_groups(self, rows: Array, groups: Array, count: int) -> Bits:
        """For each of `count` groups the union of the sets of `rows` that are in it."""
        found = np.zeros((count + 1, self.bits.shape[1]), WORD)
        order = np.argsort(groups, kind="stable")
        rows, groups = rows[order], groups[order]
        if len(rows):
            starts = np.flatnonzero(np.diff(groups, prepend=-1))
            found[groups[starts] + 1] = np.bitwise_or.reduceat(self.bits[rows], starts, axis=0)
        return Bits(found)

    def stack(self, tables: Sequence[Any]) -> Bits:
        """The sets of all `tables`, one table after another."""
        return Bits(np.concatenate([table.bits for table in tables]))

    def members(self, rows: Array) -> tuple[Array, Array]:
        """The places in `rows`, and the indices in the sets there: one of each for each member."""
        words = self.bits.shape[1]
        flat = self.bits[rows].reshape(-1)
        used = np.flatnonzero(flat)
        plain = flat[used, None].view(np.uint8)
        place, bit = np.nonzero(np.unpackbits(plain, axis=-1, bitorder="little"))
        row, word = np.divmod(used[place], max(words, 1))
        return row, word * BITS + bit


class Lists:
    """Each set its indices in order, one list after another.

    Parameters
    ----------
    ends : int array
        Where each list begins, and where the last one ends.
    indices : int array
        All lists.
    width : int
        How many indices there are.
    """

    __slots__ = ("ends", "indices", "width")

    def __init__(self, ends: Array, indices: Array, width: int) -> None:
        self.ends, self.indices, self.width = ends, indices, width

    def __len__(self) -> int:
        return len(self.ends) - 1

    def total(self, rows: Array) -> int:
        """How many members the sets of `rows` have."""
        return int(np.diff(self.ends)[rows].sum())

    def union(self, rows: Array, other: Any, others: Array) -> Lists:
        """As :meth:`Bits.union`."""
        (row, index), (row2, index2) = self.members(rows), other.members(others)
        if len(row) == len(row2) and np.array_equal(row, row2) and np.array_equal(index, index2):
            return self._split_keys(row * self.width + index, len(rows))
        both = np.concatenate([row * self.width + index, row2 * self.width + index2])
        return self._split_keys(distinct(both), len(rows))

    def unite_groups(self, rows: Array, groups: Array, count: int) -> Lists:
        """As :meth:`Bits.unite_groups`."""
        row, index = self.members(rows)
        return self._split_keys(distinct(groups[row] * self.width + index), count)

    def stack(self, tables: Sequence[Any]) -> Lists:
        """As :meth:`Bits.stack`."""
        before = np.cumsum([0, *[len(table.indices) for table in tables]])
        ends = [t.ends[:-1] + start for t, start in zip(tables, before, strict=False)]
        indices = np.concatenate([table.indices for table in tables])
        return Lists(np.concatenate([*ends, before[-1:]]), indices, self.width)

    def members(self, rows: Array) -> tuple[Array, Array]:
        """As :meth:`Bits.members`."""
        counts = np.diff(self.ends)[rows]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        within = np.arange(total) + np.repeat(self.ends[rows] - (ends - counts), counts)
        return np.repeat(np.arange(len(rows)), counts), self.indices[within]

    def _split_keys(self, keys: Array, count: int) -> Lists:
        """Sets of sorted keys, each of a set's number times the width and an index."""
        row, index = np.divmod(keys, max(self.width, 1))
        ends = np.zeros(count + 2, np.int64)
        np.cumsum(np.bincount(row, minlength=count), out=ends[2:])
        return Lists(ends, index, self.width)


Table: TypeAlias = Bits | Lists
"""Sets of indices, by number."""


def distinct(keys: Array) -> Array:
    """Each of some numbers once, in order; `keys`, none of them negative, are sorted for it."""
    keys.sort()
    return keys[np.diff(keys, prepend=-1) > 0]
