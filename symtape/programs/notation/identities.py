"""Identities by which products become shorter, where both sides are defined."""

from __future__ import annotations

from collections.abc import Callable
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
    """``1/(1 + exp(-u))`` is the logistic function of u, and so is ``exp(u)/(1 + exp(u))``."""
    for at, factor in enumerate(product.factors):
        inner = _one_plus_exponential(factor.base)
        if factor.power != -1 or inner is None:
            continue
        exponential = Factor(inner, factor.indices)
        if exponential in product.factors:
            product.factors[at] = Factor(
                _make_elementwise_base("expit", inner, inner.arguments[0]), factor.indices
            )
            product.factors.remove(exponential)
            return True
        negative = negate_sum(inner.arguments[0])
        if all(term.coefficient > 0 for term in negative.terms):
            product.factors[at] = Factor(
                _make_elementwise_base("expit", inner, negative), factor.indices
            )
            return True
    return False


def _logistic_of_negative(product: Product, free: Indices) -> bool:
    """``exp(u)`` times the logistic function of -u is that of u."""
    for exponential in product.factors:
        if exponential.base.name != "exp" or exponential.power != 1:
            continue
        inside = exponential.base.arguments[0]
        opposite = Factor(
            _make_elementwise_base("expit", exponential.base, negate_sum(inside)),
            exponential.indices,
        )
        if opposite in product.factors:
            product.factors.remove(exponential)
            at = product.factors.index(opposite)
            found = _make_elementwise_base("expit", exponential.base, inside)
            product.factors[at] = Factor(found, exponential.indices)
            return True
    return False


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


def _make_elementwise_base(name: str, like: Base, argument: Sum) -> Base:
    return Base("each", name, like.shape, (argument,))


def negate_sum(inside: Sum) -> Sum:
    """The negative of a sum."""
    return Sum(
        inside.shape, tuple(Term(-t.coefficient, t.factors, t.extents) for t in inside.terms)
    )


def _inverse_of_itself(product: Product, free: Indices) -> bool:
    """``inv(S) @ S`` is the unit matrix."""
    for inverse in product.factors:
        if inverse.base.name != "inv" or inverse.power != 1 or len(inverse.base.shape) != 2:
            continue
        argument = inverse.base.arguments[0].single
        if argument is None or len(argument.factors) != 1 or argument.coefficient != 1:
            continue
        (of,) = argument.factors
        if of.power != 1 or sorted(of.indices) != [0, 1]:
            continue
        i, j = inverse.indices
        for other in product.factors:
            if other.base != of.base or other.power != 1:
                continue
            a, b = (other.indices[k] for k in of.indices)
            for common, left, right in ((j == a, i, b), (i == b, a, j)):
                shared = j if left == i else i
                if common and _only_in(product, shared, free, (inverse, other)):
                    product.factors.remove(inverse)
                    product.factors.remove(other)
                    del product.extents[shared]
                    unit = Base("delta", "eye", inverse.base.shape)
                    product.factors.append(Factor(unit, (left, right)))
                    return True
    return False


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


def _inverse_by_triangles(product: Product, free: Indices) -> bool:
    """``inv(L).T @ inv(L)`` is ``inv(S)`` for the Cholesky factor L of S."""
    inverses = [f for f in product.factors if f.base.name == "inv" and f.power == 1]
    for first in inverses:
        lower = first.base.arguments[0].single
        if lower is None or len(lower.factors) != 1 or lower.coefficient != 1:
            continue
        (of,) = lower.factors
        if of.base.name != "cholesky" or of.indices != (0, 1) or of.power != 1:
            continue
        for second in inverses:
            shared = first.indices[0]
            if second is first or second.base != first.base or second.indices[0] != shared:
                continue
            if _only_in(product, shared, free, (first, second)):
                product.factors = [f for f in product.factors if f is not first and f is not second]
                del product.extents[shared]
                whole = Base("whole", "inv", first.base.shape, of.base.arguments, (SYMMETRIC,))
                product.factors.append(Factor(whole, (first.indices[1], second.indices[1])))
                return True
    return False


IDENTITIES: Final[tuple[Identity, ...]] = (
    _logistic,
    _logistic_of_negative,
    _inverse_of_itself,
    _triangle_of_triangular,
    _inverse_by_triangles,
)
