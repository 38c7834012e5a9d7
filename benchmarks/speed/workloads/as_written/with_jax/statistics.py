"""Tests, survival, portfolios and balances, as users of JAX write them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid
from jax.scipy.linalg import solve_triangular
from jax.scipy.special import gammaln


def equilibrium(logK, A, totals, obs, iters=12):

    def solve(total):

        def step(_, logx):
            c = jnp.exp(logK + logx @ A)
            x = jnp.exp(logx)
            return logx - jnp.clip(
                jnp.linalg.solve(jnp.diag(x) + A * c @ A.T, x + A @ c - total), -2, 2
            )

        return logK + lax.fori_loop(0, iters, step, jnp.log(total)) @ A

    return jnp.sum((jax.vmap(solve)(totals) - obs) ** 2)


def climate_box(p, emissions, temps):

    def step(s, e):
        atm, up, lo, T, Td = s
        f = p["f2x"] * jnp.log2(atm / 590.0)
        x = p["k12"] * (atm - up * 0.65)
        y = p["k23"] * (up - 0.3 * lo)
        s = (
            atm + e - x,
            up + x - y,
            lo + y,
            T + (f - p["lam"] * T - p["ex"] * (T - Td)) / p["C"],
            Td + p["ex"] * (T - Td) / 100.0,
        )
        return s, s[3]

    _, out = lax.scan(
        step, tuple(jnp.array(v) for v in (590.0, 900.0, 3000.0, 0.0, 0.0)), emissions
    )
    return jnp.sum((out - temps) ** 2) / 0.01


def irt(p, person, item, answer):
    z = jnp.exp(p["log_a"])[item] * (p["theta"][person] - p["b"][item])
    g = sigmoid(p["c"])[item] * 0.3
    prob = g + (1 - g) * sigmoid(z)
    return (
        -jnp.where(answer == 1, jnp.log(prob), jnp.log1p(-prob)).sum()
        + 0.5 * jnp.sum(p["theta"] ** 2)
        + 0.5 * jnp.sum(p["b"] ** 2)
    )


def frailty(p, X, time, event, group):
    shape, scale, th = jnp.exp(p["log_shape"]), jnp.exp(p["log_scale"]), jnp.exp(p["log_theta"])
    eta = X @ p["beta"]
    H = (time / scale) ** shape * jnp.exp(eta)
    logh = jnp.log(shape) - jnp.log(scale) + (shape - 1) * jnp.log(time / scale) + eta
    n = 150
    Hg = jnp.zeros(n).at[group].add(H)
    D = jnp.zeros(n).at[group].add(event)
    return -(
        jnp.sum(event * logh)
        + jnp.sum(
            gammaln(D + 1 / th)
            - gammaln(1 / th)
            + D * jnp.log(th)
            - (D + 1 / th) * jnp.log1p(th * Hg)
        )
    )


def hier_normal(p, X, y, groups):
    d = X.shape[1]
    i, j = np.tril_indices(d, -1)
    L = jnp.zeros((d, d)).at[i, j].set(p["free"]) + jnp.eye(d)
    L = L / jnp.sqrt(jnp.sum(L**2, axis=1, keepdims=True))
    L = jnp.exp(p["log_sd"])[:, None] * L
    beta = p["mu"] + p["z"] @ L.T
    fit = jnp.sum(X * beta[groups], axis=1)
    ll = -0.5 * jnp.sum(((y - fit) / jnp.exp(p["log_s"])) ** 2) - len(y) * p["log_s"]
    return -(
        ll
        - 0.5 * jnp.sum(p["z"] ** 2)
        - 0.5 * jnp.sum(p["mu"] ** 2)
        + jnp.sum(jnp.arange(d)[::-1] * jnp.log(jnp.diag(L)))
    )


def mvt_groups(p, X):
    d = X.shape[1]
    i, j = np.tril_indices(d)
    L = jnp.zeros((d, d)).at[i, j].set(p["tril"])
    k = np.arange(d)
    L = L.at[k, k].set(jnp.exp(jnp.diagonal(L)))
    q = jnp.sum(solve_triangular(L, (X - p["mu"]).T, lower=True) ** 2, axis=0)
    nu = 2 + jnp.exp(p["log_nu"])
    return -jnp.sum(
        gammaln((nu + d) / 2)
        - gammaln(nu / 2)
        - 0.5 * d * jnp.log(nu * jnp.pi)
        - jnp.sum(jnp.log(jnp.diag(L)))
        - 0.5 * (nu + d) * jnp.log1p(q / nu)
    )


def black_litterman(x, Sigma, w, P, Q):
    tau, delta = jnp.exp(x["log_tau"]), jnp.exp(x["log_delta"])
    pi = delta * Sigma @ w
    Om = jnp.diag(jnp.exp(x["log_conf"]))
    tS = jnp.linalg.inv(tau * Sigma)
    M = jnp.linalg.inv(tS + P.T @ jnp.linalg.inv(Om) @ P)
    mu = M @ (tS @ pi + P.T @ jnp.linalg.solve(Om, Q))
    wn = jnp.linalg.solve(delta * (Sigma + M), mu)
    wn = wn / wn.sum()
    return -(wn @ mu - 0.5 * delta * wn @ Sigma @ wn) + 0.1 * jnp.sum(jnp.abs(wn - w))


def yield_curve(b, bonds):
    err = 0.0
    for t, cash, price, dur in bonds:
        a1, a2 = t / jnp.exp(b[4]), t / jnp.exp(b[5])
        f1 = (1 - jnp.exp(-a1)) / a1
        f2 = (1 - jnp.exp(-a2)) / a2
        y = b[0] + b[1] * f1 + b[2] * (f1 - jnp.exp(-a1)) + b[3] * (f2 - jnp.exp(-a2))
        err += ((jnp.sum(cash * jnp.exp(-y * t)) - price) / dur) ** 2
    return err


def local_vol(sig, S, payoff, market, idx, r=0.02, T=1.0, steps=25):
    dt = T / steps
    n = len(S)
    j = jnp.arange(1, n - 1)

    def step(V, s):
        al, be = 0.5 * dt * s[1:-1] ** 2 * j**2, 0.5 * dt * r * j
        A = (
            jnp.zeros((n, n))
            .at[0, 0]
            .set(1.0)
            .at[-1, -1]
            .set(1.0)
            .at[j, j - 1]
            .set(-(al - be))
            .at[j, j]
            .set(1 + 2 * al + r * dt)
            .at[j, j + 1]
            .set(-(al + be))
        )
        return jnp.linalg.solve(A, V), None

    V, _ = lax.scan(step, payoff, jnp.repeat(sig, 5, axis=0))
    return jnp.sum((V[idx] - market) ** 2) + 0.001 * jnp.sum(jnp.diff(sig, axis=1) ** 2)
