"""Rows: the derivatives of scaled Bessel functions, without cancellation.

The moments of two positive weights,

    M_n(x) = 1/pi int_0^pi (1 - cos t)^n exp(-|x| (1 - cos t)) dt,
    L_n(v, x) = int_0^inf (cosh t - 1)^n cosh(v t) exp(-x (cosh t - 1)) dt,

of which M_0 = exp(-|x|) I_0(x) and L_0 = exp(x) K_v(x) (DLMF 10.32.1, 10.32.9). Their slopes by x
are -sign(x) M_{n+1} and -L_{n+1}. As differences of Bessel functions they lose as many digits as x
has, and more with each order.
"""

from __future__ import annotations

from math import comb, factorial
from typing import Any, Final

import numpy as np
from scipy import special

from symtape.primitives.arguments import in_doubles
from symtape.primitives.primitive import Array, Primitive, declare
from symtape.primitives.special.orders import whole_order

_FAR: Final = 1e17
_SWITCH: Final = 0.5
_STEPS: Final = 80
_DEPTH: Final = 80.0
"""What the exponent falls by at the ends of the trapezoidal rule."""
_LOW: Final = 4.0
_MOST: Final = 8e307
"""Where every moment of an order from 1 up is 0, and twice which is no overflow."""


def _factor(order: int) -> float:
    """``2^n (1/2)_n``, whole: the product of the odd numbers below 2 n."""
    return float(factorial(2 * order) // (2**order * factorial(order)))


@in_doubles(1)
def i_moment(x: Array, order: int) -> Array:
    """M_order by Kummer's function (DLMF 13.4.1, with the square of sin(t/2) for its t)."""
    order, wide = int(order), np.abs(x)
    # SciPy's function is nan at the largest floats; the first term of its expansion is all of it.
    far = wide > _FAR
    near = special.hyp1f1(order + 0.5, order + 1, np.where(far, 0, -2 * wide))
    near = near * (_factor(order) / factorial(order))
    most = np.where(far, wide, _FAR)
    tail = _factor(order) / 2.0**order / np.sqrt(2 * np.pi) / np.sqrt(most) / most**order
    return np.where(far, tail, near)


def _subtract_bessel_functions(v: Array, x: Array, order: int) -> Array:
    """L_order as the difference that it is of Bessel functions, which for small x one outweighs."""
    highest = special.kve(v + order, x)
    total = np.zeros_like(highest)
    with np.errstate(invalid="ignore"):
        for k in range(-order, order + 1):
            sign = (-1) ** (order + k)
            total = total + sign * comb(2 * order, order + k) * special.kve(v + k, x)
    found: Array = np.where(np.isinf(highest), np.inf, total / 2**order)
    return found


def _integrate_trapezoidally(v: Array, x: Array, order: int) -> Array:
    """L_order by the trapezoidal rule, whose error falls faster than any power of its step.

    Over the whole line, where exp(v t) does for cosh(v t), and around the peak of the weight: its
    logarithm there is ``peak``, and falls by ``r (cosh s - 1) + v (sinh s - s)`` at the distance s.
    """
    r, place = np.hypot(x, v), np.arcsinh(v / x)
    depth = _DEPTH / np.maximum(v, 1e-9)
    above = 2 * np.arcsinh(np.sqrt(_DEPTH / 2) / np.sqrt(r))
    below = np.minimum(
        (depth + np.sqrt(depth * (depth + 8))) / 2,
        place + 2 * np.arcsinh(np.sqrt(_DEPTH / 2) / np.sqrt(x)),
    )
    step = (above + below) / _STEPS
    total, moment = np.zeros_like(r), np.zeros_like(r)
    for k in range(_STEPS + 1):
        s = k * step - below
        weight = np.exp(-2 * r * np.sinh(s / 2) ** 2 - v * (np.sinh(s) - s))
        total = total + weight
        moment = moment + weight * (2 * np.sinh((place + s) / 2) ** 2) ** order
    peak = v * place - v * (v / (r + x))
    # The exponential of a large peak has a large error, and SciPy's function is nan for large x.
    low = peak < _LOW
    direct = np.exp(np.where(low, peak, 0)) * (step / 2) * total
    found: Array = np.where(low, direct, special.kve(v, x)) * (moment / total)
    return found


@in_doubles(2)
def k_moment(v: Array, x: Array, order: int) -> Array:
    """L_order of Bessel functions of order `v`, for positive `x`."""
    order, at, wide = int(order), np.abs(v), np.minimum(x, _MOST)
    small = ~(wide >= _SWITCH)
    return np.where(
        small,
        _subtract_bessel_functions(at, np.where(small, wide, 0.25), order),
        _integrate_trapezoidally(at, np.where(small, 1.0, wide), order),
    )


def _i_symbolic(sp: Any, x: Any, order: Any) -> Any:
    n = int(order)
    terms = [
        (-1) ** k * comb(2 * n, n + k) * _even(sp, abs(k), x) * sp.Rational(1, 2**n)
        for k in range(-n, n + 1)
    ]
    return sp.exp(-sp.Abs(x)) * sum(terms)


def _even(sp: Any, order: int, x: Any) -> Any:
    """I_order of abs(x)."""
    found = sp.besseli(order, x)
    return found * sp.sign(x) if order % 2 else found


def _k_symbolic(sp: Any, v: Any, x: Any, order: Any) -> Any:
    n = int(order)
    terms = [
        (-1) ** (n + k) * comb(2 * n, n + k) * sp.besselk(v + k, x) * sp.Rational(1, 2**n)
        for k in range(-n, n + 1)
    ]
    return sp.exp(x) * sum(terms)


def _i_ball(ball: Any, x: Any, order: Any) -> Any:
    n, one = whole_order(order), type(x)(1)
    return (-2 * abs(x)).hypgeom_1f1(n + one / 2, n + one) * int(_factor(n)) / factorial(n)


def _k_ball(ball: Any, v: Any, x: Any, order: Any) -> Any:
    """By P_j = z^v U(v + j + 1/2, 2 v + 1, z) of z = 2 x, whose slopes do not cancel for large z.

    z P_j' = -(j + 1/2) P_j + ((j + 1/2)^2 - v^2) P_{j+1} (DLMF 13.3.24), and P_0 is L_0/sqrt(pi).
    """
    n, half = whole_order(order), type(x)(1) / 2
    parts = [type(x)(1)]
    for m in range(n):
        kept = [part * (m + j + half) for j, part in enumerate(parts)]
        passed = [part * (v * v - (j + half) ** 2) for j, part in enumerate(parts)]
        zero = [type(x)(0)]
        parts = [a + b for a, b in zip(kept + zero, zero + passed, strict=True)]
    z = 2 * x
    total = sum(part * z.hypgeom_u(v + j + half, 2 * v + 1) for j, part in enumerate(parts))
    return total * ball.power(z, v) * type(x).const_sqrt_pi() / x**n


I_MOMENT: Primitive = declare(
    evaluate=i_moment,
    vjp=[lambda g, x, order: -g * (np.sign(x) * I_MOMENT(x, order + 1)), None],
    symbolic=_i_symbolic,
    ball=_i_ball,
    convention="0 at 0",
    kinks=lambda x, order: x == 0,
    smooth="over",
    over="x != 0",
    rounding=(8, 32),
    source="DLMF 10.32.1, 13.4.1",
    example=[(0.75, 1), (-2.25, 2)],
)
K_MOMENT: Primitive = declare(
    evaluate=k_moment,
    vjp=["missing", lambda g, v, x, order: -g * K_MOMENT(v, x, order + 1), None],
    symbolic=_k_symbolic,
    ball=_k_ball,
    domain="x > 0",
    rounding=(8, 32),
    source="DLMF 10.32.9, 10.39.6, 13.3.24",
    example=[(0, 0.75, 1), (0.5, 2.25, 2), (2, 40.0, 1)],
)
