"""A new graph in which groups of operations are one operation of several results each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable
from typing import Any

from symtape.graph.graph import Graph, Node, replace_inputs
from symtape.primitives.primitive import opaque
from symtape.programs.compiled.loop import find_users
from symtape.programs.compiled.rewriting import replace_nodes


class Regrouping:
    """The new graph, as far as it is made.

    Parameters
    ----------
    graph : Graph
    values : list
        Of its nodes, where it was recorded.
    """

    def __init__(self, graph: Graph, values: list[Any]) -> None:
        self.graph, self.values = graph, values
        self.places: dict[int, int] = {}
        self._nodes: list[Node] = []
        self._sources: list[int] = []
        self._users = find_users(graph)

    def made(self) -> tuple[Graph, list[Any]]:
        """The new graph, and the values of its nodes."""
        made = replace_nodes(self.graph, self._nodes, self.places)
        return made, [self.values[at] for at in self._sources]

    def add(self, at: int, node: Node | None = None) -> None:
        """A node as it is, or another one of the same inputs in its place."""
        node = node or self.graph.nodes[at]
        self._put(at, replace_inputs(node, tuple([self.places[i] for i in node.inputs])))

    def add_group(
        self, name: str, run: Callable[..., Any], leaves: Collection[int], results: Iterable[int]
    ) -> None:
        """The results of a group, which is given `leaves`."""
        row = opaque(name, run, len(leaves))
        inputs = tuple([self.places[i] for i in leaves])
        for part, at in enumerate(results):
            node = self.graph.nodes[at]
            made = dataclasses.replace(node, primitive=row, inputs=inputs, params={}, part=part)
            self._put(at, made)

    def is_needed_beside(self, at: int, members: Collection[int]) -> bool:
        """Whether others than some nodes need one."""
        return any(user not in members for user in self._users[at])

    def _put(self, at: int, node: Node) -> None:
        self.places[at] = len(self._nodes)
        self._nodes.append(node)
        self._sources.append(at)
