"""Arithmetic of sums of one shape, element by element."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from symtape.programs.notation.indexed import (
    Base,
    Factor,
    Product,
    Shape,
    Sum,
    Term,
    array_as_sum,
    number,
)
from symtape.programs.notation.normal import group_sum, sum_products


def scale_sum(inside: Sum, by: Fraction | int) -> Sum:
    """A multiple."""
    if not by:
        return Sum(inside.shape, ())
    terms = [Term(t.coefficient * by, t.factors, t.extents) for t in inside.terms]
    return Sum(inside.shape, tuple(terms))


def total(sums: Sequence[Sum]) -> Sum:
    """The sum."""
    shape = sums[0].shape
    return place_terms([t for s in sums for t in s.terms], range(len(shape)), shape)


def place_terms(
    terms: Iterable[Term],
    places: Sequence[int],
    shape: Shape,
    more: Mapping[int, int] = MappingProxyType({}),
) -> Sum:
    """A sum of terms whose free indices are at `places` among those of `shape`.

    Parameters
    ----------
    terms : iterable of Term
    places : sequence of int
    shape : tuple of int
        Of the sum.
    more : mapping of int to int
        The extents of further places, over which each term is summed.
    """
    products = []
    for term in terms:
        product = Product(Fraction(1), [], {**dict(enumerate(shape)), **more})
        product.times(term, places)
        products.append(product)
    return sum_products(range(len(shape)), shape, products)


def times(*sums: Sum) -> Sum:
    """The product; what has several terms stays in parentheses."""
    shape = sums[0].shape
    free = tuple(range(len(shape)))
    parts = [s for s in sums if s.constant is None]
    coefficient = Fraction(1)
    for inside in sums:
        coefficient *= 1 if inside.constant is None else inside.constant
    if not coefficient or not parts:
        return number(coefficient, shape)
    if len(parts) == 1 and (abs(coefficient) == 1 or parts[0].single is not None):
        return scale_sum(parts[0], coefficient)
    product = Product(coefficient, [], dict(enumerate(shape)))
    for inside in parts:
        product.times(to_term(inside), free)
    return sum_products(free, shape, [product])


def to_term(inside: Sum) -> Term:
    """One term; several are in parentheses, with their common factor in front."""
    only = inside.single
    if only is not None:
        return only
    common = _common_factor(inside)
    return Term(common, (group_sum(scale_sum(inside, 1 / common)),))


def _common_factor(inside: Sum) -> Fraction:
    """The largest number of which all coefficients are multiples, with the sign of the first."""
    coefficients = [t.coefficient for t in inside.terms]
    top = math.gcd(*(c.numerator for c in coefficients))
    below = math.lcm(*(c.denominator for c in coefficients))
    return Fraction(top, below) * (-1 if coefficients[0] < 0 else 1)


def power(inside: Sum, exponent: Fraction | int) -> Sum:
    """A power with a rational exponent."""
    exponent = Fraction(exponent)
    shape = inside.shape
    if exponent == 1:
        return inside
    if not exponent:
        return number(1, shape)
    value, only = inside.constant, inside.single
    whole_number = exponent.denominator == 1
    if value is not None and whole_number and (value or exponent > 0):
        return number(value ** int(exponent), shape)
    if only is not None and not only.extents and whole_number:
        factors = tuple(Factor(f.base, f.indices, f.power * exponent) for f in only.factors)
        return Sum(shape, (Term(only.coefficient ** int(exponent), factors),))
    coefficient = Fraction(1)
    if whole_number and only is not None:
        coefficient = only.coefficient ** int(exponent)
        inside = Sum(shape, (Term(Fraction(1), only.factors, only.extents),))
    elif whole_number:
        common = to_term(inside).coefficient
        coefficient = common ** int(exponent)
        inside = scale_sum(inside, 1 / common)
    factor = group_sum(inside)
    return Sum(shape, (Term(coefficient, (Factor(factor.base, factor.indices, exponent),)),))


def decimal(value: float) -> Sum:
    """A float: a coefficient where few digits say it exactly, and a number of its own if not."""
    exact = Fraction(value)
    if exact.denominator <= 2**10:
        return number(exact)
    sign = -1 if value < 0 else 1
    return scale_sum(array_as_sum(Base("number", "", (), (), (abs(float(value)),))), sign)


def contract_sums(
    sums: Sequence[Sum], inputs: Sequence[Sequence[int]], output: Sequence[int]
) -> Sum:
    """Products summed over the indices that are not in `output`, as by ``numpy.einsum``."""
    extents: dict[int, int] = {}
    for inside, indices in zip(sums, inputs, strict=True):
        extents |= zip(indices, inside.shape, strict=True)
    product = Product(Fraction(1), [], dict(extents))
    for inside, indices in zip(sums, inputs, strict=True):
        if not inside.terms:
            return Sum(tuple(extents[i] for i in output), ())
        product.times(to_term(inside), indices)
    return sum_products(output, tuple(extents[i] for i in output), [product])


def contract_terms(inside: Sum, indices: Sequence[int], output: Sequence[int]) -> Sum:
    """As :func:`contract_sums` of one sum, each of whose terms is summed by itself."""
    extents = dict(zip(indices, inside.shape, strict=True))
    products = []
    for term in inside.terms:
        product = Product(Fraction(1), [], dict(extents))
        product.times(term, indices)
        products.append(product)
    return sum_products(output, tuple(extents[i] for i in output), products)


def broadcast_sum(inside: Sum, shape: Shape) -> Sum:
    """`inside` broadcast to `shape`."""
    if inside.shape == shape:
        return inside
    before = len(shape) - len(inside.shape)
    places = [
        k + before if extent == shape[k + before] else k + len(shape)
        for k, extent in enumerate(inside.shape)
    ]
    more = {place: 1 for place in places if place >= len(shape)}
    return place_terms(inside.terms, places, shape, more)
