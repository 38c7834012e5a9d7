"""Epidemics, reactions, doses and cohorts, as users of JAX write them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy.special import gammaln


def seir(params, cases):
    N = 1e5

    def step(c, _):
        S, E, I, R = c
        inf = params["beta"] * S * I / N
        on = params["sigma"] * E
        rem = params["gamma"] * I
        return (S - inf, E + inf - on, I + on - rem, R + rem), on

    i0 = params["i0"] * 1.0
    _, inc = lax.scan(step, (N - i0, 0.0 * i0, i0, 0.0 * i0), None, length=len(cases))
    mu = jnp.maximum(inc, 1e-6)
    return -jnp.sum(cases * jnp.log(mu) - mu - gammaln(cases + 1))


def rob_rhs(y, k):
    r1 = k[0] * y[0]
    r2 = k[1] * y[1] ** 2
    r3 = k[2] * y[1] * y[2]
    return jnp.array([-r1 + r3, r1 - r2 - r3, r2])


def robertson(logk, dts, data):
    k = jnp.exp(logk)
    w = jnp.array([1.0, 1e4, 1.0])

    def step(y, hd):
        h, obs = hd
        yn = y
        for _ in range(3):
            res = yn - y - h * rob_rhs(yn, k)
            yn = yn - jnp.linalg.solve(jnp.eye(3) - h * jax.jacfwd(rob_rhs)(yn, k), res)
        return yn, jnp.sum(((yn - obs) * w) ** 2)

    return lax.scan(step, jnp.array([1.0, 0.0, 0.0]), (dts, data))[1].sum()


def cox(beta, X, event):
    eta = X @ beta
    m = eta.max()
    risk = jnp.log(jnp.cumsum(jnp.exp(eta - m)[::-1])[::-1]) + m
    return -jnp.sum(event * (eta - risk)) / event.sum() + 0.01 * jnp.sum(jnp.abs(beta))


def mixed_model(p, Xs, ys):
    a, b, s = jnp.exp(p["log_sd"])
    ll = 0.0
    for X, y in zip(Xs, ys):
        Z = X[:, :2]
        V = Z @ jnp.diag(jnp.array([a**2, b**2])) @ Z.T + s**2 * jnp.eye(len(y))
        r = y - X @ p["beta"]
        ll += -0.5 * (
            jnp.linalg.slogdet(V)[1] + r @ jnp.linalg.solve(V, r) + len(y) * jnp.log(2 * jnp.pi)
        )
    return -ll


def lotka_volterra(theta, times, prey, predator):
    a, b, c, d, x0, y0 = theta
    n = 200
    dt = 10.0 / n

    def lv(s):
        x, y = s
        return jnp.array([a * x - b * x * y, c * x * y - d * y])

    def step(s, _):
        k1 = lv(s)
        k2 = lv(s + dt / 2 * k1)
        k3 = lv(s + dt / 2 * k2)
        k4 = lv(s + dt * k3)
        s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return s, s

    s0 = jnp.array([x0, y0])
    _, ss = lax.scan(step, s0, None, length=n)
    ss = jnp.concatenate([s0[None], ss])
    g = jnp.linspace(0, 10, n + 1)
    return jnp.sum((jnp.interp(times, g, ss[:, 0]) - prey) ** 2) + jnp.sum(
        (jnp.interp(times, g, ss[:, 1]) - predator) ** 2
    )


def huckel(alpha, t):
    n = len(alpha)
    H = jnp.diag(alpha) - jnp.diag(t[:-1], 1) - jnp.diag(t[:-1], -1)
    H = H.at[0, -1].set(-t[-1]).at[-1, 0].set(-t[-1])
    e, C = jnp.linalg.eigh(H)
    dens = jnp.sum(C[:, : n // 2] ** 2, axis=1)
    return 2 * jnp.sum(e[: n // 2]) + jnp.sum(dens**2)


def dose_pk(logp, dose_times, doses, t, conc):
    ka, ke, V = jnp.exp(logp)
    dt = t[:, None] - dose_times
    on = dt > 0
    dt = jnp.where(on, dt, 0.0)
    pred = jnp.sum(
        jnp.where(on, doses * ka / (V * (ka - ke)) * (jnp.exp(-ke * dt) - jnp.exp(-ka * dt)), 0.0),
        axis=1,
    )
    return jnp.sum((jnp.log(pred + 1e-3) - jnp.log(conc)) ** 2)
