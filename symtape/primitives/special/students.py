"""Rows: Student's t, and the non-central chi-squared distribution; others are made of them.

What SciPy's distributions call by private names is here under the functions that it is. Those that
have no reading in balls are rows outside of the vocabulary, whose suite asks for one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special
from scipy.special import _ufuncs

from symtape.primitives.arguments import doubles, keep_type
from symtape.primitives.power import ONE
from symtape.primitives.primitive import Array, Primitive, declare, implements
from symtape.primitives.special.entropy import XLOG1PY, XLOGY
from symtape.primitives.special.gamma import BETALN, DIGAMMA_DIFFERENCE, GAMMALN
from symtape.primitives.special.hypergeometric import HYP1F1
from symtape.primitives.special.scaled_bessel import I0E
from symtape.primitives.special.shapes import BETA_BY_SHAPES


@keep_type
def student_density(df: Array, t: Array) -> Array:
    """The density of Student's t."""
    log = -(df + 1) / 2 * np.log1p(t * t / df) - special.betaln(df / 2, 0.5) - np.log(df) / 2
    return np.exp(log)


def slope_by_freedom(df: Array, t: Array) -> Array:
    """The slope of stdtr by `df`: that of the ratio ``t**2 / df``, and that of the shape."""
    square = t * ONE(df) * t
    shape = BETA_BY_SHAPES(df / 2, 0.5, df / (df + square), orders=(1, 0))
    return -np.sign(t) * shape / 4 - STUDENT_DENSITY(df, t) * t / (2 * df)


def _student_ball(ball: Any, df: Any, t: Any) -> Any:
    """DLMF 8.17.7, 15.8.1, in a form that is analytic in t."""

    def function(df: Any, t: Any) -> Any:
        half = type(t)(0.5)
        scale = (df / 2 + half).gamma() * (df / 2).rgamma() / (df * half.pi()).sqrt()
        return half + t * scale * (-t * t / df).hypgeom_2f1(half, df / 2 + half, 3 * half)

    def is_inside_domain(df: Any, t: Any) -> bool:
        return bool(df.real > 0) and bool((1 + t * t / df).real > 0)

    return ball.analytic(function, df, t, inside=is_inside_domain)


def _density_by_freedom(df: Array, t: Array) -> Array:
    """The slope of the density's logarithm by `df`."""
    square = t * ONE(df) * t
    shape = DIGAMMA_DIFFERENCE(df / 2, 0.5) / 2 - 1 / (2 * df)
    return shape - np.log1p(square / df) / 2 + (df + 1) * square / (2 * df * (df + square))


def _density_ball(ball: Any, df: Any, t: Any) -> Any:
    half = type(df)(1) / 2
    scale = ball.gamma(df / 2 + half) * (df / 2).rgamma()
    power = ball.exp(-(df + 1) / 2 * ball.log1p(t * t / df))
    return scale * power / ball.sqrt(df * half.pi())


STUDENT_DENSITY: Primitive = declare(
    evaluate=student_density,
    vjp=[
        lambda g, y, df, t: g * (y * _density_by_freedom(df, t)),
        lambda g, y, df, t: -g * (y * (df + ONE(t)) * t / (df + t * t)),
    ],
    symbolic=lambda sp, df, t: (
        sp.gamma((df + 1) / 2)
        / (sp.sqrt(df * sp.pi) * sp.gamma(df / 2))
        * (1 + t**2 / df) ** (-(df + 1) / 2)
    ),
    ball=_density_ball,
    domain="df > 0",
    rounding=(16, 1024),
    source="the derivative of stdtr, DLMF 8.17.7",
    example=(2.5, 0.75),
)
STDTR = declare(
    ufunc=special.stdtr,
    evaluate=lambda df, t: special.stdtr(df, t),
    vjp=[
        lambda g, df, t: g * slope_by_freedom(df, t),
        lambda g, df, t: g * STUDENT_DENSITY(df, t),
    ],
    elementwise=True,
    ball=_student_ball,
    domain="df > 0",
    rounding=(64, 256),
    source="DLMF 8.17.7",
    example=[(2.5, 0.75), (7.25, -1.5)],
)


def _ncx2_ball(ball: Any, x: Any, df: Any, nc: Any) -> Any:
    def function(x: Any, df: Any, nc: Any) -> Any:
        half = df / 2
        scale = ((half - 1) * (x / 2).log() - (x + nc) / 2).exp() * half.rgamma() / 2
        return scale * (nc * x / 4).hypgeom_0f1(half)

    def is_inside_domain(x: Any, df: Any, nc: Any) -> bool:
        return bool(x.real > 0) and bool(df.real > 0)

    return ball.analytic(function, x, df, nc, inside=is_inside_domain)


NCX2_PDF: Primitive = declare(
    name="ncx2_pdf",
    ufunc=_ufuncs._ncx2_pdf,
    evaluate=lambda x, df, nc: _ufuncs._ncx2_pdf(x, df, nc),
    vjp=[
        lambda g, y, x, df, nc: (
            g
            * (y * ((df / 2 - ONE(x)) / x - 0.5) + nc / (2 * x) * NCX2_PDF(x, df + 2 * ONE(x), nc))
        ),
        "missing",
        lambda g, y, x, df, nc: g * ((NCX2_PDF(x, df + 2, nc) - y) / 2),
    ],
    elementwise=True,
    ball=_ncx2_ball,
    domain=lambda x, df, nc: (x > 0) & (df > 0) & (nc >= 0),
    over="x > 0 and df > 0 and nc > 0",
    rounding=(64, 256),
    source="DLMF 10.25.2, 10.29.2",
    example=(2.25, 3.5, 0.75),
)
CHNDTR = Primitive(
    name="chndtr",
    evaluate=lambda x, df, nc: special.chndtr(x, df, nc),
    vjp=[
        lambda g, x, df, nc: g * NCX2_PDF(x, df, nc),
        "missing",
        lambda g, x, df, nc: -g * NCX2_PDF(x, df + 2, nc),
    ],
    elementwise=True,
    domain=lambda x, df, nc: (x > 0) & (df > 0) & (nc >= 0),
    over="x > 0 and df > 0 and nc > 0",
    rounding=(64, 1024),
    source="the integral of the density",
)
implements(special.chndtr)(CHNDTR)


@implements(_ufuncs._ncf_pdf)
def ncf_pdf(x: Array, dfn: Array, dfd: Array, nc: Array) -> Array:
    """The density of the non-central F distribution, by Kummer's function."""
    share = dfn * x / (dfd + dfn * x)
    log = np.log(dfn / dfd) - BETALN(dfn / 2, dfd / 2) - nc / 2
    log = log + (dfn / 2 - 1) * np.log(dfn * x / dfd)
    log = log - (dfn + dfd) / 2 * np.log1p(dfn * x / dfd)
    return np.exp(log) * HYP1F1((dfn + dfd) / 2, dfn / 2, nc * share / 2)


@implements("scipy.special._ufuncs._nct_pdf")
def nct_pdf(x: Array, df: Array, nc: Array) -> Array:
    """The density of the non-central t distribution, by Kummer's functions."""
    rest = df + x * x
    z = nc * nc * x * x / (2 * rest)
    log = GAMMALN(df + 1) + df / 2 * np.log(df) - df * math.log(2) - nc * nc / 2
    log = log - GAMMALN(df / 2) - df / 2 * np.log(rest)
    odd = math.sqrt(2) * nc * x * HYP1F1(df / 2 + 1, 1.5, z) / rest
    odd = odd * np.exp(-GAMMALN((df + 1) / 2))
    even = HYP1F1((df + 1) / 2, 0.5, z) / np.sqrt(rest) * np.exp(-GAMMALN(df / 2 + 1))
    return np.exp(log) * (odd + even)


NCTDTR = Primitive(
    name="nctdtr",
    evaluate=lambda df, nc, t: special.nctdtr(df, nc, t),
    vjp=["missing", "missing", lambda g, df, nc, t: g * nct_pdf(t, df, nc)],
    elementwise=True,
    domain=lambda df, nc, t: df > 0,
    over="df > 0",
    rounding=(64, 4096),
    source="the integral of the density",
)
implements(special.nctdtr)(NCTDTR)
NCFDTR = Primitive(
    name="ncfdtr",
    evaluate=lambda dfn, dfd, nc, f: special.ncfdtr(dfn, dfd, nc, f),
    vjp=[
        "missing",
        "missing",
        "missing",
        lambda g, dfn, dfd, nc, f: g * ncf_pdf(f, dfn, dfd, nc),
    ],
    elementwise=True,
    domain=lambda dfn, dfd, nc, f: (dfn > 0) & (dfd > 0) & (nc >= 0) & (f > 0),
    over="dfn > 0 and dfd > 0 and nc > 0 and f > 0",
    rounding=(64, 4096),
    source="the integral of the density",
)
implements(special.ncfdtr)(NCFDTR)


def _von_mises(kappa: Array, x: Array) -> Array:
    from scipy.stats import _stats

    kappa, x = np.broadcast_arrays(*doubles(kappa, x))
    # Of negative ones SciPy's code does not end.
    known = np.where(kappa >= 0, kappa, np.nan)
    return _stats.von_mises_cdf(np.ravel(known), np.ravel(x)).reshape(x.shape)[()]


def _von_mises_ball(ball: Any, kappa: Any, x: Any) -> Any:
    def function(kappa: Any, x: Any) -> Any:
        def density(t: Any, _: Any) -> Any:
            return (kappa * t.cos()).exp()

        pi = x.pi()
        return type(x)(0.5) + type(x).integral(density, 0, x) / (2 * pi * kappa.bessel_i(0))

    return ball.analytic(function, kappa, x, inside=lambda kappa, x: bool(kappa.real > 0))


VONMISES_CDF: Primitive = declare(
    name="vonmises_cdf",
    evaluate=_von_mises,
    vjp=[
        "missing",
        lambda g, kappa, x: (
            g * (np.exp(kappa * (np.cos(x) - 1)) / I0E(kappa * ONE(x)) / (2 * math.pi))
        ),
    ],
    inputs="kappa x",
    elementwise=True,
    ball=_von_mises_ball,
    domain="kappa > 0",
    rounding=(64, 1024),
    source="the integral of the density, DLMF 10.32.1",
    example=(2.25, 0.75),
)


@implements(_ufuncs._cosine_cdf)
def cosine_cdf(x: Array) -> Array:
    """The raised cosine distribution."""
    inside = np.clip(x, -math.pi, math.pi)
    return (math.pi + inside + np.sin(inside)) / (2 * math.pi)


@implements(_ufuncs._binom_pmf)
def binom_pmf(k: Array, n: Array, p: Array) -> Array:
    """The binomial distribution at `k`."""
    log = -BETALN(n - k + 1.0, k + 1.0) - np.log(n + 1.0)
    return np.exp(log + XLOGY(k, p) + XLOG1PY(n - k, -p))


@implements(_ufuncs._nbinom_pmf)
def nbinom_pmf(k: Array, n: Array, p: Array) -> Array:
    """The negative binomial distribution at `k`."""
    log = -BETALN(n, k + 1.0) - np.log(n + k)
    return np.exp(log + XLOGY(n, p) + XLOG1PY(k, -p))
