"""Rows: the incomplete gamma and beta functions."""

from __future__ import annotations

from typing import Any

from scipy import special

from symtape.primitives.arguments import keep_type
from symtape.primitives.primitive import declare
from symtape.primitives.special.densities import (
    BETA_DENSITY,
    GAMMA_DENSITY,
)
from symtape.primitives.special.shapes import BETA_BY_SHAPES, GAMMA_BY_SHAPE, kummer_of_one


def _lower_ball(ball: Any, a: Any, x: Any) -> Any:
    """DLMF 8.5.1; Arb's own is nan of a ball of shapes with an integer in it."""

    def function(a: Any, x: Any) -> Any:
        return (a * x.log() - x).exp() * kummer_of_one(a + 1, x) * (a + 1).rgamma()

    return ball.analytic(function, a, x, inside=_all_positive)


def _beta_ball(ball: Any, a: Any, b: Any, x: Any) -> Any:
    def function(a: Any, b: Any, x: Any) -> Any:
        return x.beta_lower(a, b, 1)

    return ball.analytic(function, a, b, x, inside=lambda a, b, x: _all_positive(a, b, x, 1 - x))


def _all_positive(*boxes: Any) -> bool:
    return all(bool(box.real > 0) for box in boxes)


GAMMAINC = declare(
    ufunc=special.gammainc,
    evaluate=keep_type(lambda a, x: special.gammainc(a, x)),
    vjp=[
        lambda g, a, x: g * GAMMA_BY_SHAPE(a, x),
        lambda g, a, x: g * GAMMA_DENSITY(a, x),
    ],
    symbolic=lambda sp, a, x: sp.lowergamma(a, x) / sp.gamma(a),
    ball=_lower_ball,
    domain="a > 0 and x > 0",
    rounding=(64, 256),
    source="DLMF 8.8.13",
    example=(2.25, 0.75),
)
GAMMAINCC = declare(
    ufunc=special.gammaincc,
    evaluate=keep_type(lambda a, x: special.gammaincc(a, x)),
    vjp=[
        lambda g, a, x: -g * GAMMA_BY_SHAPE(a, x),
        lambda g, a, x: -g * GAMMA_DENSITY(a, x),
    ],
    symbolic=lambda sp, a, x: sp.uppergamma(a, x) / sp.gamma(a),
    ball=lambda ball, a, x: ball.analytic(
        lambda a, x: x.gamma_upper(a, 1), a, x, inside=_all_positive
    ),
    domain="a > 0 and x > 0",
    rounding=(16, 64),
    source="DLMF 8.8.13",
    example=(2.25, 0.75),
)

BETAINC = declare(
    evaluate=special.betainc,
    vjp=[
        lambda g, a, b, x: g * BETA_BY_SHAPES(a, b, x, orders=(1, 0)),
        lambda g, a, b, x: g * BETA_BY_SHAPES(a, b, x, orders=(0, 1)),
        lambda g, a, b, x: g * BETA_DENSITY(a, b, x),
    ],
    symbolic=lambda sp, a, b, x: sp.betainc_regularized(a, b, 0, x),
    ball=_beta_ball,
    domain="a > 0 and b > 0 and 0 < x < 1",
    rounding=(64, 1024),
    source="DLMF 8.17.1",
    example=(2.25, 1.5, 0.75),
)
BETAINCC = declare(
    evaluate=special.betaincc,
    vjp=[
        lambda g, a, b, x: -g * BETA_BY_SHAPES(a, b, x, orders=(1, 0)),
        lambda g, a, b, x: -g * BETA_BY_SHAPES(a, b, x, orders=(0, 1)),
        lambda g, a, b, x: -g * BETA_DENSITY(a, b, x),
    ],
    symbolic=lambda sp, a, b, x: sp.betainc_regularized(b, a, 0, 1 - x),
    ball=lambda ball, a, b, x: _beta_ball(ball, b, a, 1 - x),
    domain="a > 0 and b > 0 and 0 < x < 1",
    rounding=(64, 1024),
    source="DLMF 8.17.1, 8.17.4",
    example=(2.25, 1.5, 0.75),
)
