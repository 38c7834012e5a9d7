"""Rows: the derivatives of the incomplete gamma and beta functions by their parameters.

A derivative of a distribution function by its shapes is the integral of those of the density, which
are the density times complete Bell polynomials in the derivatives of its logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import comb, factorial
from typing import Any, Final

import numpy as np
from scipy import special

from symtape.errors import Unsupported
from symtape.primitives.arguments import in_doubles
from symtape.primitives.primitive import Array, Primitive, declare
from symtape.primitives.special.densities import BETA_DENSITY, GAMMA_DENSITY, gamma_density
from symtape.primitives.special.gamma import DIGAMMA, DIGAMMA_DIFFERENCE, POLYGAMMA

Orders = tuple[int, int]

_STEP: Final = 1 / 32
_REACH: Final = 124
"""Steps of the quadrature to either side."""
_BLOCK: Final = 1 << 18
"""Numbers that are worked on together."""
_LARGE: Final = 12.0
_FARTHEST: Final = 690.0
"""The largest logarithm, beyond which the densities are 0."""


def _bell(slopes: Callable[[int, int], Any], orders: Orders) -> Any:
    """The derivative of exp(f) of these `orders`, over exp(f), by those of f (Comtet 1974, 3.3)."""
    i, j = orders
    if not (i or j):
        return 1.0
    if not i:
        return sum(
            comb(j - 1, q) * slopes(0, q + 1) * _bell(slopes, (0, j - 1 - q)) for q in range(j)
        )
    return sum(
        comb(i - 1, p) * comb(j, q) * slopes(p + 1, q) * _bell(slopes, (i - 1 - p, j - q))
        for p in range(i)
        for q in range(j + 1)
    )


def _gamma_factor(a: Array, log: Array, order: int) -> Array:
    def slopes(p: int, _: int) -> Array:
        return log - DIGAMMA(a) if p == 1 else -POLYGAMMA(p - 1, a)

    found: Array = _bell(slopes, (order, 0))
    return found


def _beta_factor(a: Array, b: Array, logs: tuple[Array, Array], orders: Orders) -> Array:
    def slopes(p: int, q: int) -> Array:
        if p + q == 1:
            return logs[0] + DIGAMMA_DIFFERENCE(a, b) if p else logs[1] + DIGAMMA_DIFFERENCE(b, a)
        both = POLYGAMMA(p + q - 1, a + b)
        if p and q:
            return both
        return both - (POLYGAMMA(p - 1, a) if p else POLYGAMMA(q - 1, b))

    found: Array = _bell(slopes, orders)
    return found


def _integral(density: Callable[[Array], Array], shape: tuple[int, ...]) -> Array:
    """The integral over the positive half line of a function that vanishes far out.

    The double exponential rule (Takahasi and Mori 1974), whose places cluster at 0 on all scales.
    `density` is asked at many places at once, along a first axis.
    """
    steps = np.arange(-_REACH, _REACH + 1) * _STEP
    count = max(_BLOCK // max(math.prod(shape), 1), 1)
    total = np.zeros(shape)
    for start in range(0, len(steps), count):
        t = steps[start : start + count].reshape(-1, *(1 for _ in shape))
        places = np.exp(np.pi / 2 * np.sinh(t))
        with np.errstate(all="ignore"):
            # What under- or overflows is where the density is 0.
            total = total + np.sum(density(places) * (np.cosh(t) * places), axis=0)
    return total * (_STEP * np.pi / 2)


@in_doubles(2)
def gamma_by_shape(a: Array, x: Array, order: int = 1) -> Array:
    """The derivative of ``gammainc(a, x)`` by `a`; over the tail that is without cancellation."""
    a, x = np.broadcast_arrays(a, x)
    with np.errstate(divide="ignore"):
        edge = np.log(x)
    digamma = special.psi(a)
    below = edge <= digamma
    others = [-special.polygamma(k, a) for k in range(1, order)]

    def density(places: Array) -> Array:
        log = np.where(below, edge - places, np.log(x + places))
        log = np.minimum(log, _FARTHEST)
        slopes = [log - digamma, *others]
        factor = _bell(lambda p, _: slopes[p - 1], (order, 0))
        found = _gamma_by_logarithm(a, log) * np.where(below, 1, np.exp(-log))
        return np.where(found > 0, found * factor, 0)

    total = _integral(density, x.shape)
    return np.where(below, total, -total)


def _gamma_by_logarithm(a: Array, log: Array) -> Array:
    """``x**a exp(-x) / gamma(a)``, by the logarithm of x, which may be far below all floats."""
    moved, high = np.exp(log), np.maximum(a, _LARGE)
    near = np.exp(a * log - moved - special.gammaln(a))
    return np.where(a > _LARGE, gamma_density(high, moved) * moved, near)


@in_doubles(3)
def beta_by_shapes(a: Array, b: Array, x: Array, orders: Orders = (1, 0)) -> Array:
    """The derivative of ``betainc(a, b, x)`` by `a` and `b`, over the smaller tail."""
    a, b, x = np.broadcast_arrays(a, b, x)
    below = x * (a + b) <= a
    first: Array = np.where(below, a, b)
    second: Array = np.where(below, b, a)
    with np.errstate(divide="ignore"):
        edge = np.where(below, np.log(x), np.log1p(-x))
    scale = special.betaln(a, b)

    def density(places: Array) -> Array:
        log = edge - places
        rest = np.log1p(-np.exp(log))
        found: Array = np.exp(first * log + (second - 1) * rest - scale)
        logs = np.where(below, log, rest), np.where(below, rest, log)
        return np.where(found > 0, found * _beta_factor(a, b, logs, orders), 0)

    total = _integral(density, x.shape)
    return np.where(below, total, -total)


def _positive(*boxes: Any) -> bool:
    return all(bool(box.real > 0) for box in boxes)


def kummer_of_one(b: Any, x: Any) -> Any:
    """``1F1(1; b; x)`` by its series, of which Arb's function is nan for large x and a ball b."""
    return x.hypgeom([type(x)(1), type(x)(2)], [b, type(x)(2)])


def _log_moment(a: Any, x: Any, power: int, upper: list[Any]) -> Any:
    """The integral up to x of ``t**(a - 1) log(t)**power`` times a series in t.

    Term by term, as hypergeometric series of which a and the parameters `upper` are those above.
    """
    log, total = x.log(), 0
    for k in range(power + 1):
        if k or upper:
            z = x if upper else -x
            series = z.hypgeom([a] * (k + 1) + upper, [a + 1] * (k + 1))
        else:
            series = (-x).exp() * kummer_of_one(a + 1, x)
        part = (-1) ** k * factorial(k) * series / a ** (k + 1)
        total = total + comb(power, k) * log ** (power - k) * part
    return total * (a * log).exp()


def _polygamma_ball(order: int, z: Any) -> Any:
    return z.polygamma(type(z)(order)) if order else z.digamma()


def _gamma_ball(ball: Any, a: Any, x: Any, order: int = 1) -> Any:
    def derivative(a: Any, x: Any) -> Any:
        return a.rgamma() * sum(
            comb(order, j)
            * _log_moment(a, x, j, [])
            * _bell(lambda p, _: -_polygamma_ball(p - 1, a), (order - j, 0))
            for j in range(order + 1)
        )

    return ball.analytic(derivative, a, x, inside=_positive)


def _beta_ball(ball: Any, a: Any, b: Any, x: Any, orders: Orders = (1, 0)) -> Any:
    if not orders[0]:
        return -_beta_ball(ball, b, a, 1 - x, orders[::-1])
    if orders[1]:
        raise Unsupported("the derivative of betainc by both of its parameters")
    order = orders[0]

    def derivative(a: Any, b: Any, x: Any) -> Any:
        def slopes(p: int, _: int) -> Any:
            return _polygamma_ball(p - 1, a + b) - _polygamma_ball(p - 1, a)

        scale = (a + b).gamma() * a.rgamma() * b.rgamma()
        return scale * sum(
            comb(order, j) * _log_moment(a, x, j, [1 - b]) * _bell(slopes, (order - j, 0))
            for j in range(order + 1)
        )

    def is_inside_domain(a: Any, b: Any, x: Any) -> bool:
        return _positive(a, b, x, 1 - x)

    return ball.analytic(derivative, a, b, x, inside=is_inside_domain)


GAMMA_BY_SHAPE: Primitive = declare(
    evaluate=gamma_by_shape,
    vjp=[
        lambda g, a, x, order=1: g * GAMMA_BY_SHAPE(a, x, order=order + 1),
        lambda g, a, x, order=1: g * (GAMMA_DENSITY(a, x) * _gamma_factor(a, np.log(x), order)),
    ],
    elementwise=True,
    ball=_gamma_ball,
    domain="a > 0 and x > 0",
    rounding=(64, 256),
    source="the integral of the density's derivative, DLMF 8.8.13",
    example=[(2.25, 0.75), (30.5, 38.25)],
)
# Its derivative by a parameter is known by values alone: it is no row of the suite.
BETA_BY_SHAPES: Primitive = Primitive(
    evaluate=beta_by_shapes,
    vjp=[
        lambda g, a, b, x, orders=(1, 0): (
            g * BETA_BY_SHAPES(a, b, x, orders=(orders[0] + 1, orders[1]))
        ),
        lambda g, a, b, x, orders=(1, 0): (
            g * BETA_BY_SHAPES(a, b, x, orders=(orders[0], orders[1] + 1))
        ),
        lambda g, a, b, x, orders=(1, 0): (
            g * (BETA_DENSITY(a, b, x) * _beta_factor(a, b, (np.log(x), np.log1p(-x)), orders))
        ),
    ],
    elementwise=True,
    ball=_beta_ball,
    domain=lambda a, b, x, orders=(1, 0): (a > 0) & (b > 0) & (x > 0) & (x < 1),
    over="a > 0 and b > 0 and 0 < x < 1",
    rounding=(64, 1024),
    source="the integral of the density's derivative, DLMF 8.17.1",
    example=[(2.25, 1.5, 0.375), ((2.25, 1.5, 0.75), {"orders": (0, 1)})],
)
