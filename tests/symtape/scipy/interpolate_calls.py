"""Calls of scipy.interpolate by its plain names: a function and its arguments for each."""

from __future__ import annotations

import numpy as np
from scipy import interpolate
from scipy.interpolate import BPoly, BSpline, CubicSpline, PPoly

X = np.array([0.0, 0.7, 1.5, 2.6, 3.1, 4.0])
Y = np.array([0.5, 2.0, -0.75, 1.25, 0.3, -1.1])
AT = np.array([0.3, 1.17, 3.3])
KNOTS = np.array([0, 0, 0, 0, 1.5, 2.6, 4, 4, 4, 4.0])
APART = np.array([-0.9, -0.5, -0.2, 0.0, 1.5, 2.6, 4.0, 4.3, 4.5, 5.1])
C = np.stack([Y[:5], Y[1:], Y[::-1][:5]])
PLANE = np.array([0.0, 1.0, 2.5, 3.0]), np.array([0.0, 0.5, 1.0, 2.2])
HEIGHTS = np.arange(16.0).reshape(4, 4) * 0.7 % 2.3
POINTS = np.array([[0.3, 0.4], [1.7, 2.1]])
MADE = CubicSpline(X, Y)
MADE_B = BSpline(KNOTS, Y, 3)
MADE_BY_FITPACK = interpolate.UnivariateSpline(X, Y, s=0)
MADE_GRID = interpolate.RegularGridInterpolator(PLANE, HEIGHTS)
SCATTERED = np.stack([X, X**2 * 0.3 % 1], axis=1)

CALLS = {
    **{
        f"CubicSpline, {ends}": (
            lambda x, y, at, ends=ends: CubicSpline(x, y, bc_type=ends)(at),
            X,
            Y,
            AT,
        )
        for ends in ("not-a-knot", "natural", "clamped", ((1, 0.3), (2, -0.1)))
    },
    "CubicSpline, periodic": (
        lambda y, at: CubicSpline(X, np.append(y, y[:1]), bc_type="periodic")(at),
        Y[:5],
        AT,
    ),
    "CubicSpline that is made already": (lambda at: MADE(at), AT),
    "CubicSpline beyond its ends": (lambda y, at: CubicSpline(X, y)(at), Y, 3 * AT - 2),
    "CubicSpline along an axis": (
        lambda y, at: CubicSpline(X, y, axis=1)(at),
        np.stack([Y, Y**2]),
        AT,
    ),
    "CubicSpline, its slope": (lambda y, at: CubicSpline(X, y)(at, 1), Y, AT),
    "CubicSpline.derivative": (lambda y, at: CubicSpline(X, y).derivative()(at), Y, AT),
    "CubicSpline.antiderivative": (lambda y, at: CubicSpline(X, y).antiderivative()(at), Y, AT),
    "CubicSpline.integrate": (
        lambda y, ends: CubicSpline(X, y).integrate(ends[0], ends[1]),
        Y,
        np.array([0.2, 3.3]),
    ),
    "CubicHermiteSpline": (
        lambda x, y, slopes, at: interpolate.CubicHermiteSpline(x, y, slopes)(at),
        X,
        Y,
        Y * 0.3,
        AT,
    ),
    "PchipInterpolator": (lambda *z: interpolate.PchipInterpolator(*z[:2])(z[2]), X, Y, AT),
    "pchip_interpolate": (lambda y, at: interpolate.pchip_interpolate(X, y, at), Y, AT),
    "Akima1DInterpolator": (lambda *z: interpolate.Akima1DInterpolator(*z[:2])(z[2]), X, Y, AT),
    "makima": (
        lambda y, at: interpolate.Akima1DInterpolator(X, y, method="makima")(at),
        Y,
        AT,
    ),
    "PPoly": (lambda x, c, at: PPoly(c, x)(at), X, C, AT),
    "PPoly.derivative": (lambda c, at: PPoly(c, X).derivative()(at), C, AT),
    "PPoly.antiderivative": (lambda c, at: PPoly(c, X).antiderivative(2)(at), C, AT),
    "PPoly.integrate": (lambda c: PPoly(c, X).integrate(0.3, 3.3), C),
    "PPoly, periodic": (lambda c, at: PPoly(c, X, extrapolate="periodic")(at), C, AT + 5),
    "PPoly.from_spline": (lambda c, at: PPoly.from_spline(BSpline(KNOTS, c, 3))(at), Y, AT),
    "BPoly": (lambda x, c, at: BPoly(c, x)(at), X, C, AT),
    "BPoly, its slope": (lambda c, at: BPoly(c, X)(at, 1), C, AT),
    "BPoly.derivative": (lambda c, at: BPoly(c, X).derivative()(at), C, AT),
    "BPoly.antiderivative": (lambda c, at: BPoly(c, X).antiderivative()(at), C, AT),
    **{
        f"make_interp_spline of degree {k}": (
            lambda x, y, at, k=k: interpolate.make_interp_spline(x, y, k)(at),
            X,
            Y,
            AT,
        )
        for k in (1, 2, 3, 5)
    },
    "make_interp_spline, natural": (
        lambda x, y, at: interpolate.make_interp_spline(x, y, bc_type="natural")(at),
        X,
        Y,
        AT,
    ),
    "make_interp_spline, slopes": (
        lambda y, s: interpolate.make_interp_spline(X, y, bc_type=([(1, s[0])], [(1, s[1])]))(0.9),
        Y,
        np.array([0.4, -0.2]),
    ),
    "make_lsq_spline": (
        lambda y, at: interpolate.make_lsq_spline(X, y, [0, 0, 0, 2, 4, 4, 4], 2)(at),
        Y,
        AT,
    ),
    "BSpline": (lambda c, at: BSpline(KNOTS, c, 3)(at), Y, AT),
    "BSpline by knots": (lambda t, at: BSpline(t, Y, 3)(at), APART, AT),
    "BSpline, its curvature": (lambda c, at: BSpline(KNOTS, c, 3)(at, 2), Y, AT),
    "BSpline.derivative": (lambda c, at: BSpline(KNOTS, c, 3).derivative()(at), Y, AT),
    "BSpline.antiderivative": (lambda c, at: BSpline(KNOTS, c, 3).antiderivative()(at), Y, AT),
    "BSpline.integrate": (lambda c: BSpline(KNOTS, c, 3).integrate(0.5, 3.1), Y),
    "BSpline that is made already": (lambda at: MADE_B(at), AT),
    "BSpline.basis_element": (lambda at: BSpline.basis_element([0, 1, 2, 3.5])(at), AT),
    "splrep and splev": (lambda y, at: interpolate.splev(at, interpolate.splrep(X, y)), Y, AT),
    "splev, its slope": (lambda at: interpolate.splev(at, (KNOTS, Y, 3), der=1), AT),
    "splint": (lambda c: interpolate.splint(0.2, 3.0, (KNOTS, c, 3)), Y),
    "UnivariateSpline that is made already": (lambda at: MADE_BY_FITPACK(at), AT),
    **{
        f"interp1d, {kind}": (lambda y, at, k=kind: interpolate.interp1d(X, y, kind=k)(at), Y, AT)
        for kind in ("linear", "nearest", "previous", "next", "quadratic", "cubic")
    },
    "interp1d by abscissas": (lambda x, y, at: interpolate.interp1d(x, y)(at), X, Y, AT),
    "interp1d beyond its ends": (
        lambda y, at: interpolate.interp1d(X, y, fill_value="extrapolate")(at),
        Y,
        3 * AT - 2,
    ),
    **{
        f"RegularGridInterpolator, {method}": (
            lambda v, at, m=method: interpolate.RegularGridInterpolator(PLANE, v, method=m)(at),
            HEIGHTS,
            POINTS,
        )
        for method in ("linear", "nearest", "slinear", "cubic", "pchip")
    },
    "RegularGridInterpolator by its grid": (
        lambda x, v, at: interpolate.RegularGridInterpolator((x, PLANE[1]), v)(at),
        PLANE[0],
        HEIGHTS,
        POINTS,
    ),
    "RegularGridInterpolator that is made already": (lambda at: MADE_GRID(at), POINTS),
    "interpn": (lambda v, at: interpolate.interpn(PLANE, v, at), HEIGHTS, POINTS),
    "BarycentricInterpolator": (
        lambda x, y, at: interpolate.BarycentricInterpolator(x, y, rng=0)(at),
        X,
        Y,
        AT,
    ),
    "KroghInterpolator": (lambda *z: interpolate.KroghInterpolator(*z[:2])(z[2]), X, Y, AT),
    "KroghInterpolator, its slope": (
        lambda y, at: interpolate.KroghInterpolator(X, y).derivative(at),
        Y,
        AT,
    ),
    "lagrange": (lambda y: interpolate.lagrange(X[:3], y).coef, Y[:3]),
    "pade": (lambda a: interpolate.pade(a, 2)[0].coef, np.array([1, 1, 0.5, 1 / 6, 1 / 24])),
    "np.interp": (np.interp, AT, X, Y),
}

RADIAL = {
    f"RBFInterpolator, {kernel}": (
        lambda x, y, at, k=kernel: interpolate.RBFInterpolator(x, y, kernel=k, epsilon=1.0)(at),
        SCATTERED,
        Y,
        POINTS,
    )
    for kernel in ("thin_plate_spline", "gaussian", "cubic")
}

UNDECIDED = {
    # SciPy solves for it by iterations, up to 1e-6.
    "RegularGridInterpolator, cubic": "the recording is not the function",
}
"""Calls without a certificate, and why."""
