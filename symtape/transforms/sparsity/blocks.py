"""Dense Jacobians by fewer sweeps than they have rows, where that pays."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from symtape.primitives.indexing import SCATTER
from symtape.recording.for_programs import is_unfollowed
from symtape.recording.run import Run
from symtape.recording.stack import STACK
from symtape.recording.tensor import Tensor

if TYPE_CHECKING:
    from symtape.transforms.sparsity.pattern import Pattern

ENTRIES: Final = 4096
"""Of smaller Jacobians, one sweep for all rows is as quick as looking for a pattern."""

ROWS: Final = 16
"""As are those of fewer rows."""

PROGRAM_ROWS: Final = 4
"""As are those of fewer rows in a program, for which a pattern is looked for once."""

GAIN: Final = 2
"""How many times as many rows there are to be as the plan's products cost."""


def may_pay(run: Run, target: Tensor) -> bool:
    """Whether it is worth while to look for fewer sweeps: by the size, and where nobody follows."""
    if any(x.dtype.kind != "f" for x in (target, *run.sources)) or not is_unfollowed():
        return False
    if STACK.recorders:
        return target.size >= PROGRAM_ROWS
    entries = target.size * sum([prod(source.shape) for source in run.sources])
    return target.size >= ROWS and entries >= ENTRIES and run.plain


def compressed_blocks(run: Run, target: Tensor, symmetric: bool) -> list[Any] | None:
    """The Jacobian of an output by each source of a run; None where each row is to be asked.

    Where an entry is not finite each row is asked, too: a product by 0 says nothing then.
    """
    # Few Jacobians are as large as pays for loading these.
    from symtape.transforms.sparsity.plan import best_symmetric, kept_plan, mixed_plan
    from symtape.transforms.sparsity.sweeps import entries

    way = best_symmetric if symmetric else mixed_plan
    plan = kept_plan(way, run.tape, target, run.sources)
    if plan is None or plan.cost * GAIN > target.size:
        return None
    found = entries(plan, run.tape, target, run.sources)
    if not np.isfinite(found).all():
        return None
    whole = _build_matrix(plan.pattern, found)
    if len(run.sources) == 1:
        (source,) = run.sources
        return [_cast(whole, source.dtype).reshape(target.shape + source.shape)]
    ends = np.cumsum([source.size for source in run.sources])[:-1]
    return [
        _cast(part, source.dtype).reshape(target.shape + source.shape)
        for part, source in zip(np.split(whole, ends, axis=1), run.sources, strict=True)
    ]


def _build_matrix(pattern: Pattern, found: Any) -> Any:
    """The matrix of the entries of a pattern."""
    places = pattern.rows * pattern.shape[1] + pattern.columns
    if isinstance(found, Tensor):
        return SCATTER(found, shape=(prod(pattern.shape),), index=places).reshape(pattern.shape)
    whole = np.zeros(pattern.shape, found.dtype)
    whole.reshape(-1)[places] = found
    return whole


def _cast(array: Any, dtype: Any) -> Any:
    return array if array.dtype == dtype else array.astype(dtype)
