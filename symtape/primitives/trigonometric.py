"""Rows: circular and hyperbolic functions, their inverses, and lengths and angles in a plane."""

from __future__ import annotations

import math

import numpy as np

from symtape.primitives.primitive import UFUNCS, Array, Primitive, table

ONE_LESS_SQUARE: Primitive
TIMES_PI: Primitive
TIMES_PI, ONE_LESS_SQUARE = table(
    Primitive(
        name="times_pi",
        evaluate=lambda x: x * math.pi,
        vjp=[lambda g: TIMES_PI(g)],
        symbolic=lambda sp, x: x * sp.pi,
        ball=lambda ball, x: x * type(x).pi(),
        rounding=(0, 2),
        source="pi x, exact in the symbolic and rigorous readings",
        example=(0.75,),
    ),
    # A row of its own: of the product that is exact near 1 the derivative cancels near 0.
    Primitive(
        name="one_less_square",
        evaluate=lambda x: (1 - x) * (1 + x),
        vjp=[lambda g, x: -g * (x + x)],
        symbolic=lambda sp, x: 1 - x**2,
        ball=lambda ball, x: (1 - x) * (1 + x),
        rounding=(0, 3),
        source="1 - x^2 as (1 - x) (1 + x)",
        example=(0.75,),
    ),
)

SIN, COS, TAN, ARCSIN, ARCCOS, ARCTAN = table(
    Primitive(
        name="sin",
        evaluate=np.sin,
        vjp=[lambda g, x: g * np.cos(x)],
        symbolic="sin",
        rounding=(1, 2),
        source="DLMF 4.20.1",
        example=(0.75,),
    ),
    Primitive(
        name="cos",
        evaluate=np.cos,
        vjp=[lambda g, x: -g * np.sin(x)],
        symbolic="cos",
        rounding=(1, 2),
        source="DLMF 4.20.2",
        example=(0.75,),
    ),
    Primitive(
        name="tan",
        evaluate=np.tan,
        vjp=[lambda g, y: g * (1 + y * y)],
        symbolic="tan",
        rounding=(1, 2),
        source="DLMF 4.20.3",
        example=(0.75,),
    ),
    Primitive(
        name="arcsin",
        evaluate=np.arcsin,
        vjp=[lambda g, x: g / np.sqrt(ONE_LESS_SQUARE(x))],
        symbolic="asin",
        domain=lambda x: np.abs(x) <= 1,
        convention="inf at -1 and 1",
        kinks=lambda x: np.abs(x) == 1,
        pieces=lambda kink, x: kink.vertical(x, 1),
        over="-1 < x < 1",
        rounding=(1, 4),
        xla=(1, 6),
        source="DLMF 4.24.7",
        example=(0.75,),
    ),
    Primitive(
        name="arccos",
        evaluate=np.arccos,
        vjp=[lambda g, x: -g / np.sqrt(ONE_LESS_SQUARE(x))],
        symbolic="acos",
        domain=lambda x: np.abs(x) <= 1,
        convention="-inf at -1 and 1",
        kinks=lambda x: np.abs(x) == 1,
        pieces=lambda kink, x: kink.vertical(x, -1),
        over="-1 < x < 1",
        rounding=(1, 2),
        source="DLMF 4.24.8",
        example=(0.75,),
    ),
    Primitive(
        name="arctan",
        evaluate=np.arctan,
        # Through hypot, since x * x overflows long before the derivative vanishes.
        vjp=[lambda g, x: g * np.square(1 / np.hypot(1, x))],
        symbolic="atan",
        rounding=(1, 2),
        source="DLMF 4.24.9",
        example=(0.75,),
    ),
)


def _sech2(x: Array) -> Array:
    decay = np.exp(-2 * np.abs(x))
    return 4 * decay / np.square(1 + decay)


SECH2: Primitive
SINH, COSH, TANH, SECH2, ARCSINH, ARCCOSH, ARCTANH = table(
    Primitive(
        name="sinh",
        evaluate=np.sinh,
        vjp=[lambda g, x: g * np.cosh(x)],
        symbolic="sinh",
        rounding=(1, 2),
        xla=(4, 8),
        source="DLMF 4.34.1",
        example=(0.75,),
    ),
    Primitive(
        name="cosh",
        evaluate=np.cosh,
        vjp=[lambda g, x: g * np.sinh(x)],
        symbolic="cosh",
        rounding=(1, 4),
        xla=(4, 8),
        source="DLMF 4.34.2",
        example=(0.75,),
    ),
    Primitive(
        name="tanh",
        evaluate=np.tanh,
        vjp=[lambda g, x: g * SECH2(x)],
        symbolic="tanh",
        rounding=(1, 2),
        xla=(1, 16),
        source="DLMF 4.34.3",
        example=(0.75,),
    ),
    Primitive(
        name="sech2",
        evaluate=_sech2,
        vjp=[lambda g, x, y: -2 * g * (np.tanh(x) * y)],
        symbolic=lambda sp, x: 1 / sp.cosh(x) ** 2,
        ball="sech2",
        rounding=(1, 4),
        source="the derivative of tanh, DLMF 4.34.3",
        example=(0.75,),
    ),
    Primitive(
        name="arcsinh",
        evaluate=np.arcsinh,
        vjp=[lambda g, x: g / np.hypot(1, x)],
        symbolic="asinh",
        rounding=(1, 2),
        xla=(1, 6),
        source="DLMF 4.38.9",
        example=(0.75,),
    ),
    Primitive(
        name="arccosh",
        evaluate=np.arccosh,
        vjp=[lambda g, x: g / (np.sqrt(x - 1) * np.sqrt(x + 1))],
        symbolic="acosh",
        domain=lambda x: x >= 1,
        convention="inf at 1",
        kinks=lambda x: x == 1,
        pieces=lambda kink, x: kink.vertical(x, 1, 0.0),
        over="x > 1",
        rounding=(1, 2),
        xla=(1, 8),
        source="DLMF 4.38.10",
        example=(1.75,),
    ),
    Primitive(
        name="arctanh",
        evaluate=np.arctanh,
        vjp=[lambda g, x: g / ONE_LESS_SQUARE(x)],
        symbolic="atanh",
        domain=lambda x: np.abs(x) < 1,
        over="-1 < x < 1",
        rounding=(1, 2),
        source="DLMF 4.38.11",
        example=(0.75,),
    ),
)

DEG2RAD: Primitive
RAD2DEG: Primitive
DEG2RAD, RAD2DEG = table(
    Primitive(
        name="deg2rad",
        evaluate=np.deg2rad,
        vjp=[lambda g: DEG2RAD(g)],
        symbolic=lambda sp, x: x * sp.pi / 180,
        ball=lambda ball, x: x * type(x).pi() / 180,
        rounding=(0, 2),
        source="pi x / 180",
        example=(75.0,),
    ),
    Primitive(
        name="rad2deg",
        evaluate=np.rad2deg,
        vjp=[lambda g: RAD2DEG(g)],
        symbolic=lambda sp, x: x * 180 / sp.pi,
        ball=lambda ball, x: x * 180 / type(x).pi(),
        rounding=(0, 2),
        source="180 x / pi",
        example=(0.75,),
    ),
)

UFUNCS[np.radians] = DEG2RAD
UFUNCS[np.degrees] = RAD2DEG
