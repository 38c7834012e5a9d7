"""Rows: circular and hyperbolic functions, their inverses, and lengths and angles in a plane."""

from __future__ import annotations

import math

import numpy as np

from symtape.primitives.arguments import finite_or_zero
from symtape.primitives.primitive import UFUNCS, Array, Primitive, declare

TIMES_PI: Primitive = declare(
    name="times_pi",
    evaluate=lambda x: x * math.pi,
    vjp=[lambda g: TIMES_PI(g)],
    symbolic=lambda sp, x: x * sp.pi,
    ball=lambda ball, x: x * type(x).pi(),
    rounding=(0, 2),
    complex="holomorphic",
    source="pi x, exact in the symbolic and rigorous readings",
)

# A row of its own: of the product that is exact near 1 the derivative cancels near 0.
ONE_LESS_SQUARE: Primitive = declare(
    name="one_less_square",
    evaluate=lambda x: (1 - x) * (1 + x),
    vjp=[lambda g, x: -g * (x + x)],
    symbolic=lambda sp, x: 1 - x**2,
    ball=lambda ball, x: (1 - x) * (1 + x),
    rounding=(0, 3),
    complex="holomorphic",
    source="1 - x^2 as (1 - x) (1 + x)",
)

SIN = declare(
    evaluate=np.sin,
    vjp=[lambda g, x: g * np.cos(x)],
    symbolic="sin",
    rounding=(1, 4),
    complex="holomorphic",
    source="DLMF 4.20.1",
)
COS = declare(
    evaluate=np.cos,
    vjp=[lambda g, x: -g * np.sin(x)],
    symbolic="cos",
    rounding=(1, 4),
    complex="holomorphic",
    source="DLMF 4.20.2",
)
TAN = declare(
    evaluate=np.tan,
    vjp=[lambda g, y: g * (1 + y * y)],
    symbolic="tan",
    rounding=(1, 4),
    complex=[lambda g, x: g * SECH2(x * 1j)],
    source="DLMF 4.20.3",
)
ARCSIN = declare(
    evaluate=np.arcsin,
    vjp=[lambda g, x: g / np.sqrt(ONE_LESS_SQUARE(x))],
    symbolic="asin",
    domain=lambda x: np.abs(x) <= 1,
    convention="inf at -1 and 1",
    kinks=lambda x: np.abs(x) == 1,
    pieces=lambda kink, x: kink.vertical(x, 1),
    over="-1 < x < 1",
    smooth="over",
    rounding=(1, 4),
    xla=(1, 6),
    complex="holomorphic",
    source="DLMF 4.24.7",
)
ARCCOS = declare(
    evaluate=np.arccos,
    vjp=[lambda g, x: -g / np.sqrt(ONE_LESS_SQUARE(x))],
    symbolic="acos",
    domain=lambda x: np.abs(x) <= 1,
    convention="-inf at -1 and 1",
    kinks=lambda x: np.abs(x) == 1,
    pieces=lambda kink, x: kink.vertical(x, -1),
    over="-1 < x < 1",
    smooth="over",
    rounding=(1, 4),
    complex="holomorphic",
    source="DLMF 4.24.8",
)
ARCTAN = declare(
    evaluate=np.arctan,
    vjp=[lambda g, x: g * ARCTAN_SLOPE(x)],
    symbolic="atan",
    rounding=(1, 4),
    complex=[lambda g, x: g / ((1 + x * 1j) * (1 - x * 1j))],
    source="DLMF 4.24.9",
)


def _arctan_slope(x: Array) -> Array:
    # Both squares over that of 1 + |x|: x^2 overflows long before the derivative vanishes.
    one = 1 / (1 + np.abs(x))
    square = one * one
    return square / (square + np.square(1 - one))


ARCTAN_SLOPE: Primitive = declare(
    evaluate=_arctan_slope,
    vjp=[lambda g, x, y: -2 * g * (finite_or_zero(x) * y * y)],
    symbolic=lambda sp, x: 1 / (1 + x**2),
    ball=lambda ball, x: 1 / (1 + ball.square(x)),
    rounding=(0, 8),
    source="the derivative of arctan, DLMF 4.24.9",
)


def _sech2(x: Array) -> Array:
    # Even, and for the half of the plane in which the exponential does not overflow.
    is_complex = x.dtype.kind == "c" if hasattr(x, "dtype") else isinstance(x, complex)
    size = np.where(np.real(x) < 0, -x, x) if is_complex else np.abs(x)
    decay = np.exp(-2 * size)
    return 4 * decay / np.square(1 + decay)


SINH = declare(
    evaluate=np.sinh,
    vjp=[lambda g, x: g * np.cosh(x)],
    symbolic="sinh",
    rounding=(1, 4),
    xla=(4, 8),
    complex="holomorphic",
    source="DLMF 4.34.1",
)
COSH = declare(
    evaluate=np.cosh,
    vjp=[lambda g, x: g * np.sinh(x)],
    symbolic="cosh",
    rounding=(1, 4),
    xla=(4, 8),
    complex="holomorphic",
    source="DLMF 4.34.2",
)
TANH = declare(
    evaluate=np.tanh,
    vjp=[lambda g, x: g * SECH2(x)],
    symbolic="tanh",
    rounding=(1, 4),
    xla=(1, 16),
    complex="holomorphic",
    source="DLMF 4.34.3",
)
SECH2: Primitive = declare(
    evaluate=_sech2,
    vjp=[lambda g, x, y: -2 * g * (np.tanh(x) * y)],
    symbolic=lambda sp, x: 1 / sp.cosh(x) ** 2,
    ball="sech2",
    rounding=(1, 4),
    complex="holomorphic",
    source="the derivative of tanh, DLMF 4.34.3",
)
ARCSINH = declare(
    evaluate=np.arcsinh,
    vjp=[lambda g, x: g / np.hypot(1, x)],
    symbolic="asinh",
    rounding=(1, 4),
    xla=(1, 6),
    complex=[lambda g, x: g / (np.sqrt(1 + x * 1j) * np.sqrt(1 - x * 1j))],
    source="DLMF 4.38.9",
)
ARCCOSH = declare(
    evaluate=np.arccosh,
    vjp=[lambda g, x: g / (np.sqrt(x - 1) * np.sqrt(x + 1))],
    symbolic="acosh",
    domain=lambda x: x >= 1,
    convention="inf at 1",
    kinks=lambda x: x == 1,
    pieces=lambda kink, x: kink.vertical(x, 1, 0.0),
    over="x > 1",
    smooth="over",
    rounding=(1, 4),
    xla=(1, 8),
    complex="holomorphic",
    source="DLMF 4.38.10",
    example=(1.75,),
)
ARCTANH = declare(
    evaluate=np.arctanh,
    vjp=[lambda g, x: g / ONE_LESS_SQUARE(x)],
    symbolic="atanh",
    domain="-1 < x < 1",
    rounding=(1, 4),
    complex="holomorphic",
    source="DLMF 4.38.11",
)

DEG2RAD: Primitive = declare(
    evaluate=np.deg2rad,
    vjp=[lambda g: DEG2RAD(g)],
    symbolic=lambda sp, x: x * sp.pi / 180,
    ball=lambda ball, x: x * type(x).pi() / 180,
    rounding=(0, 2),
    source="pi x / 180",
    example=(75.0,),
)
RAD2DEG: Primitive = declare(
    evaluate=np.rad2deg,
    vjp=[lambda g: RAD2DEG(g)],
    symbolic=lambda sp, x: x * 180 / sp.pi,
    ball=lambda ball, x: x * 180 / type(x).pi(),
    rounding=(0, 2),
    source="180 x / pi",
)

UFUNCS[np.radians] = DEG2RAD
UFUNCS[np.degrees] = RAD2DEG
