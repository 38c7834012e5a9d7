"""A program's statements as lines of text, in any notation or language."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import sympy as sp

from symtape.symbolic.algebra import placeholder
from symtape.symbolic.closed_form import Lets, constant_expression, split_into_lets
from symtape.symbolic.decimals import decimal_text
from symtape.symbolic.program import Program
from symtape.symbolic.template import Template

_HOLE: Final = re.compile("(?:<mi>)?\ue000(\\d+)\ue001(?:</mi>)?")


class Writer(Protocol):
    """What writes a single expression."""

    def expression(self, expression: Any) -> str:
        """One expression."""

    def parenthesise(self, text: str) -> str:
        """A written expression in parentheses."""


@dataclass(frozen=True, slots=True)
class Written:
    """Statements as text.

    Attributes
    ----------
    lets : list of (str, str)
        Name and text of each intermediate value.
    results : list of str
        The statements that were asked for.
    """

    lets: list[tuple[str, str]]
    results: list[str]


def write(
    program: Program,
    ids: Sequence[int],
    writer: Writer,
    leaf: Callable[[int], Any],
    prefix: str,
) -> Written:
    """Write statements `ids`, naming what is shared.

    Parameters
    ----------
    program : Program
    ids : sequence of int
    writer : Writer
    leaf : callable
        The symbol of an input statement.
    prefix : str
        Intermediate values are called ``prefix1, prefix2, ...``.
    """
    lets = split_into_lets(program, ids)
    names = {at: f"{prefix}{k}" for k, at in enumerate(lets.named, 1)}
    if lets.raw:
        return _write_raw(lets, ids, writer, leaf, names)
    said, results = lets.expressions(ids, leaf, lambda at: sp.Symbol(names[at], real=True))
    return Written(
        [(name, writer.expression(e)) for name, e in zip(names.values(), said, strict=True)],
        [writer.expression(e) for e in results],
    )


def _write_raw(
    lets: Lets,
    ids: Sequence[int],
    writer: Writer,
    leaf: Callable[[int], Any],
    names: dict[int, str],
) -> Written:
    """One line for each statement, from a text that is printed once for each template."""
    program = lets.program
    pieces: dict[Template, list[str]] = {}
    atoms: dict[int, str] = {}
    lines: list[tuple[str, str]] = []
    for at in program.list_needed(ids):
        template = program.templates[at]
        if template is None:
            atoms[at] = _atom(program, at, writer, leaf)
            continue
        if template not in pieces:
            pieces[template] = template_pieces(template, writer)
        parts = list(pieces[template])
        args = program.arguments[at]
        parts[1::2] = [atoms[args[int(hole)]] for hole in parts[1::2]]
        lines.append((names[at], "".join(parts)))
        atoms[at] = writer.expression(sp.Symbol(names[at], real=True))
    return Written(lines, [atoms[at] for at in ids])


def template_pieces(template: Template, writer: Writer) -> list[str]:
    """The text of `template`, cut where its arguments go: every other piece is which."""
    names = [f"\ue000{k}\ue001" for k in range(template.arity)]
    holes = {placeholder(k): sp.Symbol(name, real=True) for k, name in enumerate(names)}
    return _HOLE.split(writer.expression(template.readable.xreplace(holes)))


def _atom(program: Program, at: int, writer: Writer, leaf: Callable[[int], Any]) -> str:
    if at not in program.constants:
        return writer.expression(leaf(at))
    value = constant_expression(program, at)
    text = writer.expression(value)
    plain = value >= 0 and (value.is_Integer or decimal_text(value) is not None)
    return text if plain else writer.parenthesise(text)
