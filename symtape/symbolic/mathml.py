"""Presentation MathML: SymPy's expressions, arrays, and the marks of formulas."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, Final

import sympy as sp
from sympy.printing.mathml import MathMLPresentationPrinter

from symtape.symbolic.decimals import Decimal
from symtape.symbolic.notation import Notation, split_name

_ENTITY: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|#\d+|#x[0-9a-fA-F]+);)\w+;")
_SIGNS: Final = {"top": "⊤", "odot": "⊙", "oslash": "⊘", "-": "−"}
_FENCES: Final = {"norm": ("‖", "‖"), "[": ("[", "]"), "(": ("(", ")")}


class MathML(MathMLPresentationPrinter, Notation):  # type: ignore[misc]
    """MathML; a document is one ``<math>`` that needs nothing else."""

    equals = "\n<mo>=</mo>\n"
    brackets = "<mrow><mo>(</mo>", "<mo>,</mo>", "<mo>)</mo></mrow>"

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

    def expression(self, expression: Any) -> str:
        """One expression."""
        text = super().expression(expression)
        text = text.replace("&ExponentialE;", "e").replace("&ImaginaryI;", "i")
        return _ENTITY.sub(lambda match: html.unescape(match[0]), text)

    def parenthesise(self, text: str) -> str:
        """A written expression in parentheses."""
        return self.enclose([text], "(")

    def rows(self, rows: Sequence[Sequence[str]]) -> str:
        """A matrix in brackets."""
        return self.enclose([_table(rows)], "[")

    def document(self, lines: Sequence[str], result: str) -> str:
        """Lets as a table of equations, and the result below."""
        body = result
        if lines:
            body = _table([line.split("\n") for line in lines] + [["", "", result]])
        return (
            '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
            f"<mrow>{body}</mrow></math>"
        )

    def name(self, text: str, bold: bool) -> str:
        """A name or a digit."""
        tag = "mi" if text.isidentifier() else "mn" if text.isdigit() else "mtext"
        return _mark(tag, text, ' mathvariant="bold"' if bold else "")

    def number(self, text: str) -> str:
        """A number that is not negative."""
        top, slash, below = text.partition("/")
        if slash:
            return self.write_fraction(_mark("mn", top), _mark("mn", below))
        return _mark("mn", text)

    def sign(self, text: str, latex: str = "") -> str:
        """An operator, as ``+``, ``odot`` or a sign of comparison."""
        return _mark("mo", _SIGNS.get(text, text))

    def word(self, text: str, latex: str) -> str:
        """The name of a function."""
        return _mark("mi", text, ' mathvariant="normal"')

    def row(self, parts: Sequence[str]) -> str:
        """One beside the other."""
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def enclose(self, parts: Sequence[str], fence: str) -> str:
        """Between brackets, or the bars of a norm; commas between several."""
        opening, closing = _FENCES[fence]
        inside = _mark("mo", ",").join(parts)
        return f"<mrow>{_mark('mo', opening)}{inside}{_mark('mo', closing)}</mrow>"

    def write_superscript(self, base: str, exponent: str) -> str:
        """A superscript."""
        return f"<msup>{base}{exponent}</msup>"

    def write_subscript(self, base: str, index: str) -> str:
        """A subscript."""
        return f"<msub>{base}{index}</msub>"

    def write_fraction(self, above: str, below: str) -> str:
        """A fraction."""
        return f"<mfrac>{above}{below}</mfrac>"

    def root(self, inside: str) -> str:
        """A square root."""
        return f"<msqrt>{inside}</msqrt>"


def _mark(tag: str, text: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>{html.escape(text)}</{tag}>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ("<mtr>" + "".join(f"<mtd>{entry}</mtd>" for entry in row) + "</mtr>" for row in rows)
    return f"<mtable>{''.join(lines)}</mtable>"


MATHML: Final = MathML()
