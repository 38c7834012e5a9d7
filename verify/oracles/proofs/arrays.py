"""Proofs of the rules of rows on whole arrays, at small shapes, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.primitives.primitive import Primitive
from symtape.process.budget import Budget
from symtape.prover import NotReadable, Proof, prove_equal
from symtape.prover.reader import Reader
from symtape.prover.statements import Statements
from symtape.symbolic.derivative import pull_back
from symtape.symbolic.program import ZERO
from symtape.symbolic.shadow import Shadow, shadow
from verify.oracles.proofs.programs import Attempt, make_attempt, rule_program

_BUDGET: Final = Budget(statements=100_000)


def prove_at_shape(
    row: Primitive,
    inputs: Sequence[Any],
    params: dict[str, Any],
    free: Sequence[int],
    argnum: int,
    part: int,
    expand: bool = True,
) -> Attempt:
    """Whether the rule by input `argnum` is right for every entry, at the shapes of `inputs`.

    The values of `inputs` decide only what the row chooses, such as the order of a sort. Without
    `expand` it has to be the same statements, and nothing is brought to normal form.
    """
    try:
        graph = rule_program(row, inputs, params, free, argnum, part)
        made = shadow(graph, graph.at, _BUDGET)
    except NotReadable as error:
        return Attempt(Proof(False, reason=str(error)))
    except (SymtapeError, LookupError) as error:
        reason = f"{type(error).__name__}: {error}".partition(" (at ")[0]
        return Attempt(Proof(False, reason=reason))
    pairs = _pairs(made, list(free).index(argnum))
    if all(claimed == exact for claimed, exact in pairs):
        return make_attempt(graph, Proof(True))
    if not expand:
        return make_attempt(graph, Proof(False, reason="other statements than the derivative's"))
    names = _names(row, made, free)

    def sides(reader: Reader) -> Any:
        statements = Statements(made.program, reader, names)
        return [
            (
                lambda c=claimed: statements.find_quotient(c),
                lambda e=exact: statements.find_quotient(e),
            )
            for claimed, exact in pairs
            if claimed != exact
        ]

    proof = prove_equal(sides, {}, capacity=40 + len(names), one_side=True)
    return make_attempt(graph, proof)


def _pairs(made: Shadow, moving: int) -> list[tuple[int, int]]:
    """For each entry, the rule's statement and that of the derivative of the elements."""
    program = made.program
    output, pulled = made.outputs
    *_, cotangent = made.inputs
    seeds: dict[int, int] = {}
    for y, g in zip(output.ravel().tolist(), cotangent.ravel().tolist(), strict=True):
        seeds[y] = program.add(seeds.get(y, ZERO), g)
    bars = pull_back(program, seeds)
    exact = [bars.get(x, ZERO) for x in made.inputs[moving].ravel().tolist()]
    return list(zip(np.ravel(pulled).tolist(), exact, strict=True))


def _names(row: Primitive, made: Shadow, free: Sequence[int]) -> list[str]:
    called = [row.inputs[min(k, len(row.inputs) - 1)] for k in free]
    if row.variadic:
        called = [f"{row.inputs[0]}{k}" for k in free]
    names = []
    for name, ids in zip([*called, "g"], made.inputs, strict=True):
        names += [f"{name}{list(place) if place else ''}" for place in np.ndindex(ids.shape)]
    return names
