"""Elementary functions of jets, composed of those that Arb has for power series."""

from __future__ import annotations

from typing import Any

import flint
from flint import arb, arb_series

from symtape.rigorous import elementary as plain
from symtape.rigorous.jets.jet import (
    Element,
    Germ,
    Jet,
    Lost,
    binary,
    is_fixed,
    leading_power,
    lift_series,
    ordering,
    replace_value,
    shift_series,
    unary,
    value_of,
)
from symtape.rigorous.scalar import UNKNOWN

exp = lift_series(arb_series.exp, plain.exp)
log = lift_series(arb_series.log, plain.log)
sin = lift_series(arb_series.sin, plain.sin)
cos = lift_series(arb_series.cos, plain.cos)
tan = lift_series(arb_series.tan, plain.tan)
arcsin = lift_series(arb_series.asin, plain.arcsin)
arccos = lift_series(arb_series.acos, plain.arccos)
arctan = lift_series(arb_series.atan, plain.arctan)
exp2 = lift_series(lambda s: (s * arb.const_log2()).exp(), plain.exp2)
expm1 = lift_series(arb_series.exp, plain.expm1, valued=True)
log2 = lift_series(lambda s: s.log() / arb.const_log2(), plain.log2)
log10 = lift_series(lambda s: s.log() / arb.const_log10(), plain.log10)
log1p = lift_series(lambda s: (1 + s).log(), plain.log1p, valued=True)
sinh = lift_series(lambda s: (s.exp() - (-s).exp()) / 2, plain.sinh, valued=True)
cosh = lift_series(lambda s: (s.exp() + (-s).exp()) / 2, plain.cosh)
arccosh = lift_series(
    lambda s: (s + (s - 1).sqrt() * (s + 1).sqrt()).log(), plain.arccosh, valued=True
)
arctanh = lift_series(lambda s: ((1 + s).log() - (1 - s).log()) / 2, plain.arctanh, valued=True)
square = lift_series(lambda s: s * s, plain.square)


@unary(plain.tanh)
def tanh(x: Jet) -> Any:
    """The hyperbolic tangent, from ``exp(-2 |x|)``, whose slope does not cancel."""
    sign = -1 if x.s[0] < 0 else 1
    decay = (x.s * (-2 * sign)).exp()
    return type(x)(replace_value(sign * (1 - decay) / (1 + decay), x.s[0].tanh()))


@unary(plain.sech2)
def sech2(x: Jet) -> Any:
    """``1 / cosh(x)**2``."""
    decay = (x.s * (2 if x.s[0] < 0 else -2)).exp()
    return type(x)(4 * decay / ((1 + decay) * (1 + decay)))


@unary(plain.arcsinh)
def arcsinh(x: Jet) -> Any:
    """The inverse of sinh, by its logarithm on the side where that does not cancel."""
    sign = -1 if x.s[0] < 0 else 1
    size = x.s * sign
    grown = (size + (size * size + 1).sqrt()).log()
    return type(x)(replace_value(sign * grown, x.s[0].asinh()))


@unary(plain.absolute)
def absolute(x: Jet) -> Any:
    """``|x|``, lost at 0 unless the jet is a germ."""
    side = ordering(x, 0)
    if side is None:
        return Lost(plain.absolute(x.s[0]))
    return -x if side < 0 else x


@unary(plain.reciprocal)
def reciprocal(x: Jet) -> Any:
    """``1 / x``."""
    return 1 / x


@unary(plain.sqrt)
def sqrt(x: Jet) -> Any:
    """The square root; of a germ that starts at 0 what it is from there on."""
    if x.s[0] > 0:
        return type(x)(x.s.sqrt())
    return _fractional(x, arb(1) / 2)


@unary(plain.cbrt)
def cbrt(x: Jet) -> Any:
    """The real cube root."""
    if x.s[0].contains(0):
        side = ordering(x, 0)
        if side is None:
            return Lost(plain.cbrt(x.s[0]))
        return -_fractional(-x, arb(1) / 3) if side < 0 else _fractional(x, arb(1) / 3)
    sign = -1 if x.s[0] < 0 else 1
    grown = ((x.s * sign).log() / 3).exp()
    return type(x)(replace_value(sign * grown, plain.cbrt(x.s[0])))


def _fractional(x: Jet, exponent: Any) -> Any:
    """A fixed power of a germ that starts at 0 and rises: ``t**m`` comes out as a factor."""
    value = plain.power(x.s[0], exponent)
    start = leading_power(x.s)
    cap = flint.ctx.cap
    if type(x) is Germ and exponent > 0 and all(x.s[k].is_zero() for k in range(cap)):
        return _unknown_power(exponent * cap)
    if type(x) is not Germ or not x.s[0].is_zero() or start is None:
        return Lost(value)
    if not (x.s[start] > 0 and exponent > 0):
        return Lost(UNKNOWN)
    whole = (exponent * start).unique_fmpz()
    if whole is None:
        return _unknown_power(exponent * start)
    rest = (shift_series(x.s, start).log() * exponent).exp()
    series = [arb(0)] * int(whole) + [rest[k] for k in range(cap - start)]
    return Germ(arb_series((series + [UNKNOWN] * cap)[:cap]))


def _unknown_power(power: Any) -> Germ:
    """What falls like a power of ``t``, which need not be whole: no lower one is in it."""
    cap = flint.ctx.cap
    zeros = sum(1 for k in range(cap) if arb(k) < power)
    return Germ(arb_series([arb(0)] * zeros + [UNKNOWN] * (cap - zeros)))


def integer_power(x: Element, n: int) -> Any:
    """``x**n`` for an integer `n`."""
    return power(x, arb(int(n)))


def _product(x: Any, n: int) -> Any:
    if n < 0:
        return 1 / _product(x, -n)
    return plain.multiply_repeatedly(x, n) if n else arb(1)


@binary(plain.power)
def power(x: Jet, y: Jet) -> Any:
    """``x**y``: products for a fixed integer `y`, otherwise ``exp(y log(x))`` of positive `x`."""
    base, exponent = value_of(x), value_of(y)
    if is_fixed(y) and exponent.is_integer() and abs(exponent) < 1 << 20:
        return _product(x, int(exponent.unique_fmpz()))
    if is_fixed(x) and (base == 1 or (base.is_zero() and exponent > 0)):
        return type(x)(base)
    if base > 0:
        return exp(y * log(x))
    if base < 0 and is_fixed(y) and exponent.is_integer():
        grown = exp(y * log(-x))
        return -grown if int(exponent.unique_fmpz()) % 2 else grown
    if is_fixed(y) and not is_fixed(x):
        return _fractional(x, exponent)
    return Lost(plain.power(base, exponent))


@binary(plain.arctan2)
def arctan2(y: Jet, x: Jet) -> Any:
    """The angle of the point (x, y); on the negative x axis only of a germ that leaves it."""
    across, up = value_of(x), value_of(y)
    if across > 0:
        return arctan(y / x)
    if up > 0 or up < 0:
        quarter = arb.pi() / 2
        return (quarter if up > 0 else -quarter) - arctan(x / y)
    side = ordering(y, arb(0))
    if not across < 0 or side in (None, 0):
        return Lost(plain.arctan2(up, across))
    return side * arb.pi() + arctan(y / x)


@binary(plain.hypot)
def hypot(x: Jet, y: Jet) -> Any:
    """``sqrt(x² + y²)``; a fixed zero leaves the absolute value of the other."""
    for one, other in ((x, y), (y, x)):
        if is_fixed(one) and value_of(one).is_zero():
            return absolute(other)
    return sqrt(square(x) + square(y))


@binary(plain.hypot_cosine)
def hypot_cosine(x: Jet, y: Jet) -> Any:
    """``x / hypot(x, y)``."""
    return x / hypot(x, y)


@binary(plain.logaddexp)
def logaddexp(x: Jet, y: Jet) -> Any:
    """``log(exp(x) + exp(y))``."""
    large, small = (x, y) if value_of(x) > value_of(y) else (y, x)
    return large + softplus(small - large)


def logaddexp2(x: Element, y: Element) -> Any:
    """``log2(2**x + 2**y)``."""
    unit = arb.const_log2()
    return logaddexp(x * unit, y * unit) / unit


@unary(plain.softplus)
def softplus(x: Jet) -> Any:
    """``log(1 + exp(x))``."""
    if x.s[0] > 0:
        return x + log1p(exp(-x))
    return log1p(exp(x))
