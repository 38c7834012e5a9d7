"""Trees as mathematics: bold letters, transposes and fractions, in the marks of a style."""

from __future__ import annotations

from typing import Final, TypeAlias

from symtape.programs.notation.text import number_text
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
    magnitude,
)
from symtape.programs.notation.words import COMPARISONS, word
from symtape.symbolic.latex import Latex
from symtape.symbolic.mathml import MathML

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
"""How strongly marks hold together; products of matrices and of elements are grouped apart."""

_CONSTANT_MATRICES: Final = {"eye": "I", "ones": "1", "zeros": "0"}


Style: TypeAlias = Latex | MathML
"""The marks that formulas are made of."""


class Writer:
    """Writes trees in a style."""

    def __init__(self, style: Style) -> None:
        self._style = style

    def write(self, tree: Tree) -> str:
        """One formula."""
        return self._level(tree)[0]

    def _level(self, tree: Tree) -> tuple[str, int]:
        style = self._style
        match tree:
            case Name():
                return style.name(tree.text, tree.rank > 0), _ATOM
            case Literal():
                said = style.number(number_text(magnitude(tree)))
                if tree.value < 0:
                    return style.row([style.sign("-"), said]), _SUM
                return said, _ATOM if number_text(tree.value).isdigit() else _POWER
            case Total():
                return self._total(tree), _SUM
            case Times():
                return self._times(tree)
            case Chain():
                return self._chain(tree), _PRODUCT
            case Power():
                return self._power(tree), _POWER
            case Transpose():
                return self._write_transpose(tree), _POWER
            case Part():
                return self._part(tree)
            case Call():
                return self._call(tree)

    def _write_at_level(self, tree: Tree, level: int) -> str:
        written, own = self._level(tree)
        return written if own >= level else self._style.enclose([written], "(")

    def _top(self) -> str:
        return self._style.sign("top")

    def _spread(self, tree: Tree, rank: int, level: int) -> str:
        """In an expression of matrices a vector is one row, the same in all places."""
        held = self._write_at_level(tree, level)
        if rank == 2 and tree.rank == 1:
            row = self._style.write_superscript(self._write_at_level(tree, _ATOM), self._top())
            row = self._style.row([self._style.name("1", bold=True), row])
            return row if level <= _PRODUCT else self._style.enclose([row], "(")
        return held

    def _total(self, tree: Total) -> str:
        style = self._style
        pieces: list[str] = []
        for term in tree.terms:
            sign, positive = _split_sign(term)
            if pieces or sign == "-":
                pieces.append(style.sign(sign))
            pieces.append(self._spread(positive, tree.rank, _PRODUCT))
        return style.row(pieces)

    def _times(self, tree: Times) -> tuple[str, int]:
        style = self._style
        sign, positive = _split_sign(tree)
        if sign == "-":
            return style.row([style.sign("-"), self._write_at_level(positive, _PRODUCT)]), _SUM
        size = tree.coefficient
        scalars = [t for t in tree.above if not t.rank]
        arrays = [t for t in tree.above if t.rank]
        number = number_text(size)
        top, _, bottom = number.partition("/")
        front = [] if top == "1" and tree.above else [style.number(top)]
        front += [self._write_at_level(t, _POWER) for t in scalars]
        below = [style.number(bottom)] if bottom else []
        below += [self._write_at_level(t, _POWER) for t in tree.below if not t.rank]
        divisors = [t for t in tree.below if t.rank]
        middle = self._write_elementwise_factors(arrays, divisors, tree.rank)
        parts = [*front, *middle]
        if below:
            return style.write_fraction(style.row(parts), style.row(below)), _ATOM
        return style.row(parts), _PRODUCT

    def _write_elementwise_factors(
        self, arrays: list[Tree], divisors: list[Tree], rank: int
    ) -> list[str]:
        if len(arrays) == 1 and not divisors:
            level = _POWER if isinstance(arrays[0], Times) else _PRODUCT
            return [self._spread(arrays[0], rank, level)]
        style, parts = self._style, list[str]()
        for array in arrays:
            parts += [style.sign("odot")] * bool(parts) + [self._spread(array, rank, _POWER)]
        for divisor in divisors:
            parts += [style.sign("oslash"), self._spread(divisor, rank, _ATOM)]
        return parts

    def _factor(self, tree: Tree) -> str:
        """In a product of matrices, in which such products are not grouped."""
        return self._write_at_level(tree, _POWER if isinstance(tree, Times) else _PRODUCT)

    def _chain(self, tree: Chain) -> str:
        style = self._style
        parts = [self._factor(t) for t in tree.parts]
        if tree.parts[0].rank == 1:
            parts[0] = style.write_superscript(
                self._write_at_level(tree.parts[0], _ATOM), self._top()
            )
        return style.row(parts)

    def _power(self, tree: Power) -> str:
        style = self._style
        exponent = tree.exponent
        size = style.number(number_text(abs(exponent)))
        signed = style.row([style.sign("-"), size]) if exponent < 0 else size
        said = style.row([style.sign("odot"), signed]) if tree.rank else signed
        return style.write_superscript(self._write_at_level(tree.base, _ATOM), said)

    def _write_transpose(self, tree: Transpose) -> str:
        style = self._style
        if isinstance(tree.of, Call) and tree.of.function == "inv" and not tree.axes:
            (inside,) = tree.of.arguments
            turned = style.row([style.sign("-"), self._top()])
            return style.write_superscript(self._write_at_level(inside, _ATOM), turned)
        axes = [style.number(str(axis)) for axis in tree.axes]
        mark = style.enclose(axes, "(") if axes else self._top()
        return style.write_superscript(self._write_at_level(tree.of, _ATOM), mark)

    def _part(self, tree: Part) -> tuple[str, int]:
        style = self._style
        if tree.index == (":", None):
            ones = style.write_superscript(style.name("1", bold=True), self._top())
            return style.row([self._factor(tree.of), ones]), _PRODUCT
        index = ",".join("1" if i is None else str(i) for i in tree.index)
        return style.write_subscript(
            self._write_at_level(tree.of, _ATOM), style.name(index, bold=False)
        ), _ATOM

    def _call(self, tree: Call) -> tuple[str, int]:
        style = self._style
        arguments = [self.write(a) for a in tree.arguments]
        match tree.function:
            case "eye" | "ones" | "zeros":
                return style.name(_CONSTANT_MATRICES[tree.function], bold=True), _ATOM
            case "inv":
                inverse = style.row([style.sign("-"), style.number("1")])
                return style.write_superscript(
                    self._write_at_level(tree.arguments[0], _ATOM), inverse
                ), _POWER
            case "sqrt" if not tree.rank:
                return style.root(arguments[0]), _ATOM
            case "norm" if not tree.options:
                return style.enclose(arguments, "norm"), _ATOM
            case "outer":
                left, right = tree.arguments
                turned = style.write_superscript(self._write_at_level(right, _ATOM), self._top())
                return style.row([self._factor(left), turned]), _PRODUCT
        words = word(tree.function).text, word(tree.function).latex
        if tree.function in COMPARISONS:
            a, b = (self._write_at_level(argument, _SUM) for argument in tree.arguments)
            return style.enclose([style.row([a, style.sign(*words), b])], "["), _ATOM
        name = style.word(*words)
        if tree.options:
            said = ", ".join(f"{key}={value}" for key, value in tree.options)
            name = style.write_subscript(name, style.name(said, bold=False))
        return style.row([name, style.enclose(arguments, "(")]), _ATOM


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
