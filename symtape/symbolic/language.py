"""What a programming language says of itself, so that a form can be written in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import sympy as sp
from sympy.printing.codeprinter import CodePrinter, PrintMethodNotImplementedError

from symtape.errors import Unsupported
from symtape.symbolic.decimals import Decimal, with_decimals
from symtape.symbolic.notation import split_name

_LONG: Final = 2**31


@dataclass(frozen=True, slots=True)
class Part:
    """A result: what it is called if there are several, its shape, its entries in C order."""

    label: str
    shape: tuple[int, ...]
    entries: list[str]


@dataclass(frozen=True, slots=True)
class Signature:
    """A function to write: its name, what it is, and its arguments with their shapes."""

    name: str
    summary: str
    arguments: list[tuple[str, tuple[int, ...]]]


class Language(CodePrinter):  # type: ignore[misc]
    """A programming language: SymPy's printer of it, which stands beside this among the bases.

    One object for each function to write, as names depend on it. Subclasses say how an element of
    an argument is written, what the printer lacks, and lay out the function.
    """

    title: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}
    functions: ClassVar[dict[str, str]] = {}
    """What SymPy's printer lacks or gets wrong, by the name of SymPy's class, with its arguments
    as in ``str.format``."""

    def __init__(self, signature: Signature) -> None:
        super().__init__(self.options)
        self.signature = signature
        self.shapes = dict(signature.arguments)

    def expression(self, expression: Any) -> str:
        """One expression.

        Raises
        ------
        Unsupported
            A function that the language has not.
        """
        try:
            text: str = self.doprint(with_short_integers(with_decimals(expression)))
        except PrintMethodNotImplementedError as error:
            function = str(error).partition("\n")[0].rpartition(": ")[2]
            raise Unsupported(
                f"{self.title} has no function {function}; choose another language, or write "
                "it with 'numpy'"
            ) from error
        return text

    def grouped(self, text: str) -> str:
        """In parentheses."""
        return f"({text})"

    def named(self, base: str) -> str:
        """An argument's name, changed if it is a word of the language."""
        return f"{base}_" if base in self.reserved_words else base

    def element(self, base: str, index: tuple[int, ...]) -> str:
        """An element of an argument."""
        return self.named(base) + "".join(f"[{i}]" for i in index)

    def number(self, text: str) -> str:
        """A decimal constant."""
        return text

    layout: ClassVar[str]
    """The whole function: with its `name`, `summary` and `arguments`, `lets`, and `results`."""

    let: ClassVar[str] = "    {} = {}\n"

    def function(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> str:
        """The whole function."""
        return self.layout.format(
            name=self.signature.name,
            summary=self.signature.summary,
            arguments=", ".join(self.named(name) for name, _ in self.signature.arguments),
            lets="".join(self.let.format(*one) for one in lets),
            results=self.results([self.result(part) for part in parts]),
        )

    def result(self, part: Part) -> str:
        """One of the results."""
        return nested(part.entries, part.shape)

    def results(self, texts: Sequence[str]) -> str:
        """All of them."""
        return ", ".join(texts)

    def _print(self, expr: Any, **kwargs: Any) -> Any:
        text = self.functions.get(type(expr).__name__)
        if text is None:
            return super()._print(expr, **kwargs)
        return text.format(*map(self.argument, expr.args))

    def argument(self, expression: Any) -> str:
        """An argument of one of `functions`."""
        return str(self._print(expression))

    def _print_Decimal(self, expr: Decimal) -> str:
        return self.number(expr.name)

    def _print_Symbol(self, expr: Any) -> str:
        base, index = split_name(expr.name)
        return self.element(base, index) if index else self.named(base)

    def _flat(self, base: str, index: tuple[int, ...]) -> int:
        """The place of an element in an array that lies row by row."""
        place = 0
        for i, length in zip(index, self.shapes[base], strict=True):
            place = place * length + i
        return place


def with_short_integers(expression: Any) -> Any:
    """`expression` with integers beyond 32 bits as decimals."""
    long = [n for n in expression.atoms(sp.Integer) if abs(n) >= _LONG]
    table = {n: sp.sign(n) * Decimal(repr(float(abs(n)))) for n in long}
    return expression.xreplace(table) if table else expression


def nested(entries: Sequence[str], shape: tuple[int, ...]) -> str:
    """Entries as lists in brackets, nested."""
    if not shape:
        return entries[0]
    step = math.prod(shape[1:])
    rows = [nested(entries[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]
    return f"[{', '.join(rows)}]"
