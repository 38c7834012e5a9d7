"""Epidemics, reactions, doses and cohorts, as users of NumPy write them."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln


def seir(params, cases):
    N = 1e5
    S, E, I, R = N - params["i0"], 0.0, params["i0"], 0.0
    incidence = []
    for _ in range(len(cases)):
        infections = params["beta"] * S * I / N
        onset = params["sigma"] * E
        removed = params["gamma"] * I
        S, E, I, R = S - infections, E + infections - onset, I + onset - removed, R + removed
        incidence.append(onset)
    mu = np.maximum(np.array(incidence), 1e-6)
    return -np.sum(cases * np.log(mu) - mu - gammaln(cases + 1))


def robertson_rhs(y, k):
    r1 = k[0] * y[0]
    r2 = k[1] * y[1] ** 2
    r3 = k[2] * y[1] * y[2]
    return np.array([-r1 + r3, r1 - r2 - r3, r2])


def robertson_jac(y, k):
    return np.array(
        [
            [-k[0], k[2] * y[2], k[2] * y[1]],
            [k[0], -2 * k[1] * y[1] - k[2] * y[2], -k[2] * y[1]],
            [0.0, 2 * k[1] * y[1], 0.0],
        ]
    )


def robertson(logk, dts, data):
    k = np.exp(logk)
    y = np.array([1.0, 0.0, 0.0])
    loss = 0.0
    for h, obs in zip(dts, data):
        y_new = y
        for _ in range(3):
            res = y_new - y - h * robertson_rhs(y_new, k)
            y_new = y_new - np.linalg.solve(np.eye(3) - h * robertson_jac(y_new, k), res)
        y = y_new
        loss += np.sum(((y - obs) * np.array([1.0, 1e4, 1.0])) ** 2)
    return loss


def cox(beta, X, event):
    eta = X @ beta
    m = eta.max()
    risk = np.log(np.cumsum(np.exp(eta - m)[::-1])[::-1]) + m
    return -np.sum(event * (eta - risk)) / event.sum() + 0.01 * np.sum(np.abs(beta))


def mixed_model(p, Xs, ys):
    s_int, s_slope, s_res = np.exp(p["log_sd"])
    ll = 0.0
    for X, y in zip(Xs, ys):
        Z = X[:, :2]
        V = Z @ np.diag([s_int**2, s_slope**2]) @ Z.T + s_res**2 * np.eye(len(y))
        r = y - X @ p["beta"]
        sign, logdet = np.linalg.slogdet(V)
        ll += -0.5 * (logdet + r @ np.linalg.solve(V, r) + len(y) * np.log(2 * np.pi))
    return -ll


def lv(t, state, a, b, c, d):
    x, y = state
    return a * x - b * x * y, c * x * y - d * y


def lotka_volterra(theta, times, prey, predator, n=200):
    a, b, c, d, x, y = theta
    dt = 10.0 / n
    xs, ys = [x], [y]
    for i in range(n):
        k1x, k1y = lv(0, (x, y), a, b, c, d)
        k2x, k2y = lv(0, (x + dt / 2 * k1x, y + dt / 2 * k1y), a, b, c, d)
        k3x, k3y = lv(0, (x + dt / 2 * k2x, y + dt / 2 * k2y), a, b, c, d)
        k4x, k4y = lv(0, (x + dt * k3x, y + dt * k3y), a, b, c, d)
        x = x + dt / 6 * (k1x + 2 * k2x + 2 * k3x + k4x)
        y = y + dt / 6 * (k1y + 2 * k2y + 2 * k3y + k4y)
        xs.append(x)
        ys.append(y)
    grid = np.linspace(0, 10, n + 1)
    return np.sum((np.interp(times, grid, np.array(xs)) - prey) ** 2) + np.sum(
        (np.interp(times, grid, np.array(ys)) - predator) ** 2
    )


def huckel(alpha, t):
    n = len(alpha)
    H = np.diag(alpha) - np.diag(t[:-1], 1) - np.diag(t[:-1], -1)
    H[0, -1] = H[-1, 0] = -t[-1]
    e, C = np.linalg.eigh(H)
    density = np.sum(C[:, : n // 2] ** 2, axis=1)
    return 2 * np.sum(e[: n // 2]) + np.sum(density**2)


def dose_pk(logp, dose_times, doses, t, conc):
    ka, ke, V = np.exp(logp)
    pred = np.zeros_like(t)
    for td, dose in zip(dose_times, doses):
        mask = t > td
        dt = t[mask] - td
        pred[mask] += dose * ka / (V * (ka - ke)) * (np.exp(-ke * dt) - np.exp(-ka * dt))
    return np.sum((np.log(pred + 1e-3) - np.log(conc)) ** 2)
