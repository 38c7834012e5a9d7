"""Networks, factors and ranks, as users of PyTorch write them."""

from __future__ import annotations

import torch
import torch.nn.functional as FN


def ln(x, g, b):
    return FN.layer_norm(x, (x.shape[-1],), g, b)


def lin(x, W, b):
    return x @ W + b


def transformer(p, tok, tgt):
    x = p["emb"][tok] + p["pos"]
    T = len(tok)
    for b in p["blocks"]:
        q, k, v = (
            t.reshape(T, 4, 16).transpose(0, 1)
            for t in lin(ln(x, **b["ln1"]), **b["qkv"]).chunk(3, -1)
        )
        o = FN.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        x = x + lin(o.transpose(0, 1).reshape(T, -1), **b["proj"])
        x = x + lin(FN.gelu(lin(ln(x, **b["ln2"]), **b["fc"]), approximate="tanh"), **b["out"])
    return FN.cross_entropy(lin(x, **p["head"]), tgt)


def cnn(p, x, labels):
    x = FN.max_pool2d(torch.relu(FN.conv2d(x, p["k1"], p["b1"])), 2)
    x = FN.max_pool2d(torch.relu(FN.conv2d(x, p["k2"], p["b2"])), 2)
    return FN.cross_entropy(x.reshape(len(x), -1) @ p["W"] + p["b"], labels)


def graph_net(p, x, src, dst, y):
    n = len(x)
    deg = torch.zeros(n).index_add(0, dst, torch.ones(len(dst)))

    def agg(h):
        return (
            torch.zeros(n, h.shape[1]).index_add(0, dst, h[src]) / torch.clamp(deg, min=1)[:, None]
        )

    h = torch.relu(x @ p["W1"])
    h = torch.tanh(h @ p["W2"] + agg(h))
    h = torch.relu(torch.cat([h, agg(h)], 1) @ p["W3"])
    return torch.mean((h @ p["out"] - y) ** 2)


def lstm(p, xs, target):
    h = c = torch.zeros(xs.shape[1], p["Wh"].shape[0])
    for x in xs:
        i, f, g, o = (x @ p["Wx"] + h @ p["Wh"] + p["b"]).chunk(4, 1)
        c = torch.sigmoid(f + 1) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return torch.mean((h @ p["Wo"] - target) ** 2)


def pagerank(w, src, dst, target):
    n = len(target)
    out = torch.zeros(n).index_add(0, src, w) + 1e-9
    r = torch.ones(n) / n
    for _ in range(20):
        r = 0.15 / n + 0.85 * torch.zeros(n).index_add(0, dst, r[src] * w / out[src])
    return torch.sum((r * n - target) ** 2)


def quantile_mlp(layers, X, y):
    taus = torch.linspace(0.1, 0.9, 9)
    h = X
    for W, b in layers[:-1]:
        h = FN.leaky_relu(h @ W + b, 0.01)
    q = torch.sort(h @ layers[-1][0] + layers[-1][1], 1).values
    err = y[:, None] - q
    return torch.mean(torch.maximum(taus * err, (taus - 1) * err))


def matrix_factorization(p, i, j, r):
    pred = torch.sum(p["U"][i] * p["V"][j], 1) + p["bu"][i] + p["bv"][j] + r.mean()
    return torch.mean((r - pred) ** 2) + 1e-4 * sum(torch.sum(v**2) for v in p.values())
