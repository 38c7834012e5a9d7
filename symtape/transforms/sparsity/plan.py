"""How a Jacobian is found: by rows or by columns, and which of them together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Final

import numpy as np

from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor
from symtape.transforms.sparsity.colouring import (
    acyclic_colours,
    count_of,
    lines,
    orthogonal_colours,
    star_bicolours,
    star_colours,
    substitution,
)
from symtape.transforms.sparsity.pattern import Pattern, pattern_of, trace_key

COLUMN: Final = 3
"""What a column costs, in rows: a product forward is the transpose of a recorded sweep."""

UNEVEN: Final = 4
"""How many times as much as its mean line a plan has to cost, for rows and columns to be mixed."""

_MOST: Final = 128
"""Plans that are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Which rows and columns of a Jacobian are found together, and where its entries are then.

    Attributes
    ----------
    pattern : Pattern
        Where the entries are.
    row_seeds : array (colours, rows)
        1 where a row has the colour; rows are pulled back.
    column_seeds : array (colours, columns)
        The same of columns, which are pushed forward.
    read : int array
        Where in the answers to all seeds, one after another and flat, the numbers are that entries
        follow from: in the order of the pattern, unless there is a substitution.
    substitution : Substitution, optional
        Of a symmetric matrix whose entries are found one after another.
    """

    pattern: Pattern
    row_seeds: Any
    column_seeds: Any
    read: Any
    substitution: Substitution | None = None

    @property
    def colours(self) -> int:
        """How many products are needed."""
        return len(self.row_seeds) + len(self.column_seeds)

    @property
    def cost(self) -> int:
        """What they cost, in products of one row."""
        return len(self.row_seeds) + COLUMN * len(self.column_seeds)

    @property
    def direction(self) -> str:
        """``"columns"`` of a plan that pulls no rows back, else ``"rows"``."""
        return "columns" if len(self.column_seeds) and not len(self.row_seeds) else "rows"


@dataclass(frozen=True, slots=True, eq=False)
class Substitution:
    """How entries follow from others.

    Attributes
    ----------
    later, earlier : int arrays
        Pairs of the numbers that are read: the second is taken away from the first.
    entry : int array
        Which of them each entry of the pattern is.
    """

    later: Any
    earlier: Any
    entry: Any


def mixed_plan(pattern: Pattern) -> Plan:
    """The cheapest of the plans by rows, by columns, and by both of them."""
    found = best_plan(pattern, False)
    mean = -(-len(pattern) // max(*pattern.shape, 1))
    if found.cost <= UNEVEN * mean:
        return found
    both = _two_way(pattern)
    return both if both.cost < found.cost else found


def substituted_plan(pattern: Pattern) -> Plan:
    """Of a symmetric matrix, by substitution where that takes fewer products."""
    direct, found = best_plan(pattern, True), _plan_by_trees(pattern.symmetric())
    return found if found.colours < direct.colours else direct


def best_plan(pattern: Pattern, symmetric: bool) -> Plan:
    """The cheapest of the plans by rows, by columns, and of a symmetric matrix by a star."""
    if symmetric:
        pattern = pattern.symmetric()
        found = plan_by_lines(pattern, "rows")
        if found.colours > COLUMN:
            found = min(found, _plan_by_star(pattern), key=lambda plan: plan.cost)
        return _mirror_plan(found)
    least = {
        "rows": _most(pattern.columns, pattern.shape[1]),
        "columns": _most(pattern.rows, pattern.shape[0]) * COLUMN,
    }
    first, second = sorted(least, key=lambda direction: least[direction])
    found = plan_by_lines(pattern, first)
    if found.cost <= least[second]:
        return found
    return min(found, plan_by_lines(pattern, second), key=lambda plan: plan.cost)


def _most(along: Any, count: int) -> int:
    """How many entries there are in the line that has the most: all of different colours."""
    return int(np.bincount(along, minlength=count).max(initial=0))


def plan_by_lines(pattern: Pattern, direction: str) -> Plan:
    """The plan by ``"rows"`` or by ``"columns"``."""
    along, across = pattern.rows, pattern.columns
    count, width = pattern.shape
    if direction == "columns":
        along, across, count, width = across, along, width, count
    colours = np.array(orthogonal_colours(lines(along, across, count), width), np.int64)
    # A line without entries may have some that the pattern is not asked for.
    colours[np.bincount(along, minlength=count) == 0] = -1
    none, seeds, read = np.zeros((0, width), bool), _seeds(colours), colours[along] * width + across
    if direction == "rows":
        return Plan(pattern, seeds, none, read)
    return Plan(pattern, none, seeds, read)


def plan_by_each_row(pattern: Pattern) -> Plan:
    """The plan that pulls each row back by itself."""
    rows, width = pattern.shape
    read = pattern.rows * width + pattern.columns
    return Plan(pattern, np.eye(rows, dtype=bool), np.zeros((0, width), bool), read)


def _seeds(colours: Any) -> Any:
    """1 where a line has the colour; those of -1 have none."""
    seeds = np.zeros((count_of(colours.tolist()), len(colours)), bool)
    coloured = np.flatnonzero(colours >= 0)
    seeds[colours[coloured], coloured] = True
    return seeds


def _two_way(pattern: Pattern) -> Plan:
    rows, columns = pattern.rows, pattern.columns
    height, width = pattern.shape
    of_row, of_column, by_row = star_bicolours(rows, columns, pattern.shape, COLUMN)
    row_seeds, column_seeds = _seeds(of_row), _seeds(of_column)
    of_columns = len(row_seeds) * width + of_column[columns] * height + rows
    read = np.where(by_row, of_row[rows] * width + columns, of_columns)
    return Plan(pattern, row_seeds, column_seeds, read)


def _mirror_plan(plan: Plan) -> Plan:
    """With each entry below the diagonal read where the one across from it is."""
    rows, columns = plan.pattern.rows, plan.pattern.columns
    across = np.argsort(columns * plan.pattern.shape[1] + rows)
    across = np.where(rows > columns, across, np.arange(len(rows)))
    return replace(plan, read=plan.read[across])


def _plan_by_trees(pattern: Pattern) -> Plan:
    """The numbers that are read are those of the diagonal, and behind them those of the forest."""
    rows, columns = pattern.rows, pattern.columns
    size = pattern.shape[0]
    off = rows != columns
    colours = np.array(acyclic_colours(lines(rows[off], columns[off], size)), np.int64)
    diagonal, below = np.flatnonzero(~off), np.flatnonzero(rows > columns)
    edges, places, later, earlier = substitution(rows[below], columns[below], colours)
    numbers = np.concatenate([diagonal, below[edges]])
    key = np.maximum(rows, columns) * size + np.minimum(rows, columns)
    order = np.argsort(key[numbers])
    entry = order[np.searchsorted(key[numbers], key, sorter=order)]
    first = len(diagonal)
    return Plan(
        pattern,
        _seeds(colours),
        np.zeros((0, size), bool),
        np.concatenate([colours[rows[diagonal]] * size + rows[diagonal], places]),
        Substitution(later + first, earlier + first, entry),
    )


def _plan_by_star(pattern: Pattern) -> Plan:
    rows, columns = pattern.rows, pattern.columns
    off = rows != columns
    size = pattern.shape[0]
    colours = np.array(star_colours(lines(rows[off], columns[off], size)), np.int64)
    # An entry is read off its row's colour where no other row of it meets the column.
    by_row, by_column = colours[rows] * size + columns, colours[columns] * size + rows
    _, which, times = np.unique(by_row, return_inverse=True, return_counts=True)
    read = np.where(times[which] == 1, by_row, by_column)
    return Plan(pattern, _seeds(colours), np.zeros((0, size), bool), read)


_plans: Final[OrderedDict[Any, Plan]] = OrderedDict()
_lock: Final = Lock()


def best_symmetric(pattern: Pattern) -> Plan:
    """:func:`best_plan` of a symmetric matrix."""
    return best_plan(pattern, True)


def kept_plan(
    way: Callable[[Pattern], Plan],
    tape: GradientTape,
    target: Tensor,
    sources: Sequence[Tensor],
) -> Plan | None:
    """The plan that is made in some way for what a tape recorded; kept for those of the same path.

    None where a user's own rule took part, of which nothing is known.
    """
    key = trace_key(tape, target, sources)
    if key is None:
        return None
    key = (way, key)
    with _lock:
        found = _plans.get(key)
        if found is not None:
            _plans.move_to_end(key)
            return found
    found = way(pattern_of(tape, target, sources))
    with _lock:
        _plans[key] = found
        while len(_plans) > _MOST:
            _plans.popitem(last=False)
    return found
