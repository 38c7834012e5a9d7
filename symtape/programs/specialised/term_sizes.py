"""How large the terms are that outputs are sums of: by so much, sums in another order differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.arithmetic import ADD, DIVIDE, MULTIPLY, NEGATIVE, SUBTRACT
from symtape.primitives.reductions import SUM

_SCALES: Final = {MULTIPLY: np.multiply, DIVIDE: np.divide}


class _Measured(NamedTuple):
    """A value, the size of its terms, and whether it is a sum that nothing has scaled."""

    value: Any
    size: Any
    is_sum: bool = False


def term_sizes(graph: Graph, x: Sequence[Any]) -> list[float]:
    """The largest size of each output: the sum of the magnitudes of what is summed last.

    A sum is followed through other sums, through what moves it, and through one product, and no
    further: sizes would grow with every turn of a loop, and nothing be said by them.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: 0.5 * np.sum(x), [1e6, 1.0, -1e6])
    >>> [float(size) for size in term_sizes(graph, graph.at)]
    [1000000.5]
    """
    given = [_measure(np.asarray(one)) for one in x]
    found = graph.interpret(given, lambda node: _measure(node.constant), _apply)
    return [largest_magnitude(found[at].size) for at in graph.outputs]


def largest_magnitude(x: Any) -> float:
    """Of the finite floats of an array; 0 where there are none."""
    array = np.abs(x) if np.asarray(x).dtype.kind == "f" else np.zeros(())
    return float(np.max(array, where=np.isfinite(array), initial=0.0))


def _measure(value: Any) -> _Measured:
    return _Measured(value, np.abs(value) if np.asarray(value).dtype.kind in "fiu" else value)


def _apply(node: Node, given: list[_Measured]) -> Any:
    row, sizes = node.row, [one.size for one in given]
    value = row.evaluate(*[one.value for one in given], **node.params)
    if node.part is not None:
        return tuple(map(_measure, value))
    if node.dtype.kind != "f":
        return _measure(value)
    is_sum = any(one.is_sum for one in given)
    if row is ADD or row is SUBTRACT:
        return _Measured(value, sizes[0] + sizes[1], is_sum)
    if row is SUM:
        return _Measured(value, row.evaluate(np.abs(given[0].value), **node.params), True)
    if row is NEGATIVE:
        return _Measured(value, sizes[0], is_sum)
    if row.moves:
        return _Measured(value, row.evaluate(*sizes, **node.params), is_sum)
    if row in _SCALES and is_sum:
        size = _SCALES[row](*(one.size if one.is_sum else np.abs(one.value) for one in given))
        return _Measured(value, size)
    return _measure(value)
