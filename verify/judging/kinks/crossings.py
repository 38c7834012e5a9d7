"""Crossings: the pieces of a function on the other side of an ``if``, recorded there or blended.

Pieces blended: whether ever so many of them have one derivative, by a few readings. Where the
elements of operations may each be taken for several things, their affine combinations have the same
value, and the derivative of all together is linear in the weights of each. If it is the same for
weights drawn by chance, it is so for all weights, up to a chance of about 2^-20, and pieces are
those of which one weight is 1: the function is smooth there, as the logarithm of a sum that a
maximum shifts is at ties. See Schwartz, "Fast probabilistic algorithms for verification of
polynomial identities", J. ACM 27 (1980).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError, Unsupported
from symtape.graph.graph import Graph
from symtape.recording.structure import separate_entries
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.walk import reread_shadow, shadow
from verify.judging.kinks.alternatives import ActivePieces, Choice, Gap, Problem, State, Statement
from verify.judging.kinks.boundaries import Boundary, boundaries, is_comparison, meets_boundary
from verify.judging.kinks.pieces import Full, Pinned, Walk, explore, has_pieces, replay_values
from verify.judging.kinks.search import Search

_STEPS: Final = (2.0**-40, 2.0**-30, 2.0**-20, 2.0**-12)
"""How far to go, relatively, until floats see the other side."""


def cross_gap(problem: Problem, side: tuple[Gap, int], slope: Any) -> ActivePieces | None:
    """The pieces at a point of the path that a function takes on another side of a gap.

    The path is that of a neighbour. It stands for all neighbours on that side if nothing else
    that it decides is on a boundary at the point.

    Parameters
    ----------
    problem : Problem
    side : gap and sign
    slope : float array
        The gradient of the gap, over all coordinates.

    Returns
    -------
    ActivePieces or None
        None where no such path was found, or where it is not the only one.
    """
    (gap, sign), point = side, problem.point
    size = float(np.max(np.abs(slope), initial=0.0))
    if not (np.isfinite(size) and size > 0):
        return None
    compared = _lines(problem, gap)
    for step in _STEPS:
        near = _move_point(point, sign * slope / size, step)
        try:
            other = problem.record(near)
            if other.escapes or len(other.outputs) != len(problem.graph.outputs):
                return None
            beside = _read_back(other, point, near)
            pinned = _pin_comparisons(beside, point, near, compared)
            if pinned is not None:
                found = explore(replace(problem, form=beside), pinned)
                return None if found.lost or found.crossings or not found.pieces else found
        except (SymtapeError, ArithmeticError, ValueError, IndexError, LookupError, TypeError):
            return None
    return None


def _move_point(point: Sequence[Any], direction: Any, step: float) -> list[Any]:
    moved = []
    for x, part in zip(point, separate_entries(direction, map(np.shape, point)), strict=True):
        array = np.asarray(x)
        scale = np.where(array == 0, 1.0, np.abs(array))
        least = np.where(part == 0, 0.0, 4 * np.spacing(np.abs(array)) * np.sign(part))
        shift = step * scale * part
        shift = np.where(np.abs(shift) < np.abs(least), least, shift)
        moved.append((array + shift).astype(array.dtype)[()])
    return moved


def _lines(problem: Problem, gap: Gap) -> set[Any]:
    """Which comparisons, by operation and line, are of a gap."""
    found = set()
    for boundary in boundaries(problem.form, problem.point):
        if isinstance(boundary, Boundary) and boundary.gap == gap:
            node = problem.graph.nodes[boundary.node]
            found.add((node.name, str(node.origin)))
    return found


def _read_back(other: Graph, point: Sequence[Any], near: Sequence[Any]) -> Shadow:
    """The shadow at `point` of what was recorded at `near`, with the comparisons as there."""
    form = shadow(other, near)
    forced = {
        at: dict(enumerate(np.ravel(form.values[at]).tolist()))
        for at, node in enumerate(other.nodes)
        if is_comparison(node)
    }
    return reread_shadow(form, replay_values(other, point, forced))


def _pin_comparisons(
    form: Shadow, point: Sequence[Any], near: Sequence[Any], compared: set[Any]
) -> Pinned | None:
    """How the comparisons that are on a boundary at `point` come out at `near`.

    None where they are not all of one gap, or floats do not see the difference yet.
    """
    other = form.graph
    values = other.values(*near)
    pinned: dict[tuple[int, tuple[int, ...]], int] = {}
    gaps = set()
    for boundary in boundaries(form, point):
        if not isinstance(boundary, Boundary):
            return None
        node = other.nodes[boundary.node]
        left, right = (
            np.broadcast_to(np.asarray(values[i], dtype=float), node.shape)[boundary.index]
            for i in node.inputs
        )
        if left == right or (node.name, str(node.origin)) not in compared:
            return None
        pinned[boundary.node, boundary.index] = 1 if left > right else -1
        gaps.add(boundary.gap)
    return pinned if len(gaps) == 1 else None


_DRAWN: Final = 3
_BLENDED_STEPS: Final = 2**20
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
    weights = (random.integers(1, _BLENDED_STEPS, count - 1) / _BLENDED_STEPS).tolist()
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
