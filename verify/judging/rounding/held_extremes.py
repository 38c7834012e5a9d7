"""What rounding costs a derivative in which the largest element counts as a constant.

The largest exponent is subtracted from all of them for floats' sake; softmax is the same whatever
is subtracted, and books derive it without. In the derivative of the code the terms by the largest
vanish in sum only, and take back what the other terms lose where all exponents are nearly equal.
Who leaves out what vanishes may lose as much as the closed form without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.extrema import MAX, MIN
from verify.judging.rounding.float_value import Allowance, allowance
from verify.judging.rounding.programs import Point
from verify.judging.rounding.tolerances import CERTAIN_BITS
from verify.limits.limit import DEFAULT_BUDGET
from verify.model.quantity import Quantity
from verify.oracles.closed_form import ClosedForms, Truth

_EXTREMES: Final = (MAX, MIN)


def allow_held_extremes(
    program: Graph, point: Point, quantity: Quantity, unit: float
) -> Allowance | None:
    """As :func:`allowance`, of the closed form in which extremes are constants.

    Parameters
    ----------
    program : Graph
        The claim's own.
    point : Point
    quantity : Quantity
    unit : float
        Unit roundoff of the claim's dtype.

    Returns
    -------
    Allowance or None
        None where there are no extremes, or the derivative is another one with them held.
    """
    if not any(node.primitive in _EXTREMES for node in point.graph.nodes):
        return None
    held = replace(point.graph, nodes=tuple(map(_hold, point.graph.nodes, point.values)))
    try:
        truth = ClosedForms(quantity).evaluate(held, point.x, DEFAULT_BUDGET, point.values)
    except Unsupported:
        return None
    same = truth.bits >= CERTAIN_BITS and _is_same(truth, point.exact)
    return allowance(program, point.x, truth, unit) if same else None


def _hold(node: Node, value: Any) -> Node:
    if node.primitive not in _EXTREMES:
        return node
    return replace(node, primitive=None, inputs=(), params={}, constant=np.asarray(value))


def _is_same(one: Truth, other: Truth) -> bool:
    """Whether two enclosures may be of one derivative."""
    overlap = np.frompyfunc(lambda a, b: a.overlaps(b), 2, 1)
    return all(np.all(overlap(*parts)) for parts in zip(one.parts, other.parts, strict=True))
