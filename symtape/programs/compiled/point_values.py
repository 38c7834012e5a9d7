"""The values of a graph where it was recorded: what back ends read how arrays lie from.

Of large arrays that is all that is asked, once no operation needs their numbers any more. They
are given back then, and memory that nobody writes to stands for them, of which a machine has none
to give: a program with large arrays in between would otherwise hold all of them at once.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node

_LARGE: Final = 1 << 17
"""Numbers of an array that is given back."""

_OF_ANY_NUMBERS: Final = frozenset(("joins", "products", "puts", "reduces"))
"""Rows whose results lie the same, and that raise nothing, whatever floats they are given."""


def find_point_values(graph: Graph, kept: Collection[int] = ()) -> list[Any]:
    """The values of all nodes; the numbers of large ones are those of `kept` alone."""
    is_large = any(math.prod(shape) >= _LARGE for shape in {node.shape for node in graph.nodes})
    after = _Forgetter(graph, kept).forget_dead if is_large else None
    with np.errstate(all="ignore"):
        return graph.values(*graph.at, after=after)


class _Forgetter:
    """Puts memory that lies alike for what is large and was used for the last time."""

    def __init__(self, graph: Graph, kept: Collection[int]) -> None:
        self._last = list(range(len(graph)))
        self._kept = {*kept}
        for at, node in enumerate(graph.nodes):
            for i in node.inputs:
                self._last[i] = at
            self._kept.update((at,) if node.primitive is None else ())
            self._kept.update(() if _takes_any_numbers(node) else node.inputs)
        self._ending: defaultdict[int, list[int]] = defaultdict(list)
        for i, at in enumerate(self._last):
            self._ending[at].append(i)
        self._of_memory: defaultdict[int, list[int]] = defaultdict(list)
        """The nodes that lie in an array."""

    def forget_dead(self, at: int, values: list[Any]) -> None:
        """Forget what no node after this one needs."""
        memory = _memory(values[at])
        if np.size(memory) >= _LARGE and memory.dtype.kind == "f":
            self._of_memory[id(memory)].append(at)
        for i in self._ending[at]:
            memory = _memory(values[i])
            alike = self._of_memory.get(id(memory), ())
            if alike and max([self._last[k] for k in alike]) <= at:
                del self._of_memory[id(memory)]
                if self._kept.isdisjoint(alike):
                    _replace_memory(values, alike, memory)


def _takes_any_numbers(node: Node) -> bool:
    if node.primitive is None or node.primitive.elementwise or node.primitive.moves:
        return True
    return node.primitive.dependence in _OF_ANY_NUMBERS


def _memory(value: Any) -> Any:
    """The array in whose memory a value lies; a number itself."""
    while isinstance(getattr(value, "base", None), np.ndarray):
        value = value.base
    return value


def _replace_memory(values: list[Any], alike: Collection[int], memory: Any) -> None:
    fresh = np.empty(memory.nbytes, np.uint8)
    for at in alike:
        old = values[at]
        offset = old.ctypes.data - memory.ctypes.data
        values[at] = np.ndarray(old.shape, old.dtype, fresh, offset, old.strides)
