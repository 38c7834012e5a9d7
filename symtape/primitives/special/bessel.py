"""Rows: Bessel functions. They are differentiable by their argument, not by their order."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import special

from symtape.primitives.power import ONE
from symtape.primitives.primitive import Primitive, declare

_LEAST: Final = 1e-290


def _real(v: Any, x: Any) -> Any:
    return (x > 0) | ((np.floor(v) == v) & ((x != 0) | (v >= 0))) | ((x == 0) & (v >= 0))


def _branch(v: Any, x: Any) -> Any:
    return (x == 0) & (np.floor(v) != v)


def _correct_near_zero(found: Any, v: Any, x: Any) -> Any:
    """The first term of the series of J_v and I_v, where the others are below its last digit.

    SciPy's functions are 0 at the least normal numbers, and nan below.
    """
    least = (x != 0) & (np.abs(x) < _LEAST) & (v >= 0) & _real(v, x)
    if not np.any(least):
        return found
    half, order = np.where(least, x, 1.0) / 2, np.where(least, v, 0.0)
    with np.errstate(under="ignore", over="ignore"):
        first = half**order / special.gamma(order + 1)
    return np.where(least, first, found).astype(found.dtype)[()]


def _jv(v: Any, x: Any) -> Any:
    return _correct_near_zero(special.jv(v, x), v, x)


def _iv(v: Any, x: Any) -> Any:
    return _correct_near_zero(special.iv(v, x), v, x)


J0: Primitive = declare(
    evaluate=special.j0,
    vjp=[lambda g, x: -g * J1(x)],
    symbolic=lambda sp, x: sp.besselj(0, x),
    ball=lambda ball, x: x.bessel_j(0),
    rounding=(8, 8),
    source="DLMF 10.6.3",
)
J1: Primitive = declare(
    evaluate=special.j1,
    vjp=[lambda g, x: g * (J0(x) - JV(2, x)) / 2],
    symbolic=lambda sp, x: sp.besselj(1, x),
    ball=lambda ball, x: x.bessel_j(1),
    rounding=(8, 8),
    source="DLMF 10.6.1",
)
Y0: Primitive = declare(
    evaluate=special.y0,
    vjp=[lambda g, x: -g * Y1(x)],
    symbolic=lambda sp, x: sp.bessely(0, x),
    ball=lambda ball, x: x.bessel_y(type(x)(0)),
    domain="x > 0",
    rounding=(8, 8),
    source="DLMF 10.6.3",
)
Y1: Primitive = declare(
    evaluate=special.y1,
    vjp=[lambda g, x: g * (Y0(x) - YV(2, x)) / 2],
    symbolic=lambda sp, x: sp.bessely(1, x),
    ball=lambda ball, x: x.bessel_y(type(x)(1)),
    domain="x > 0",
    rounding=(8, 8),
    source="DLMF 10.6.1",
)
I0: Primitive = declare(
    evaluate=special.i0,
    vjp=[lambda g, x: g * I1(x)],
    symbolic=lambda sp, x: sp.besseli(0, x),
    ball=lambda ball, x: x.bessel_i(0),
    rounding=(8, 8),
    source="DLMF 10.29.3",
)
I1: Primitive = declare(
    evaluate=special.i1,
    vjp=[lambda g, x: g * (I0(x) + IV(2, x)) / 2],
    symbolic=lambda sp, x: sp.besseli(1, x),
    ball="i1",
    rounding=(8, 8),
    source="DLMF 10.29.1",
)
K0: Primitive = declare(
    evaluate=special.k0,
    vjp=[lambda g, x: -g * K1(x)],
    symbolic=lambda sp, x: sp.besselk(0, x),
    ball=lambda ball, x: x.bessel_k(type(x)(0)),
    domain="x > 0",
    rounding=(8, 8),
    source="DLMF 10.29.3",
)
K1: Primitive = declare(
    evaluate=special.k1,
    vjp=[lambda g, y, x: -g * (K0(x) + y / x)],
    symbolic=lambda sp, x: sp.besselk(1, x),
    ball=lambda ball, x: x.bessel_k(type(x)(1)),
    domain="x > 0",
    rounding=(8, 8),
    source="DLMF 10.29.2",
)

JV: Primitive = declare(
    ufunc=special.jv,
    evaluate=_jv,
    vjp=["missing", lambda g, v, x: g * (JV(v - ONE(x), x) - JV(v + ONE(x), x)) / 2],
    symbolic="besselj",
    ball=lambda ball, v, x: x.bessel_j(v),
    domain=_real,
    convention="inf at 0 of an order between 0 and 1",
    kinks=_branch,
    over="x > 0",
    smooth="orders",
    rounding=(128, 128),
    source="DLMF 10.6.1",
    example=[(2, 0.75), (0.5, 2.25)],
)
YV: Primitive = declare(
    evaluate=special.yv,
    vjp=["missing", lambda g, v, x: g * (YV(v - ONE(x), x) - YV(v + ONE(x), x)) / 2],
    symbolic="bessely",
    ball=lambda ball, v, x: x.bessel_y(v),
    domain="x > 0",
    rounding=(16, 16),
    source="DLMF 10.6.1",
    example=[(2, 0.75), (0.5, 2.25)],
)
IV: Primitive = declare(
    ufunc=special.iv,
    evaluate=_iv,
    vjp=["missing", lambda g, v, x: g * (IV(v - ONE(x), x) + IV(v + ONE(x), x)) / 2],
    symbolic="besseli",
    ball=lambda ball, v, x: x.bessel_i(v),
    domain=_real,
    convention="inf at 0 of an order between 0 and 1",
    kinks=_branch,
    over="x > 0",
    smooth="orders",
    rounding=(16, 16),
    source="DLMF 10.29.1",
    example=[(2, 0.75), (0.5, 2.25)],
)


KV: Primitive = declare(
    evaluate=special.kv,
    vjp=["missing", lambda g, v, x: -g * (KV(v - ONE(x), x) + KV(v + ONE(x), x)) / 2],
    symbolic="besselk",
    ball=lambda ball, v, x: x.bessel_k(v),
    domain="x > 0",
    rounding=(16, 16),
    source="DLMF 10.29.1",
    example=[(2, 0.75), (0.5, 2.25)],
)
