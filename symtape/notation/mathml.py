"""Trees as presentation MathML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Final

from symtape.notation.mathematics import Writer
from symtape.notation.words import COMPARISONS, word

_SIGNS: Final = {"top": "⊤", "odot": "⊙", "oslash": "⊘", "-": "−"}


_FENCES: Final = {"norm": ("‖", "‖"), "[": ("[", "]"), "(": ("(", ")")}


class _MathML:
    def name(self, text: str, bold: bool) -> str:
        tag = "mi" if text.isidentifier() else "mn" if text.isdigit() else "mtext"
        return _mark(tag, text, ' mathvariant="bold"' if bold else "")

    def number(self, text: str) -> str:
        top, slash, below = text.partition("/")
        if slash:
            return self.over(_mark("mn", top), _mark("mn", below))
        return _mark("mn", text)

    def sign(self, text: str) -> str:
        said = word(text).text if text in COMPARISONS else text
        return _mark("mo", _SIGNS.get(said, said))

    def word(self, function: str) -> str:
        return _mark("mi", word(function).text, ' mathvariant="normal"')

    def row(self, parts: Sequence[str]) -> str:
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def fenced(self, parts: Sequence[str], fence: str) -> str:
        opening, closing = _FENCES[fence]
        inside = _mark("mo", ",").join(parts)
        return f"<mrow>{_mark('mo', opening)}{inside}{_mark('mo', closing)}</mrow>"

    def raised(self, base: str, exponent: str) -> str:
        return f"<msup>{base}{exponent}</msup>"

    def lowered(self, base: str, index: str) -> str:
        return f"<msub>{base}{index}</msub>"

    def over(self, above: str, below: str) -> str:
        return f"<mfrac>{above}{below}</mfrac>"

    def root(self, inside: str) -> str:
        return f"<msqrt>{inside}</msqrt>"


def _mark(tag: str, text: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>{html.escape(text)}</{tag}>"


mathml: Final = Writer(_MathML()).written
"""A tree as MathML, without the element ``math`` around it."""
