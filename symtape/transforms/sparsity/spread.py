"""Entries that are finite beside others that are not.

A product with a vector adds 0 times what the vector leaves out, and 0 times infinity is NaN. What
is not finite in one product is therefore asked again by others: of single entries, where they
followed from one another, and in the other direction, where other factors meet other zeros.
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
from symtape.transforms.sparsity.sweeps import entries

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
