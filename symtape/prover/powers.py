"""Exponentials, logarithms and roots in the ring."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from flint import fmpz

from symtape.prover.needs import Needs
from symtape.prover.ring import LARGEST_POWER, Kernel, NeedsFinerKernel, NotReadable, Quotient, Ring


class Powers:
    """Exponentials, logarithms and roots of quotients.

    Parameters
    ----------
    needs : Needs
    atomic : bool
        Keep exponentials of sums in one piece.
    """

    def __init__(self, needs: Needs, atomic: bool) -> None:
        self.needs, self.atomic = needs, atomic
        self.ring: Ring = needs.ring

    # -- roots and logarithms -----------------------------------------------------------------

    def root(self, x: Quotient, power: Fraction) -> Quotient:
        """``x ** power`` for positive `x`."""
        if power.denominator == 1:
            return x ** int(power)
        result = self.ring.one
        for factor, times in self._positive_factors(x):
            result = result * self._root_of_factor(factor, power * times)
        return result

    def log(self, x: Quotient) -> Quotient:
        """The logarithm of positive `x`."""
        result = self.ring.zero
        for factor, times in self._positive_factors(x):
            result = result + self.ring.rational(times) * self._log_of_factor(factor)
        return result

    def _positive_factors(self, x: Quotient) -> list[tuple[Any, int]]:
        """Positive irreducible factors of `x` with their multiplicities; primes of constants."""
        self.needs.positive(x)
        found: list[tuple[Any, int]] = []
        sign, unknown = 1, []
        for part, side in ((x.top, 1), (x.below, -1)):
            constant, factors = self.ring.factors(part)
            sign = -sign if constant < 0 else sign
            for number, times in ((abs(constant.p), side), (constant.q, -side)):
                found += [
                    (self.ring.unit * int(prime), int(e) * times)
                    for prime, e in fmpz(int(number)).factor()
                ]
            for factor, times in factors:
                known = self.needs.signs.find_sign(factor)
                if known is None:
                    unknown.append((factor, times * side))
                    continue
                sign *= known**times
                found.append((factor * known, times * side))
        return found + self._settle_signs(unknown, sign)

    def _settle_signs(self, unknown: list[tuple[Any, int]], sign: int) -> list[tuple[Any, int]]:
        """Factors of unknown sign made positive; one that the whole decides is no assumption."""
        settled = []
        decided = len(unknown) == 1 and unknown[0][1] % 2
        for factor, times in unknown:
            known = sign if decided else self.needs.signs.guess(factor)
            if decided:
                self.needs.signs.note(factor, known)
            else:
                self.needs.assume(factor, known)
            sign *= known ** abs(times)
            settled.append((factor * known, times))
        if sign < 0:
            raise NotReadable("a root or a logarithm is taken of a negative number")
        return settled

    def _root_of_factor(self, factor: Any, power: Fraction) -> Quotient:
        if power.denominator == 1:
            return self.ring.to_quotient(factor) ** int(power)
        kernel = self._kernel(factor)
        if kernel is not None and kernel.name == "exp":
            scale = self.ring.rational(kernel.unit * power)
            return self.exp(scale * kernel.arguments[0])
        if kernel is not None and kernel.name == "root":
            return self.root(self.ring.to_quotient(kernel.value), power / kernel.power)
        key = ("root", str(factor))
        index = self.ring.units.get(key, power.denominator)
        if max(index, power.denominator) > LARGEST_POWER:
            return self._power_of_factor(factor, power)
        self.ring.units[key] = index
        if index % power.denominator:
            finer = math.lcm(index, power.denominator)
            if finer > LARGEST_POWER:
                return self._power_of_factor(factor, power)
            self.ring.units[key] = finer
            raise NeedsFinerKernel
        made = self.ring.kernel(key, lambda: Kernel("root", power=index, value=factor))
        return made ** int(power * index)

    def _power_of_factor(self, factor: Any, power: Fraction) -> Quotient:
        """With an exponent that no root is worth: the rest beside a whole number is one kernel."""
        whole = math.floor(power)
        rest = power - whole
        base = self.ring.to_quotient(factor)
        made = self.ring.kernel(
            ("power", str(factor), str(rest)),
            lambda: Kernel("power", (base,), note=str(rest)),
        )
        return made * base**whole

    def _log_of_factor(self, factor: Any) -> Quotient:
        kernel = self._kernel(factor)
        if kernel is not None and kernel.name == "exp" and kernel.real:
            return self.ring.rational(kernel.unit) * kernel.arguments[0]
        if kernel is not None and kernel.name == "root":
            scale = self.ring.rational(Fraction(1, kernel.power))
            return scale * self.log(self.ring.to_quotient(kernel.value))
        if kernel is not None and kernel.name == "gamma":
            argument = kernel.arguments[0]
            return self.ring.function("loggamma", argument)
        return self.ring.function("log", self.ring.to_quotient(factor))

    def _kernel(self, factor: Any) -> Kernel | None:
        found = self.ring.find(factor)
        return None if found is None else found[1]

    # -- exponentials -------------------------------------------------------------------------

    def exp(self, x: Quotient) -> Quotient:
        """The exponential; of a sum, the product of those of its terms."""
        if x.is_zero:
            return self.ring.one
        x = self.ring.rationalise_roots(x)
        terms = list(x.top.to_dict().items())
        if self.atomic and len(terms) > 1:
            scale = Fraction(int(terms[0][1].p), int(terms[0][1].q))
            return self._exponential(scale, x * self.ring.rational(1 / scale))
        result = self.ring.one
        for exponents, coefficient in terms:
            term = self.ring.quotient(self.ring.context.from_dict({exponents: 1}), x.below)
            scale = Fraction(int(coefficient.p), int(coefficient.q))
            if term.top.leading_coefficient() != 1:
                lead = term.top.leading_coefficient()
                scale *= Fraction(int(lead.p), int(lead.q))
                term = self.ring.quotient(term.top / lead, term.below)
            result = result * self._exponential(scale, term)
        return result

    def _exponential(self, scale: Fraction, term: Quotient) -> Quotient:
        """``exp(scale * term)``, of a term without a factor of its own."""
        if term.below == 1 and len(term.top) == 1:
            known = self._inverse(scale, term)
            if known is not None:
                return known
        key: tuple[Any, ...] = ("exp", term.key)
        unit = self.ring.units.get(key, abs(scale))
        times = scale / unit
        if max(abs(times.numerator), times.denominator) > LARGEST_POWER:
            # No unit that is worth it: a kernel of its own.
            key = (*key, str(abs(scale)))
            unit, times = abs(scale), Fraction(1 if scale > 0 else -1)
        elif times.denominator != 1:
            self.ring.units[key] = unit / times.denominator
            raise NeedsFinerKernel
        else:
            self.ring.units[key] = unit
        real = self.ring.is_real(term.top) and self.ring.is_real(term.below)
        made = self.ring.kernel(key, lambda: Kernel("exp", (term,), real=real, unit=unit))
        return made ** int(times)

    def _inverse(self, scale: Fraction, term: Quotient) -> Quotient | None:
        """The exponential of what is a logarithm in some way."""
        ((exponents, _),) = term.top.to_dict().items()
        used = [(at, int(power)) for at, power in enumerate(exponents) if power]
        if len(used) == 1 and used[0][1] == 1:
            return self._real_inverse(scale, self.ring.kernels[used[0][0]], term)
        if len(used) == 2 and used[0] == (0, 1) and used[1][1] == 1:
            return self._turn(scale, self.ring.kernels[used[1][0]])
        return None

    def _real_inverse(self, scale: Fraction, kernel: Kernel, term: Quotient) -> Quotient | None:
        one = self.ring.one
        match kernel.name:
            case "log":
                return self.root(kernel.arguments[0], scale)
            case "loggamma" if scale.denominator == 1:
                argument = kernel.arguments[0]
                # Left of 0 it is that of the absolute value.
                self.needs.positive(argument, identity=True)
                return self.ring.function("gamma", argument) ** int(scale)
            case "WithLambert" | "LambertW" if scale.denominator == 1:
                return (kernel.arguments[0] / term) ** int(scale)
            case "asinh" if scale.denominator == 1:
                u = kernel.arguments[0]
                return (u + self.root(one + u * u, Fraction(1, 2))) ** int(scale)
            case "acosh" if scale.denominator == 1:
                u = kernel.arguments[0]
                return (u + self.root(u * u - one, Fraction(1, 2))) ** int(scale)
            case "atanh":
                u = kernel.arguments[0]
                return self.root((one + u) / (one - u), scale / 2)
        return None

    def _turn(self, scale: Fraction, kernel: Kernel) -> Quotient | None:
        """``exp(i * scale * kernel)``."""
        i, one = self.ring.i, self.ring.one
        if kernel.name == "pi" and (2 * scale).denominator == 1:
            return i ** (int(2 * scale) % 4)
        if scale.denominator != 1 or not kernel.arguments:
            return None
        u = kernel.arguments[0]
        match kernel.name:
            case "atan":
                turned = (one + i * u) / self.root(one + u * u, Fraction(1, 2))
            case "asin":
                turned = self.root(one - u * u, Fraction(1, 2)) + i * u
            case "acos":
                turned = u + i * self.root(one - u * u, Fraction(1, 2))
            case _:
                return None
        return turned ** int(scale)
