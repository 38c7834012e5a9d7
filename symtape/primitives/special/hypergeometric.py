"""Rows: hypergeometric functions, differentiable by their argument and not by their parameters.

With them, what has slopes that are hypergeometric: the dilogarithm, and Shi and Chi.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.primitives.arguments import keep_type
from symtape.primitives.power import ONE
from symtape.primitives.primitive import Array, Primitive, declare
from symtape.primitives.special.gamma import is_off_poles


def _anywhere(*boxes: Any) -> bool:
    """Without singularities but the poles by the last parameter, where no ball is finite."""
    return True


def _is_in_plane_cut_from_one(a: Any, b: Any, c: Any, z: Any) -> bool:
    return bool(z.real < 1)


def _hyp1f1_ball(ball: Any, a: Any, b: Any, z: Any) -> Any:
    return ball.analytic(lambda a, b, z: z.hypgeom_1f1(a, b), a, b, z, inside=_anywhere)


def _hyp2f1_ball(ball: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
    def function(a: Any, b: Any, c: Any, z: Any) -> Any:
        return z.hypgeom_2f1(a, b, c)

    return ball.analytic(function, a, b, c, z, inside=_is_in_plane_cut_from_one)


def _hyperu_ball(ball: Any, a: Any, b: Any, x: Any) -> Any:
    def function(a: Any, b: Any, x: Any) -> Any:
        return x.hypgeom_u(a, b)

    return ball.analytic(function, a, b, x, inside=lambda a, b, x: bool(x.real > 0))


def _hyp1f1(a: Array, b: Array, x: Array) -> Array:
    """SciPy's, but where it sums as many terms as `x` is large and does not end for days.

    There by the expansion for large `x`, DLMF 13.7.1 and 13.7.2.
    """
    large = np.abs(x) > 1e6
    if not np.any(large):
        return special.hyp1f1(a, b, x)
    far = large & (np.abs(x) > 1e4 * (1 + a * a + b * b)) & is_off_poles(a)
    near = special.hyp1f1(a, b, np.where(far, 1, x))
    with np.errstate(all="ignore"):
        return np.where(far, _hyp1f1_far(a, b, np.where(far, x, 1e6)), near).astype(near.dtype)[()]


def _hyp1f1_far(a: Array, b: Array, x: Array) -> Array:
    term = total = 1.0
    for k in range(5):
        term = term * (a + k) * (a - b + 1 + k) / ((k + 1) * -x)
        total = total + term
    decaying = special.gamma(b) * special.rgamma(b - a) * np.power(np.abs(x), -a) * total
    growing = special.gammasgn(a) * special.gammasgn(b) * np.inf
    return np.where(x > 0, growing, decaying)


HYP0F1: Primitive = declare(
    evaluate=special.hyp0f1,
    vjp=["missing", lambda g, v, z: g * (HYP0F1(v + ONE(z), z) / v)],
    symbolic=lambda sp, v, z: sp.hyper([], [v], z),
    ball=lambda ball, v, z: ball.analytic(
        lambda v, z: z.hypgeom_0f1(v), v, z, inside=lambda v, z: True
    ),
    domain=lambda v, z: is_off_poles(v),
    over="v > 0",
    rounding=(64, 256),
    source="DLMF 16.3.1",
    example=[(1.5, 0.75), (2.5, -3.25)],
)
HYP1F1: Primitive = declare(
    ufunc=special.hyp1f1,
    evaluate=_hyp1f1,
    vjp=[
        "missing",
        "missing",
        lambda g, a, b, x: g * (HYP1F1(a + ONE(x), b + ONE(x), x) * a / b),
    ],
    symbolic=lambda sp, a, b, x: sp.hyper([a], [b], x),
    ball=_hyp1f1_ball,
    domain=lambda a, b, x: is_off_poles(b),
    over="b > 0",
    rounding=(64, 256),
    source="DLMF 13.3.15",
    example=[(1.25, 2.5, 0.75), (0.5, 1.5, -3.25)],
)
HYP2F1: Primitive = declare(
    ufunc=special.hyp2f1,
    evaluate=keep_type(lambda a, b, c, z: special.hyp2f1(a, b, c, z)),
    vjp=[
        "missing",
        "missing",
        "missing",
        lambda g, a, b, c, z: g * (HYP2F1(a + ONE(z), b + ONE(z), c + ONE(z), z) * a * b / c),
    ],
    symbolic=lambda sp, a, b, c, z: sp.hyper([a, b], [c], z),
    ball=_hyp2f1_ball,
    domain=lambda a, b, c, z: (z < 1) & is_off_poles(c),
    over="c > 0 and z < 1",
    rounding=(64, 1024),
    source="DLMF 15.5.1",
    example=[(0.5, 1.25, 2.5, 0.375), (1.0, 1.0, 2.0, -3.25)],
)
HYPERU: Primitive = declare(
    ufunc=special.hyperu,
    evaluate=lambda a, b, x: special.hyperu(a, b, x),
    vjp=["missing", "missing", lambda g, a, b, x: -g * (a * HYPERU(a + ONE(x), b + ONE(x), x))],
    elementwise=True,
    ball=_hyperu_ball,
    domain="x > 0",
    rounding=(64, 1024),
    source="DLMF 13.3.22",
    example=[(1.25, 2.5, 0.75), (0.5, 0.25, 3.25)],
)
SPENCE: Primitive = declare(
    evaluate=special.spence,
    vjp=[lambda g, z: -g * HYP2F1(1.0, 1.0, 2.0, 1 - z)],
    symbolic=lambda sp, z: sp.polylog(2, 1 - z),
    ball=lambda ball, z: ball.analytic(
        lambda z: (1 - z).polylog(2), z, inside=lambda z: bool(z.real > 0)
    ),
    domain="z > 0",
    rounding=(8, 32),
    source="DLMF 25.12.2, 15.4.1",
    example=[(0.375,), (3.25,)],
)
SHI = declare(
    name="hyperbolic_sine_integral",
    evaluate=lambda x: special.shichi(x)[0],
    vjp=[lambda g, x: g * HYP0F1(1.5, x * x / 4)],
    symbolic="Shi",
    ball=lambda ball, x: x.shi(),
    rounding=(8, 16),
    complex=[lambda g, x: g * np.sinc(1j * x / np.pi)],
    source="DLMF 6.2.15, 10.39.9",
)
CHI = declare(
    name="hyperbolic_cosine_integral",
    evaluate=lambda x: special.shichi(x)[1],
    vjp=[lambda g, x: g * (np.cosh(x) / x)],
    symbolic="Chi",
    ball=lambda ball, x: x.chi(),
    domain="x > 0",
    rounding=(8, 16),
    complex="holomorphic",
    source="DLMF 6.2.16",
)
