"""Rows: the densities of the gamma and beta distributions."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from scipy import special

from symtape.primitives.arguments import in_doubles
from symtape.primitives.power import ONE
from symtape.primitives.primitive import Array, Primitive, declare
from symtape.primitives.special.gamma import DIGAMMA, DIGAMMA_DIFFERENCE

_STIRLING: Final = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_LARGE: Final = 12.0


@in_doubles(2)
def gamma_density(a: Array, x: Array) -> Array:
    """``x**(a - 1) * exp(-x) / gamma(a)``.

    For large a by Stirling's series (DLMF 5.11.1) about the mode, where the terms of the
    logarithm are large and cancel.
    """
    large = a > _LARGE
    low, high = np.where(large, 1.0, a), np.where(large, a, _LARGE)
    direct = np.exp(special.xlogy(low - 1, x) - x - special.gammaln(low))
    series = sum(c * high ** -(2 * k + 1) for k, c in enumerate(_STIRLING))
    with np.errstate(divide="ignore"):
        off = (x - high) / high
        # Far below the mode 1 + off would have lost the digits of x.
        log = np.where(off < -0.5, np.log(x / high), np.log1p(np.maximum(off, -0.5)))
        about = np.exp(-high * (off - log) - series)
        about = about * np.sqrt(high / (2 * math.pi)) / np.where(x == 0, 1, x)
    return np.where(large, about, direct)


@in_doubles(3)
def beta_density(a: Array, b: Array, x: Array) -> Array:
    """``x**(a - 1) * (1 - x)**(b - 1) / beta(a, b)``."""
    powers = special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x)
    return np.exp(powers - special.betaln(a, b))


GAMMA_DENSITY: Primitive = declare(
    evaluate=gamma_density,
    vjp=[
        lambda g, y, a, x: g * (y * (np.log(x * ONE(a)) - DIGAMMA(a))),
        lambda g, y, a, x: g * (y * ((a - ONE(x) - x) / x)),
    ],
    symbolic=lambda sp, a, x: x ** (a - 1) * sp.exp(-x) / sp.gamma(a),
    ball=lambda ball, a, x: ball.power(x, a - 1) * ball.exp(-x) * a.rgamma(),
    domain="a > 0 and x > 0",
    rounding=(16, 128),
    source="the derivative of gammainc, DLMF 8.8.13",
    example=[(2.25, 0.75), (30.5, 28.25)],
)
BETA_DENSITY: Primitive = declare(
    evaluate=beta_density,
    vjp=[
        lambda g, y, a, b, x: g * (y * (np.log(x * ONE(a)) + DIGAMMA_DIFFERENCE(a, b))),
        lambda g, y, a, b, x: g * (y * (np.log1p(-x * ONE(b)) + DIGAMMA_DIFFERENCE(b, a))),
        lambda g, y, a, b, x: g * (y * ((a - ONE(x)) / x - (b - ONE(x)) / (1 - x))),
    ],
    symbolic=lambda sp, a, b, x: (
        x ** (a - 1) * (1 - x) ** (b - 1) * sp.gamma(a + b) / (sp.gamma(a) * sp.gamma(b))
    ),
    ball=lambda ball, a, b, x: (
        ball.power(x, a - 1)
        * ball.power(1 - x, b - 1)
        * ball.gamma(a + b)
        * a.rgamma()
        * b.rgamma()
    ),
    domain="a > 0 and b > 0 and 0 < x < 1",
    # By differences of gammaln, as SciPy's beta.
    rounding=(1024, 1024),
    source="the derivative of betainc, DLMF 8.17.1",
    example=(2.25, 1.5, 0.75),
)
