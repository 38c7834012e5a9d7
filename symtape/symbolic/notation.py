"""What a way to write expressions has besides its printer, and expressions as lines of text.

Symbols are named as Python writes them, ``x[0, 1]`` or ``v12``; each notation has its own way
with the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import sympy as sp
from sympy.printing.printer import Printer
from sympy.printing.str import StrPrinter

from symtape.symbolic.decimals import replace_long_rationals


def split_name(name: str) -> tuple[str, tuple[int, ...]]:
    """A symbol's name without its index, and the index.

    Examples
    --------
    >>> split_name("w[0, 1]"), split_name("x")
    (('w', (0, 1)), ('x', ()))
    """
    base, _, index = name.removesuffix("]").partition("[")
    return base, tuple(int(i) for i in index.split(", ")) if index else ()


class Notation(Printer):  # type: ignore[misc]
    """A way to write expressions, arrays of them, and lets; SymPy's printer is another base."""

    equals: ClassVar[str]
    brackets: ClassVar[tuple[str, str, str]]
    """Around several arrays, and between them."""

    most_axes: ClassVar[int] = 2
    """Of an array that is not nested."""

    def expression(self, expression: Any) -> str:
        """One expression."""
        text: str = self.doprint(replace_long_rationals(expression))
        return text

    def parenthesise(self, text: str) -> str:
        """A written expression in parentheses."""
        return f"({text})"

    def array(self, entries: Sequence[str], shape: tuple[int, ...]) -> str:
        """Written entries, in C order, as a scalar, a vector, a matrix, or nested."""
        if not shape:
            return entries[0]
        if len(shape) > self.most_axes and shape[0]:
            step = len(entries) // shape[0]
            starts = range(0, len(entries), step) if step else [0] * shape[0]
            entries = [self.array(entries[k : k + step], shape[1:]) for k in starts]
            shape = shape[:1]
        width = shape[1] if len(shape) == 2 else 1
        return self.rows([entries[k : k + width] for k in range(0, len(entries), max(1, width))])

    def rows(self, rows: Sequence[Sequence[str]]) -> str:
        """Written entries as a matrix."""
        raise NotImplementedError

    def equation(self, name: str, value: str) -> str:
        """``name = value``, where `name` is a symbol's name."""
        return f"{self.expression(sp.Symbol(name))}{self.equals}{value}"

    def document(self, lines: Sequence[str], result: str) -> str:
        """Lets, and what comes of them."""
        return "\n".join([*lines, result])


class _Text(StrPrinter, Notation):  # type: ignore[misc]
    """One line of text for one expression."""

    most_axes = 1
    equals = " = "
    brackets = "(", ", ", ")"

    def rows(self, rows: Sequence[Sequence[str]]) -> str:
        """A vector in brackets."""
        entries = [entry.replace("\n", "\n ") for (entry,) in rows]
        between = ",\n " if any(entry.startswith("[") for entry in entries) else ", "
        return f"[{between.join(entries)}]"


TEXT: Final = _Text({"order": None})
