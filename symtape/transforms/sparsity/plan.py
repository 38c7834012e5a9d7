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
from symtape.transforms.sparsity.acyclic import acyclic_colours, substitution
from symtape.transforms.sparsity.colouring import (
    count_of,
    lines,
    orthogonal_colours,
    star_bicolours,
    star_colours,
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


@dataclass(frozen=True, slots=True, eq=False)
class TwoWay:
    """A plan of which some entries are read off rows, the others off columns.

    Attributes
    ----------
    pattern : Pattern
        Where the entries are.
    parts : sequence of Plan
        One by rows and one by columns, each of a part of the pattern.
    order : sequence of int arrays
        Of each part, which of the entries of the pattern its entries are.
    """

    pattern: Pattern
    parts: tuple[Plan, Plan]
    order: tuple[Any, Any]

    @property
    def colours(self) -> int:
        """How many products are needed."""
        return sum([part.colours for part in self.parts])

    @property
    def cost(self) -> int:
        """What they cost, in products of one row."""
        return sum([part.cost for part in self.parts])


@dataclass(frozen=True, slots=True, eq=False)
class SubstitutionPlan:
    """A plan of a symmetric matrix whose entries are found one after another.

    Attributes
    ----------
    pattern : Pattern
        Where the entries are.
    products : Plan
        The entries of which numbers are read, the diagonal first, and where.
    later, earlier : int arrays
        Pairs of those entries: the second is taken away from the number read for the first.
    entry : int array
        Which of them each entry of the pattern is.
    """

    pattern: Pattern
    products: Plan
    later: Any
    earlier: Any
    entry: Any

    @property
    def colours(self) -> int:
        """How many products are needed."""
        return self.products.colours

    @property
    def cost(self) -> int:
        """What they cost, in products of one row."""
        return self.products.cost


AnyPlan = Plan | TwoWay | SubstitutionPlan


def mixed_plan(pattern: Pattern) -> Plan | TwoWay:
    """The cheapest of the plans by rows, by columns, and by both of them."""
    found = best_plan(pattern, False)
    mean = -(-len(pattern) // max(*pattern.shape, 1))
    if found.cost <= UNEVEN * mean:
        return found
    both = _two_way(pattern)
    return both if both.cost < found.cost else found


def substituted_plan(pattern: Pattern) -> Plan | SubstitutionPlan:
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
    return Plan(pattern, direction, _seeds(colours), colours[along], across)


def _seeds(colours: Any) -> Any:
    """1 where a line has the colour; those of -1 have none."""
    seeds = np.zeros((count_of(colours.tolist()), len(colours)), bool)
    coloured = np.flatnonzero(colours >= 0)
    seeds[colours[coloured], coloured] = True
    return seeds


def _two_way(pattern: Pattern) -> TwoWay:
    rows, columns = pattern.rows, pattern.columns
    of_row, of_column, by_row = star_bicolours(rows, columns, pattern.shape, COLUMN)
    order = np.flatnonzero(by_row), np.flatnonzero(~by_row)
    first, second = (Pattern(rows[k], columns[k], pattern.shape) for k in order)
    parts = (
        Plan(first, "rows", _seeds(of_row), of_row[first.rows], first.columns),
        Plan(second, "columns", _seeds(of_column), of_column[second.columns], second.rows),
    )
    return TwoWay(pattern, parts, order)


def _mirror_plan(plan: Plan) -> Plan:
    """With each entry below the diagonal read where the one across from it is."""
    rows, columns = plan.pattern.rows, plan.pattern.columns
    across = np.argsort(columns * plan.pattern.shape[1] + rows)
    across = np.where(rows > columns, across, np.arange(len(rows)))
    return replace(plan, sweep=plan.sweep[across], place=plan.place[across])


def _plan_by_trees(pattern: Pattern) -> SubstitutionPlan:
    """The entries that are read are the diagonal's, and behind them those of the forest."""
    rows, columns = pattern.rows, pattern.columns
    size = pattern.shape[0]
    off = rows != columns
    colours = np.array(acyclic_colours(lines(rows[off], columns[off], size)), np.int64)
    diagonal, below = np.flatnonzero(~off), np.flatnonzero(rows > columns)
    found = substitution(rows[below], columns[below], colours)
    read = np.concatenate([diagonal, below[found.edges]])
    products = Plan(
        Pattern(rows[read], columns[read], pattern.shape),
        "rows",
        _seeds(colours),
        np.concatenate([colours[rows[diagonal]], found.sweep]),
        np.concatenate([rows[diagonal], found.place]),
    )
    key = np.maximum(rows, columns) * size + np.minimum(rows, columns)
    order = np.argsort(key[read])
    entry = order[np.searchsorted(key[read], key, sorter=order)]
    first = len(diagonal)
    return SubstitutionPlan(pattern, products, found.later + first, found.earlier + first, entry)


def _plan_by_star(pattern: Pattern) -> Plan:
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


_plans: Final[OrderedDict[Any, AnyPlan]] = OrderedDict()
_lock: Final = Lock()


def best_symmetric(pattern: Pattern) -> Plan:
    """:func:`best_plan` of a symmetric matrix."""
    return best_plan(pattern, True)


def kept_plan(
    way: Callable[[Pattern], AnyPlan],
    tape: GradientTape,
    target: Tensor,
    sources: Sequence[Tensor],
) -> AnyPlan | None:
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
