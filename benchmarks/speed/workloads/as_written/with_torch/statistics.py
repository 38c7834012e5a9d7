"""Tests, survival, portfolios and balances, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch

pi = math.pi


def irt(p, person, item, answer):
    z = torch.exp(p["log_a"])[item] * (p["theta"][person] - p["b"][item])
    g = torch.sigmoid(p["c"])[item] * 0.3
    prob = g + (1 - g) * torch.sigmoid(z)
    ll = torch.where(answer == 1, torch.log(prob), torch.log1p(-prob)).sum()
    return -ll + 0.5 * torch.sum(p["theta"] ** 2) + 0.5 * torch.sum(p["b"] ** 2)


def frailty(p, X, time, event, group):
    shape, scale, th = (
        torch.exp(p["log_shape"]),
        torch.exp(p["log_scale"]),
        torch.exp(p["log_theta"]),
    )
    eta = X @ p["beta"]
    H = (time / scale) ** shape * torch.exp(eta)
    logh = torch.log(shape) - torch.log(scale) + (shape - 1) * torch.log(time / scale) + eta
    n = int(group.max()) + 1
    Hg = torch.zeros(n).index_add(0, group, H)
    D = torch.bincount(group, weights=event, minlength=n)
    ll = torch.sum(event * logh) + torch.sum(
        torch.lgamma(D + 1 / th)
        - torch.lgamma(1 / th)
        + D * torch.log(th)
        - (D + 1 / th) * torch.log1p(th * Hg)
    )
    return -ll


def cov_factor(free, log_sd, d):
    L = torch.eye(d)
    i, j = torch.tril_indices(d, d, -1)
    L[i, j] = free
    L = L / torch.linalg.norm(L, dim=1, keepdim=True)
    return torch.exp(log_sd)[:, None] * L


def hier_normal(p, X, y, groups):
    d = X.shape[1]
    L = cov_factor(p["free"], p["log_sd"], d)
    beta = p["mu"] + p["z"] @ L.T
    fit = torch.sum(X * beta[groups], dim=1)
    s = torch.exp(p["log_s"])
    ll = -0.5 * torch.sum(((y - fit) / s) ** 2) - len(y) * p["log_s"]
    prior = (
        -0.5 * torch.sum(p["z"] ** 2)
        - 0.5 * torch.sum(p["mu"] ** 2)
        + torch.sum(torch.arange(d - 1, -1, -1) * torch.log(torch.diag(L)))
    )
    return -(ll + prior)


def mvt_groups(p, X):
    d = X.shape[1]
    i, j = torch.tril_indices(d, d)
    L = torch.zeros(d, d)
    L[i, j] = p["tril"]
    L = torch.tril(L, -1) + torch.diag(torch.exp(torch.diagonal(L)))
    z = torch.linalg.solve_triangular(L, (X - p["mu"]).T, upper=False)
    q = torch.sum(z**2, dim=0)
    nu = 2 + torch.exp(p["log_nu"])
    return -torch.sum(
        torch.lgamma((nu + d) / 2)
        - torch.lgamma(nu / 2)
        - 0.5 * d * torch.log(nu * pi)
        - torch.sum(torch.log(torch.diag(L)))
        - 0.5 * (nu + d) * torch.log1p(q / nu)
    )


def black_litterman(x, Sigma, w, P, Q):
    tau, delta = torch.exp(x["log_tau"]), torch.exp(x["log_delta"])
    prior = delta * Sigma @ w
    Omega = torch.diag(torch.exp(x["log_conf"]))
    tS = torch.linalg.inv(tau * Sigma)
    M = torch.linalg.inv(tS + P.T @ torch.linalg.inv(Omega) @ P)
    mu = M @ (tS @ prior + P.T @ torch.linalg.solve(Omega, Q))
    wn = torch.linalg.solve(delta * (Sigma + M), mu)
    wn = wn / wn.sum()
    return -(wn @ mu - 0.5 * delta * wn @ Sigma @ wn) + 0.1 * torch.sum(torch.abs(wn - w))


def svensson(t, b):
    a1, a2 = t / torch.exp(b[4]), t / torch.exp(b[5])
    f1 = (1 - torch.exp(-a1)) / a1
    f2 = (1 - torch.exp(-a2)) / a2
    return b[0] + b[1] * f1 + b[2] * (f1 - torch.exp(-a1)) + b[3] * (f2 - torch.exp(-a2))


def yield_curve(b, bonds):
    err = 0.0
    for times, cash, price, dur in bonds:
        model = torch.sum(cash * torch.exp(-svensson(times, b) * times))
        err = err + ((model - price) / dur) ** 2
    return err


def local_vol(sig, S, payoff, market, idx, r=0.02, T=1.0, steps=25):
    dt = T / steps
    n = len(S)
    j = torch.arange(1, n - 1)
    edge = torch.ones(1)
    none = torch.zeros(1)
    V = payoff
    for k in range(steps):
        s2 = sig[k // 5][1:-1] ** 2
        al, be = 0.5 * dt * s2 * j**2, 0.5 * dt * r * j
        A = (
            torch.diag(torch.cat([edge, 1 + 2 * al + r * dt, edge]))
            + torch.diag(torch.cat([-(al - be), none]), -1)
            + torch.diag(torch.cat([none, -(al + be)]), 1)
        )
        V = torch.linalg.solve(A, V)
    return torch.sum((V[idx] - market) ** 2) + 1e-3 * torch.sum(torch.diff(sig, dim=1) ** 2)


def equilibrium(logK, A, totals, obs, iters=12):
    logx = torch.log(totals)
    for _ in range(iters):
        c = torch.exp(logK + logx @ A)
        x = torch.exp(logx)
        res = x + c @ A.T - totals
        Jm = torch.diag_embed(x) + (A * c[:, None]) @ A.T
        logx = logx - torch.clamp(torch.linalg.solve(Jm, res), -2, 2)
    return torch.sum((logK + logx @ A - obs) ** 2)


def climate_box(p, emissions, temps):
    atm, up, lo, T, Td = (torch.tensor(v) for v in (590.0, 900.0, 3000.0, 0.0, 0.0))
    out = []
    for e in emissions:
        f = p["f2x"] * torch.log2(atm / 590.0)
        down, deep = p["k12"] * (atm - up * 0.65), p["k23"] * (up - 0.3 * lo)
        warmed = T + (f - p["lam"] * T - p["ex"] * (T - Td)) / p["C"]
        Td = Td + p["ex"] * (T - Td) / 100.0
        atm, up, lo, T = atm + e - down, up + down - deep, lo + deep, warmed
        out.append(T)
    return torch.sum((torch.stack(out) - temps) ** 2) / 0.01
