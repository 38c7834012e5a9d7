"""Neighbours: some of the pieces that meet at a point, by what the function computes beside it.

Where more pieces or paths meet than are gone through, some of them are known still: in a direction
in which nothing is tied the function is recorded anew, and the germ says that this is what it
computes there, up to the point. What one of these has for a derivative is admissible, whatever
else meets there; that nothing else is, they do not say. So is what the function computes at the
point itself, where each tie is broken towards one of its sides: a branch of ``x == 0`` is on
neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import SymtapeError
from symtape.primitives.comparison import EQUAL, NOT_EQUAL
from symtape.primitives.steps import HEAVISIDE, SIGN
from symtape.process.precision import precision
from symtape.recording.structure import separate_entries
from symtape.symbolic.derivative import gradient, jacobian
from symtape.symbolic.shadow import Shadow, shadow
from verify.judging.kinks.active_pieces import Piece
from verify.judging.kinks.boundaries import Boundary, boundaries
from verify.judging.kinks.germs import BITS, germ_in_direction, graph_in_direction, move_relatively
from verify.judging.kinks.problem import Problem
from verify.judging.kinks.search import Search
from verify.judging.kinks.slopes import PieceSlopes, SlopeEvaluator, coordinates_of

_DRAWN: Final = 6
"""Directions that are drawn, beside those that most conventions take."""

_STEP: Final = 2.0**-40


_ON_THE_TIE: Final = frozenset((EQUAL, NOT_EQUAL, SIGN, HEAVISIDE))
"""Rows that are another thing at a tie than on either side of it."""


def neighbours(problem: Problem) -> list[PieceSlopes]:
    """The pieces in some directions; none for second derivatives."""
    if problem.is_second:
        return []
    form, nodes = problem.form, problem.graph.nodes
    met = [one for one in boundaries(form, problem.point) if isinstance(one, Boundary)]
    ties = {nodes[one.node].primitive for one in met}
    ties.update(node.primitive for at, node in enumerate(nodes) if _is_tied(form, at))
    found = [] if ties & _ON_THE_TIE else [_slopes(form, problem)]
    for direction in _directions(sum(np.size(x) for x in problem.point)):
        try:
            piece = _find_piece_in_direction(problem, direction)
        except (SymtapeError, ArithmeticError, ValueError, LookupError, TypeError):
            continue
        if piece is not None:
            found.append(piece)
    return found


def _is_tied(form: Shadow, at: int) -> bool:
    node = form.graph.nodes[at]
    return node.primitive is not None and Search(form).own(at, node) is not None


def _directions(size: int) -> Iterator[Any]:
    """All coordinates up, or down; in their order, or against it; and some by chance."""
    rising = 1 + np.arange(size) / (2 * size)
    falling = rising[::-1]
    random = np.random.default_rng(size)
    for line in (rising, falling, *(random.uniform(-1, 1, size) for _ in range(_DRAWN))):
        yield from (line, -line)


def _find_piece_in_direction(problem: Problem, direction: Any) -> PieceSlopes | None:
    """The piece in a direction; None where it is not known, or not what the germ says."""
    point = problem.point
    line = separate_entries(direction, map(np.shape, point))
    near = graph_in_direction(problem, line)
    if near is None:
        return None
    there = [move_relatively(x, part, _STEP, 0.0) for x, part in zip(point, line, strict=True)]
    if not near.holds(*there):
        return None
    form = shadow(near, there)
    found = _slopes(form, problem)
    if any(entry is None for entry in found.entries):
        return None
    coordinates = coordinates_of(point, problem.quantity, form.outputs[0].shape)
    germ = germ_in_direction(near, point, line, BITS)
    with precision(BITS):
        steps = [arb(float(direction[at])) for at in coordinates]
        slope = sum((a * b for a, b in zip(found.entries, steps, strict=True)), arb(0))
        agrees = slope.overlaps(sum(germ[..., 1].flat, arb(0)))
        meets = sum(found.values, arb(0)).overlaps(sum(germ[..., 0].flat, arb(0)))
    return found if agrees and meets else None


def _slopes(form: Shadow, problem: Problem) -> PieceSlopes:
    """The derivative at the point of what is computed as a form says."""
    ids = (gradient if problem.quantity == "gradient" else jacobian)(form)
    piece = Piece(form, list(ids), {}, True, frozenset(), ())
    return SlopeEvaluator(problem.point, BITS, False).evaluate(piece)
