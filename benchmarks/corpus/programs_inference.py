"""More programs of statistics: time series, latent variables, covariance."""

from __future__ import annotations

import numpy as np
from scipy import special as sp

from benchmarks.corpus.registry import Group
from verify import box, positive_definite

STATISTICS = Group("statistics programs")
program = STATISTICS.program

RNG = np.random.default_rng(1)
X = np.round(RNG.normal(size=(12, 3)), 2)
Y = np.round(X @ [0.5, -1.0, 0.3] + 0.3 * RNG.normal(size=12), 2)
LABEL = (Y > 0).astype(float)
TIME = np.round(RNG.exponential(2, 12) + 0.1, 2)
THREE = box(-2, 2, shape=(3,))


def autoregression(p):
    phi, theta = p
    total, error = 0.0, 0.0
    for t in range(1, 12):
        error = Y[t] - phi * Y[t - 1] - theta * error
        total = total + error**2
    return 0.5 * total


@program(
    autoregression,
    box(-0.9, 0.9, shape=(2,)),
    ("-error - theta * de[1]", "-error"),
    ("range(1, 12)", "range(1, 11)"),
)
def autoregression_gradient(p):
    phi, theta = p
    error, de, g = 0.0, np.zeros(2), np.zeros(2)
    for t in range(1, 12):
        de = np.array([-Y[t - 1] - theta * de[0], -error - theta * de[1]])
        error = Y[t] - phi * Y[t - 1] - theta * error
        g = g + error * de
    return g


def kalman_likelihood(p):
    q, r = np.exp(p[0]), np.exp(p[1])
    mean, var, total = 0.0, 1.0, 0.0
    for y in Y:
        var = var + q
        s = var + r
        total = total + 0.5 * (np.log(s) + (y - mean) ** 2 / s)
        gain = var / s
        mean = mean + gain * (y - mean)
        var = (1 - gain) * var
    return total


@program(
    kalman_likelihood,
    box(-2, 1, shape=(2,)),
    ("var * ds", "-var * ds"),
    ("v / s * 2", "v / s * 2.000002"),
)
def kalman_likelihood_gradient(p):
    q, r = np.exp(p[0]), np.exp(p[1])
    mean, var, dm, dv, g = 0.0, 1.0, np.zeros(2), np.zeros(2), np.zeros(2)
    for y in Y:
        var, dv = var + q, dv + np.array([q, 0.0])
        s, ds = var + r, dv + np.array([0.0, r])
        v = y - mean
        g += 0.5 * (ds / s - v**2 * ds / s**2 - v / s * 2 * dm)
        gain = var / s
        dgain = (dv * s - var * ds) / s**2
        dm = dm + dgain * v - gain * dm
        mean = mean + gain * v
        dv = (1 - gain) * dv - dgain * var
        var = (1 - gain) * var
    return g


def item_response(p):
    ability, difficulty = p[:3], p[3:]
    logit = ability[:, None] - difficulty[None, :]
    right = np.array([[1.0, 0, 1], [0, 0, 1], [1, 1, 1]])
    return np.sum(np.log1p(np.exp(logit)) - right * logit) + 0.5 * np.sum(ability**2)


@program(
    item_response,
    box(-2, 2, shape=(6,)),
    ("-r.sum(axis=0)", "r.sum(axis=1)"),
    ("[1, 1, 1]", "[1, 1, 0.999999]"),
)
def item_response_gradient(p):
    ability, difficulty = p[:3], p[3:]
    right = np.array([[1.0, 0, 1], [0, 0, 1], [1, 1, 1]])
    r = 1 / (1 + np.exp(difficulty - ability[:, None])) - right
    return np.concatenate([r.sum(axis=1) + ability, -r.sum(axis=0)])


def beta_regression(p):
    y = np.clip(LABEL * 0.6 + 0.2, 0.05, 0.95)
    mu, phi = 1 / (1 + np.exp(-(X[:, :2] @ p[:2]))), np.exp(p[2])
    a, b = mu * phi, (1 - mu) * phi
    return np.sum(sp.betaln(a, b) - (a - 1) * np.log(y) - (b - 1) * np.log(1 - y))


@program(
    beta_regression,
    THREE,
    ("phi * mu * (1 - mu)", "mu * (1 - mu)"),
    ("sp.psi(phi)", "sp.psi(phi) * 0.999999"),
)
def beta_regression_gradient(p):
    y = LABEL * 0.6 + 0.2
    mu, phi = 1 / (1 + np.exp(-(X[:, :2] @ p[:2]))), np.exp(p[2])
    a, b = mu * phi, (1 - mu) * phi
    da = sp.psi(a) - np.log(y)
    db = sp.psi(b) - np.log(1 - y)
    by_eta = phi * mu * (1 - mu) * (da - db)
    by_phi = np.sum(mu * da + (1 - mu) * db - sp.psi(phi))
    return np.append(X[:, :2].T @ by_eta, phi * by_phi)


def wishart(s):
    scale = np.diag([1.0, 2.0, 0.5])
    return 0.5 * (7 - 4) * np.linalg.slogdet(s)[1] - 0.5 * np.trace(np.linalg.solve(scale, s))


@program(
    wishart,
    positive_definite(3),
    ("1.5 *", "3.5 *"),
    ("[1.0, 0.5, 2.0]", "[1.0, 0.5, 2]) * (1 + 1e-6 * s[0, 0]"),
)
def wishart_gradient(s):
    return 1.5 * np.linalg.inv(s) - 0.5 * np.diag([1.0, 0.5, 2.0])


def factor_analysis(p):
    loading, noise = p[:3], np.exp(p[3:])
    cov = np.outer(loading, loading) + np.diag(noise)
    sample = X.T @ X / 12
    return 0.5 * (np.linalg.slogdet(cov)[1] + np.trace(np.linalg.solve(cov, sample)))


@program(
    factor_analysis,
    box(-1, 1, shape=(6,)),
    ("@ sample @", "@"),
    ("inner @ loading", "np.triu(inner) @ loading * 2 - np.diag(inner) * loading"),
)
def factor_analysis_gradient(p):
    loading, noise = p[:3], np.exp(p[3:])
    inverse = np.linalg.inv(np.outer(loading, loading) + np.diag(noise))
    sample = X.T @ X / 12
    inner = inverse - inverse @ sample @ inverse
    return np.concatenate([inner @ loading, 0.5 * np.diag(inner) * noise])


def ordinal_logit(p):
    cuts = np.array([p[1], p[1] + np.exp(p[2])])
    eta = p[0] * X[:4, 0]
    lower = 1 / (1 + np.exp(eta - cuts[0]))
    upper = 1 / (1 + np.exp(eta - cuts[1]))
    grade = np.array([0, 1, 2, 1])
    chance = np.where(grade == 0, lower, np.where(grade == 1, upper - lower, 1 - upper))
    return -np.sum(np.log(chance))


@program(ordinal_logit, box(-1, 1, shape=(3,)), ("-g", "g"), ("+= du / c", "+= du / c * 1.000001"))
def ordinal_logit_gradient(p):
    gap = np.exp(p[2])
    g = np.zeros(3)
    for x, k in zip(X[:4, 0], (0, 1, 2, 1), strict=True):
        lower = 1 / (1 + np.exp(p[0] * x - p[1]))
        upper = 1 / (1 + np.exp(p[0] * x - p[1] - gap))
        dl = lower * (1 - lower) * np.array([-x, 1.0, 0.0])
        du = upper * (1 - upper) * np.array([-x, 1.0, gap])
        if k == 0:
            g += dl / lower
        elif k == 1:
            c = upper - lower
            g -= dl / c
            g += du / c
        else:
            g -= du / (1 - upper)
    return -g


def empirical_bayes(p):
    mu, tau2 = p[0], np.exp(p[1])
    s2 = np.linspace(0.1, 1.2, 12)
    return 0.5 * np.sum(np.log(tau2 + s2) + (Y - mu) ** 2 / (tau2 + s2))


@program(empirical_bayes, box(-2, 2, shape=(2,)), ("tau2 * np", "np"), ("1.2, 12", "1.2000001, 12"))
def empirical_bayes_gradient(p):
    mu, tau2 = p[0], np.exp(p[1])
    w = 1 / (tau2 + np.linspace(0.1, 1.2, 12))
    return np.array([-np.sum(w * (Y - mu)), 0.5 * tau2 * np.sum(w - w**2 * (Y - mu) ** 2)])


def box_cox(lam):
    y = TIME
    z = (y**lam - 1) / lam
    return 6 * np.log(np.var(z)) - (lam - 1) * np.sum(np.log(y))


@program(box_cox, box(0.2, 2), ("12 *", "6 *"), ("np.sum(np.log(y))", "np.sum(np.log(y[1:]))"))
def box_cox_slope(lam):
    y = TIME
    z = (y**lam - 1) / lam
    dz = y**lam * np.log(y) / lam - z / lam
    c = z - z.mean()
    return 12 * np.mean(c * dz) / np.mean(c * c) - np.sum(np.log(y))
