"""Where the arguments of each operation of a block come from, turn by turn, and what must be kept.

What is needed in the turn that computes it is in a register, and so is what the next turn needs;
all else crosses by memory, in which each block has a row of numbers for each turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from symtape.programs.compiled.operations import Operation
from symtape.programs.compiled.rolling import Block, Columns, Ints

REGISTER: Final = "register"
CARRIED: Final = "carried"
CONSTANTS: Final = "constants"
INPUTS: Final = "inputs"
MEMORY: Final = "memory"


@dataclass(frozen=True, slots=True)
class Stream:
    """What an argument is in each turn.

    Attributes
    ----------
    kind : str
        One of the above.
    at : int
        Of a register and of what is carried the place in the block; the number of an input array.
    places : array of int
        For each turn the operation, or the place in the input array.
    """

    kind: str
    at: int
    places: Ints


class Streams:
    """The streams of all blocks, and the memory by which values cross.

    Parameters
    ----------
    columns : Columns
    blocks : sequence of Block
    longest : int
        Operations of one function; a block of more is cut, and what crosses is in memory.

    Attributes
    ----------
    size : int
        Floats of memory.
    """

    def __init__(self, columns: Columns, blocks: Sequence[Block], longest: int) -> None:
        self._columns, self._every, self._kept = columns, columns.every, columns.kept
        self._longest = longest
        # The last stands for arguments that an operation does not have.
        self._position = np.full(len(self._every) + 1, -1, np.int64)
        self._position[self._kept] = np.arange(len(self._kept))
        self._needed = np.zeros(len(self._kept), dtype=bool)
        self._of: list[Mapping[tuple[int, int], Stream]] = [
            dict(self._streams(block)) for block in blocks
        ]
        self._slots = np.full(len(self._kept), -1, np.int64)
        self.size = self._lay_out(blocks)

    def list_streams(self, block: int) -> Mapping[tuple[int, int], Stream]:
        """For each place in a block, and each argument, its stream."""
        return self._of[block]

    def operation(self, block: Block, place: int) -> Operation:
        """What a place of a block does in its first turn."""
        return self._every[int(self._kept[block.start + place])]

    def list_targets(self, block: Block, place: int) -> Ints:
        """Where a place of a block writes to in each turn."""
        return _turns(self._columns.stored, block, place)

    def slots(self, operations: Ints) -> Ints:
        """Where in memory the values of operations are."""
        return np.asarray(self._slots[self._position[operations]])

    def kept_at(self, block: Block, place: int) -> Ints | None:
        """Where in memory a place of a block leaves its value in each turn, if anywhere."""
        found = _turns(self._slots, block, place)
        return found if found[0] >= 0 else None

    def is_before(self, operation: int, block: Block) -> bool:
        """Whether an operation is done before a block begins."""
        return bool(self._position[operation] < block.start)

    def pieces(self, block: Block) -> list[range]:
        """The places of a block, by function."""
        places = range(block.period)
        return [places[k : k + self._longest] for k in range(0, block.period, self._longest)]

    def _streams(self, block: Block) -> Iterator[tuple[tuple[int, int], Stream]]:
        whole = slice(block.start, block.stop)
        given = self._columns.arguments[whole].reshape((block.count, block.period, -1))
        turns, places = np.divmod(self._position[given] - block.start, block.period)
        kinds = self._kinds(block, turns, places)
        for place in range(block.period):
            for argument in range(len(self.operation(block, place).inputs)):
                sources = given[:, place, argument]
                at = int(places[-1, place, argument])
                stream = self._stream(block, kinds[place][argument], at, sources)
                if stream.kind == MEMORY:
                    self._needed[self._position[sources]] = True
                yield (place, argument), stream

    def _kinds(self, block: Block, turns: Ints, places: Ints) -> list[list[str]]:
        """Of each place and argument, where it comes from if a turn computes it."""
        at, numbers = places[-1], np.arange(block.count)[:, None, None]
        in_one = at // self._longest == np.arange(block.period)[:, None] // self._longest
        in_register = (places == at).all(axis=0) & (turns == numbers).all(axis=0) & in_one
        is_carried = (places[1:] == at).all(axis=0) & (turns[1:] == numbers[:-1]).all(axis=0)
        if block.period > self._longest or block.count == 1:
            is_carried[:] = False
        found: list[list[str]] = np.where(
            in_register, REGISTER, np.where(is_carried, CARRIED, MEMORY)
        ).tolist()
        return found

    def _stream(self, block: Block, kind: str, at: int, sources: Ints) -> Stream:
        first = self._every[sources[0]]
        if first.code == "constant":
            return Stream(CONSTANTS, 0, sources)
        if first.code == "input":
            return Stream(INPUTS, first.static[0], self._columns.places[sources])
        if kind == REGISTER:
            return Stream(REGISTER, at, sources)
        if kind == CARRIED and self.is_before(int(sources[0]), block):
            self._needed[self._position[sources[0]]] = True
            return Stream(CARRIED, at, sources)
        return Stream(MEMORY, 0, sources)

    def _lay_out(self, blocks: Sequence[Block]) -> int:
        """Give each place that is needed elsewhere in any turn a slot in all of them."""
        size = 0
        for block in blocks:
            whole = slice(block.start, block.stop)
            needed = self._needed[whole].reshape(block.count, block.period).any(axis=0)
            width = int(needed.sum())
            row = np.where(needed, np.cumsum(needed) - 1, -1)
            numbers = size + width * np.arange(block.count)[:, None] + row
            self._slots[whole] = np.where(needed, numbers, -1).ravel()
            size += width * block.count
        return size


def _turns(column: Ints, block: Block, place: int) -> Ints:
    """Of a place of a block what a column has in each turn."""
    return column[block.start + place : block.stop : block.period]
