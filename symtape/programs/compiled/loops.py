"""A group of operations on arrays as nested loops in LLVM's assembly, in the order of NumPy.

The innermost loop takes eight elements at a time, and then those that are left. What is summed
along it is summed as NumPy does: up to 128 neighbours in eight sums, more of them by halves; along
other loops, each term is added to what is there. So every bit is that of NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import Primitive
from symtape.programs.compiled.entry import VECTORISED, Layout
from symtape.programs.compiled.functions import (
    LIBMVEC,
    NUMPY,
    OF_TRUTHS,
    all_over,
    definitions,
    symbol,
    write_operation,
)
from symtape.programs.compiled.fusing import REDUCED, is_number, summed_axes
from symtape.programs.compiled.instructions import SAME, SQUARE
from symtape.programs.compiled.integers import (
    INTEGERS,
    TO_FLOATS,
    loop_instruction,
    takes_integers,
)
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.nests import (
    HALVED,
    WIDTH,
    Strides,
    contiguous,
    merge_loops,
    spread,
    strides_of,
    sum_strides,
)

_ALIGNED: Final = "alignstack(64)"
"""Of functions that put vectors by: one across two lines of the cache takes several times as long.
"""


@dataclass(frozen=True, slots=True)
class _Array:
    """What a loop reads, writes, or adds to: by its place in the table of addresses."""

    place: int
    node: int
    strides: Strides
    is_truth: bool = False

    @property
    def step(self) -> int:
        """Elements from one turn of the innermost loop to the next."""
        return self.strides[-1]

    @property
    def kind(self) -> str:
        return "i8" if self.is_truth else "double"


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
    every = [_code(loop, at) for loop in loops for at in _find_operations(loop.graph)]
    every += [REDUCED[row][0] for loop in loops for row in _find_reductions(loop.graph)]
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


_FILL: Final = (
    "define internal void @fill(ptr %to, double %number, i64 %count) {",
    *("begin:", "  br label %turn", "turn:", "  %i = phi i64 [ 0, %begin ], [ %n, %turn ]"),
    *("  %p = getelementptr double, ptr %to, i64 %i", "  store double %number, ptr %p"),
    *("  %n = add nuw nsw i64 %i, 1", "  %more = icmp ult i64 %n, %count"),
    *(f"  br i1 %more, label %turn, label %done{VECTORISED}", "done:", "  ret void", "}"),
)
"""What a reduction begins with, in all places of its result."""


def loops_source(name: str, loop: Loop) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which has the addresses of inputs and outputs."""
    return _Loops(name, loop).source()


def _find_operations(graph: Graph) -> list[int]:
    """The operations on elements of a group."""
    return [
        at
        for at, node in enumerate(graph.nodes)
        if node.primitive is not None and node.primitive not in REDUCED
    ]


def _find_reductions(graph: Graph) -> set[Primitive]:
    return {node.row for node in graph.nodes if node.primitive in REDUCED}


def _join(row: Primitive, width: int, a: str, b: str) -> str:
    """The instruction by which a row reduces two numbers, or eight and eight."""
    kind, _, function = REDUCED[row][0].partition(" ")
    of = "double" if width == 1 else f"<{width} x double>"
    if function:
        return f"call {of} @{symbol(function, width)}({of} {a}, {of} {b})"
    return f"{kind} {of} {a}, {b}"


def _code(loop: Loop, at: int) -> str:
    """What an operation on elements is in machine code."""
    node = loop.graph.nodes[at]
    inputs = [loop.graph.nodes[i] for i in node.inputs]
    found = loop_instruction(node, inputs, LIBMVEC if at in loop.rounded else NUMPY)
    assert found is not None
    return found


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
            _Array(place, i, strides, nodes[i].dtype == np.bool_)
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

    def _row(self, one: _Array) -> Primitive:
        return self._graph.nodes[one.node].row

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
            to = f"ptr %p{one.place}.0, double {first}, i64 {math.prod(node.shape)}"
            self._write(f"  call void @fill({to})")
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

    def _write_row_address(self, one: _Array, depth: int) -> None:
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
            self._write(f"  %there{k} = load double, ptr {address}")
            self._write(f"  %total{k} = {_join(self._row(one), 1, f'%there{k}', f'%f{k}')}")
            self._write(f"  store double %total{k}, ptr {address}")

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
            self._write(f"  %s{k}.f = {_join(self._row(one), 1, f'%a{k}.f', f'%b{k}.f')}")
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
        single = _Body(self._loop, 1)
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
        """The innermost loop: by eight elements, and one by one."""
        sums = self._in_a_row
        self._begin_row()
        self._write(f"  %whole = and i64 %count, -{WIDTH}", "  %stop = add i64 %from, %whole")
        self._write("  %end = add i64 %from, %count")
        wide, single = _Body(self._loop, WIDTH), _Body(self._loop, 1)
        for one in self._read:
            if not one.step:
                self._write(*single.write_fixed_reads(one), *wide.write_fixed_reads(one))
        self._write("  %any = icmp ult i64 %from, %stop")
        self._write("  br i1 %any, label %wide, label %joined", "wide:")
        self._write("  %i8 = phi i64 [ %from, %begin ], [ %next8, %wide ]")
        firsts = [all_over(REDUCED[self._row(one)][1], WIDTH) for one in sums]
        kind = wide.type
        for k, first in enumerate(firsts):
            self._write(f"  %s8.{k} = phi {kind} [ {first}, %begin ], [ %n8.{k}, %wide ]")
        self._write(*wide.lines(self._read, self._stored, self._sums))
        self._write("  %next8 = add i64 %i8, 8", "  %more8 = icmp ult i64 %next8, %stop")
        self._write("  br i1 %more8, label %wide, label %joined", "joined:")
        for k, first in enumerate(firsts):
            self._write(f"  %e{k} = phi {kind} [ {first}, %begin ], [ %n8.{k}, %wide ]")
        for k, one in enumerate(sums):
            self._write(*_add_eight_sums(k, self._row(one)))
        self._write("  %left = icmp ult i64 %stop, %end")
        self._write("  br i1 %left, label %single, label %done", "single:")
        self._write("  %i1 = phi i64 [ %stop, %joined ], [ %next1, %single ]")
        for k in range(len(sums)):
            self._write(f"  %s1.{k} = phi double [ %e{k}.r, %joined ], [ %n1.{k}, %single ]")
        self._write(*single.lines(self._read, self._stored, self._sums))
        self._write("  %next1 = add i64 %i1, 1", "  %more1 = icmp ult i64 %next1, %end")
        self._write("  br i1 %more1, label %single, label %done", "done:")
        for k in range(len(sums)):
            self._write(f"  %d{k} = phi double [ %e{k}.r, %joined ], [ %n1.{k}, %single ]")
        self._return_row([f"%d{k}" for k in range(len(sums))])


def _add_eight_sums(k: int, row: Primitive) -> list[str]:
    """The total of eight sums, in NumPy's order, or of what else a row reduces to."""
    word = f"%e{k}"
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
            f"  {name} = {_join(row, 1, a, b)}" for name, (a, b) in zip(names, pairs, strict=True)
        ]
    return lines


class _Body:
    """One turn of the innermost loop, of one element or of several."""

    def __init__(self, loop: Loop, width: int) -> None:
        self._loop, self._graph, self._width = loop, loop.graph, width
        self.type = self._vector_type("double")
        self._words: dict[int, str] = {}
        self._lines: list[str] = []

    def _vector_type(self, kind: str) -> str:
        return kind if self._width == 1 else f"<{self._width} x {kind}>"

    def write_fixed_reads(self, one: _Array) -> list[str]:
        """What is read once, before the loop."""
        single = f"%x{one.node}"
        if self._width > 1:
            word = f"{single}.all"
            kind, given = ("i1", f"{single}.t") if one.is_truth else ("double", single)
            vector = self._vector_type(kind)
            self._words[one.node] = word
            zeros = f"<{self._width} x i32> zeroinitializer"
            return [
                f"  {word}.0 = insertelement {vector} poison, {kind} {given}, i32 0",
                f"  {word} = shufflevector {vector} {word}.0, {vector} poison, {zeros}",
            ]
        lines = [f"  {single} = load {one.kind}, ptr %a{one.place}"]
        self._words[one.node] = single
        if one.is_truth:
            lines.append(f"  {single}.t = icmp ne i8 {single}, 0")
            self._words[one.node] = f"{single}.t"
        return lines

    def lines(
        self, read: Sequence[_Array], stored: Sequence[_Array], sums: Sequence[_Array]
    ) -> list[str]:
        """All of a turn."""
        for one in read:
            if one.step:
                self._read(one)
        for at, node in enumerate(self._graph.nodes):
            if is_number(node):
                self._words[at] = all_over(node.constant, self._width)
        for at in _find_operations(self._graph):
            self._compute(at, self._graph.nodes[at])
        for one in stored:
            self._store(one)
        rows = 0
        for one in sums:
            node = self._graph.nodes[one.node]
            term = self._words[node.inputs[0]]
            if one.step:
                self._add(one, node.row, term)
            else:
                word = f"{self._width}.{rows}"
                joined = _join(node.row, self._width, f"%s{word}", term)
                self._lines.append(f"  %n{word} = {joined}")
                rows += 1
        return self._lines

    def _write(self, line: str) -> None:
        self._lines.append(line)

    def _address(self, one: _Array, word: str, more: int = 0) -> str:
        """The address of an element of this turn."""
        index = f"%i{self._width}"
        if more:
            self._write(f"  {word}.j = add i64 {index}, {more}")
            index = f"{word}.j"
        if one.step != 1:
            self._write(f"  {word}.k = mul i64 {index}, {one.step}")
            index = f"{word}.k"
        self._write(f"  {word}.g = getelementptr {one.kind}, ptr %a{one.place}, i64 {index}")
        return f"{word}.g"

    def _read(self, one: _Array) -> None:
        word = f"%x{one.node}.{self._width}"
        size = 1 if one.is_truth else 8
        if self._width == 1 or one.step == 1:
            address = self._address(one, word)
            self._write(
                f"  {word} = load {self._vector_type(one.kind)}, ptr {address}, align {size}"
            )
        else:
            self._gather(one, word)
        if one.is_truth:
            self._write(f"  {word}.t = icmp ne {self._vector_type('i8')} {word}, {self._zeros}")
            word = f"{word}.t"
        self._words[one.node] = word

    def _gather(self, one: _Array, word: str) -> None:
        """Elements that are no neighbours, one after the other."""
        vector, latest = self._vector_type(one.kind), "poison"
        for k in range(self._width):
            name = f"{word}.{k}"
            address = self._address(one, name, k)
            self._write(f"  {name}.l = load {one.kind}, ptr {address}")
            to = word if k == self._width - 1 else name
            self._write(f"  {to} = insertelement {vector} {latest}, {one.kind} {name}.l, i32 {k}")
            latest = to

    @property
    def _zeros(self) -> str:
        return "0" if self._width == 1 else "zeroinitializer"

    def _compute(self, at: int, node: Node) -> None:
        code = _code(self._loop, at)
        word = f"%v{at}.{self._width}"
        of_integers = takes_integers(code) or (node.dtype == INTEGERS and code == "select")
        words = [
            self._words[i]
            if code in OF_TRUTHS or (code == "select" and not k)
            else self._take_number(i, f"{word}.{k}", of_integers)
            for k, i in enumerate(node.inputs)
        ]
        if code == SAME:
            word = words[0]
        else:
            code, words = ("fmul", words[:1] * 2) if code == SQUARE else (code, words)
            self._write(write_operation(word, code, words, self._width))
        self._words[at] = word

    def _take_number(self, at: int, word: str, of_integers: bool) -> str:
        """What an operation on floats is given, or one on integers, converted where it is other."""
        node, found = self._graph.nodes[at], self._words[at]
        if is_number(node):
            bits = np.int64(node.constant).tobytes() if of_integers else None
            return all_over(bits, self._width) if bits else found
        if node.dtype == np.bool_:
            self._write(write_operation(f"{word}.u", "uitofp", [found], self._width))
            return f"{word}.u"
        if node.dtype == INTEGERS and not of_integers:
            self._write(write_operation(f"{word}.f", f"call {TO_FLOATS}", [found], self._width))
            return f"{word}.f"
        return found

    def _store(self, one: _Array) -> None:
        word, kind = self._words[one.node], self.type
        address = self._address(one, f"%y{one.node}.{self._width}")
        if one.is_truth:
            kind = self._vector_type("i8")
            self._write(
                f"  %q{one.node}.{self._width} = zext {self._vector_type('i1')} {word} to {kind}"
            )
            word = f"%q{one.node}.{self._width}"
        self._write(f"  store {kind} {word}, ptr {address}, align {1 if one.is_truth else 8}")

    def _add(self, one: _Array, row: Primitive, term: str) -> None:
        """Add to what is there, of a sum along another loop."""
        word = f"%z{one.node}.{self._width}"
        address = self._address(one, word)
        self._write(f"  {word}.l = load {self.type}, ptr {address}, align 8")
        self._write(f"  {word} = {_join(row, self._width, f'{word}.l', term)}")
        self._write(f"  store {self.type} {word}, ptr {address}, align 8")


def _wide(graph: Graph, node: Node) -> tuple[int, ...]:
    """The shape of the turns of a group, of which a node is."""
    return graph.nodes[node.inputs[0]].shape if node.primitive in REDUCED else node.shape
