"""Rows: Bessel functions times the exponential that keeps them from overflowing.

The slopes of all that rise with K, and of I those of orders 0 and 1, are moments, which lose no
digits. Of the other orders of I they are differences of functions that are close for large
arguments: the relative error grows with abs(x), as the slope itself falls below the function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from symtape.primitives.power import ONE
from symtape.primitives.primitive import UFUNCS, Array, Primitive, declare
from symtape.primitives.special.bessel import JV, YV
from symtape.primitives.special.moments import I_MOMENT, K_MOMENT


def _i_slope(g: Array, below: Array, above: Array, y: Array, x: Array) -> Array:
    return g * ((below + above) / 2 - np.sign(x) * y)


def _scaled_first_kind(order: Callable[[Any], Any]) -> Callable[..., Any]:
    """exp(-abs(x)) I_v(x) in SymPy, `order` taken of the arguments before x."""
    return lambda sp, *args: sp.exp(-sp.Abs(args[-1])) * sp.besseli(order(args), args[-1])


def _scaled_second_kind(order: Callable[[Any], Any]) -> Callable[..., Any]:
    """exp(x) K_v(x) in SymPy."""
    return lambda sp, *args: sp.exp(args[-1]) * sp.besselk(order(args), args[-1])


def _is_at_zero(*args: Any) -> Any:
    return args[-1] == 0


def _has_corner_at_zero(v: Any, x: Any) -> Any:
    """At 0 only order 0 has a corner; the others fall with x there, those between with no slope."""
    return (x == 0) & ((v == 0) | (np.floor(v) != v))


IVE: Primitive = declare(
    inputs="v x",
    evaluate=special.ive,
    vjp=[
        "missing",
        lambda g, y, v, x: _i_slope(g, IVE(v - ONE(x), x), IVE(v + ONE(x), x), y, x),
    ],
    symbolic=_scaled_first_kind(lambda args: args[0]),
    ball=lambda ball, v, x: ball.exp(-abs(x)) * x.bessel_i(v),
    domain=lambda v, x: (x > 0) | (np.floor(v) == v),
    convention="0 at 0",
    kinks=_has_corner_at_zero,
    smooth="over",
    over="x > 0",
    rounding=(16, 32),
    source="DLMF 10.29.1",
    example=[(2, 0.75), (0.5, 2.25), (1, -1.25), (0, 0.75)],
)
KVE: Primitive = declare(
    inputs="v x",
    evaluate=special.kve,
    vjp=["missing", lambda g, v, x: -g * K_MOMENT(v, x, 1)],
    symbolic=_scaled_second_kind(lambda args: args[0]),
    ball=lambda ball, v, x: ball.exp(x) * x.bessel_k(v),
    domain="x > 0",
    rounding=(16, 16),
    source="DLMF 10.32.9",
    example=[(2, 0.75), (0.5, 2.25)],
)

I0E = declare(
    inputs="x",
    evaluate=special.i0e,
    vjp=[lambda g, x: -g * (np.sign(x) * I_MOMENT(x, 1))],
    symbolic=_scaled_first_kind(lambda args: 0),
    ball=lambda ball, x: ball.exp(-abs(x)) * x.bessel_i(0),
    convention="0 at 0",
    kinks=_is_at_zero,
    smooth="over",
    # exp(-abs(x)) * i0(x) is 1 - abs(x) + 3/4 * x**2 to second order.
    pieces=lambda kink, x: kink.ordered(
        x, 0, above=1 - x + 0.75 * (x * x), below=1 + x + 0.75 * (x * x)
    ),
    over="x != 0",
    rounding=(8, 8),
    xla=(8, 16),
    source="DLMF 10.32.1",
    example=[(0.75,), (-1.25,)],
)
I1E = declare(
    inputs="x",
    evaluate=special.i1e,
    vjp=[lambda g, x: g * (I_MOMENT(x, 2) - I_MOMENT(x, 1))],
    symbolic=_scaled_first_kind(lambda args: 1),
    ball=lambda ball, x: ball.exp(-abs(x)) * ball.i1(x),
    over="x != 0",
    rounding=(8, 8),
    xla=(8, 20),
    source="DLMF 10.32.1, 10.29.3; differentiable at 0, once",
    example=[(0.75,), (-1.25,)],
)
K0E = declare(
    inputs="x",
    evaluate=special.k0e,
    vjp=[lambda g, x: -g * K_MOMENT(0, x, 1)],
    symbolic=_scaled_second_kind(lambda args: 0),
    ball=lambda ball, x: ball.exp(x) * x.bessel_k(type(x)(0)),
    domain="x > 0",
    rounding=(8, 16),
    source="DLMF 10.32.9",
)
K1E = declare(
    inputs="x",
    evaluate=special.k1e,
    vjp=[lambda g, x: -g * K_MOMENT(1, x, 1)],
    symbolic=_scaled_second_kind(lambda args: 1),
    ball=lambda ball, x: ball.exp(x) * x.bessel_k(type(x)(1)),
    domain="x > 0",
    rounding=(8, 8),
    source="DLMF 10.32.9",
)

# Of real numbers these are the same functions.
UFUNCS[special.jve] = JV
UFUNCS[special.yve] = YV
UFUNCS[special.yn] = YV
