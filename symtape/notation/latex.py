"""Trees as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from symtape.notation.mathematics import Writer
from symtape.notation.words import COMPARISONS, word
from symtape.symbolic.notation import latex_name

_SIGNS: Final = {"top": r"\top", "odot": r"\odot", "oslash": r"\oslash"}


class _Latex:
    def name(self, text: str, bold: bool) -> str:
        if not text.isidentifier():
            return text if text.isdigit() and not bold else self._special(text, bold)
        letter = latex_name(text)
        if not bold:
            return letter
        return rf"\boldsymbol{{{letter}}}" if letter.startswith("\\") else rf"\mathbf{{{letter}}}"

    def _special(self, text: str, bold: bool) -> str:
        escaped = text.replace("_", r"\_").replace(":", "{:}")
        return rf"\mathbf{{{text}}}" if bold and text.isdigit() else rf"\mathtt{{{escaped}}}"

    def number(self, text: str) -> str:
        digits, e, exponent = text.partition("e")
        if e:
            return rf"{digits} \cdot 10^{{{int(exponent)}}}"
        top, slash, below = text.partition("/")
        return rf"\frac{{{top}}}{{{below}}}" if slash else text

    def sign(self, text: str) -> str:
        if text in COMPARISONS:
            return word(text).latex or word(text).text
        return _SIGNS.get(text, text)

    def word(self, function: str) -> str:
        return word(function).in_latex

    def row(self, parts: Sequence[str]) -> str:
        return " ".join(parts)

    def fenced(self, parts: Sequence[str], fence: str) -> str:
        if fence == "norm":
            return rf"\left\lVert {parts[0]} \right\rVert"
        closing = "]" if fence == "[" else ")"
        return rf"\left{fence} {', '.join(parts)} \right{closing}"

    def raised(self, base: str, exponent: str) -> str:
        held = f"{{{base}}}" if "^" in base else base
        return f"{held}^{{{exponent}}}"

    def lowered(self, base: str, index: str) -> str:
        held = f"{{{base}}}" if "_{" in base else base
        return f"{held}_{{{index}}}"

    def over(self, above: str, below: str) -> str:
        return rf"\frac{{{above}}}{{{below}}}"

    def root(self, inside: str) -> str:
        return rf"\sqrt{{{inside}}}"


latex: Final = Writer(_Latex()).written
"""A tree as LaTeX, without dollars."""
