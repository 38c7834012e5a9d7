"""Unrolled, attentive and embedding networks, as users of JAX write them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import sigmoid
from jax.scipy.special import logsumexp


def tsne(Y, P):
    num = 1 / (1 + jnp.sum((Y[:, None] - Y[None, :]) ** 2, -1))
    num = num * (1 - jnp.eye(len(Y)))
    Q = jnp.maximum(num / num.sum(), 1e-12)
    return jnp.sum(P * jnp.log(jnp.maximum(P, 1e-12) / Q))


def lista(p, Y):
    B = p["We"].T @ Y

    def step(x, lam):
        c = B + p["S"] @ x
        return jnp.sign(c) * jnp.maximum(jnp.abs(c) - jnp.exp(lam), 0), None

    x, _ = lax.scan(step, jnp.zeros((p["We"].shape[1], Y.shape[1])), p["lam"])
    return 0.5 * jnp.mean((Y - p["We"] @ x) ** 2) + 0.1 * jnp.mean(jnp.abs(x))


def graph_attention(p, X, src, dst, labels):
    h = X
    n = len(X)
    for l in p["layers"]:
        z = jnp.einsum("nf,fhd->nhd", h, l["W"])
        e = jnp.sum(z * l["al"], -1)[src] + jnp.sum(z * l["ar"], -1)[dst]
        e = jnp.where(e > 0, e, 0.2 * e)
        m = jax.ops.segment_max(e, dst, n)
        ex = jnp.exp(e - m[dst])
        a = ex / jax.ops.segment_sum(ex, dst, n)[dst]
        h = jax.ops.segment_sum(a[:, :, None] * z[src], dst, n).reshape(n, -1)
        h = jnp.where(h > 0, h, jnp.expm1(jnp.minimum(h, 0)))
    lg = h @ p["out"]
    return jnp.mean(logsumexp(lg, axis=1) - lg[jnp.arange(n), labels])


def sinkhorn(x, y, a, b, eps=0.1):
    C = jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)

    def step(_, s):
        f, g = s
        f = -eps * logsumexp((g[None, :] - C) / eps + jnp.log(b)[None, :], axis=1)
        return f, -eps * logsumexp((f[:, None] - C) / eps + jnp.log(a)[:, None], axis=0)

    f, g = lax.fori_loop(0, 25, step, (jnp.zeros(len(x)), jnp.zeros(len(y))))
    return jnp.sum(jnp.exp((f[:, None] + g[None, :] - C) / eps) * a[:, None] * b[None, :] * C)


def volume_render(p, z, pixels):
    out = jnp.maximum(z[..., None] * p["W1"] + p["b1"], 0) @ p["W2"] + p["b2"]
    den = jnp.logaddexp(0, out[..., 0])
    col = sigmoid(out[..., 1:])
    al = 1 - jnp.exp(-den * jnp.diff(z, axis=1, append=z[:, -1:] + 0.1))
    T = jnp.cumprod(1 - al + 1e-10, axis=1)
    T = jnp.concatenate([jnp.ones((len(z), 1)), T[:, :-1]], axis=1)
    return jnp.mean((jnp.sum((al * T)[..., None] * col, axis=1) - pixels) ** 2)
