"""What meets at a point: pieces of a function, and what has been chosen for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from symtape.symbolic.shadow import Shadow
from verify.judging.kinks.alternatives import Alternative, Choice, Gap

Key: TypeAlias = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Piece:
    """One reading.

    Attributes
    ----------
    form : Shadow
    ids : list of int arrays
        The statements of its derivative.
    sides : dict
        On which side of each gap it holds; 0 on the tie itself.
    real : bool
        Whether a neighbour of the point may follow it: no gap has two signs at once.
    vertical : frozenset
        Which elements of infinite slope are read as lines of slope 1, and not 0.
    family : tuple
        The same for pieces that differ in nothing else.
    group : int
        Which of several independent sums it belongs to: see the module `independent`.
    """

    form: Shadow
    ids: list[Any]
    sides: dict[Gap, int]
    real: bool
    vertical: frozenset[Key]
    family: tuple[Any, ...]
    group: int = 0


@dataclass(slots=True)
class ActivePieces:
    """All pieces at a point, or why they are not all.

    Attributes
    ----------
    pieces : list of Piece
    lost : str
        Why pieces are missing; empty if none are.
    edge, loose, vertical : bool
        Whether an operation is defined on one side only; whether pieces only enclose slopes;
        whether there are infinite slopes.
    crossings : list
        What other paths of the function begin at the point: the gap, the sign that takes them.
    """

    pieces: list[Piece] = field(default_factory=list)
    lost: str = ""
    edge: bool = False
    loose: bool = False
    vertical: bool = False
    crossings: list[tuple[Gap, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class State:
    """What has been chosen so far."""

    meant: Mapping[int, Mapping[int, Any]] = field(default_factory=dict)
    values: Mapping[int, Mapping[int, Any]] = field(default_factory=dict)
    done: frozenset[Key] = frozenset()
    sides: Mapping[Gap, int] = field(default_factory=dict)
    compared: Mapping[Gap, int] = field(default_factory=dict)
    real: bool = True
    vertical: frozenset[Key] = frozenset()
    family: tuple[Any, ...] = ()

    def choose_alternative(self, choice: Choice, which: int) -> State:
        """The state after one alternative of a choice is taken."""
        taken, key = choice.alternatives[which], (choice.node, choice.key)
        sides, real = _merge_sides(self.sides, taken)
        vertical = any(alternative.vertical for alternative in choice.alternatives)
        return replace(
            self,
            meant=_update_entry(self.meant, choice.node, taken.statements),
            values=_update_entry(self.values, choice.node, taken.values),
            done=self.done | {key},
            sides=sides,
            real=self.real and real,
            vertical=self.vertical | {key} if taken.vertical else self.vertical,
            family=self.family if vertical else (*self.family, (key, which)),
        )


def _merge_sides(sides: Mapping[Gap, int], taken: Alternative) -> tuple[dict[Gap, int], bool]:
    """The sides of both, and whether they go together; a tie goes with either side."""
    result, real = dict(sides), True
    for gap, sign in taken.sides:
        before = result.get(gap, 0)
        real = real and before * sign >= 0
        if gap not in result or sign == 0:
            result[gap] = sign
    return result, real


def _update_entry(
    table: Mapping[int, Mapping[int, Any]], node: int, more: Mapping[int, Any]
) -> Mapping[int, Mapping[int, Any]]:
    return {**table, node: {**table.get(node, {}), **more}} if more else table
