"""Operations on floats as LLVM's assembly: a function for each block, cut to a bounded length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from symtape.errors import Unsupported
from symtape.programs.compiled.addresses import load_addresses
from symtape.programs.compiled.entry import VECTORISED
from symtape.programs.compiled.functions import definitions, write_operation, written_bits
from symtape.programs.compiled.instructions import is_truth
from symtape.programs.compiled.operations import Operation
from symtape.programs.compiled.rolling import Block, Columns, Ints, roll_program
from symtape.programs.compiled.streams import CARRIED, CONSTANTS, INPUTS, REGISTER, Stream, Streams

LONGEST: Final = 400
"""Operations of one function."""

_MOST_WRITTEN: Final = 100_000
"""Operations, those of a loop once, above which LLVM takes more than seconds."""

_GIVEN: Final = frozenset(("input", "constant"))
"""What is there before the program begins."""


class Assembly:
    """The functions of a program, and ``i32 @program(ptr %table)``, which calls them.

    It returns 1 where a decision is another one. The table has the addresses of the numbers of the
    inputs, of the outputs, and of the memory.

    Parameters
    ----------
    every : sequence of Operation
    inputs, outputs : int
        How many arrays and numbers come and go.

    Attributes
    ----------
    memory : int
        Floats that it needs.
    lines : list of str

    Raises
    ------
    Unsupported
        What does not repeat is too long.
    """

    def __init__(self, every: Sequence[Operation], inputs: int, outputs: int) -> None:
        columns = Columns(every, [k for k, op in enumerate(every) if op.code not in _GIVEN])
        blocks = [cut for block in roll_program(columns) for cut in _cut(block)]
        if sum(block.period for block in blocks) > _MOST_WRITTEN:
            raise Unsupported(f"more than {_MOST_WRITTEN} operations that do not repeat")
        self._streams = Streams(columns, blocks, LONGEST)
        self._every, self._inputs = every, inputs
        self._tables = inputs + outputs + 1
        self.memory = self._streams.size
        self._calls: list[str] = []
        codes = {op.code for op in every}
        called = [code[5:] for code in codes if code.startswith(("call ", "test "))]
        self.lines = definitions(sorted(called))
        for number, block in enumerate(blocks):
            self._write_block(number, block)
        self._write_program()

    def _write_block(self, number: int, block: Block) -> None:
        pieces = self._streams.pieces(block)
        if len(pieces) == 1:
            self._write_function(f"part{number}", number, block, pieces[0], loops=block.count > 1)
            self._calls.append(f"part{number}")
            return
        names = [f"part{number}_{k}" for k in range(len(pieces))]
        for name, places in zip(names, pieces, strict=True):
            self._write_function(name, number, block, places, loops=False)
        self._write_turns(f"part{number}", names, block.count)
        self._calls.append(f"part{number}")

    def _write_function(
        self, name: str, number: int, block: Block, places: range, loops: bool
    ) -> None:
        tables = self._inputs, self._tables - 1
        function = _Function(name, self._every, self._streams, number, block, tables)
        body = function.body(places)
        turn = ", i64 %i" if not loops and block.count > 1 else ""
        self.lines += function.tables
        self.lines += [
            f"define internal i32 @{name}({self._table_parameters('ptr noalias')}{turn}) {{"
        ]
        self.lines += ["begin:", *function.before]
        if loops:
            self.lines += ["  br label %turn", "turn:", *function.carried_values(), *body]
            self.lines += _write_next_turn(block.count)
        else:
            self.lines += body
        self.lines += ["  ret i32 0", "off:", "  ret i32 1", "}"]

    def _write_turns(self, name: str, pieces: Sequence[str], count: int) -> None:
        """The loop over a block that is cut into several functions."""
        self.lines += [
            f"define internal i32 @{name}({self._table_parameters('ptr noalias')}) {{",
            "begin:",
        ]
        self.lines += ["  br label %turn", "turn:"]
        self.lines.append("  %i = phi i64 [ 0, %begin ], [ %next, %latch ]")
        self._write_calls(pieces, ", i64 %i")
        self.lines += [*_write_next_turn(count), "  ret i32 0", "off:", "  ret i32 1", "}"]

    def _write_program(self) -> None:
        self.lines += ["define internal i32 @program(ptr %table) {", "begin:"]
        self.lines += load_addresses(self._tables)
        self._write_calls(self._calls, "")
        self.lines += ["  ret i32 0", "off:", "  ret i32 1", "}"]

    def _write_calls(self, names: Sequence[str], more: str) -> None:
        for k, name in enumerate(names):
            self.lines += [
                f"  %r{k} = call i32 @{name}({self._table_parameters('ptr')}{more})",
                f"  %c{k} = icmp eq i32 %r{k}, 0",
                f"  br i1 %c{k}, label %next{k}, label %off",
                f"next{k}:",
            ]

    def _table_parameters(self, kind: str) -> str:
        return ", ".join(f"{kind} %a{k}" for k in range(self._tables))


def _write_next_turn(count: int) -> list[str]:
    return [
        *("  br label %latch", "latch:", "  %next = add nuw nsw i64 %i, 1"),
        f"  %more = icmp ult i64 %next, {count}",
        *(f"  br i1 %more, label %turn, label %done{VECTORISED}", "done:"),
    ]


def _cut(block: Block) -> list[Block]:
    """A straight line in pieces; a loop as it is, for it is to turn as a whole."""
    if block.count > 1:
        return [block]
    ends = range(block.start, block.stop, LONGEST)
    return [Block(at, min(LONGEST, block.stop - at), 1) for at in ends]


class _Function:
    """The body of one function: some places of a block, in one turn or in all."""

    def __init__(
        self,
        name: str,
        every: Sequence[Operation],
        streams: Streams,
        number: int,
        block: Block,
        tables: tuple[int, int],
    ) -> None:
        self._name, self._every, self._streams, self._block = name, every, streams, block
        self._of = streams.list_streams(number)
        self._outputs, self._memory = tables
        self._lines: list[str] = []
        self._known: dict[Any, str] = {}
        self._phis: dict[tuple[int, int], tuple[str, str]] = {}
        self._fresh: defaultdict[str, int] = defaultdict(int)
        self.tables: list[str] = []
        self.before: list[str] = []

    def body(self, places: range) -> list[str]:
        """The lines of all places; `before` and `tables` are complete then."""
        for place in places:
            self._write(place)
        return self._lines

    def carried_values(self) -> list[str]:
        """The values that each turn has from the one before, and the number of the turn."""
        lines = ["  %i = phi i64 [ 0, %begin ], [ %next, %latch ]"]
        for (place, _), (word, first) in self._phis.items():
            kind = "i1" if is_truth(self._streams.operation(self._block, place).code) else "double"
            lines.append(f"  {word} = phi {kind} [ {first}, %begin ], [ %v{place}, %latch ]")
        return lines

    def _new(self, letter: str) -> str:
        self._fresh[letter] += 1
        return f"{letter}{self._fresh[letter]}"

    def _write(self, place: int) -> None:
        op = self._streams.operation(self._block, place)
        words = [self._word(self._of[place, k]) for k in range(len(op.inputs))]
        if op.code == "guard":
            then = self._new("on")
            ways = [f"label %{then}", "label %off"]
            first, second = ways if op.static[0] else ways[::-1]
            self._lines += [f"  br i1 {words[0]}, {first}, {second}", f"{then}:"]
        elif op.code == "store":
            where = self._streams.list_targets(self._block, place)
            address = self._address(self._outputs + op.static[0], where, self._lines)
            self._lines.append(f"  store double {words[0]}, ptr {address}")
        else:
            self._lines.append(write_operation(f"%v{place}", op.code, words))
        self._keep(place, op)

    def _keep(self, place: int, op: Operation) -> None:
        """Write a value to memory, if it is needed elsewhere."""
        slots = self._streams.kept_at(self._block, place)
        if slots is None:
            return
        word = f"%v{place}"
        if is_truth(op.code):
            word = f"%{self._new('u')}"
            self._lines.append(f"  {word} = uitofp i1 %v{place} to double")
        address = self._address(self._memory, slots, self._lines)
        self._lines.append(f"  store double {word}, ptr {address}")

    def _word(self, stream: Stream) -> str:
        if stream.kind == REGISTER:
            return f"%v{stream.at}"
        if stream.kind == CARRIED:
            return self._carry_value(stream)
        key = stream.kind, stream.at, stream.places.tobytes()
        if key not in self._known:
            self._known[key] = self._read(stream)
        return self._known[key]

    def _carry_value(self, stream: Stream) -> str:
        key = stream.at, int(stream.places[0])
        if key not in self._phis:
            source = self._every[key[1]]
            first = self._load(self._memory, self._streams.slots(stream.places[:1]), self.before)
            if is_truth(source.code):
                first = self._truth(first, self.before)
            self._phis[key] = f"%p{len(self._phis)}", first
        return self._phis[key][0]

    def _read(self, stream: Stream) -> str:
        places = stream.places
        is_fixed = bool((places == places[0]).all())
        if stream.kind == CONSTANTS:
            numbers = [written_bits(self._every[k].static[0]) for k in places.tolist()]
            return numbers[0] if is_fixed else self._load_table_entry("double", numbers)
        if stream.kind == INPUTS:
            return self._load(stream.at, places, self.before if is_fixed else self._lines)
        is_there = is_fixed and self._streams.is_before(int(places[0]), self._block)
        lines = self.before if is_there else self._lines
        word = self._load(self._memory, self._streams.slots(places), lines)
        return self._truth(word, lines) if is_truth(self._every[places[0]].code) else word

    def _load(self, number: int, where: Ints, lines: list[str]) -> str:
        address = self._address(number, where, lines)
        word = f"%{self._new('l')}"
        lines.append(f"  {word} = load double, ptr {address}")
        return word

    def _truth(self, word: str, lines: list[str]) -> str:
        truth = f"%{self._new('b')}"
        lines.append(f"  {truth} = fcmp une double {word}, 0.0")
        return truth

    def _address(self, number: int, where: Ints, lines: list[str]) -> str:
        """The address of one float of an array in each turn."""
        first = int(where[0])
        steps = where[1:] - where[:-1]
        if not steps.any():
            if not first:
                return f"%a{number}"
            index = str(first)
        elif (steps == steps[0]).all():
            index = self._progression(first, int(steps[0]))
        else:
            index = self._load_table_entry("i64", [str(k) for k in where.tolist()])
        address = f"%{self._new('g')}"
        lines.append(f"  {address} = getelementptr double, ptr %a{number}, i64 {index}")
        return address

    def _progression(self, first: int, step: int) -> str:
        if (first, step) == (0, 1):
            return "%i"
        key = "progression", first, step
        if key not in self._known:
            product, word = "%i", f"%{self._new('s')}"
            if step != 1:
                product = f"%{self._new('m')}"
                self._lines.append(f"  {product} = mul nsw i64 %i, {step}")
            self._lines.append(f"  {word} = add nsw i64 {product}, {first}")
            self._known[key] = word
        return self._known[key]

    def _load_table_entry(self, kind: str, items: list[str]) -> str:
        """What a table of constants has for each turn."""
        key = "table", kind, tuple(items)
        if key not in self._known:
            table = f"@{self._name}.{len(self.tables)}"
            written = ", ".join(f"{kind} {item}" for item in items)
            self.tables.append(f"{table} = private constant [{len(items)} x {kind}] [{written}]")
            address, word = f"%{self._new('h')}", f"%{self._new('k')}"
            self._lines.append(f"  {address} = getelementptr {kind}, ptr {table}, i64 %i")
            self._lines.append(f"  {word} = load {kind}, ptr {address}")
            self._known[key] = word
        return self._known[key]
