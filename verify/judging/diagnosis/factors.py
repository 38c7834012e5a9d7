"""A factor that a contribution to a derivative lacks, or has too many: a value of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.primitives.primitive import Primitive

_LACKS: Final = "lacks the factor"
_TWICE: Final = "is once too often multiplied by"

_LEAST: Final = 3
"""Points that a factor has to explain: at one or two some value always fits."""

_MOST: Final = 60
"""Values of a program that are tried."""

_DEPTH: Final = 3
_LONGEST: Final = 40

Alike = Callable[[Any, Any, Any], bool]
Parts = Sequence[Any]
Names = Mapping[int, str]

NO_NAMES: Final[Names] = MappingProxyType({})


def factor_between(
    graph: Graph,
    points: Sequence[tuple[Any, ...]],
    claimed: Sequence[Parts],
    exact: Sequence[Parts],
    alike: Alike,
    names: Names = NO_NAMES,
) -> str:
    """What `claimed` has to be multiplied with to be `exact`, or the other way round, in words.

    Parameters
    ----------
    graph : Graph
        Its values are tried, and 1 less each.
    points : sequence of tuple
        Where the program takes one path.
    claimed, exact : sequences of sequences of float arrays
        A contribution as it is claimed and as it is, at each point, part by part.
    alike : callable
        ``alike(a, b, scale)``.
    names : mapping from int to str
        Of nodes of the program: its arguments, and arrays that it reads.

    Returns
    -------
    str
        ``"lacks the factor x"``; empty if no value of the program explains all points, or if
        that does not vary, so that it says nothing.
    """
    if len(points) < _LEAST:
        return ""
    for words, values in _values(graph, points, names):
        if not _varies(values):
            continue
        for relation, given, wanted in ((_LACKS, claimed, exact), (_TWICE, exact, claimed)):
            for product in _products(given, values):
                if _all_alike(product, wanted, alike):
                    return f"{relation} {words}"
    return ""


def _values(
    graph: Graph, points: Sequence[tuple[Any, ...]], names: Names
) -> Iterator[tuple[str, list[Any]]]:
    """Values of the program at all the points, and what they are called, the simplest first."""
    runs = [graph.values(*x) for x in points]
    found = []
    for at, node in enumerate(graph.nodes):
        known = node.primitive is not None or at in graph.inputs or at in names
        if node.dtype.kind == "f" and known:
            own = "f, the function's value" if at in graph.outputs else ""
            words = spell_value(graph, at, names) or own
            if words:
                found.append((words, [np.asarray(run[at], dtype=float) for run in runs]))
    found.sort(key=lambda pair: len(pair[0]))
    unique = list(dict(found[:_MOST]).items())
    yield from unique
    for words, values in unique:
        rest = words.replace("f, the", "f, where f is the")
        yield f"1 - {rest}", [1 - value for value in values]


def _varies(values: Sequence[Any]) -> bool:
    """Whether a value is more than a number, and moves nothing out of the range of floats."""
    entries = np.concatenate(values, axis=None)
    if not entries.size or not np.all(np.isfinite(entries)):
        return False
    return bool(np.ptp(entries) > 1e-3 * np.max(np.abs(entries)))


def _products(parts: Sequence[Parts], values: Sequence[Any]) -> Iterator[list[list[Any]]]:
    """Each part times a value, in each way that fits without changing its shape.

    A value goes along the last axes of a part, as NumPy broadcasts it, or along the first: those of
    a Jacobian's rows.
    """
    yield from _product(parts, values)
    ndims = {part.ndim for here in parts for part in here}
    if len(ndims) == 1 and 0 < values[0].ndim < max(ndims):
        missing = max(ndims) - values[0].ndim
        yield from _product(parts, [it.reshape(it.shape + (1,) * missing) for it in values])


def _product(parts: Sequence[Parts], values: Sequence[Any]) -> Iterator[list[list[Any]]]:
    found = []
    for here, value in zip(parts, values, strict=True):
        try:
            products = [part * value for part in here]
        except ValueError:
            return
        if any(a.shape != b.shape for a, b in zip(products, here, strict=True)):
            return
        found.append(products)
    yield found


def _all_alike(ours: Sequence[Parts], theirs: Sequence[Parts], alike: Alike) -> bool:
    joined = [
        (np.concatenate(a, axis=None), np.concatenate(b, axis=None))
        for a, b in zip(ours, theirs, strict=True)
    ]
    # Where both are zero anything is a factor.
    telling = sum(bool(np.any(b)) for _, b in joined) >= _LEAST
    return telling and all(alike(a, b, b) for a, b in joined)


def spell_value(graph: Graph, at: int, names: Names = NO_NAMES, depth: int = _DEPTH) -> str:
    """A value of a program as an expression; empty if it is a long one.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: np.exp(-x) * 2, 0.5)
    >>> spell_value(graph, graph.outputs[0], {graph.inputs[0]: "x"})
    'exp(-x) * 2'
    """
    node = graph.nodes[at]
    if at in names:
        return names[at]
    if at in graph.inputs:
        return f"argument {graph.inputs.index(at)}"
    if node.primitive is None:
        constant = np.asarray(node.constant)
        return f"{constant.item():.6g}" if constant.shape == () else ""
    if not depth or node.part is not None:
        return ""
    inner = [spell_value(graph, i, names, depth - 1) for i in node.inputs]
    if not all(inner):
        return ""
    words = _spell_operation(node.primitive, inner)
    return words if len(words) <= _LONGEST else ""


def _spell_operation(row: Primitive, inner: Sequence[str]) -> str:
    if not row.operator:
        return f"{row.name}({', '.join(inner)})"
    operands = [f"({x})" if " " in x else x for x in inner]
    return f" {row.operator} ".join(operands) if operands[1:] else row.operator + operands[0]
