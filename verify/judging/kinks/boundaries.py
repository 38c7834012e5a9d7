"""Branches: comparisons of numbers that are equal at the point, or that rounding misleads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.symbolic.precise import enclose
from symtape.symbolic.shadow import Shadow
from verify.judging.kinks.alternatives import Gap, gap_of
from verify.judging.kinks.search import Kink, which_are_fixed

_TIE_DISTANCE: Final = 2.0**-40
"""Floats nearer to each other than this, relatively, are compared again in exact arithmetic."""

_BITS: Final = 300


@dataclass(frozen=True, slots=True)
class RoundedChoice:
    """A comparison or choice that rounding decides otherwise than exact arithmetic does."""

    words: str
    op: str
    origin: Any


@dataclass(frozen=True, slots=True)
class Boundary:
    """One element of a comparison of two numbers that are equal.

    Attributes
    ----------
    node : int
    index : tuple of int
    gap : Gap
        What is compared.
    sign : int
        With which sign the left side less the right is that gap.
    """

    node: int
    index: tuple[int, ...]
    gap: Gap
    sign: int


def goes_by_order(node: Node) -> bool:
    """Whether a node chooses by an order; comparisons and signs are looked at by themselves."""
    row = node.primitive
    if row is None:
        return False
    chooses = bool(row.ties) or row.decision == "order"
    return chooses and not row.compares and not (row.ties == "zero" and row.cuts)


def is_comparison(node: Node) -> bool:
    """Whether a node compares two numbers."""
    return node.primitive is not None and node.primitive.compares


def outcome(node: Node, sign: int) -> bool:
    """What a comparison comes to if the left side less the right has a sign."""
    return bool(node.row.evaluate(sign, 0))


def boundaries(form: Shadow, point: Sequence[Any]) -> Iterator[Boundary | RoundedChoice]:
    """The comparisons that hold with equality at the point, and those that floats get wrong.

    Parameters
    ----------
    form : Shadow
        At `point`.
    point : sequence of arrays
    """
    for at, node in enumerate(form.graph.nodes):
        if not is_comparison(node):
            continue
        for index, pair in _close(form, node):
            found = _compare_pair(form, point, at, index, pair)
            if found is not None:
                yield found


def _close(form: Shadow, node: Node) -> Iterator[tuple[tuple[int, ...], tuple[int, int]]]:
    """Where a comparison is of numbers that are as good as equal, with the statements of both."""
    left, right = (np.asarray(form.values[i], dtype=float) for i in node.inputs)
    size = np.maximum(np.abs(left), np.abs(right))
    near = (np.abs(left - right) <= _TIE_DISTANCE * size) & np.isfinite(size)
    if not np.any(near):
        return
    ids = [np.broadcast_to(statements(form, i), node.shape) for i in node.inputs]
    fixed = which_are_fixed(form.program)
    for found in np.argwhere(np.broadcast_to(near, node.shape)).tolist():
        index = tuple(found)
        pair = (int(ids[0][index]), int(ids[1][index]))
        if not (fixed[pair[0]] and fixed[pair[1]]):
            yield index, pair


def statements(form: Shadow, at: int) -> Any:
    """The statement of each element of a node; of one that is locally constant, its value."""
    if (ids := form.ids[at]) is not None:
        return ids
    value = np.asarray(form.values[at])
    flat = [form.program.constant(x) for x in value.ravel().tolist()]
    return np.array(flat, dtype=np.int64).reshape(value.shape)


def _compare_pair(
    form: Shadow, point: Sequence[Any], at: int, index: tuple[int, ...], pair: tuple[int, int]
) -> Boundary | RoundedChoice | None:
    """Whether both numbers may be equal exactly, or floats compare them wrongly."""
    if pair[0] == pair[1]:
        return None
    difference = np.array(form.program.subtract(*pair))
    (ball,) = np.ravel(enclose(form.program, difference, point, _BITS))
    if not ball.is_finite() or ball.contains(0):
        return Boundary(at, index, *gap_of(form.program, *pair))
    node = form.graph.nodes[at]
    if outcome(node, 1 if ball > 0 else -1) == bool(np.asarray(form.values[at])[index]):
        return None
    words = (
        f"the comparison {shown_comparison(form, at, index)} differs between floats and exact "
        f"arithmetic, where the two sides are {float(abs(ball).mid()):.2g} apart; rounding "
        "picks the branch here, so give a point farther from its boundary"
    )
    return RoundedChoice(words, node.name, node.origin)


def meets_boundary(form: Shadow, point: Sequence[Any]) -> bool:
    """Whether a comparison holds with equality at the point."""
    return any(isinstance(found, Boundary) for found in boundaries(form, point))


def boundary_kink(form: Shadow, boundary: Boundary) -> Kink:
    """What there is to say of a point where a comparison holds with equality."""
    node = form.graph.nodes[boundary.node]
    shown = shown_comparison(form, boundary.node, boundary.index)
    return Kink(f"{shown} holds with equality", node.name, node.origin)


def shown_comparison(form: Shadow, at: int, index: tuple[int, ...]) -> str:
    """A comparison with the numbers that it is of."""
    node = form.graph.nodes[at]
    left, right = (
        np.broadcast_to(np.asarray(form.values[i]), node.shape)[index] for i in node.inputs
    )
    where = f" (element {list(index)})" if index else ""
    return f"{left} {node.row.decision} {right}{where}"
