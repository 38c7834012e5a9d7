"""Underflow: floats that are on a kink because a small number became 0 on the way there.

``np.sqrt(x * x)`` has the slope 1 at 1e-170, but its root is given 0.0. What meets there in exact
arithmetic says nothing of what floats do, and the other way round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.symbolic.precise import enclose
from symtape.symbolic.shadow import Shadow
from verify.kinks.boundaries import Misled
from verify.kinks.search import Kink

__all__ = ["underflowed"]


def underflowed(graph: Graph, form: Shadow, kink: Kink) -> Misled | None:
    """Why the operation of a kink is not on it in exact arithmetic, if an argument underflowed.

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
            if graph.nodes[at].primitive is not None and _lost(graph, form, at):
                words = (
                    f"{node.name} is given a number that is 0.0 because it underflowed; in exact "
                    "arithmetic the point is beside the kink that the floats are on"
                )
                return Misled(words, node.name, node.origin)
    return None


def _lost(graph: Graph, form: Shadow, at: int) -> bool:
    """Whether an element of a node is 0 in floats, and in exact arithmetic is not."""
    values, ids = np.asarray(form.values[at]), form.ids[at]
    if ids is None or values.dtype.kind != "f" or np.all(values):
        return False
    inputs: list[Any] = [form.values[k] for k in graph.inputs]
    try:
        balls = enclose(form.program, ids[values == 0], inputs)
    except Unsupported:
        return False
    return any(ball != 0 for ball in balls)
