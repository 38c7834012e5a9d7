"""Spectra, filters and factors, as users of JAX write them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import softmax


def unmixing(p, E, Y):
    A = softmax(p["abund"], axis=1)
    lin = A @ E
    model = lin + p["b"][:, None] * lin * lin
    sad = jnp.arccos(
        jnp.clip(
            jnp.sum(Y * model, 1) / (jnp.linalg.norm(Y, axis=1) * jnp.linalg.norm(model, axis=1)),
            -0.999999,
            0.999999,
        )
    )
    return jnp.mean((Y - model) ** 2) + 0.1 * jnp.mean(sad) + 0.001 * jnp.sum(jnp.sqrt(A))


def nmf_kl(p, V):
    H = jnp.exp(p["H"])
    WH = jnp.exp(p["W"]) @ H + 1e-09
    return jnp.sum(V * jnp.log((V + 1e-09) / WH) - V + WH) + 0.01 * jnp.abs(H).sum()


def ica(W, X):
    return jnp.mean(jnp.sum(jnp.log(jnp.cosh(W @ X)), axis=0)) - jnp.linalg.slogdet(W)[1]


def equalizer(p, freqs, target_db):
    z = 1 / jnp.exp(-2j * jnp.pi * freqs / 48000.0)
    f0, g, q = jnp.exp(p["logf"]), p["gain"], jnp.exp(p["logq"])
    A = 10 ** (g / 40)
    w0 = 2 * jnp.pi * f0 / 48000.0
    al = jnp.sin(w0) / (2 * q)
    c = -2 * jnp.cos(w0)
    z = z[:, None]
    h = jnp.prod(
        (((1 + al * A) * z + c) * z + 1 - al * A) / (((1 + al / A) * z + c) * z + 1 - al / A),
        axis=1,
    )
    return jnp.mean((20 * jnp.log10(jnp.abs(h)) - target_db) ** 2)


def biquad_time(c, x, y):
    b0, b1, b2, a1, a2 = c

    def step(s, x):
        o = b0 * x + s[0]
        return (b1 * x - a1 * o + s[1], b2 * x - a2 * o), o

    _, out = lax.scan(step, (jnp.array(0.0), jnp.array(0.0)), x)
    return jnp.mean((jnp.tanh(out) - y) ** 2)


def split(x, h, g):
    xp = jnp.concatenate([x, x[: len(h)]])
    return (
        sum(h[k] * xp[k : k + len(x)] for k in range(4))[::2],
        sum(g[k] * xp[k : k + len(x)] for k in range(4))[::2],
    )


def packet(x, h, g, depth):
    if depth == 0:
        return [x]
    lo, hi = split(x, h, g)
    return packet(lo, h, g, depth - 1) + packet(hi, h, g, depth - 1)


def wavelet_packet(h, x):
    g = h[::-1] * jnp.array([1, -1, 1, -1])
    cost = sum(jnp.sum(jnp.sqrt(l**2 + 1e-06)) for l in packet(x, h, g, 5))
    return cost / len(x) + 10 * (jnp.sum(h**2) - 1) ** 2 + (jnp.sum(h) - np.sqrt(2)) ** 2


def cp_tensor(p, T, mask):
    r = jnp.where(mask, T - jnp.einsum("ir,jr,kr->ijk", p["A"], p["B"], p["C"]), 0.0)
    return jnp.sum(r**2) / mask.sum() + 0.001 * sum(jnp.sum(m**2) for m in p.values())
