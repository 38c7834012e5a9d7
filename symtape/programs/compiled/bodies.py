"""One turn of the innermost loop of a group, of one element or of eight, in LLVM's assembly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import Primitive
from symtape.programs.compiled.addresses import type_of_numbers
from symtape.programs.compiled.functions import (
    LIBMVEC,
    NUMPY,
    OF_TRUTHS,
    all_over,
    symbol,
    write_operation,
)
from symtape.programs.compiled.fusing import REDUCED, is_number
from symtape.programs.compiled.instructions import SAME, SQUARE
from symtape.programs.compiled.integers import (
    INTEGERS,
    TO_FLOATS,
    loop_instruction,
    takes_integers,
)
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.nests import WIDTH, Strides


@dataclass(frozen=True, slots=True)
class Array:
    """What a loop reads, writes, or adds to: by its place in the table of addresses."""

    place: int
    node: int
    strides: Strides
    dtype: np.dtype[Any]

    @property
    def step(self) -> int:
        """Elements from one turn of the innermost loop to the next."""
        return self.strides[-1]

    @property
    def kind(self) -> str:
        """The type of an element."""
        return type_of_numbers(self.dtype)

    @property
    def is_truth(self) -> bool:
        """Whether it has truth values."""
        return self.dtype == np.bool_

    @property
    def is_single(self) -> bool:
        """Whether it has float32s, which are words of double precision in the meantime."""
        return self.dtype == np.float32


def find_operations(graph: Graph) -> list[int]:
    """The operations on elements of a group."""
    return [
        at
        for at, node in enumerate(graph.nodes)
        if node.primitive is not None and node.primitive not in REDUCED
    ]


def find_reductions(graph: Graph) -> set[Primitive]:
    """The rows by which a group reduces its elements."""
    return {node.row for node in graph.nodes if node.primitive in REDUCED}


_TO_SINGLES: Final = "to_singles"
_JOINED_SINGLES: Final = {"fadd": "call add_singles", "fmul": "call multiply_singles"}
OF_SINGLES: Final = (_TO_SINGLES, "add_singles", "multiply_singles")
"""Functions that round to float32."""


def write_load(word: str, kind: str, address: str, width: int = 1, align: int = 0) -> list[str]:
    """Read numbers, float32s as those of double precision."""
    of, aligned = _vector(kind, width), f", align {align}" if align else ""
    if kind != "float":
        return [f"  {word} = load {of}, ptr {address}{aligned}"]
    return [
        f"  {word}.f = load {of}, ptr {address}{aligned}",
        f"  {word} = fpext {of} {word}.f to {_vector('double', width)}",
    ]


def write_store(word: str, kind: str, address: str, width: int = 1, align: int = 0) -> list[str]:
    """Put numbers, in single precision where they are float32s."""
    of, aligned = _vector(kind, width), f", align {align}" if align else ""
    if kind != "float":
        return [f"  store {of} {word}, ptr {address}{aligned}"]
    short = f"{address}.s"
    return [
        f"  {short} = fptrunc {_vector('double', width)} {word} to {of}",
        f"  store {of} {short}, ptr {address}{aligned}",
    ]


def _vector(kind: str, width: int) -> str:
    return kind if width == 1 else f"<{width} x {kind}>"


def write_join(row: Primitive, width: int, a: str, b: str, is_single: bool = False) -> str:
    """The instruction by which a row reduces two numbers, or eight and eight."""
    code = REDUCED[row][0]
    kind, _, function = (_JOINED_SINGLES.get(code, code) if is_single else code).partition(" ")
    of = "double" if width == 1 else f"<{width} x double>"
    if function:
        return f"call {of} @{symbol(function, width)}({of} {a}, {of} {b})"
    return f"{kind} {of} {a}, {b}"


def find_code(loop: Loop, at: int) -> str:
    """What an operation on elements is in machine code."""
    node = loop.graph.nodes[at]
    inputs = [loop.graph.nodes[i] for i in node.inputs]
    found = loop_instruction(node, inputs, LIBMVEC if at in loop.rounded else NUMPY)
    assert found is not None
    return found


def write_which_are_left() -> list[str]:
    """Of the last eight elements, whether each was not done before, as a vector and one by one."""
    places = ", ".join(f"i64 {k}" for k in range(WIDTH))
    kind, zeros = f"<{WIDTH} x i64>", f"<{WIDTH} x i32> zeroinitializer"
    return [
        f"  %before = sub i64 {WIDTH}, %left",
        f"  %before.0 = insertelement {kind} poison, i64 %before, i32 0",
        f"  %before.all = shufflevector {kind} %before.0, {kind} poison, {zeros}",
        f"  %is_left = icmp uge {kind} <{places}>, %before.all",
        *(
            f"  %is_left.{k} = extractelement <{WIDTH} x i1> %is_left, i32 {k}"
            for k in range(1, WIDTH)
        ),
    ]


class Body:
    """One turn of the innermost loop, of one element or of several.

    Of the rest of a row it is the last several, of which some may have been done before.
    """

    def __init__(self, loop: Loop, width: int, is_rest: bool = False) -> None:
        self._loop, self._graph, self._width = loop, loop.graph, width
        self._is_rest, self._tag = is_rest, "rest" if is_rest else str(width)
        self.type = self._vector_type("double")
        self._words: dict[int, str] = {}
        self._lines: list[str] = []
        self._totals: list[str] = []
        self._left: int | None = None

    def rest(self, left: int | None) -> Body:
        """The body of what is left, which reads what is fixed by the words of this one.

        Parameters
        ----------
        left : int or None
            How many elements that are, where it is known.
        """
        made = Body(self._loop, self._width, is_rest=True)
        made._left = left
        made._words.update(self._words)
        return made

    def total(self, k: int) -> str:
        """The word of a sum in a row, with what was left."""
        return self._totals[k]

    def _vector_type(self, kind: str) -> str:
        return kind if self._width == 1 else f"<{self._width} x {kind}>"

    def write_fixed_reads(self, one: Array) -> list[str]:
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
        lines = write_load(single, one.kind, f"%a{one.place}")
        self._words[one.node] = single
        if one.is_truth:
            lines.append(f"  {single}.t = icmp ne i8 {single}, 0")
            self._words[one.node] = f"{single}.t"
        return lines

    def lines(
        self, read: Sequence[Array], stored: Sequence[Array], sums: Sequence[Array]
    ) -> list[str]:
        """All of a turn."""
        for one in read:
            if one.step:
                self._read(one)
        for at, node in enumerate(self._graph.nodes):
            if is_number(node):
                self._words[at] = all_over(node.constant, self._width)
        for at in find_operations(self._graph):
            self._compute(at, self._graph.nodes[at])
        for one in stored:
            self._store(one)
        rows = 0
        for one in sums:
            node = self._graph.nodes[one.node]
            term = self._words[node.inputs[0]]
            if one.step:
                self._add(one, node.row, term)
                continue
            if self._is_rest:
                self._add_what_is_left(rows, one, term)
            else:
                word = f"{self._width}.{rows}"
                joined = write_join(node.row, self._width, f"%s{word}", term, one.is_single)
                self._lines.append(f"  %n{word} = {joined}")
            rows += 1
        return self._lines

    def _add_what_is_left(self, k: int, one: Array, term: str) -> None:
        """Add to the sum of a row what was not, one after the other as NumPy does."""
        row = self._graph.nodes[one.node].row
        latest = f"%n{self._width}.{k}.r"
        first = self._width - (self._left or self._width - 1)
        for lane in range(first, self._width):
            word = f"%n{self._tag}.{k}.{lane}"
            self._write(f"  {word}.x = extractelement {self.type} {term}, i32 {lane}")
            joined = write_join(row, 1, latest, f"{word}.x", one.is_single)
            self._write(f"  {word}.s = {joined}")
            if self._left:
                latest = f"{word}.s"
                continue
            self._write(f"  {word} = select i1 %is_left.{lane}, double {word}.s, double {latest}")
            latest = word
        self._totals.append(latest)

    def _write(self, *lines: str) -> None:
        self._lines += lines

    def _address(self, one: Array, word: str, more: int = 0) -> str:
        """The address of an element of this turn."""
        index = "%latest" if self._is_rest else f"%i{self._width}"
        if more:
            self._write(f"  {word}.j = add i64 {index}, {more}")
            index = f"{word}.j"
        if one.step != 1:
            self._write(f"  {word}.k = mul i64 {index}, {one.step}")
            index = f"{word}.k"
        self._write(f"  {word}.g = getelementptr {one.kind}, ptr %a{one.place}, i64 {index}")
        return f"{word}.g"

    def _read(self, one: Array) -> None:
        word = f"%x{one.node}.{self._tag}"
        if self._width == 1 or one.step == 1:
            address = self._address(one, word)
            self._write(*write_load(word, one.kind, address, self._width, one.dtype.itemsize))
        else:
            self._gather(one, word)
        if one.is_truth:
            self._write(f"  {word}.t = icmp ne {self._vector_type('i8')} {word}, {self._zeros}")
            word = f"{word}.t"
        self._words[one.node] = word

    def _gather(self, one: Array, word: str) -> None:
        """Elements that are no neighbours, one after the other."""
        kind = "i8" if one.is_truth else "double"
        vector, latest = self._vector_type(kind), "poison"
        for k in range(self._width):
            name = f"{word}.{k}"
            address = self._address(one, name, k)
            self._write(*write_load(f"{name}.l", one.kind, address))
            to = word if k == self._width - 1 else name
            self._write(f"  {to} = insertelement {vector} {latest}, {kind} {name}.l, i32 {k}")
            latest = to

    @property
    def _zeros(self) -> str:
        return "0" if self._width == 1 else "zeroinitializer"

    def _compute(self, at: int, node: Node) -> None:
        code = find_code(self._loop, at)
        word = f"%v{at}.{self._tag}"
        of_integers = takes_integers(code) or (node.dtype == INTEGERS and code == "select")
        of_singles = self._is_of_singles(node)
        words = [
            self._words[i]
            if code in OF_TRUTHS or (code == "select" and not k)
            else self._take_number(i, f"{word}.{k}", of_integers, of_singles)
            for k, i in enumerate(node.inputs)
        ]
        if code == SAME:
            word = words[0]
        else:
            code, words = ("fmul", words[:1] * 2) if code == SQUARE else (code, words)
            self._write(write_operation(word, code, words, self._width))
        if node.dtype == np.float32:
            rounded, given = f"%v{at}.{self._tag}.r", [word]
            self._write(write_operation(rounded, f"call {_TO_SINGLES}", given, self._width))
            word = rounded
        self._words[at] = word

    def _is_of_singles(self, node: Node) -> bool:
        """Whether numbers of Python's, which have no dtype, are float32s to an operation."""
        if node.dtype != np.bool_:
            return node.dtype == np.float32
        given = [self._graph.nodes[i] for i in node.inputs]
        kinds = {one.dtype for one in given if type(one.constant) not in (int, float)}
        return kinds == {np.dtype(np.float32)}

    def _take_number(self, at: int, word: str, of_integers: bool, of_singles: bool) -> str:
        """What an operation on floats is given, or one on integers, converted where it is other."""
        node, found = self._graph.nodes[at], self._words[at]
        if is_number(node):
            if of_singles:
                with np.errstate(over="ignore"):
                    return all_over(np.float32(node.constant), self._width)
            bits = np.int64(node.constant).tobytes() if of_integers else None
            return all_over(bits, self._width) if bits else found
        if node.dtype == np.bool_:
            self._write(write_operation(f"{word}.u", "uitofp", [found], self._width))
            return f"{word}.u"
        if node.dtype == INTEGERS and not of_integers:
            self._write(write_operation(f"{word}.f", f"call {TO_FLOATS}", [found], self._width))
            return f"{word}.f"
        return found

    def _store(self, one: Array) -> None:
        word = self._words[one.node]
        address = self._address(one, f"%y{one.node}.{self._tag}")
        if one.is_truth:
            truths, whole = self._vector_type("i1"), self._vector_type("i8")
            self._write(f"  %q{one.node}.{self._tag} = zext {truths} {word} to {whole}")
            word = f"%q{one.node}.{self._tag}"
        self._write(*write_store(word, one.kind, address, self._width, one.dtype.itemsize))

    def _add(self, one: Array, row: Primitive, term: str) -> None:
        """Add to what is there, of a sum along another loop."""
        word = f"%z{one.node}.{self._tag}"
        address = self._address(one, word)
        size = one.dtype.itemsize
        self._write(*write_load(f"{word}.l", one.kind, address, self._width, size))
        joined = f"{word}.s" if self._is_rest else word
        total = write_join(row, self._width, f"{word}.l", term, one.is_single)
        self._write(f"  {joined} = {total}")
        if self._is_rest:
            kind = self.type
            self._write(
                f"  {word} = select {self._vector_type('i1')} %is_left, "
                f"{kind} {joined}, {kind} {word}.l"
            )
        self._write(*write_store(word, one.kind, address, self._width, size))
