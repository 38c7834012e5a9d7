"""LaTeX mathematics, without dollars: SymPy's expressions, arrays, and the marks of formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sympy as sp
from sympy.printing.latex import LatexPrinter

from symtape.symbolic.decimals import Decimal
from symtape.symbolic.notation import Notation, split_name

_SIGNS: Final = {"top": r"\top", "odot": r"\odot", "oslash": r"\oslash"}


class Latex(LatexPrinter, Notation):  # type: ignore[misc]
    """LaTeX."""

    equals = " &= "
    brackets = r"\left( ", ", ", r" \right)"

    def _print_Decimal(self, expr: Decimal) -> str:
        return self.number(expr.name)

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        base, index = split_name(expr.name)
        text = latex_name(base)
        if not index:
            return text
        text = f"{{{text}}}" if set("_^'") & set(text) else text
        return f"{text}_{{{','.join(map(str, index))}}}"

    def rows(self, rows: Sequence[Sequence[str]]) -> str:
        """A matrix in brackets."""
        if not rows:
            return r"\left[\;\right]"
        lines = r" \\ ".join(map(" & ".join, rows))
        return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"

    def document(self, lines: Sequence[str], result: str) -> str:
        """Lets as aligned equations, and the result below."""
        if not lines:
            return result
        body = " \\\\\n".join([*lines, f"&\\phantom{{=}}\\; {result}"])
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    def name(self, text: str, bold: bool) -> str:
        """A name or a digit."""
        if not text.isidentifier():
            escaped = text.replace("_", r"\_").replace(":", "{:}")
            bold_or_code = rf"\mathbf{{{text}}}" if bold else text
            return bold_or_code if text.isdigit() else rf"\mathtt{{{escaped}}}"
        letter = latex_name(text)
        if not bold:
            return letter
        return rf"\boldsymbol{{{letter}}}" if letter.startswith("\\") else rf"\mathbf{{{letter}}}"

    def number(self, text: str) -> str:
        """A number that is not negative."""
        digits, e, exponent = text.partition("e")
        if e:
            return rf"{digits} \cdot 10^{{{int(exponent)}}}"
        top, slash, below = text.partition("/")
        return rf"\frac{{{top}}}{{{below}}}" if slash else text

    def sign(self, text: str, latex: str = "") -> str:
        """An operator, as ``+``, ``odot`` or a sign of comparison."""
        return latex or _SIGNS.get(text, text)

    def word(self, text: str, latex: str) -> str:
        """The name of a function, upright by default."""
        escaped = text.replace("_", r"\_")
        return latex or rf"\operatorname{{{escaped}}}"

    def row(self, parts: Sequence[str]) -> str:
        """One beside the other."""
        return " ".join(parts)

    def enclose(self, parts: Sequence[str], fence: str) -> str:
        """Between brackets, or the bars of a norm; commas between several."""
        if fence == "norm":
            return rf"\left\lVert {parts[0]} \right\rVert"
        closing = "]" if fence == "[" else ")"
        return rf"\left{fence} {', '.join(parts)} \right{closing}"

    def write_superscript(self, base: str, exponent: str) -> str:
        """A superscript."""
        held = f"{{{base}}}" if "^" in base else base
        return f"{held}^{{{exponent}}}"

    def write_subscript(self, base: str, index: str) -> str:
        """A subscript."""
        held = f"{{{base}}}" if "_{" in base else base
        return f"{held}_{{{index}}}"

    def write_fraction(self, above: str, below: str) -> str:
        """A fraction."""
        return rf"\frac{{{above}}}{{{below}}}"

    def root(self, inside: str) -> str:
        """A square root."""
        return rf"\sqrt{{{inside}}}"


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


LATEX: Final = Latex({"ln_notation": False})
