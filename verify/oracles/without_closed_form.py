"""The exact derivative by jets alone, where there is no closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.rigorous import jets
from symtape.rigorous.enclose import enclose
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from verify.files import places
from verify.model.quantity import Quantity, to_quantity
from verify.oracles.closed_form import MOST_BITS, Truth, good_bits
from verify.oracles.jets import (
    FIRST_BITS,
    MOST_SUSPECTS,
    NOT_KNOWN,
    are_disjoint,
    axes,
    contract_truth,
    differentiate_along,
    lines_for,
    other_values,
    pull_outputs,
    random_line,
)
from verify.oracles.single_operation import isolate_operation

_SHAKES: Final = 2
"""Directions in which it is asked whether the path stays the same."""

_MOST_EXPANSIONS: Final = 500
"""Most expansions that a whole derivative may take where there is no closed form."""


def truth_by_jets(
    graph: Graph,
    point: Sequence[Any],
    values: list[Any],
    quantity: str | Quantity,
    shadow: Shadow | None = None,
) -> Truth | None:
    """Enclose the exact derivative by jets, where the closed form cannot.

    Parameters
    ----------
    graph : Graph
    point : sequence of arrays
    values : list
        Of the nodes of `graph` at the point.
    quantity : str or Quantity
    shadow : Shadow, optional
        If there is one, and only its derivative is not finite.

    Returns
    -------
    Truth or None
        None where jets do not know it either, where it would take too many of them, or where
        the point lies on the boundary of the path that was recorded.

    Raises
    ------
    Unsupported
        Jets have another value than balls.
    """
    quantity = to_quantity(quantity)
    if _expansions(graph, quantity) > _MOST_EXPANSIONS:
        return None
    bits = FIRST_BITS
    whole = _Whole(graph, quantity)
    try:
        if not _keeps_its_path(graph, point, bits):
            return None
        while True:
            parts = whole.enclose(point, bits)
            good = min((good_bits(x, bits) for part in parts for x in part.flat), default=bits)
            if not all(x.is_finite() for part in parts for x in part.flat):
                return None
            if 2 * good >= bits or bits >= MOST_BITS:
                break
            bits *= 2
    except Unsupported:
        return None
    made = shadow or _empty_shadow(graph, values)
    found = Truth(parts, [], made, min(good, bits), bits, whole, [], by_jets=True)
    if _is_linear(graph, point, found, quantity):
        return found
    if words := _other_than_balls(graph, values):
        raise Unsupported(words)
    return None


def _other_than_balls(graph: Graph, values: list[Any]) -> str:
    """Words of the first operation of which alone series begin with other values than balls."""
    for node in graph.nodes[:MOST_SUSPECTS]:
        if node.primitive is None or node.dtype.kind != "f":
            continue
        try:
            single, given = isolate_operation(node, [values[i] for i in node.inputs])
            line = random_line(single, range(len(given)), 0)
            expanded = jets.taylor(single, given, line, FIRST_BITS)
            words = other_values(expanded, enclose(single, given, FIRST_BITS))
        except NOT_KNOWN:
            continue
        if words:
            place = places.relative(places.place_of_origin(node.origin))
            return f"oracle conflict: of {node.name} at {place} {words}"
    return ""


class _Whole:
    """A whole derivative by jets, which can be asked again at more bits."""

    order: tuple[int, ...] = ()

    def __init__(self, graph: Graph, quantity: Quantity) -> None:
        self._graph, self._quantity = graph, quantity

    def enclose(self, point: Sequence[Any], bits: int) -> list[Any]:
        """The parts of the derivative, at `bits` bits."""
        graph, quantity, count = self._graph, self._quantity, len(point)
        if quantity.name == "jvp":
            (lines,) = lines_for(graph, point, quantity)
            return jets.jvp(graph, point, lines[0], bits)
        if quantity.name in ("vjp", "hvp"):
            return self._differentiate_entries(point, bits)
        if quantity.name == "hessian":
            blocks = jets.hessian(graph, point, bits)
            return [blocks[count * i + j] for i, j in quantity.parts(count)]
        by = jets.jacobian(graph, point, bits)
        return [by[i] for (i,) in quantity.parts(count)]

    def _differentiate_entries(self, point: Sequence[Any], bits: int) -> list[Any]:
        """Of a product, entry by entry."""
        graph, quantity, count = self._graph, self._quantity, len(point)
        parts = [np.empty(np.shape(point[i]), dtype=object) for (i,) in quantity.parts(count)]
        places = [part[0] for part in quantity.parts(count)]
        along = next(lines_for(graph, point, quantity), [[]])[-1]
        for number, index, axis in axes(graph, places):
            if quantity.name == "hvp":
                found = jets.mixed_derivative(graph, point, [axis, along], bits)[0]
            else:
                found = pull_outputs(jets.jvp(graph, point, axis, bits), point, quantity, bits)
            parts[places.index(number)][index] = found[()]
        return parts


def _empty_shadow(graph: Graph, values: list[Any]) -> Shadow:
    """A shadow that says nothing but the values of the nodes."""
    unknown: list[Any] = [None] * len(graph.nodes)
    return Shadow(Program(), [], [], [], graph, values, unknown, [], [])


def _expansions(graph: Graph, quantity: Quantity) -> int:
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    if quantity.name == "jvp":
        return 1
    size = sum(int(np.prod(shapes[i])) for i in quantity.moving(len(shapes)))
    if quantity.name == "hessian":
        size = sum(map(int, map(np.prod, shapes)))
        return size * (size + 1) // 2
    return 2 * size if quantity.name == "hvp" else size


def _keeps_its_path(graph: Graph, point: Sequence[Any], bits: int) -> bool:
    """Whether near the point every decision of the recorded path is the same."""
    if not graph.path:
        return True
    steps = replace(graph, outputs=tuple(step.node for step in graph.path))
    for seed in range(_SHAKES):
        line = random_line(graph, range(len(point)), seed)
        expanded = jets.taylor(steps, point, line, bits)
        for step, found in zip(graph.path, expanded, strict=True):
            value = found[..., 0].ravel()
            if not all(x.is_exact() or not x.contains(0) for x in value):
                return False
            if any(x.is_zero() for x in value) and graph.nodes[step.node].dtype.kind == "f":
                return False
    return True


def _is_linear(graph: Graph, point: Sequence[Any], truth: Truth, quantity: Quantity) -> bool:
    """Whether a direction between the axes confirms the axes, as it does of smooth functions.

    Of what is pushed forward it is the way back that has to.
    """
    (*rest, last) = next(lines_for(graph, point, quantity, drawn=True), [[]])
    lines = [*rest, last]
    if quantity.name == "jvp":
        lines = [[-part for part in last]]
    said = differentiate_along(
        graph, point, quantity, truth.precision, lines, enclose(graph, point, FIRST_BITS)
    )
    if said is None or isinstance(said, str):
        return False
    if not all(x.is_finite() for part in said[0] for x in part.flat):
        return False
    expected = contract_truth(truth, graph, quantity, lines)
    if quantity.name == "jvp":
        expected = [-part for part in expected]
    return not any(
        are_disjoint(a, b)
        for one, other in zip(said[0], expected, strict=True)
        for a, b in zip(one.ravel(), other.ravel(), strict=True)
    )
