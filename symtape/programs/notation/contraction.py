"""Sums of products of indexed arrays as expressions of whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from symtape.process.work import charge
from symtape.programs.notation import tree as tr
from symtape.programs.notation.indexed import (
    SYMMETRIC,
    Base,
    Factor,
    Indices,
    NotReadable,
    Sum,
    Term,
)
from symtape.programs.notation.network import Item, Network, align_tree, unit
from symtape.programs.notation.tree import Call, Literal, Name, Total, Tree
from symtape.programs.notation.whole import MASKS
from symtape.programs.notation.words import COMPARISONS

LARGEST: Final = 400
"""Most factors of what is printed, counted without sharing: as a tree it is as large as that."""


def to_tree(inside: Sum, sizes: Callable[[Base], Tree]) -> Tree:
    """What prints an array of all elements of a sum.

    Parameters
    ----------
    inside : Sum
    sizes : callable
        What stands for a size.

    Raises
    ------
    NotReadable
        NumPy has no short name for it.
    """
    if _size_of(inside, {}) > LARGEST:
        raise NotReadable("a form that is too long")
    made = _Builder(sizes)
    rank = len(inside.shape)
    found, have = made.sum(inside)
    if have == tuple(range(rank)):
        return found
    if have:
        whole = align_tree(found, have, tuple(range(rank)))
        return Call("broadcast_to", (whole,), rank, (("shape", inside.shape),))
    shape = inside.shape if rank > 1 else inside.shape[0]
    if found == tr.literal(0):
        return Call("zeros", (), rank, (("shape", shape),))
    return tr.make_product(1, found, Call("ones", (), rank, (("shape", shape),)))


def _size_of(inside: Sum, known: dict[Base, int]) -> int:
    """How many factors it has if it is written without names for what is shared."""
    total = 0
    for term in inside.terms:
        for factor in term.factors:
            base = factor.base
            if base not in known:
                known[base] = 1 + sum(_size_of(a, known) for a in base.arguments)
            total += known[base]
    return total


class _Builder:
    def __init__(self, sizes: Callable[[Base], Tree]) -> None:
        self._sizes = sizes
        self._bases: dict[Base, Tree] = {}
        self._sums: dict[Sum, tuple[Tree, Indices]] = {}

    def sum(self, inside: Sum) -> tuple[Tree, Indices]:
        """A tree with the axes of the free indices that it depends on, and which these are."""
        if inside not in self._sums:
            self._sums[inside] = self._sum(inside)
        return self._sums[inside]

    def _sum(self, inside: Sum) -> tuple[Tree, Indices]:
        charge(30)
        rank = len(inside.shape)
        parts = [self._term(term, rank) for term in inside.terms]
        if not parts:
            return tr.literal(0), ()
        if len(parts) == 1:
            return parts[0]
        union = tuple(sorted({i for _, have in parts for i in have}))
        terms = [align_tree(t, have, union) for t, have in parts]
        flat = [p for t in terms for p in (t.terms if isinstance(t, Total) else (t,))]
        return Total(_plus_first(flat), len(union)), union

    def base(self, base: Base) -> Tree:
        """An array with all of its axes."""
        if base not in self._bases:
            self._bases[base] = self._base(base)
        return self._bases[base]

    def _base(self, base: Base) -> Tree:
        rank = len(base.shape)
        match base.kind:
            case "leaf":
                return Name(base.name, rank)
            case "number":
                return Literal(base.params[0])
            case "size":
                return self._sizes(base)
            case "delta":
                return unit(base.shape[0])
            case "group":
                return self.sum(base.arguments[0])[0]
            case "each":
                return self._build_elementwise_call(base)
        if base.name in MASKS:
            return _mask(base.name, base.shape)
        arguments = tuple(self._full(a) for a in base.arguments)
        return Call(base.name, arguments, rank, _options(base))

    def _build_elementwise_call(self, base: Base) -> Tree:
        rank = len(base.shape)
        parts = [self._truth(a) or self.sum(a) for a in base.arguments]
        every = tuple(range(rank))
        return Call(base.name, tuple(align_tree(t, have, every) for t, have in parts), rank)

    def _truth(self, inside: Sum) -> tuple[Tree, Indices] | None:
        """A comparison as it stands."""
        only = inside.single
        if only is None or only.coefficient != 1 or only.extents or len(only.factors) != 1:
            return None
        (factor,) = only.factors
        if factor.base.name not in COMPARISONS or factor.indices != tuple(sorted(factor.indices)):
            return None
        return self.base(factor.base), factor.indices

    def _full(self, inside: Sum) -> Tree:
        return to_tree(inside, self._sizes)

    def _term(self, term: Term, rank: int) -> tuple[Tree, Indices]:
        items = [self._item(f) for f in sorted(term.factors, key=_place)]
        if all(f.base.name in COMPARISONS for f in term.factors):
            # NumPy neither negates nor adds truth values as numbers.
            items = [_truths_to_numbers(item) for item in items]
        scalars = [i for i in items if not i.indices]
        arrays = Network([i for i in items if i.indices], rank, term.extents)
        found, have = arrays.contract()
        above = [t for i in scalars for t in i.above]
        below = [t for i in scalars for t in i.below]
        found, below = _simplify_to_mean(term, rank, found, below)
        if isinstance(found, Literal):
            return tr.make_product(term.coefficient, *above, below=below), have
        return tr.make_product(term.coefficient, *above, found, below=below), have

    def _item(self, factor: Factor) -> Item:
        tree = self.base(factor.base)
        indices = factor.indices
        if len(set(indices)) < len(indices):
            if len(indices) != 2:
                raise NotReadable("a diagonal of an array of more axes than two")
            tree, indices = Call("diag", (tree,), 1), indices[:1]
        if factor.power < 0:
            return Item([], [_raise_tree(tree, -factor.power)], indices)
        return Item([_raise_tree(tree, factor.power)], [], indices)


def _truths_to_numbers(item: Item) -> Item:
    """Truth values as 1 and 0."""
    choices = (tr.literal(1), tr.literal(0))
    return Item([Call("where", (t, *choices), t.rank) for t in item.above], [], item.indices)


def _simplify_to_mean(
    term: Term, rank: int, found: Tree, below: list[Tree]
) -> tuple[Tree, list[Tree]]:
    """``mean(v)`` for ``sum(v)/n``, if n is the size of all of v."""
    sizes = [f for f in term.factors if f.base.kind == "size" and f.power == -1]
    counted = [f.base.params[0] for f in sizes]
    whole = isinstance(found, Call) and found.function == "sum" and not found.options
    if not whole or rank or not counted or sorted(counted) != sorted(term.extents):
        return found, below
    assert isinstance(found, Call)
    divisors = [t for t in below if not (isinstance(t, Name) and t.rank == 0)]
    if len(divisors) + len(sizes) != len(below):
        return found, below
    return Call("mean", found.arguments, 0), divisors


_KINDS: Final = ("number", "size", "delta", "leaf", "group", "each", "whole")


def _place(factor: Factor) -> tuple[bool, int, str]:
    """Where a factor is printed: numbers first, then arrays, functions, and comparisons last."""
    base = factor.base
    return base.name in COMPARISONS, _KINDS.index(base.kind), base.name


def _raise_tree(tree: Tree, exponent: Fraction) -> Tree:
    if exponent == Fraction(1, 2):
        return Call("sqrt", (tree,), tree.rank)
    return tr.make_power(tree, exponent)


def _options(base: Base) -> tuple[tuple[str, Any], ...]:
    """The static arguments of a function of a whole array."""
    if not base.params or SYMMETRIC in base.params:
        return ()
    axes = base.params[0]
    rank = len(base.arguments[0].shape)
    axis = axes[0] if len(axes) == 1 else tuple(axes)
    said = [] if len(axes) == rank else [("axis", axis)]
    if base.name in ("var", "std") and base.params[1]:
        said.append(("ddof", base.params[1]))
    return tuple(said)


def _plus_first(terms: Sequence[Tree]) -> tuple[Tree, ...]:
    """The terms, one without a minus before the others if the first has one."""
    if _is_negative(terms[0]):
        at = next((k for k, t in enumerate(terms) if not _is_negative(t)), 0)
        terms = [terms[at], *terms[:at], *terms[at + 1 :]]
    return tuple(terms)


def _is_negative(tree: Tree) -> bool:
    match tree:
        case tr.Times():
            return tree.coefficient < 0
        case Literal():
            return tree.value < 0
    return False


def _mask(name: str, shape: tuple[int, ...]) -> Tree:
    """A lower triangle of one number with another on its diagonal."""
    below, along = MASKS[name]
    triangle = Call("tril", (Call("ones", (), 2, (("shape", shape),)),), 2)
    diagonal = tr.make_product(along - below, unit(shape[0]))
    return Total((tr.make_product(below, triangle), diagonal), 2)
