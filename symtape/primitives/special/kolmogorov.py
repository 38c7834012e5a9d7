"""Rows: the distributions of Kolmogorov, Smirnov, Landau and Tukey, by their densities.

Of those densities the slopes are not known here, and asking for them is an error. So they
are rows outside of the vocabulary, and so are those distributions that Arb has not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special
from scipy.special import _ufuncs

from symtape.primitives.primitive import Array, Primitive, declare, implements

KOLMOGOROV_SLOPE = Primitive(
    name="kolmogorov_slope",
    evaluate=lambda x: _evaluate_kolmogorov_slope(x),
    vjp=["missing"],
    elementwise=True,
    ball=lambda ball, x: ball.analytic(_kolmogorov_slope, x, inside=_is_in_right_quarter),
    domain=lambda x: x > 0,
    rounding=(16, 64),
    source="DLMF 20.2.4, 20.13.1",
    example=(0.75,),
)
implements(_ufuncs._kolmogp)(KOLMOGOROV_SLOPE)
KOLMOGOROV: Primitive = declare(
    name="kolmogorov",
    ufunc=special.kolmogorov,
    evaluate=lambda x: special.kolmogorov(x),
    vjp=[lambda g, x: g * KOLMOGOROV_SLOPE(x)],
    elementwise=True,
    ball=lambda ball, x: ball.analytic(_kolmogorov, x, inside=_is_in_right_quarter),
    domain=lambda x: x > 0,
    over="x > 0",
    rounding=(16, 64),
    source="DLMF 20.2.4",
    example=[(0.75,), (1.75,)],
)
SMIRNOV_SLOPE = Primitive(
    name="smirnov_slope",
    evaluate=lambda n, d: _ufuncs._smirnovp(n, d),
    vjp=["missing", "missing"],
    elementwise=True,
    domain=lambda n, d: (d > 0) & (d < 1),
    rounding=(16, 1024),
    source="Birnbaum and Tingey 1951",
)
implements(_ufuncs._smirnovp)(SMIRNOV_SLOPE)
SMIRNOV = Primitive(
    name="smirnov",
    evaluate=lambda n, d: special.smirnov(n, d),
    vjp=["missing", lambda g, n, d: g * SMIRNOV_SLOPE(n, d)],
    elementwise=True,
    domain=lambda n, d: (d > 0) & (d < 1),
    rounding=(16, 1024),
    source="Birnbaum and Tingey 1951",
)
implements(special.smirnov)(SMIRNOV)
LANDAU_DENSITY = Primitive(
    name="landau_density",
    evaluate=lambda z: _ufuncs._landau_pdf(z, 0.0, 1.0),
    vjp=["missing"],
    inputs="z",
    elementwise=True,
    rounding=(16, 64),
    source="Landau 1944",
)
LANDAU_CDF = Primitive(
    name="landau_cdf",
    evaluate=lambda z: _ufuncs._landau_cdf(z, 0.0, 1.0),
    vjp=[lambda g, z: g * LANDAU_DENSITY(z)],
    inputs="z",
    elementwise=True,
    rounding=(16, 64),
    source="the integral of the density",
)
LANDAU_SF = Primitive(
    name="landau_sf",
    evaluate=lambda z: _ufuncs._landau_sf(z, 0.0, 1.0),
    vjp=[lambda g, z: -g * LANDAU_DENSITY(z)],
    inputs="z",
    elementwise=True,
    rounding=(16, 64),
    source="the integral of the density",
)


def _is_in_right_quarter(x: Any) -> bool:
    return bool(x.real > 0) and bool((x * x).real > 0)


def _evaluate_kolmogorov_slope(x: Array) -> Array:
    """By its series (DLMF 20.2.4) above 0.8, where SciPy 1.17 leaves out the fourth term."""
    x = np.asarray(x)
    large = np.clip(x, 0.8, 40.0)  # the series converges, and its sum underflows at 40
    terms = [(-1) ** k * k**2 * np.exp(-2 * k**2 * np.square(large)) for k in range(1, 7)]
    return np.where(x > 0.8, 8 * large * sum(terms), _ufuncs._kolmogp(x))[()]


def _kolmogorov(x: Any) -> Any:
    tau = 2 * type(x)(0, 1) * x * x / x.pi()
    return 1 - type(x).modular_theta(type(x)(0), tau)[3]


def _kolmogorov_slope(x: Any) -> Any:
    """By the equation of heat (DLMF 20.13.1)."""
    tau = 2 * type(x)(0, 1) * x * x / x.pi()
    return -x / x.pi() ** 2 * type(x).modular_theta(type(x)(0), tau, 2)[3]


def standardise(x: Array, loc: Array, scale: Array) -> Array:
    """What Landau's distribution of a place and a scale is at, as that of neither."""
    # The family is stable, of exponent 1: scaling moves it as well.
    return (x - loc) / scale - 2 / np.pi * np.log(scale)


def _tukey_by_shape(p: Array, shape: Array) -> Array:
    """The slope of ``(p**shape - (1 - p)**shape) / shape`` by `shape`."""
    one, other = np.power(p, shape), np.power(1 - p, shape)
    moved = one * np.log(p) - other * np.log1p(-p)
    return (moved - (one - other) / shape) / shape


TKLMBDA = Primitive(
    name="tklmbda",
    evaluate=lambda x, lmbda: special.tklmbda(x, lmbda),
    vjp=[
        lambda g, y, x, lmbda: g / (np.power(y, lmbda - 1) + np.power(1 - y, lmbda - 1)),
        lambda g, y, x, lmbda: (
            -g * _tukey_by_shape(y, lmbda) / (np.power(y, lmbda - 1) + np.power(1 - y, lmbda - 1))
        ),
    ],
    elementwise=True,
    domain=lambda x, lmbda: (lmbda <= 0) | (np.abs(x) * lmbda < 1),
    over="lmbda > 0",
    rounding=(64, 2**34),
    source="the inverse of Tukey's quantile function",
)
implements(special.tklmbda)(TKLMBDA)
