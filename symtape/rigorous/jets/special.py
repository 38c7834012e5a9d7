"""Special functions of jets.

Where Arb has the function for power series, that is used. The others, derivatives by orders and
parameters included, are taken from their values at complex arguments: see
:mod:`symtape.rigorous.jets.cauchy`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import flint
from flint import acb, arb, arb_series

from symtape.rigorous import special as plain
from symtape.rigorous.jets.cauchy import Analytic, compose
from symtape.rigorous.jets.elementary import absolute, exp, log, log1p, softplus
from symtape.rigorous.jets.jet import (
    Element,
    Jet,
    Lost,
    binary,
    is_fixed,
    lift_series,
    replace_value,
    unary,
    value_of,
)
from symtape.rigorous.scalar import Ball

erfc = lift_series(arb_series.erfc, arb.erfc)
airy_ai_prime = lift_series(arb_series.airy_ai_prime, plain.airy_ai_prime)
airy_bi_prime = lift_series(arb_series.airy_bi_prime, plain.airy_bi_prime)
rgamma = lift_series(arb_series.rgamma, arb.rgamma)


def unique_fmpz(x: Jet) -> Any:
    """The integer that a fixed jet is; None if it is none."""
    return value_of(x).unique_fmpz() if is_fixed(x) else None


def _everywhere(*boxes: Any) -> bool:
    """Entire, or with no singularities but poles: a ball at a pole is not finite."""
    return True


def _positive(x: Any, *others: Any) -> bool:
    return bool(x.real > 0)


def _whole_order(x: Any, order: Any) -> bool:
    """Entire of an integer order, otherwise cut along the negative axis."""
    whole = order.is_exact() and order.imag.is_zero() and order.real.is_integer()
    return bool(whole) or _positive(x)


def _last_positive(x: Any, *others: Any) -> bool:
    return _positive(others[-1])


def _all_positive(*boxes: Any) -> bool:
    return all(map(_positive, boxes))


def _positive_below_one(x: Any, *others: Any) -> bool:
    return bool(x.real < 1) and _all_positive(x, *others)


ANALYTIC: Final[dict[str, Analytic]] = {
    "bessel_i": _whole_order,
    "bessel_j": _whole_order,
    "bessel_k": _positive,
    "bessel_y": _positive,
    "beta_lower": _positive_below_one,
    "digamma": _everywhere,
    "expint": _positive,
    "gamma_lower": _all_positive,
    "gamma_upper": _all_positive,
    "hypgeom_0f1": _last_positive,
    "hypgeom_1f1": _last_positive,
    "hypgeom_u": _positive,
    "sinc_pi": _everywhere,
    "zeta": _last_positive,
}
"""Where functions are analytic that Arb has for complex numbers and not for power series."""

_MOVING: Final = {"beta_lower": 3, "gamma_lower": 2, "gamma_upper": 2}
"""How many arguments are numbers, where a flag follows them: whether it is regularized."""


def analytic(name: str | Callable[..., Any], *arguments: Element, inside: Analytic) -> Any:
    """The function that Arb calls `name`, as :func:`symtape.rigorous.special.analytic`."""
    value = plain.analytic(name, *map(value_of, arguments), inside=inside)
    if all(map(is_fixed, arguments)):
        return value
    function = name if callable(name) else getattr(acb, name)
    return compose(function, arguments, inside, value)


@functools.cache  # names of functions of Arb
def find_jet_function(name: str) -> Callable[..., Any]:
    """The function of jets that Arb calls `name`: by its power series, or by Cauchy's integral.

    Raises
    ------
    AttributeError
        Arb has none, or it is not known where it is analytic.
    """
    if name in ANALYTIC:
        return functools.partial(_compose_special, name)
    of_arb, in_series = getattr(arb, name), getattr(arb_series, name)
    return lift_series(in_series, of_arb)


def _compose_special(name: str, *given: Any) -> Any:
    arguments, flags = given[: _MOVING.get(name)], given[_MOVING.get(name, len(given)) :]
    value = getattr(arb, name)(*map(value_of, arguments), *flags)
    if all(map(is_fixed, arguments)):
        return value

    def evaluate_complex(*boxes: Any) -> Any:
        return getattr(acb, name)(*boxes, *flags)

    return compose(evaluate_complex, arguments, ANALYTIC[name], value)


def polygamma(n: Element, x: Element) -> Any:
    """The derivative of digamma of order `n`, a certain integer."""
    order = value_of(n)
    value = plain.polygamma(order, value_of(x))
    if is_fixed(x):
        return value
    if order.is_zero():
        return _compose_special("digamma", x)
    whole = acb(order)
    return compose(lambda z: z.polygamma(whole), (x,), _is_off_poles, value)


def _is_off_poles(x: Any) -> bool:
    return bool(x.real > 0 or not x.real.contains_integer())


@unary(plain.gammaln)
def gammaln(x: Jet) -> Any:
    """``log(|gamma(x)|)``."""
    if x.s[0] > 0:
        return type(x)(x.s.lgamma())
    return -log(absolute(rgamma(x)))


@unary(plain.expit)
def expit(x: Jet) -> Any:
    """The logistic function, from ``exp(-|x|)``, which has no overflow."""
    decay = (x.s if x.s[0] < 0 else -x.s).exp()
    found = (decay if x.s[0] < 0 else 1) / (1 + decay)
    return type(x)(replace_value(found, plain.expit(x.s[0])))


@unary(plain.log_expit)
def log_expit(x: Jet) -> Any:
    """``log(expit(x))``."""
    return -softplus(-x)


@unary(plain.logit)
def logit(p: Jet) -> Any:
    """``log(p / (1 - p))``."""
    return log(p) - log(1 - p)


_SCALED: Final = 8
"""From where erfcx is not a product of its factors."""


@unary(plain.erfcx)
def erfcx(x: Jet) -> Any:
    """``exp(x²) erfc(x)``; far out, where the factors leave all range, by ``w' = 2 x w - 2/√π``."""
    if not x.s[0] > _SCALED:
        return exp(x * x) * erfc(x)
    start, terms = x.s[0], [plain.erfcx(x.s[0])]
    for n in range(flint.ctx.cap - 1):
        before = 2 * terms[n - 1] if n else -2 / arb.const_sqrt_pi()
        terms.append((2 * start * terms[n] + before) / (n + 1))
    return type(x)(arb_series(terms)(replace_value(x.s, arb(0))))


@unary(plain.erfinv)
def erfinv(y: Jet) -> Any:
    """The inverse of erf, by reversion of its series."""
    return _inverse(y, plain.erfinv(y.s[0]), arb_series.erf)


@unary(plain.erfcinv)
def erfcinv(y: Jet) -> Any:
    """The inverse of erfc, by reversion of its series."""
    return _inverse(y, plain.erfcinv(y.s[0]), arb_series.erfc)


def _inverse(y: Jet, value: Ball, function: Callable[[Any], Any]) -> Any:
    if not value.is_finite():
        return Lost(value)
    moved = replace_value(y.s, arb(0))
    if flint.ctx.cap < 2 or not moved.length():
        # Without anything that varies; flint composes with no series that is zero.
        return type(y)(arb_series([value]))
    forth = function(arb_series([value, 1]))
    back = replace_value(forth, arb(0)).reversion()
    return type(y)(value + back(moved))


@unary(plain.ndtr)
def ndtr(x: Jet) -> Any:
    """The normal distribution function."""
    return erfc(-x / arb(2).sqrt()) / 2


@unary(plain.log_ndtr)
def log_ndtr(x: Jet) -> Any:
    """``log(ndtr(x))``."""
    if x.s[0] < -2 * _SCALED:
        scaled = -x / arb(2).sqrt()
        return log(erfcx(scaled) / 2) - scaled * scaled
    return log1p(-ndtr(-x)) if x.s[0] > 0 else log(ndtr(x))


@binary(plain.xlogy)
def xlogy(x: Jet, y: Jet) -> Any:
    """``x log(y)``, 0 where `x` is fixed at 0."""
    return _times(x, y, log)


@binary(plain.xlog1py)
def xlog1py(x: Jet, y: Jet) -> Any:
    """``x log1p(y)``, 0 where `x` is fixed at 0."""
    return _times(x, y, log1p)


def _times(x: Jet, y: Jet, function: Callable[[Any], Any]) -> Any:
    if is_fixed(x) and value_of(x).is_zero():
        return type(x)(0)
    found = x * function(y)
    return Lost(arb(0)) if type(found) is Lost and value_of(x).is_zero() else found


@unary(plain.entr)
def entr(x: Jet) -> Any:
    """``-x log(x)``."""
    return -x * log(x) if x.s[0] > 0 else Lost(plain.entr(x.s[0]))


def i1(x: Element) -> Any:
    """The modified Bessel function of the first kind, order 1."""
    return _compose_special("bessel_i", x, arb(1))
