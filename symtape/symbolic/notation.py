"""How expressions are written: one line of text, LaTeX, presentation MathML.

Symbols are named as Python writes them, ``x[0, 1]`` or ``v12``; each notation has its own way
with the index.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, Final, Protocol

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter
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


class Notation(Protocol):
    """A way to write expressions, arrays of them, and lets."""

    def expression(self, expression: Any) -> str:
        """One expression."""

    def grouped(self, text: str) -> str:
        """A written expression in parentheses."""

    def array(self, entries: Sequence[str], shape: tuple[int, ...]) -> str:
        """Written entries, in C order, as a scalar, a vector, a matrix, or nested."""

    def equation(self, name: str, value: str) -> str:
        """``name = value``, where `name` is a symbol's name."""

    def document(self, lines: Sequence[str], result: str) -> str:
        """Lets, and what comes of them."""


class _Text:
    """One line of text for one expression."""

    _printer = StrPrinter({"order": None})

    def expression(self, expression: Any) -> str:
        text: str = self._printer.doprint(with_decimals(expression))
        return text

    def grouped(self, text: str) -> str:
        return f"({text})"

    def array(self, entries: Sequence[str], shape: tuple[int, ...]) -> str:
        if not shape:
            return entries[0]
        step = len(entries) // shape[0] if shape[0] else 0
        rows = [self.array(entries[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]
        if len(shape) == 1:
            return f"[{', '.join(rows)}]"
        return "[" + ",\n ".join(row.replace("\n", "\n ") for row in rows) + "]"

    def equation(self, name: str, value: str) -> str:
        return f"{name} = {value}"

    def document(self, lines: Sequence[str], result: str) -> str:
        return "\n".join([*lines, result])


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


class _Latex:
    """LaTeX mathematics, without dollars."""

    _printer = _LatexPrinter({"ln_notation": False})

    def expression(self, expression: Any) -> str:
        text: str = self._printer.doprint(with_decimals(expression))
        return text

    def grouped(self, text: str) -> str:
        return f"({text})"

    def array(self, entries: Sequence[str], shape: tuple[int, ...]) -> str:
        if not shape:
            return entries[0]
        if not entries:
            return r"\left[\;\right]"
        if len(shape) > 2:
            step = len(entries) // shape[0]
            return self.array(
                [
                    self.array(entries[k * step : (k + 1) * step], shape[1:])
                    for k in range(shape[0])
                ],
                (shape[0],),
            )
        width = shape[1] if len(shape) == 2 else 1
        rows = [
            " & ".join(entries[start : start + width]) for start in range(0, len(entries), width)
        ]
        return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"

    def equation(self, name: str, value: str) -> str:
        return f"{self.expression(sp.Symbol(name))} &= {value}"

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


class _MathML:
    """Presentation MathML; a document is one ``<math>`` that needs nothing else."""

    _printer = _MathMLPrinter()

    def expression(self, expression: Any) -> str:
        text: str = self._printer.doprint(with_decimals(expression))
        text = text.replace("&ExponentialE;", "e").replace("&ImaginaryI;", "i")
        return _ENTITY.sub(lambda match: html.unescape(match[0]), text)

    def grouped(self, text: str) -> str:
        return f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>"

    def array(self, entries: Sequence[str], shape: tuple[int, ...]) -> str:
        if not shape:
            return entries[0]
        if len(shape) > 2 and shape[0]:
            step = len(entries) // shape[0]
            parts = [
                self.array(entries[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])
            ]
            return self.array(parts, (shape[0],))
        width = max(1, shape[1] if len(shape) == 2 else 1)
        rows = [entries[start : start + width] for start in range(0, len(entries), width)]
        return f"<mrow><mo>[</mo>{_table(rows)}<mo>]</mo></mrow>"

    def equation(self, name: str, value: str) -> str:
        return f"{self.expression(sp.Symbol(name))}\n<mo>=</mo>\n{value}"

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
