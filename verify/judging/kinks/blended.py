"""Pieces blended: whether ever so many of them have one derivative, by a few readings.

Where the elements of operations may each be taken for several things, their affine combinations
have the same value, and the derivative of all together is linear in the weights of each. If it is
the same for weights drawn by chance, it is so for all weights, up to a chance of about 2^-20, and
pieces are those of which one weight is 1: the function is smooth there, as the logarithm of a sum
that a maximum shifts is at ties. See Schwartz, "Fast probabilistic algorithms for verification of
polynomial identities", J. ACM 27 (1980).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from symtape.errors import Unsupported
from symtape.symbolic.program import Program
from verify.judging.kinks.active_pieces import ActivePieces, State
from verify.judging.kinks.alternatives import Choice, Statement
from verify.judging.kinks.boundaries import meets_boundary
from verify.judging.kinks.pieces import Full, Walk, has_pieces
from verify.judging.kinks.problem import Problem
from verify.judging.kinks.search import Search

_DRAWN: Final = 3
_STEPS: Final = 2**20
_MOST_STATEMENTS: Final = 1_000_000
"""Over all readings together."""


def blend_pieces(problem: Problem) -> ActivePieces | None:
    """Readings that agree if all pieces do; None where pieces are no smooth alternatives.

    Second derivatives are not linear in the weights.
    """
    graph, form = problem.graph, problem.form
    at_kinks = [at for at, node in enumerate(graph.nodes) if has_pieces(node)]
    readings = _DRAWN * len(at_kinks) * len(form.program)
    if problem.is_second or readings > _MOST_STATEMENTS or meets_boundary(form, problem.point):
        return None
    walk, random = Walk(problem), np.random.default_rng(0)
    try:
        for _ in range(_DRAWN):
            meant: dict[int, dict[int, Statement]] = {}
            for at in at_kinks:
                state = State(meant=meant)
                choices = walk.choices(Search(walk.reading(state), meant=meant), at)
                if isinstance(choices, str) or not all(map(_is_smooth, choices)):
                    return None
                for choice in choices:
                    meant.setdefault(at, {}).update(_mix_alternatives(choice, random))
            walk.keep(walk.reading(State(meant=meant)), State(meant=meant))
    except (Full, Unsupported, ValueError, IndexError):
        return None
    return None if walk.found.crossings else walk.found


def _is_smooth(choice: Choice) -> bool:
    """Whether each alternative is a smooth function of finite slope."""
    jumps = any(taken.values or taken.vertical for taken in choice.alternatives)
    return not (choice.edge or choice.loose or jumps)


def _mix_alternatives(choice: Choice, random: np.random.Generator) -> dict[int, Statement]:
    """Each element as a combination of all that it may be taken for, with weights by chance."""
    count = len(choice.alternatives)
    weights = (random.integers(1, _STEPS, count - 1) / _STEPS).tolist()
    weights.append(1 - sum(weights))

    def combine_alternatives(flat: int) -> Statement:
        def meaning(program: Program, own: int, operands: Sequence[int]) -> int:
            total = program.constant(0)
            for weight, taken in zip(weights, choice.alternatives, strict=True):
                statement = taken.statements.get(flat)
                one = own if statement is None else statement(program, own, operands)
                total = program.add(total, program.multiply(program.constant(weight), one))
            return total

        return meaning

    return {
        flat: combine_alternatives(flat)
        for taken in choice.alternatives
        for flat in taken.statements
    }
