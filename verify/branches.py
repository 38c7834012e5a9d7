"""Branches: whether the point is on the boundary of one, and whether that does harm.

A comparison that holds with equality may turn out either way beside the point. The graph is
read again with every outcome; where values and derivatives agree in all of these readings the
boundary is harmless, for near the point the function is one of finitely many smooth ones that
agree there to first order.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.symbolic.derivative import gradient, jacobian
from symtape.symbolic.precise import enclose
from symtape.symbolic.shadow import Shadow, reread
from verify.kinks import Kink, kink_at

__all__ = ["Misled", "branch_at"]

_COMPARISONS: Final[dict[str, tuple[str, Callable[[Any, Any], Any]]]] = {
    "greater": (">", operator.gt),
    "greater_equal": (">=", operator.ge),
    "less": ("<", operator.lt),
    "less_equal": ("<=", operator.le),
    "equal": ("==", operator.eq),
    "not_equal": ("!=", operator.ne),
}

_NEAR: Final = 2.0**-40
"""Floats nearer to each other than this, relatively, are compared again in exact arithmetic."""

_BITS: Final = 300
_MOST_READINGS: Final = 81


@dataclass(frozen=True, slots=True)
class Misled:
    """A comparison that rounding decides otherwise than exact arithmetic does."""

    words: str
    op: str
    origin: Any


@dataclass(frozen=True, slots=True)
class _Place:
    """One element of a comparison."""

    node: int
    index: tuple[int, ...]


Boundary = tuple[_Place, ...]
"""The places where the same two numbers are compared, and are equal."""


def branch_at(
    graph: Graph, form: Shadow, point: Sequence[Any], quantity: str
) -> Kink | Misled | None:
    """The boundary of a branch that the point is on, unless it is certainly harmless.

    Parameters
    ----------
    graph : Graph
    form : Shadow
        Of `graph` at `point`.
    point : sequence of arrays
    quantity : str
        For a Hessian, sides that agree to first order are not enough.
    """
    found: dict[tuple[int, int], list[_Place]] = {}
    for place, pair in _close(graph, form):
        boundary = _compared(graph, form, point, place, pair)
        if isinstance(boundary, Misled):
            return boundary
        if boundary:
            found.setdefault((min(pair), max(pair)), []).append(place)
    boundaries = [tuple(places) for places in found.values()]
    if not boundaries:
        return None
    return _differing(graph, form, point, quantity, boundaries)


def _close(graph: Graph, form: Shadow) -> Iterator[tuple[_Place, tuple[int, int]]]:
    """Comparisons of numbers that are as good as equal, with the statements of both."""
    for at, node in enumerate(graph.nodes):
        if node.primitive is None or node.name not in _COMPARISONS:
            continue
        left, right = (np.asarray(form.values[i], dtype=float) for i in node.inputs)
        with np.errstate(all="ignore"):
            near = np.abs(left - right) <= _NEAR * np.maximum(np.abs(left), np.abs(right))
        if not np.any(near):
            continue
        ids = [np.broadcast_to(_statements(form, i), node.shape) for i in node.inputs]
        for found in np.argwhere(np.broadcast_to(near, node.shape)).tolist():
            index = tuple(found)
            pair = (int(ids[0][index]), int(ids[1][index]))
            if not all(k in form.program.constants for k in pair):
                yield _Place(at, index), pair


def _statements(form: Shadow, at: int) -> Any:
    if (ids := form.ids[at]) is not None:
        return ids
    value = np.asarray(form.values[at])
    flat = [form.program.constant(x) for x in value.ravel().tolist()]
    return np.array(flat, dtype=np.int64).reshape(value.shape)


def _compared(
    graph: Graph, form: Shadow, point: Sequence[Any], place: _Place, pair: tuple[int, int]
) -> Misled | bool:
    """Whether both numbers may be equal exactly, or floats compare them wrongly."""
    gap = np.array(form.program.subtract(*pair))
    (ball,) = np.ravel(enclose(form.program, gap, point, _BITS))
    if not ball.is_finite() or ball.contains(0):
        return True
    node = graph.nodes[place.node]
    _, compare = _COMPARISONS[node.name]
    if bool(compare(1 if ball > 0 else -1, 0)) == bool(form.values[place.node][place.index]):
        return False
    words = (
        f"the comparison {_shown(node, form, place)} comes out otherwise in floats than in exact "
        f"arithmetic, where the two sides are {float(abs(ball).mid()):.2g} apart; rounding picks "
        "the branch here, so give a point farther from its boundary"
    )
    return Misled(words, node.name, node.origin)


def _differing(
    graph: Graph, form: Shadow, point: Sequence[Any], quantity: str, boundaries: list[Boundary]
) -> Kink | None:
    for readings, signs in enumerate(_outcomes(len(boundaries))):
        changed = [places for places, sign in zip(boundaries, signs, strict=True) if sign]
        if readings >= _MOST_READINGS:
            return _on_boundary(graph, form, boundaries[0])
        forced = {
            (place.node, place.index): sign
            for places, sign in zip(boundaries, signs, strict=True)
            for place in places
        }
        if not _agrees(graph, form, point, quantity, forced):
            return _on_boundary(graph, form, changed[0])
    return None


def _outcomes(count: int) -> Iterator[tuple[int, ...]]:
    """Which side of each boundary a neighbour may be on; first those that cross a single one."""
    every = itertools.product((0, 1, -1), repeat=count)
    crossing = [
        tuple(sign if k == which else 0 for k in range(count))
        for which in range(count)
        for sign in (1, -1)
    ]
    seen = set(crossing)
    yield from crossing
    yield from (signs for signs in every if any(signs) and signs not in seen)


def _agrees(
    graph: Graph,
    form: Shadow,
    point: Sequence[Any],
    quantity: str,
    forced: dict[tuple[int, tuple[int, ...]], int],
) -> bool:
    """Whether the reading in which comparisons are `forced` is the same to first order."""
    try:
        values = _values(graph, form, forced)
        if any(bool(values[step.node]) != step.outcome for step in graph.path):
            return False
        other = reread(form, values)
    except (ValueError, IndexError, Unsupported):
        # With another outcome the arrays have other shapes, or values that no index can be.
        return False
    if all(np.array_equal(a, b) for a, b in zip(form.outputs, other.outputs, strict=True)):
        return True
    if quantity == "hessian" or kink_at(graph, other) is not None:
        return False
    first = gradient if quantity == "gradient" else jacobian
    return all(
        _same(form, np.asarray(a), np.asarray(b), point)
        for a, b in zip([*form.outputs, *first(form)], [*other.outputs, *first(other)], strict=True)
    )


def _same(form: Shadow, ours: Any, theirs: Any, point: Sequence[Any]) -> bool:
    apart = ours != theirs
    if not np.any(apart):
        return True
    balls = enclose(form.program, np.stack([ours[apart], theirs[apart]]), point, _BITS)
    return all(a.is_exact() and b.is_exact() and a == b for a, b in balls.T)


def _values(
    graph: Graph, form: Shadow, forced: dict[tuple[int, tuple[int, ...]], int]
) -> list[Any]:
    """The value of every node, with the comparisons that are `forced` to come out by a sign."""
    by_node: dict[int, dict[tuple[int, ...], int]] = {}
    for (at, index), sign in forced.items():
        by_node.setdefault(at, {})[index] = sign
    known = {id(graph.nodes[at]): at for at in by_node}

    def apply(node: Node, args: list[Any]) -> Any:
        assert node.primitive is not None
        result = node.primitive.evaluate(*args, **node.params)
        if id(node) not in known:
            return result
        result = np.array(result)
        _, compare = _COMPARISONS[node.name]
        for index, sign in by_node[known[id(node)]].items():
            result[index] = compare(sign, 0)
        return result[()]

    with np.errstate(all="ignore"):
        return graph.interpret(
            [form.values[at] for at in graph.inputs],
            constant=lambda node: node.constant,
            apply=apply,
        )


def _on_boundary(graph: Graph, form: Shadow, places: Boundary) -> Kink:
    node = graph.nodes[places[0].node]
    shown = _shown(node, form, places[0])
    return Kink(
        f"the comparison {shown} holds with equality, so the point is on the boundary of a "
        "branch, beside which the function may have another derivative",
        node.name,
        node.origin,
    )


def _shown(node: Node, form: Shadow, place: _Place) -> str:
    sign, _ = _COMPARISONS[node.name]
    left, right = (
        np.broadcast_to(np.asarray(form.values[i]), node.shape)[place.index] for i in node.inputs
    )
    where = f" (element {list(place.index)})" if place.index else ""
    return f"{left} {sign} {right}{where}"
