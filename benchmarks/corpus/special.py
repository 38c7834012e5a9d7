"""Derivatives of special functions, by the formulas of the handbooks."""

from __future__ import annotations

import math

import numpy as np
from scipy import special as sp

from benchmarks.corpus.registry import Group
from verify import box

SPECIAL = Group("special")

TWO_BY_ROOT_PI = 2 / math.sqrt(math.pi)

TABLE = {
    "erf": (sp.erf, lambda x: 2 / np.sqrt(np.pi) * np.exp(-(x**2)), -5, 5),
    "erf, digits": (sp.erf, lambda x: 1.1283791670955126 * np.exp(-x * x), -5, 5),
    "erfc": (sp.erfc, lambda x: -TWO_BY_ROOT_PI * np.exp(-x * x), -5, 5),
    "erfcx": (sp.erfcx, lambda x: 2 * x * sp.erfcx(x) - TWO_BY_ROOT_PI, -2, 5),
    "erfinv": (sp.erfinv, lambda y: np.sqrt(np.pi) / 2 * np.exp(sp.erfinv(y) ** 2), -0.99, 0.99),
    "dawsn": (sp.dawsn, lambda x: 1 - 2 * x * sp.dawsn(x), -4, 4),
    "ndtr": (sp.ndtr, lambda x: np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), -6, 6),
    "log_ndtr": (
        sp.log_ndtr,
        lambda x: np.exp(-(x**2) / 2 - sp.log_ndtr(x)) / np.sqrt(2 * np.pi),
        -6,
        6,
    ),
    "log_ndtr, Mills ratio": (
        sp.log_ndtr,
        lambda x: np.sqrt(2 / np.pi) / sp.erfcx(-x / np.sqrt(2)),
        -6,
        6,
    ),
    "ndtri": (sp.ndtri, lambda p: np.sqrt(2 * np.pi) * np.exp(sp.ndtri(p) ** 2 / 2), 0.01, 0.99),
    "gamma": (sp.gamma, lambda x: sp.gamma(x) * sp.psi(x), 0.2, 10),
    "gammaln": (sp.gammaln, sp.digamma, 0.2, 50),
    "math.lgamma": (math.lgamma, lambda x: float(sp.psi(x)), 0.2, 50),
    "rgamma": (sp.rgamma, lambda x: -sp.psi(x) / sp.gamma(x), 0.2, 10),
    "digamma": (sp.digamma, lambda x: sp.polygamma(1, x), 0.2, 20),
    "trigamma by zeta": (lambda x: sp.polygamma(1, x), lambda x: -2 * sp.zeta(3, x), 0.2, 20),
    "j0": (sp.j0, lambda x: -sp.j1(x), 0.0, 10),
    "j1": (sp.j1, lambda x: (sp.j0(x) - sp.jv(2, x)) / 2, 0.0, 10),
    "j1, other recurrence": (sp.j1, lambda x: sp.j0(x) - sp.j1(x) / x, 0.5, 10),
    "jv": (lambda x: sp.jv(3, x), lambda x: 0.5 * (sp.jv(2, x) - sp.jv(4, x)), 0.5, 10),
    "jv, by jvp": (lambda x: sp.jv(2, x), lambda x: sp.jvp(2, x), 0.5, 10),
    "y0": (sp.y0, lambda x: -sp.y1(x), 0.5, 10),
    "i0": (sp.i0, sp.i1, -5, 5),
    "i1": (sp.i1, lambda x: (sp.i0(x) + sp.iv(2, x)) / 2, -5, 5),
    "i0e": (sp.i0e, lambda x: sp.i1e(x) - np.sign(x) * sp.i0e(x), 0.5, 20),
    "log i0": (lambda x: np.log(sp.i0e(x)) + x, lambda x: sp.i1e(x) / sp.i0e(x), 0.5, 20),
    "k0": (sp.k0, lambda x: -sp.k1(x), 0.1, 10),
    "k1": (sp.k1, lambda x: -sp.k0(x) - sp.k1(x) / x, 0.1, 10),
    "airy": (lambda x: sp.airy(x)[0], lambda x: sp.airy(x)[1], -3, 3),
    "exp1": (sp.exp1, lambda x: -np.exp(-x) / x, 0.1, 10),
    "expi": (sp.expi, lambda x: np.exp(x) / x, 0.5, 10),
    "sine integral": (lambda x: sp.sici(x)[0], lambda x: np.sin(x) / x, 0.5, 10),
    "Fresnel": (lambda x: sp.fresnel(x)[0], lambda x: np.sin(np.pi / 2 * x**2), -2, 2),
    "spence": (sp.spence, lambda x: np.log(x) / (1 - x), 0.1, 0.9),
    "lambertw": (
        lambda x: sp.lambertw(x).real,
        lambda x: 1 / (x + np.exp(sp.lambertw(x).real)),
        0.1,
        5,
    ),
    "wright omega": (sp.wrightomega, lambda x: sp.wrightomega(x) / (1 + sp.wrightomega(x)), -3, 3),
    "ellipk": (
        sp.ellipk,
        lambda m: (sp.ellipe(m) - (1 - m) * sp.ellipk(m)) / (2 * m * (1 - m)),
        0.1,
        0.9,
    ),
    "ellipe": (sp.ellipe, lambda m: (sp.ellipe(m) - sp.ellipk(m)) / (2 * m), 0.1, 0.9),
    "sinc": (np.sinc, lambda x: (np.cos(np.pi * x) - np.sinc(x)) / x, 0.3, 3),
    "logit": (sp.logit, lambda p: 1 / (p * (1 - p)), 0.01, 0.99),
    "logit, sum of poles": (sp.logit, lambda p: 1 / p + 1 / (1 - p), 0.01, 0.99),
    "entr": (sp.entr, lambda x: -np.log(x) - 1, 0.05, 3),
    "xlogy": (lambda x: sp.xlogy(x, x), lambda x: 1 + np.log(x), 0.05, 3),
    "xlog1py": (lambda x: sp.xlog1py(x, x), lambda x: np.log1p(x) + x / (1 + x), 0.05, 3),
    "cosm1": (sp.cosm1, lambda x: -np.sin(x), -3, 3),
    "exprel": (sp.exprel, lambda x: (np.exp(x) - sp.exprel(x)) / x, 0.5, 5),
    "cube root": (np.cbrt, lambda x: 1 / (3 * np.cbrt(x) ** 2), 0.1, 10),
    "gamma, incomplete": (
        lambda x: sp.gammainc(2.5, x),
        lambda x: x**1.5 * np.exp(-x) / sp.gamma(2.5),
        0.1,
        10,
    ),
    "beta, incomplete": (
        lambda x: sp.betainc(2.0, 3.0, x),
        lambda x: 12 * x * (1 - x) ** 2,
        0.05,
        0.95,
    ),
    "Struve-free zeta": (lambda x: sp.zeta(2, x), lambda x: -2 * sp.zeta(3, x), 0.5, 10),
    "Legendre P3": (lambda x: sp.eval_legendre(3, x), lambda x: 7.5 * x**2 - 1.5, -1, 1),
    "Chebyshev T4": (lambda x: sp.eval_chebyt(4, x), lambda x: 4 * sp.eval_chebyu(3, x), -1, 1),
    "Hermite H4": (lambda x: 16 * x**4 - 48 * x**2 + 12, lambda x: 8 * (8 * x**3 - 12 * x), -2, 2),
    "Laguerre L2": (lambda x: 1 - 2 * x + x**2 / 2, lambda x: x - 2, 0, 5),
}

for _name, (_f, _g, _low, _high) in TABLE.items():
    SPECIAL.add(_name, _f, _g, box(_low, _high))

SPECIAL.add(
    "beta function",
    lambda a, b: sp.beta(a, b),
    lambda a, b: (
        sp.beta(a, b) * (sp.psi(a) - sp.psi(a + b)),
        sp.beta(a, b) * (sp.psi(b) - sp.psi(a + b)),
    ),
    (box(0.3, 5), box(0.3, 5)),
)
SPECIAL.add(
    "betaln",
    lambda a, b: sp.gammaln(a) + sp.gammaln(b) - sp.gammaln(a + b),
    lambda a, b: (sp.psi(a) - sp.psi(a + b), sp.psi(b) - sp.psi(a + b)),
    (box(0.3, 5), box(0.3, 5)),
)
SPECIAL.add(
    "Kullback-Leibler term",
    lambda p, q: sp.rel_entr(p, q),
    lambda p, q: (np.log(p / q) + 1, -p / q),
    (box(0.05, 1), box(0.05, 1)),
)
SPECIAL.add(
    "log-sum-exp",
    lambda x: sp.logsumexp(x),
    lambda x: sp.softmax(x),
    box(-5, 5, shape=(4,)),
)
SPECIAL.add(
    "multivariate gammaln",
    lambda a: sum(sp.gammaln(a - j / 2) for j in range(3)),
    lambda a: sum(sp.psi(a - j / 2) for j in range(3)),
    box(1.5, 10),
)
