"""Unrolled, attentive and embedding networks, as users of NumPy write them."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp


def tsne(Y, P):
    d = np.sum(np.square(Y[:, None] - Y[None, :]), axis=-1)
    num = 1 / (1 + d)
    np.fill_diagonal(num, 0.0)
    Q = np.maximum(num / num.sum(), 1e-12)
    return np.sum(P * np.log(np.maximum(P, 1e-12) / Q))


def lista(p, Y):
    x = np.zeros((p["We"].shape[1], Y.shape[1]))
    B = p["We"].T @ Y
    for lam in p["lam"]:
        c = B + p["S"] @ x
        x = np.sign(c) * np.maximum(np.abs(c) - np.exp(lam), 0)
    return 0.5 * np.mean((Y - p["We"] @ x) ** 2) + 0.1 * np.mean(np.abs(x))


def segment_softmax(e, seg, n):
    m = np.full((n, e.shape[1]), -np.inf)
    np.maximum.at(m, seg, e)
    ex = np.exp(e - m[seg])
    s = np.zeros((n, e.shape[1]))
    np.add.at(s, seg, ex)
    return ex / s[seg]


def graph_attention(p, X, src, dst, labels):
    h = X
    for layer in p["layers"]:
        z = np.einsum("nf,fhd->nhd", h, layer["W"])
        e = np.sum(z * layer["al"], -1)[src] + np.sum(z * layer["ar"], -1)[dst]
        a = segment_softmax(np.where(e > 0, e, 0.2 * e), dst, len(X))
        out = np.zeros_like(z)
        np.add.at(out, dst, a[:, :, None] * z[src])
        h = out.reshape(len(X), -1)
        h = np.where(h > 0, h, np.expm1(np.minimum(h, 0)))
    logits = h @ p["out"]
    return np.mean(logsumexp(logits, axis=1) - logits[np.arange(len(X)), labels])


def sinkhorn(x, y, a, b, eps=0.1):
    C = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    f, g = np.zeros(len(x)), np.zeros(len(y))
    for _ in range(25):
        f = -eps * logsumexp((g[None, :] - C) / eps + np.log(b)[None, :], axis=1)
        g = -eps * logsumexp((f[:, None] - C) / eps + np.log(a)[:, None], axis=0)
    P = np.exp((f[:, None] + g[None, :] - C) / eps) * a[:, None] * b[None, :]
    return np.sum(P * C)


def volume_render(p, z, pixels):
    h = np.maximum(z[..., None] * p["W1"] + p["b1"], 0)
    out = h @ p["W2"] + p["b2"]
    density = np.logaddexp(0, out[..., 0])
    colour = expit(out[..., 1:])
    delta = np.diff(z, axis=1, append=z[:, -1:] + 0.1)
    alpha = 1 - np.exp(-density * delta)
    T = np.cumprod(1 - alpha + 1e-10, axis=1)
    T = np.concatenate([np.ones((len(z), 1)), T[:, :-1]], axis=1)
    w = alpha * T
    return np.mean((np.sum(w[..., None] * colour, axis=1) - pixels) ** 2)
