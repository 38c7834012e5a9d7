"""Rows: Owen's T, and the parts of Faddeeva's function, of which Voigt's profile is one."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from scipy import special

from symtape.primitives.arguments import in_doubles
from symtape.primitives.power import ONE
from symtape.primitives.primitive import Array, Primitive, declare, implements
from symtape.primitives.special.error import ERF
from symtape.primitives.special.gaussian import NORMAL_DENSITY

_ROOT_PI: Final = math.sqrt(math.pi)
_FAR: Final = 6.25
_TERMS: Final = 40


def _owens_t_ball(ball: Any, h: Any, a: Any) -> Any:
    def function(h: Any, a: Any) -> Any:
        square = h * h / 2

        def density(t: Any, _: Any) -> Any:
            rest = 1 + t * t
            return (-square * rest).exp() / rest

        return type(h).integral(density, 0, a) / (2 * type(h)(1).pi())

    # The path from 0 to a stays between the poles at i and -i.
    return ball.analytic(function, h, a, inside=lambda h, a: abs(a.imag) < 1)


OWENS_T = declare(
    ufunc=special.owens_t,
    evaluate=lambda h, a: special.owens_t(h, a),
    vjp=[
        lambda g, h, a: -g * (NORMAL_DENSITY(h) * ERF(a * h * np.sqrt(ONE(h) / 2)) / 2),
        lambda g, h, a: g * (NORMAL_DENSITY(h) * NORMAL_DENSITY(a * h) / (1 + a * a)),
    ],
    elementwise=True,
    ball=_owens_t_ball,
    rounding=(16, 64),
    source="D. B. Owen, Annals of Mathematical Statistics 27 (1956)",
    example=[(0.75, 0.5), (-1.25, 2.25)],
)


def faddeeva(x: Array, above: Array, order: int = 0) -> Array:
    """The derivative of Faddeeva's function at ``x + i above``.

    By recurrence (DLMF 7.10.2), and far out, where that cancels, by the asymptotic series
    (DLMF 7.12.1), taken term by term.
    """
    z = x + 1j * above
    far = (np.abs(z) > _FAR) & (order > 0)
    near = np.where(far, 0, z)
    now = _differentiate_repeatedly(near, special.wofz(near), 2j / _ROOT_PI, order)
    away = np.where(far, z, 2 * _FAR)
    term = 1j / _ROOT_PI * (-1) ** order * math.factorial(order) / away ** (order + 1)
    total = np.zeros_like(term)
    for k in range(_TERMS):
        total = total + term
        growth = (2 * k + 1 + order) * (2 * k + 2 + order) / (4 * k + 4)
        term = term * growth / (away * away)
    with np.errstate(over="ignore", invalid="ignore"):
        # Below the real axis there is an exponential beside the series, and half of it there.
        share = np.heaviside(-away.imag, 0.5)
        below = np.where(
            share > 0,
            share * _differentiate_repeatedly(away, 2 * np.exp(-away * away), 0, order),
            0,
        )
    return np.where(far, total + below, now)


def _differentiate_repeatedly(z: Array, value: Array, first: complex, order: int) -> Array:
    """The derivative of a function whose slope is ``first - 2 z`` times it."""
    before, now = np.zeros_like(z), value
    for n in range(order):
        before, now = now, (first if n == 0 else 0) - 2 * z * now - 2 * n * before
    return now


@in_doubles(2)
def _part(x: Array, above: Array, part: str, order: int) -> Any:
    return getattr(faddeeva(x, above, order), part)[()]


def _exact(z: Any, order: int) -> Any:
    """The derivative of ``exp(-z**2) erfc(-i z)`` (DLMF 7.2.3)."""
    one = type(z)(1)
    i = type(z)(0, 1)
    before, now = 0 * one, (-z * z).exp() * (-i * z).erfc()
    for n in range(order):
        first = 2 * i / one.pi().sqrt() if n == 0 else 0
        before, now = now, first - 2 * z * now - 2 * n * before
    return now


def _ball(ball: Any, x: Any, above: Any, order: int, imaginary: bool) -> Any:
    """By both conjugates, so that it is analytic in the two parts of the argument."""

    def function(x: Any, above: Any) -> Any:
        i = type(x)(0, 1)
        one, other = _exact(x + i * above, order), (-1) ** order * _exact(-x + i * above, order)
        return (one - other) / (2 * i) if imaginary else (one + other) / 2

    return ball.analytic(function, x, above, inside=lambda x, above: True)


WOFZ_REAL: Primitive = declare(
    name="wofz_real",
    evaluate=lambda x, above, order=0: _part(x, above, "real", order),
    vjp=[
        lambda g, x, above, order=0: g * WOFZ_REAL(x, above, order=order + 1),
        lambda g, x, above, order=0: -g * WOFZ_IMAG(x, above, order=order + 1),
    ],
    elementwise=True,
    ball=lambda ball, x, above, order=0: _ball(ball, x, above, order, False),
    rounding=(32, 256),
    source="DLMF 7.10.2",
    example=[(0.75, 0.5), ((-1.25, 2.25), {"order": 1})],
)
WOFZ_IMAG: Primitive = declare(
    name="wofz_imag",
    evaluate=lambda x, above, order=0: _part(x, above, "imag", order),
    vjp=[
        lambda g, x, above, order=0: g * WOFZ_IMAG(x, above, order=order + 1),
        lambda g, x, above, order=0: g * WOFZ_REAL(x, above, order=order + 1),
    ],
    elementwise=True,
    ball=lambda ball, x, above, order=0: _ball(ball, x, above, order, True),
    rounding=(32, 256),
    source="DLMF 7.10.2",
    example=[(0.75, 0.5), ((-1.25, 2.25), {"order": 1})],
)


@implements(special.voigt_profile)
def voigt_profile(x: Array, sigma: Array, gamma: Array) -> Array:
    """As ``scipy.special.voigt_profile``, of a positive `sigma`."""
    scale = sigma * math.sqrt(2)
    return WOFZ_REAL(x / scale, gamma / scale) / (scale * _ROOT_PI)
