"""Products with the Jacobian of what a tape recorded, many in one sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.graph.first_order import solve_triangular
from symtape.recording.directions import some_cotangent
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, tensor_of
from symtape.transforms.sparsity.plan import Plan


def rows(tape: GradientTape, target: Tensor, sources: list[Tensor], seeds: Any) -> Any:
    """Each of `seeds` times the Jacobian by all `sources`, taken flat, one after another."""
    count = len(seeds)
    given = seeds.reshape((count, *target.shape)).astype(target.dtype)
    found = tape._rows(target, sources, given, True)
    return _join_parts(found, [source.size for source in sources], count, sources)


def columns(tape: GradientTape, target: Tensor, sources: list[Tensor], seeds: Any) -> Any:
    """The Jacobian by all `sources` times each of `seeds`.

    What pulls a cotangent back is linear in it, and is recorded; its transpose pushes forward.

    Source
    ------
    J. Townsend, "A new trick for calculating Jacobian vector products" (2017).
    """
    dummy = GradientTape(persistent=True, watch_accessed_variables=False)
    with dummy:
        cotangent = tensor_of(some_cotangent(target))
        dummy._ids.add(cotangent._id)
        pulled = tape._sweep({target._id: cotangent}, {source._id for source in sources})
    count, first = len(seeds), 0
    total: Any = 0
    for source in sources:
        part = pulled.get(source._id)
        given = seeds[:, first : first + source.size].reshape((count, *source.shape))
        first += source.size
        if isinstance(part, Tensor):
            (found,) = dummy._rows(part, [cotangent], given.astype(part.dtype), True)
            total = total if found is None else total + found
    dtype = np.result_type(*[source.dtype for source in sources])
    if not np.ndim(total):
        return np.zeros((count, target.size), dtype)
    return total.reshape((count, target.size)).astype(dtype)


def _join_parts(
    found: Sequence[Any], sizes: Sequence[int], count: int, sources: Sequence[Tensor]
) -> Any:
    parts = [
        np.zeros((count, size), source.dtype) if part is None else part.reshape((count, size))
        for part, size, source in zip(found, sizes, sources, strict=True)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def entries(plan: Plan, tape: GradientTape, target: Tensor, sources: list[Tensor]) -> Any:
    """The entries of the plan's pattern, in its order; what the tape holds is left to it."""
    if not len(plan.pattern):
        return np.zeros(0, np.result_type(*[source.dtype for source in sources]))
    edges, answers = list(tape._edges), []
    for products, seeds in ((rows, plan.row_seeds), (columns, plan.column_seeds)):
        if len(seeds):
            try:
                answers.append(products(tape, target, sources, seeds).reshape(-1))
            finally:
                tape._edges = list(edges)
    read = (answers[0] if len(answers) == 1 else np.concatenate(answers))[plan.read]
    if plan.substitution is None:
        return read
    # The leaves of each tree come first.
    later, earlier = plan.substitution.later, plan.substitution.earlier
    before = np.full(len(later), -1.0), later, earlier
    found = solve_triangular(before, read.astype(np.float64), lower=True)
    return found.astype(read.dtype)[plan.substitution.entry]
