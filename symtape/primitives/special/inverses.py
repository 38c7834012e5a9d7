"""Inverses of distribution functions, by the implicit function theorem.

Rows outside of the vocabulary: Arb has none of them, and the suite asks for balls.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.primitives.primitive import Primitive, implements
from symtape.primitives.special.densities import BETA_DENSITY, GAMMA_DENSITY
from symtape.primitives.special.shapes import BETA_BY_SHAPES, GAMMA_BY_SHAPE
from symtape.primitives.special.students import STUDENT_DENSITY, slope_by_freedom


def _is_probability(p: Any) -> Any:
    return (p > 0) & (p < 1)


def _of_gamma(ufunc: np.ufunc, of_rest: bool) -> Primitive:
    """The inverse of the incomplete gamma function, or of what that leaves of 1."""
    name = ufunc.__name__
    return Primitive(
        name=name,
        evaluate=lambda a, p: ufunc(a, p),
        vjp=[
            lambda g, a, y: -g * (GAMMA_BY_SHAPE(a, y) / GAMMA_DENSITY(a, y)),
            lambda g, a, y: (-g if of_rest else g) / GAMMA_DENSITY(a, y),
        ],
        elementwise=True,
        domain=lambda a, p: (a > 0) & _is_probability(p),
        rounding=(64, 1024),
        source=f"the inverse of {name.removesuffix('inv')}",
    )


def _of_beta(ufunc: np.ufunc, of_rest: bool) -> Primitive:
    """The inverse of the incomplete beta function, or of what that leaves of 1."""
    name = ufunc.__name__
    return Primitive(
        name=name,
        evaluate=lambda a, b, p: ufunc(a, b, p),
        vjp=[
            lambda g, a, b, y: (
                -g * (BETA_BY_SHAPES(a, b, y, orders=(1, 0)) / BETA_DENSITY(a, b, y))
            ),
            lambda g, a, b, y: (
                -g * (BETA_BY_SHAPES(a, b, y, orders=(0, 1)) / BETA_DENSITY(a, b, y))
            ),
            lambda g, a, b, y: (-g if of_rest else g) / BETA_DENSITY(a, b, y),
        ],
        elementwise=True,
        domain=lambda a, b, p: (a > 0) & (b > 0) & _is_probability(p),
        rounding=(64, 4096),
        source=f"the inverse of {name.removesuffix('inv')}",
    )


GAMMAINCINV = _of_gamma(special.gammaincinv, of_rest=False)
GAMMAINCCINV = _of_gamma(special.gammainccinv, of_rest=True)
BETAINCINV = _of_beta(special.betaincinv, of_rest=False)
BETAINCCINV = _of_beta(special.betainccinv, of_rest=True)
STDTRIT = Primitive(
    name="stdtrit",
    evaluate=lambda df, p: special.stdtrit(df, p),
    vjp=[
        lambda g, df, y: -g * (slope_by_freedom(df, y) / STUDENT_DENSITY(df, y)),
        lambda g, df, y: g / STUDENT_DENSITY(df, y),
    ],
    elementwise=True,
    domain=lambda df, p: (df > 0) & _is_probability(p),
    rounding=(64, 4096),
    source="the inverse of stdtr",
)
for _ufunc, _row in (
    (special.gammaincinv, GAMMAINCINV),
    (special.gammainccinv, GAMMAINCCINV),
    (special.betaincinv, BETAINCINV),
    (special.betainccinv, BETAINCCINV),
    (special.stdtrit, STDTRIT),
):
    implements(_ufunc)(_row)
