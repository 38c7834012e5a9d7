"""Rows: the derivatives of the scaled Bessel functions of order 0, without cancellation.

The moments of two positive weights,

    M_n(x) = 1/pi int_0^pi (1 - cos t)^n exp(-|x| (1 - cos t)) dt,    M_0 = exp(-|x|) I_0(x),
    L_n(x) = int_0^inf (cosh t - 1)^n exp(-x (cosh t - 1)) dt,        L_0 = exp(x) K_0(x)

(DLMF 10.32.1, 10.32.9), of which M_n' = -sign(x) M_{n+1} and L_n' = -L_{n+1}. As differences of
Bessel functions they lose as many digits as x has, and more with each order.
"""

from __future__ import annotations

from math import comb, factorial
from typing import Any, Final

import numpy as np
from scipy import special

from symtape.primitives import piecewise_constant
from symtape.primitives.primitive import Array, Primitive, table
from symtape.primitives.special.orders import whole_order

_FAR: Final = 1e17
_SWITCH: Final = 0.5
_STEPS: Final = 40
_DEPTH: Final = 80.0
"""What the exponent falls to at the end of the trapezoidal rule."""


def _factor(order: int) -> float:
    """``2^n (1/2)_n``, whole: the product of the odd numbers below 2 n."""
    return float(factorial(2 * order) // (2**order * factorial(order)))


def i_moment(x: Array, order: int) -> Array:
    """M_order by Kummer's function (DLMF 13.4.1, with the square of sin(t/2) for its t)."""
    x, order = np.asarray(x), int(order)
    wide = np.abs(x.astype(np.float64))
    # SciPy's function is nan at the largest floats; the first term of its expansion is all of it.
    far = wide > _FAR
    near = special.hyp1f1(order + 0.5, order + 1, np.where(far, 0, -2 * wide))
    near = near * (_factor(order) / factorial(order))
    most = np.where(far, wide, _FAR)
    tail = _factor(order) / 2.0**order / np.sqrt(2 * np.pi) / np.sqrt(most) / most**order
    result: Array = np.where(far, tail, near)
    return result.astype(x.dtype) if x.dtype.kind == "f" else result


def _upwards(x: Array, order: int) -> Array:
    """L_order by its recurrence, which cancels nothing for small x."""
    before, now = special.k0e(x), special.k1e(x) - special.k0e(x)
    for n in range(order - 1):
        before, now = now, ((n + 1 - 2 * x) * now + (2 * n + 1) * before) / x
    return now if order else before


def _summed(x: Array, order: int) -> Array:
    """L_order by the trapezoidal rule, whose error falls faster than any power of its step."""
    step = 2 * np.arcsinh(np.sqrt(_DEPTH / 2) / np.sqrt(x)) / _STEPS
    total = np.zeros_like(x) if order else 0.5 + np.zeros_like(x)
    for k in range(_STEPS, 0, -1):
        rise = 2 * np.sinh(step * (k / 2)) ** 2
        total = total + rise**order * np.exp(-x * rise)
    return total * step


def k_moment(x: Array, order: int) -> Array:
    """L_order, for positive `x`."""
    x, order = np.asarray(x), int(order)
    wide = x.astype(np.float64)
    small = ~(wide >= _SWITCH)
    result: Array = np.where(
        small,
        _upwards(np.where(small, wide, 0.25), order),
        _summed(np.where(small, 1.0, wide), order),
    )
    return result.astype(x.dtype) if x.dtype.kind == "f" else result


def _i_symbolic(sp: Any, x: Any, order: Any) -> Any:
    n = int(order)
    terms = [
        (-1) ** k * comb(2 * n, n + k) * _even(sp, abs(k), x) * sp.Rational(1, 2**n)
        for k in range(-n, n + 1)
    ]
    return sp.exp(-piecewise_constant.absolute(sp, x)) * sum(terms)


def _even(sp: Any, order: int, x: Any) -> Any:
    """I_order of abs(x)."""
    found = sp.besseli(order, x)
    return found * piecewise_constant.sign(sp, x) if order % 2 else found


def _k_symbolic(sp: Any, x: Any, order: Any) -> Any:
    n = int(order)
    terms = [
        (-1) ** (n + k) * comb(2 * n, n + k) * sp.besselk(abs(k), x) * sp.Rational(1, 2**n)
        for k in range(-n, n + 1)
    ]
    return sp.exp(x) * sum(terms)


def _i_ball(ball: Any, x: Any, order: Any) -> Any:
    n, one = whole_order(order), type(x)(1)
    return (-2 * abs(x)).hypgeom_1f1(n + one / 2, n + one) * int(_factor(n)) / factorial(n)


def _k_ball(ball: Any, x: Any, order: Any) -> Any:
    n, one = whole_order(order), type(x)(1)
    return (2 * x).hypgeom_u(n + one / 2, n + one) * type(x).const_sqrt_pi() * int(_factor(n))


I_MOMENT: Primitive
K_MOMENT: Primitive
I_MOMENT, K_MOMENT = table(
    Primitive(
        name="i_moment",
        evaluate=i_moment,
        vjp=[lambda g, x, order: -g * (np.sign(x) * I_MOMENT(x, order + 1)), None],
        symbolic=_i_symbolic,
        ball=_i_ball,
        convention="0 at 0",
        kinks=lambda x, order: x == 0,
        over="x != 0",
        rounding=(8, 32),
        source="DLMF 10.32.1, 13.4.1",
        example=[(0.75, 1), (-2.25, 2)],
    ),
    Primitive(
        name="k_moment",
        evaluate=k_moment,
        vjp=[lambda g, x, order: -g * K_MOMENT(x, order + 1), None],
        symbolic=_k_symbolic,
        ball=_k_ball,
        domain=lambda x, order: x > 0,
        over="x > 0",
        rounding=(8, 32),
        source="DLMF 10.32.9, 13.4.4",
        example=[(0.75, 1), (2.25, 2)],
    ),
)
