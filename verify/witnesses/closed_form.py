"""The closed form as a witness: the shadow's derivative in balls, at as many bits as it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from flint import arb

from symtape.graph.graph import Graph
from symtape.symbolic.budget import Budget
from symtape.symbolic.derivative import gradient, hessian, jacobian
from symtape.symbolic.precise import enclose
from symtape.symbolic.shadow import Shadow, shadow

__all__ = ["Truth", "shape_of", "truth"]

FIRST_BITS: Final = 300
MOST_BITS: Final = 4800

_BELOW_FLOATS: Final = arb((1, -1076))
"""Less than half the smallest positive float64."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Enclosures of the exact derivative, one object array of balls for each part.

    Attributes
    ----------
    parts : list of object arrays
        In the order of :func:`entries_of`.
    ids : list of int arrays
        The statements of the shadow's program that they are.
    shadow : Shadow
    bits : int
        Every ball's radius is below ``2**-bits`` of its value.
    precision : int
        The working precision that this took.
    """

    parts: list[Any]
    ids: list[Any]
    shadow: Shadow
    bits: int
    precision: int

    @property
    def finite(self) -> bool:
        """Whether every entry has a finite enclosure."""
        return all(ball.is_finite() for part in self.parts for ball in part.ravel())


def truth(graph: Graph, point: Sequence[Any], quantity: str, budget: Budget) -> Truth:
    """Enclose the exact derivative of `graph` at `point` by its closed form.

    The precision starts at 300 bits and doubles until every entry is known to half of it, or
    4,800 bits are reached.

    Raises
    ------
    BudgetSpent, Unsupported
        From the shadow.
    """
    form = shadow(graph, point, budget)
    ids = _ids(form, quantity)
    precision = FIRST_BITS
    while True:
        parts = [enclose(form.program, part, point, precision) for part in ids]
        bits = min(
            (_bits(ball, precision) for part in parts for ball in part.ravel()), default=precision
        )
        found = Truth(parts, ids, form, min(bits, precision), precision)
        if 2 * bits >= precision or precision >= MOST_BITS:
            return found
        precision *= 2


def _ids(form: Shadow, quantity: str) -> list[Any]:
    if quantity == "gradient":
        return list(gradient(form))
    if quantity == "jacobian":
        return list(jacobian(form))
    return [block for row in hessian(form) for block in row]


def _bits(ball: Any, precision: int) -> int:
    """How many bits of `ball` are good; `precision` for an exact one, 0 for one that is none.

    A ball around 0 is good when no float but 0 is in it: its bits are absolute.
    """
    if not ball.is_finite():
        return 0
    if ball.is_exact():
        return precision
    if ball.contains(0):
        return precision if ball.rad() < _BELOW_FLOATS else 0
    return max(int(ball.rel_accuracy_bits()), 0)


def shape_of(graph: Graph, quantity: str) -> list[tuple[int, ...]]:
    """The shapes of the parts of a derivative of `graph`."""
    inputs = [graph.nodes[at].shape for at in graph.inputs]
    output = graph.nodes[graph.outputs[0]].shape
    if quantity == "gradient":
        return inputs
    if quantity == "jacobian":
        return [output + shape for shape in inputs]
    return [first + second for first in inputs for second in inputs]
