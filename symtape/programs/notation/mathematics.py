"""Trees as mathematics: bold letters, transposes and fractions, in the marks of a style."""

from __future__ import annotations

from typing import Final

from symtape.programs.notation.tree import Call, Chain, Part, Power, Times, Transpose, Tree
from symtape.programs.notation.words import COMPARISONS, word
from symtape.programs.notation.writing import ATOM, POWER, PRODUCT, SUM, Writer, number_text
from symtape.symbolic.latex import Latex
from symtape.symbolic.mathml import MathML

_CONSTANT_MATRICES: Final = {"eye": "I", "ones": "1", "zeros": "0"}


class Mathematics(Writer):
    """Writes formulas; products of matrices and of elements are grouped apart."""

    _style: Latex | MathML

    def _top(self) -> str:
        return self._style.sign("top")

    def _write_term(self, tree: Tree, rank: int) -> str:
        return self._spread(tree, rank, PRODUCT)

    def _spread(self, tree: Tree, rank: int, level: int) -> str:
        """In an expression of matrices a vector is one row, the same in all places."""
        held = self._write_at_level(tree, level)
        if rank == 2 and tree.rank == 1:
            row = self._style.write_superscript(self._write_at_level(tree, ATOM), self._top())
            row = self._style.row([self._style.name("1", bold=True), row])
            return row if level <= PRODUCT else self._style.enclose([row], "(")
        return held

    def _write_times(self, tree: Times) -> tuple[str, int]:
        style = self._style
        scalars = [t for t in tree.above if not t.rank]
        arrays = [t for t in tree.above if t.rank]
        top, _, bottom = number_text(tree.coefficient).partition("/")
        front = [] if top == "1" and tree.above else [style.number(top)]
        front += [self._write_at_level(t, POWER) for t in scalars]
        below = [style.number(bottom)] if bottom else []
        below += [self._write_at_level(t, POWER) for t in tree.below if not t.rank]
        divisors = [t for t in tree.below if t.rank]
        middle = self._write_elementwise_factors(arrays, divisors, tree.rank)
        parts = [*front, *middle]
        if below:
            return style.write_fraction(style.row(parts), style.row(below)), ATOM
        return style.row(parts), PRODUCT

    def _write_elementwise_factors(
        self, arrays: list[Tree], divisors: list[Tree], rank: int
    ) -> list[str]:
        if len(arrays) == 1 and not divisors:
            level = POWER if isinstance(arrays[0], Times) else PRODUCT
            return [self._spread(arrays[0], rank, level)]
        style, parts = self._style, list[str]()
        for array in arrays:
            parts += [style.sign("odot")] * bool(parts) + [self._spread(array, rank, POWER)]
        for divisor in divisors:
            parts += [style.sign("oslash"), self._spread(divisor, rank, ATOM)]
        return parts

    def _factor(self, tree: Tree) -> str:
        """In a product of matrices, in which such products are not grouped."""
        return self._write_at_level(tree, POWER if isinstance(tree, Times) else PRODUCT)

    def _write_chain(self, tree: Chain) -> tuple[str, int]:
        style = self._style
        parts = [self._factor(t) for t in tree.parts]
        if tree.parts[0].rank == 1:
            parts[0] = style.write_superscript(
                self._write_at_level(tree.parts[0], ATOM), self._top()
            )
        return style.row(parts), PRODUCT

    def _write_power(self, tree: Power) -> tuple[str, int]:
        style = self._style
        exponent = tree.exponent
        size = style.number(number_text(abs(exponent)))
        signed = style.row([style.sign("-"), size]) if exponent < 0 else size
        said = style.row([style.sign("odot"), signed]) if tree.rank else signed
        return style.write_superscript(self._write_at_level(tree.base, ATOM), said), POWER

    def _write_transpose(self, tree: Transpose) -> tuple[str, int]:
        style = self._style
        if isinstance(tree.of, Call) and tree.of.function == "inv" and not tree.axes:
            (inside,) = tree.of.arguments
            turned = style.row([style.sign("-"), self._top()])
            return style.write_superscript(self._write_at_level(inside, ATOM), turned), POWER
        axes = [style.number(str(axis)) for axis in tree.axes]
        mark = style.enclose(axes, "(") if axes else self._top()
        return style.write_superscript(self._write_at_level(tree.of, ATOM), mark), POWER

    def _write_part(self, tree: Part) -> tuple[str, int]:
        style = self._style
        if tree.index == (":", None):
            ones = style.write_superscript(style.name("1", bold=True), self._top())
            return style.row([self._factor(tree.of), ones]), PRODUCT
        index = ",".join("1" if i is None else str(i) for i in tree.index)
        return style.write_subscript(
            self._write_at_level(tree.of, ATOM), style.name(index, bold=False)
        ), ATOM

    def _write_call(self, tree: Call) -> tuple[str, int]:
        style = self._style
        arguments = [self.write(a) for a in tree.arguments]
        match tree.function:
            case "eye" | "ones" | "zeros":
                return style.name(_CONSTANT_MATRICES[tree.function], bold=True), ATOM
            case "inv":
                inverse = style.row([style.sign("-"), style.number("1")])
                return style.write_superscript(
                    self._write_at_level(tree.arguments[0], ATOM), inverse
                ), POWER
            case "sqrt" if not tree.rank:
                return style.root(arguments[0]), ATOM
            case "norm" if not tree.options:
                return style.enclose(arguments, "norm"), ATOM
            case "outer":
                left, right = tree.arguments
                turned = style.write_superscript(self._write_at_level(right, ATOM), self._top())
                return style.row([self._factor(left), turned]), PRODUCT
        words = word(tree.function).text, word(tree.function).latex
        if tree.function in COMPARISONS:
            a, b = (self._write_at_level(argument, SUM) for argument in tree.arguments)
            return style.enclose([style.row([a, style.sign(*words), b])], "["), ATOM
        name = style.word(*words)
        if tree.options:
            said = ", ".join(f"{key}={value}" for key, value in tree.options)
            name = style.write_subscript(name, style.name(said, bold=False))
        return style.row([name, style.enclose(arguments, "(")]), ATOM
