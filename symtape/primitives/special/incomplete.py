"""Rows: the incomplete gamma and beta functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from symtape.primitives.primitive import Array, declare
from symtape.primitives.special.densities import (
    BETA_DENSITY,
    GAMMA_DENSITY,
    beta_domain,
    gamma_domain,
)
from symtape.primitives.special.shapes import BETA_BY_SHAPES, GAMMA_BY_SHAPE


def _in_precision_given(function: Callable[..., Array]) -> Callable[..., Array]:
    """`function` with a Python number beside float32 giving float32, as everywhere in NumPy."""

    def evaluate(a: Array, x: Array) -> Array:
        dtype = np.result_type(a, x)
        result = function(a, x)
        return result.astype(dtype) if dtype.kind == "f" else result

    return evaluate


GAMMAINC = declare(
    ufunc=special.gammainc,
    evaluate=_in_precision_given(special.gammainc),
    vjp=[
        lambda g, a, x: g * GAMMA_BY_SHAPE(a, x),
        lambda g, a, x: g * GAMMA_DENSITY(a, x),
    ],
    symbolic=lambda sp, a, x: sp.lowergamma(a, x) / sp.gamma(a),
    ball=lambda ball, a, x: x.gamma_lower(a, 1),
    domain=gamma_domain,
    over="a > 0 and x > 0",
    rounding=(64, 256),
    source="DLMF 8.8.13",
    example=(2.25, 0.75),
)
GAMMAINCC = declare(
    ufunc=special.gammaincc,
    evaluate=_in_precision_given(special.gammaincc),
    vjp=[
        lambda g, a, x: -g * GAMMA_BY_SHAPE(a, x),
        lambda g, a, x: -g * GAMMA_DENSITY(a, x),
    ],
    symbolic=lambda sp, a, x: sp.uppergamma(a, x) / sp.gamma(a),
    ball=lambda ball, a, x: x.gamma_upper(a, 1),
    domain=gamma_domain,
    over="a > 0 and x > 0",
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
    ball=lambda ball, a, b, x: x.beta_lower(a, b, 1),
    domain=beta_domain,
    over="a > 0 and b > 0 and 0 < x < 1",
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
    ball=lambda ball, a, b, x: (1 - x).beta_lower(b, a, 1),
    domain=beta_domain,
    over="a > 0 and b > 0 and 0 < x < 1",
    rounding=(64, 1024),
    source="DLMF 8.17.1, 8.17.4",
    example=(2.25, 1.5, 0.75),
)
