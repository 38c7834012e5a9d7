"""Derivatives that are right to an accuracy they state: series, fits, epsilons."""

from __future__ import annotations

import math

import numpy as np
from scipy import special as sp

from benchmarks.corpus.registry import Group
from verify import box

APPROXIMATIONS = Group("approximations")


def versine_series(x):
    x2 = x * x
    return -x / 12 * (1 - x2 / 15 * (1 - 3 * x2 / 112 * (1 - x2 / 67.5)))


def erf_series(x):
    return sum((-1) ** k * x ** (2 * k) / math.factorial(k) for k in range(12)) * 2 / np.sqrt(np.pi)


def cos_taylor(x):
    x2 = x * x
    return 1 - x2 / 2 * (1 - x2 / 12 * (1 - x2 / 30 * (1 - x2 / 56 * (1 - x2 / 90))))


def bessel_series(x):
    q = x * x / 4
    return -x / 2 * (1 - q / 2 * (1 - q / 6 * (1 - q / 12 * (1 - q / 20 * (1 - q / 30)))))


def digamma_asymptotic(x):
    shift = 0.0
    for _ in range(8):
        shift -= 1 / x
        x = x + 1
    r = 1 / x**2
    return shift + np.log(x) - 0.5 / x - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r / 240)))


def zeta_sum(x):
    return -sum(np.log(n) * n ** (-x) for n in range(2, 60))


def erf_abramowitz(x):
    t = 1 / (1 + 0.3275911 * x)
    poly = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    return 1 - poly * np.exp(-x * x)


def normal_integral_slope(x):
    return 0.5 * (1 + erf_abramowitz(x / math.sqrt(2)))


def bessel_i1_fit(x):
    t = (x / 3.75) ** 2
    return x * (
        0.5
        + t
        * (
            0.87890594
            + t
            * (0.51498869 + t * (0.15084934 + t * (0.02658733 + t * (0.00301532 + t * 0.00032411))))
        )
    )


def bessel_j1_fit(x):
    t = (x / 3) ** 2
    return -x * (
        0.5
        + t
        * (
            -0.56249985
            + t
            * (
                0.21093573
                + t * (-0.03954289 + t * (0.00443319 + t * (-0.00031761 + t * 0.00001109)))
            )
        )
    )


def tanh_pade(x):
    x2 = x * x
    return (
        x
        * (135135 + x2 * (17325 + x2 * (378 + x2)))
        / (135135 + x2 * (62370 + x2 * (3150 + x2 * 28)))
    )


def exp_pade(x):
    x2 = x * x
    p = 1680 + 180 * x2 + x2 * x2
    q = x * (840 + 20 * x2)
    return (p + q) / (p - q)


def logistic_fit(x):
    t = x / 2
    return 0.5 + 0.5 * tanh_pade(t)


def smooth_abs(x):
    return x / np.sqrt(x * x + 1e-12)


def unit_with_epsilon(x):
    return x / (np.sqrt(np.sum(x * x)) + 1e-8)


def log_with_epsilon(p):
    return -(np.log(p + 1e-10) + 1)


def entropy(p):
    return -np.sum(p * np.log(p))


def central(f, h=1e-5):
    return lambda x: (f(x + h) - f(x - h)) / (2 * h)


def fourth_order(f, h=1e-3):
    return lambda x: (-f(x + 2 * h) + 8 * f(x + h) - 8 * f(x - h) + f(x - 2 * h)) / (12 * h)


def complex_step(f, h=1e-20):
    return lambda x: np.imag(f(x + 1j * h)) / h


def central_gradient(f, h=1e-6):
    def gradient(x):
        g = np.zeros_like(x)
        for k in range(len(x)):
            e = np.zeros_like(x)
            e[k] = h
            g[k] = (f(x + e) - f(x - e)) / (2 * h)
        return g

    return gradient


TABLE = {
    "epsilon under the root": (np.abs, smooth_abs, box(0.1, 3), 1e-9, 0.0),
    "series of the versine": (
        lambda x: (1 - np.cos(x)) / x**2,
        versine_series,
        box(0.01, 0.3),
        1e-7,
        0.0,
    ),
    "series of erf": (sp.erf, erf_series, box(-0.8, 0.8), 1e-9, 0.0),
    "Taylor's cosine": (np.sin, cos_taylor, box(-0.6, 0.6), 1e-10, 0.0),
    "series of a Bessel function": (sp.j0, bessel_series, box(-1, 1), 1e-9, 0.0),
    "asymptotic digamma": (sp.gammaln, digamma_asymptotic, box(0.5, 9), 0.0, 1e-9),
    "zeta, cut off": (
        lambda x: sum(n ** (-x) for n in range(1, 60)),
        zeta_sum,
        box(2, 6),
        1e-13,
        0.0,
    ),
    "erf of Abramowitz and Stegun": (
        lambda x: x * sp.erf(x) + np.exp(-x * x) / np.sqrt(np.pi),
        erf_abramowitz,
        box(0, 3),
        0.0,
        2e-7,
    ),
    "normal integral of Abramowitz and Stegun": (
        lambda x: x * sp.ndtr(x) + np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
        normal_integral_slope,
        box(0, 4),
        0.0,
        2e-7,
    ),
    "fit of a Bessel function I1": (sp.i0, bessel_i1_fit, box(-3, 3), 0.0, 1e-6),
    "fit of a Bessel function J1": (sp.j0, bessel_j1_fit, box(-3, 3), 0.0, 1e-6),
    "Pade of tanh": (lambda x: np.log(np.cosh(x)), tanh_pade, box(-2, 2), 1e-6, 1e-7),
    "Pade of exp": (np.exp, exp_pade, box(-1, 1), 1e-6, 0.0),
    "Pade of a sigmoid": (lambda x: np.log1p(np.exp(x)), logistic_fit, box(-3, 3), 0.0, 1e-6),
    "epsilon beside the norm": (
        lambda x: np.sqrt(np.sum(x * x)),
        unit_with_epsilon,
        box(0.5, 3, shape=(3,)),
        1e-7,
        0.0,
    ),
    "epsilon in the log": (entropy, log_with_epsilon, box(0.01, 1, shape=(3,)), 1e-6, 1e-7),
    "central differences": (np.sin, central(np.sin), box(-3, 3), 0.0, 1e-9),
    "central differences of a gradient": (
        lambda x: np.sum(np.tanh(x) ** 2),
        central_gradient(lambda x: np.sum(np.tanh(x) ** 2)),
        box(-2, 2, shape=(3,)),
        0.0,
        1e-8,
    ),
    "fourth order": (np.exp, fourth_order(np.exp), box(-1, 1), 1e-10, 0.0),
    "complex step": (np.sin, complex_step(np.sin), box(-3, 3), 1e-14, 1e-15),
    "rounded to six digits": (
        lambda x: np.sqrt(2) * x**2,
        lambda x: 2.82843 * x,
        box(0.1, 3),
        1e-5,
        0.0,
    ),
    "pi as 3.1416": (lambda r: np.pi * r**2, lambda r: 2 * 3.1416 * r, box(0.1, 3), 1e-5, 0.0),
    "rounded gas constant": (
        lambda t: np.exp(-1000 / (8.314462618 * t)),
        lambda t: 120.2724 / t**2 * np.exp(-120.2724 / t),
        box(250, 500),
        1e-6,
        0.0,
    ),
    "half precision weights": (
        lambda x: x @ np.array([0.1, 0.3, 0.6]),
        lambda x: np.array([0.1, 0.3, 0.6], np.float32) * np.ones(3),
        box(-2, 2, shape=(3,)),
        1e-7,
        0.0,
    ),
    "cut-off tail": (
        lambda x: np.log1p(np.exp(x)),
        lambda x: np.where(x > 18, 1.0, 1 / (1 + np.exp(-np.minimum(x, 18)))),
        box(-5, 40),
        1e-7,
        0.0,
    ),
    "small-angle switch": (
        lambda x: np.sin(x) / x,
        lambda x: -x / 3 if abs(x) < 1e-4 else (x * math.cos(x) - math.sin(x)) / x**2,
        box(1e-6, 3),
        0.0,
        1e-8,
    ),
}
for _name, (_f, _g, _over, _rtol, _atol) in TABLE.items():
    APPROXIMATIONS.add(_name, _f, _g, _over, rtol=_rtol, atol=_atol)
