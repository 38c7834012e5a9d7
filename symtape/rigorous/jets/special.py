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
from symtape.rigorous.jets.elementary import absolute, exp, log, log1p, reciprocal, softplus
from symtape.rigorous.jets.jet import (
    Element,
    Jet,
    Lost,
    binary,
    is_fixed,
    unary,
    value_of,
    with_value,
)
from symtape.rigorous.scalar import Ball

__all__ = [
    "bessel_i",
    "bessel_j",
    "bessel_k",
    "bessel_y",
    "beta_lower",
    "ci",
    "cos_pi",
    "digamma",
    "ei",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "expint",
    "expit",
    "fresnel_c",
    "fresnel_s",
    "gamma",
    "gamma_lower",
    "gamma_upper",
    "gammaln",
    "hypgeom_0f1",
    "hypgeom_1f1",
    "hypgeom_u",
    "i0",
    "i1",
    "j0",
    "j1",
    "log_expit",
    "log_ndtr",
    "logit",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "rgamma",
    "si",
    "sin_pi",
    "sinc_pi",
    "unique_fmpz",
    "xlog1py",
    "xlogy",
    "zeta",
]


def _of_series(name: str) -> Callable[[Any], Any]:
    """The function of jets that `arb_series` has under `name`, and `arb` for balls."""
    of_series = getattr(arb_series, name)

    def direct(x: Any) -> Any:
        return type(x)(of_series(x.s))

    direct.__name__ = direct.__qualname__ = name
    direct.__doc__ = f"``{name}`` of a jet."
    return unary(getattr(arb, name))(direct)


ci = _of_series("ci")
cos_pi = _of_series("cos_pi")
ei = _of_series("ei")
erf = _of_series("erf")
erfc = _of_series("erfc")
erfi = _of_series("erfi")
fresnel_c = _of_series("fresnel_c")
fresnel_s = _of_series("fresnel_s")
gamma = _of_series("gamma")
rgamma = _of_series("rgamma")
si = _of_series("si")
sin_pi = _of_series("sin_pi")


def unique_fmpz(x: Jet) -> Any:
    """The integer that a fixed jet is; None if it is none."""
    return value_of(x).unique_fmpz() if is_fixed(x) else None


def _entire(*boxes: Any) -> bool:
    return True


def _composed(
    of_balls: Callable[..., Any], of_complex: Callable[..., Any], analytic: Analytic
) -> Callable[..., Any]:
    """A function of jets from its values at complex numbers."""

    @functools.wraps(of_balls)
    def call(*arguments: Element) -> Any:
        value = of_balls(*map(value_of, arguments))
        if all(map(is_fixed, arguments)):
            return value
        return compose(of_complex, arguments, analytic, value)

    return call


def _positive(x: Any) -> bool:
    return bool(x.real > 0)


def _whole(order: Any) -> bool:
    return bool(order.is_exact() and order.imag.is_zero() and order.real.is_integer())


def _first_kind(x: Any, order: Any) -> bool:
    """J and I: entire of an integer order, otherwise cut along the negative axis."""
    return _whole(order) or _positive(x)


def _second_kind(x: Any, order: Any) -> bool:
    return _positive(x)


bessel_j = _composed(arb.bessel_j, acb.bessel_j, _first_kind)
bessel_i = _composed(arb.bessel_i, acb.bessel_i, _first_kind)
bessel_y = _composed(arb.bessel_y, acb.bessel_y, _second_kind)
bessel_k = _composed(arb.bessel_k, acb.bessel_k, _second_kind)
expint = _composed(arb.expint, acb.expint, _second_kind)
sinc_pi = _composed(arb.sinc_pi, acb.sinc_pi, _entire)


def gamma_lower(x: Element, a: Element, regularized: int = 0) -> Any:
    """The lower incomplete gamma function of `a` and `x`, each of which may move."""
    return _incomplete("gamma_lower", _positive_both, (x, a), regularized)


def gamma_upper(x: Element, a: Element, regularized: int = 0) -> Any:
    """The upper incomplete gamma function of `a` and `x`, each of which may move."""
    return _incomplete("gamma_upper", _positive_both, (x, a), regularized)


def beta_lower(x: Element, a: Element, b: Element, regularized: int = 0) -> Any:
    """The incomplete beta function of `a`, `b` and `x`, each of which may move."""
    return _incomplete("beta_lower", _inside_both, (x, a, b), regularized)


def _incomplete(
    name: str, analytic: Analytic, arguments: tuple[Element, ...], regularized: int
) -> Any:
    def at(kind: type) -> Callable[..., Any]:
        return lambda *numbers: getattr(kind, name)(*numbers, regularized)

    return _composed(at(arb), at(acb), analytic)(*arguments)


def _positive_both(x: Any, a: Any) -> bool:
    return _positive(x) and _positive(a)


def _inside_both(x: Any, a: Any, b: Any) -> bool:
    return _positive(x) and bool(x.real < 1) and _positive(a) and _positive(b)


def hypgeom_0f1(x: Element, a: Element) -> Any:
    """The confluent limit function, entire in `x`."""
    return _composed(arb.hypgeom_0f1, acb.hypgeom_0f1, lambda x, a: _positive(a))(x, a)


def hypgeom_1f1(x: Element, a: Element, b: Element) -> Any:
    """Kummer's function, entire in `x`."""
    return _composed(arb.hypgeom_1f1, acb.hypgeom_1f1, lambda x, a, b: _positive(b))(x, a, b)


def hypgeom_u(x: Element, a: Element, b: Element) -> Any:
    """Tricomi's function of positive `x`."""
    return _composed(arb.hypgeom_u, acb.hypgeom_u, lambda x, a, b: _positive(x))(x, a, b)


@unary(plain.digamma)
def digamma(x: Jet) -> Any:
    """The derivative of gammaln; a ball at a pole is not finite, so it needs no other test."""
    return compose(acb.digamma, (x,), _entire, x.s[0].digamma())


psi = digamma


def polygamma(n: Element, x: Element) -> Any:
    """The derivative of digamma of order `n`, a certain integer."""
    order = value_of(n)
    value = plain.polygamma(order, value_of(x))
    if is_fixed(x):
        return value
    if order.is_zero():
        return digamma(x)
    whole = acb(order)
    return compose(lambda z: z.polygamma(whole), (x,), _off_the_poles, value)


def _off_the_poles(x: Any) -> bool:
    return bool(x.real > 0 or not x.real.contains_integer())


def zeta(s: Element, a: Element) -> Any:
    """Hurwitz's zeta function of positive `a`."""
    return _composed(arb.zeta, acb.zeta, lambda s, a: _positive(a))(s, a)


@unary(plain.gammaln)
def gammaln(x: Jet) -> Any:
    """``log(|gamma(x)|)``."""
    if x.s[0] > 0:
        return type(x)(x.s.lgamma())
    return -log(absolute(rgamma(x)))


@unary(plain.expit)
def expit(x: Jet) -> Any:
    """The logistic function, from ``exp(-|x|)``, which has no overflow."""
    decay = exp(x if x.s[0] < 0 else -x)
    found = (decay if x.s[0] < 0 else 1) * reciprocal(1 + decay)
    return type(x)(with_value(found.s, plain.expit(x.s[0])))


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
    return type(x)(arb_series(terms)(with_value(x.s, arb(0))))


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
    moved = with_value(y.s, arb(0))
    if flint.ctx.cap < 2 or not moved.length():
        # Without anything that varies; flint composes with no series that is zero.
        return type(y)(arb_series([value]))
    forth = function(arb_series([value, 1]))
    back = with_value(forth, arb(0)).reversion()
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


@unary(plain.ndtri)
def ndtri(p: Jet) -> Any:
    """The inverse of ndtr."""
    return -arb(2).sqrt() * erfcinv(2 * p)


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


def i0(x: Element) -> Any:
    """The modified Bessel function of the first kind, order 0."""
    return bessel_i(x, arb(0))


def i1(x: Element) -> Any:
    """The modified Bessel function of the first kind, order 1."""
    return bessel_i(x, arb(1))


def j0(x: Element) -> Any:
    """The Bessel function of the first kind, order 0."""
    return bessel_j(x, arb(0))


def j1(x: Element) -> Any:
    """The Bessel function of the first kind, order 1."""
    return bessel_j(x, arb(1))
