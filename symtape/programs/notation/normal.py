"""The normal form of a sum of products: unit matrices used up, like factors and terms together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from symtape.process.work import charge
from symtape.programs.notation.identities import simplify_product
from symtape.programs.notation.indexed import (
    SYMMETRIC,
    Base,
    Factor,
    Indices,
    NotReadable,
    Product,
    Shape,
    Sum,
    Term,
    digest,
    rename_indices,
)

MOST_TERMS: Final = 40
"""Longest sum that is worked with; nobody would read a longer one."""

_MOST_FACTORS: Final = 24
_REFINEMENTS: Final = 2


def group_sum(inside: Sum) -> Factor:
    """A sum in parentheses, as one factor with those of the free indices on which it depends."""
    only = inside.single
    if only is not None and only.coefficient == 1 and len(only.factors) == 1 and not only.extents:
        (factor,) = only.factors
        if factor.power == 1:
            return factor
    kept = tuple(sorted(inside.used))
    shape, arguments = _reindex_arguments(kept, (inside,))
    return Factor(Base("group", "", shape, arguments), kept)


def apply_elementwise(name: str, arguments: Sequence[Sum]) -> Sum:
    """A function of each element of `arguments`, which have one shape."""
    used: frozenset[int] = frozenset().union(*(a.used for a in arguments))
    kept = tuple(sorted(used))
    shape, inside = _reindex_arguments(kept, arguments)
    base = Base("each", name, shape, inside)
    return Sum(arguments[0].shape, (Term(Fraction(1), (Factor(base, kept),)),))


def _reindex_arguments(kept: Indices, arguments: Iterable[Sum]) -> tuple[Shape, tuple[Sum, ...]]:
    """`arguments` with the indices `kept` alone, and their shape."""
    made = [reindex_sum(argument, kept) for argument in arguments]
    return made[0].shape, tuple(made)


def reindex_sum(inside: Sum, free: Indices) -> Sum:
    """`inside` with other free indices: the k-th is what was ``free[k]``.

    Parameters
    ----------
    inside : Sum
        It depends on no index that is left out.
    free : tuple of int
    """
    rank = len(inside.shape)
    if free == tuple(range(rank)):
        return inside
    shape = tuple(inside.shape[i] for i in free)
    made = []
    for term in inside.terms:
        product = Product(Fraction(1), [], {i: inside.shape[i] for i in range(rank)})
        product.times(term, range(rank))
        for i in range(rank):
            if i not in free:
                del product.extents[i]
        made.append(product)
    return sum_products(free, shape, made)


def sum_products(free: Sequence[int], shape: Shape, products: Iterable[Product]) -> Sum:
    """Products over common free indices, in normal form."""
    charge(20)
    collected: dict[tuple[tuple[Factor, ...], Shape], Fraction] = {}
    for product in products:
        term = _normal(tuple(free), product)
        key = (term.factors, term.extents)
        collected[key] = collected.get(key, Fraction(0)) + term.coefficient
    terms = tuple(Term(c, *key) for key, c in collected.items() if c)
    if len(terms) > MOST_TERMS:
        raise NotReadable(f"a sum has {len(terms)} terms")
    return Sum(tuple(shape), terms)


def _normal(free: Indices, product: Product) -> Term:
    for _ in range(2):
        _use_up_deltas(free, product)
        product.factors = _join_factors(product.factors)
        simplify_product(product, free)
    _use_up_deltas(free, product)
    product.factors = _join_factors(product.factors)
    _count_empty_sums(free, product)
    if len(product.factors) > _MOST_FACTORS:
        raise NotReadable(f"a product has {len(product.factors)} factors")
    colours = _colours(free, product.factors)
    order = sorted(
        product.factors, key=lambda f: (f.base.key, str(f.power), [colours[i] for i in f.indices])
    )
    names = {index: k for k, index in enumerate(free)}
    extents: list[int] = []
    for factor in order:
        for i in factor.indices:
            if i not in names:
                names[i] = len(free) + len(extents)
                extents.append(product.extents[i])
    return Term(
        product.coefficient, tuple([rename_indices(f, names) for f in order]), tuple(extents)
    )


def _use_up_deltas(free: Indices, product: Product) -> None:
    """Rename one index of a unit matrix to the other, where one of them is summed over."""
    at = 0
    while at < len(product.factors):
        factor = product.factors[at]
        at += 1
        if factor.base.kind != "delta":
            continue
        i, j = factor.indices
        if i in free and j in free and i != j:
            continue
        del product.factors[at - 1]
        if i != j:
            gone, left = (j, i) if i in free else (i, j)
            del product.extents[gone]
            product.factors = [rename_indices(f, {gone: left}) for f in product.factors]
        at = 0


def _join_factors(factors: Sequence[Factor]) -> list[Factor]:
    """One factor for those of the same base and indices."""
    powers: dict[tuple[Base, Indices], Fraction] = {}
    for f in factors:
        # The powers of a unit matrix are itself, element by element.
        turned = f.base.kind == "delta" or SYMMETRIC in f.base.params
        indices = tuple(sorted(f.indices)) if turned else f.indices
        powers[f.base, indices] = powers.get((f.base, indices), Fraction(0)) + f.power
    return [
        Factor(base, indices, Fraction(1) if base.kind == "delta" else power)
        for (base, indices), power in powers.items()
        if power
    ]


def _count_empty_sums(free: Indices, product: Product) -> None:
    """A sum over an index on which nothing depends is a product with the number of its values."""
    used = {i for f in product.factors for i in f.indices}
    for index in [i for i in product.extents if i not in used and i not in free]:
        extent = product.extents.pop(index)
        size = next(
            (f for f in product.factors if f.base.kind == "size" and f.base.params == (extent,)),
            None,
        )
        if size is not None and size.power < 0:
            product.factors.remove(size)
            if size.power != -1:
                product.factors.append(Factor(size.base, (), size.power + 1))
        else:
            product.coefficient *= extent


def _colours(free: Indices, factors: Sequence[Factor]) -> dict[int, str]:
    """A name for each index that depends on its place in the product alone."""
    colours = {i: "" for f in factors for i in f.indices}
    colours |= {i: f"free {k}" for k, i in enumerate(free)}
    for _ in range(_REFINEMENTS):
        seen: dict[int, list[str]] = {i: [] for i in colours}
        for f in factors:
            around = [colours[i] for i in f.indices]
            for place, i in enumerate(f.indices):
                seen[i].append(f"{f.base.key} {f.power} {place} {around}")
        colours = {i: digest(colours[i], sorted(words)) for i, words in seen.items()}
    return colours
