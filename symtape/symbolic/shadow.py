"""The shadow: a recorded graph at a point, as a straight-line program of its elements.

Where the graph chooses (maximum, where, sort, an ``if``), the shadow takes the choice made at
the point, and says under which conditions it is the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from symtape.graph.graph import Graph
from symtape.one_line import OneLineRepr
from symtape.symbolic.naming import element_names
from symtape.symbolic.program import Program


@dataclass(frozen=True, slots=True)
class Selection:
    """A node whose elements were chosen among those of its inputs.

    Attributes
    ----------
    node : int
        Its position in the graph.
    chosen : int array
        For each element, the flat index into the inputs raveled and joined.
    """

    node: int
    chosen: Any


@dataclass(frozen=True, eq=False, repr=False)
class Shadow(OneLineRepr):
    """A graph at a point as a program.

    Attributes
    ----------
    program : Program
    inputs, outputs : list of int arrays
        The statement of each element, in the shape of each input and output of the graph.
    names : list of str
        What the inputs are called.
    graph : Graph
    values : list
        The float value of every node at the point.
    ids : list of int arrays or None
        The statements of every node; None where it is locally constant.
    selections : list of Selection
    held : list of int
        The nodes that are locally constant, such as floor, sign and argmax.
    guided : bool
        Whether a reading went by values in a way that only it knows, as elimination does
        when it looks for pivots.
    """

    program: Program
    inputs: list[Any]
    outputs: list[Any]
    names: list[str]
    graph: Graph
    values: list[Any]
    ids: list[Any]
    selections: list[Selection]
    held: list[int]
    guided: bool = False

    @property
    def element_names(self) -> list[list[str]]:
        """What the elements of each input are called."""
        pairs = zip(self.names, self.inputs, strict=True)
        return [element_names(name, ids.shape) for name, ids in pairs]

    def statement(self, at: int, flat: int) -> int:
        """The statement of one element of node `at`; a constant where the node is one."""
        if (ids := self.ids[at]) is None:
            return self.program.constant(np.ravel(self.values[at])[flat])
        return int(np.ravel(ids)[flat])

    def statements(self, at: int) -> Any:
        """The statement of each element of node `at`, as an array of its shape."""
        shape = np.shape(self.values[at])
        return np.array([self.statement(at, k) for k in range(math.prod(shape))]).reshape(shape)

    def move_to(
        self, graph: Graph, values: list[Any], chosen: dict[int, Any] | None = None
    ) -> Shadow | None:
        """The shadow of the same computation at another point, if no choice differs there.

        Parameters
        ----------
        graph : Graph
            The same computation as that of this shadow, recorded at the other point.
        values : list
            The float value of every node there.
        chosen : dict, optional
            What nodes choose there, as far as it is known; what is found is added.

        Returns
        -------
        Shadow or None
            On the same program and statements; None where it has to be read again.
        """
        if self.guided or not all(_are_identical(self.values[at], values[at]) for at in self.held):
            return None
        if not self._chooses_alike(values, {} if chosen is None else chosen):
            return None
        return replace(self, graph=graph, values=values)

    def _chooses_alike(self, values: Mapping[int, Any] | list[Any], chosen: dict[int, Any]) -> bool:
        for node, own in self._selection_keys:
            if node not in chosen:
                chosen[node] = chosen_by(self.graph, values, node).tobytes()
            if chosen[node] != own:
                return False
        return True

    @cached_property
    def _selection_keys(self) -> list[tuple[int, bytes]]:
        return [(selection.node, selection.chosen.tobytes()) for selection in self.selections]

    def find_unchanged_points(self, values: Sequence[Any], chosen: Sequence[dict[int, Any]]) -> Any:
        """At which of many points no choice differs, as :meth:`moved` asks of one.

        Parameters
        ----------
        values : sequence of tuples (array, bool)
            Of each node; whether the first axis of the array is that of the points.
        chosen : sequence of dict
            For each point what is known of its choices; what is found is added.

        Returns
        -------
        bool array, shape (count,)
        """
        count = len(chosen)
        if self.guided:
            return np.zeros(count, dtype=bool)
        same = np.ones(count, dtype=bool)
        for at in self.held:
            given, many = values[at]
            same &= _alike_at_each(self.values[at], given, many, count)
        needed = {i for node, _ in self._selection_keys for i in self.graph.nodes[node].inputs}
        for k in np.flatnonzero(same).tolist() if needed else ():
            here = {i: values[i][0][k] if values[i][1] else values[i][0] for i in needed}
            same[k] = self._chooses_alike(here, chosen[k])
        return same


def _are_identical(a: Any, b: Any) -> bool:
    """Whether two values are the same to the bit."""
    a, b = np.asarray(a), np.asarray(b)
    return bool(a.shape == b.shape and a.tobytes() == b.tobytes())


def _alike_at_each(own: Any, values: Any, many: bool, count: int) -> Any:
    """At which of many points a value is `own` to the bit."""
    if not many:
        return np.full(count, _are_identical(own, values))
    own = np.ascontiguousarray(own)
    if values.dtype != own.dtype or values.shape != (count, *np.shape(own)):
        return np.zeros(count, dtype=bool)
    bits = np.ascontiguousarray(values).reshape(count, -1).view(np.uint8)
    return np.all(bits == own.reshape(-1).view(np.uint8), axis=1)


def chosen_by(graph: Graph, values: Mapping[int, Any] | list[Any], position: int) -> Any:
    """For each element of a node that chooses, the flat index into its inputs joined."""
    node = graph.nodes[position]
    assert node.row.select is not None
    chosen = node.row.select(*[np.asarray(values[i]) for i in node.inputs], **node.params)
    if node.part is not None:
        chosen = chosen[node.part]
    elif isinstance(chosen, list | tuple) and len(chosen) == 1 and node.shape != (1,):
        chosen = chosen[0]
    return np.asarray(chosen, dtype=np.int64).reshape(node.shape)
