"""Germs: what a function is on either side of a point, expanded in powers of the distance.

``np.where(x == 0, 1, np.sin(x) / x)`` has pieces of which one is not defined at 0, but from both
sides it is the same series.

Germs that agree in all computed coefficients count as equal, though a later one may tell them
apart. So all that a germ has decided is looked at: each decision must be due to a coefficient that
is not 0.

Neighbours: some of the pieces that meet at a point, by what the function computes beside it. Where
more pieces or paths meet than are gone through, some of them are known still: in a direction in
which nothing is tied the function is recorded anew, and the germ says that this is what it computes
there, up to the point. What one of these has for a derivative is admissible, whatever else meets
there; that nothing else is, they do not say. So is what the function computes at the point itself,
where each tie is broken towards one of its sides: a branch of ``x == 0`` is on neither.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import SymtapeError, Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.comparison import EQUAL, NOT_EQUAL
from symtape.primitives.steps import HEAVISIDE, SIGN
from symtape.process.precision import precision
from symtape.recording.structure import separate_entries
from symtape.rigorous import jets
from symtape.rigorous.deciding import COMPARING
from symtape.rigorous.enclose import enclose
from symtape.symbolic.derivative import gradient, jacobian
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.walk import shadow
from verify.judging.kinks.alternatives import Piece, Problem
from verify.judging.kinks.boundaries import Boundary, boundaries
from verify.judging.kinks.search import Search
from verify.judging.kinks.slopes import PieceSlopes, SlopeEvaluator, coordinates_of
from verify.oracles.closed_form import good_bits

BITS: Final = 600
GOOD: Final = 140
"""Values, and derivatives, from both sides that have this many bits in common are one."""

_ORDER: Final = 8
"""Of the last coefficient by which a germ may decide."""

_STEPS: Final = ((2.0**-40, 0.0), (2.0**-40, 1.0), (2.0**-20, 1.0), (2.0**-8, 1.0))
"""How far to look for another path, relatively to numbers larger than so much. That it is the
right one, the germ says."""


def one_sided(problem: Problem, coordinate: int, sign: int) -> Any:
    """The derivatives of all outputs by one coordinate, from the right (1) or the left (-1).

    Returns
    -------
    object array or None
        Balls, or None where they are not known.
    """
    point = problem.point
    shapes = list(map(np.shape, point))
    line = separate_entries(sign * np.eye(sum(map(math.prod, shapes)))[coordinate], shapes)
    near = graph_in_direction(problem, line)
    if near is None:
        return None
    try:
        found = germ_in_direction(near, point, line, BITS)
        value = enclose(problem.graph, point, BITS)[0]
    except Unsupported:
        return None
    with precision(BITS):
        together = [common(a, b) for a, b in zip(found[..., 0].flat, value.flat, strict=True)]
        slopes = np.asarray(found[..., 1] * sign, dtype=object)
    known = all(good_bits(ball, BITS) >= GOOD for ball in together)
    return slopes if known and all(ball.is_finite() for ball in slopes.flat) else None


def graph_in_direction(problem: Problem, line: Sequence[Any]) -> Graph | None:
    """What the function computes in a direction, for sure; None if that is not known."""
    graph, point = problem.graph, problem.point
    try:
        if _are_decisions_settled(graph, point, line):
            return graph
        for step, least in _STEPS if graph.path else ():
            near = [
                move_relatively(x, part, step, least) for x, part in zip(point, line, strict=True)
            ]
            other = problem.record(near)
            if other.escapes or not _have_same_output_shape(graph, other):
                return None
            if _are_decisions_settled(other, point, line):
                return other
    except (SymtapeError, ArithmeticError, ValueError, LookupError, TypeError):
        return None
    return None


def move_relatively(x: Any, part: Any, step: float, least: float = 1.0) -> Any:
    """A point moved by a step, relatively where its numbers are larger than `least`."""
    size = np.where(x == 0, 1.0, np.maximum(least, np.abs(x)))
    return (x + step * size * part).astype(np.asarray(x).dtype)[()]


def _have_same_output_shape(graph: Graph, other: Graph) -> bool:
    """Whether both have one output, of one shape."""
    ours, theirs = ([one.nodes[at].shape for at in one.outputs] for one in (graph, other))
    return len(ours) == 1 and ours == theirs


def germ_in_direction(graph: Graph, point: Sequence[Any], line: Sequence[Any], bits: int) -> Any:
    """The germ of the output in a direction: its coefficients, along the last axis."""
    return jets.taylor(graph, point, line, bits, _ORDER, germ=True)[0]


_NOTHING: Final = float("nan")


def common(first: Any, *others: Any) -> Any:
    """A ball around balls that overlap; one that is not finite if they do not."""
    result = first
    for ball in others:
        result = result.union(ball) if ball.overlaps(first) else result * _NOTHING
    return result


def _are_decisions_settled(graph: Graph, point: Sequence[Any], line: Sequence[Any]) -> bool:
    """Whether a germ decides everything by coefficients, and takes the path that was recorded."""
    pairs = list(_decisions(graph))
    if any(pair is None for pair in pairs):
        return False
    known = [pair for pair in pairs if pair is not None]
    steps = [step.node for step in graph.path]
    if any(graph.nodes[at].dtype.kind != "b" for at in steps):
        return False
    sources = dict.fromkeys([at for pair in known for at in pair if at is not None] + steps)
    if not sources:
        return True
    wanted = replace(graph, outputs=tuple(sources))
    try:
        series = jets.taylor(wanted, point, line, BITS, _ORDER, germ=True)
    except (ValueError, IndexError):
        # In this direction arrays inside have other sizes.
        return False
    found = dict(zip(sources, series, strict=True))
    for step in graph.path:
        if any(ball != int(step.outcome) for ball in found[step.node][..., 0].flat):
            return False
    return all(_is_decided_by_germ(pair, found) for pair in known)


def _decisions(graph: Graph) -> Iterator[tuple[int, int | None] | None]:
    """What is decided between which nodes, None for 0; None where that cannot be said."""
    moving = set(graph.inputs)
    for at, node in enumerate(graph.nodes):
        if node.primitive is None or not moving.intersection(node.inputs):
            continue
        moving.add(at)
        if all(graph.nodes[i].dtype.kind != "f" for i in node.inputs):
            # What is counted and chosen by truth values was decided where they were.
            continue
        match node.primitive.ties:
            case "inputs":
                yield node.inputs[0], node.inputs[1]
            case "zero":
                yield node.inputs[0], None
            case "elements":
                yield node.inputs[0], node.inputs[0]
            case _ if not _decides_nothing(graph, node):
                yield None


def _decides_nothing(graph: Graph, node: Node) -> bool:
    """Whether an operation decides nothing by the order or the sign of numbers."""
    row = node.row
    kinds = [graph.nodes[i].dtype.kind for i in node.inputs]
    if row.decision in COMPARING or (row.kinks is not None and not row.puiseux):
        return False
    if row.decision == "condition":
        return kinds[0] == "b"
    return node.dtype.kind == "f"


def _all_apart(series: Any) -> bool:
    """Whether all elements are told apart from each other, in their order."""
    rows = [list(row) for row in series.reshape(-1, series.shape[-1])]
    with precision(BITS):
        return all(_leads(a, b) for a, b in itertools.combinations(rows, 2))


def _leads(first: Any, second: Any) -> bool:
    """Whether the first coefficient in which two germs differ is known to differ."""
    gap = [a - b for a, b in zip(first, second, strict=True)]
    leading = next((ball for ball in gap if not ball.is_zero()), None)
    return leading is not None and not leading.contains(0) and leading.is_finite()


def _is_decided_by_germ(pair: tuple[int, int | None], found: dict[int, Any]) -> bool:
    """Whether numbers that are compared are told apart by a coefficient that is not 0."""
    left, right = pair
    first = found[left]
    if left == right:
        return _all_apart(first)
    second = np.zeros_like(first) if right is None else found[right]
    with precision(BITS):
        difference = np.broadcast_arrays(first, second)
        for index in np.ndindex(difference[0].shape[:-1]):
            if not _leads(*(part[index] for part in difference)):
                return False
    return True


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
