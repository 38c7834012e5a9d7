"""A pass of back ends: loops, small products and views between them as one call of machine code.

Values between the steps of a segment lie in memory of its own and are no objects of Python's.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node, evaluate_node, isolate_operation
from symtape.primitives.contraction import MATMUL
from symtape.primitives.ownership import address_of
from symtape.programs.compiled.loop import Loop, isolate_nodes, loop_of
from symtape.programs.compiled.nests import strides_of
from symtape.programs.compiled.products import Product, is_product
from symtape.programs.compiled.regrouping import Regrouping

_LEAST_STEPS: Final = 2
_ALIGNED: Final = 64
_PAGE: Final = 4096
_APART: Final = 5 * _ALIGNED
"""Bytes by which arrays of pages are set apart: what is read a little behind what is written, from
the start of a page, waits for it.
"""


@dataclasses.dataclass(frozen=True)
class Step:
    """A call within a segment: its arguments and results lie so many bytes behind nodes."""

    kernel: Loop
    addresses: tuple[tuple[int, int], ...]


class Segment(Loop):
    """Several steps as one operation of a program.

    Parameters
    ----------
    graph : Graph
        All of them, with the inputs that were there when it was recorded.
    steps : sequence of Step
    slots : mapping of int to int
        Where in the memory of the segment nodes lie that are no results, in bytes.
    size : int
        Bytes of that memory.
    """

    def __init__(
        self, graph: Graph, steps: Sequence[Step], slots: dict[int, int], size: int
    ) -> None:
        super().__init__(graph)
        self.steps, self.slots, self.size = steps, slots, size

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """The results, step by step, and nothing for a workspace."""
        values = self.graph.interpret(arrays, lambda node: node.constant, _evaluate_step)
        found = tuple(values[at] for at in self.graph.outputs)
        return (*found, None) if self.workspace else found


def _evaluate_step(node: Node, args: list[Any]) -> Any:
    """What a step computes, by the operations of a loop where it is one, so that each is seen."""
    loop = loop_of(node)
    return evaluate_node(node, args) if loop is None else loop(*args)


def join_steps(graph: Graph, values: Sequence[Any]) -> tuple[Graph, list[Any]]:
    """`graph` with segments, and the values of its nodes."""
    return _Joining(graph, values).result()


def share_workspace(loops: Sequence[Loop], on_stack: int) -> None:
    """Give the segments that need more bytes than lie on the stack one size of workspace."""
    large = [one for one in loops if isinstance(one, Segment) and one.size > on_stack]
    for one in large:
        one.workspace = (max(other.size for other in large) + 2 * _PAGE) // 8


class _Joining(Regrouping):
    """The new graph, and the segment that is not yet in it."""

    def __init__(self, graph: Graph, values: Sequence[Any]) -> None:
        super().__init__(graph, list(values))
        self._open: list[int] = []
        self._members: set[int] = set()
        self._made: set[int] = set()
        """The members that lie in memory of the segment."""

    def result(self) -> tuple[Graph, list[Any]]:
        """All of it."""
        for at, node in enumerate(self.graph.nodes):
            if self._is_joined(at, node):
                self._open.append(at)
                self._members.add(at)
                if not (_is_viewed(node) and self._made.isdisjoint(node.inputs)):
                    self._made.add(at)
                continue
            if not self._made.isdisjoint(node.inputs):
                self._close()
            for i in node.inputs:
                self._add_view(i)
            self.add(at)
        self._close()
        return self.made()

    def _add_view(self, at: int) -> None:
        """A view of what was there before the segment, which others need too."""
        if at not in self.places:
            for i in self.graph.nodes[at].inputs:
                self._add_view(i)
            self.add(at)

    def _is_joined(self, at: int, node: Node) -> bool:
        if loop_of(node):
            return True
        return self._is_view(at, node) or is_product(self.graph, at, self.values)

    def _is_view(self, at: int, node: Node) -> bool:
        """Whether a value lies in that of its only input, of which it may be one element."""
        if node.primitive is None or not node.row.moves or node.part is not None:
            return False
        of, value = self.values[node.inputs[0]], self.values[at]
        if node.dtype not in (np.float64, np.float32, np.int64) or strides_of(value) is None:
            return False
        if not np.ndim(of) or not np.ndim(value):
            return strides_of(of) is not None and np.size(value) == 1
        return value.size > 0 and np.may_share_memory(of, value)

    def _close(self) -> None:
        """Put the open segment where the graph is now; one of few steps as its nodes are."""
        members, self._open = self._open, []
        nodes = self.graph.nodes
        calls = [at for at in members if not _is_viewed(nodes[at]) and not nodes[at].part]
        self._members.clear()
        self._made.clear()
        if len(calls) < _LEAST_STEPS:
            for at in members:
                if at not in self.places:
                    self.add(at)
        else:
            _Closing(self, members).put()


def _is_viewed(node: Node) -> bool:
    """Whether a node of a segment is none of its steps."""
    return not loop_of(node) and node.row is not MATMUL


class _Closing:
    """A segment that is put into the graph."""

    def __init__(self, regrouping: Regrouping, members: Sequence[int]) -> None:
        self._to, self._members = regrouping, members
        self._graph, self._values = regrouping.graph, regrouping.values
        self._inside = set(members)
        self._owners: dict[int, tuple[int, int]] = {}
        self._leaves: dict[int, None] = {}

    def put(self) -> None:
        graph, to = self._graph, self._to
        steps = self._find_steps()
        results = self._find_results()
        slots, size = self._lay_out(steps, set(results))
        leaves = list(self._leaves)
        inner, places = isolate_nodes(graph, leaves, self._members, results, self._values)
        moved = [
            Step(one.kernel, tuple((places[at], offset) for at, offset in one.addresses))
            for one in steps
        ]
        segment = Segment(inner, moved, {places[at]: slot for at, slot in slots.items()}, size)
        to.add_group("segment", segment, leaves, results)
        for at in self._members:
            if _is_viewed(graph.nodes[at]) and to.is_needed_beside(at, self._inside):
                self._add_view(at)

    def _add_view(self, at: int) -> None:
        """A view that others need, of the result that it is a view of."""
        for i in self._graph.nodes[at].inputs:
            if i not in self._to.places:
                self._add_view(i)
        if at not in self._to.places:
            self._to.add(at)

    def _owner(self, at: int) -> tuple[int, int]:
        """The node in whose memory another lies, and how many bytes behind its first number."""
        if at not in self._inside:
            self._leaves[at] = None
            return at, 0
        return self._owners[at]

    def _find_steps(self) -> list[Step]:
        graph, steps = self._graph, []
        for at in self._members:
            node = graph.nodes[at]
            given = [self._owner(i) for i in node.inputs]
            loop = loop_of(node)
            if _is_viewed(node):
                owner, before = given[0]
                self._owners[at] = owner, before + _find_offset(node, *self._values_of(at))
                continue
            self._owners[at] = at, 0
            if loop and node.part:
                continue
            if loop is None:
                loop = Product(isolate_operation(node, [self._values[i] for i in node.inputs]))
            made = range(at, at + len(loop.graph.outputs))
            steps.append(Step(loop, (*given, *((k, 0) for k in made))))
        return steps

    def _values_of(self, at: int) -> tuple[Any, Any]:
        """What a view is of, and the view."""
        return self._values[self._graph.nodes[at].inputs[0]], self._values[at]

    def _find_results(self) -> list[int]:
        """What others need of the segment: arrays that it makes, whole."""
        needed = {
            self._owners[at][0]
            for at in self._members
            if self._to.is_needed_beside(at, self._inside)
        }
        return sorted(needed & self._inside)

    def _lay_out(self, steps: Sequence[Step], results: set[int]) -> tuple[dict[int, int], int]:
        """A place in memory for each array that is no result; one is free after its last use."""
        last: dict[int, int] = {}
        for number, step in enumerate(steps):
            last.update((at, number) for at, _ in step.addresses)
        free: defaultdict[int, list[int]] = defaultdict(list)
        slots: dict[int, int] = {}
        size = 0
        for number, step in enumerate(steps):
            made = [at for at, _ in step.addresses[len(step.kernel.graph.inputs) :]]
            for at in made:
                if at in results:
                    continue
                need = _room(self._values[at])
                if not free[need]:
                    free[need].append(size)
                    size += need
                slots[at] = free[need].pop()
            for at in {at for at, _ in step.addresses}:
                if at in slots and last[at] == number:
                    free[_room(self._values[at])].append(slots[at])
        return slots, size + _ALIGNED


def _room(value: Any) -> int:
    """Bytes for an array."""
    lines: int = -(-max(value.nbytes, 8) // _ALIGNED) * _ALIGNED
    return lines + (_APART if lines >= _PAGE else 0)


def _find_offset(node: Node, of: Any, value: Any) -> int:
    """How many bytes behind what it is of a view begins."""
    if not np.ndim(of):
        return 0
    if np.ndim(value):
        return address_of(value) - address_of(of)
    numbers = np.arange(np.size(of)).reshape(np.shape(of))
    place = np.unravel_index(int(node.row.evaluate(numbers, **node.params)), np.shape(of))
    return sum(int(k) * step for k, step in zip(place, of.strides, strict=True))


def _list_steps(segment: Segment, called: Callable[[Loop], str]) -> tuple[list[str], list[int]]:
    """The functions of steps, and of each step its function, and how many addresses it is given.

    An address is an array of the table of the segment, the last of which is its memory, and bytes.
    """
    graph = segment.graph
    numbers = {at: k for k, at in enumerate((*graph.inputs, *graph.outputs))}
    functions: dict[str, int] = {}
    found: list[int] = []
    for step in segment.steps:
        function = functions.setdefault(called(step.kernel), len(functions))
        found += [function, len(step.addresses)]
        for at, offset in step.addresses:
            if at in numbers:
                found += [numbers[at], offset]
            else:
                found += [len(numbers), offset + segment.slots[at]]
    return list(functions), found


def segment_source(
    name: str, segment: Segment, called: Callable[[Loop], str], keep: Callable[[Any], int]
) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which does what a table says step by step.

    Parameters
    ----------
    name : str
    segment : Segment
    called : callable
        Says the name of the function of a step.
    keep : callable
        Says where a table of numbers is kept.
    """
    functions, steps = _list_steps(segment, called)
    memory = len(segment.graph.inputs) + len(segment.graph.outputs)
    most = max(len(step.addresses) for step in segment.steps)
    listed = ", ".join(f"ptr @{function}" for function in functions)
    begun = keep(np.array(steps, np.int64))
    aligned, shift = (_PAGE, _PAGE // 2) if segment.workspace else (_ALIGNED, 0)
    return [
        f"@{name}.functions = private constant [{len(functions)} x ptr] [{listed}]",
        f"define internal i32 @{name}(ptr %table) noinline {{",
        *("begin:", f"  %given = alloca ptr, i64 {most}"),
        # Vectors that lie across two lines of the cache take longer to be read.
        *(f"  %m.p = getelementptr ptr, ptr %table, i64 {memory}", "  %m = load ptr, ptr %m.p"),
        *("  %m.i = ptrtoint ptr %m to i64", f"  %m.j = add i64 %m.i, {aligned - 1}"),
        *(f"  %m.k = and i64 %m.j, -{aligned}", f"  %m.o = or i64 %m.k, {shift}"),
        "  %m.a = inttoptr i64 %m.o to ptr",
        *("  store ptr %m.a, ptr %m.p", "  br label %step", "step:"),
        f"  %at = phi ptr [ inttoptr (i64 {begun} to ptr), %begin ], [ %after, %next ]",
        *_read_next_number("function", "at", 0),
        *_read_next_number("count", "at", 1),
        "  %first = getelementptr i64, ptr %at, i64 2",
        *("  br label %address", "address:", "  %k = phi i64 [ 0, %step ], [ %k.next, %address ]"),
        "  %pair = phi ptr [ %first, %step ], [ %after, %address ]",
        *_read_next_number("array", "pair", 0),
        *_read_next_number("offset", "pair", 1),
        "  %base.p = getelementptr ptr, ptr %table, i64 %array",
        "  %base = load ptr, ptr %base.p",
        "  %address.p = getelementptr i8, ptr %base, i64 %offset",
        "  %to = getelementptr ptr, ptr %given, i64 %k",
        "  store ptr %address.p, ptr %to",
        *("  %after = getelementptr i64, ptr %pair, i64 2", "  %k.next = add nuw nsw i64 %k, 1"),
        "  %more = icmp ult i64 %k.next, %count",
        *("  br i1 %more, label %address, label %call", "call:"),
        f"  %called.p = getelementptr ptr, ptr @{name}.functions, i64 %function",
        *("  %called = load ptr, ptr %called.p", "  %r = call i32 %called(ptr %given)"),
        *("  %is_done = icmp eq i32 %r, 0", "  br i1 %is_done, label %next, label %off", "next:"),
        f"  %on = icmp ne ptr %after, inttoptr (i64 {begun + 8 * len(steps)} to ptr)",
        *("  br i1 %on, label %step, label %done", "done:", "  ret i32 0"),
        *("off:", "  ret i32 1", "}"),
    ]


def _read_next_number(name: str, behind: str, place: int) -> list[str]:
    return [
        f"  %{name}.p = getelementptr i64, ptr %{behind}, i64 {place}",
        f"  %{name} = load i64, ptr %{name}.p",
    ]
