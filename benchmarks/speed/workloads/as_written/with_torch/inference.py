"""Filters, mixtures and processes with priors, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as FN

pi = math.pi


def kalman(th, zs):
    Fm = torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]])
    H = torch.eye(2, 4)
    g = torch.tensor([[0.5, 0], [0, 0.5], [1, 0], [0, 1.0]])
    Q = torch.exp(th[0]) * g @ g.T
    R = torch.exp(th[1]) * torch.eye(2)
    x, P = torch.zeros(4), torch.exp(th[2]) * torch.eye(4)
    tot = 0.0
    I = torch.eye(4)
    for z in zs:
        x, P = Fm @ x, Fm @ P @ Fm.T + Q
        y = z - H @ x
        S = H @ P @ H.T + R
        Si = torch.linalg.inv(S)
        K = P @ H.T @ Si
        tot = tot - 0.5 * (y @ Si @ y + torch.log(torch.linalg.det(S)) + 2 * math.log(2 * pi))
        x, P = x + K @ y, (I - K @ H) @ P
    return -tot


def particle_filter(th, ys, eps):
    phi, lq, lr = th
    n = eps.shape[1]
    x = torch.zeros(n)
    lw = torch.full((n,), -math.log(n))
    ll = 0.0
    c = torch.tensor(math.log(0.1 / n))
    for y, e in zip(ys, eps):
        x = phi * x + torch.exp(lq) * e
        lw = lw - 0.5 * ((y - x) / torch.exp(lr)) ** 2 - lr - 0.5 * math.log(2 * pi)
        z = torch.logsumexp(lw, 0)
        ll = ll + z
        lw = torch.logaddexp(lw - z + math.log(0.9), c)
    return -ll


def hmm_poisson(p, counts):
    A = torch.log_softmax(p["logits"], 1)
    lam = FN.softplus(p["rates"])
    em = counts[:, None] * torch.log(lam) - lam - torch.lgamma(counts + 1)[:, None]
    al = math.log(1 / 5) + em[0]
    for t in range(1, len(counts)):
        al = torch.logsumexp(al[:, None] + A, 0) + em[t]
    return -torch.logsumexp(al, 0)


def gp_kernels(p, X, y):
    amp = torch.exp(p["amp"])
    Z = X / torch.exp(p["ls"])
    s = torch.sum(Z**2, 1)
    r2 = torch.clamp(s[:, None] + s - 2 * Z @ Z.T, min=1e-12)
    r = torch.sqrt(5 * r2)
    t = X[:, 0]
    K = (
        amp[0] * (1 + r + r**2 / 3) * torch.exp(-r)
        + amp[1] * (1 + r2 / 2) ** -1.0
        + amp[2]
        * torch.exp(-2 * torch.sin(pi * torch.abs(t[:, None] - t) / torch.exp(p["period"])) ** 2)
    )
    L = torch.linalg.cholesky(K + (torch.exp(p["noise"]) + 1e-6) * torch.eye(len(y)))
    a = torch.cholesky_solve(y[:, None], L)[:, 0]
    return 0.5 * y @ a + torch.sum(torch.log(torch.diag(L))) + 0.5 * len(y) * math.log(2 * pi)


def natural_spline(y, knots, t, obs):
    n = len(knots)
    h = torch.diff(knots)
    s = torch.diff(y) / h
    d = torch.ones(n)
    d[1:-1] = 2 * (h[:-1] + h[1:])
    A = torch.diag(d)
    ii = torch.arange(1, n - 1)
    A[ii, ii + 1] = h[1:]
    A[ii, ii - 1] = h[:-1]
    m = torch.linalg.solve(A, FN.pad(6 * (s[1:] - s[:-1]), (1, 1)))
    i = torch.clamp(torch.searchsorted(knots, t) - 1, 0, n - 2)
    h = knots[i + 1] - knots[i]
    a, b = (knots[i + 1] - t) / h, (t - knots[i]) / h
    s = a * y[i] + b * y[i + 1] + ((a**3 - a) * m[i] + (b**3 - b) * m[i + 1]) * h**2 / 6
    return torch.mean((s - obs) ** 2) + 1e-6 * torch.sum(m**2)


def vi_elbo(eps, X, y):
    d = X.shape[1]
    rows, cols = torch.tril_indices(d, d)

    def f(p):
        L = torch.zeros(d, d)
        L[rows, cols] = p["tril"]
        L = L - torch.diag(torch.diag(L)) + torch.diag(torch.exp(torch.diag(L)))
        beta = p["mu"] + eps @ L.T
        lo = beta @ X.T
        ll = torch.sum(y * lo - FN.softplus(lo), 1).mean()
        return -(ll - 0.5 * torch.sum(beta**2, 1).mean() + 0.5 * torch.linalg.slogdet(L @ L.T)[1])

    return f


def student_mixture(p, x):
    nu = 1 + torch.exp(p["nu"])
    s = torch.exp(p["s"])
    z = (x[:, None] - p["mu"]) / s
    lp = (
        torch.lgamma((nu + 1) / 2)
        - torch.lgamma(nu / 2)
        - 0.5 * torch.log(nu * pi)
        - torch.log(s)
        - (nu + 1) / 2 * torch.log1p(z**2 / nu)
    )
    return -torch.mean(torch.logsumexp(torch.log_softmax(p["w"], 0) + lp, 1))


def negbin_glm(p, X, y):
    mu = torch.exp(torch.clamp(X @ p["beta"], -10, 10))
    a = torch.exp(p["log_phi"])
    return -(
        torch.lgamma(y + a)
        - torch.lgamma(a)
        - torch.lgamma(y + 1)
        + a * torch.log(a / (a + mu))
        + y * torch.log(mu / (a + mu))
    ).sum()
