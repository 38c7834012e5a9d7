"""Where a wrong derivative comes from, and the simple mistake that would explain it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import symtape
from symtape.errors import SymtapeError
from symtape.graph.graph import Graph, Node
from symtape.graph.freeze import record
from symtape.symbolic.budget import Budget
from verify.claim import Claim
from verify.comparison import Comparison
from verify.witnesses.closed_form import truth
from verify.witnesses.derivative_program import excluded

__all__ = ["blame", "likely_cause"]


def blame(claim: Claim, graph: Graph, values: Sequence[Any]) -> Node | None:
    """The first operation of `graph` whose own rule is wrong at the values it was given.

    Only the tape's rules can be looked into; of a claim by others the answer is None.
    """
    if not claim.ours:
        return None
    tried = set()
    for node in graph.nodes:
        if node.primitive is None or node.dtype.kind != "f" or not any(node.primitive.rules):
            continue
        inputs = [values[i] for i in node.inputs]
        key = (node.primitive.name, str(node.params), *(np.shape(x) for x in inputs))
        if key in tried:
            continue
        tried.add(key)
        if _rule_is_wrong(node, inputs, graph):
            return node
    return None


def _rule_is_wrong(node: Node, inputs: list[Any], graph: Graph) -> bool:
    floats = [k for k, i in enumerate(node.inputs) if graph.nodes[i].dtype.kind == "f"]

    def alone(*xs: Any) -> Any:
        assert node.primitive is not None
        given = dict(zip(floats, xs, strict=True))
        result = node.primitive(
            *(given.get(k, value) for k, value in enumerate(inputs)), **node.params
        )
        return result if node.part is None else result[node.part]

    point = [inputs[k] for k in floats]
    derivative = symtape.jacobian(alone, argnums=tuple(range(len(floats))))
    try:
        exact = truth(record(alone, *point), point, "jacobian", Budget(seconds=5.0))
        program = record(lambda *xs: list(derivative(*xs)), *point)
        return any(bool(np.any(flags)) for flags in excluded(program, point, exact))
    except (SymtapeError, LookupError, ValueError, TypeError):
        return False


def likely_cause(compared: Comparison) -> str:
    """The simple mistake that explains every entry alike; empty if none does.

    Examples
    --------
    >>> likely_cause(Comparison(None, True, 0.0, np.array([-1.0, -1.0])))
    'the sign is wrong'
    >>> likely_cause(Comparison(None, True, 0.0, np.array([2.0, 2.0])))
    'it is 2 times too large'
    """
    ratios = compared.ratios
    if not len(ratios) or not np.all(np.isfinite(ratios)):
        return ""
    factor = float(ratios[0])
    if np.max(np.abs(ratios - factor)) > 1e-9 * abs(factor):
        return ""
    if factor == 0:
        return "it is zero"
    if abs(factor + 1) < 1e-9:
        return "the sign is wrong"
    if abs(factor - 1) < 1e-6:
        return ""
    size = "large" if abs(factor) > 1 else "small"
    times = factor if abs(factor) > 1 else 1 / factor
    return f"it is {times:.6g} times too {size}"
