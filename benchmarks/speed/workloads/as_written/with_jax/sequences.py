"""Labels, alignments and points in time, as users of JAX write them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy.special import logsumexp


def crf(p, X, tags):
    emis = X @ p["W"] + p["b"]

    def one(e, y):
        score = e[jnp.arange(len(y)), y].sum() + p["trans"][y[:-1], y[1:]].sum()
        alpha, _ = lax.scan(
            lambda a, x: (logsumexp(a[:, None] + p["trans"], axis=0) + x, None), e[0], e[1:]
        )
        return logsumexp(alpha) - score

    return jnp.mean(jax.vmap(one)(emis, tags))


def ctc(logits, labels):
    logp = logits - logsumexp(logits, axis=1, keepdims=True)
    ext = jnp.zeros(2 * len(labels) + 1, int).at[1::2].set(labels)
    skip = jnp.zeros(len(ext), bool).at[2:].set((ext[2:] != 0) & (ext[2:] != ext[:-2]))
    alpha = jnp.full(len(ext), -1e30).at[:2].set(logp[0, ext[:2]])
    N = jnp.array([-1e30])

    def step(alpha, lp):
        a1 = jnp.concatenate([N, alpha[:-1]])
        a2 = jnp.where(skip, jnp.concatenate([N, N, alpha[:-2]]), -1e30)
        return jnp.logaddexp(jnp.logaddexp(alpha, a1), a2) + lp[ext], None

    alpha, _ = lax.scan(step, alpha, logp[1:])
    return -jnp.logaddexp(alpha[-1], alpha[-2])


def soft_dtw(x, y, gamma=0.5):
    D = jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)
    n, m = D.shape

    def row(prev, d):

        def cell(c, z):
            left = c
            up, diag, dd = z
            mm = jnp.minimum(jnp.minimum(up, left), diag)
            v = (
                dd
                + mm
                - gamma
                * jnp.log(
                    jnp.exp(-(up - mm) / gamma)
                    + jnp.exp(-(left - mm) / gamma)
                    + jnp.exp(-(diag - mm) / gamma)
                )
            )
            return v, v

        _, r = lax.scan(cell, jnp.array(100000000.0), (prev[1:], prev[:-1], d))
        return jnp.concatenate([jnp.array([100000000.0]), r]), None

    r, _ = lax.scan(row, jnp.full(m + 1, 100000000.0).at[0].set(0.0), D)
    return r[m]


def hawkes(theta, times, T):
    mu, alpha, beta = jnp.exp(theta)

    def step(A, dt):
        A = jnp.exp(-beta * dt) * (1 + A)
        return A, jnp.log(mu + alpha * beta * A)

    _, l = lax.scan(step, jnp.array(0.0), jnp.diff(times))
    return -(jnp.log(mu) + l.sum() - mu * T - alpha * jnp.sum(1 - jnp.exp(-beta * (T - times))))


def gillespie_path(log_rates, states, dts, which, stoich):
    k = jnp.exp(log_rates)
    x, y = states[:, 0], states[:, 1]
    a = jnp.stack([k[0] + 0 * x, k[1] * x, k[2] * x * y, k[3] * y], 1)
    return -jnp.sum(jnp.log(a[jnp.arange(len(dts)), which]) - a.sum(1) * dts)


def lindley(theta, u, v, obs):
    lam, mu = jnp.exp(theta)

    def step(W, z):
        W = jnp.maximum(W + z[1] - z[0], 0.0)
        return W, W

    _, w = lax.scan(step, jnp.array(0.0), (-jnp.log(u) / lam, -jnp.log(v) / mu))
    return (jnp.mean(w) - obs[0]) ** 2 + (jnp.percentile(w, 90) - obs[1]) ** 2


def theta_logistic(p, counts):
    r, K, th = jnp.exp(p["log_r"]), jnp.exp(p["log_K"]), jnp.exp(p["log_th"])
    n = p["x"]
    pred = n[:-1] + r * (1 - (jnp.exp(n[:-1]) / K) ** th)
    q, s = jnp.exp(p["log_q"]), jnp.exp(p["log_s"])
    nll = 0.5 * jnp.sum(((n[1:] - pred) / q) ** 2) + (len(n) - 1) * p["log_q"]
    seen = ~jnp.isnan(counts)
    return nll + jnp.sum(jnp.where(seen, jnp.exp(n) - jnp.where(seen, counts, 0.0) * n, 0.0)) + s**2
