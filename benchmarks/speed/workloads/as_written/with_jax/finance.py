"""Options, portfolios and returns, as users of JAX write them."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jax.nn import sigmoid
from jax.scipy.special import gammaln


def binomial_put(x, strike, T):
    n = 200
    S, sigma, r = x
    dt = T / n
    u = jnp.exp(sigma * jnp.sqrt(dt))
    d = 1 / u
    p = (jnp.exp(r * dt) - d) / (u - d)
    disc = jnp.exp(-r * dt)
    k = jnp.arange(n + 1)
    values = jnp.maximum(strike - S * u ** (n - 2.0 * k), 0)

    def body(values, i):
        cont = disc * (p * values + (1 - p) * jnp.roll(values, -1))
        ex = strike - S * u ** (i - 2.0 * k)
        return jnp.maximum(cont, ex), None

    values, _ = lax.scan(body, values, jnp.arange(n - 1, -1, -1).astype(float))
    return values[0]


def heston_asian(p, z1, z2):
    n, paths = z1.shape
    dt = 1.0 / n

    def step(c, z):
        x, v, tot = c
        a, b = z
        vp = jnp.maximum(v, 0)
        sq = jnp.sqrt(vp * dt + 1e-12)
        dw2 = p["rho"] * a + jnp.sqrt(1 - p["rho"] ** 2) * b
        x = x - 0.5 * vp * dt + sq * a
        v = v + p["kappa"] * (p["theta"] - vp) * dt + p["xi"] * sq * dw2
        return (x, v, tot + jnp.exp(x)), None

    (x, v, tot), _ = lax.scan(
        step, (jnp.zeros(paths), p["v0"] * jnp.ones(paths), jnp.zeros(paths)), (z1, z2)
    )
    return jnp.mean(jnp.clip(tot / n - 1.0, 0, None))


def hagan(k, f, t, alpha, rho, nu, beta=0.5):
    logfk = jnp.log(f / k)
    fkbeta = (f * k) ** (1 - beta)
    a = (1 - beta) ** 2 * alpha**2 / (24 * fkbeta)
    b = 0.25 * rho * beta * nu * alpha / fkbeta**0.5
    c = (2 - 3 * rho**2) * nu**2 / 24
    d = fkbeta**0.5
    v = (1 - beta) ** 2 * logfk**2 / 24
    w = (1 - beta) ** 4 * logfk**4 / 1920
    z = nu / alpha * d * logfk
    small = jnp.abs(z) < 1e-3
    zs = jnp.where(small, 1.0, z)
    xz = jnp.log((jnp.sqrt(1 - 2 * rho * zs + zs**2) + zs - rho) / (1 - rho))
    return (
        alpha
        * jnp.where(small, 1 - 0.5 * rho * z, zs / xz)
        * (1 + (a + b + c) * t)
        / (d * (1 + v + w))
    )


def sabr(x, f, strikes, t, market):
    return jnp.sum((hagan(strikes, f, t, x[0], jnp.tanh(x[2]), x[1]) - market) ** 2)


def cvar_portfolio(z, returns):
    w = jnp.exp(z) / jnp.exp(z).sum()
    losses = -(returns @ w)
    alpha = 0.95
    tail = jnp.sort(losses)[int(alpha * len(losses)) :]
    return (
        tail.mean()
        + 0.1 * jnp.quantile(losses, alpha)
        - 2 * jnp.mean(returns, axis=0) @ w
        + w @ jnp.cov(returns.T) @ w
    )


def arma(theta, y):
    c, p1, p2, ma, ls = theta

    def step(e, yy):
        e = yy[0] - c - p1 * yy[1] - p2 * yy[2] - ma * e
        return e, e**2

    sse = lax.scan(step, 0.0, (y[2:], y[1:-1], y[:-2]))[1].sum()
    return 0.5 * sse / jnp.exp(2 * ls) + (len(y) - 2) * ls


def garch_t(p, r):
    om, al, be, nu = (
        jnp.exp(p["omega"]),
        sigmoid(p["alpha"]),
        sigmoid(p["beta"]),
        2 + jnp.exp(p["nu"]),
    )
    e = r - p["mu"]

    def step(h, e_):
        h = om + al * e_**2 + be * h
        return h, h

    h0 = jnp.var(r)
    _, h = lax.scan(step, h0, e[:-1])
    h = jnp.concatenate([h0[None], h])
    ll = (
        gammaln((nu + 1) / 2)
        - gammaln(nu / 2)
        - 0.5 * jnp.log((nu - 2) * jnp.pi * h)
        - (nu + 1) / 2 * jnp.log1p(e**2 / ((nu - 2) * h))
    )
    return -ll.sum()
