"""Where a point stands: inside the domain of the function, or outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from verify.judging.kinks.search import quote

_ASIDE: Final = 2.0**-10
"""How far beside a point the function is looked at, relatively where its numbers are large."""


def not_finite(point: Sequence[Any], names: Sequence[str]) -> str:
    """Words for the first argument that is not finite; empty if all are."""
    for name, x in zip(names, point, strict=True):
        bad = ~np.isfinite(np.asarray(x))
        if not np.any(bad):
            continue
        if not np.ndim(x):
            return f"the argument {name} is {x}, which is not finite"
        index = tuple(int(k) for k in np.argwhere(bad)[0])
        value = np.asarray(x)[index]
        return f"the argument {name} holds {value} at {list(index)}, which is not finite"
    return ""


def describe_flushed_argument(point: Sequence[Any], names: Sequence[str]) -> str:
    """Words for the first argument that code which flushes takes for 0; empty if none is.

    Such code is then at another point than the one in question, which may be on a kink.
    """
    for name, x in zip(names, point, strict=True):
        array = np.asarray(x)
        if array.dtype.kind != "f":
            continue
        tiny = (array != 0) & (np.abs(array) < np.finfo(array.dtype).smallest_normal)
        if np.any(tiny):
            value = array[tiny].ravel()[0]
            return (
                f"{name} holds {value}, a subnormal number, which compiled code may take for 0: it "
                "is not known at which point the claim was asked"
            )
    return ""


def describe_overflow(parts: Sequence[Any], dtype: Any) -> str:
    """Words for the first enclosure of a derivative that no float of `dtype` can be near."""
    largest = float(np.finfo(dtype).max)
    for part in parts:
        for ball in part.ravel():
            if abs(ball) > largest:
                shown = ball.str(6, radius=False)
                return f"the exact derivative, {shown}, is beyond the range of {np.dtype(dtype)}"
    return ""


def find_domain_violation(graph: Graph, values: Sequence[Any]) -> tuple[str, str, Any] | None:
    """The first operation outside its domain, if that makes an output not finite.

    Of matrices, which LAPACK reads in part only, also where the output is finite.

    Returns
    -------
    words, name, origin
        None if every output is finite.
    """
    used = _find_used_nodes(graph)
    if all(np.all(np.isfinite(values[at])) for at in graph.outputs):
        return _find_array_violation(graph, values, used)
    for at, node in enumerate(graph.nodes):
        if node.primitive is None or at not in used or node.dtype.kind != "f":
            continue
        value = values[at]
        inputs = [values[i] for i in node.inputs]
        if np.all(np.isfinite(value)) or not all(_finite(x) for x in inputs):
            continue
        narrow = f" in {node.dtype}" if node.dtype != np.float64 else ""
        words = f"{node.name} of {quote(inputs)} is {quote([value])}{narrow}"
        return words, node.name, node.origin
    return "the function's value is not finite", "", None


def _find_array_violation(
    graph: Graph, values: Sequence[Any], used: set[int]
) -> tuple[str, str, Any] | None:
    """The first operation on whole arrays that is given one outside its domain."""
    for at, node in enumerate(graph.nodes):
        row = node.primitive
        if at not in used or row is None or row.elementwise or row.domain is None:
            continue
        inputs = [values[i] for i in node.inputs]
        if not np.all(row.domain(*inputs, **node.params)):
            return f"{node.name} is not defined at {quote(inputs)}", node.name, node.origin
    return None


def _finite(value: Any) -> bool:
    array = np.asarray(value)
    return array.dtype.kind not in "fc" or bool(np.all(np.isfinite(array)))


def _find_used_nodes(graph: Graph) -> set[int]:
    """The nodes that an output is computed from."""
    used, waiting = set(), list(graph.outputs)
    while waiting:
        at = waiting.pop()
        if at not in used:
            used.add(at)
            waiting.extend(graph.nodes[at].inputs)
    return used


def defined_beside(graph: Graph, point: Sequence[Any]) -> Any:
    """Whether floats find the function finite on either side along each axis."""
    flags = []
    for which, x in enumerate(point):
        array = np.asarray(x)
        for k in range(array.size):
            for sign in (-1, 1):
                moved = array.copy()
                moved.flat[k] += sign * _ASIDE * max(1.0, abs(float(array.flat[k])))
                near = [moved[()] if i == which else y for i, y in enumerate(point)]
                with np.errstate(all="ignore"):
                    flags.append(all(np.all(np.isfinite(y)) for y in graph.evaluate(*near)))
    return np.array(flags, dtype=bool).reshape(-1, 2)
