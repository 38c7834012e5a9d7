"""Underflow and rounding: floats that are on a kink because the way there put them on it.

``np.sqrt(x * x)`` has the slope 1 at 1e-170, but its root is given 0.0; ``np.arccos(np.cos(x))``
has the slope 1 at 1e-9, but is given 1.0. What meets there in exact arithmetic says nothing of
what floats do, and the other way round.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.symbolic.precise import enclose
from symtape.symbolic.shadow import Shadow
from verify.kinks.boundaries import RoundedChoice
from verify.kinks.search import Kink

_UNDERFLOWS: Final = float(np.finfo(float).smallest_normal)


def underflowed(graph: Graph, form: Shadow, kink: Kink) -> RoundedChoice | None:
    """Why the operation of a kink is not on it in exact arithmetic, if rounding put it there.

    Parameters
    ----------
    graph : Graph
    form : Shadow
        Of `graph`, with the floats at the point.
    kink : Kink
    """
    for node in graph.nodes:
        if node.primitive is None or (node.name, node.origin) != (kink.op, kink.origin):
            continue
        for at in node.inputs:
            if graph.nodes[at].primitive is None:
                continue
            if (lost := _lost(graph, form, at)) is not None:
                why = "because it underflowed" if lost < _UNDERFLOWS else "by rounding"
                words = (
                    f"{node.name} is given a number that is 0.0 {why}; in exact "
                    "arithmetic the point is beside the kink that the floats are on"
                )
                return RoundedChoice(words, node.name, node.origin)
        if (value := _rounded(graph, form, node)) is not None:
            words = (
                f"{node.name} is given {value} by rounding; in exact arithmetic the point is "
                "beside the kink that the floats are on"
            )
            return RoundedChoice(words, node.name, node.origin)
    return None


def _rounded(graph: Graph, form: Shadow, node: Node) -> float | None:
    """The float at a kink of `node` that is another number in exact arithmetic; None if none is.

    Of an operation that has its kinks at single numbers: one of one argument.
    """
    row = node.primitive
    if row is None or row.kinks is None or not row.elementwise or len(node.inputs) != 1:
        return None
    (at,) = node.inputs
    values, ids = np.asarray(form.values[at]), form.ids[at]
    if ids is None or graph.nodes[at].primitive is None or values.dtype.kind != "f":
        return None
    at_kink = np.broadcast_to(np.asarray(row.kinks(form.values[at], **node.params)), values.shape)
    inputs: list[Any] = [form.values[k] for k in graph.inputs]
    try:
        balls = enclose(form.program, ids[at_kink], inputs)
    except Unsupported:
        return None
    for value, ball in zip(values[at_kink].tolist(), np.ravel(balls).tolist(), strict=True):
        if ball.is_finite() and not ball.contains(value):
            return float(value)
    return None


def _lost(graph: Graph, form: Shadow, at: int) -> float | None:
    """The size of an element that is 0 in floats, and in exact arithmetic is not; None: of none."""
    values, ids = np.asarray(form.values[at]), form.ids[at]
    if ids is None or values.dtype.kind != "f" or np.all(values):
        return None
    inputs: list[Any] = [form.values[k] for k in graph.inputs]
    try:
        balls = enclose(form.program, ids[values == 0], inputs)
    except Unsupported:
        return None
    sizes = (abs(float(ball.mid())) for ball in balls if ball != 0)
    return next(sizes, None)
