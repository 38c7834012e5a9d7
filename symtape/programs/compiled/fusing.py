"""A pass of back ends: neighbouring operations on arrays of one shape as one operation each.

A group ends in arrays, and in sums of them. It is computed where the first operation stands that
needs any of it and cannot be of it, so that no value waits for one that comes later.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node
from symtape.primitives.extrema import MAX, MIN
from symtape.primitives.primitive import Primitive, opaque
from symtape.primitives.reductions import PROD, SUM
from symtape.programs.compiled.functions import LIBMVEC, NUMPY
from symtape.programs.compiled.instructions import FLOATS
from symtape.programs.compiled.integers import INTEGERS, loop_instruction
from symtape.programs.compiled.kinds import find_kinds
from symtape.programs.compiled.library_calls import call_with_results_of, library_call_of
from symtape.programs.compiled.lookups import lookup_of
from symtape.programs.compiled.loop import Loop, isolate_nodes
from symtape.programs.compiled.nests import (
    Strides,
    contiguous,
    merge_loops,
    spread,
    strides_of,
    sum_strides,
    summed_in_a_row,
)
from symtape.programs.compiled.placements import placement_of
from symtape.programs.compiled.regrouping import Regrouping
from symtape.programs.compiled.scans import scan_of

LEAST_NUMBERS: Final = 2
"""Of an array; smaller ones are no work."""

REDUCED: Final = {
    SUM: ("fadd", -0.0),
    PROD: ("fmul", 1.0),
    MAX: ("call maximum", -math.inf),
    MIN: ("call minimum", math.inf),
}
"""How a loop joins the elements that a row reduces, two by two, and what it begins with."""

_LEAST_SHARE: Final = 0.3
"""Of the operations of a program, which are on arrays; those on numbers are long to write."""

_LEAST_OPERATIONS: Final = 2
_LEAST_IN_A_ROW: Final = 16
"""Elements of a loop that only reduces."""

_MOST_CALLED: Final = 512
"""Elements for which a loop calls NumPy's own function, eight by eight."""

_MOST_LAID_ANEW: Final = 32768
"""Elements that a loop reads in another order than they lie in less time than NumPy is called."""

_MOST_OPERATIONS: Final = 48
"""Of a group: what more need in registers at once is written to memory after all."""


@dataclass(slots=True)
class _Group:
    """Operations on arrays of one shape, by their places in the graph."""

    shape: tuple[int, ...]
    members: list[int] = field(default_factory=list)
    sums: set[int] = field(default_factory=set)
    """Those that reduce the others."""
    leaves: dict[int, Strides] = field(default_factory=dict)
    """What they are given, and how it is read."""
    rows: list[tuple[Strides, int]] = field(default_factory=list)
    """Of each sum how it is added to, and how many neighbours are to be one loop."""

    def suits(self, leaves: Sequence[Strides], sums: Sequence[tuple[Strides, int]]) -> bool:
        """Whether every sum is in NumPy's order, with these too."""
        rows = [*self.rows, *sums]
        if all(count == 1 for _, count in rows):
            return True
        every = [*self.leaves.values(), *leaves, *(strides for strides, _ in rows)]
        whole = contiguous(self.shape)
        sizes, _ = merge_loops(self.shape, [whole, *every])
        return all(count == 1 or count == sizes[-1] for _, count in rows)


def fuse_operations(
    graph: Graph,
    values: Sequence[Any],
    exact: bool = True,
    deciding: Collection[int] = (),
    with_numbers: bool = False,
) -> tuple[Graph, list[Any]]:
    """`graph` with groups of operations as one operation of several results, and its values.

    Parameters
    ----------
    graph : Graph
    values : sequence
        Of its nodes, where it was recorded: how each lies in memory.
    exact : bool
        Whether all operations are to be NumPy's to the bit.
    deciding : collection of int
        Those that are in any case.
    with_numbers : bool
        Whether operations on numbers are of groups as well.
    """
    return _Fusing(graph, values, exact, deciding, with_numbers).result()


class _Fusing(Regrouping):
    """The new graph, and the groups that are not yet in it."""

    def __init__(
        self,
        graph: Graph,
        values: Sequence[Any],
        exact: bool,
        deciding: Collection[int],
        with_numbers: bool,
    ) -> None:
        super().__init__(graph, list(values))
        self._laid_anew: set[int] = set()
        self._all_exact, self._deciding = exact, deciding
        self._open: dict[tuple[int, ...], _Group] = {}
        self._group_of: dict[int, _Group] = {}
        self._alone: dict[Any, Primitive | None] = {}
        self._takes_numbers = with_numbers
        self._in_order = self._find_what_lies_in_order()
        self._of_loops = [*map(_is_of_loops, graph.nodes)]
        self._kinds = find_kinds(graph).of
        self._codes: dict[tuple[int, bool], str | None] = {}
        """Of a kind of operations, and whether it is to be exact."""

    def result(self) -> tuple[Graph, list[Any]]:
        """All of it."""
        for at, node in enumerate(self.graph.nodes):
            if at in self.places:  # a further result
                continue
            self._lay_anew(at, node)
            if not self._join_group(at, node):
                self._close_all(node.inputs)
                if not self._add_with_results(at, node):
                    self._add_alone(at, node)
        for group in list(self._open.values()):
            self._close(group)
        return self.made()

    def _lay_anew(self, at: int, node: Node) -> None:
        """Take over how a value lies whose inputs lie otherwise than NumPy left them."""
        if node.primitive is None or self._laid_anew.isdisjoint(node.inputs):
            return
        with np.errstate(all="ignore"):
            value = node.row.evaluate(*[self.values[i] for i in node.inputs], **node.params)
        value = value if node.part is None else value[node.part]
        if strides_of(value) != strides_of(self.values[at]):
            self._set_value(at, value)

    def _set_value(self, at: int, value: Any) -> None:
        self.values[at] = value
        self._laid_anew.add(at)

    def _exact(self, at: int) -> bool:
        return self._all_exact or at in self._deciding

    def _reduces(self, at: int) -> bool:
        """Whether a loop may reduce as a node does: products in another order, extremes' zeros."""
        row = self.graph.nodes[at].row
        if row is SUM:
            return True
        return not (self._exact(at) if row is PROD else self._all_exact) and row in REDUCED

    def _add_alone(self, at: int, node: Node) -> None:
        """A node that no group takes, by machine code of its own where there is any."""
        row = self._find_own_row(at, node) if node.primitive else None
        if row:
            node = dataclasses.replace(node, primitive=row, params={}, part=0)
            if not self.values[at].flags.c_contiguous:  # which machine code's results are
                self._set_value(at, np.ascontiguousarray(self.values[at]))
        self.add(at, node)

    def _add_with_results(self, at: int, node: Node) -> bool:
        """Whether a node is of several results in machine code, and is put with all of them."""
        if self._all_exact or not node.inputs:
            return False
        users = self._users[node.inputs[0]]
        found = call_with_results_of(self.graph, at, users, self.values)
        if found is None:
            return False
        run, results = found
        self.add_group(node.name, run, node.inputs, results)
        for result in results:
            if not self.values[result].flags.c_contiguous:
                self._set_value(result, np.ascontiguousarray(self.values[result]))
        return True

    def _find_own_row(self, at: int, node: Node) -> Primitive | None:
        """The machine code of an operation, which others of its kind share; None without any."""
        graph, values = self.graph, self.values
        given = [values[i] for i in node.inputs]
        if not node.shape and not self._takes_numbers:
            return None
        lie_in_it = [np.may_share_memory(values[at], x) for x in given]
        lies = [
            (type(x), np.shape(x), np.result_type(x), strides_of(x)) for x in (*given, values[at])
        ]
        is_free = bool(np.ndim(values[at])) and not any(lie_in_it) and self._may_lie_anew(at)
        key = id(node.primitive), hashable(node.params), node.part, is_free, *lie_in_it, *lies
        if key not in self._alone:
            value = values[at]
            if is_free:
                values[at] = np.ascontiguousarray(value)
            own = (
                scan_of(graph, at, values)
                or library_call_of(graph, at, values)
                or placement_of(graph, at, values, self._all_exact)
                or lookup_of(graph, at, values)
            )
            values[at] = value
            self._alone[key] = opaque("alone", own, len(given)) if own else None
        return self._alone[key]

    def _join_group(self, at: int, node: Node) -> bool:
        """Whether a node is of a group now: of the one that is open, or of a new one."""
        if node.primitive is None or not self._can_be_fused(at, node):
            return False
        is_sum = self._reduces(at)
        shape = self.graph.nodes[node.inputs[0]].shape if is_sum else node.shape
        group = self._open.get(shape)
        inside = {i for i in node.inputs if group and self._group_of.get(i) is group}
        if group and (group.sums & inside or len(group.members) >= _MOST_OPERATIONS):
            self._close(group)
            group, inside = None, set()
        leaves = {
            i: self._read(i, shape)
            for i in node.inputs
            if i not in inside and not is_number(self.graph.nodes[i])
        }
        if not (leaves or inside):  # of constants alone, where folding them would warn
            return False
        if None in leaves.values() or (is_sum and not self._lie_in_order(leaves)):
            return False
        rows = [self._sums(node, shape)] if is_sum else []
        group = group or _Group(shape)
        if not group.suits(list(leaves.values()), rows):  # type: ignore[arg-type]
            self._close(group)
            return self._join_group(at, node) if group.members else False
        self._close_all(leaves)
        self._open[shape] = group
        self._group_of[at] = group
        group.members.append(at)
        group.leaves.update(leaves)  # type: ignore[arg-type]
        group.rows += rows
        if is_sum:
            group.sums.add(at)
        elif type(self.values[at]) is np.ndarray and not self.values[at].ndim:
            self._set_value(at, self.values[at][()])
        elif np.ndim(self.values[at]) and not self.values[at].flags.c_contiguous:
            self._set_value(at, np.ascontiguousarray(self.values[at]))
        return True

    def _lie_in_order(self, given: Iterable[int]) -> bool:
        """Whether arrays are contiguous, so that NumPy sums their neighbours."""
        return all(np.ndim(x) and x.flags.c_contiguous for x in (self.values[i] for i in given))

    def _can_be_fused(self, at: int, node: Node) -> bool:
        """Whether the operation, and where its result lies, are those of a loop."""
        if node.part is not None or not all(self._of_loops[i] for i in (at, *node.inputs)):
            return False
        inputs = [self.graph.nodes[i] for i in node.inputs]
        # How many there are of what a mask picks is asked for before that is computed.
        is_whole = any(x.dtype == INTEGERS and x.constant is None for x in inputs)
        if is_whole and -1 in self._users[at]:
            return False
        value = self.values[at]
        if self._reduces(at):
            wide = inputs[0].shape
            is_array = type(value) is np.ndarray and value.flags.c_contiguous
            is_number = type(value) is np.float64 or type(value) is np.float32
            is_alike = inputs[0].dtype in FLOATS and inputs[0].dtype == node.dtype
            fits = is_alike and (is_array or is_number)
        else:
            wide = node.shape
            code = self._code(at)
            is_number = np.ndim(value) == 0
            is_array = type(value) is np.ndarray and value.ndim > 0
            is_array = is_array and (value.flags.c_contiguous or self._may_lie_anew(at))
            # A call of NumPy's own for eight numbers costs more than one for all of many.
            is_quick = math.prod(wide) <= _MOST_CALLED or not f"{code}".startswith(f"call {NUMPY}.")
            fits = code is not None and is_quick and (is_array or is_number)
        takes_one = self._takes_numbers and not self._reduces(at)
        return fits and math.prod(wide) >= (1 if takes_one else LEAST_NUMBERS)

    def _may_lie_anew(self, at: int) -> bool:
        """Whether a result may lie by rows where NumPy lays it as its arguments lie."""
        is_free = not self._all_exact and at not in self._in_order
        return is_free and self.values[at].size <= _MOST_LAID_ANEW

    def _find_what_lies_in_order(self) -> set[int]:
        """What is summed or multiplied before something is decided: so it lies, so it is added."""
        found: set[int] = set()
        nodes = self.graph.nodes
        for at in reversed(range(len(nodes))):
            for user in self._deciding_users(at):
                row = nodes[user].row
                if user in found or not (row.elementwise or row.rounding == (0, 0)):
                    found.add(at)
        return found

    def _deciding_users(self, at: int) -> list[int]:
        return [i for i in self._users[at] if i in self._deciding]

    def _code(self, at: int) -> str | None:
        key = self._kinds[at], self._exact(at)
        if key not in self._codes:
            node = self.graph.nodes[at]
            inputs = [self.graph.nodes[i] for i in node.inputs]
            self._codes[key] = loop_instruction(node, inputs, NUMPY if key[1] else LIBMVEC)
        return self._codes[key]

    def _sums(self, node: Node, shape: tuple[int, ...]) -> tuple[Strides, int]:
        axes = summed_axes(node, len(shape))
        return sum_strides(shape, axes), summed_in_a_row(shape, axes)

    def _read(self, at: int, over: tuple[int, ...]) -> Strides | None:
        """The strides of what a group is given; None for what no loop reads."""
        strides = strides_of(self.values[at])
        return None if strides is None else spread(self.graph.nodes[at].shape, strides, over)

    def _close_all(self, needed: Iterable[int]) -> None:
        for i in needed:
            group = self._group_of.get(i)
            if group is not None:
                self._close(group)

    def _close(self, group: _Group) -> None:
        """Put a group where the graph is now; one of few operations as they are."""
        if self._open.get(group.shape) is not group:
            return
        del self._open[group.shape]
        is_little = self._all_exact and len(group.members) < _LEAST_OPERATIONS
        if is_little and not self._has_functions(group):
            for at in group.members:
                self.add(at)
            return
        inside = frozenset(group.members)
        results = [at for at in group.members if self.is_needed_beside(at, inside)]
        self.add_group("loop", self._isolate_group(group, results), group.leaves, results)

    def _has_functions(self, group: _Group) -> bool:
        """Whether there is what NumPy takes longer for."""
        if group.sums:
            row = merge_loops(group.shape, [contiguous(group.shape), *(x for x, _ in group.rows)])
            return row[0][-1] >= _LEAST_IN_A_ROW
        codes = (self._code(at) for at in group.members if at not in group.sums)
        return any(code.startswith(f"call {LIBMVEC}.") for code in codes if code)

    def _isolate_group(self, group: _Group, results: Sequence[int]) -> Loop:
        """A group as a graph of its own."""
        graph, places = isolate_nodes(
            self.graph, list(group.leaves), group.members, results, self.values
        )
        return Loop(graph, frozenset(places[at] for at in group.members if not self._exact(at)))


def summed_axes(node: Node, ndim: int) -> tuple[int, ...]:
    """The axes over which a node sums, counted from the first."""
    axis = node.params["axis"]
    if axis is None:
        return tuple(range(ndim))
    return tuple(k % ndim for k in (axis if isinstance(axis, tuple) else (axis,)))


def is_of_arrays(graph: Graph) -> bool:
    """Whether so many operations are on arrays that those on numbers are steps between them."""
    sizes = [math.prod(node.shape) for node in graph.nodes if node.primitive and not node.row.moves]
    return sum(size >= LEAST_NUMBERS for size in sizes) > _LEAST_SHARE * len(sizes)


def is_number(node: Node) -> bool:
    """Whether a node is a constant that is equal to a float64."""
    if node.constant is None or node.shape or node.dtype.kind not in "fiu":
        return False
    return node.dtype.itemsize <= 8 and (node.dtype.kind == "f" or abs(int(node.constant)) < 2**53)


def _is_of_loops(node: Node) -> bool:
    return node.dtype in (*FLOATS, INTEGERS, np.bool_) or is_number(node)
