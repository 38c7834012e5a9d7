"""Calls of numpy.polynomial: a function and its arguments for each, in every basis."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import (
    Chebyshev,
    Hermite,
    HermiteE,
    Laguerre,
    Legendre,
    Polynomial,
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
)

C, D = np.array([0.5, -1.0, 0.25, 0.3]), np.array([0.7, -0.4, 1.2])
T, S = np.array([0.3, 1.17, 2.2]), np.array([-0.4, 0.6, 1.1])
X, Y = np.array([0.0, 0.7, 1.5, 2.6]), np.array([0.5, 2.0, -0.75, 1.25])
C2, C3 = np.outer(D, C), np.reshape(np.append(C, D + 0.1)[[0, 1, 2, 3, 4, 5, 6, 0]], (2, 2, 2))

CLASSES = (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre)
MODULES = {
    "poly": polynomial,
    "cheb": chebyshev,
    "leg": legendre,
    "herm": hermite,
    "herme": hermite_e,
    "lag": laguerre,
}


def of_class(kind):
    return {
        "": (lambda c, t: kind(c)(t), C, T),
        " on a domain": (lambda c, t: kind(c, domain=[0, 4.0])(t), C, T),
        ".deriv": (lambda c, t: kind(c).deriv()(t), C, T),
        ".integ": (lambda c, t: kind(c).integ()(t), C, T),
        " sums and products": (lambda c, t: (kind(c) * kind([1.0, 2.0]) - 3 * kind(c))(t), C, T),
        " powers": (lambda c: (kind(c) ** 2).coef, D),
        " quotients": (lambda c: (kind(c) // kind([1.0, 2.0])).coef, C),
        ".fit": (lambda y: kind.fit(X, y, 2).coef, Y),
        ".fromroots": (lambda r: kind.fromroots(r).coef, D),
        ".convert": (lambda c: kind(c).convert(kind=Polynomial).coef, D),
    }


def of_module(name, module):
    def named(rest):
        return getattr(module, name + rest)

    return {
        "val": (named("val"), T, C),
        "val2d": (named("val2d"), T, S, C2),
        "val3d": (named("val3d"), T, S, T * S, C3),
        "grid2d": (named("grid2d"), T, S, C2),
        "vander": (lambda t: named("vander")(t, 3), T),
        "vander2d": (lambda t, s: named("vander2d")(t, s, [2, 1]), T, S),
        "der": (lambda c: named("der")(c, 2), C),
        "int": (lambda c, k: named("int")(c, 2, [k[0], k[1]]), C, S[:2]),
        "add": (named("add"), C, D),
        "sub": (named("sub"), C, D),
        "mul": (named("mul"), C, D),
        "div": (lambda c, d: named("div")(c, d)[0], C, D),
        "pow": (lambda c: named("pow")(c, 3), D),
        "fromroots": (named("fromroots"), D),
        "fit": (lambda x, y: named("fit")(x, y, 2), X, Y),
    }


CALLS = {
    **{
        f"{kind.__name__}{what}": call
        for kind in CLASSES
        for what, call in of_class(kind).items()
        if (kind, what) != (Polynomial, ".convert")
    },
    **{
        f"{name}{what}": call
        for name, module in MODULES.items()
        for what, call in of_module(name, module).items()
    },
    "polyvalfromroots": (polynomial.polyvalfromroots, T, D),
    "np.poly1d": (lambda c, t: (np.poly1d(c) * np.poly1d(c).deriv() + np.poly1d(c))(t), D, T),
    "np.poly1d of roots": (lambda r, t: np.poly1d(r, True)(t), D, T),
    "np.poly1d.integ": (lambda c, t: np.poly1d(c).integ()(t), D, T),
    "polymul of a coefficient that is 0": (
        lambda c, t: polynomial.polyval(t, polynomial.polymul(c, [1.0, 2.0])),
        np.array([1.0, 0.0]),
        T,
    ),
    "chebadd of a coefficient that is 0": (
        lambda c, t: chebyshev.chebval(t, chebyshev.chebadd(c, [1.0, 2.0])),
        np.array([1.0, 0.5, 0.0]),
        T,
    ),
    "polyroots": (lambda c: np.real(polynomial.polyroots(c)), np.array([1.0, -5.0, 1.5])),
    "chebroots": (lambda c: np.real(chebyshev.chebroots(c)), np.array([0.3, -1.0, 0.2])),
    "np.roots": (lambda c: np.real(np.roots(c)), np.array([1.5, -5.0, 1.0])),
    "np.polyval": (np.polyval, C, T),
    "np.polyfit": (lambda x, y: np.polyfit(x, y, 2), X, Y),
    "np.polyder": (np.polyder, C),
    "np.polyint": (np.polyint, C),
}

UNDECIDED = {
    # NumPy's least squares are by singular values, whose roundings are larger.
    "Laguerre.fit": "the recording is not the function",
}
if np.lib.NumpyVersion(np.__version__) >= "2.5.0":  # where eigenvalues are always complex
    UNDECIDED |= dict.fromkeys(("polyroots", "chebroots"), "sort")
"""Calls without a certificate, and why."""
