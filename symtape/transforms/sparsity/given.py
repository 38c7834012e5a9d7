"""Patterns that a user gives: read, and held against one product that they had no part in."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.recording.run import Run
from symtape.recording.tensor import Tensor
from symtape.transforms.sparsity.plan import Plan
from symtape.transforms.sparsity.spread import contain_nonfinite
from symtape.transforms.sparsity.sweeps import columns, rows

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
