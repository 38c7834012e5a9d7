"""Labels, alignments and points in time, as users of NumPy write them."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp


def crf(p, X, tags):
    emis = X @ p["W"] + p["b"]
    total = 0.0
    for e, y in zip(emis, tags):
        score = e[np.arange(len(y)), y].sum() + p["trans"][y[:-1], y[1:]].sum()
        alpha = e[0]
        for t in range(1, len(y)):
            alpha = logsumexp(alpha[:, None] + p["trans"], axis=0) + e[t]
        total += logsumexp(alpha) - score
    return total / len(tags)


def ctc(logits, labels):
    logp = logits - logsumexp(logits, axis=1, keepdims=True)
    ext = np.zeros(2 * len(labels) + 1, dtype=int)
    ext[1::2] = labels
    skip = np.zeros(len(ext), dtype=bool)
    skip[2:] = (ext[2:] != 0) & (ext[2:] != ext[:-2])
    alpha = np.full(len(ext), -1e30)
    alpha[:2] = logp[0, ext[:2]]
    for t in range(1, len(logp)):
        a1 = np.concatenate([[-1e30], alpha[:-1]])
        a2 = np.where(skip, np.concatenate([[-1e30, -1e30], alpha[:-2]]), -1e30)
        alpha = np.logaddexp(np.logaddexp(alpha, a1), a2) + logp[t, ext]
    return -np.logaddexp(alpha[-1], alpha[-2])


def softmin3(a, b, c, gamma):
    m = min(a, b, c)
    return m - gamma * np.log(
        np.exp(-(a - m) / gamma) + np.exp(-(b - m) / gamma) + np.exp(-(c - m) / gamma)
    )


def soft_dtw(x, y, gamma=0.5):
    D = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)
    n, m = D.shape
    R = np.full((n + 1, m + 1), 100000000.0)
    R[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            R[i, j] = D[i - 1, j - 1] + softmin3(R[i - 1, j], R[i, j - 1], R[i - 1, j - 1], gamma)
    return R[n, m]


def hawkes(theta, times, T):
    mu, alpha, beta = np.exp(theta)
    A, ll, last = 0.0, 0.0, None
    for t in times:
        if last is not None:
            A = np.exp(-beta * (t - last)) * (1 + A)
        ll += np.log(mu + alpha * beta * A)
        last = t
    ll -= mu * T + alpha * np.sum(1 - np.exp(-beta * (T - times)))
    return -ll


def gillespie_path(log_rates, states, dts, which, stoich):
    k = np.exp(log_rates)
    ll = 0.0
    for x, dt, r in zip(states, dts, which):
        a = np.array([k[0], k[1] * x[0], k[2] * x[0] * x[1], k[3] * x[1]])
        ll += np.log(a[r]) - a.sum() * dt
    return -ll


def lindley(theta, u, v, obs):
    lam, mu = np.exp(theta)
    W = 0.0
    waits = []
    for a, s in zip(-np.log(u) / lam, -np.log(v) / mu):
        W = np.maximum(W + s - a, 0.0)
        waits.append(W)
    w = np.array(waits)
    return (np.mean(w) - obs[0]) ** 2 + (np.percentile(w, 90) - obs[1]) ** 2


def theta_logistic(p, counts):
    r, K, th = np.exp(p["log_r"]), np.exp(p["log_K"]), np.exp(p["log_th"])
    n = p["x"]
    pred = n[:-1] + r * (1 - (np.exp(n[:-1]) / K) ** th)
    q, s = np.exp(p["log_q"]), np.exp(p["log_s"])
    nll = 0.5 * np.sum(((n[1:] - pred) / q) ** 2) + (len(n) - 1) * p["log_q"]
    lam = np.exp(n)
    seen = ~np.isnan(counts)
    return nll + np.sum(lam[seen] - counts[seen] * n[seen]) + s**2
