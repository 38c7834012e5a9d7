"""How expressions are written: one line of text, LaTeX, presentation MathML.

Symbols are named as Python writes them, ``x[0, 1]`` or ``v12``; each notation has its own way
with the index.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter
from sympy.printing.printer import Printer
from sympy.printing.str import StrPrinter

from symtape.symbolic.decimals import Decimal, with_decimals

_EXPONENT: Final = re.compile(r"([-\d.]+)e([-+]\d+)")
_ENTITY: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|#\d+|#x[0-9a-fA-F]+);)\w+;")


def split_name(name: str) -> tuple[str, tuple[int, ...]]:
    """A symbol's name without its index, and the index.

    Examples
    --------
    >>> split_name("w[0, 1]"), split_name("x")
    (('w', (0, 1)), ('x', ()))
    """
    base, _, index = name.removesuffix("]").partition("[")
    return base, tuple(int(i) for i in index.split(", ")) if index else ()


class Notation:
    """A way to write expressions, arrays of them, and lets."""

    _printer: ClassVar[Printer]

    def expression(self, expression: Any) -> str:
        """One expression."""
        text: str = self._printer.doprint(with_decimals(expression))
        return text

    def grouped(self, text: str) -> str:
        """A written expression in parentheses."""
        return f"({text})"

    def array(self, entries: Sequence[str], shape: tuple[int, ...]) -> str:
        """Written entries, in C order, as a scalar, a vector, a matrix, or nested."""
        if not shape:
            return entries[0]
        if len(shape) > self._most_axes and shape[0]:
            step = len(entries) // shape[0]
            starts = range(0, len(entries), step) if step else [0] * shape[0]
            entries = [self.array(entries[k : k + step], shape[1:]) for k in starts]
            shape = shape[:1]
        width = shape[1] if len(shape) == 2 else 1
        return self._rows([entries[k : k + width] for k in range(0, len(entries), max(1, width))])

    _most_axes: ClassVar[int] = 2
    """Of an array that is not nested."""

    def _rows(self, rows: Sequence[Sequence[str]]) -> str:
        raise NotImplementedError

    def equation(self, name: str, value: str) -> str:
        """``name = value``, where `name` is a symbol's name."""
        return f"{self.expression(sp.Symbol(name))}{self.equals}{value}"

    equals: ClassVar[str]
    brackets: ClassVar[tuple[str, str, str]]
    """Around several arrays, and between them."""

    def document(self, lines: Sequence[str], result: str) -> str:
        """Lets, and what comes of them."""
        return "\n".join([*lines, result])


class _Text(Notation):
    """One line of text for one expression."""

    _printer = StrPrinter({"order": None})
    _most_axes = 1
    equals = " = "
    brackets = "(", ", ", ")"

    def _rows(self, rows: Sequence[Sequence[str]]) -> str:
        entries = [entry.replace("\n", "\n ") for (entry,) in rows]
        between = ",\n " if any(entry.startswith("[") for entry in entries) else ", "
        return f"[{between.join(entries)}]"


class _LatexPrinter(LatexPrinter):  # type: ignore[misc]
    def _print_Decimal(self, expr: Decimal) -> str:
        return _EXPONENT.sub(_power_of_ten, expr.name)

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        base, index = split_name(expr.name)
        text = latex_name(base)
        if not index:
            return text
        text = f"{{{text}}}" if set("_^'") & set(text) else text
        return f"{text}_{{{','.join(map(str, index))}}}"


def latex_name(text: str) -> str:
    r"""A variable in LaTeX; underscores that are no subscript stay what they are.

    Examples
    --------
    >>> latex_name("alpha_1"), latex_name("x__2"), latex_name("x_")
    ('\\alpha_{1}', '\\mathtt{x\\_\\_2}', '\\mathtt{x\\_}')
    """
    if "__" in text or text != text.strip("_"):
        escaped = text.replace("_", r"\_")
        return rf"\mathtt{{{escaped}}}"
    return str(sp.latex(sp.Symbol(text)))


def _power_of_ten(match: re.Match[str]) -> str:
    return rf"{match[1]} \cdot 10^{{{int(match[2])}}}"


class _Latex(Notation):
    """LaTeX mathematics, without dollars."""

    _printer = _LatexPrinter({"ln_notation": False})
    equals = " &= "
    brackets = r"\left( ", ", ", r" \right)"

    def _rows(self, rows: Sequence[Sequence[str]]) -> str:
        if not rows:
            return r"\left[\;\right]"
        lines = r" \\ ".join(map(" & ".join, rows))
        return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"

    def document(self, lines: Sequence[str], result: str) -> str:
        if not lines:
            return result
        body = " \\\\\n".join([*lines, f"&\\phantom{{=}}\\; {result}"])
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


class _MathMLPrinter(MathMLPresentationPrinter):  # type: ignore[misc]
    def _print_Decimal(self, number: Decimal) -> Any:
        return self._leaf("mn", number.name)

    def _print_Symbol(self, sym: Any, style: str = "plain") -> Any:
        base, index = split_name(sym.name)
        plain = super()._print_Symbol(sp.Symbol(base))
        if not index:
            return plain
        made = self.dom.createElement("msub")
        made.appendChild(plain)
        made.appendChild(self._leaf("mn", ",".join(map(str, index))))
        return made

    def _leaf(self, tag: str, text: str) -> Any:
        made = self.dom.createElement(tag)
        made.appendChild(self.dom.createTextNode(text))
        return made


class _MathML(Notation):
    """Presentation MathML; a document is one ``<math>`` that needs nothing else."""

    _printer = _MathMLPrinter()
    equals = "\n<mo>=</mo>\n"
    brackets = "<mrow><mo>(</mo>", "<mo>,</mo>", "<mo>)</mo></mrow>"

    def expression(self, expression: Any) -> str:
        text = super().expression(expression)
        text = text.replace("&ExponentialE;", "e").replace("&ImaginaryI;", "i")
        return _ENTITY.sub(lambda match: html.unescape(match[0]), text)

    def grouped(self, text: str) -> str:
        return f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>"

    def _rows(self, rows: Sequence[Sequence[str]]) -> str:
        return f"<mrow><mo>[</mo>{_table(rows)}<mo>]</mo></mrow>"

    def document(self, lines: Sequence[str], result: str) -> str:
        body = result
        if lines:
            body = _table([line.split("\n") for line in lines] + [["", "", result]])
        return (
            '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
            f"<mrow>{body}</mrow></math>"
        )


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ("<mtr>" + "".join(f"<mtd>{entry}</mtd>" for entry in row) + "</mtr>" for row in rows)
    return f"<mtable>{''.join(lines)}</mtable>"


TEXT: Final[Notation] = _Text()
LATEX: Final[Notation] = _Latex()
MATHML: Final[Notation] = _MathML()
