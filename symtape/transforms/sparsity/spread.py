"""Entries that are finite beside others that are not.

A product with a vector adds 0 times what the vector leaves out, and 0 times infinity is NaN. What
is not finite in one product is therefore asked again by others: of single entries, where they
followed from one another, and in the other direction, where other factors meet other zeros.

Patterns that a user gives are held against one product that they had no part in.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.errors import NotTraceable
from symtape.recording.run import Run
from symtape.recording.tensor import Tensor
from symtape.transforms.sparsity.pattern import Pattern
from symtape.transforms.sparsity.plan import (
    Plan,
    best_symmetric,
    plan_by_each_row,
    plan_by_lines,
)
from symtape.transforms.sparsity.sweeps import columns, entries, rows

_MOST: Final = 4
"""How many times as many products as the plan has are taken for what is not finite, at most,"""

_FEW: Final = 16
"""or this many."""

_MOST_ROWS: Final = 2048
"""Of what is compiled where it is not finite."""


def contain_nonfinite(plan: Plan, run: Run, target: Tensor) -> Any:
    """The entries of a plan's pattern; not finite only where no product finds them finite.

    An entry that is not finite, whatever is asked, never comes out finite: its own product has it.
    """
    if not run.plain:
        return _contain_in_program(plan, run, target)
    found = entries(plan, run.tape, target, run.sources)
    if plan.substitution is not None and not np.isfinite(found).all():
        plan = best_symmetric(plan.pattern)
        found = entries(plan, run.tape, target, run.sources)
    for direction in ("columns", "rows"):
        bad = ~np.isfinite(found)
        if not bad.any():
            break
        asked = _lines_of(plan.pattern, bad, direction)
        again = plan_by_lines(_select_pattern(plan.pattern, asked), direction)
        if again.colours <= max(_MOST * plan.colours, _FEW):
            answers = entries(again, run.tape, target, run.sources)
            where = np.flatnonzero(asked)
            better = bad[where] & np.isfinite(answers)
            found[where[better]] = answers[better]
    return found


def _contain_in_program(plan: Plan, run: Run, target: Tensor) -> Any:
    """As `contain_nonfinite`, where what is done may not depend on which entries are not finite.

    Raises
    ------
    NotTraceable
        Some are not, and there are too many rows to ask each of them.
    """
    if plan.substitution is not None:
        plan = best_symmetric(plan.pattern)
    found = entries(plan, run.tape, target, run.sources)
    if np.isfinite(found).all():
        return found
    rows, _ = plan.pattern.shape
    if rows > _MOST_ROWS:
        raise NotTraceable(
            f"a sparse derivative of {rows} rows is not finite at this point, and is not compiled "
            "there; take the derivative itself, which looks at each entry"
        )
    return entries(plan_by_each_row(plan.pattern), run.tape, target, run.sources)


def _lines_of(pattern: Pattern, bad: Any, direction: str) -> Any:
    """Which entries share a line of the direction with one that is not finite."""
    along = pattern.rows if direction == "rows" else pattern.columns
    return np.isin(along, along[bad])


def _select_pattern(pattern: Pattern, which: Any) -> Pattern:
    return Pattern(pattern.rows[which], pattern.columns[which], pattern.shape)


_GOLDEN: Final = (np.sqrt(5) - 1) / 2


def given_mask(pattern: Any) -> Any:
    """A user's pattern, an array or one of SciPy's sparse ones, as a matrix of truth values.

    Raises
    ------
    ValueError
        It is no matrix.
    """
    if pattern is None:
        return None
    dense = pattern.toarray() if hasattr(pattern, "toarray") else np.asarray(pattern)
    if dense.ndim != 2 or dense.dtype.kind not in "biuf":
        raise ValueError(
            f"pattern has shape {dense.shape} and dtype {dense.dtype}; expected a matrix, sparse "
            "or not, of the output's entries by the argument's: not 0 where one can be other than 0"
        )
    return dense != 0


def check_within(plan: Plan, run: Run, target: Tensor) -> Any:
    """The entries of a pattern that the user gave.

    Raises
    ------
    ValueError
        A product with a vector that meets all rows, or columns, shows that there are others.
    """
    tape, edges = run.tape, list(run.tape._edges)
    found = contain_nonfinite(plan, run, target)
    by_rows = plan.direction == "rows"
    along, across = plan.pattern.rows, plan.pattern.columns
    count, length = plan.pattern.shape
    if not by_rows:
        along, across, count, length = across, along, length, count
    # No two of these numbers stand to each other as slopes do that people write.
    vector = 1 + np.arange(1, count + 1) * _GOLDEN % 1
    (product,) = (rows if by_rows else columns)(tape, target, run.sources, vector[None])
    tape._edges = edges
    expected = np.bincount(across, vector[along] * found, length)
    size = np.bincount(across, np.abs(vector[along] * found), length)
    scale = max(size.max(initial=0), np.abs(product).max(initial=0))
    away = np.abs(product - expected) > np.sqrt(np.finfo(found.dtype).eps) * scale
    if away.any():
        line, place = ("column", "row") if by_rows else ("row", "column")
        where = int(np.flatnonzero(away)[0])
        raise ValueError(
            f"the pattern leaves out an entry that is not 0: {line} {where} of the derivative has "
            f"one in a {place} where the pattern has none; add it, or leave pattern= out, and it "
            "is found"
        )
    return found
