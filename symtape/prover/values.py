"""What kernels are on intervals: the signs of polynomials in them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from flint import arb

from symtape.process.work import charge
from symtape.prover.ring import Kernel, NotReadable, Quotient, Ring
from symtape.symbolic.interval import EVERYTHING, Interval, monotone, point
from symtape.symbolic.signs import sign_on, somewhere

_INF: Final = arb("inf")
_OF_FACTOR: Final = 30
"""Operations for a product of intervals."""

_POSITIVE: Final = Interval(arb(0), _INF, True, True)


def _make_interval(low: int, high: int) -> Interval:
    return Interval(arb(low), arb(high), True, True)


def bound_exp(x: Interval) -> Interval:
    """The exponentials of numbers, none of which is zero."""
    raw = monotone(arb.exp, x, (arb(0), _INF))
    return raw if raw.low > 0 else Interval(arb(0), raw.high, True, raw.high_open)


def bound_log(x: Interval) -> Interval:
    """The logarithms of positive numbers; everything of others."""
    if x.sign() != 1:
        return EVERYTHING
    return monotone(lambda end: -_INF if end.is_zero() else end.log(), x, (-_INF, _INF))


def _arc_tangent(x: Interval) -> Interval:
    return monotone(arb.atan, x, (-arb.pi() / 2, arb.pi() / 2))


def bound_increasing(
    function: Callable[[Any], Any], low: Any = "-inf", high: Any = "inf"
) -> Callable[..., Interval]:
    """The values of an increasing function that is defined everywhere, with its limits."""
    return lambda x: monotone(function, x, (arb(low), arb(high)))


def _positive_if_positive(x: Interval) -> Interval:
    return _POSITIVE if x.sign() == 1 else EVERYTHING


def _positive_of_last(*xs: Interval) -> Interval:
    return _positive_if_positive(xs[-1])


def bound_polygamma(order: str) -> Callable[..., Interval]:
    """The values of a derivative of the logarithm of gamma, at positive numbers."""
    n = int(order)

    def values(x: Interval) -> Interval:
        if x.sign() != 1:
            return EVERYTHING
        if n == 0:
            return monotone(lambda end: -_INF if end.is_zero() else end.digamma(), x, (-_INF, _INF))
        return _POSITIVE if n % 2 else -_POSITIVE

    return values


_FUNCTIONS: Final[dict[str, Callable[..., Interval]]] = {
    "log": bound_log,
    "atan": _arc_tangent,
    "asinh": bound_increasing(arb.asinh),
    "erf": bound_increasing(arb.erf, -1, 1),
    "erfi": bound_increasing(arb.erfi),
    "asin": lambda x: _make_interval(-2, 2),
    "acos": lambda x: Interval(arb(0), arb(4), False, True),
    "gamma": _positive_if_positive,
    "power": _positive_if_positive,
    "besselk": _positive_of_last,
    "besseli": lambda order, x: _positive_if_positive(x) if order.low >= 0 else EVERYTHING,
    "expint": _positive_of_last,
    # Of another branch than the principal one nothing is known.
    "LambertW": lambda x, *branch: EVERYTHING if branch else _positive_if_positive(x),
    "WithLambert": _positive_if_positive,
}


class Signs:
    """The signs of polynomials in the kernels of a ring, over a box of its symbols.

    Parameters
    ----------
    ring : Ring
    box : mapping
        An interval for each bounded symbol.
    """

    def __init__(self, ring: Ring, box: Mapping[str, Interval]) -> None:
        self.ring, self.box = ring, box
        self._known: dict[str, int | None] = {}

    def note(self, polynomial: Any, sign: int) -> None:
        """Take `sign` for that of `polynomial` from now on."""
        self._known[str(polynomial)], self._known[str(-polynomial)] = sign, -sign

    def possible(self, polynomial: Any) -> frozenset[int]:
        """Which signs it may have, as far as is known."""
        known = self.find_sign(polynomial)
        if known is not None:
            return frozenset({known})
        if not self.ring.is_real(polynomial):
            return frozenset({-1, 0, 1})
        return self.enclose(polynomial, self.box).signs()

    def suppose(self, polynomial: Any, possible: frozenset[int]) -> None:
        """Take it from now on that the sign of a polynomial is one of these."""
        if possible in (frozenset({1}), frozenset({-1})):
            self.note(polynomial, min(possible))
        for at in self.ring.used(polynomial):
            kernel, rest = self.ring.kernels[at], polynomial - self.ring.generators[at]
            if kernel.name == "symbol" and rest.is_constant():
                bound = point(-rest.leading_coefficient() if rest != 0 else 0)
                given = self.box.get(kernel.note, EVERYTHING)
                self.box = {**self.box, kernel.note: given.cut(bound, possible)}
                self._known = {key: sign for key, sign in self._known.items() if sign is not None}

    def find_sign(self, polynomial: Any) -> int | None:
        """1, -1 or 0 if that is its sign all over the box, proven or noted; None if not."""
        key = str(polynomial)
        if key not in self._known:
            self._known[key] = self._prove_sign(polynomial)
        return self._known[key]

    def find_quotient_sign(self, quotient: Quotient) -> int | None:
        """The sign of a quotient, if that of both its parts is known."""
        top, below = self.find_sign(quotient.top), self.find_sign(quotient.below)
        return None if top is None or not below else top * below

    def enclose(self, polynomial: Any, given: Mapping[str, Interval]) -> Interval:
        """An interval that holds the values of `polynomial`, for intervals of the symbols."""
        return _Evaluation(self.ring, given).polynomial(polynomial)

    def guess(self, polynomial: Any) -> int:
        """Its sign at one point of the box, for a proof that goes on from an assumption."""
        place = somewhere(self.box, self.symbols(polynomial))
        found = self.enclose(
            polynomial, {name: point(value) for name, value in place.items()}
        ).sign()
        if not found:
            raise NotReadable(f"the sign of {self.ring.write(polynomial)} is not known")
        return found

    def symbols(self, polynomial: Any) -> list[str]:
        """The symbols that `polynomial` depends on."""
        found: dict[str, None] = {}
        waiting = self.ring.used(polynomial)
        seen = set(waiting)
        while waiting:
            kernel = self.ring.kernels[waiting.pop()]
            if kernel.name == "symbol":
                found[kernel.note] = None
            parts = [p for q in kernel.arguments for p in (q.top, q.below)]
            parts += [kernel.value] if kernel.name == "root" else []
            fresh = {at for part in parts for at in self.ring.used(part)} - seen
            seen |= fresh
            waiting.extend(fresh)
        return list(found)

    def _prove_sign(self, polynomial: Any) -> int | None:
        if not self.ring.is_real(polynomial):
            return None
        names = self.symbols(polynomial)
        return sign_on(lambda given: self.enclose(polynomial, given), self.box, names)


class _Evaluation:
    """One evaluation on intervals, each kernel once."""

    def __init__(self, ring: Ring, given: Mapping[str, Interval]) -> None:
        self.ring, self.given = ring, given
        self._values: dict[int, Interval] = {}

    def polynomial(self, polynomial: Any) -> Interval:
        """The sum of its terms."""
        total = point(0)
        for exponents, coefficient in polynomial.to_dict().items():
            factors = [self.kernel(at) ** int(power) for at, power in enumerate(exponents) if power]
            charge(_OF_FACTOR * (1 + len(factors)))
            total = total + functools.reduce(Interval.__mul__, factors, point(coefficient))
        return total

    def quotient(self, quotient: Quotient) -> Interval:
        """Top by below."""
        top = self.polynomial(quotient.top)
        if quotient.below == 1:
            return top
        return top * self.polynomial(quotient.below).reciprocal()

    def kernel(self, at: int) -> Interval:
        """The values of one kernel."""
        found = self._values.get(at)
        if found is None:
            found = self._values[at] = self._kernel(self.ring.kernels[at])
        return found

    def _kernel(self, kernel: Kernel) -> Interval:
        if kernel.name == "symbol":
            return self.given.get(kernel.note, EVERYTHING)
        if kernel.name == "pi":
            return point(arb.pi())
        if not kernel.real:
            raise NotReadable("the sign of a complex number was asked for")
        if kernel.name == "root":
            return self._root(kernel)
        if kernel.name == "step":
            return Interval(arb(0), arb(1))
        arguments = [self.quotient(q) for q in kernel.arguments]
        if kernel.name == "exp":
            unit = point(arb(kernel.unit.numerator) / kernel.unit.denominator)
            return bound_exp(arguments[0] * unit)
        if kernel.name == "polygamma":
            return bound_polygamma(kernel.note)(arguments[-1])
        values = _FUNCTIONS.get(kernel.name)
        return EVERYTHING if values is None else values(*arguments)

    def _root(self, kernel: Kernel) -> Interval:
        x = self.polynomial(kernel.value)
        if x.low < 0:
            x = Interval(arb(0), x.high, False, x.high_open)
        raw = monotone(
            lambda end: end.root(kernel.power) if not end.is_zero() else end, x, (arb(0), _INF)
        )
        # A root is made of what is known, or assumed, to be positive.
        return Interval(raw.low, raw.high, raw.low_open or raw.low.is_zero(), raw.high_open)
