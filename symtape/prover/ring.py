"""The ring: polynomials over Q in kernels, their quotients, and the relations that reduce them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from flint import Ordering, fmpq, fmpq_mpoly_ctx
from flint.utils.flint_exceptions import DomainError

from symtape.process.work import charge

LARGEST_POWER: Final = 200
"""Of a quotient, and of a root. Polynomials of a degree like 2^50, as the exponent 0.3 has where it
is exact, are factored for hours, and FLINT aborts the process on some."""

_LONGEST_NAME: Final = 300
"""Characters; words for people are shorter, and names inside of names grow beyond all bounds."""

_TERMS: Final = 4_000
"""Longest polynomial that is worked with; the next product might take minutes."""

_PRODUCTS: Final = 5_000_000
"""Products of two terms in one ring; of the built-in rows none needs a third of it."""


class NotReadable(Exception):
    """An expression that the prover cannot bring to normal form, and why."""


class NeedsFinerKernel(Exception):  # a signal to start again, not an error
    """A kernel was chosen too coarse: half of its exponent, or a root of it, is needed."""


@dataclass(slots=True)
class Kernel:
    """A generator of the ring.

    Attributes
    ----------
    name : str
        The function it is, or ``symbol``, ``i``, ``exp``, ``root``.
    arguments : tuple of Quotient
        What of.
    real : bool
        Whether its values are real numbers.
    power, value : int, polynomial
        Of a root or of i: the relation ``kernel**power == value``; of a step its value is itself.
    unit : Fraction
        Of an exponential: it is ``exp(unit * argument)``.
    """

    name: str
    arguments: tuple[Quotient, ...] = ()
    real: bool = True
    power: int = 0
    value: Any = None
    unit: Fraction = Fraction(1)
    note: str = ""


class Quotient:
    """A quotient of polynomials in the kernels of a ring, reduced and in lowest terms."""

    __slots__ = ("below", "ring", "top")

    def __init__(self, ring: Ring, top: Any, below: Any) -> None:
        self.ring, self.top, self.below = ring, top, below

    def __add__(self, other: Quotient) -> Quotient:
        if self.below == other.below:
            return self.ring.quotient(self.top + other.top, self.below)
        top = self.ring.product(self.top, other.below) + self.ring.product(other.top, self.below)
        return self.ring.quotient(top, self.ring.product(self.below, other.below))

    def __neg__(self) -> Quotient:
        return Quotient(self.ring, -self.top, self.below)

    def __sub__(self, other: Quotient) -> Quotient:
        return self + -other

    def __mul__(self, other: Quotient) -> Quotient:
        ring = self.ring
        return ring.quotient(
            ring.product(self.top, other.top), ring.product(self.below, other.below)
        )

    def __truediv__(self, other: Quotient) -> Quotient:
        return self * other.inverse()

    def inverse(self) -> Quotient:
        """``1 / self``. That it is not 0 is for the caller to know."""
        if self.is_zero:
            raise NotReadable("it divides by what is identically zero")
        return self.ring.quotient(self.below, self.top)

    def __pow__(self, n: int) -> Quotient:
        if abs(n) > LARGEST_POWER:
            raise NotReadable(f"the power {n}")
        if n < 0:
            return self.inverse() ** -n
        result, base = self.ring.one, self
        while n:
            if n & 1:
                result = result * base
            n >>= 1
            if n:
                base = base * base
        return result

    @property
    def is_zero(self) -> bool:
        """Whether it is zero, identically."""
        return bool(self.top == 0)

    @property
    def constant(self) -> Fraction | None:
        """Its value, if it is a rational number."""
        if not (self.top.is_constant() and self.below.is_constant()):
            return None
        value = self.top.leading_coefficient() if not self.is_zero else fmpq(0)
        return Fraction(int(value.p), int(value.q))

    @property
    def key(self) -> tuple[str, str]:
        """Equal for equal quotients."""
        return str(self.top), str(self.below)

    def __str__(self) -> str:
        top = self.ring.write(self.top)
        return top if self.below == 1 else f"({top})/({self.ring.write(self.below)})"


@dataclass
class Ring:
    """Kernels, in the order in which they were met, and arithmetic with them.

    Parameters
    ----------
    capacity : int
        Most kernels.
    units : dict
        What :class:`NeedsFinerKernel` found in earlier attempts; it is filled in.
    """

    capacity: int = 64
    units: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.context = fmpq_mpoly_ctx.get([f"k{i}" for i in range(self.capacity)], Ordering.lex)
        self.generators = self.context.gens()
        self.kernels: list[Kernel] = []
        self._known: dict[Any, int] = {}
        self._names: dict[int, str] = {}
        self._products = 0
        self.unit = self.generators[0] * 0 + 1
        self.nothing = self.generators[0] * 0
        self.one = Quotient(self, self.unit, self.unit)
        self.zero = Quotient(self, self.nothing, self.unit)
        self._conjugates = [-self.generators[0], *self.generators[1:]]
        self.i = self.kernel(("i",), lambda: Kernel("i", real=False, power=2, value=-self.unit))

    def kernel(self, key: Any, make: Callable[[], Kernel]) -> Quotient:
        """The kernel of that key, made the first time."""
        at = self._known.get(key)
        if at is None:
            made = make()
            at = len(self.kernels)
            if at >= self.capacity:
                raise NotReadable(f"it has more than {self.capacity} kernels")
            self._known[key] = at
            self.kernels.append(made)
        return Quotient(self, self.generators[at], self.unit)

    def function(self, name: str, *arguments: Quotient, note: str = "") -> Quotient:
        """The kernel of a function of `arguments`; `note` holds what else tells it apart."""
        key = (name, note, *(q.key for q in arguments))
        real = all(self.is_real(part) for q in arguments for part in (q.top, q.below))
        return self.kernel(key, lambda: Kernel(name, arguments, real=real, note=note))

    def is_real(self, polynomial: Any) -> bool:
        """Whether all kernels in `polynomial` have real values."""
        return all(self.kernels[at].real for at in self.used(polynomial))

    def rational(self, value: Fraction | int) -> Quotient:
        """A rational number."""
        value = Fraction(value)
        return Quotient(self, self.unit * fmpq(value.numerator, value.denominator), self.unit)

    def to_quotient(self, polynomial: Any) -> Quotient:
        """A polynomial as a quotient."""
        return self.quotient(polynomial, self.unit)

    def product(self, a: Any, b: Any) -> Any:
        """The product of two polynomials, refused if it may be too long to work with."""
        products = len(a) * len(b)
        self._products += products
        if products > 50 * _TERMS or self._products > _PRODUCTS:
            raise NotReadable("its polynomials grow too long")
        charge(1 + 0.05 * products)
        return a * b

    def factors(self, polynomial: Any) -> tuple[Any, list[tuple[Any, int]]]:
        """The constant of `polynomial`, and its irreducible factors with their multiplicities."""
        _charge_division(polynomial)
        constant, factors = polynomial.factor()
        return constant, [(factor, int(times)) for factor, times in factors]

    def square_root(self, x: Quotient) -> Quotient | None:
        """A polynomial whose square is `x`, with either sign; None if there is none."""
        if x.below != 1:
            return None
        try:
            return self.to_quotient(x.top.sqrt())
        except DomainError:
            return None

    def quotient(self, top: Any, below: Any) -> Quotient:
        """``top / below``, reduced."""
        top, below = self.reduce(top), self.reduce(below)
        if below == 0:
            raise NotReadable("it divides by what is identically zero")
        if top == 0:
            return self.zero
        if len(top) > _TERMS or len(below) > _TERMS:
            raise NotReadable("its polynomials grow too long")
        if not below.is_constant():
            top, below = self._rationalise(top, below)
            _charge_division(top, below)
            divisor = top.gcd(below)
            if not divisor.is_constant():
                top, below = top / divisor, below / divisor
        leading = below.leading_coefficient()
        return Quotient(self, top / leading, below / leading)

    def _rationalise(self, top: Any, below: Any) -> tuple[Any, Any]:
        """The same quotient without i in its denominator."""
        if not below.degrees()[0]:
            return top, below
        turned = below.compose(*self._conjugates, ctx=self.context)
        return self.reduce(self.product(top, turned)), self.reduce(self.product(below, turned))

    def rationalise_roots(self, x: Quotient) -> Quotient:
        """The same quotient with no root as a factor of its denominator."""
        for at, kernel in enumerate(self.kernels):
            if kernel.name == "root" and x.below.degrees()[at]:
                common = min(int(exponents[at]) for exponents in x.below.monoms())
                if common:
                    turned = self.generators[at] ** (kernel.power - common)
                    x = self.make_uncancelled(x.top * turned, x.below * turned)
        return x

    def make_uncancelled(self, top: Any, below: Any) -> Quotient:
        """``top / below`` modulo the relations, without looking for a common divisor."""
        return Quotient(self, self.reduce(top), self.reduce(below))

    def reduce(self, polynomial: Any) -> Any:
        """`polynomial` modulo the relations, the last kernel first."""
        degrees = polynomial.degrees()
        for at in range(len(self.kernels) - 1, -1, -1):
            power = self.kernels[at].power
            if not power or degrees[at] < power:
                continue
            if self.kernels[at].name == "step":
                polynomial = self._drop_powers(polynomial, at)
                continue
            polynomial = self._reduced_by(polynomial, at, power, self.kernels[at].value)
            degrees = polynomial.degrees()
        return polynomial

    def _drop_powers(self, polynomial: Any, at: int) -> Any:
        """`polynomial` in a number that is 0 or 1."""
        charge(len(polynomial))
        found: dict[tuple[int, ...], Any] = {}
        for exponents, coefficient in polynomial.to_dict().items():
            key = (*exponents[:at], min(int(exponents[at]), 1), *exponents[at + 1 :])
            found[key] = found.get(key, 0) + coefficient
        return self.context.from_dict(found)

    def _reduced_by(self, polynomial: Any, at: int, power: int, value: Any) -> Any:
        charge(15 * len(polynomial))
        parts: dict[int, dict[tuple[int, ...], Any]] = {}
        for exponents, coefficient in polynomial.to_dict().items():
            whole, rest = divmod(int(exponents[at]), power)
            left = (*exponents[:at], rest, *exponents[at + 1 :])
            parts.setdefault(whole, {})[left] = coefficient
        result, raised, reached = self.nothing, self.unit, 0
        for whole in sorted(parts):
            for _ in range(whole - reached):
                raised = self.product(raised, value)
            reached = whole
            result = result + self.product(self.context.from_dict(parts[whole]), raised)
        return result

    def find(self, polynomial: Any) -> tuple[int, Kernel] | None:
        """The kernel that `polynomial` is, if it is one."""
        if len(polynomial) != 1:
            return None
        ((exponents, coefficient),) = polynomial.to_dict().items()
        used = [(at, int(e)) for at, e in enumerate(exponents) if e]
        if coefficient != 1 or len(used) != 1 or used[0][1] != 1:
            return None
        return used[0][0], self.kernels[used[0][0]]

    def used(self, polynomial: Any) -> list[int]:
        """The kernels that occur in `polynomial`."""
        return [at for at, degree in enumerate(polynomial.degrees()) if degree]

    def write(self, polynomial: Any) -> str:
        """`polynomial` in the names of the kernels."""
        text = re.sub(r"k(\d+)", lambda found: self.name(int(found[1])), str(polynomial))
        return text.replace("^", "**")

    def name(self, at: int) -> str:
        """What a kernel is, in words; of one that is long only which it is."""
        name = self._names.get(at)
        if name is None:
            name = self._write_name(at)
            if len(name) > _LONGEST_NAME:
                name = f"{self.kernels[at].name}(#{at})"
            self._names[at] = name
        return name

    def _write_name(self, at: int) -> str:
        kernel = self.kernels[at]
        if kernel.name in ("symbol", "i", "pi"):
            return kernel.note or kernel.name
        if kernel.name == "exp":
            unit = "" if kernel.unit == 1 else f"{kernel.unit}*"
            return f"exp({unit}{kernel.arguments[0]})"
        if kernel.name == "root":
            return f"({self.write(kernel.value)})**(1/{kernel.power})"
        given = [*map(str, kernel.arguments), *([kernel.note] if kernel.note else [])]
        return f"{kernel.name}({', '.join(given)})"


def _charge_division(*polynomials: Any) -> None:
    """Before flint divides or factors, which nothing can stop."""
    terms = sum(map(len, polynomials))
    degrees = sum(int(degree) for polynomial in polynomials for degree in polynomial.degrees())
    charge(20 + 0.2 * terms * degrees)
