"""Identities by which products become shorter, where both sides are defined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final, TypeAlias

from symtape.programs.notation.indexed import SYMMETRIC, Base, Factor, Indices, Product, Sum, Term

Identity: TypeAlias = Callable[[Product, Indices], bool]
"""It may change a product with some free indices, and says whether it did."""


def simplify_product(product: Product, free: Indices) -> None:
    """Apply the identities until none of them has anything to change."""
    changed = True
    while changed:
        changed = any(identity(product, free) for identity in IDENTITIES)


def _logistic(product: Product, free: Indices) -> bool:
    """``1/(1 + exp(u))`` is the logistic function of -u; times ``exp(u)`` it is that of u."""
    for at, factor in enumerate(product.factors):
        inner = _one_plus_exponential(factor.base)
        if factor.power == -1 and inner is not None:
            exponential = Factor(inner, factor.indices)
            with_it = exponential in product.factors
            u = inner.arguments[0]
            product.factors[at] = _apply_logistic(u if with_it else negate_sum(u), exponential)
            if with_it:
                product.factors.remove(exponential)
            return True
    return False


def _logistic_of_negative(product: Product, free: Indices) -> bool:
    """``exp(u)`` times the logistic function of -u is that of u."""
    for exponential in product.factors:
        if exponential.base.name != "exp" or exponential.power != 1:
            continue
        inside = exponential.base.arguments[0]
        opposite = _apply_logistic(negate_sum(inside), exponential)
        if opposite in product.factors:
            product.factors[product.factors.index(opposite)] = _apply_logistic(inside, exponential)
            product.factors.remove(exponential)
            return True
    return False


def _apply_logistic(argument: Sum, like: Factor) -> Factor:
    return Factor(Base("each", "expit", like.base.shape, (argument,)), like.indices)


def _one_plus_exponential(base: Base) -> Base | None:
    """The exponential u of a sum ``1 + exp(u)``."""
    if base.kind != "group" or len(base.arguments[0].terms) != 2:
        return None
    terms = base.arguments[0].terms
    for one, other in (terms, terms[::-1]):
        alone = len(other.factors) == 1 and other.coefficient == 1 and not other.extents
        if one == Term(Fraction(1)) and alone:
            (factor,) = other.factors
            plain = factor.indices == tuple(range(len(base.shape)))
            if factor.base.name == "exp" and factor.power == 1 and plain:
                return factor.base
    return None


def negate_sum(inside: Sum) -> Sum:
    """The negative of a sum."""
    return Sum(
        inside.shape, tuple(Term(-t.coefficient, t.factors, t.extents) for t in inside.terms)
    )


def _product_with_inverse(product: Product, free: Indices) -> bool:
    """``inv(S) @ S`` is the unit matrix; ``inv(L).T @ inv(L)`` is ``inv(S)``, where L factors S."""
    for inverse in product.factors:
        argument = inverse.base.arguments[0].single if inverse.base.name == "inv" else None
        if argument is None or len(argument.factors) != 1 or argument.coefficient != 1:
            continue
        (of,) = argument.factors
        if inverse.power != 1 or of.power != 1 or sorted(of.indices) != [0, 1]:
            continue
        for other in product.factors:
            if other is inverse or other.power != 1:
                continue
            for made, shared in _multiply_inverse(inverse, of, other):
                if _only_in(product, shared, free, (inverse, other)):
                    kept = [f for f in product.factors if f is not inverse and f is not other]
                    product.factors = [*kept, made]
                    del product.extents[shared]
                    return True
    return False


def _multiply_inverse(inverse: Factor, of: Factor, other: Factor) -> Iterator[tuple[Factor, int]]:
    """Known products with another factor, each with the index that is summed over."""
    i, j = inverse.indices
    if other.base == of.base:
        a, b = (other.indices[k] for k in of.indices)
        unit = Base("delta", "eye", inverse.base.shape)
        if j == a:
            yield Factor(unit, (i, b)), j
        if i == b:
            yield Factor(unit, (j, a)), i
    factored = of.base.name == "cholesky" and of.indices == (0, 1)
    if factored and other.base == inverse.base and other.indices[0] == i:
        whole = Base("whole", "inv", inverse.base.shape, of.base.arguments, (SYMMETRIC,))
        yield Factor(whole, (j, other.indices[1])), i


def _only_in(product: Product, index: int, free: Indices, factors: tuple[Factor, Factor]) -> bool:
    """Whether an index is summed over, in these two factors alone, once in each."""
    if index in free or any(f.indices.count(index) != 1 for f in factors):
        return False
    return sum(f.indices.count(index) for f in product.factors) == 2


def _triangle_of_triangular(product: Product, free: Indices) -> bool:
    """The upper half of a lower triangular matrix, its diagonal halved, is half of its diagonal."""
    for half in product.factors:
        if half.base.name != "lower half":
            continue
        i, j = half.indices
        for lower in product.factors:
            if lower.base.name == "cholesky" and lower.indices == (j, i) and lower.power == 1:
                product.factors.remove(half)
                product.coefficient /= 2
                unit = Base("delta", "eye", half.base.shape)
                product.factors.append(Factor(unit, (i, j)))
                return True
    return False


IDENTITIES: Final[tuple[Identity, ...]] = (
    _logistic,
    _logistic_of_negative,
    _product_with_inverse,
    _triangle_of_triangular,
)
