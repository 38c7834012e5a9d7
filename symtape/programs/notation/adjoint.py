"""Derivatives of sums of products, by a sweep from the result back to what it depends on."""

from __future__ import annotations

from fractions import Fraction

from symtape.programs.notation.algebra import place_terms, times, to_term, total
from symtape.programs.notation.functions import SLOPES, differentiate
from symtape.programs.notation.indexed import Base, Factor, NotReadable, Product, Sum, Term, delta
from symtape.programs.notation.normal import sum_products
from symtape.programs.notation.whole import PULLS


def derivative(of: Sum, by: Base) -> Sum:
    """The derivative of a sum by an array: of the indices of the one, then those of the other.

    Raises
    ------
    NotReadable
        A function has no derivative in this notation, or it would be too long.
    """
    return _Sweep(of, by).result()


class _Sweep:
    def __init__(self, of: Sum, by: Base) -> None:
        self._by = by
        self._free = len(of.shape)
        self._first = tuple(range(self._free))
        self._depends: dict[Base, bool] = {}
        self._found: dict[Base, list[Sum]] = {}
        self._of = of

    def result(self) -> Sum:
        order: list[Base] = []
        seen: set[Base] = set()
        _visit(self._of, seen, order)
        for base in order:
            inside = any(self._moves(argument) for argument in base.arguments)
            self._depends[base] = base == self._by or inside
        self._pull(self._make_seed(), self._of)
        for base in reversed(order):
            if base in self._found and base != self._by:
                self._pull_through_base(base, total(self._found.pop(base)))
        found = self._found.get(self._by)
        return total(found) if found else Sum(self._of.shape + self._by.shape, ())

    def _moves(self, inside: Sum) -> bool:
        return any(self._depends[f.base] for t in inside.terms for f in t.factors)

    def _make_seed(self) -> Sum:
        shape = self._of.shape
        rank = len(shape)
        product = Product(Fraction(1), [], dict(enumerate(shape + shape)))
        product.factors = [Factor(delta(n), (k, k + rank)) for k, n in enumerate(shape)]
        return sum_products(range(2 * rank), shape + shape, [product])

    def _pull_through_base(self, base: Base, cotangent: Sum) -> None:
        if base.kind == "group":
            self._pull(cotangent, base.arguments[0])
        elif base.kind == "each":
            self._pull_through_elements(base, cotangent)
        elif (pull := PULLS.get(base.name)) is None:
            raise NotReadable(f"the derivative of {base.name} has no form in array notation")
        else:
            self._pull(pull(cotangent, self._free, base), base.arguments[0])

    def _pull_through_elements(self, base: Base, cotangent: Sum) -> None:
        if base.name not in SLOPES:
            raise NotReadable(f"the derivative of {base.name} has no form in array notation")
        for at, argument in enumerate(base.arguments):
            if not self._moves(argument):
                continue
            factor = differentiate(base.name, at, base.arguments)
            if factor.terms:
                self._pull(self._scale_cotangent(cotangent, factor), argument)

    def _scale_cotangent(self, cotangent: Sum, factor: Sum) -> Sum:
        """Times what has the last indices alone."""
        beyond = tuple(range(self._free, len(cotangent.shape)))
        lifted = place_terms(factor.terms, beyond, cotangent.shape)
        return total([times(part, lifted) for part in _parts(cotangent)])

    def _pull(self, cotangent: Sum, inside: Sum) -> None:
        """Hand the cotangent of a sum on to the arrays in its terms."""
        if not cotangent.terms:
            return
        for term in inside.terms:
            for at, factor in enumerate(term.factors):
                if self._depends[factor.base]:
                    rest = Term(
                        term.coefficient * factor.power,
                        (*term.factors[:at], *_lower_power(factor), *term.factors[at + 1 :]),
                        term.extents,
                    )
                    alone = not rest.factors
                    pulled = [
                        self._pull_to_factor(part, rest, factor, inside.shape)
                        for part in (_terms(cotangent) if alone else _parts(cotangent))
                    ]
                    self._found.setdefault(factor.base, []).extend(pulled)

    def _pull_to_factor(
        self, cotangent: Sum, rest: Term, factor: Factor, shape: tuple[int, ...]
    ) -> Sum:
        free = self._first + tuple(range(self._free, self._free + len(factor.base.shape)))
        result = cotangent.shape[: self._free] + factor.base.shape
        product = Product(Fraction(1), [], dict(enumerate(result)))
        own = [product.fresh(extent) for extent in shape]
        product.times(to_term(cotangent), [*self._first, *own])
        names = dict(enumerate(own))
        for k, extent in enumerate(rest.extents, len(shape)):
            names[k] = product.fresh(extent)
        renamed = [
            Factor(f.base, tuple(names[i] for i in f.indices), f.power) for f in rest.factors
        ]
        product.coefficient *= rest.coefficient
        product.factors += renamed
        product.factors += [
            Factor(delta(n), (names[i], self._free + place))
            for place, (i, n) in enumerate(zip(factor.indices, factor.base.shape, strict=True))
        ]
        return sum_products(free, result, [product])


def _visit(inside: Sum, seen: set[Base], order: list[Base]) -> None:
    """All arrays that a sum is made of, each after those that it is made of itself."""
    for term in inside.terms:
        for factor in term.factors:
            if factor.base not in seen:
                seen.add(factor.base)
                for argument in factor.base.arguments:
                    _visit(argument, seen, order)
                order.append(factor.base)


def _lower_power(factor: Factor) -> tuple[Factor, ...]:
    """The derivative of a power, but for its exponent."""
    if factor.power == 1:
        return ()
    return (Factor(factor.base, factor.indices, factor.power - 1),)


def _terms(cotangent: Sum) -> list[Sum]:
    return [Sum(cotangent.shape, (term,)) for term in cotangent.terms]


def _parts(cotangent: Sum) -> list[Sum]:
    """What is multiplied by itself: each term where unit matrices can be used up, else all."""
    units = any(f.base.kind == "delta" for t in cotangent.terms for f in t.factors)
    return _terms(cotangent) if units else [cotangent]
