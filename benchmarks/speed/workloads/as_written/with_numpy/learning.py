"""Networks, factors and ranks, as users of NumPy write them."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp


def layer_norm(x, g, b, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(var + eps) + b


def linear(x, W, b):
    return x @ W + b


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def np_softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def attention(x, qkv, proj, n_head=4):
    q, k, v = np.split(linear(x, **qkv), 3, axis=-1)
    mask = (1 - np.tri(x.shape[0])) * -1e10
    heads = []
    for qh, kh, vh in zip(*[np.split(t, n_head, axis=-1) for t in (q, k, v)]):
        heads.append(np_softmax(qh @ kh.T / np.sqrt(qh.shape[-1]) + mask) @ vh)
    return linear(np.hstack(heads), **proj)


def block(x, ln1, ln2, qkv, proj, fc, out):
    x = x + attention(layer_norm(x, **ln1), qkv, proj)
    return x + linear(gelu(linear(layer_norm(x, **ln2), **fc)), **out)


def transformer(p, tokens, targets):
    x = p["emb"][tokens] + p["pos"]
    for b in p["blocks"]:
        x = block(x, **b)
    logits = linear(x, **p["head"])
    logp = logits - logsumexp(logits, axis=-1, keepdims=True)
    return -np.mean(logp[np.arange(len(targets)), targets])


def conv2d(x, k, b):
    windows = np.lib.stride_tricks.sliding_window_view(x, k.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, k, optimize=True) + b[:, None, None]


def maxpool(x):
    n, c, h, w = x.shape
    return x[:, :, : h // 2 * 2, : w // 2 * 2].reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


def cnn(p, x, labels):
    x = maxpool(np.maximum(conv2d(x, p["k1"], p["b1"]), 0))
    x = maxpool(np.maximum(conv2d(x, p["k2"], p["b2"]), 0))
    logits = x.reshape(len(x), -1) @ p["W"] + p["b"]
    onehot = np.eye(10)[labels]
    return np.mean(logsumexp(logits, axis=1) - np.sum(onehot * logits, axis=1))


def graph_net(p, x, src, dst, y):
    n = len(x)
    deg = np.zeros(n)
    np.add.at(deg, dst, 1.0)

    def aggregate(h):
        out = np.zeros((n, h.shape[1]))
        np.add.at(out, dst, h[src])
        return out / np.maximum(deg, 1)[:, None]

    h = np.maximum(x @ p["W1"], 0)
    h = np.tanh(h @ p["W2"] + aggregate(h))
    h = np.maximum(np.concatenate([h, aggregate(h)], axis=1) @ p["W3"], 0)
    return np.mean((h @ p["out"] - y) ** 2)


def lstm(p, xs, target):
    hidden = p["Wh"].shape[0]
    h = c = np.zeros((xs.shape[1], hidden))
    for x in xs:
        i, f, g, o = np.split(x @ p["Wx"] + h @ p["Wh"] + p["b"], 4, axis=1)
        c = expit(f + 1) * c + expit(i) * np.tanh(g)
        h = expit(o) * np.tanh(c)
    return np.mean((h @ p["Wo"] - target) ** 2)


def pagerank(w, src, dst, target, damping=0.85, iters=20):
    n = len(target)
    out = np.bincount(src, weights=w, minlength=n) + 1e-9
    r = np.ones(n) / n
    for _ in range(iters):
        flow = np.zeros(n)
        np.add.at(flow, dst, r[src] * w / out[src])
        r = (1 - damping) / n + damping * flow
    return np.sum((r * n - target) ** 2)


def quantile_mlp(layers, X, y):
    taus = np.linspace(0.1, 0.9, 9)
    h = X
    for W, b in layers[:-1]:
        h = h @ W + b
        h = np.where(h > 0, h, 0.01 * h)
    q = np.sort(h @ layers[-1][0] + layers[-1][1], axis=1)
    err = y[:, None] - q
    return np.mean(np.maximum(taus * err, (taus - 1) * err))


def matrix_factorization(p, i, j, rating):
    pred = np.sum(p["U"][i] * p["V"][j], axis=1) + p["bu"][i] + p["bv"][j] + rating.mean()
    reg = sum(np.sum(v**2) for v in p.values())
    return np.mean((rating - pred) ** 2) + 1e-4 * reg
