"""Tests, survival, portfolios and balances, as users of NumPy write them."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.special import expit, gammaln


def equilibrium(logK, A, totals, obs, iters=12):

    def species(logx):
        return np.exp(logK + logx @ A)

    fits = []
    for total in totals:
        logx = np.log(total)
        for _ in range(iters):
            c = species(logx)
            x = np.exp(logx)
            res = x + A @ c - total
            Jm = np.diag(x) + A * c @ A.T
            step = np.linalg.solve(Jm, res)
            logx = logx - np.clip(step, -2, 2)
        fits.append(species(logx))
    return np.sum((np.log(np.array(fits)) - obs) ** 2)


class Box:
    def __init__(self, p):
        self.p = p

    def step(self, state, emission):
        p = self.p
        atm, up, lo, T, Td = (state[k] for k in ("atm", "up", "lo", "T", "Td"))
        f = p["f2x"] * np.log2(atm / 590.0)
        return {
            "atm": atm + emission - p["k12"] * (atm - up * 0.65),
            "up": up + p["k12"] * (atm - up * 0.65) - p["k23"] * (up - 0.3 * lo),
            "lo": lo + p["k23"] * (up - 0.3 * lo),
            "T": T + (f - p["lam"] * T - p["ex"] * (T - Td)) / p["C"],
            "Td": Td + p["ex"] * (T - Td) / 100.0,
        }


def climate_box(p, emissions, temps):
    model, state = Box(p), {"atm": 590.0, "up": 900.0, "lo": 3000.0, "T": 0.0, "Td": 0.0}
    out = []
    for e in emissions:
        state = model.step(state, e)
        out.append(state["T"])
    return np.sum((np.array(out) - temps) ** 2) / 0.01


def irt(p, person, item, answer):
    z = np.exp(p["log_a"])[item] * (p["theta"][person] - p["b"][item])
    g = expit(p["c"])[item] * 0.3
    prob = g + (1 - g) * expit(z)
    ll = np.where(answer == 1, np.log(prob), np.log1p(-prob)).sum()
    return -ll + 0.5 * np.sum(p["theta"] ** 2) + 0.5 * np.sum(p["b"] ** 2)


def frailty(p, X, time, event, group):
    shape, scale, th = np.exp(p["log_shape"]), np.exp(p["log_scale"]), np.exp(p["log_theta"])
    eta = X @ p["beta"]
    H = (time / scale) ** shape * np.exp(eta)
    logh = np.log(shape) - np.log(scale) + (shape - 1) * np.log(time / scale) + eta
    n = group.max() + 1
    Hg = np.zeros(n)
    np.add.at(Hg, group, H)
    D = np.bincount(group, weights=event, minlength=n)
    ll = np.sum(event * logh) + np.sum(
        gammaln(D + 1 / th) - gammaln(1 / th) + D * np.log(th) - (D + 1 / th) * np.log1p(th * Hg)
    )
    return -ll


def cov_factor(free, log_sd, d):
    L = np.zeros((d, d))
    L[np.tril_indices(d, -1)] = free
    L[np.diag_indices(d)] = 1.0
    L = L / np.sqrt(np.sum(L**2, axis=1, keepdims=True))
    return np.exp(log_sd)[:, None] * L


def hier_normal(p, X, y, groups):
    d = X.shape[1]
    L = cov_factor(p["free"], p["log_sd"], d)
    beta = p["mu"] + p["z"] @ L.T
    fit = np.sum(X * beta[groups], axis=1)
    s = np.exp(p["log_s"])
    ll = -0.5 * np.sum(((y - fit) / s) ** 2) - len(y) * p["log_s"]
    prior = (
        -0.5 * np.sum(p["z"] ** 2)
        - 0.5 * np.sum(p["mu"] ** 2)
        + np.sum(np.arange(d)[::-1] * np.log(np.diag(L)))
    )
    return -(ll + prior)


def mvt_groups(p, X):
    d = X.shape[1]
    L = np.zeros((d, d))
    L[np.tril_indices(d)] = p["tril"]
    L[np.arange(d), np.arange(d)] = np.exp(np.diagonal(L))
    z = scipy.linalg.solve_triangular(L, (X - p["mu"]).T, lower=True)
    q = np.sum(z**2, axis=0)
    nu = 2 + np.exp(p["log_nu"])
    return -np.sum(
        gammaln((nu + d) / 2)
        - gammaln(nu / 2)
        - 0.5 * d * np.log(nu * np.pi)
        - np.sum(np.log(np.diag(L)))
        - 0.5 * (nu + d) * np.log1p(q / nu)
    )


def black_litterman(x, Sigma, w, P, Q):
    tau, delta = np.exp(x["log_tau"]), np.exp(x["log_delta"])
    pi = delta * Sigma @ w
    Omega = np.diag(np.exp(x["log_conf"]))
    tS = np.linalg.inv(tau * Sigma)
    M = np.linalg.inv(tS + P.T @ np.linalg.inv(Omega) @ P)
    mu = M @ (tS @ pi + P.T @ np.linalg.solve(Omega, Q))
    wn = np.linalg.solve(delta * (Sigma + M), mu)
    wn = wn / wn.sum()
    return -(wn @ mu - 0.5 * delta * wn @ Sigma @ wn) + 0.1 * np.sum(np.abs(wn - w))


def svensson(t, b):
    a1, a2 = t / np.exp(b[4]), t / np.exp(b[5])
    f1 = (1 - np.exp(-a1)) / a1
    f2 = (1 - np.exp(-a2)) / a2
    return b[0] + b[1] * f1 + b[2] * (f1 - np.exp(-a1)) + b[3] * (f2 - np.exp(-a2))


def yield_curve(b, bonds):
    err = 0.0
    for times, cash, price, dur in bonds:
        model = np.sum(cash * np.exp(-svensson(times, b) * times))
        err += ((model - price) / dur) ** 2
    return err


def local_vol(sig, S, payoff, market, idx, r=0.02, T=1.0, steps=25):
    dt = T / steps
    n = len(S)
    j = np.arange(1, n - 1)
    V = payoff
    for k in range(steps):
        s2 = sig[k // 5][1:-1] ** 2
        al, be = 0.5 * dt * s2 * j**2, 0.5 * dt * r * j
        A = np.zeros((n, n))
        A[0, 0] = A[-1, -1] = 1.0
        A[j, j - 1] = -(al - be)
        A[j, j] = 1 + 2 * al + r * dt
        A[j, j + 1] = -(al + be)
        V = np.linalg.solve(A, V)
    return np.sum((V[idx] - market) ** 2) + 0.001 * np.sum(np.diff(sig, axis=1) ** 2)
