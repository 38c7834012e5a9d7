"""Special functions of balls, under SciPy's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb, arb

from symtape.rigorous.elementary import exp, lift_direct, lift_monotone, log, log1p, softplus
from symtape.rigorous.scalar import (
    UNKNOWN,
    Ball,
    apply_decreasing,
    apply_increasing,
    binary,
    hull,
    is_narrow,
    nonnegative,
    rational,
    unary,
)


def _expit(x: Ball) -> Ball:
    if x > 0:
        return 1 / (1 + (-x).exp())
    grown = x.exp()
    return 1 - 1 / (1 + grown) if grown.contains(0) else grown / (1 + grown)


expit = lift_monotone(_expit, "The logistic function, relatively accurate in both tails.")


@unary
def log_expit(x: Ball) -> Ball:
    """``log(expit(x))``."""
    return -softplus(-x)


@unary
def logit(p: Ball) -> Ball:
    """``log(p / (1 - p))``, unknown outside of (0, 1)."""
    return _logit(p) if (p * (1 - p)).rel_accuracy_bits() > 9 else apply_increasing(_logit, p)


def _logit(p: Ball) -> Ball:
    if not (p > 0 and p < 1):
        return UNKNOWN
    if p > 0.25 and p < 0.75:
        return 2 * (2 * p - 1).atanh()
    return (p / (1 - p)).log()


erf = lift_monotone(arb.erf, "The error function.")
erfc = lift_monotone(arb.erfc, "``1 - erf(x)``.", apply_decreasing)


def _erfcx(x: Ball) -> Ball:
    if x > 8:
        half = arb(0.5)
        return (x * x).hypgeom_u(half, half) / arb.const_sqrt_pi()
    return (x * x).exp() * x.erfc()


erfcx = lift_monotone(_erfcx, "``exp(x²) erfc(x)``.", apply_decreasing)


@unary
def erfinv(y: Ball) -> Ball:
    """The inverse of erf, unknown outside of (-1, 1)."""
    if (1 - y * y).rel_accuracy_bits() > 9 and is_narrow(y):
        return y.erfinv()
    return apply_increasing(arb.erfinv, y)


@unary
def erfcinv(y: Ball) -> Ball:
    """The inverse of erfc, unknown outside of (0, 2)."""
    return (
        y.erfcinv() if (y * (2 - y)).rel_accuracy_bits() > 9 else apply_decreasing(arb.erfcinv, y)
    )


@unary
def ndtr(x: Ball) -> Ball:
    """The normal distribution function."""
    return erfc(-x / arb(2).sqrt()) / 2


def _log_ndtr(x: Ball) -> Ball:
    if x < -16:
        scaled = -x / arb(2).sqrt()
        return log(_erfcx(scaled) / 2) - scaled * scaled
    return log1p(-ndtr(-x)) if x > 0 else log(ndtr(x))


log_ndtr = lift_monotone(_log_ndtr, "``log(ndtr(x))``.")
gamma = lift_direct(arb.gamma, "The gamma function, unknown if a pole may be inside.")
rgamma = lift_direct(arb.rgamma, "``1 / gamma(x)``, entire.")
digamma = lift_direct(arb.digamma, "The derivative of gammaln.")
airy_ai_prime = lift_direct(lambda x: x.airy()[1], "The slope of the Airy function Ai.")
airy_bi_prime = lift_direct(lambda x: x.airy()[3], "The slope of the Airy function Bi.")
i1 = lift_monotone(
    lambda x: x.bessel_i(arb(1)), "The modified Bessel function of the first kind, order 1."
)


@unary
def gammaln(x: Ball) -> Ball:
    """``log(|gamma(x)|)``, of either sign of `x`; unknown at the poles."""
    if x > 0:
        return x.lgamma()
    if not x.is_finite() or x.contains_integer():
        return UNKNOWN
    return log(arb.pi() / abs(x.sin_pi())) - (1 - x).lgamma()


def polygamma(n: Any, x: Any) -> Any:
    """The derivative of digamma of order `n`, a certain integer.

    Raises
    ------
    ValueError
        `n` is not known to be an integer from zero up.
    """
    return _polygamma(n, x)


@binary
def _polygamma(n: Ball, x: Ball) -> Ball:
    order = rational(n)
    if order is None or order.denominator != 1 or order < 0:
        raise ValueError(f"polygamma order {n}: expected an integer from 0 up, exactly known")
    if order == 0:
        return x.digamma()
    if not (x > 0 or not x.contains_integer()):
        return UNKNOWN
    return acb(x).polygamma(int(order)).real


def analytic(name: str | Callable[..., Any], *arguments: Ball, inside: Callable[..., bool]) -> Ball:
    """The function that Arb calls `name`, of real or else of complex numbers.

    Parameters
    ----------
    name : str or callable
        Of a method of ``acb``; or a function of ``acb`` numbers.
    *arguments : arb
    inside : callable
        Of as many ``acb`` as there are arguments: whether the function is analytic, and real of
        real numbers, on the product of these boxes. Beyond it is unknown.
    """
    boxes = [acb(x) for x in arguments]
    if not inside(*boxes):
        return UNKNOWN
    if callable(name):
        return name(*boxes).real
    if hasattr(arb, name):
        return getattr(arb, name)(*arguments)
    return getattr(acb, name)(*boxes).real


@binary
def xlogy(x: Ball, y: Ball) -> Ball:
    """``x log(y)``, 0 where `x` is exactly 0."""
    return _product_or_zero(x, y, log)


@binary
def xlog1py(x: Ball, y: Ball) -> Ball:
    """``x log1p(y)``, 0 where `x` is exactly 0."""
    return _product_or_zero(x, y, log1p)


def _product_or_zero(x: Ball, y: Ball, function: Any) -> Ball:
    if x.is_zero() and not y.is_nan():
        return arb(0)
    return x * function(y)


@unary
def entr(x: Ball) -> Ball:
    """``-x log(x)``, 0 at 0, unknown where `x` may be negative."""
    if x > 0 and x.rel_accuracy_bits() > 9:
        return -x * x.log()
    if not x >= 0 or not x.is_finite():
        return UNKNOWN
    ends = [arb(0) if end.is_zero() else -end * end.log() for end in (x.lower(), x.upper())]
    summit = exp(arb(-1))
    result = hull(*ends, *([summit] if x.overlaps(summit) else []))
    return nonnegative(result) if x <= 1 else result
