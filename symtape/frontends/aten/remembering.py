"""Remembering: a program that does not depend on values is repeated without torch.

A program is read twice, at different points. If it did the same both times, took no decision on
values and let none leave, it is a graph that can be replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.freeze import freeze, hashable
from symtape.graph.graph import Graph, Node
from symtape.primitives.indexing import Slot
from symtape.recording.recording import Recording
from symtape.recording.structure import flatten, pack
from symtape.recording.tensor import Tensor, constant

_MOST_OPERATIONS: Final = 20_000
"""Of a program that is remembered, so that a long search stays small."""

_MOST_KEPT: Final = 32


@dataclass
class _Program:
    """A graph, what was returned, and whether two points gave the same."""

    graph: Graph
    answer: Any
    confirmed: bool = False

    def is_same(self, other: Graph) -> bool:
        """Whether another point gave the same operations."""
        nodes = zip(self.graph.nodes, other.nodes, strict=False)
        alike = (len(self.graph), self.graph.outputs) == (len(other), other.outputs)
        return alike and all(_key(one) == _key(two) for one, two in nodes)

    def replay(self, tensors: Sequence[Tensor]) -> Any:
        """The operations once more, each recorded under the line that it came from."""
        return pack(self.answer, map(_tensor, self.graph.evaluate(*tensors)))


class RememberedPrograms:
    """The programs of one function, by the shapes and dtypes of its arguments.

    Parameters
    ----------
    read : callable
        Takes Tensors and returns Tensors, or nested sequences of them.
    """

    def __init__(self, read: Callable[..., Any]) -> None:
        self._read = read
        self._programs: dict[Any, _Program | None] = {}

    def __call__(self, *tensors: Tensor) -> Any:
        """Repeat the program; read it, if it is not yet known that it is always the same."""
        key = tuple((x.shape, x.dtype.str) for x in tensors)
        known = self._programs.get(key)
        if known is not None and known.confirmed:
            return known.replay(tensors)
        if key in self._programs and known is None:
            return self._read(*tensors)
        with Recording() as recording:
            for tensor in tensors:
                recording.add_input(tensor)
            answer = self._read(*tensors)
            graph = _graph_of(recording, answer)
        found = None if graph is None else _Program(graph, answer)
        if known is not None and graph is not None:
            found = known if known.is_same(graph) else None
            known.confirmed = not all(map(np.array_equal, known.graph.at, graph.at))
        if len(self._programs) < _MOST_KEPT or key in self._programs:
            self._programs[key] = found
        return answer


def _graph_of(recording: Recording, answer: Any) -> Graph | None:
    """What was recorded, if it is the same for all values."""
    leaves = flatten(answer)
    if (
        recording.decisions
        or recording.escapes
        or recording.customised
        or len(recording.applied) > _MOST_OPERATIONS
        or not all(isinstance(leaf, Tensor | np.ndarray | np.generic) for leaf in leaves)
    ):
        return None
    graph = freeze(recording, [*map(_tensor, leaves)])
    return None if any(map(_depends_on_values, graph.nodes)) else graph


def _tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else constant(value)


def _depends_on_values(node: Node) -> bool:
    """Whether the shape of a result says something of values."""
    template = node.params.get("template", ())
    return node.name == "argwhere" or any(
        isinstance(item, Slot) and item.boolean for item in template
    )


def _key(node: Node) -> Any:
    constant = None if node.constant is None else hashable(np.asarray(node.constant))
    return node.primitive, node.inputs, hashable(node.params), node.shape, node.part, constant
