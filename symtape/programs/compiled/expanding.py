"""A pass of back ends: rows as the operations by which they are evaluated.

What a row's ``evaluate`` does in NumPy is recorded, once for each kind of arguments, and put in
place of the row: the same operations in the same order.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.freeze import hashable
from symtape.graph.graph import Decision, Graph, Node, replace_inputs
from symtape.graph.slices import record_slice
from symtape.primitives.arithmetic import ABSOLUTE, SUBTRACT
from symtape.primitives.primitive import Primitive
from symtape.programs.compiled.deciding import decides
from symtape.programs.compiled.movement import join_moves
from symtape.programs.compiled.point_values import find_point_values
from symtape.programs.compiled.rewriting import Builder, ParamKeys, replace_nodes, rewritten

_MOST_NESTED: Final = 6
"""Rows that are evaluated by rows, one in the other."""

_KNOWN: Final[dict[Any, list[Graph | None]]] = {}
"""The recordings of rows at kinds of arguments, one a path."""


@dataclasses.dataclass
class ExpandedGraph:
    """A graph with rows taken apart.

    Attributes
    ----------
    graph : Graph
    inner : frozenset of int
        Nodes that are parts of a row which decides nothing.
    parts : sequence of int
        The nodes that took the place of rows.
    taken : sequence of int
        Those that are to be taken apart, as their arguments' numbers ask.
    """

    graph: Graph
    inner: frozenset[int] = frozenset()
    parts: Sequence[int] = ()
    taken: Sequence[int] = ()

    @functools.cached_property
    def values(self) -> list[Any]:
        """The values of its nodes, where it was recorded."""
        nodes = self.graph.nodes
        return find_point_values(self.graph, {i for at in self.taken for i in nodes[at].inputs})


def expand_graph(
    graph: Graph,
    is_wanted: Callable[[Graph, Node], bool],
    meanings: Mapping[Primitive, Callable[..., Any]] = MappingProxyType({}),
    may_decide: bool = True,
    tried: Iterable[int] | None = None,
) -> ExpandedGraph:
    """`graph` with the rows that are wanted in parts, as far as they have any.

    Parameters
    ----------
    graph : Graph
    is_wanted : callable
    meanings : mapping
        What is recorded of a row in place of its ``evaluate``.
    may_decide : bool
        Whether the parts of a row may hold for some of its arguments alone.
    tried : iterable of int, optional
        The nodes that may be wanted, where they are known.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.differentiate(symtape.record(np.tanh, 1.0))
    >>> found = expand_graph(graph, lambda graph, node: node.name == "sech2")
    >>> [node.name for node in found.graph.nodes if node.primitive][2:-1]
    ['absolute', 'multiply', 'exp', 'multiply', 'add', 'square', 'divide']
    """
    found = ExpandedGraph(graph)
    tried = range(len(graph)) if tried is None else tried
    for _ in range(_MOST_NESTED):
        parts = _find_parts(found, tried, is_wanted, meanings)
        if not may_decide:
            parts = {at: part for at, part in parts.items() if not part.path}
        if not parts:
            break
        # What was not taken apart at first has not become what is.
        found = _Splicing(found, parts).result()
        tried = found.parts
    return found


def _find_parts(
    given: ExpandedGraph,
    tried: Iterable[int],
    is_wanted: Callable[[Graph, Node], bool],
    meanings: Mapping[Primitive, Callable[..., Any]],
) -> dict[int, Graph]:
    """Of the rows that are wanted, how each is evaluated."""
    graph = given.graph
    given.taken = [
        at
        for at in tried
        if (node := graph.nodes[at]).primitive is not None
        and (node.part is None or node.row in meanings)
        and is_wanted(graph, node)
    ]
    rows = [(at, graph.nodes[at]) for at in given.taken]
    with np.errstate(all="ignore"):
        return {
            at: part
            for at, node in rows
            if (part := _part(node, meanings.get(node.row, node.row.evaluate), given)) is not None
        }


def _part(node: Node, meaning: Callable[..., Any], given: ExpandedGraph) -> Graph | None:
    """How a row is evaluated at some values; None where that is not seen."""
    values = [given.values[i] for i in node.inputs]
    kinds = tuple(
        (type(x).__name__, x.shape, x.dtype.str) if _is_array(x) else hashable(x) for x in values
    )
    known = _KNOWN.setdefault((node.row, node.part, meaning, kinds, hashable(node.params)), [])
    for one in known:
        if one is None or not one.path or one.holds(*filter(_is_array, values)):
            return one
    found = _record_part(node, meaning, values)
    known.append(found)
    return found


def _is_array(value: Any) -> bool:
    """Whether a value is no number of Python's, which takes the dtype of what is beside it."""
    return isinstance(value, np.ndarray | np.generic)


def _record_part(node: Node, meaning: Callable[..., Any], values: Sequence[Any]) -> Graph | None:
    if node.dtype == np.float64:
        # What converts to double precision, and back, has nothing to do.
        meaning = getattr(meaning, "__wrapped__", meaning)

    def evaluate(*arrays: Any) -> Any:
        rest = iter(arrays)
        found = meaning(*(next(rest) if _is_array(x) else x for x in values), **node.params)
        found = found if node.part is None else found[node.part]
        # Counts, and choices between numbers, are of double precision.
        return found.astype(np.float32) if node.dtype == np.float32 else found

    try:
        found = record_slice(evaluate, [*filter(_is_array, values)]).graph
    except (SymtapeError, TypeError, ValueError, AttributeError, LookupError):
        return None
    (output, *others) = [found.nodes[at] for at in found.outputs]
    is_whole = any(one.primitive is node.row for one in found.nodes)
    is_alike = output.shape == node.shape and output.dtype == node.dtype
    if others or is_whole or not is_alike or found.escapes:
        return None
    return rewritten(found, [join_moves])


def replace_operations(
    given: ExpandedGraph, put: Callable[[Builder, int, Node], int]
) -> ExpandedGraph:
    """A graph with other operations in place of some, each of them once.

    Parameters
    ----------
    given : ExpandedGraph
    put : callable ``(build, at, node) -> int``
        Where what stands for a node of `given` is; the node has its inputs in the new graph.
    """
    graph, build = given.graph, Builder()
    places: list[int] = []
    for at, node in enumerate(graph.nodes):
        moved = replace_inputs(node, tuple([places[i] for i in node.inputs]))
        leaf = node.primitive is None
        places.append(build.add_input(moved) if leaf else put(build, at, moved))
    made = replace_nodes(graph, build.nodes, places)
    return ExpandedGraph(made, frozenset(places[at] for at in given.inner))


class _Splicing:
    """The graph in which parts stand for rows."""

    def __init__(self, given: ExpandedGraph, parts: dict[int, Graph]) -> None:
        self._given, self._parts = given, parts
        self._nodes: list[Node] = []
        self._inner: set[int] = set()
        self._made: list[int] = []
        self._known: dict[Any, int] = {}
        self._key_params = ParamKeys()
        self._path: list[Decision] = []

    def result(self) -> ExpandedGraph:
        """All of it."""
        graph, inner = self._given.graph, self._given.inner
        places: list[int] = []
        for at, node in enumerate(graph.nodes):
            if at in self._parts:
                values = self._given.values
                inputs = [places[i] for i in node.inputs if _is_array(values[i])]
                places.append(self._put_part(self._parts[at], node, inputs))
            else:
                moved = replace_inputs(node, tuple([places[i] for i in node.inputs]))
                places.append(self._put(moved, at in inner))
        made = replace_nodes(graph, self._nodes, places)
        made = dataclasses.replace(made, path=(*made.path, *self._path))
        return ExpandedGraph(made, frozenset(self._inner), self._made)

    def _put(self, node: Node, is_inner: bool) -> int:
        """A node; the one that is there, if it is the same operation on the same."""
        key: Any = None
        if node.primitive is ABSOLUTE:
            node = self._turn_difference(node)
        if node.primitive is not None:
            key = id(node.primitive), node.inputs, self._key_params(node.params), node.part
        elif node.constant is not None and node.shape == ():
            key = type(node.constant), node.dtype, np.asarray(node.constant).tobytes()
        size = len(self._nodes)
        if key is not None:
            found = self._known.setdefault(key, size)
            if found < size:
                if not is_inner:
                    self._inner.discard(found)
                return found
        if is_inner:
            self._inner.add(size)
        self._nodes.append(node)
        return size

    def _turn_difference(self, node: Node) -> Node:
        """``abs(b - a)`` as ``abs(a - b)``, where that difference is there: it is the same."""
        given = self._nodes[node.inputs[0]]
        if given.primitive is not SUBTRACT:
            return node
        found = self._known.get((id(SUBTRACT), given.inputs[::-1], hashable(given.params), None))
        return node if found is None else replace_inputs(node, (found,))

    def _fold(self, node: Node) -> Node:
        """A node; what it computes of constants alone, as one."""
        if node.primitive is None or node.shape or node.part is not None:
            return node
        given = [self._nodes[i].constant for i in node.inputs]
        if any(one is None for one in given):
            return node
        with np.errstate(all="ignore"):
            value = node.row.evaluate(*given, **node.params)
        return dataclasses.replace(node, primitive=None, inputs=(), params={}, constant=value)

    def _put_part(self, part: Graph, node: Node, inputs: Sequence[int]) -> int:
        given = dict(zip(part.inputs, inputs, strict=True))
        places: list[int] = []
        first, is_inner = len(self._nodes), not decides(node.row)
        for at, one in enumerate(part.nodes):
            if at in given:
                places.append(given[at])
                continue
            if one.primitive is not None:
                moved = tuple([places[i] for i in one.inputs])
                own = one.primitive, moved, one.params, one.shape, one.dtype
                one = self._fold(Node(*own, node.origin, None, one.part))
            places.append(self._put(one, is_inner))
        self._made += range(first, len(self._nodes))
        for step in part.path:
            self._path.append(dataclasses.replace(step, node=places[step.node]))
        return places[part.outputs[0]]
