"""Rewriting a Graph: each value once, nothing that is not used, rules that say what is equal."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node, find_needed_nodes, replace_inputs
from symtape.primitives.arithmetic import ADD, MULTIPLY
from symtape.primitives.primitive import Primitive
from symtape.process.work import charge

Rule: TypeAlias = "Callable[[Builder, Node], int | None]"
"""What has the same value as a node that is about to be added, by position; None for nothing."""


LastPass: TypeAlias = "Callable[[list[Node], Sequence[int], Sequence[int]], bool]"
"""Puts other nodes in place, of those that are needed for others; whether there are any."""

Givers: TypeAlias = "tuple[Primitive | None, ...]"
"""The operations that an operation is of; None for a constant and an input."""

Asks: TypeAlias = Callable[[Primitive, Givers], bool]
"""Whether a rule may have an answer for an operation on the results of others."""


def applies_where(is_asked: Asks) -> Callable[[Rule], Rule]:
    """Mark a rule that has answers for some operations alone, so that it is asked of no other."""

    def mark_rule(rule: Rule) -> Rule:
        rule.is_asked = is_asked  # type: ignore[attr-defined]
        return rule

    return mark_rule


def applies_to(*rows: Primitive, of: Givers = ()) -> Callable[[Rule], Rule]:
    """As :func:`applies_where`, for these operations, on a result of one of those in `of`."""
    return applies_where(lambda row, given: row in rows and (not of or any(x in of for x in given)))


def _is_asked(rule: Rule, row: Primitive, given: Givers) -> bool:
    is_asked: Asks | None = getattr(rule, "is_asked", None)
    return is_asked is None or is_asked(row, given)


_COMMUTATIVE = frozenset((ADD, MULTIPLY))


class ParamKeys:
    """The keys of static parameters, of which nodes that are alike have the same object."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Mapping[str, Any], Any]] = {}

    def __call__(self, params: Mapping[str, Any]) -> Any:
        """A key that tells apart what evaluates differently."""
        if not params:
            return ()
        known = self._known.get(id(params))
        if known is None:
            known = self._known[id(params)] = params, hashable(params)
        return known[1]


class Builder:
    """The nodes of a new graph.

    Parameters
    ----------
    rules : sequence of Rule
        Asked in order of each operation that is added, and of what they add themselves.

    Attributes
    ----------
    nodes : list of Node
    units : set of int
        The constants that have 0, 1 or -1 in all places.
    """

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self.nodes: list[Node] = []
        self.units: set[int] = set()
        self._rules = rules
        self._rules_of: dict[Any, list[Rule]] = {}
        self._known: dict[Any, int] = {}
        self._key_params = ParamKeys()
        self._uniform: dict[int, tuple[float, bool] | None] = {}

    def add_input(self, node: Node) -> int:
        """A further input."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def add_constant(self, value: Any) -> int:
        """A constant; the one that is there, if it has the same bits, shape, dtype and type."""
        array = np.asarray(value)
        key = ("constant", array.dtype.str, array.shape, array.tobytes(), type(value).__name__)
        place = self._known.setdefault(key, len(self.nodes))
        if place == len(self.nodes):
            # Without gaps, as in a part of complex numbers: so it lies where code was written.
            value = np.array(value) if isinstance(value, np.ndarray) else value
            self.nodes.append(Node(None, (), {}, array.shape, array.dtype, constant=value))
            if (self.uniform(place) or (2.0,))[0] in (-1.0, 0.0, 1.0):
                self.units.add(place)
        return place

    def add(self, node: Node) -> int:
        """An operation on nodes of this graph, or what a rule says is equal to it."""
        row, inputs, nodes = node.primitive, node.inputs, self.nodes
        given = (row, *[nodes[i].primitive for i in inputs])
        rules = self._rules_of.get(given)
        if rules is None:
            rules = [x for x in self._rules if _is_asked(x, node.row, given[1:])]
            self._rules_of[given] = rules
        for rule in rules:
            found = rule(self, node)
            if found is not None:
                return found
        if row in _COMMUTATIVE and inputs[0] > inputs[1]:
            inputs = inputs[::-1]
        params = self._key_params(node.params)
        key, size = (row, inputs, params, node.part), len(nodes)
        place = self._known.setdefault(key, size)
        if place == size:
            nodes.append(node)
        return place

    def add_graph(self, graph: Graph, constant: Callable[[Builder, Node], int]) -> list[int]:
        """Where all nodes of a graph have gone.

        What :meth:`add` does where no rule is asked is written out: of long programs that is nearly
        all, and calls take twice as long as what they do.
        """
        nodes, known, rules_of = self.nodes, self._known, self._rules_of
        key_params, given = self._key_params, frozenset(graph.inputs)
        places: list[int] = []
        for position, node in enumerate(graph.nodes):
            row, before = node.primitive, node.inputs
            if row is None:
                add = Builder.add_input if position in given else constant
                places.append(add(self, node))
                continue
            inputs = tuple([places[i] for i in before])
            rules = rules_of.get((row, *[nodes[i].primitive for i in inputs]))
            if rules or rules is None:
                places.append(self.add(replace_inputs(node, inputs)))
                continue
            is_turned = row in _COMMUTATIVE and inputs[0] > inputs[1]
            params = key_params(node.params) if node.params else ()
            size = len(nodes)
            key = row, inputs[::-1] if is_turned else inputs, params, node.part
            place = known.setdefault(key, size)
            if place == size:
                nodes.append(node if inputs == before else replace_inputs(node, inputs))
            places.append(place)
        return places

    def apply(
        self, row: Primitive, inputs: Sequence[int], params: Mapping[str, Any], like: Node
    ) -> int:
        """An operation on nodes of this graph, of the shape, dtype and line of another node."""
        return self.add(
            Node(row, tuple(inputs), params, like.shape, like.dtype, like.origin, None, None)
        )

    def uniform(self, at: int) -> tuple[float, bool] | None:
        """The number in all places of a constant, and whether its sign is minus.

        None where it has several, none, or none that is real.
        """
        if at not in self._uniform:
            self._uniform[at] = _uniform(np.asarray(self.nodes[at].constant))
        return self._uniform[at]


def _uniform(array: Any) -> tuple[float, bool] | None:
    if array.dtype.kind not in "fiu" or not array.size:
        return None
    first = array.flat[0]
    # By bits, since 0.0 equals -0.0 and no nan equals itself.
    if array.size > 1 and array.tobytes() != first.tobytes() * array.size:
        return None
    return float(first), bool(np.signbit(float(first)))


def _constant(build: Builder, node: Node) -> int:
    return build.add_constant(node.constant)


def rewritten(
    graph: Graph,
    rules: Sequence[Rule],
    constant: Callable[[Builder, Node], int] = _constant,
    last: LastPass | None = None,
) -> Graph:
    """`graph` with rules applied from its inputs to its outputs.

    Without any rule common subexpressions are joined and dead values dropped. Constants are added
    by `constant`. The last pass sees all nodes.
    """
    charge(3 * len(graph))
    builder = Builder(rules)
    places = builder.add_graph(graph, constant)
    return assemble_graph(graph, builder.nodes, places, last)


def assemble_graph(
    graph: Graph, nodes: list[Node], places: Sequence[int], last: LastPass | None = None
) -> Graph:
    """The graph of other nodes for that of which `places` says where each node has gone.

    What neither an output nor a decision needs is dropped, and decisions on constants are too.
    """
    open_steps = tuple(
        step for step in graph.path if not _is_settled(nodes[places[step.node]], step.outcome)
    )
    decided = [step.node for step in open_steps]
    roots = [places[i] for i in (*graph.inputs, *graph.outputs, *decided)]
    kept = find_needed_nodes(nodes, roots)
    if last is not None and last(nodes, kept, roots):
        kept = find_needed_nodes(nodes, roots)
    graph = replace_nodes(dataclasses.replace(graph, path=open_steps), nodes, places)
    if len(kept) == len(nodes):
        return graph
    moved = [0] * len(nodes)
    needed = []
    for at, place in zip(kept, itertools.count(), strict=False):
        moved[at] = place
        node = nodes[at]
        needed.append(replace_inputs(node, tuple([moved[i] for i in node.inputs])))
    return replace_nodes(graph, needed, moved)


def replace_nodes(
    graph: Graph, nodes: Sequence[Node], places: Sequence[int] | Mapping[int, int]
) -> Graph:
    """`graph` with other nodes, of which `places` says where each of its own has gone."""
    return dataclasses.replace(
        graph,
        nodes=tuple(nodes),
        inputs=tuple(places[i] for i in graph.inputs),
        outputs=tuple(places[i] for i in graph.outputs),
        path=tuple(dataclasses.replace(step, node=places[step.node]) for step in graph.path),
        customs=(),
    )


def _is_settled(node: Node, outcome: bool) -> bool:
    return node.constant is not None and bool(node.constant) == outcome
