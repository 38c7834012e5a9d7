"""Products with the Jacobian of what a tape recorded, many in one sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.graph.first_order import solve_triangular
from symtape.recording.directions import some_cotangent
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, tensor_of
from symtape.transforms.sparsity.plan import AnyPlan, SubstitutionPlan, TwoWay


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


def entries(plan: AnyPlan, tape: GradientTape, target: Tensor, sources: list[Tensor]) -> Any:
    """The entries of the plan's pattern, in its order; what the tape holds is left to it."""
    if isinstance(plan, SubstitutionPlan):
        return _substitute(plan, entries(plan.products, tape, target, sources))
    if isinstance(plan, TwoWay):
        found = np.concatenate([entries(part, tape, target, sources) for part in plan.parts])
        return found[np.argsort(np.concatenate(plan.order))]
    if not len(plan.pattern):
        return np.zeros(0, np.result_type(*[source.dtype for source in sources]))
    products = rows if plan.direction == "rows" else columns
    edges = list(tape._edges)
    try:
        found = products(tape, target, sources, plan.seeds)
        # By one array of indices NumPy is quicker than by two.
        return found.reshape(-1)[plan.sweep * found.shape[1] + plan.place]
    finally:
        tape._edges = edges


def _substitute(plan: SubstitutionPlan, read: Any) -> Any:
    """What follows from the numbers read, the leaves of each tree first."""
    before = np.full(len(plan.later), -1.0), plan.later, plan.earlier
    found = solve_triangular(before, read.astype(np.float64), lower=True)
    return found.astype(read.dtype)[plan.entry]
