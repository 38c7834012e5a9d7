"""SciPy: Rosenbrock's function, Bessel functions, splines and polynomials, matrix exponentials."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import interpolate, linalg, optimize, special

from benchmarks.packages.pair import Pair

POINT = np.array([0.4, 1.3, 0.7])
KNOTS, DATA = np.array([0.0, 0.7, 1.5, 2.2, 3.0]), np.array([0.3, -0.6, 1.1, 0.2, -1.0])
BESSEL = {
    "jv": special.jvp,
    "yv": special.yvp,
    "iv": special.ivp,
    "kv": special.kvp,
}
SPHERICAL = ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")


def _of_special() -> Iterator[Pair]:
    for name, slope in BESSEL.items():
        function = getattr(special, name)
        for order in (0, 1, 2.5):
            yield Pair(
                f"scipy: {slope.__name__} of order {order}",
                lambda x, f=function, v=order: f(v, x),
                lambda x, f=slope, v=order: f(v, x),
                (1.3,),
            )
    for name in SPHERICAL:
        function = getattr(special, name)
        for order in (0, 2):
            yield Pair(
                f"scipy: {name} of order {order}",
                lambda x, f=function, n=order: f(n, x),
                lambda x, f=function, n=order: f(n, x, derivative=True),
                (1.3,),
            )


def _of_splines() -> Iterator[Pair]:
    made = {
        "CubicSpline": interpolate.CubicSpline(KNOTS, DATA),
        "PchipInterpolator": interpolate.PchipInterpolator(KNOTS, DATA),
        "Akima1DInterpolator": interpolate.Akima1DInterpolator(KNOTS, DATA),
        "make_interp_spline": interpolate.make_interp_spline(KNOTS, DATA),
        "PPoly": interpolate.PPoly(np.arange(8.0).reshape(4, 2), KNOTS[:3]),
    }
    for name, spline in made.items():
        yield Pair(f"scipy: {name}.derivative", spline, spline.derivative(), (1.1,))
        first, second = spline.derivative(), spline.derivative(2)
        yield Pair(f"scipy: {name}.derivative(2)", first, second, (1.1,))
        yield Pair(f"scipy: {name}.antiderivative", spline.antiderivative(), spline, (1.1,))


def _of_polynomials() -> Iterator[Pair]:
    for name in ("legendre", "chebyt", "chebyu", "hermite", "laguerre"):
        polynomial = getattr(special, name)(4)
        yield Pair(f"scipy: {name}(4).deriv", polynomial, polynomial.deriv(), (0.3,))


def pairs() -> Iterator[Pair]:
    """At one point each."""
    der, hess = optimize.rosen_der, optimize.rosen_hess
    yield Pair("scipy: rosen_der", optimize.rosen, der, (POINT,))
    yield Pair("scipy: rosen_hess", optimize.rosen, hess, (POINT,), "hessian")
    yield Pair("scipy: rosen_hess of rosen_der", der, hess, (POINT,), "jacobian")
    matrix, change = np.outer(POINT, POINT) / 3, np.eye(3) + 0.1
    yield Pair(
        "scipy: expm_frechet",
        lambda t: linalg.expm(matrix + t * change),
        lambda t: linalg.expm_frechet(matrix + t * change, change, compute_expm=False),
        (0.2,),
        "jacobian",
    )
    yield from _of_special()
    yield from _of_splines()
    yield from _of_polynomials()
