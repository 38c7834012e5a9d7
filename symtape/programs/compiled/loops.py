"""A group of operations on arrays as nested loops in LLVM's assembly, in the order of NumPy.

The innermost loop takes eight elements at a time, and then those that are left. What is summed
along it is summed as NumPy does: up to 128 neighbours in eight sums, more of them by halves; along
other loops, each term is added to what is there. So every bit is that of NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import Primitive
from symtape.programs.compiled.bodies import (
    OF_SINGLES,
    Array,
    Body,
    find_code,
    find_operations,
    find_reductions,
    write_join,
    write_load,
    write_store,
    write_which_are_left,
)
from symtape.programs.compiled.entry import VECTORISED, Layout
from symtape.programs.compiled.functions import all_over, definitions
from symtape.programs.compiled.fusing import REDUCED, summed_axes
from symtape.programs.compiled.integers import INTEGERS, TO_FLOATS
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.nests import (
    HALVED,
    WIDTH,
    contiguous,
    merge_loops,
    spread,
    strides_of,
    sum_strides,
)

_ALIGNED: Final = "alignstack(64)"
"""Of functions that put vectors by: one across two lines of the cache takes several times as long.
"""


def layouts(graph: Graph) -> tuple[list[Layout], list[Layout]]:
    """How the inputs of a group lie in memory, and its outputs."""
    nodes = graph.nodes
    inputs = [
        Layout(nodes[i].shape, getattr(value, "strides", None), nodes[i].dtype)
        for i, value in zip(graph.inputs, graph.at, strict=True)
    ]
    outputs = [Layout(nodes[i].shape, None, nodes[i].dtype) for i in graph.outputs]
    return inputs, outputs


def shared_source(loops: Sequence[Loop]) -> list[str]:
    """Assembly that loops call."""
    every = [find_code(loop, at) for loop in loops for at in find_operations(loop.graph)]
    every += [REDUCED[row][0] for loop in loops for row in find_reductions(loop.graph)]
    every += [f"call {code}" for code in OF_SINGLES]
    codes = {code.partition(" ")[2] for code in every if code.startswith(("call ", "test "))}
    if any(node.dtype == INTEGERS for loop in loops for node in loop.graph.nodes):
        codes.add(TO_FLOATS)
    lines = [*definitions(sorted(codes), WIDTH), *definitions(sorted(codes), 1)]
    declared = [line for line in lines if line.startswith("declare")]
    defined = [line for line in lines if not line.startswith("declare")]
    return [
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        *dict.fromkeys(declared),
        *defined,
        *_FILL,
    ]


_FILL: Final = tuple(
    line
    for kind in ("double", "float")
    for line in (
        f"define internal void @fill_{kind}(ptr %to, {kind} %number, i64 %count) {{",
        *("begin:", "  br label %turn", "turn:", "  %i = phi i64 [ 0, %begin ], [ %n, %turn ]"),
        *(f"  %p = getelementptr {kind}, ptr %to, i64 %i", f"  store {kind} %number, ptr %p"),
        *("  %n = add nuw nsw i64 %i, 1", "  %more = icmp ult i64 %n, %count"),
        *(f"  br i1 %more, label %turn, label %done{VECTORISED}", "done:", "  ret void", "}"),
    )
)
"""What a reduction begins with, in all places of its result."""


def loops_source(name: str, loop: Loop) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which has the addresses of inputs and outputs."""
    return _Loops(name, loop).source()


class _Loops:
    """The writer of it."""

    def __init__(self, name: str, loop: Loop) -> None:
        graph = loop.graph
        self._name, self._loop, self._graph = name, loop, graph
        nodes = graph.nodes
        shape = next(_wide(graph, node) for node in nodes if node.primitive is not None)
        inputs = [
            spread(nodes[i].shape, strides_of(value) or (), shape)
            for i, value in zip(graph.inputs, graph.at, strict=True)
        ]
        outputs = [
            sum_strides(shape, summed_axes(nodes[i], len(shape)))
            if nodes[i].primitive in REDUCED
            else contiguous(shape)
            for i in graph.outputs
        ]
        # What is contiguous says too where loops can be one: sums are of contiguous arrays.
        sizes, (_, *merged) = merge_loops(shape, [contiguous(shape), *inputs, *outputs])
        self._sizes = sizes or (1,)  # of one number
        every = merged if sizes else [(1,)] * len(merged)
        arrays = [
            Array(place, i, strides, nodes[i].dtype)
            for place, (i, strides) in enumerate(
                zip((*graph.inputs, *graph.outputs), every, strict=True)
            )
        ]
        self._read = arrays[: len(inputs)]
        written = arrays[len(inputs) :]
        self._sums = [one for one in written if nodes[one.node].primitive in REDUCED]
        self._stored = [one for one in written if nodes[one.node].primitive not in REDUCED]
        self._in_a_row = [one for one in self._sums if not one.step]
        self._arrays = arrays
        self._lines: list[str] = []

    def source(self) -> list[str]:
        if self._sizes[-1] < WIDTH:
            self._write_short_row()
        else:
            self._write_row()
        if self._in_a_row and self._sizes[-1] > HALVED:
            self._write_halves()
        self._write_nest()
        return self._lines

    @property
    def _result(self) -> str:
        """The type of the sums of a row."""
        return f"[{len(self._in_a_row)} x double]" if self._in_a_row else "void"

    def _row(self, one: Array) -> Primitive:
        return self._graph.nodes[one.node].row

    def _join(self, one: Array, a: str, b: str) -> str:
        return write_join(self._row(one), 1, a, b, one.is_single)

    def _array_parameters(self, kind: str, word: str = "%a{}") -> str:
        return ", ".join(f"{kind} {word.format(one.place)}" for one in self._arrays)

    def _write(self, *lines: str) -> None:
        self._lines += lines

    def _write_nest(self) -> None:
        """The loops around the innermost one."""
        head = f"define internal i32 @{self._name}(ptr %table) noinline {_ALIGNED} {{"
        self._write(head, "begin:")
        for one in self._arrays:
            self._write(f"  %t{one.place} = getelementptr ptr, ptr %table, i64 {one.place}")
            self._write(f"  %p{one.place}.0 = load ptr, ptr %t{one.place}")
        for one in self._sums:
            node = self._graph.nodes[one.node]
            first = all_over(REDUCED[node.row][1] + 0.0, 1)  # a sum of NumPy's begins with 0.0
            to = f"ptr %p{one.place}.0, {one.kind} {first}, i64 {math.prod(node.shape)}"
            self._write(f"  call void @fill_{one.kind}({to})")
        outer = self._sizes[:-1]
        for depth in range(len(outer)):
            before = f"turn{depth - 1}" if depth else "begin"
            self._write(f"  br label %turn{depth}", f"turn{depth}:")
            self._write(f"  %i{depth} = phi i64 [ 0, %{before} ], [ %n{depth}, %next{depth} ]")
            for one in self._arrays:
                self._write_row_address(one, depth)
        self._write_call(len(outer))
        for depth in reversed(range(len(outer))):
            after = f"after{depth}"
            self._write(f"  br label %next{depth}", f"next{depth}:")
            self._write(f"  %n{depth} = add nuw nsw i64 %i{depth}, 1")
            self._write(f"  %m{depth} = icmp ult i64 %n{depth}, {outer[depth]}")
            self._write(f"  br i1 %m{depth}, label %turn{depth}, label %{after}", f"{after}:")
        self._write("  ret i32 0", "}")

    def _write_row_address(self, one: Array, depth: int) -> None:
        word, step = f"%p{one.place}.{depth + 1}", one.strides[depth]
        before = f"%p{one.place}.{depth}"
        self._write(f"  %o{one.place}.{depth} = mul i64 %i{depth}, {step}")
        at = f"i64 %o{one.place}.{depth}"
        self._write(f"  {word} = getelementptr {one.kind}, ptr {before}, {at}")

    def _write_call(self, depth: int) -> None:
        """One turn of the loops: the innermost loop, and what is summed along it."""
        count = self._sizes[-1]
        halves = self._in_a_row and count > HALVED
        called = f"{self._name}_halves" if halves else f"{self._name}_row"
        given = self._array_parameters("ptr", f"%p{{}}.{depth}")
        head = "  %found =" if self._in_a_row else " "
        self._write(f"{head} call {self._result} @{called}({given}, i64 0, i64 {count})")
        for k, one in enumerate(self._in_a_row):
            address = f"%p{one.place}.{depth}"
            self._write(f"  %f{k} = extractvalue {self._result} %found, {k}")
            self._write(*write_load(f"%there{k}", one.kind, address))
            self._write(f"  %total{k} = {self._join(one, f'%there{k}', f'%f{k}')}")
            self._write(*write_store(f"%total{k}", one.kind, address))

    def _write_halves(self) -> None:
        """A row of many neighbours, by halves."""
        name, result = self._name, self._result
        head = f"define internal {result} @{name}_halves({self._array_parameters('ptr noalias')}"
        self._write(f"{head}, i64 %from, i64 %count) {{", "begin:")
        self._write(f"  %is_short = icmp ule i64 %count, {HALVED}")
        self._write("  br i1 %is_short, label %short, label %long", "short:")
        given = self._array_parameters("ptr")
        self._write(f"  %r = call {result} @{name}_row({given}, i64 %from, i64 %count)")
        self._write(f"  ret {result} %r", "long:")
        self._write("  %half = lshr i64 %count, 1", f"  %first = and i64 %half, -{WIDTH}")
        self._write("  %second = sub i64 %count, %first", "  %middle = add i64 %from, %first")
        for word, at, count in (("a", "%from", "%first"), ("b", "%middle", "%second")):
            self._write(f"  %{word} = call {result} @{name}_halves({given}, i64 {at}, i64 {count})")
        latest = "undef"
        for k, one in enumerate(self._in_a_row):
            self._write(f"  %a{k}.f = extractvalue {result} %a, {k}")
            self._write(f"  %b{k}.f = extractvalue {result} %b, {k}")
            self._write(f"  %s{k}.f = {self._join(one, f'%a{k}.f', f'%b{k}.f')}")
            self._write(f"  %r{k}.f = insertvalue {result} {latest}, double %s{k}.f, {k}")
            latest = f"%r{k}.f"
        self._write(f"  ret {result} {latest}", "}")

    def _begin_row(self) -> None:
        given = self._array_parameters("ptr noalias")
        head = f"define internal {self._result} @{self._name}_row({given}"
        self._write(f"{head}, i64 %from, i64 %count) {_ALIGNED} {{", "begin:")

    def _write_short_row(self) -> None:
        """The innermost loop, of fewer than eight elements: one by one."""
        self._begin_row()
        single = Body(self._loop, 1)
        for one in self._read:
            if not one.step:
                self._write(*single.write_fixed_reads(one))
        self._write("  br label %single", "single:")
        self._write("  %i1 = phi i64 [ %from, %begin ], [ %next1, %single ]")
        for k, one in enumerate(self._in_a_row):
            first = all_over(REDUCED[self._row(one)][1], 1)
            self._write(f"  %s1.{k} = phi double [ {first}, %begin ], [ %n1.{k}, %single ]")
        self._write(*single.lines(self._read, self._stored, self._sums))
        self._write("  %next1 = add i64 %i1, 1", "  %more1 = icmp ult i64 %next1, %count")
        self._write("  br i1 %more1, label %single, label %done", "done:")
        self._return_row([f"%n1.{k}" for k in range(len(self._in_a_row))])

    def _return_row(self, words: Sequence[str]) -> None:
        latest = "undef"
        for k, word in enumerate(words):
            self._write(f"  %w{k} = insertvalue {self._result} {latest}, double {word}, {k}")
            latest = f"%w{k}"
        self._write(f"  ret {self._result} {latest}" if words else "  ret void", "}")

    def _write_row(self) -> None:
        """The innermost loop: by eight elements, the last of which may have been done before."""
        self._begin_row()
        single, wide = Body(self._loop, 1), Body(self._loop, WIDTH)
        self._write("  %end = add i64 %from, %count", f"  %latest = sub i64 %end, {WIDTH}")
        for one in self._read:
            if not one.step:
                self._write(*single.write_fixed_reads(one), *wide.write_fixed_reads(one))
        if self._sums:
            self._write_row_of_sums(single, wide)
            return
        self._write("  br label %wide", "wide:")
        self._write("  %i = phi i64 [ %from, %begin ], [ %next8, %wide ]")
        self._write("  %is_late = icmp ugt i64 %i, %latest")
        self._write("  %i8 = select i1 %is_late, i64 %latest, i64 %i")
        self._write(*wide.lines(self._read, self._stored, ()))
        self._write("  %next8 = add i64 %i, 8", "  %more8 = icmp ult i64 %next8, %end")
        self._write("  br i1 %more8, label %wide, label %done", "done:")
        self._return_row(())

    def _write_row_of_sums(self, single: Body, wide: Body) -> None:
        """By eight elements, and then what is left."""
        sums, kind, count = self._in_a_row, wide.type, self._sizes[-1]
        is_known = not sums or count <= HALVED
        self._write(f"  %left = and i64 %count, {WIDTH - 1}", "  %stop = sub i64 %end, %left")
        self._write("  br label %wide", "wide:")
        self._write("  %i8 = phi i64 [ %from, %begin ], [ %next8, %wide ]")
        for k, one in enumerate(sums):
            first = all_over(REDUCED[self._row(one)][1], WIDTH)
            self._write(f"  %s8.{k} = phi {kind} [ {first}, %begin ], [ %n8.{k}, %wide ]")
        self._write(*wide.lines(self._read, self._stored, self._sums))
        self._write("  %next8 = add i64 %i8, 8", "  %more8 = icmp ult i64 %next8, %stop")
        self._write("  br i1 %more8, label %wide, label %joined", "joined:")
        for k, one in enumerate(sums):
            self._write(*_add_eight_sums(f"%n8.{k}", self._row(one), one.is_single))
        if is_known and not count % WIDTH:
            self._return_row([f"%n8.{k}.r" for k in range(len(sums))])
            return
        self._write("  %any = icmp ugt i64 %left, 0", "  br i1 %any, label %rest, label %done")
        if self._has_functions or all(not one.step for one in self._sums):
            last = wide.rest(count % WIDTH if is_known else None)
            self._write("rest:", *write_which_are_left())
            self._write(*last.lines(self._read, self._stored, self._sums))
            self._write("  br label %done", "done:")
            totals = [last.total(k) for k in range(len(sums))]
        else:
            totals = self._write_rest_one_by_one(single)
        for k, total in enumerate(totals):
            self._write(f"  %d{k} = phi double [ %n8.{k}.r, %joined ], [ {total}, %rest ]")
        self._return_row([f"%d{k}" for k in range(len(sums))])

    @property
    def _has_functions(self) -> bool:
        """Whether a library is called, for eight elements in the time of one."""
        codes = (find_code(self._loop, at) for at in find_operations(self._graph))
        return any(code.startswith("call ") and "." in code for code in codes)

    def _write_rest_one_by_one(self, single: Body) -> list[str]:
        """What is added to memory, that a vector across what was just written would wait for."""
        self._write("rest:", "  %i1 = phi i64 [ %stop, %joined ], [ %next1, %rest ]")
        words = [f"%n1.{k}" for k in range(len(self._in_a_row))]
        for k, word in enumerate(words):
            self._write(f"  %s1.{k} = phi double [ %n8.{k}.r, %joined ], [ {word}, %rest ]")
        self._write(*single.lines(self._read, self._stored, self._sums))
        self._write("  %next1 = add i64 %i1, 1", "  %more1 = icmp ult i64 %next1, %end")
        self._write("  br i1 %more1, label %rest, label %done", "done:")
        return words


def _add_eight_sums(word: str, row: Primitive, is_single: bool) -> list[str]:
    """The total of eight sums, in NumPy's order, or of what else a row reduces to."""
    lines = [f"  {word}.{j} = extractelement <8 x double> {word}, i32 {j}" for j in range(WIDTH)]
    names = [f"{word}.{j}" for j in range(WIDTH)]
    level = 0
    while len(names) > 1:
        level += 1
        pairs = list(zip(names[::2], names[1::2], strict=True))
        names = [f"{word}.{level}.{j}" for j in range(len(pairs))]
        if len(names) == 1:
            names = [f"{word}.r"]
        lines += [
            f"  {name} = {write_join(row, 1, a, b, is_single)}"
            for name, (a, b) in zip(names, pairs, strict=True)
        ]
    return lines


def _wide(graph: Graph, node: Node) -> tuple[int, ...]:
    """The shape of the turns of a group, of which a node is."""
    return graph.nodes[node.inputs[0]].shape if node.primitive in REDUCED else node.shape
