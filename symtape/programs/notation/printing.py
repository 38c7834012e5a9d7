"""Forms in array notation as documents: text, LaTeX, MathML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from symtape.programs.notation.forms import Written
from symtape.programs.notation.mathematics import Writer
from symtape.programs.notation.text import text
from symtape.programs.notation.tree import Name, Tree
from symtape.symbolic.latex import LATEX
from symtape.symbolic.mathml import MATHML
from symtape.symbolic.notation import TEXT, Notation

Printer: TypeAlias = tuple[Callable[[Tree], str], Notation]
"""What writes trees, and the notation of the documents."""


def document(found: Written, printer: Printer) -> str:
    """Lets, and what comes of them; all of the parts are there."""
    said, notation = printer
    named = [
        *((Name(s, 0), Name(label, 0)) for s, label in found.sizes),
        *((Name(name, tree.rank), tree) for name, tree in (*found.constants, *found.lets)),
    ]
    lines = [f"{said(name)}{notation.equals}{said(tree)}" for name, tree in named]
    parts = [said(part) for part in found.parts if part is not None]
    opening, between, closing = notation.brackets
    whole = parts[0] if len(parts) == 1 else f"{opening}{between.join(parts)}{closing}"
    return notation.document(lines, whole)


PRINTED: Final[Mapping[str, Printer]] = {
    "text": (text, TEXT),
    "latex": (Writer(LATEX).write, LATEX),
    "mathml": (Writer(MATHML).write, MATHML),
}
"""By notation."""
