"""Programs of a statistics group: likelihoods, regressions, robust and Bayesian estimation."""

from __future__ import annotations

import numpy as np
from scipy import special as sp

from benchmarks.corpus.registry import Group
from verify import box

STATISTICS = Group("statistics programs")
program = STATISTICS.program

RNG = np.random.default_rng(1)
X = np.round(RNG.normal(size=(12, 3)), 2)
Y = np.round(X @ [0.5, -1.0, 0.3] + 0.3 * RNG.normal(size=12), 2)
LABEL = (Y > 0).astype(float)
COUNT = np.array([0.0, 2, 1, 4, 0, 3, 1, 1, 5, 2, 0, 1])
TIME = np.round(RNG.exponential(2, 12) + 0.1, 2)
DIED = np.array([1.0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0])
THREE = box(-2, 2, shape=(3,))


def ridge_regression(w):
    residual = X @ w - Y
    penalty = 0.3 * np.sum(w[1:] ** 2)
    return 0.5 * np.mean(residual**2) + penalty


@program(ridge_regression, THREE, ("/ len(Y)", ""), ("w[1:]", "w[1:] * 1.000001"))
def ridge_regression_gradient(w):
    residual = X @ w - Y
    g = X.T @ residual / len(Y)
    g[1:] += 0.6 * w[1:]
    return g


def logistic_regression(w):
    z = X @ w
    return np.sum(np.logaddexp(0, z) - LABEL * z) + 0.05 * w @ w


@program(
    logistic_regression,
    THREE,
    ("p - LABEL", "p + LABEL"),
    ("/ (1 + np.exp(z))", "/ (1.000001 + np.exp(z))"),
)
def logistic_regression_gradient(w):
    z = X @ w
    p = np.where(z > 0, 1 / (1 + np.exp(-z)), np.exp(z) / (1 + np.exp(z)))
    return X.T @ (p - LABEL) + 0.1 * w


def poisson_regression(w):
    eta = np.log(TIME) + X @ w
    return np.sum(np.exp(eta) - COUNT * eta)


@program(poisson_regression, THREE, ("TIME *", ""), ("- COUNT", "- np.maximum(COUNT, 0.0000001)"))
def poisson_regression_gradient(w):
    rate = TIME * np.exp(X @ w)
    g = np.zeros(3)
    for x, mu in zip(X, rate, strict=True):
        g += x * mu
    return g - COUNT @ X


def probit(w):
    sign = 2 * LABEL - 1
    return -np.sum(sp.log_ndtr(sign * (X @ w)))


@program(probit, THREE, ("-X.T", "X.T"), ("z < -25", "z < -2"))
def probit_gradient(w):
    sign = 2 * LABEL - 1
    z = sign * (X @ w)
    mills = np.where(
        z < -25,
        -z - 1 / np.minimum(z, -25),
        np.exp(-0.5 * z**2 - sp.log_ndtr(z)) / np.sqrt(2 * np.pi),
    )
    return -X.T @ (sign * mills)


def negative_binomial(p):
    w, r = p[:3], np.exp(p[3])
    mu = np.exp(X @ w)
    log_p = sp.gammaln(COUNT + r) - sp.gammaln(r) + r * np.log(r / (r + mu))
    return -np.sum(log_p + COUNT * np.log(mu / (r + mu)))


@program(
    negative_binomial, box(-1, 1, shape=(4,)), ("r * by_r", "by_r"), ("sp.psi(r)", "np.log(r)")
)
def negative_binomial_gradient(p):
    w, r = p[:3], np.exp(p[3])
    mu = np.exp(X @ w)
    by_eta = (COUNT - mu) * r / (r + mu)
    by_r = np.sum(sp.psi(COUNT + r) - sp.psi(r) + np.log(r / (r + mu)) + (mu - COUNT) / (r + mu))
    return -np.append(X.T @ by_eta, r * by_r)


def huber_regression(w):
    r = Y - X @ w
    a = np.abs(r)
    return np.sum(np.where(a <= 1.345, 0.5 * r**2, 1.345 * a - 0.5 * 1.345**2))


@program(huber_regression, THREE, ("-X.T", "-0.5 * X.T"), ("1.345)", "1.34501)"))
def huber_regression_gradient(w):
    r = Y - X @ w
    return -X.T @ np.clip(r, -1.345, 1.345)


def tukey_biweight(w):
    u = (Y - X @ w) / 4.685
    inside = np.maximum(1 - u**2, 0)
    return 4.685**2 / 6 * np.sum(1 - inside**3)


@program(tukey_biweight, THREE, ("** 2, 0.0", ", 0.0"), ("< 1", "< 0.98"))
def tukey_biweight_gradient(w):
    r = Y - X @ w
    u = r / 4.685
    weight = np.where(np.abs(u) < 1, (1 - u**2) ** 2, 0.0)
    return -X.T @ (weight * r)


def quantile_regression(w):
    r = Y - X @ w
    return np.sum(np.where(r > 0, 0.3 * r, -0.7 * r))


@program(quantile_regression, THREE, ("0.7", "-0.7"), ("r > 0", "r > -0.01"))
def quantile_regression_gradient(w):
    r = Y - X @ w
    return X.T @ np.where(r > 0, -0.3, 0.7)


def weibull_survival(p):
    eta = X @ p[:3]
    k = np.exp(p[3])
    hazard = (TIME * np.exp(-eta)) ** k
    return np.sum(hazard - DIED * (np.log(k) + k * (np.log(TIME) - eta) - np.log(TIME)))


@program(
    weibull_survival,
    box(-1, 1, shape=(4,)),
    ("DIED - hazard", "DIED"),
    ("hazard[i] * log_t", "hazard[i] * max(log_t, -3.5)"),
)
def weibull_survival_gradient(p):
    eta = X @ p[:3]
    k = np.exp(p[3])
    hazard = (TIME * np.exp(-eta)) ** k
    g = np.zeros(4)
    g[:3] = k * X.T @ (DIED - hazard)
    for i in range(12):
        log_t = np.log(TIME[i]) - eta[i]
        g[3] += k * (hazard[i] * log_t - DIED[i] * (1 / k + log_t))
    return g


def cox_partial(w):
    order = np.argsort(-TIME)
    eta = (X @ w)[order]
    risk = np.log(np.cumsum(np.exp(eta)))
    return -np.sum(DIED[order] * (eta - risk))


@program(cox_partial, THREE, ("/ total", ""), ("range(12)", "range(11)"))
def cox_partial_gradient(w):
    order = np.argsort(-TIME)
    x, died = X[order], DIED[order]
    weight = np.exp(x @ w)
    total, first, g = 0.0, np.zeros(3), np.zeros(3)
    for i in range(12):
        total = total + weight[i]
        first = first + weight[i] * x[i]
        if died[i]:
            g -= x[i] - first / total
    return g


def normal_mixture(p):
    weight = 1 / (1 + np.exp(-p[0]))
    a = np.log(weight) - 0.5 * (Y - p[1]) ** 2
    b = np.log(1 - weight) - 0.5 * (Y - p[2]) ** 2
    return -np.sum(np.logaddexp(a, b))


@program(normal_mixture, THREE, ("r - weight", "weight"), ("(1 - r)", "(1 - r**1.000001)"))
def normal_mixture_gradient(p):
    weight = 1 / (1 + np.exp(-p[0]))
    a = weight * np.exp(-0.5 * (Y - p[1]) ** 2)
    b = (1 - weight) * np.exp(-0.5 * (Y - p[2]) ** 2)
    r = a / (a + b)
    return -np.array([np.sum(r - weight), np.sum(r * (Y - p[1])), np.sum((1 - r) * (Y - p[2]))])


def student_location(p):
    z = (Y - p[0]) * np.exp(-p[1])
    return np.sum(2.5 * np.log1p(z**2 / 4)) + len(Y) * p[1]


@program(student_location, box(-1.5, 1.5, shape=(2,)), ("12 -", ""), ("z**2)", "z**2 + 1e-6)"))
def student_location_gradient(p):
    s = np.exp(-p[1])
    z = (Y - p[0]) * s
    w = 5 / (4 + z**2)
    return np.array([-s * np.sum(w * z), 12 - np.sum(w * z * z)])
