"""How a Jacobian is found: by rows or by columns, and which of them together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

import numpy as np

from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor
from symtape.sparsity.colouring import count_of, lines, orthogonal_colours, star_colours
from symtape.sparsity.pattern import Pattern, pattern_of, trace_key

COLUMN: Final = 3
"""What a column costs, in rows: a product forward is the transpose of a recorded sweep."""

_MOST: Final = 128
"""Plans that are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Which rows, or columns, of a Jacobian are found together, and where its entries are then.

    Attributes
    ----------
    pattern : Pattern
        Where the entries are.
    direction : {"rows", "columns"}
        Rows are pulled back, columns pushed forward.
    seeds : array (colours, rows or columns)
        1 where a line has the colour.
    sweep, place : int arrays
        Of each entry of the pattern: in the answer to which seed, and where in it.
    """

    pattern: Pattern
    direction: str
    seeds: Any
    sweep: Any
    place: Any

    @property
    def colours(self) -> int:
        """How many products are needed."""
        return len(self.seeds)

    @property
    def cost(self) -> int:
        """What they cost, in products of one row."""
        return self.colours * (1 if self.direction == "rows" else COLUMN)


def best_plan(pattern: Pattern, symmetric: bool) -> Plan:
    """The cheapest of the plans by rows, by columns, and of a symmetric matrix by a star."""
    if symmetric:
        by_rows = _by_lines(pattern, "rows")
        if by_rows.colours <= COLUMN:
            return by_rows
        return min(by_rows, _by_star(pattern.symmetric()), key=lambda plan: plan.cost)
    least = {
        "rows": _most(pattern.columns, pattern.shape[1]),
        "columns": _most(pattern.rows, pattern.shape[0]) * COLUMN,
    }
    first, second = sorted(least, key=lambda direction: least[direction])
    found = _by_lines(pattern, first)
    if found.cost <= least[second]:
        return found
    return min(found, _by_lines(pattern, second), key=lambda plan: plan.cost)


def _most(along: Any, count: int) -> int:
    """How many entries there are in the line that has the most: all of different colours."""
    return int(np.bincount(along, minlength=count).max(initial=0))


def _by_lines(pattern: Pattern, direction: str) -> Plan:
    along, across = pattern.rows, pattern.columns
    count, width = pattern.shape
    if direction == "columns":
        along, across, count, width = across, along, width, count
    colours = np.array(orthogonal_colours(lines(along, across, count), width), np.int64)
    return Plan(pattern, direction, _seeds(colours), colours[along], across)


def _seeds(colours: Any) -> Any:
    seeds = np.zeros((count_of(colours.tolist()), len(colours)), bool)
    seeds[colours, np.arange(len(colours))] = True
    return seeds


def _by_star(pattern: Pattern) -> Plan:
    rows, columns = pattern.rows, pattern.columns
    off = rows != columns
    size = pattern.shape[0]
    colours = np.array(star_colours(lines(rows[off], columns[off], size)), np.int64)
    # An entry is read off its row's colour where no other row of it meets the column.
    sweep = colours[rows]
    met = sweep * size + columns
    _, which, times = np.unique(met, return_inverse=True, return_counts=True)
    alone = times[which] == 1
    return Plan(
        pattern,
        "rows",
        _seeds(colours),
        np.where(alone, sweep, colours[columns]),
        np.where(alone, columns, rows),
    )


_plans: Final[OrderedDict[Any, Plan]] = OrderedDict()
_lock: Final = Lock()


def plan_of(
    tape: GradientTape, target: Tensor, sources: Sequence[Tensor], symmetric: bool = False
) -> Plan | None:
    """The plan for what a tape recorded; kept for recordings that took the same path.

    None where a user's own rule took part, of which nothing is known.
    """
    key = trace_key(tape, target, sources)
    if key is None:
        return None
    key = (symmetric, key)
    with _lock:
        found = _plans.get(key)
        if found is not None:
            _plans.move_to_end(key)
            return found
    found = best_plan(pattern_of(tape, target, sources), symmetric)
    with _lock:
        _plans[key] = found
        while len(_plans) > _MOST:
            _plans.popitem(last=False)
    return found


def forget_plans() -> None:
    """Forget all plans."""
    with _lock:
        _plans.clear()
