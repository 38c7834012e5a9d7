"""Rows: the complete elliptic integrals K(m) and E(m), and K(1 - p) near its singularity.

The order of a derivative is a static parameter: each rule is written in its own row, and no
derivative is a difference of functions that cancel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.primitives.arguments import in_doubles
from symtape.primitives.primitive import Array, Primitive, declare


def _first(m: Array, p: Array, order: int) -> Array:
    """The derivative by `m` of K(m), where ``p = 1 - m``.

    By the differential equation (DLMF 19.4.8) where it is stable, else by the series.
    """
    far = np.abs(m) > 0.5
    away, rest, near = np.where(far, m, -1.0), np.where(far, p, 2.0), np.where(far, 0.0, m)
    here, after, factor = special.ellipkm1(rest), special.elliprd(0, 1, rest) / 6, np.pi / 2
    for n in range(order):
        over = (n + 0.5) ** 2 * here - (n + 1) * (rest - away) * after
        here, after = after, over / (away * rest)
        factor = factor * (n + 0.5) ** 2 / (n + 1)
    close = factor * special.hyp2f1(0.5, 0.5, order + 1, near) / (1 - near) ** order
    result: Array = np.where(far, here, close)
    return result


def ellipk(m: Array, order: int = 0) -> Array:
    """The derivative of K(m) of an order."""
    return _slope_of_first(m, order) if order else special.ellipk(m)


@in_doubles(1)
def _slope_of_first(m: Array, order: int) -> Array:
    return _first(m, 1 - m, order)[()]


@in_doubles(1)
def ellipkm1(p: Array, order: int = 0) -> Array:
    """The derivative by `p` of K(1 - p)."""
    return (-1) ** order * _first(1 - p, p, order)[()]


def ellipe(m: Array, order: int = 0) -> Array:
    """The derivative of E(m) of an order."""
    return _slope_of_second(m, order) if order else special.ellipe(m)


@in_doubles(1)
def _slope_of_second(m: Array, order: int) -> Array:
    """As that of K, by DLMF 19.4.9."""
    far = (m > 0.5) | (m < -4)
    away, near = np.where(far, m, -9.0), np.where(far, 0.0, m)
    here, after, factor = special.ellipe(away), -special.elliprd(0, 1 - away, 1) / 6, np.pi / 2
    for n in range(order):
        over = (n * n - 0.25) * here - (n + 1 - (2 * n + 1) * away) * after
        here, after = after, over / (away * (1 - away))
        factor = factor * (n * n - 0.25) / (n + 1)
    close = factor * special.hyp2f1(1.5, 0.5, order + 1, near) / (1 - near) ** (order - 1)
    return np.where(far, here, close)[()]


def _balls(m: Any, first: int, order: int, value: Any) -> Any:
    """``pi/2 2F1(first/2, 1/2; 1; m)`` derived (DLMF 19.5.1, 19.5.2, 15.5.2)."""
    one = type(m)(1)
    for n in range(order):
        value = value * (2 * n + first) * (2 * n + 1) / (4 * n + 4)
    return value * one.pi() / 2


def _k_ball(ball: Any, m: Any, order: int = 0) -> Any:
    one = type(m)(1)
    a, c = order + one / 2, order + one
    value = ball.analytic("hypgeom_2f1", m, a, a, c, inside=lambda m, *others: m.real < 1)
    return _balls(m, 1, order, value)


def _km1_ball(ball: Any, p: Any, order: int = 0) -> Any:
    return (-1) ** order * _k_ball(ball, 1 - p, order)


def _e_ball(ball: Any, m: Any, order: int = 0) -> Any:
    one = type(m)(1)
    a, b, c = order - one / 2, order + one / 2, order + one
    value = ball.analytic("hypgeom_2f1", m, a, b, c, inside=lambda m, *others: m.real < 1)
    return _balls(m, -1, order, value)


def _km1_in_sympy(sp: Any, p: Any, order: int = 0) -> Any:
    return sp.diff(sp.elliptic_k(1 - p), p, order)


ELLIPK: Primitive = declare(
    ufunc=special.ellipk,
    evaluate=ellipk,
    vjp=[lambda g, m, order=0: g * ELLIPK(m, order=order + 1)],
    symbolic=lambda sp, m, order=0: sp.diff(sp.elliptic_k(m), m, order),
    ball=_k_ball,
    domain="m < 1",
    rounding=(4, 64),
    source="DLMF 19.2.8",
    example=[(0.5,), (-3.0,)],
)
ELLIPKM1: Primitive = declare(
    ufunc=special.ellipkm1,
    evaluate=ellipkm1,
    vjp=[lambda g, p, order=0: g * ELLIPKM1(p, order=order + 1)],
    symbolic=_km1_in_sympy,
    ball=_km1_ball,
    domain="p > 0",
    rounding=(4, 64),
    source="DLMF 19.2.8",
    example=[(0.0625,), (2.5,)],
)
ELLIPE: Primitive = declare(
    ufunc=special.ellipe,
    evaluate=ellipe,
    vjp=[lambda g, m, order=0: g * ELLIPE(m, order=order + 1)],
    symbolic=lambda sp, m, order=0: sp.diff(sp.elliptic_e(m), m, order),
    ball=_e_ball,
    domain="m < 1",
    rounding=(4, 64),
    source="DLMF 19.2.8",
    example=[(0.5,), (-3.0,)],
)
