"""Trees on one line: what all notations have in common, and NumPy code."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, Protocol

from symtape.programs.notation.tree import (
    Call,
    Chain,
    Literal,
    Name,
    Part,
    Power,
    Times,
    Total,
    Transpose,
    Tree,
)
from symtape.programs.notation.words import COMPARISONS, word

COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)
"""How strongly what is written holds together, as Python's operators do."""

_POSITIONAL: Final = frozenset(("N", "shape", "subscripts"))


def number_text(value: Fraction | float) -> str:
    """A number that is not negative."""
    if isinstance(value, float):
        return repr(value)
    if value.denominator == 1:
        return str(value.numerator)
    as_float = float(value)
    short = repr(as_float)
    if Fraction(as_float) == value and len(short) <= 6:
        return short
    return f"{value.numerator}/{value.denominator}"


class Style(Protocol):
    """The marks that all notations have."""

    def name(self, text: str, bold: bool) -> str:
        """A name or a digit."""

    def number(self, text: str) -> str:
        """A number that is not negative."""

    def sign(self, text: str, latex: str = "") -> str:
        """An operator."""

    def row(self, parts: Sequence[str]) -> str:
        """One beside the other."""

    def enclose(self, parts: Sequence[str], fence: str) -> str:
        """Between brackets."""


class Writer:
    """Writes trees in a style: a method ``_write_...`` for each kind, and how strongly it holds."""

    _style: Style

    def __init__(self, style: Any) -> None:
        self._style = style

    def write(self, tree: Tree) -> str:
        """One line."""
        return self._level(tree)[0]

    def _level(self, tree: Tree) -> tuple[str, int]:
        sign, positive = _split_sign(tree)
        if sign == "-":
            held = self._write_at_level(positive, PRODUCT)
            return self._style.row([self._style.sign("-"), held]), SUM
        found: tuple[str, int] = getattr(self, f"_write_{type(tree).__name__.lower()}")(tree)
        return found

    def _write_at_level(self, tree: Tree, level: int) -> str:
        written, own = self._level(tree)
        return written if own >= level else self._style.enclose([written], "(")

    def _write_name(self, tree: Name) -> tuple[str, int]:
        return self._style.name(tree.text, tree.rank > 0), ATOM

    def _write_literal(self, tree: Literal) -> tuple[str, int]:
        text = number_text(tree.value)
        return self._style.number(text), ATOM if text.isdigit() else self._level_of_number(text)

    def _level_of_number(self, text: str) -> int:
        return POWER

    def _write_total(self, tree: Total) -> tuple[str, int]:
        style, pieces = self._style, list[str]()
        for term in tree.terms:
            sign, positive = _split_sign(term)
            if pieces or sign == "-":
                pieces.append(style.sign(sign))
            pieces.append(self._write_term(positive, tree.rank))
        return style.row(pieces), SUM

    def _write_term(self, tree: Tree, rank: int) -> str:
        """One of the terms of a sum with so many axes."""
        return self._write_at_level(tree, PRODUCT)


def _split_sign(tree: Tree) -> tuple[str, Tree]:
    match tree:
        case Times() if tree.coefficient < 0:
            size = -tree.coefficient
            if size == 1 and len(tree.above) == 1 and not tree.below:
                return "-", tree.above[0]
            return "-", Times(size, tree.above, tree.below, tree.rank)
        case Literal() if tree.value < 0:
            return "-", Literal(-tree.value)
    return "+", tree


class _Text:
    """The marks of code on one line."""

    def name(self, text: str, bold: bool) -> str:
        return text

    number = staticmethod(str)

    def sign(self, text: str, latex: str = "") -> str:
        return text

    def row(self, parts: Sequence[str]) -> str:
        line = " ".join(parts)
        return f"-{line[2:]}" if parts[0] == "-" else line

    def enclose(self, parts: Sequence[str], fence: str) -> str:
        return f"({', '.join(parts)})"


class _Code(Writer):
    """Writes NumPy code."""

    def _level_of_number(self, text: str) -> int:
        return PRODUCT if "/" in text else ATOM

    def _write_times(self, tree: Times) -> tuple[str, int]:
        top, _, below = number_text(tree.coefficient).partition("/")
        front = [] if top == "1" and tree.above else [top]
        # A product of matrices binds as strongly, and comes last.
        least = PRODUCT if len(tree.above) == 1 and isinstance(tree.above[0], Chain) else POWER
        product = "*".join([*front, *(self._write_at_level(t, least) for t in tree.above)])
        bottoms = [below] if below else []
        bottoms += [self._write_at_level(t, POWER) for t in tree.below]
        if len(bottoms) > 1:
            return f"{product}/({'*'.join(bottoms)})", PRODUCT
        return "/".join([product, *bottoms]), PRODUCT

    def _write_chain(self, tree: Chain) -> tuple[str, int]:
        parts = tree.parts
        at = _find_solved_inverse(parts)
        if at is None:
            operands = [self._write_operand(p, k > 0) for k, p in enumerate(parts)]
            return " @ ".join(operands), PRODUCT
        inverse, turned = parts[at], ""
        if isinstance(inverse, Transpose):
            inverse, turned = inverse.of, ".T"
        assert isinstance(inverse, Call)
        (matrix,) = inverse.arguments
        system = f"{self._write_at_level(matrix, ATOM)}.T" if turned else self.write(matrix)
        rest = parts[at + 1 :]
        right = self.write(rest[0] if len(rest) == 1 else Chain(rest, tree.rank))
        before = [self._write_operand(p, k > 0) for k, p in enumerate(parts[:at])]
        return " @ ".join([*before, f"solve({system}, {right})"]), PRODUCT if before else ATOM

    def _write_operand(self, tree: Tree, inner: bool) -> str:
        least = POWER if inner or not isinstance(tree, Times) else ATOM
        return self._write_at_level(tree, least)

    def _write_power(self, tree: Power) -> tuple[str, int]:
        said = f"{'-' if tree.exponent < 0 else ''}{number_text(abs(tree.exponent))}"
        said = f"({said})" if {"-", "/"} & set(said) else said
        return f"{self._write_at_level(tree.base, ATOM)}**{said}", POWER

    def _write_transpose(self, tree: Transpose) -> tuple[str, int]:
        said = f".transpose({', '.join(map(str, tree.axes))})" if tree.axes else ".T"
        return f"{self._write_at_level(tree.of, ATOM)}{said}", ATOM

    def _write_part(self, tree: Part) -> tuple[str, int]:
        return f"{self._write_at_level(tree.of, ATOM)}[{', '.join(map(str, tree.index))}]", ATOM

    def _write_call(self, tree: Call) -> tuple[str, int]:
        name = word(tree.function).text
        if tree.function in COMPARISONS:
            left, right = (self._write_at_level(a, SUM) for a in tree.arguments)
            return f"{left} {name} {right}", COMPARISON
        arguments = [self.write(a) for a in tree.arguments]
        for key, value in tree.options:
            if key == "subscripts":
                arguments.insert(0, repr(value))
            else:
                arguments.append(str(value) if key in _POSITIONAL else f"{key}={value}")
        return f"{name}({', '.join(arguments)})", ATOM


def _find_solved_inverse(parts: Sequence[Tree]) -> int | None:
    """The place of the first inverse of one matrix that has something to its right."""
    for at, part in enumerate(parts[:-1]):
        inside = part.of if isinstance(part, Transpose) and not part.axes else part
        if isinstance(inside, Call) and inside.function == "inv" and inside.rank == 2:
            return at
    return None


text: Final = _Code(_Text()).write
"""A tree as NumPy code."""
