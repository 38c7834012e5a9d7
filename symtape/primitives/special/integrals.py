"""Rows: integrals of sines, cosines and squares in exponents: Si, Ci, Fresnel's and Dawson's."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import special

from symtape.primitives.arguments import in_doubles
from symtape.primitives.primitive import Array, Primitive, declare
from symtape.primitives.special.half_turns import COSPI, SINPI
from symtape.primitives.special.orders import whole_order

_TERMS: Final = 30
_NEAR: Final = 1.0
_FAR: Final = 8.0
_STEP: Final = 0.2
_SAMPLES: Final = 18


def sine_quotient(x: Array, order: int) -> Array:
    """``(2k + 1)!! j_k(x) / x**k`` of order k, entire and even; ``sin(x) / x`` for order 0.

    By its series near 0 (DLMF 10.53.1) and by the spherical Bessel function elsewhere.
    """
    x = np.asarray(x)
    order = int(order)
    near = np.abs(x) <= 2 + order
    inside, outside = np.where(near, x, 0), np.where(near, 2.0 + order, x)
    quarter, total = inside * inside / 4, np.ones_like(x)
    for m in range(_TERMS, 0, -1):
        total = 1 - quarter / (m * (m + order + 0.5)) * total
    far = special.spherical_jn(order, np.abs(outside))
    for k in range(1, order + 1):
        far = far * ((2 * k + 1) / np.abs(outside))
    return np.where(near, total, far).astype(x.dtype)


@in_doubles(1)
def dawson_derivative(x: Array, order: int) -> Array:
    """The derivative of Dawson's integral of any order.

    By recurrence (DLMF 7.10.1 for ``F' = 1 - 2 x F``) where that does not cancel; beyond by a sum
    of samples, and far out by the asymptotic series (DLMF 7.12.1), both taken term by term.
    """
    order = int(order)
    far = np.abs(x) > _FAR
    near, away = np.where(far, 0, x), np.where(far, x, 2 * _FAR)
    before, now = np.zeros_like(x), special.dawsn(near)
    for n in range(order):
        before, now = now, float(n == 0) - 2 * near * now - 2 * n * before
    beyond = ~far & (np.abs(x) > _NEAR)
    if order and np.any(beyond):
        now = np.where(beyond, _sampled_dawson(near, order), now)
    term = (-1.0) ** order / (2 * away ** (1 + order))
    for n in range(1, order + 1):
        term = term * n
    total = np.zeros_like(x)
    for k in range(_TERMS):
        total = total + term
        growth = (2 * k + 1 + order) * (2 * k + 2 + order) / (2 * k + 2)
        term = term * growth / (2 * away * away)
    return np.where(far, total, now)


def _sampled_dawson(x: Any, order: int) -> Any:
    """Rybicki's sum over odd n of ``exp(-(x - n h)**2) / n``, derived; exact to 1e-26.

    G. B. Rybicki, "Dawson's integral and the sampling theorem", Computers in Physics 3 (1989).
    """
    nearest = 2 * np.rint((x / _STEP - 1) / 2) + 1
    total = np.zeros_like(x)
    for m in range(-_SAMPLES, _SAMPLES + 1):
        n = nearest + 2 * m
        u = n * _STEP - x
        before, now = np.zeros_like(u), np.exp(-u * u)
        for k in range(order):
            before, now = now, 2 * u * now - 2 * k * before
        total = total + now / n
    return total / np.sqrt(np.pi)


def _dawson(value: Any, x: Any, order: int) -> Any:
    before, now = 0, value
    for n in range(order):
        before, now = now, int(n == 0) - 2 * x * now - 2 * n * before
    return now


def _dawson_in_sympy(sp: Any, x: Any, order: Any = 0) -> Any:
    return _dawson(sp.sqrt(sp.pi) / 2 * sp.exp(-(x**2)) * sp.erfi(x), x, int(order))


def _dawson_ball(ball: Any, x: Any, order: Any = None) -> Any:
    value = type(x).const_sqrt_pi() / 2 * ball.exp(-ball.square(x)) * x.erfi()
    return _dawson(value, x, 0 if order is None else whole_order(order))


def _quotient_in_sympy(sp: Any, x: Any, order: Any) -> Any:
    value = sp.sin(x) / x
    for k in range(int(order)):
        value = -(2 * k + 3) * sp.diff(value, x) / x
    return value


DAWSN: Primitive = declare(
    evaluate=special.dawsn,
    vjp=[lambda g, x: g * DAWSON_DERIVATIVE(x, 1)],
    symbolic=_dawson_in_sympy,
    ball=_dawson_ball,
    rounding=(16, 256),
    complex=[lambda g, x, y: g * (1 - 2 * x * y)],
    source="DLMF 7.2.5",
    example=[(0.75,), (-9.25,)],
)
DAWSON_DERIVATIVE: Primitive = declare(
    evaluate=dawson_derivative,
    vjp=[lambda g, x, order: g * DAWSON_DERIVATIVE(x, order + 1), None],
    symbolic=_dawson_in_sympy,
    ball=_dawson_ball,
    rounding=(64, 256),
    source="DLMF 7.12.1",
    example=[(0.75, 1), (-9.25, 2)],
)
SINE_QUOTIENT: Primitive = declare(
    evaluate=sine_quotient,
    vjp=[
        lambda g, x, order: -g * (x * SINE_QUOTIENT(x, order + 1)) / (2 * order + 3),
        None,
    ],
    symbolic=_quotient_in_sympy,
    ball=lambda ball, x, order: (-x * x / 4).hypgeom_0f1(order + type(x)(3) / 2),
    over="x != 0",
    rounding=(2, 16),
    source="DLMF 10.51.3",
    example=[(0.75, 0), (3.25, 1)],
)

SI = declare(
    name="sine_integral",
    evaluate=lambda x: special.sici(x)[0],
    vjp=[lambda g, x: g * SINE_QUOTIENT(x, 0)],
    symbolic="Si",
    ball=lambda ball, x: x.si(),
    over="x != 0",
    rounding=(8, 16),
    complex=[lambda g, x: g * np.sinc(x / np.pi)],
    source="DLMF 6.2.9",
)
CI = declare(
    name="cosine_integral",
    evaluate=lambda x: special.sici(x)[1],
    vjp=[lambda g, x: g * (np.cos(x) / x)],
    symbolic="Ci",
    ball=lambda ball, x: x.ci(),
    domain="x > 0",
    rounding=(8, 16),
    complex="holomorphic",
    source="DLMF 6.2.11",
)
FRESNEL_SINE = declare(
    name="fresnel_sine",
    evaluate=lambda x: special.fresnel(x)[0],
    vjp=[lambda g, x: g * SINPI(x * x / 2)],
    symbolic="fresnels",
    ball=lambda ball, x: x.fresnel_s(),
    rounding=(8, 16),
    complex=[lambda g, x: g * np.sin(x * x * (np.pi / 2))],
    source="DLMF 7.2.8",
)
FRESNEL_COSINE = declare(
    name="fresnel_cosine",
    evaluate=lambda x: special.fresnel(x)[1],
    vjp=[lambda g, x: g * COSPI(x * x / 2)],
    symbolic="fresnelc",
    ball=lambda ball, x: x.fresnel_c(),
    rounding=(8, 16),
    complex=[lambda g, x: g * np.cos(x * x * (np.pi / 2))],
    source="DLMF 7.2.7",
)
