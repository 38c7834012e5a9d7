"""Networks, factors and ranks, as users of JAX write them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import sigmoid
from jax.scipy.special import logsumexp


def layer_norm(x, g, b, eps=1e-5):
    return g * (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + eps) + b


def linear(x, W, b):
    return x @ W + b


def attention(x, qkv, proj, n_head=4):
    t = linear(x, **qkv).reshape(x.shape[0], 3, n_head, -1)
    q, k, v = t[:, 0], t[:, 1], t[:, 2]
    s = jnp.einsum("ihd,jhd->hij", q, k) / jnp.sqrt(q.shape[-1]) + (1 - jnp.tri(x.shape[0])) * -1e10
    return linear(jnp.einsum("hij,jhd->ihd", jax.nn.softmax(s), v).reshape(x.shape[0], -1), **proj)


def transformer(p, tokens, targets):
    x = p["emb"][tokens] + p["pos"]
    for b in p["blocks"]:
        x = x + attention(layer_norm(x, **b["ln1"]), b["qkv"], b["proj"])
        x = x + linear(jax.nn.gelu(linear(layer_norm(x, **b["ln2"]), **b["fc"])), **b["out"])
    logp = jax.nn.log_softmax(linear(x, **p["head"]))
    return -jnp.mean(logp[jnp.arange(len(targets)), targets])


def conv2d(x, k, b):
    return lax.conv_general_dilated(x, k, (1, 1), "VALID") + b[:, None, None]


def maxpool(x):
    n, c, h, w = x.shape
    return x[:, :, : h // 2 * 2, : w // 2 * 2].reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


def cnn(p, x, labels):
    x = maxpool(jnp.maximum(conv2d(x, p["k1"], p["b1"]), 0))
    x = maxpool(jnp.maximum(conv2d(x, p["k2"], p["b2"]), 0))
    logits = x.reshape(len(x), -1) @ p["W"] + p["b"]
    return jnp.mean(
        logsumexp(logits, axis=1) - jnp.sum(jax.nn.one_hot(labels, 10) * logits, axis=1)
    )


def graph_net(p, x, src, dst, y):
    n = len(x)
    deg = jnp.zeros(n).at[dst].add(1.0)

    def agg(h):
        return jax.ops.segment_sum(h[src], dst, n) / jnp.maximum(deg, 1)[:, None]

    h = jnp.maximum(x @ p["W1"], 0)
    h = jnp.tanh(h @ p["W2"] + agg(h))
    h = jnp.maximum(jnp.concatenate([h, agg(h)], axis=1) @ p["W3"], 0)
    return jnp.mean((h @ p["out"] - y) ** 2)


def lstm(p, xs, target):
    z = jnp.zeros((xs.shape[1], p["Wh"].shape[0]))

    def step(hc, x):
        h, c = hc
        i, f, g, o = jnp.split(x @ p["Wx"] + h @ p["Wh"] + p["b"], 4, axis=1)
        c = sigmoid(f + 1) * c + sigmoid(i) * jnp.tanh(g)
        return (sigmoid(o) * jnp.tanh(c), c), None

    (h, _), _ = lax.scan(step, (z, z), xs)
    return jnp.mean((h @ p["Wo"] - target) ** 2)


def pagerank(w, src, dst, target):
    n = len(target)
    out = jnp.zeros(n).at[src].add(w) + 1e-9

    def step(r, _):
        return 0.15 / n + 0.85 * jnp.zeros(n).at[dst].add(r[src] * w / out[src]), None

    return jnp.sum((lax.scan(step, jnp.ones(n) / n, None, length=20)[0] * n - target) ** 2)


def quantile_mlp(layers, X, y):
    taus = jnp.linspace(0.1, 0.9, 9)
    h = X
    for W, b in layers[:-1]:
        h = h @ W + b
        h = jnp.where(h > 0, h, 0.01 * h)
    q = jnp.sort(h @ layers[-1][0] + layers[-1][1], axis=1)
    err = y[:, None] - q
    return jnp.mean(jnp.maximum(taus * err, (taus - 1) * err))


def matrix_factorization(p, i, j, rating):
    pred = jnp.sum(p["U"][i] * p["V"][j], axis=1) + p["bu"][i] + p["bv"][j] + rating.mean()
    return jnp.mean((rating - pred) ** 2) + 1e-4 * sum(jnp.sum(v**2) for v in p.values())
