"""Small wrong changes of LLVM's assembly of a program: one line of it at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from verify.selftest.miscompiled.of_source import Change

_INSTEAD: Final = {
    "fadd": ("sign of a term", "fsub"),
    "fsub": ("sign of a term", "fadd"),
    "fmul": ("sign of a term", "fdiv"),
    "fdiv": ("sign of a term", "fmul"),
}
_PREDICATES: Final = {"olt": "ogt", "ogt": "olt", "ole": "oge", "oge": "ole", "oeq": "une"}
_PREDICATES_AT_TIES: Final = {"olt": "ole", "ogt": "oge", "ole": "olt", "oge": "ogt"}

_BINARY: Final = re.compile(
    r"(?P<head>\s+\S+ = (?P<op>f\w+) .*double>?) (?P<a>[%0][^>\s]*), (?P<b>[%0][^>\s]*)$"
)
_COMPARED: Final = re.compile(r"(?P<head>.* = fcmp )(?P<how>\w+)(?P<tail> .*)$")
_BRANCH: Final = re.compile(r"(?P<head>\s+br i1 )(?P<c>\S+), label (?P<a>\S+), label (?P<b>\S+)$")
_SELECT: Final = re.compile(r"(?P<head>.* = select i1 \S+), (?P<a>\w+ \S+), (?P<b>\w+ \S+)$")
_PLACE: Final = re.compile(r"(?P<head>.* getelementptr double, ptr \S+, i64 )(?P<k>[1-9]\d*)$")
_CONSTANT: Final = re.compile(r"0x(?P<bits>[0-9A-F]{16})")
_CALL: Final = re.compile(r"call double @(?P<name>[\w.]+)\(")
_STORE: Final = re.compile(r"(?P<head>\s+store double )(?P<a>\S+)(?P<tail>, .*)$")
_COUNTED: Final = re.compile(r"(?P<head>.* icmp [us]l[te] i\d+ \S+, )(?P<n>[1-9]\d*)$")
_AGAIN: Final = re.compile(r"(?P<head>.* icmp ult i64 %next\d, )(?P<n>%\w+)$")
_TURNS: Final = re.compile(r"(?P<head>.* call .*, i64 0, i64 )(?P<n>[1-9]\d*)\)$")
_STRIDE: Final = re.compile(r"(?P<head>.* = mul (nsw )?i64 \S+, )(?P<n>[1-9]\d*)$")
_FUNCTION: Final = re.compile(r"^define .*?@(?P<name>[\w.]+)\(.*?^}", re.MULTILINE | re.DOTALL)
_JUMP: Final = re.compile(r"label (%[\w.]+)")
_CAME_FROM: Final = re.compile(r", (%[\w.]+) \]")
_CONTRACTED: Final = re.compile(
    r"(?P<head>.* = )(?P<op>fadd|fmul|fsub)(?P<tail> (<8 x )?double.*)$"
)


def changes_of_assembly(source: str) -> Iterator[Change]:
    """Every change of a module that this module knows; none of them reads or writes outside.

    Examples
    --------
    >>> text = "  %v1 = fsub double %v0, 0x3FF0000000000000"
    >>> for operator, words, _ in changes_of_assembly(text):
    ...     print(operator, words)
    sign of a term %v1 = fadd double %v0, 0x3FF0000000000000
    operands exchanged %v1 = fsub double 0x3FF0000000000000, %v0
    rounded at once %v1 = fsub contract double %v0, 0x3FF0000000000000
    constant off %v1 = fsub double %v0, 0x3FF0000100000000
    """
    lines = source.split("\n")
    functions = sorted(
        set(re.findall(r"^declare double @([\w.]+)\(double\)", source, re.MULTILINE))
    )
    guards = _find_guards(source)
    for at, line in enumerate(lines):
        turned = _turn_guard(line) if at in guards else ()
        for operator, new in (*_changes(line), *turned, *_calls(line, functions)):
            yield operator, " ".join(new.split()), "\n".join([*lines[:at], new, *lines[at + 1 :]])


def _find_guards(source: str) -> set[int]:
    """The lines of branches of which both ways stay inside of what is there.

    Those of loops do not: a way of theirs is jumped to from below. Nor do those of functions that
    call themselves, nor those of which the ways meet again, with a value from each.
    """
    guards = set()
    for function in _FUNCTION.finditer(source):
        begin, lines = source.count("\n", 0, function.start()), function[0].split("\n")
        if f"@{function['name']}(" in "".join(lines[1:]):
            continue
        labels, unsafe = set[str](), set(_CAME_FROM.findall(function[0]))
        for line in lines:
            labels |= {f"%{line[:-1]}"} if line.endswith(":") else set()
            unsafe |= labels.intersection(_JUMP.findall(line))
        ways = [_BRANCH.match(line) for line in lines]
        guards |= {begin + k for k, it in enumerate(ways) if it and not unsafe & {it["a"], it["b"]}}
    return guards


def _turn_guard(line: str) -> Iterator[tuple[str, str]]:
    found = _BRANCH.match(line)
    assert found is not None
    head, c, a, b = found["head"], found["c"], found["a"], found["b"]
    yield "guard turned", f"{head}{c}, label {b}, label {a}"
    yield "stale guard", f"  br label {a if b.startswith('%off') else b}"


def _changes(line: str) -> Iterator[tuple[str, str]]:
    if found := _BINARY.match(line):
        yield from _mutate_arithmetic(line, found)
    if found := _COMPARED.match(line):
        yield from _mutate_comparison(found)
    if found := _SELECT.match(line):
        yield "choice turned", f"{found['head']}, {found['b']}, {found['a']}"
    if found := _PLACE.match(line):
        yield "slice moved", f"{found['head']}{int(found['k']) - 1}"
    if found := _STORE.match(line):
        yield "another value stored", f"{found['head']}0.5{found['tail']}"
    if found := _COUNTED.match(line):
        yield "a loop one short", f"{found['head']}{int(found['n']) - 1}"
    if found := _TURNS.match(line):
        yield "a loop one short", f"{found['head']}{int(found['n']) - 1})"
    if found := _AGAIN.match(line):
        yield "a loop left early", f"{found['head']}0"
    if found := _STRIDE.match(line):
        yield "wrong stride", f"{found['head']}{int(found['n']) - 1}"
    if found := _CONTRACTED.match(line):
        yield "rounded at once", f"{found['head']}{found['op']} contract{found['tail']}"
    for found in _CONSTANT.finditer(line):
        # Of 0.0 a small number, and no subnormal one, which would be nobody's fault.
        size = int(found["bits"], 16)
        bits = size ^ 1 << 32 if size & ~(1 << 63) else 0x3E10000000000000
        yield "constant off", f"{line[: found.start()]}0x{bits:016X}{line[found.end() :]}"


def _mutate_arithmetic(line: str, found: re.Match[str]) -> Iterator[tuple[str, str]]:
    op, a, b = found["op"], found["a"], found["b"]
    if op in _INSTEAD:
        operator, other = _INSTEAD[op]
        yield operator, line.replace(f" {op} ", f" {other} ", 1)
    if op == "fadd":
        zero = "0x8000000000000000"
        is_wide = found["head"].endswith(">")
        zeros = f"<{', '.join([f'double {zero}'] * 8)}>" if is_wide else zero
        yield "dropped term", f"{found['head']} {a}, {zeros}"
    if op in ("fsub", "fdiv"):
        yield "operands exchanged", f"{found['head']} {b}, {a}"


def _mutate_comparison(found: re.Match[str]) -> Iterator[tuple[str, str]]:
    how = found["how"]
    for operator, table in (
        ("wrong comparison", _PREDICATES),
        ("wrong comparison of ties", _PREDICATES_AT_TIES),
    ):
        if how in table:
            yield operator, f"{found['head']}{table[how]}{found['tail']}"


def _calls(line: str, functions: list[str]) -> Iterator[tuple[str, str]]:
    found = _CALL.search(line)
    if found and found["name"] in functions and len(functions) > 1:
        other = functions[functions.index(found["name"]) - 1]
        yield "another function", line.replace(f"@{found['name']}(", f"@{other}(", 1)
