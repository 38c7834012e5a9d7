"""Epidemics, reactions, doses and cohorts, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch

pi = math.pi


def seir(p, cases):
    N = 1e5
    S, E, I, R = N - p["i0"], torch.zeros(()), p["i0"], torch.zeros(())
    inc = []
    for _ in range(len(cases)):
        a = p["beta"] * S * I / N
        o = p["sigma"] * E
        r = p["gamma"] * I
        S, E, I, R = S - a, E + a - o, I + o - r, R + r
        inc.append(o)
    mu = torch.clamp(torch.stack(inc), min=1e-6)
    return -torch.sum(cases * torch.log(mu) - mu - torch.lgamma(cases + 1))


def robertson(logk, dts, data):
    k = torch.exp(logk)
    y = torch.tensor([1.0, 0.0, 0.0])
    w = torch.tensor([1.0, 1e4, 1.0])
    loss = 0.0
    z = torch.zeros(())
    for h, obs in zip(dts, data):
        yn = y
        for _ in range(3):
            r1, r2, r3 = k[0] * yn[0], k[1] * yn[1] ** 2, k[2] * yn[1] * yn[2]
            J = torch.stack(
                [
                    -k[0],
                    k[2] * yn[2],
                    k[2] * yn[1],
                    k[0],
                    -2 * k[1] * yn[1] - k[2] * yn[2],
                    -k[2] * yn[1],
                    z,
                    2 * k[1] * yn[1],
                    z,
                ]
            ).reshape(3, 3)
            res = yn - y - h * torch.stack([-r1 + r3, r1 - r2 - r3, r2])
            yn = yn - torch.linalg.solve(torch.eye(3) - h * J, res)
        y = yn
        loss = loss + torch.sum(((y - obs) * w) ** 2)
    return loss


def cox(beta, X, event):
    eta = X @ beta
    risk = torch.logcumsumexp(eta.flip(0), 0).flip(0)
    return -torch.sum(event * (eta - risk)) / event.sum() + 0.01 * torch.sum(torch.abs(beta))


def mixed_model(p, Xs, ys):
    sd = torch.exp(p["log_sd"])
    ll = 0.0
    for X, y in zip(Xs, ys):
        Z = X[:, :2]
        V = Z @ torch.diag(sd[:2] ** 2) @ Z.T + sd[2] ** 2 * torch.eye(len(y))
        r = y - X @ p["beta"]
        ll = ll - 0.5 * (
            torch.linalg.slogdet(V)[1] + r @ torch.linalg.solve(V, r) + len(y) * math.log(2 * pi)
        )
    return -ll


def lotka_volterra(theta, times, prey, pred):
    a, b, c, d, x, y = theta
    n = 200
    dt = 10.0 / n
    lv = lambda x, y: (a * x - b * x * y, c * x * y - d * y)
    xs, ys = [x], [y]
    for i in range(n):
        k1, l1 = lv(x, y)
        k2, l2 = lv(x + dt / 2 * k1, y + dt / 2 * l1)
        k3, l3 = lv(x + dt / 2 * k2, y + dt / 2 * l2)
        k4, l4 = lv(x + dt * k3, y + dt * l3)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y = y + dt / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        xs.append(x)
        ys.append(y)
    g = torch.linspace(0, 10, n + 1)
    i = torch.clamp(torch.searchsorted(g, times, right=True) - 1, 0, n - 1)
    w = (times - g[i]) / (g[i + 1] - g[i])
    X, Y = torch.stack(xs), torch.stack(ys)
    return torch.sum((X[i] + w * (X[i + 1] - X[i]) - prey) ** 2) + torch.sum(
        (Y[i] + w * (Y[i + 1] - Y[i]) - pred) ** 2
    )


def huckel(al, t):
    n = len(al)
    H = torch.diag(al) - torch.diag(t[:-1], 1) - torch.diag(t[:-1], -1)
    H[0, -1] = -t[-1]
    H[-1, 0] = -t[-1]
    e, C = torch.linalg.eigh(H)
    return 2 * torch.sum(e[: n // 2]) + torch.sum(torch.sum(C[:, : n // 2] ** 2, 1) ** 2)


def dose_pk(lp, td, doses, t, conc):
    ka, ke, V = torch.exp(lp)
    pred = torch.zeros_like(t)
    for d0, D in zip(td, doses):
        m = t > d0
        dt = t[m] - d0
        pred = pred.index_add(
            0,
            torch.nonzero(m)[:, 0],
            D * ka / (V * (ka - ke)) * (torch.exp(-ke * dt) - torch.exp(-ka * dt)),
        )
    return torch.sum((torch.log(pred + 1e-3) - torch.log(conc)) ** 2)
