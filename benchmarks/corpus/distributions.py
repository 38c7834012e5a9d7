"""Scores: derivatives of log densities by the variable and by the parameters."""

from __future__ import annotations

import math

import numpy as np
from scipy import special as sp

from benchmarks.corpus.registry import Group
from verify import box

SCORES = Group("scores")

LOG_2PI = np.log(2 * np.pi)

BY_VARIABLE = {
    "normal": (
        lambda x: -0.5 * ((x - 1.2) / 0.7) ** 2 - np.log(0.7 * np.sqrt(2 * np.pi)),
        lambda x: (1.2 - x) / 0.49,
        -4,
        6,
    ),
    "normal, variance by hand": (
        lambda x: -((x - 0.3) ** 2) / (2 * 0.1**2),
        lambda x: -100 * (x - 0.3),
        -1,
        2,
    ),
    "Laplace": (lambda x: -np.abs(x - 0.5) / 2, lambda x: -np.sign(x - 0.5) / 2, -3, 3),
    "logistic": (
        lambda x: -x - 2 * np.log1p(np.exp(-x)),
        lambda x: -1 + 2 / (1 + np.exp(x)),
        -8,
        8,
    ),
    "logistic, tanh": (lambda x: -x - 2 * np.log1p(np.exp(-x)), lambda x: -np.tanh(x / 2), -8, 8),
    "Cauchy": (lambda x: -np.log(np.pi * (1 + x**2)), lambda x: -2 * x / (1 + x**2), -9, 9),
    "Student": (lambda x: -3 * np.log1p(x**2 / 5), lambda x: -6 * x / (5 + x**2), -9, 9),
    "Student, with its constant": (
        lambda x: (
            sp.gammaln(3) - sp.gammaln(2.5) - 0.5 * np.log(5 * np.pi) - 3 * np.log(1 + x**2 / 5)
        ),
        lambda x: -(5 + 1) * x / (5 + x**2),
        -9,
        9,
    ),
    "gamma": (
        lambda x: 1.5 * np.log(x) - 2 * x + 2.5 * np.log(2) - sp.gammaln(2.5),
        lambda x: 1.5 / x - 2,
        0.05,
        9,
    ),
    "inverse gamma": (
        lambda x: -3.5 * np.log(x) - 1.3 / x,
        lambda x: -3.5 / x + 1.3 / x**2,
        0.1,
        9,
    ),
    "exponential": (lambda x: np.log(0.3) - 0.3 * x, lambda x: -0.3 + 0 * x, 0.0, 9),
    "Weibull": (
        lambda x: np.log(1.5 / 2) + 0.5 * np.log(x / 2) - (x / 2) ** 1.5,
        lambda x: 0.5 / x - 0.75 * np.sqrt(x / 2),
        0.1,
        9,
    ),
    "log-normal": (
        lambda x: -np.log(x) - 0.5 * np.log(x) ** 2,
        lambda x: -(1 + np.log(x)) / x,
        0.1,
        9,
    ),
    "beta": (
        lambda x: 1.5 * np.log(x) + 0.5 * np.log1p(-x),
        lambda x: 1.5 / x - 0.5 / (1 - x),
        0.02,
        0.98,
    ),
    "Gumbel": (lambda x: -x - np.exp(-x), lambda x: np.exp(-x) - 1, -3, 8),
    "Gumbel, expm1": (lambda x: -x - np.exp(-x), lambda x: np.expm1(-x), -3, 8),
    "Rayleigh": (lambda x: np.log(x) - x**2 / 2, lambda x: 1 / x - x, 0.1, 5),
    "Maxwell": (lambda x: 2 * np.log(x) - x**2 / 2, lambda x: 2 / x - x, 0.1, 5),
    "Pareto": (lambda x: -3.2 * np.log(x), lambda x: -3.2 / x, 1.0, 9),
    "Levy": (lambda x: -1.5 * np.log(x) - 0.25 / x, lambda x: 0.25 / x**2 - 1.5 / x, 0.1, 9),
    "von Mises": (lambda x: 2.5 * np.cos(x - 0.4), lambda x: -2.5 * np.sin(x - 0.4), -3, 3),
    "half Cauchy": (lambda x: -np.log1p((x / 0.6) ** 2), lambda x: -2 * x / (0.36 + x * x), 0, 9),
    "inverse Gaussian": (
        lambda x: -1.5 * np.log(x) - (x - 1) ** 2 / (2 * x),
        lambda x: -1.5 / x - (x**2 - 1) / (2 * x**2),
        0.1,
        9,
    ),
    "chi squared": (lambda x: 1.5 * np.log(x) - x / 2, lambda x: 1.5 / x - 0.5, 0.1, 20),
    "F": (
        lambda x: np.log(x) - 4.5 * np.log1p(4 / 5 * x),
        lambda x: 1 / x - 3.6 / (1 + 0.8 * x),
        0.1,
        9,
    ),
    "hyperbolic secant": (
        lambda x: -np.log(np.cosh(np.pi * x / 2)),
        lambda x: -np.pi / 2 * np.tanh(np.pi * x / 2),
        -4,
        4,
    ),
    "generalised normal": (
        lambda x: -(np.abs(x) ** 3),
        lambda x: -3 * np.abs(x) ** 2 * np.sign(x),
        -3,
        3,
    ),
    "skew normal": (
        lambda x: -0.5 * x**2 + sp.log_ndtr(1.5 * x),
        lambda x: -x + 1.5 * np.exp(-1.125 * x**2 - sp.log_ndtr(1.5 * x)) / np.sqrt(2 * np.pi),
        -3,
        5,
    ),
    "mixture": (
        lambda x: np.logaddexp(-0.5 * (x + 2) ** 2, -0.5 * (x - 2) ** 2),
        lambda x: -x + 2 * np.tanh(2 * x),
        -5,
        5,
    ),
    "mixture, responsibilities": (
        lambda x: np.log(0.3 * np.exp(-0.5 * (x + 2) ** 2) + 0.7 * np.exp(-0.5 * (x - 2) ** 2)),
        lambda x: (
            (
                -0.3 * (x + 2) * np.exp(-0.5 * (x + 2) ** 2)
                - 0.7 * (x - 2) * np.exp(-0.5 * (x - 2) ** 2)
            )
            / (0.3 * np.exp(-0.5 * (x + 2) ** 2) + 0.7 * np.exp(-0.5 * (x - 2) ** 2))
        ),
        -5,
        5,
    ),
    "horseshoe-like": (
        lambda x: np.log(np.log1p(2 / x**2)),
        lambda x: -4 / (x * (x**2 + 2) * np.log1p(2 / x**2)),
        0.1,
        5,
    ),
}
for _name, (_f, _g, _low, _high) in BY_VARIABLE.items():
    SCORES.add(_name, _f, _g, box(_low, _high))

SAMPLE = np.array([0.3, 1.1, 2.4, 0.7, 1.9])
COUNTS = np.array([0.0, 2.0, 1.0, 4.0, 3.0])


def normal_parameters(mu, sigma):
    return np.sum(-0.5 * ((SAMPLE - mu) / sigma) ** 2 - np.log(sigma) - 0.5 * LOG_2PI)


def normal_score(mu, sigma):
    z = (SAMPLE - mu) / sigma
    return np.sum(z) / sigma, np.sum(z**2 - 1) / sigma


def normal_by_moments(mu, sigma):
    n, s1, s2 = 5, 6.4, 11.16
    return (s1 - n * mu) / sigma**2, (s2 - 2 * mu * s1 + n * mu**2) / sigma**3 - n / sigma


def gamma_parameters(a, b):
    return np.sum(a * np.log(b) - sp.gammaln(a) + (a - 1) * np.log(SAMPLE) - b * SAMPLE)


def gamma_score(a, b):
    n = len(SAMPLE)
    return n * np.log(b) - n * sp.psi(a) + np.log(SAMPLE).sum(), n * a / b - SAMPLE.sum()


def gamma_score_loop(a, b):
    da = db = 0.0
    for x in SAMPLE:
        da += np.log(b) - sp.digamma(a) + math.log(x)
        db += a / b - x
    return da, db


def poisson(rate):
    return np.sum(COUNTS * np.log(rate) - rate - sp.gammaln(COUNTS + 1))


def negative_binomial(r, p):
    return np.sum(sp.gammaln(COUNTS + r) - sp.gammaln(r) + r * np.log(p) + COUNTS * np.log1p(-p))


def negative_binomial_score(r, p):
    n = len(COUNTS)
    by_r = np.sum(sp.psi(COUNTS + r)) - n * sp.psi(r) + n * np.log(p)
    return by_r, n * r / p - COUNTS.sum() / (1 - p)


def negative_binomial_recurrence(r, p):
    by_r = len(COUNTS) * math.log(p)
    for count in COUNTS:
        by_r += sum(1 / (r + k) for k in range(int(count)))
    return by_r, len(COUNTS) * r / p - 10 / (1 - p)


def weibull_parameters(k, scale):
    z = SAMPLE / scale
    return np.sum(np.log(k / scale) + (k - 1) * np.log(z) - z**k)


def weibull_score(k, scale):
    z = SAMPLE / scale
    by_k = np.sum(1 / k + np.log(z) - z**k * np.log(z))
    return by_k, np.sum(k / scale * (z**k - 1))


def student_parameters(mu, sigma, nu):
    z = (SAMPLE - mu) / sigma
    norm = sp.gammaln((nu + 1) / 2) - sp.gammaln(nu / 2) - 0.5 * np.log(nu * np.pi) - np.log(sigma)
    return np.sum(norm - (nu + 1) / 2 * np.log1p(z**2 / nu))


def student_score(mu, sigma, nu):
    z = (SAMPLE - mu) / sigma
    w = (nu + 1) / (nu + z**2)
    by_nu = 0.5 * (
        sp.psi((nu + 1) / 2) - sp.psi(nu / 2) - 1 / nu - np.log1p(z**2 / nu) + w * z**2 / nu
    )
    return np.sum(w * z) / sigma, np.sum(w * z**2 - 1) / sigma, np.sum(by_nu)


def dirichlet(alpha):
    p = np.array([0.2, 0.5, 0.3])
    norm = sp.gammaln(np.sum(alpha)) - np.sum(sp.gammaln(alpha))
    return norm + np.sum((alpha - 1) * np.log(p))


def dirichlet_score(alpha):
    p = np.array([0.2, 0.5, 0.3])
    return sp.psi(alpha.sum()) - sp.psi(alpha) + np.log(p)


def beta_binomial(a, b):
    return sp.betaln(3 + a, 7 + b) - sp.betaln(a, b)


def beta_binomial_score(a, b):
    common = sp.psi(a + b) - sp.psi(a + b + 10)
    return (
        sp.psi(a + 3) - sp.psi(a) + common,
        sp.psi(b + 7) - sp.psi(b) + common,
    )


def zero_inflated(p, rate):
    zero = np.log(p + (1 - p) * np.exp(-rate))
    rest = np.sum(np.log1p(-p) - rate + COUNTS[1:] * np.log(rate))
    return zero + rest


def zero_inflated_score(p, rate):
    e = np.exp(-rate)
    bottom = p + (1 - p) * e
    return (1 - e) / bottom - 4 / (1 - p), -(1 - p) * e / bottom - 4 + 10 / rate


def censored(mu, sigma):
    seen = -0.5 * ((1.3 - mu) / sigma) ** 2 - np.log(sigma)
    return seen + sp.log_ndtr((mu - 2.0) / sigma)


def censored_score(mu, sigma):
    z, c = (1.3 - mu) / sigma, (mu - 2.0) / sigma
    mills = np.exp(-0.5 * c * c - sp.log_ndtr(c)) / np.sqrt(2 * np.pi)
    return z / sigma + mills / sigma, (z * z - 1) / sigma - mills * c / sigma


def log_scale(theta):
    mu, s = theta
    return -0.5 * np.sum((SAMPLE - mu) ** 2) * np.exp(-2 * s) - len(SAMPLE) * s


def log_scale_score(theta):
    mu, s = theta[0], theta[1]
    r = SAMPLE - mu
    return np.array([r.sum() * np.exp(-2 * s), (r @ r) * np.exp(-2 * s) - len(r)])


def ising(theta):
    return 3 * theta - 4 * np.log(2 * np.cosh(theta))


def garch(p):
    omega, a, b = p
    h, total = 0.5, 0.0
    for r in (0.3, -0.8, 1.1, -0.2):
        h = omega + a * r * r + b * h
        total = total - 0.5 * (np.log(h) + r * r / h)
    return total


def garch_score(p):
    omega, a, b = p
    h, dh, g = 0.5, np.zeros(3), np.zeros(3)
    for r in (0.3, -0.8, 1.1, -0.2):
        dh = np.array([1.0, r * r, h]) + b * dh
        h = omega + a * r * r + b * h
        g -= 0.5 * dh * (1 / h - r * r / h**2)
    return g


PAIR = (box(-1, 3), box(0.3, 3))
SCORES.add("normal by parameters", normal_parameters, normal_score, PAIR)
SCORES.add("normal by its moments", normal_parameters, normal_by_moments, PAIR)
SCORES.add("gamma by parameters", gamma_parameters, gamma_score, (box(0.3, 5), box(0.3, 5)))
SCORES.add("gamma, loop", gamma_parameters, gamma_score_loop, (box(0.3, 5), box(0.3, 5)))
SCORES.add("Poisson", poisson, lambda rate: 10 / rate - 5, box(0.2, 9))
SCORES.add("Poisson, sums", poisson, lambda m: np.sum(COUNTS) / m - len(COUNTS), box(0.2, 9))
NB = (box(0.3, 8), box(0.05, 0.95))
SCORES.add("negative binomial", negative_binomial, negative_binomial_score, NB)
SCORES.add("negative binomial, recurrence", negative_binomial, negative_binomial_recurrence, NB)
SCORES.add("Weibull by parameters", weibull_parameters, weibull_score, (box(0.5, 3), box(0.5, 3)))
SCORES.add(
    "Student by parameters",
    student_parameters,
    student_score,
    (box(-1, 3), box(0.3, 3), box(1, 20)),
)
SCORES.add("Dirichlet", dirichlet, dirichlet_score, box(0.3, 5, shape=(3,)))
SCORES.add("beta binomial", beta_binomial, beta_binomial_score, (box(0.3, 5), box(0.3, 5)))
SCORES.add("zero inflated", zero_inflated, zero_inflated_score, (box(0.05, 0.9), box(0.2, 5)))
SCORES.add("censored normal", censored, censored_score, PAIR)
SCORES.add("normal by log scale", log_scale, log_scale_score, box(-2, 2, shape=(2,)))
SCORES.add("Ising pair", ising, lambda t: 3 - 4 * np.tanh(t), box(-3, 3))
SCORES.add("GARCH", garch, garch_score, box(0.1, 0.6, shape=(3,)))
