"""Repeated blocks of a straight line, found again, so that they can be written as loops.

A loop of Python's is recorded as the operations of all its turns. Where a block of them is followed
by blocks of the same operations, one is enough, and a count. Nothing is moved: the loops do the
same operations in the same order.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.programs.compiled.operations import Operation

_LEAST_SAVED: Final = 48
"""Operations that a loop is to save, or it is not worth the memory that its values cross by."""

_WORDS: Final = (1, 4, 16, 64)
"""Lengths of the sequences by whose return a period shows itself."""

_MOST_PERIODS: Final = 8
_INDIRECT: Final = 0.5
"""What is saved counts so much where arguments are found by tables."""

_LARGEST: Final = 2**62
"""Numbers of kinds up to which are mixed as they are; larger ones are numbered anew."""

Ints = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Block:
    """Operations that are done `count` times: from `start` on, `period` in each turn."""

    start: int
    period: int
    count: int

    @property
    def stop(self) -> int:
        """The position after the last."""
        return self.start + self.period * self.count


class Columns:
    """The operations of a program, by columns.

    Parameters
    ----------
    every : sequence of Operation
    kept : sequence of int
        Those that are computed, in order; the others are there before it begins.

    Attributes
    ----------
    arguments : array of int
        The operations that each is of, a column for each; where there are fewer, one past the last.
    stored : array of int
        The place that each writes to, of those that store.
    origins, places : array of int
        Of each of `every` as an argument, which array it is read from, and its place there. Values
        that are computed count as one array, and constants as one.
    """

    def __init__(self, every: Sequence[Operation], kept: Sequence[int]) -> None:
        self.every, self.kept = every, np.array(kept, np.int64)
        operations = [every[k] for k in kept]
        given = [op.inputs for op in operations]
        counts = np.fromiter(map(len, given), np.int64, len(given))
        most = max(2, counts.max(initial=0))
        self.arguments = np.full((len(kept), most), len(every), np.int64)
        is_there = np.arange(most) < counts[:, None]
        self.arguments[is_there] = np.fromiter(itertools.chain.from_iterable(given), np.int64)
        self.stored = np.zeros(len(kept), np.int64)
        stores = [(row, op.static[1]) for row, op in enumerate(operations) if op.code == "store"]
        if stores:
            rows, to = np.array(stores, np.int64).T
            self.stored[rows] = to
        self._number_origins()

    def _number_origins(self) -> None:
        every = self.every
        self.origins = np.zeros(len(every) + 1, np.int64)
        self.places = np.arange(len(every) + 1, dtype=np.int64)
        self.places[-1] = 0
        constants = [k for k, op in enumerate(every) if op.code == "constant"]
        self.origins[constants], self.places[constants] = 1, 0
        inputs = [(k, *op.static) for k, op in enumerate(every) if op.code == "input"]
        if inputs:
            at, arrays, places = np.array(inputs, np.int64).T
            self.origins[at], self.places[at] = 2 + arrays, places

    def kinds(self) -> Ints:
        """What kind of operation each is: its code, and the arrays that it reads and writes."""
        numbers: defaultdict[Any, int] = defaultdict(itertools.count().__next__)
        operations = map(self.every.__getitem__, self.kept.tolist())
        kinds: Any = np.array([numbers[_word(op)] for op in operations], np.int64)
        arrays = int(self.origins.max()) + 1
        for column in self.arguments.T:
            if kinds.max(initial=0) > _LARGEST // arrays - 1:
                kinds = np.unique(kinds, return_inverse=True)[1]
            kinds = kinds * arrays + self.origins[column]
        return np.asarray(kinds)

    def sources(self) -> list[Ints]:
        """Where the arguments of each come from, and where it writes to: a column for each."""
        found = [self.places[column] for column in self.arguments.T]
        found[1] += self.stored
        return found


def _word(op: Operation) -> Any:
    """What is in an operation beside its arguments."""
    if op.code == "store":
        return op.code, op.static[0]
    return (op.code, op.static) if op.code == "guard" else op.code


def roll_program(columns: Columns) -> list[Block]:
    """The blocks of a program, in order; what repeats nothing is one of a single turn.

    Examples
    --------
    >>> step = [Operation("fmul", (k, 0)) for k in range(100)]
    >>> roll_program(Columns([Operation("input", (), (0, 0)), *step], range(1, 101)))
    [Block(start=0, period=1, count=1), Block(start=1, period=1, count=99)]
    """
    kinds, sources = columns.kinds(), columns.sources()
    size = len(kinds)
    found: list[Block] = []
    taken = np.zeros(size, dtype=bool)
    for block in _best_first(kinds, sources):
        free = _free_part(block, taken)
        if free is not None:
            taken[free.start : free.stop] = True
            found.append(free)
    found.sort(key=lambda block: block.start)
    return list(_fill_gaps_between_blocks(found, size))


def _best_first(kinds: Ints, sources: Sequence[Ints]) -> list[Block]:
    """Runs of repeated blocks, those first that save most."""
    scored: list[tuple[float, Block]] = []
    for period in _periods(kinds):
        alike = kinds[period:] == kinds[:-period]
        even = np.zeros(len(kinds), dtype=bool)
        even[2 * period :] = alike[period:] & alike[:-period]
        for column in sources:
            steps = column[period:] - column[:-period]
            even[2 * period :] &= steps[period:] == steps[:-period]
        loose = np.zeros(len(kinds), dtype=bool)
        loose[period:] = alike
        for same, turns, weight in ((even, 2, 1.0), (loose, 1, _INDIRECT)):
            starts, stops = _runs(same)
            counts = (stops - starts) // period + turns
            pays = ((counts - 1) * period >= _LEAST_SAVED) & (counts > turns)
            for start, count in zip(starts[pays].tolist(), counts[pays].tolist(), strict=True):
                block = Block(start - turns * period, period, count)
                scored.append((weight * (count - 1) * period - period, block))
    scored.sort(key=lambda pair: (-pair[0], pair[1].start))
    return [block for _, block in scored]


def _periods(kinds: Ints) -> list[int]:
    """Distances after which sequences of operations return, the most frequent of each length."""
    found: dict[int, None] = {1: None}
    mixed = kinds.astype(np.uint64) + np.uint64(1)
    length = 1
    words = mixed
    for wanted in _WORDS:
        while length < wanted:  # a word of twice the length is two words
            factor = np.uint64(pow(6364136223846793005, length, 2**64))
            words = words[:-length] * factor + words[length:] if len(words) > length else words[:0]
            length *= 2
        order = np.argsort(words, kind="stable")
        again = words[order][1:] == words[order][:-1]
        lengths, counts = np.unique(np.diff(order)[again], return_counts=True)
        best = lengths[np.argsort(-counts, kind="stable")][:_MOST_PERIODS]
        found.update(dict.fromkeys(best.tolist()))
    return [period for period in found if 2 * period < len(kinds)]


def _runs(same: Any) -> tuple[Ints, Ints]:
    """From where to where a truth holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    return edges[::2], edges[1::2]


def _free_part(block: Block, taken: Any) -> Block | None:
    """The longest run of turns of which nothing is taken."""
    size = block.stop - block.start
    free = size - np.count_nonzero(taken[block.start : block.stop])
    if free == size:
        return block
    if free - block.period < _LEAST_SAVED:
        return None
    turns = taken[block.start : block.stop].reshape(block.count, block.period).any(axis=1)
    starts, stops = _runs(~turns)
    count = int((stops - starts).max(initial=0))
    if count < 2 or (count - 1) * block.period < _LEAST_SAVED:
        return None
    first = int(starts[np.argmax(stops - starts)])
    return Block(block.start + first * block.period, block.period, count)


def _fill_gaps_between_blocks(found: Sequence[Block], size: int) -> Iterator[Block]:
    at = 0
    for block in [*found, Block(size, 1, 0)]:
        if block.start > at:
            yield Block(at, block.start - at, 1)
        if block.count:
            yield block
        at = block.stop
