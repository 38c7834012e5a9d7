"""A pass of back ends: long runs of operations on numbers, each one function of machine code.

A program that holds one operation without a reading in machine numbers is one of arrays, in which
Python takes every number by itself. Where most of it is numbers all the same, as in a loop whose
results NumPy interpolates, they are taken together.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node, replace_inputs
from symtape.primitives.arithmetic import ADD
from symtape.primitives.indexing import GETITEM
from symtape.primitives.joining import STACK_UP
from symtape.primitives.primitive import Primitive, opaque
from symtape.programs.compiled.deciding import deciding_nodes
from symtape.programs.compiled.functions import PYTHON
from symtape.programs.compiled.llvm import MachineCode
from symtape.programs.compiled.rewriting import Builder, applies_to, replace_nodes, rewritten
from symtape.programs.compiled.scalars import Scalars
from symtape.programs.compiled.slices import SUM_OF_SLICES

_LEAST_OPERATIONS: Final = 400
"""Of an island, below which its machine code takes longer to make than it saves."""

_LEAST_SHARE: Final = 0.6
"""Of the nodes of a program, which are numbers."""

_MOST_ISLANDS: Final = 8
_MOST_ELEMENTS: Final = 4096
"""Of an array whose elements are taken as numbers."""

_MANY_NUMBERS: Final = 16
"""Of a sum, for which they are worth one of their own."""

_FLOAT64: Final = np.dtype(np.float64)
_DTYPES: Final = frozenset((_FLOAT64, np.dtype(bool)))


def compile_numbers(graph: Graph) -> Graph:
    """`graph` with its long runs of numbers as operations that machine code computes.

    A run in which there is something to decide by is computed by NumPy's own functions. Among as
    many arrays numbers are steps of segments, which hand them on in memory.
    """
    mixed = {id(node) for node in graph.nodes if _is_mixed(node, graph.nodes)}
    # What is decided by is summed in the order of NumPy.
    if mixed and mixed.isdisjoint(id(graph.nodes[at]) for at in deciding_nodes(graph)):
        graph = rewritten(graph, [sum_numbers_first])
    members = _list_members(graph)
    if sum(members) < max(_LEAST_OPERATIONS, _LEAST_SHARE * len(graph)):
        return graph
    stages = _stage_nodes(graph, members)
    runs: dict[int, list[int]] = defaultdict(list)
    for at in itertools.compress(range(len(graph)), members):
        runs[stages[at]].append(at)
    long = {stage: run for stage, run in runs.items() if len(run) >= _LEAST_OPERATIONS}
    if not long or len(long) > _MOST_ISLANDS:
        return graph
    try:
        return _Rebuilt(graph, stages, members, long).graph
    except Unsupported:
        return graph


def _is_mixed(node: Node, nodes: Sequence[Node]) -> bool:
    """Whether a node is a sum of many numbers in their places, and of arrays."""
    if node.primitive is not SUM_OF_SLICES or len(node.inputs) < _MANY_NUMBERS:
        return False
    arrays = sum(bool(nodes[i].shape) for i in node.inputs)
    return 0 < arrays <= len(node.inputs) - _MANY_NUMBERS


@applies_to(SUM_OF_SLICES)
def sum_numbers_first(build: Builder, node: Node) -> int | None:
    """A rule: numbers that are put in their places are a sum of their own, which a run may hold."""
    if not _is_mixed(node, build.nodes):
        return None
    based = int(node.params["based"])
    placed = [*zip(node.inputs[based:], node.params["indices"], strict=True)]
    numbers = [one for one in placed if not build.nodes[one[0]].shape]
    slices = [one for one in placed if build.nodes[one[0]].shape]

    def add_sum(base: tuple[int, ...], placed: Sequence[tuple[int, Any]]) -> int:
        indices = tuple([index for _, index in placed])
        params = {"indices": indices, "shape": node.shape, "based": bool(base)}
        return build.apply(SUM_OF_SLICES, (*base, *[at for at, _ in placed]), params, node)

    whole = add_sum((), numbers)
    whole = add_sum((whole,), slices) if slices else whole
    return build.apply(ADD, (node.inputs[0], whole), {}, node) if based else whole


def _list_members(graph: Graph) -> list[bool]:
    """Of each node, whether it may be of a run; of a truth value, whether a run alone needs it."""
    members = [False] * len(graph)
    kept = {*graph.outputs, *(step.node for step in graph.path)}
    for at in range(len(graph) - 1, -1, -1):
        node = graph.nodes[at]
        members[at] = _is_of_numbers(graph, node) and (node.dtype == _FLOAT64 or at not in kept)
        if not members[at]:
            kept.update(node.inputs)
    return members


def _is_of_numbers(graph: Graph, node: Node) -> bool:
    """Whether a node is a number computed of numbers, an element, or an array of numbers."""
    if node.primitive is None or node.part is not None or node.dtype not in _DTYPES:
        return False
    inputs = [graph.nodes[i] for i in node.inputs]
    if any(one.dtype not in _DTYPES for one in inputs if one.constant is None):
        return False
    row = node.row
    if row.moves:
        return not node.shape and all(math.prod(one.shape) <= _MOST_ELEMENTS for one in inputs)
    if any(one.shape for one in inputs):
        return False
    is_joined = row.dependence == "joins" and not row.decision
    return row.elementwise or is_joined or row is SUM_OF_SLICES


def _stage_nodes(graph: Graph, members: Sequence[bool]) -> list[int]:
    """When each node is computed: runs of one stage, then what else there is, and so on."""
    stages: list[int] = []
    for at, node in enumerate(graph.nodes):
        waits = members[at]
        stages.append(
            max(
                (
                    stages[i] + (waits and graph.nodes[i].primitive is not None and not members[i])
                    for i in node.inputs
                ),
                default=0,
            )
        )
    return stages


class _Rebuilt:
    """A graph in which each run is one operation: a vector of its numbers, and its arrays."""

    def __init__(
        self,
        graph: Graph,
        stages: Sequence[int],
        members: Sequence[bool],
        runs: dict[int, list[int]],
    ) -> None:
        self._old = graph
        with np.errstate(all="ignore"):
            self._old_values = graph.values(*graph.at)
        self._deciding = deciding_nodes(graph)
        self._run_of = {at: stage for stage, run in runs.items() for at in run}
        self._nodes: list[Node] = []
        self._values: list[Any] = []
        self._places: dict[int, int] = {}
        self._vectors: dict[int, int] = {}
        self._numbers: dict[int, dict[int, int]] = {}
        """Of each run, which numbers others need, and where in its vector they are."""
        needed = self._list_needed()
        free = [at for at, node in enumerate(graph.nodes) if node.primitive is None]
        computed = (at for at, node in enumerate(graph.nodes) if node.primitive is not None)
        ordered = sorted(computed, key=lambda at: (stages[at], not members[at], at))
        for at in (*free, *ordered):
            stage = self._run_of.get(at)
            if stage is None:
                node = graph.nodes[at]
                inputs = tuple([self._find(i) for i in node.inputs])
                self._places[at] = self._add(replace_inputs(node, inputs), self._old_values[at])
            elif stage not in self._numbers:
                results = [
                    k for k in runs[stage] if k in needed and graph.nodes[k].dtype == _FLOAT64
                ]
                self._add_run(stage, runs[stage], results)
        for at in self._list_kept():
            self._find(at)
        self.graph = replace_nodes(graph, self._nodes, self._places)

    def _add(self, node: Node, value: Any) -> int:
        """A node, with its value where the graph was recorded."""
        self._nodes.append(node)
        self._values.append(value)
        return len(self._nodes) - 1

    def _list_kept(self) -> list[int]:
        """Outputs, and what is decided by."""
        return [*self._old.outputs, *(step.node for step in self._old.path)]

    def _list_needed(self) -> set[int]:
        """What others need of a run; they find a truth value anew, of what it is computed of."""
        run_of, nodes = self._run_of, self._old.nodes
        needed = set(self._list_kept())
        for at in range(len(nodes) - 1, -1, -1):
            is_found_anew = at in needed and nodes[at].dtype != _FLOAT64
            needed.update(
                i for i in nodes[at].inputs if is_found_anew or run_of.get(i) != run_of.get(at)
            )
        return needed

    def _find(self, at: int) -> int:
        """Where a value is; a number of a run is an element of its vector.

        A truth value of a run is computed anew, of what it is computed of.
        """
        if at not in self._places:
            node = self._old.nodes[at]
            if node.dtype == _FLOAT64:
                stage = self._run_of[at]
                node = _element(node, self._vectors[stage], self._numbers[stage][at])
            else:
                node = replace_inputs(node, tuple([self._find(i) for i in node.inputs]))
            self._places[at] = self._add(node, self._old_values[at])
        return self._places[at]

    def _add_run(self, stage: int, run: Sequence[int], results: Sequence[int]) -> None:
        """One operation in place of a run.

        Raises
        ------
        Unsupported
            It is not for machine numbers, or Python would be called in it.
        """
        nodes = self._old.nodes
        numbers = [at for at in results if not nodes[at].shape]
        arrays = [at for at in results if nodes[at].shape]
        inner, given = self._isolate(run, numbers, arrays)
        row = _compile(inner, not self._deciding.isdisjoint(run))
        vector = np.array([self._old_values[at] for at in numbers])
        params: dict[str, object] = {}
        self._numbers[stage] = {at: k for k, at in enumerate(numbers)}
        for part, at in enumerate((None, *arrays) if numbers else arrays):
            shape = nodes[at].shape if at is not None else (len(numbers),)
            origin = nodes[run[-1] if at is None else at].origin
            value = vector if at is None else self._old_values[at]
            place = self._add(Node(row, given, params, shape, _FLOAT64, origin, None, part), value)
            if at is None:
                self._vectors[stage] = place
            else:
                self._places[at] = place

    def _isolate(
        self, run: Sequence[int], numbers: Sequence[int], arrays: Sequence[int]
    ) -> tuple[Graph, tuple[int, ...]]:
        """A run as a graph of its own, and what it is given in the new one."""
        old, nodes, places = self._old.nodes, list[Node](), dict[int, int]()
        given: dict[int, int] = {}

        def add(node: Node) -> int:
            nodes.append(node)
            return len(nodes) - 1

        def take(at: int) -> int:
            """An input for what is computed before."""
            if at not in given:
                node = self._nodes[at]
                if node.dtype != _FLOAT64:
                    raise Unsupported(f"a run that is given {node.dtype}")
                given[at] = add(Node(None, (), {}, node.shape, node.dtype, node.origin))
            return given[at]

        def find(at: int) -> int:
            if at not in places:
                stage = self._run_of.get(at)
                if old[at].constant is not None:
                    places[at] = add(old[at])
                elif stage is not None and old[at].dtype != _FLOAT64:
                    inputs = tuple([find(i) for i in old[at].inputs])
                    places[at] = add(replace_inputs(old[at], inputs))
                elif stage is None or old[at].shape:
                    places[at] = take(self._find(at))
                else:
                    vector = take(self._vectors[stage])
                    places[at] = add(_element(old[at], vector, self._numbers[stage][at]))
            return places[at]

        for at in run:
            inputs = tuple([find(i) for i in old[at].inputs])
            places[at] = add(replace_inputs(old[at], inputs))
        outputs = [places[at] for at in arrays]
        if numbers:
            those = tuple([places[at] for at in numbers])
            stack = Node(STACK_UP, those, {"axis": 0}, (len(those),), _FLOAT64)
            outputs.insert(0, add(stack))
        values = tuple([self._values[at] for at in given])
        return Graph(tuple(nodes), tuple(given.values()), tuple(outputs), at=values), tuple(given)


def _element(like: Node, vector: int, index: int) -> Node:
    """An element of a vector, as the number that another node is."""
    return Node(GETITEM, (vector,), {"index": index}, (), like.dtype, like.origin)


def _compile(graph: Graph, as_numpy: bool) -> Primitive:
    scalars = Scalars(graph, as_numpy=as_numpy, is_strict=True)
    if any(op.code.startswith(f"call {PYTHON}.") for op in scalars.operations):
        raise Unsupported("numbers that Python computes")
    machine = MachineCode(graph, "numbers", scalars)

    def evaluate(*values: Any) -> Any:
        return machine(*[x if type(x) is np.float64 else _to_contiguous(x) for x in values])

    return opaque("numbers", evaluate, len(graph.inputs))


def _to_contiguous(x: Any) -> Any:
    """As machine code reads it: some of NumPy's arrays are views, and some have no axes."""
    return np.ascontiguousarray(x) if np.ndim(x) else np.float64(x)
