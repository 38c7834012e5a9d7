"""Rows: the gamma function, its logarithmic derivatives, and the beta function."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from scipy import special

from symtape.primitives.arguments import in_doubles
from symtape.primitives.primitive import Array, Primitive, declare
from symtape.primitives.special.half_turns import COSPI

_FARTHEST: Final = 10_000
_BERNOULLI: Final = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_SHIFT: Final = 16
_HUGE: Final = 1e300


def polygamma(order: int, x: Array) -> Array:
    """The polygamma function of any positive `order`; nan below -10,000.

    SciPy's is for positive x; the others are shifted there (DLMF 5.15.5).
    """
    x = np.asarray(x)
    wide = x.astype(np.float64, casting="same_kind")
    if np.all(wide >= 0):
        series = special.zeta(order + 1, wide)
    else:
        steps = np.where(wide < 0, np.floor(-wide) + 1, 0)
        far = steps > _FARTHEST
        steps = np.where(far, 0, steps)
        poles = np.zeros_like(wide)
        for k in range(int(np.max(steps, initial=0))):
            near = k < steps
            poles = poles + np.where(near, np.where(near, wide + k, 1.0) ** -(order + 1), 0)
        series = special.zeta(order + 1, np.where(far, np.nan, wide + steps)) + poles
    result = (-1.0) ** (order + 1) * math.factorial(order) * series
    return result.astype(x.dtype) if x.dtype.kind == "f" else result


def _share(a: Array, b: Array) -> Array:
    """``b / (a + b)``, where the sum may overflow."""
    scale = np.where(np.maximum(a, b) > _HUGE, 0.5, 1.0)
    return scale * b / (scale * a + scale * b)


@in_doubles(2)
def digamma_difference(a: Array, b: Array) -> Array:
    """``digamma(a + b) - digamma(a)`` for positive a and b, without cancellation.

    Shifted up by the recurrence (DLMF 5.5.2), then the difference of the two asymptotic
    expansions (DLMF 5.11.2), taken term by term.
    """
    total = np.zeros(np.broadcast_shapes(a.shape, b.shape))
    for k in range(_SHIFT):
        total = total + _share(a + k, b) / (a + k)
    a = a + _SHIFT
    growth = np.log1p(b / a)
    total = total + growth + _share(a, b) / a / 2
    for k, bernoulli in enumerate(_BERNOULLI, start=1):
        total = total - bernoulli / (2 * k) * a ** (-2.0 * k) * np.expm1(-2 * k * growth)
    return total


def is_off_poles(x: Any) -> Any:
    """Whether the gamma function has a value: it has none at 0 and at negative integers."""
    return (x > 0) | (np.floor(x) != x)


def _rgamma_rule(g: Array, y: Array, x: Array) -> Array:
    # By reflection (DLMF 5.5.3), left of 1/2, so that it is right where digamma has its poles.
    left = np.less(x, 0.5)
    mirrored = np.where(left, 1 - x, x)
    slope = COSPI(x) * GAMMA(np.where(left, 1 - x, 1))
    return g * (np.where(left, slope, 0) - y * DIGAMMA(mirrored))


GAMMA = declare(
    evaluate=special.gamma,
    vjp=[lambda g, y, x: g * (y * DIGAMMA(x))],
    symbolic="gamma",
    domain=is_off_poles,
    rounding=(8, 8),
    complex="holomorphic",
    source="DLMF 5.2.2",
    example=[(2.25,), (-0.75,)],
)
RGAMMA = declare(
    evaluate=special.rgamma,
    vjp=[_rgamma_rule],
    symbolic=lambda sp, x: 1 / sp.gamma(x),
    ball=lambda ball, x: x.rgamma(),
    over="x < 0.5 or x > 0.5",
    rounding=(8, 8),
    complex=[lambda g, y, x: -g * (y * DIGAMMA(x))],
    source="DLMF 5.2.2, 5.5.3",
    example=[(2.25,), (-0.75,)],
)
GAMMALN = declare(
    evaluate=special.gammaln,
    vjp=[lambda g, x: g * DIGAMMA(x)],
    symbolic="loggamma",
    domain=is_off_poles,
    rounding=(12, 16),
    xla=(40, 40),
    source="DLMF 5.2.2",
    example=(2.25,),
)
LOGGAMMA = declare(
    evaluate=special.loggamma,
    vjp=[lambda g, x: g * DIGAMMA(x)],
    symbolic="loggamma",
    ball="gammaln",
    domain="x > 0",
    rounding=(12, 16),
    complex="holomorphic",
    source="DLMF 5.2.2",
    example=(2.25,),
)
DIGAMMA: Primitive = declare(
    evaluate=special.psi,
    vjp=[lambda g, x: g * POLYGAMMA(1, x)],
    symbolic=lambda sp, x: sp.polygamma(0, x),
    ball="digamma",
    domain=is_off_poles,
    rounding=(8, 8),
    xla=(16, 16),
    source="DLMF 5.2.2",
    example=[(2.25,), (-0.75,)],
)
POLYGAMMA: Primitive = declare(
    evaluate=polygamma,
    vjp=[None, lambda g, order, x: g * POLYGAMMA(order + 1, x)],
    symbolic="polygamma",
    domain=lambda order, x: is_off_poles(x),
    rounding=(8, 8),
    source="DLMF 5.15.1",
    example=[(1, 2.25), (2, -0.75)],
)

# SciPy computes these two by differences of gammaln, hence their rounding.
BETA = declare(
    evaluate=special.beta,
    vjp=[
        lambda g, y, a, b: -g * (y * DIGAMMA_DIFFERENCE(a, b)),
        lambda g, y, a, b: -g * (y * DIGAMMA_DIFFERENCE(b, a)),
    ],
    symbolic=lambda sp, a, b: sp.gamma(a) * sp.gamma(b) / sp.gamma(a + b),
    ball=lambda ball, a, b: ball.gamma(a) * ball.gamma(b) * (a + b).rgamma(),
    domain="a > 0 and b > 0",
    rounding=(1024, 1024),
    source="DLMF 5.12.1",
    example=(2.25, 0.75),
)
BETALN = declare(
    evaluate=special.betaln,
    vjp=[
        lambda g, a, b: -g * DIGAMMA_DIFFERENCE(a, b),
        lambda g, a, b: -g * DIGAMMA_DIFFERENCE(b, a),
    ],
    symbolic=lambda sp, a, b: sp.loggamma(a) + sp.loggamma(b) - sp.loggamma(a + b),
    ball=lambda ball, a, b: ball.gammaln(a) + ball.gammaln(b) - ball.gammaln(a + b),
    domain="a > 0 and b > 0",
    rounding=(1024, 1024),
    source="DLMF 5.12.1",
    example=(2.25, 0.75),
)
DIGAMMA_DIFFERENCE: Primitive = declare(
    evaluate=digamma_difference,
    vjp=[
        lambda g, a, b: g * (POLYGAMMA(1, a + b) - POLYGAMMA(1, a)),
        lambda g, a, b: g * POLYGAMMA(1, a + b),
    ],
    symbolic=lambda sp, a, b: sp.polygamma(0, a + b) - sp.polygamma(0, a),
    ball=lambda ball, a, b: ball.digamma(a + b) - ball.digamma(a),
    domain="a > 0 and b > 0",
    rounding=(8, 16),
    source="DLMF 5.5.2, 5.11.2",
    example=(2.25, 0.75),
)

GAMMASGN = declare(
    evaluate=special.gammasgn,
    vjp=None,
    elementwise=True,
    ball=lambda ball, x: ball.sign(x.rgamma()),
    convention="constant across a pole",
    kinks=lambda x: ~is_off_poles(x),
    rounding=(0, 0),
    source="constant between the poles of gamma",
    example=(-0.75,),
)
POCH = declare(
    evaluate=special.poch,
    vjp=[
        lambda g, y, z, m: g * (y * DIGAMMA_DIFFERENCE(z, m)),
        lambda g, y, z, m: g * (y * DIGAMMA(z + m)),
    ],
    symbolic=lambda sp, z, m: sp.gamma(z + m) / sp.gamma(z),
    ball=lambda ball, z, m: ball.gamma(z + m) * z.rgamma(),
    domain="z > 0 and m > 0",
    rounding=(1024, 1024),
    source="DLMF 5.2.5",
    example=(2.25, 0.75),
)
BINOM = declare(
    evaluate=special.binom,
    vjp=[
        lambda g, y, n, k: g * (y * DIGAMMA_DIFFERENCE(1 + n - k, k)),
        lambda g, y, n, k: g * (y * (DIGAMMA(1 + n - k) - DIGAMMA(1 + k))),
    ],
    symbolic=lambda sp, n, k: sp.gamma(n + 1) / (sp.gamma(k + 1) * sp.gamma(n - k + 1)),
    ball=lambda ball, n, k: ball.gamma(n + 1) * (k + 1).rgamma() * (n - k + 1).rgamma(),
    domain=lambda n, k: (k >= 0) & (n - k > -1),
    over="k > 0 and k < n",
    rounding=(1024, 1024),
    source="DLMF 1.2.6, 5.2.2",
    example=(5.5, 2.25),
)
