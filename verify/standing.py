"""Where a point stands: inside the domain, on a kink, or outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.symbolic.shadow import Shadow

__all__ = ["kink_at", "not_finite", "outside_at"]


def not_finite(point: Sequence[Any]) -> str:
    """Words for the first argument that is not finite; empty if all are."""
    for number, x in enumerate(point):
        if not np.all(np.isfinite(x)):
            return f"argument {number} of the point is {_short(x)}, which is not finite"
    return ""


def outside_at(graph: Graph, values: Sequence[Any]) -> str:
    """Words for the first operation outside its domain that makes an output not finite."""
    if all(np.all(np.isfinite(values[at])) for at in graph.outputs):
        return ""
    for node, at in _applied(graph):
        value = values[at]
        if value.dtype.kind != "f" or np.all(np.isfinite(value)):
            continue
        inputs = [values[i] for i in node.inputs]
        if all(np.all(np.isfinite(x)) for x in inputs):
            return f"{node.name} of {_short(inputs)} is {_short(value)}, at {node.origin}"
    return "the function's value is not finite"


def kink_at(graph: Graph, form: Shadow) -> tuple[str, Node] | None:
    """The first operation without a classical derivative at the point that the output uses."""
    used = set(form.program.needed([at for part in form.outputs for at in part.ravel().tolist()]))
    for node, at in _applied(graph):
        assert node.primitive is not None
        if node.primitive.kinks is None or node.dtype.kind != "f":
            continue
        inputs = [form.values[i] for i in node.inputs]
        mask = np.asarray(node.primitive.kinks(*inputs, **node.params))
        if np.any(mask) and _matters(mask, form.ids[at], used):
            return f"{node.name} has no classical derivative at {_short(inputs)}", node
    return None


def _matters(mask: Any, ids: Any, used: set[int]) -> bool:
    """Whether an element on the kink goes into the output."""
    if ids is None:
        return True
    chosen = ids[mask] if mask.shape == ids.shape else ids
    return any(at in used for at in chosen.ravel().tolist())


def _applied(graph: Graph) -> Iterator[tuple[Node, int]]:
    for at, node in enumerate(graph.nodes):
        if node.primitive is not None:
            yield node, at


def _short(value: Any) -> str:
    text = ", ".join(str(v) for v in value) if isinstance(value, list) else str(value)
    return text if len(text) <= 80 else text[:77] + "..."
