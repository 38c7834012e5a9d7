"""Options, portfolios and returns, as users of NumPy write them."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, gammaln


def binomial_put(x, strike, T, n=200):
    S, sigma, r = x
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    disc = np.exp(-r * dt)
    prices = S * u ** np.arange(n, -n - 1, -2)
    values = np.maximum(strike - prices, 0)
    for i in range(n - 1, -1, -1):
        prices = S * u ** np.arange(i, -i - 1, -2)
        values = np.maximum(disc * (p * values[:-1] + (1 - p) * values[1:]), strike - prices)
    return values[0]


def heston_asian(p, z1, z2):
    n, paths = z1.shape
    dt = 1.0 / n
    x = np.zeros(paths)
    v = p["v0"] * np.ones(paths)
    total = np.zeros(paths)
    for i in range(n):
        vp = np.maximum(v, 0)
        dw1 = z1[i]
        dw2 = p["rho"] * z1[i] + np.sqrt(1 - p["rho"] ** 2) * z2[i]
        x = x - 0.5 * vp * dt + np.sqrt(vp * dt + 1e-12) * dw1
        v = v + p["kappa"] * (p["theta"] - vp) * dt + p["xi"] * np.sqrt(vp * dt + 1e-12) * dw2
        total += np.exp(x)
    return np.mean(np.clip(total / n - 1.0, 0, None))


def hagan(k, f, t, alpha, rho, nu, beta=0.5):
    logfk = np.log(f / k)
    fkbeta = (f * k) ** (1 - beta)
    a = (1 - beta) ** 2 * alpha**2 / (24 * fkbeta)
    b = 0.25 * rho * beta * nu * alpha / fkbeta**0.5
    c = (2 - 3 * rho**2) * nu**2 / 24
    d = fkbeta**0.5
    v = (1 - beta) ** 2 * logfk**2 / 24
    w = (1 - beta) ** 4 * logfk**4 / 1920
    z = nu / alpha * d * logfk
    small = np.abs(z) < 1e-3
    zs = np.where(small, 1.0, z)
    xz = np.log((np.sqrt(1 - 2 * rho * zs + zs**2) + zs - rho) / (1 - rho))
    ratio = np.where(small, 1 - 0.5 * rho * z, zs / xz)
    return alpha * ratio * (1 + (a + b + c) * t) / (d * (1 + v + w))


def sabr(x, f, strikes, t, market):
    alpha, nu, rho = x[0], x[1], np.tanh(x[2])
    return np.sum((hagan(strikes, f, t, alpha, rho, nu) - market) ** 2)


def cvar_portfolio(z, returns, alpha=0.95):
    w = np.exp(z) / np.exp(z).sum()
    losses = -(returns @ w)
    tail = np.sort(losses)[int(alpha * len(losses)) :]
    var = np.quantile(losses, alpha)
    return tail.mean() + 0.1 * var - 2.0 * np.mean(returns, axis=0) @ w + w @ np.cov(returns.T) @ w


def arma(theta, y):
    c, phi1, phi2, ma, log_s = theta
    e_prev = 0.0
    sse = 0.0
    for t in range(2, len(y)):
        e = y[t] - c - phi1 * y[t - 1] - phi2 * y[t - 2] - ma * e_prev
        sse += e**2
        e_prev = e
    s2 = np.exp(2 * log_s)
    return 0.5 * sse / s2 + (len(y) - 2) * log_s


def garch_t(p, r):
    omega, alpha, beta = math.exp(p["omega"]), expit(p["alpha"]), expit(p["beta"])
    nu = 2 + np.exp(p["nu"])
    e = r - p["mu"]
    h = np.zeros(len(r))
    h[0] = np.var(r)
    for t in range(1, len(r)):
        h[t] = omega + alpha * e[t - 1] ** 2 + beta * h[t - 1]
    ll = (
        gammaln((nu + 1) / 2)
        - gammaln(nu / 2)
        - 0.5 * np.log((nu - 2) * np.pi * h)
        - (nu + 1) / 2 * np.log1p(e**2 / ((nu - 2) * h))
    )
    return -ll.sum()
