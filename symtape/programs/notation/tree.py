"""What is printed: expressions of whole arrays, as trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Name:
    """An array, or a size, by its name."""

    text: str
    rank: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A number; exact, or the float whose shortest decimal is printed."""

    value: Fraction | float
    rank: int = field(default=0, init=False)


@dataclass(frozen=True, slots=True)
class Total:
    """A sum, by NumPy's rules of broadcasting."""

    terms: tuple[Tree, ...]
    rank: int


@dataclass(frozen=True, slots=True)
class Times:
    """``coefficient * above / below``, element by element, by NumPy's rules of broadcasting."""

    coefficient: Fraction
    above: tuple[Tree, ...]
    below: tuple[Tree, ...]
    rank: int


@dataclass(frozen=True, slots=True)
class Chain:
    """A product of matrices, with a vector at an end or at both."""

    parts: tuple[Tree, ...]
    rank: int


@dataclass(frozen=True, slots=True)
class Power:
    """A power of each element."""

    base: Tree
    exponent: Fraction
    rank: int


@dataclass(frozen=True, slots=True)
class Transpose:
    """With the axes of a matrix exchanged, or all of them in the order of `axes`."""

    of: Tree
    rank: int
    axes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A function by its name in a table of words, with static arguments by keyword."""

    function: str
    arguments: tuple[Tree, ...]
    rank: int
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """With axes put in: ``v[:, None]``; or at the only place of an axis: ``v[:, 0]``."""

    of: Tree
    index: tuple[int | str | None, ...]
    rank: int


Tree: TypeAlias = "Name | Literal | Total | Times | Chain | Power | Transpose | Call | Part"


def literal(value: Fraction | int) -> Literal:
    """An exact number."""
    return Literal(Fraction(value))


def magnitude(tree: Literal) -> Fraction | float:
    """A number without its sign."""
    return -tree.value if tree.value < 0 else tree.value


def children(tree: Tree) -> tuple[Tree, ...]:
    """What a tree is made of."""
    match tree:
        case Total():
            return tree.terms
        case Times():
            return (*tree.above, *tree.below)
        case Chain():
            return tree.parts
        case Power():
            return (tree.base,)
        case Transpose() | Part():
            return (tree.of,)
        case Call():
            return tree.arguments
    return ()


def make_product(coefficient: Fraction | int, *above: Tree, below: Sequence[Tree] = ()) -> Tree:
    """A product by elements, with numbers in front and no products in it."""
    coefficient = Fraction(coefficient)
    tops: list[Tree] = []
    bottoms: list[Tree] = list(below)
    for part in above:
        if isinstance(part, Times):
            coefficient *= part.coefficient
            tops += part.above
            bottoms += part.below
        elif isinstance(part, Literal) and isinstance(part.value, Fraction):
            coefficient *= part.value
        else:
            tops.append(part)
    coefficient, tops = _absorb_decimal(coefficient, _merge_powers(tops))
    bottoms = _merge_powers(bottoms)
    if not bottoms and coefficient == 1 and len(tops) == 1:
        return tops[0]
    if not bottoms and not tops:
        return Literal(coefficient)
    rank = max((t.rank for t in (*tops, *bottoms)), default=0)
    return Times(coefficient, tuple(tops), tuple(bottoms), rank)


def _merge_powers(parts: list[Tree]) -> list[Tree]:
    """Equal factors as one power."""
    powers: dict[Tree, Fraction] = {}
    for part in parts:
        base, exponent = (part.base, part.exponent) if isinstance(part, Power) else (part, 1)
        powers[base] = powers.get(base, Fraction(0)) + exponent
    return [make_power(base, exponent) for base, exponent in powers.items()]


def _absorb_decimal(coefficient: Fraction, tops: list[Tree]) -> tuple[Fraction, list[Tree]]:
    """A decimal multiplied by the coefficient, where the product is a float exactly."""
    for part in tops:
        if isinstance(part, Literal):
            exact = abs(coefficient) * Fraction(part.value)
            value = float(exact)
            if Fraction(value) == exact:
                rest = [t for t in tops if t is not part]
                return Fraction(-1 if coefficient < 0 else 1), [Literal(value), *rest]
    return coefficient, tops


def make_power(base: Tree, exponent: Fraction) -> Tree:
    """A power."""
    return base if exponent == 1 else Power(base, exponent, base.rank)


def make_transpose(tree: Tree) -> Tree:
    """The transpose of a matrix, handed on to its parts where that is shorter to read."""
    match tree:
        case Transpose(axes=()):
            return tree.of
        case Chain() if tree.rank == 2:
            return Chain(tuple(make_transpose(p) for p in reversed(tree.parts)), 2)
        case Times() if all(t.rank in (0, 2) for t in (*tree.above, *tree.below)):
            above = tuple(make_transpose(t) if t.rank else t for t in tree.above)
            below = tuple(make_transpose(t) if t.rank else t for t in tree.below)
            return Times(tree.coefficient, above, below, 2)
        case Call(function="diag" | "eye"):
            return tree
        case Call(function="outer"):
            return Call("outer", tree.arguments[::-1], 2)
    return Transpose(tree, 2)


def _run(part: Tree, at_right: bool) -> Sequence[Tree]:
    """The factors that can stand beside others: a vector among them stands at the outer end."""
    if not isinstance(part, Chain) or not part.rank:
        return [part]
    if part.rank == 2 or (part.parts[0].rank == 1) != at_right:
        return part.parts
    return _backwards(part.parts)


def _straightest(chain: Chain) -> Chain:
    """Of a number ``x @ A @ y`` and the same read backwards, the one with fewer transposes."""
    if chain.rank:
        return chain
    back = Chain(_backwards(chain.parts), 0)
    return min(chain, back, key=transposes)


def _backwards(parts: Sequence[Tree]) -> tuple[Tree, ...]:
    return tuple(make_transpose(p) if p.rank == 2 else p for p in reversed(parts))


def transposes(tree: Tree) -> int:
    """How many matrices are transposed in it."""
    return isinstance(tree, Transpose) + sum(map(transposes, children(tree)))


def trace(product: Tree) -> Tree:
    """The trace of a product of matrices, whose order may be turned round."""
    if not isinstance(product, Chain):
        return Call("trace", (product,), 0)
    turns = [
        parts[k:] + parts[:k]
        for parts in (product.parts, _backwards(product.parts))
        for k in range(len(parts))
    ]
    best = min(turns, key=lambda parts: (sum(map(transposes, parts)), _letters(parts)))
    return Call("trace", (Chain(best, 2),), 0)


def _letters(parts: Sequence[Tree]) -> list[str]:
    return [part.text if isinstance(part, Name) else "~" for part in parts]


def make_matrix_product(*parts: Tree) -> Tree:
    """A product of matrices, numbers in front; chains in it run together."""
    coefficient, below = Fraction(1), list[Tree]()
    scalars: list[Tree] = []
    chain: list[Tree] = []
    for part in parts:
        inner = part
        if isinstance(part, Times):
            arrays = [t for t in part.above if t.rank]
            if len(arrays) == 1 and not any(t.rank for t in part.below):
                coefficient *= part.coefficient
                scalars += [t for t in part.above if not t.rank]
                below += part.below
                (inner,) = arrays
            elif part.coefficient != 1 and part.above:
                coefficient *= part.coefficient
                inner = make_product(1, *part.above, below=part.below)
        chain += _run(inner, at_right=bool(chain))
    ends = (chain[0].rank == 1) + (chain[-1].rank == 1)
    product = _straightest(Chain(tuple(chain), 2 - ends))
    return make_product(coefficient, *scalars, product, below=below)
