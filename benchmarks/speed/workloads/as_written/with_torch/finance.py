"""Options, portfolios and returns, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch

pi = math.pi


def binomial_put(x, K, T):
    n = 200
    S, sigma, r = x
    dt = T / n
    u = torch.exp(sigma * math.sqrt(dt))
    d = 1 / u
    p = (torch.exp(r * dt) - d) / (u - d)
    disc = torch.exp(-r * dt)
    v = torch.relu(K - S * u ** torch.arange(n, -n - 1, -2))
    for i in range(n - 1, -1, -1):
        v = torch.maximum(
            disc * (p * v[:-1] + (1 - p) * v[1:]), K - S * u ** torch.arange(i, -i - 1, -2)
        )
    return v[0]


def heston_asian(p, z1, z2):
    n, paths = z1.shape
    dt = 1.0 / n
    x = torch.zeros(paths)
    v = p["v0"] * torch.ones(paths)
    tot = torch.zeros(paths)
    for i in range(n):
        vp = torch.relu(v)
        sq = torch.sqrt(vp * dt + 1e-12)
        dw2 = p["rho"] * z1[i] + torch.sqrt(1 - p["rho"] ** 2) * z2[i]
        x = x - 0.5 * vp * dt + sq * z1[i]
        v = v + p["kappa"] * (p["theta"] - vp) * dt + p["xi"] * sq * dw2
        tot = tot + torch.exp(x)
    return torch.mean(torch.clamp(tot / n - 1, min=0))


def sabr(x, f, k, t, market, beta=0.5):
    alpha, nu, rho = x[0], x[1], torch.tanh(x[2])
    logfk = torch.log(f / k)
    fk = (f * k) ** (1 - beta)
    a = (1 - beta) ** 2 * alpha**2 / (24 * fk)
    b = 0.25 * rho * beta * nu * alpha / fk**0.5
    c = (2 - 3 * rho**2) * nu**2 / 24
    d = fk**0.5
    v = (1 - beta) ** 2 * logfk**2 / 24
    w = (1 - beta) ** 4 * logfk**4 / 1920
    z = nu / alpha * d * logfk
    small = torch.abs(z) < 1e-3
    zs = torch.where(small, 1.0, z)
    xz = torch.log((torch.sqrt(1 - 2 * rho * zs + zs**2) + zs - rho) / (1 - rho))
    return torch.sum(
        (
            alpha
            * torch.where(small, 1 - 0.5 * rho * z, zs / xz)
            * (1 + (a + b + c) * t)
            / (d * (1 + v + w))
            - market
        )
        ** 2
    )


def cvar_portfolio(z, R):
    w = torch.softmax(z, 0)
    L = -(R @ w)
    a = 0.95
    return (
        torch.sort(L).values[int(a * len(L)) :].mean()
        + 0.1 * torch.quantile(L, a)
        - 2 * torch.mean(R, 0) @ w
        + w @ torch.cov(R.T) @ w
    )


def arma(th, y):
    c, p1, p2, ma, ls = th
    e = 0.0
    sse = 0.0
    for t in range(2, len(y)):
        e = y[t] - c - p1 * y[t - 1] - p2 * y[t - 2] - ma * e
        sse = sse + e**2
    return 0.5 * sse / torch.exp(2 * ls) + (len(y) - 2) * ls


def garch_t(p, r):
    om, al, be, nu = (
        torch.exp(p["omega"]),
        torch.sigmoid(p["alpha"]),
        torch.sigmoid(p["beta"]),
        2 + torch.exp(p["nu"]),
    )
    e = r - p["mu"]
    h = [torch.var(r, correction=0)]
    for t in range(1, len(r)):
        h.append(om + al * e[t - 1] ** 2 + be * h[-1])
    h = torch.stack(h)
    return -(
        torch.lgamma((nu + 1) / 2)
        - torch.lgamma(nu / 2)
        - 0.5 * torch.log((nu - 2) * pi * h)
        - (nu + 1) / 2 * torch.log1p(e**2 / ((nu - 2) * h))
    ).sum()
