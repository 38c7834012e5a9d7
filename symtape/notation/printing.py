"""Forms in array notation as documents: text, LaTeX, MathML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from symtape.notation.forms import Written
from symtape.notation.latex import latex
from symtape.notation.mathml import mathml
from symtape.notation.text import text
from symtape.notation.tree import Name, Tree
from symtape.symbolic.notation import LATEX, MATHML, TEXT, Notation


@dataclass(frozen=True, slots=True)
class Printer:
    """A way to write trees, and documents of them.

    Attributes
    ----------
    tree : callable
    notation : Notation
        That of the documents.
    equation : str
        Of a name and what it stands for.
    brackets : tuple of str
        Around several arrays, and between them.
    """

    tree: Callable[[Tree], str]
    notation: Notation
    equation: str
    brackets: tuple[str, str, str]


def document(found: Written, printer: Printer) -> str:
    """Lets, and what comes of them; all of the parts are there."""
    lines = [
        printer.equation.format(printer.tree(Name(name, tree.rank)), printer.tree(tree))
        for name, tree in [
            *((s, Name(label, 0)) for s, label in found.sizes),
            *found.constants,
            *found.lets,
        ]
    ]
    parts = [printer.tree(part) for part in found.parts if part is not None]
    opening, between, closing = printer.brackets
    said = parts[0] if len(parts) == 1 else f"{opening}{between.join(parts)}{closing}"
    return printer.notation.document(lines, said)


PRINTED: Final = {
    "text": Printer(text, TEXT, "{} = {}", ("(", ", ", ")")),
    "latex": Printer(latex, LATEX, "{} &= {}", (r"\left( ", ", ", r" \right)")),
    "mathml": Printer(
        mathml,
        MATHML,
        "{}\n<mo>=</mo>\n{}",
        ("<mrow><mo>(</mo>", "<mo>,</mo>", "<mo>)</mo></mrow>"),
    ),
}
"""By notation."""
