"""A jet: the first coefficients of a power series, each a ball.

A :class:`Jet` stands for ``f(x + t v)`` near ``t = 0``. It holds an ``arb_series``, or one ball
where the value does not depend on ``t`` at all. A :class:`Germ` is the same for ``t`` from 0 up,
where what is equal at 0 is told apart by what follows. A :class:`Lost` has a value and no
expansion that is known, such as ``|x|`` at 0; whatever is computed from it is lost as well.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import flint
import numpy as np
from flint import arb, arb_series

from symtape.rigorous.scalar import UNKNOWN, Ball, to_ball

Element: TypeAlias = Any
"""A ball or a jet."""


def _operator(
    operation: Callable[[Any, Any], Any],
) -> tuple[Callable[[Jet, Any], Any], Callable[[Jet, Any], Any]]:
    """The methods of an operator, with the jet on the left and on the right."""

    def operate(a: Jet, b: Any) -> Any:
        kind = type(a)
        if type(b) is kind:
            return kind(operation(a.s, b.s))
        return _combine_with(operation, a, b)

    return operate, lambda jet, other: type(jet)(operation(to_ball(other), jet.s))


class Jet:
    """A truncated power series, or a constant.

    Parameters
    ----------
    s : arb_series, arb or number
        The series; a number is a constant.

    Notes
    -----
    A method that is not here is the function of the same name in
    :mod:`symtape.rigorous.jets.functions`.

    Examples
    --------
    >>> from flint import arb, arb_series
    >>> from symtape.process.precision import precision
    >>> with precision(53, terms=3):
    ...     x = Jet(arb_series([2, 1]))
    ...     print(*coefficients(1 / (3 - x), 2))
    1.00000000000000 1.00000000000000 1.00000000000000
    """

    __slots__ = ("s",)

    functions: ClassVar[Any]
    """The module that has them, which builds on this one and says so when it is loaded."""

    def __init__(self, s: Any) -> None:
        kind = type(s)
        self.s: Any = s if kind is arb_series or kind is arb else to_ball(s)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return functools.partial(getattr(self.functions, name), self)

    @staticmethod
    def pi() -> Ball:
        """The ball of π."""
        return arb.pi()

    @staticmethod
    def const_sqrt_pi() -> Ball:
        """The ball of the square root of π."""
        return arb.const_sqrt_pi()

    __add__, __radd__ = _operator(operator.add)
    __sub__, __rsub__ = _operator(operator.sub)
    __mul__, __rmul__ = _operator(operator.mul)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Lost):
            return Lost(value_of(self) / other.s)
        if isinstance(other, np.ndarray):
            return NotImplemented
        divisor = other.s if isinstance(other, Jet) else to_ball(other)
        return _quotient(type(self), self.s, divisor)

    def __rtruediv__(self, other: Any) -> Any:
        return _quotient(type(self), to_ball(other), self.s)

    def __neg__(self) -> Any:
        return type(self)(-self.s)

    def __abs__(self) -> Any:
        return self.functions.absolute(self)

    def __pow__(self, exponent: Any) -> Any:
        return self.functions.power(self, exponent)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.s})"


def _leading_zeros(s: Any) -> tuple[int, bool]:
    """How many coefficients come before the first that is not 0, and whether that is known."""
    if type(s) is not arb_series:
        return 0, True
    cap = flint.ctx.cap
    first = next((k for k in range(cap) if not s[k].is_zero()), cap)
    return first, first == cap or bool(s[first].is_finite())


class Germ(Jet):
    """A power series for ``t`` from 0 up, in which ties at 0 are broken by what follows.

    Zeros before a coefficient that is not known say that it falls faster than the power of the last
    of them, as the square root of ``t`` does, which has no power series.
    """

    __slots__ = ()

    def __mul__(self, other: Any) -> Any:
        product = super().__mul__(other)
        if type(other) is not Germ or type(product) is not Germ:
            return product
        (first, known), (second, also) = _leading_zeros(self.s), _leading_zeros(other.s)
        # Half a power and half a power are one, but a whole power is less than what rises above it.
        zeros = first + second - (not known and not also)
        if not known or not also:
            product.s = arb_series(
                [arb(0) if k < zeros else product.s[k] for k in range(flint.ctx.cap)]
            )
        return product

    __rmul__ = __mul__


class Lost(Jet):
    """A value whose expansion is not known, or does not exist."""

    __slots__ = ()

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Lost(self.s / value_of(other))

    def __rtruediv__(self, other: Any) -> Any:
        return Lost(value_of(other) / self.s)


def _combine_with(operation: Callable[[Any, Any], Any], a: Jet, b: Any) -> Any:
    if isinstance(b, np.ndarray):
        return NotImplemented
    if isinstance(b, Lost) or type(a) is Lost:
        return Lost(operation(value_of(a), value_of(b)))
    return type(a)(operation(a.s, b.s if isinstance(b, Jet) else to_ball(b)))


def _quotient(kind: type[Jet], dividend: Any, divisor: Any) -> Any:
    """The quotient of series; where both vanish at 0, a power of ``t`` is cancelled."""
    if type(divisor) is arb:
        if divisor.contains(0):
            # A series divided by what may be 0 is an error to flint; a ball divided by it is not.
            return Lost((dividend if type(dividend) is arb else dividend[0]) / divisor)
        return lose_nonfinite(kind(dividend / divisor))
    below: Ball = divisor[0]
    if not below.contains(0):
        return kind(dividend / divisor)
    above = dividend if type(dividend) is arb_series else arb_series([dividend])
    order = leading_power(divisor)
    if order is None or any(not above[k].is_zero() for k in range(order)):
        return Lost(above[0] / below)
    quotient = shift_series(above, order) / shift_series(divisor, order)
    return lose_nonfinite(kind(_blur_series(quotient, order)))


def leading_power(series: Any) -> int | None:
    """The first power of ``t`` whose coefficient is not 0; None if that cannot be told."""
    for k in range(flint.ctx.cap):
        if series[k].is_zero():
            continue
        return None if series[k].contains(0) or not series[k].is_finite() else k
    return None


def shift_series(series: Any, places: int) -> Any:
    """The series with its lowest coefficients, or zeros if `places` is negative, taken off."""
    found = [series[k] for k in range(flint.ctx.cap)]
    if places < 0:
        return arb_series([arb(0)] * -places + found)
    return arb_series(found[places:])


def _blur_series(series: Any, places: int) -> Any:
    """The series with its last coefficients unknown."""
    known = flint.ctx.cap - places
    return arb_series([series[k] for k in range(known)] + [UNKNOWN] * places)


def value_of(x: Element) -> Ball:
    """The value at ``t = 0``."""
    if isinstance(x, Jet):
        return x.s if type(x.s) is arb else x.s[0]
    return to_ball(x)


def is_fixed(x: Element) -> bool:
    """Whether `x` certainly does not depend on ``t``."""
    return not isinstance(x, Jet) or (type(x.s) is arb and type(x) is not Lost)


def coefficients(x: Element, order: int) -> list[Ball]:
    """The coefficients of ``t**0`` to ``t**order``; those not known are nan."""
    if is_fixed(x):
        return [value_of(x), *[arb(0)] * order]
    if type(x) is Lost:
        return [x.s, *[UNKNOWN] * order]
    return [x.s[k] for k in range(order + 1)]


def lose_nonfinite(x: Any) -> Any:
    """The jet, lost if its first coefficients are not finite: zeros must not hide that.

    A germ that vanishes is kept, for times another that does its derivative is 0.
    """
    if type(x) is Lost or not isinstance(x, Jet) or type(x.s) is arb:
        return x
    value = x.s[0]
    if type(x) is Germ and value.is_zero():
        return x
    if value.is_finite() and (flint.ctx.cap < 2 or x.s[1].is_finite()):
        return x
    return Lost(value)


def replace_value(series: Any, value: Ball) -> Any:
    """The series with another coefficient of ``t**0``, one that is known better."""
    return arb_series([value, *[series[k] for k in range(1, flint.ctx.cap)]])


def ordering(a: Element, b: Element) -> int | None:
    """-1, 0 or 1 as `a` is less, equal or greater near ``t = 0``; None where that is open.

    Germs that agree in all coefficients that are computed count as equal.
    """
    first, second = value_of(a), value_of(b)
    if first < second:
        return -1
    if first > second:
        return 1
    if first != second or not first.is_exact() or not second.is_exact():
        return 0 if a is b else None
    if is_fixed(a) and is_fixed(b):
        return 0
    if type(a) is Lost or type(b) is Lost or Germ not in (type(a), type(b)):
        return 0 if a is b else None
    return _sign_of_difference(a - b)


def _sign_of_difference(difference: Any) -> int | None:
    for part in coefficients(difference, flint.ctx.cap - 1):
        if not part.is_zero():
            return 1 if part > 0 else -1 if part < 0 else None
    return 0


def lift_series(
    series: Callable[[Any], Any], plain: Callable[[Any], Any], valued: bool = False
) -> Callable[[Any], Any]:
    """The function of jets that is `series` of an ``arb_series``, and `plain` of balls.

    With ``valued=True`` `plain` knows the value at ``t = 0`` better than the series does.
    """

    def direct(x: Any) -> Any:
        found = series(x.s)
        return type(x)(replace_value(found, plain(x.s[0])) if valued else found)

    return unary(plain)(direct)


def _expand(function: Callable[..., Any], plain: Callable[..., Any], *args: Any) -> Any:
    """The function of jets, lost where its series divide by what may be 0."""
    try:
        return lose_nonfinite(function(*args))
    except ValueError:  # of flint
        return Lost(plain(*map(value_of, args)))


def unary(plain: Callable[[Any], Any]) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Let a function of a moving jet take balls as well, and object arrays by element.

    Parameters
    ----------
    plain : callable
        The function of balls of the same meaning.
    """

    def declare(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(function)
        def call(x: Any) -> Any:
            kind = type(x)
            if kind is Jet or kind is Germ:
                if type(x.s) is arb:
                    return lose_nonfinite(kind(plain(x.s)))
                return _expand(function, plain, x)
            if kind is Lost:
                return Lost(plain(x.s))
            if isinstance(x, np.ndarray) and x.ndim:
                return np.frompyfunc(call, 1, 1)(x)
            return plain(x)

        return call

    return declare


def binary(
    plain: Callable[[Any, Any], Any],
) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    """As :func:`unary`, for two arguments, at least one of them a moving jet."""

    def declare(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        @functools.wraps(function)
        def call(x: Any, y: Any) -> Any:
            if any(isinstance(arg, np.ndarray) and arg.ndim for arg in (x, y)):
                return np.frompyfunc(call, 2, 1)(x, y)
            if is_fixed(x) and is_fixed(y):
                return plain(value_of(x), value_of(y))
            if type(x) is Lost or type(y) is Lost:
                return Lost(plain(value_of(x), value_of(y)))
            kind = Germ if Germ in (type(x), type(y)) else Jet
            both = [arg if type(arg) is kind else kind(value_of(arg)) for arg in (x, y)]
            return _expand(function, plain, *both)

        return call

    return declare
