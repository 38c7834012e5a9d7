"""Special functions in the ring: shifted by their recurrences, and inverted where that is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from symtape.prover.powers import Powers
from symtape.prover.ring import NotReadable, Quotient

_FARTHEST = 60


class Special:
    """Readings of special functions, each a method of its SymPy name; see :meth:`reading`."""

    def __init__(self, powers: Powers) -> None:
        self.powers, self.needs, self.ring = powers, powers.needs, powers.ring

    def reading(self, name: str) -> Callable[..., Quotient] | None:
        """How the function called `name` is read; None if it is a kernel without properties."""
        found: Callable[..., Quotient] | None = getattr(self, f"read_{name}", None)
        return found

    def _number(self, x: Quotient, what: str) -> int:
        value = x.constant
        if value is None or value.denominator != 1 or abs(value) > _FARTHEST:
            raise NotReadable(f"{what} {x} is no small integer")
        return int(value)

    def _shift(self, x: Quotient) -> tuple[Quotient, int]:
        """`x` as what is left and a whole number, where x is a polynomial with constants."""
        if x.below != 1:
            return x, 0
        constant = x.top.to_dict().get((0,) * self.ring.capacity)
        if constant is None:
            return x, 0
        whole = math.floor(Fraction(int(constant.p), int(constant.q)))
        if abs(whole) > _FARTHEST:
            return x, 0
        return x - self.ring.rational(whole), whole

    # -- gamma and what comes of it (DLMF 5.5) ------------------------------------------------

    def _rising_factorial(self, base: Quotient, steps: int) -> Quotient:
        """gamma(base + steps) / gamma(base)."""
        result = self.ring.one
        for k in range(steps):
            result = result * (base + self.ring.rational(k))
        for k in range(1, 1 - steps):
            result = result / (base - self.ring.rational(k))
        return result

    def _falls(self, x: Quotient) -> bool:
        """Whether `x` is a polynomial whose terms are all negative: gamma is reflected there."""
        return x.below == 1 and not x.top.is_constant() and all(c < 0 for c in x.top.coeffs())

    def _half_turns(self, x: Quotient) -> tuple[Quotient, Quotient]:
        """The sine and the cosine of pi x."""
        turn = self.powers.exp(self.ring.i * self.ring.function("pi") * x)
        half, back = self.ring.rational(Fraction(1, 2)), turn.inverse()
        return (turn - back) * half / self.ring.i, (turn + back) * half

    def _is_integer(self, x: Quotient) -> bool:
        return x.constant is not None and x.constant.denominator == 1

    def read_gamma(self, x: Quotient) -> Quotient:
        """DLMF 5.5.1 and, left of 0, 5.5.3."""
        self.needs.require_off_poles(x)
        if x.constant == Fraction(1, 2):
            return self.powers.root(self.ring.function("pi"), Fraction(1, 2))
        base, steps = self._shift(x)
        if self._falls(base):
            sine = self._half_turns(x)[0]
            return self.ring.function("pi") / (sine * self.read_gamma(self.ring.one - x))
        if self._is_integer(x):
            n = self._number(x, "the argument of the gamma function")
            if n < 1:
                raise NotReadable(f"the gamma function has a pole at {n}")
            return self.ring.rational(math.factorial(n - 1))
        if base.constant == Fraction(1, 2) and steps:
            return self.read_gamma(base) * self._rising_factorial(base, steps)
        return self.ring.function("gamma", base) * self._rising_factorial(base, steps)

    def read_loggamma(self, x: Quotient) -> Quotient:
        """The logarithm of gamma(x + 1) = x gamma(x)."""
        if self._is_integer(x):
            return self.powers.log(self.read_gamma(x))
        base, steps = self._shift(x)
        if steps:
            return self.ring.function("loggamma", base) + self.powers.log(
                self._rising_factorial(base, steps)
            )
        return self.ring.function("loggamma", base)

    def read_beta(self, a: Quotient, b: Quotient) -> Quotient:
        """DLMF 5.12.1."""
        return self.read_gamma(a) * self.read_gamma(b) / self.read_gamma(a + b)

    def read_digamma(self, x: Quotient) -> Quotient:
        """The polygamma function of order 0."""
        return self.read_polygamma(self.ring.zero, x)

    def read_polygamma(self, order: Quotient, x: Quotient) -> Quotient:
        """DLMF 5.15.5 and, for order 0 left of 0, 5.5.4."""
        n = self._number(order, "the order")
        self.needs.require_off_poles(x)
        base, steps = self._shift(x)
        if n == 0 and self._falls(base):
            sine, cosine = self._half_turns(x)
            turned = self.read_polygamma(order, self.ring.one - x)
            return turned - self.ring.function("pi") * cosine / sine
        if base.is_zero:
            base, steps = self.ring.one, steps - 1
        result = self.ring.function("polygamma", base, note=str(n))
        factor = self.ring.rational((-1) ** n * math.factorial(n))
        for k in range(steps):
            result = result + factor / (base + self.ring.rational(k)) ** (n + 1)
        for k in range(1, 1 - steps):
            result = result - factor / (base - self.ring.rational(k)) ** (n + 1)
        return result

    def read_lowergamma(self, a: Quotient, x: Quotient) -> Quotient:
        """DLMF 8.2.1."""
        self.needs.positive(x)
        return self.ring.function("lowergamma", a, x)

    def read_uppergamma(self, a: Quotient, x: Quotient) -> Quotient:
        """DLMF 8.2.3."""
        return self.read_gamma(a) - self.read_lowergamma(a, x)

    # -- error functions ----------------------------------------------------------------------

    def read_erf(self, x: Quotient) -> Quotient:
        """Odd; undone by erfinv and erfcinv."""
        if x.is_zero:
            return self.ring.zero
        if x.top.leading_coefficient() < 0:
            return -self.read_erf(-x)
        found = self.ring.find(x.top) if x.below == 1 else None
        if found is not None and found[1].name == "erfinv":
            return found[1].arguments[0]
        if found is not None and found[1].name == "erfcinv":
            return self.ring.one - found[1].arguments[0]
        return self.ring.function("erf", x)

    def read_erfc(self, x: Quotient) -> Quotient:
        """DLMF 7.2.2."""
        return self.ring.one - self.read_erf(x)

    def read_erfinv(self, x: Quotient) -> Quotient:
        """Defined between -1 and 1."""
        self.needs.positive(self.ring.one - x * x)
        return self.ring.function("erfinv", x)

    def read_erfcinv(self, x: Quotient) -> Quotient:
        """Defined between 0 and 2."""
        self.needs.positive(x * (self.ring.rational(2) - x))
        return self.ring.function("erfcinv", x)

    # -- inverse circular and hyperbolic functions --------------------------------------------

    def read_asin(self, x: Quotient) -> Quotient:
        """Real and smooth between -1 and 1."""
        self.needs.positive(self.ring.one - x * x)
        return self.ring.function("asin", x)

    def read_acos(self, x: Quotient) -> Quotient:
        """pi/2 - asin x."""
        self.needs.positive(self.ring.one - x * x)
        return self.ring.function("acos", x)

    def read_atanh(self, x: Quotient) -> Quotient:
        """Half the logarithm of (1 + x) / (1 - x)."""
        self.needs.positive(self.ring.one - x * x)
        return self.ring.function("atanh", x)

    def read_acosh(self, x: Quotient) -> Quotient:
        """Real and smooth above 1."""
        self.needs.positive(x - self.ring.one)
        return self.ring.function("acosh", x)

    def read_floor(self, x: Quotient) -> Quotient:
        """Constant between the integers."""
        self.needs.conditions[f"{x} is no integer"] = None
        return self.ring.function("floor", x)

    # -- sinc, exponential integrals ----------------------------------------------------------

    def read_sinc(self, x: Quotient) -> Quotient:
        """sin(x) / x; entire, so that the quotient's own 0 needs no condition."""
        return self.read_SincDerivative(self.ring.zero, x)

    def read_SincDerivative(self, order: Quotient, x: Quotient) -> Quotient:
        """From ``x F_n + n F_(n-1)``, the n-th derivative of the sine; entire as well."""
        n = self._number(order, "the order")
        turn = self.powers.exp(self.ring.i * x)
        back = turn.inverse()
        half = self.ring.rational(Fraction(1, 2))
        sine, cosine = (turn - back) * half / self.ring.i, (turn + back) * half
        derivatives = (sine, cosine, -sine, -cosine)
        found = sine / x
        for k in range(1, n + 1):
            found = (derivatives[k % 4] - self.ring.rational(k) * found) / x
        return found

    def read_expint(self, order: Quotient, x: Quotient) -> Quotient:
        """DLMF 8.19.12."""
        self.needs.positive(x)
        decay = self.powers.exp(-x)
        base, steps = self._shift(order)
        if not base.is_zero:
            found, at = self.ring.function("expint", base, x), base
            for _ in range(steps):
                found, at = (decay - x * found) / at, at + self.ring.one
            for _ in range(-steps):
                at = at - self.ring.one
                found = (decay - at * found) / x
            return found
        found = self.ring.function("expint", self.ring.one, x)
        for k in range(1, steps):
            found = (decay - x * found) / self.ring.rational(k)
        if steps <= 0:
            found = decay / x
            for k in range(-1, steps - 1, -1):
                found = (decay - self.ring.rational(k) * found) / x
        return found

    def read_Ei(self, x: Quotient) -> Quotient:
        """DLMF 6.2.5."""
        self.needs.nonzero(x)
        return self.ring.function("Ei", x)

    def read_Ci(self, x: Quotient) -> Quotient:
        """DLMF 6.2.11."""
        self.needs.positive(x)
        return self.ring.function("Ci", x)

    def read_polylog(self, order: Quotient, x: Quotient) -> Quotient:
        """Of order 1 a logarithm (DLMF 25.12.1)."""
        self.needs.positive(self.ring.one - x)
        if order.constant == 1:
            return -self.powers.log(self.ring.one - x)
        return self.ring.function("polylog", order, x)

    def hypergeometric(
        self, above: Sequence[Quotient], below: Sequence[Quotient], x: Quotient
    ) -> Quotient:
        """Elementary where it is (DLMF 15.4.1, 10.39.9); entire in what is divided by."""
        numbers = tuple(q.constant for q in above), tuple(q.constant for q in below)
        if numbers == ((Fraction(1), Fraction(1)), (Fraction(2),)):
            rest = self.ring.one - x
            self.needs.positive(rest)
            return -self.powers.log(rest) / x
        root = self.ring.square_root(self.ring.rational(4) * x)
        if numbers == ((), (Fraction(3, 2),)) and root is not None:
            # Even in the root, so that its sign is of no account.
            turn = self.powers.exp(root)
            return (turn - turn.inverse()) / (self.ring.rational(2) * root)
        parameters = [q for side in (above, below) for q in sorted(side, key=lambda it: it.key)]
        return self.unknown("hyper", [*parameters, x], len(above))

    # -- Bessel functions (DLMF 10.6.1, 10.29.1) ----------------------------------------------

    def read_besselj(self, order: Quotient, x: Quotient) -> Quotient:
        """J."""
        return self._bessel("besselj", order, x, alternating=True)

    def read_bessely(self, order: Quotient, x: Quotient) -> Quotient:
        """Y."""
        self.needs.positive(x)
        return self._bessel("bessely", order, x, alternating=True)

    def read_besseli(self, order: Quotient, x: Quotient) -> Quotient:
        """I."""
        return self._bessel("besseli", order, x, alternating=False)

    def read_besselk(self, order: Quotient, x: Quotient) -> Quotient:
        """K; its recurrence is that of I with another sign."""
        self.needs.positive(x)
        return self._bessel("besselk", order, x, alternating=False)

    def _bessel(self, name: str, order: Quotient, x: Quotient, alternating: bool) -> Quotient:
        base, steps = self._shift(order)
        if base.is_zero and steps < 0:
            sign = (-1) ** steps if alternating else 1
            return self.ring.rational(sign) * self._bessel(name, -order, x, alternating)
        one = self.ring.one
        low, high = self.ring.function(name, base, x), self.ring.function(name, base + one, x)
        at = base
        for _ in range(steps):
            low, high, at = high, self._raise_order(name, low, high, at + one, x), at + one
        for _ in range(-steps):
            low, high, at = self._lower_order(name, low, high, at, x), low, at - one
        return low

    def _raise_order(
        self, name: str, before: Quotient, now: Quotient, order: Quotient, x: Quotient
    ) -> Quotient:
        """The function of `order` + 1."""
        step = self.ring.rational(2) * order / x * now
        return {"besseli": before - step, "besselk": before + step}.get(name, step - before)

    def _lower_order(
        self, name: str, now: Quotient, after: Quotient, order: Quotient, x: Quotient
    ) -> Quotient:
        """The function of `order` - 1."""
        step = self.ring.rational(2) * order / x * now
        return {"besseli": after + step, "besselk": after - step}.get(name, step - after)

    def unknown(self, name: str, arguments: list[Quotient], note: Any) -> Quotient:
        """A function of which only its name is known."""
        return self.ring.function(name, *arguments, note=str(note))
