"""Filters, mixtures and processes with priors, as users of JAX write them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import gammaln, logsumexp


def kalman(theta, zs):
    Fm = jnp.array([[1.0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]])
    H = jnp.eye(2, 4)
    g = jnp.array([[0.5, 0], [0, 0.5], [1, 0], [0, 1.0]])
    Q = jnp.exp(theta[0]) * g @ g.T
    R = jnp.exp(theta[1]) * jnp.eye(2)

    def step(c, z):
        x, P = c
        x, P = Fm @ x, Fm @ P @ Fm.T + Q
        y = z - H @ x
        S = H @ P @ H.T + R
        Si = jnp.linalg.inv(S)
        K = P @ H.T @ Si
        ll = -0.5 * (y @ Si @ y + jnp.log(jnp.linalg.det(S)) + 2 * jnp.log(2 * jnp.pi))
        return (x + K @ y, (jnp.eye(4) - K @ H) @ P), ll

    return -lax.scan(step, (jnp.zeros(4), jnp.exp(theta[2]) * jnp.eye(4)), zs)[1].sum()


def particle_filter(theta, ys, eps):
    phi, lq, lr = theta
    n = eps.shape[1]

    def step(c, ye):
        x, lw = c
        y, e = ye
        x = phi * x + jnp.exp(lq) * e
        lw = lw - 0.5 * ((y - x) / jnp.exp(lr)) ** 2 - lr - 0.5 * jnp.log(2 * jnp.pi)
        z = logsumexp(lw)
        return (x, jnp.logaddexp(lw - z + jnp.log(0.9), jnp.log(0.1 / n))), z

    return -lax.scan(step, (jnp.zeros(n), jnp.full(n, -jnp.log(n))), (ys, eps))[1].sum()


def hmm_poisson(p, counts):
    A = jnp.log(jax.nn.softmax(p["logits"], axis=1))
    lam = jnp.logaddexp(0, p["rates"])
    emis = counts[:, None] * jnp.log(lam) - lam - gammaln(counts + 1)[:, None]

    def step(al, e):
        return logsumexp(al[:, None] + A, axis=0) + e, None

    return -logsumexp(lax.scan(step, jnp.log(jnp.ones(5) / 5) + emis[0], emis[1:])[0])


def gp_kernels(p, X, y):
    amp = jnp.exp(p["amp"])
    Z = X / jnp.exp(p["ls"])
    r2 = jnp.maximum(jnp.sum(Z**2, 1)[:, None] + jnp.sum(Z**2, 1)[None] - 2 * Z @ Z.T, 1e-12)
    r = jnp.sqrt(5 * r2)
    t = X[:, 0]
    K = (
        amp[0] * (1 + r + r**2 / 3) * jnp.exp(-r)
        + amp[1] * (1 + r2 / 2) ** -1.0
        + amp[2]
        * jnp.exp(-2 * jnp.sin(jnp.pi * jnp.abs(t[:, None] - t) / jnp.exp(p["period"])) ** 2)
    )
    K = K + (jnp.exp(p["noise"]) + 1e-6) * jnp.eye(len(y))
    L = jnp.linalg.cholesky(K)
    a = jax.scipy.linalg.cho_solve((L, True), y)
    return 0.5 * y @ a + jnp.sum(jnp.log(jnp.diag(L))) + 0.5 * len(y) * jnp.log(2 * jnp.pi)


def natural_spline(y, knots, t, obs):
    n = len(knots)
    h = jnp.diff(knots)
    d = jnp.ones(n).at[1:-1].set(2 * (h[:-1] + h[1:]))
    du = jnp.zeros(n).at[1:-1].set(h[1:])
    dl = jnp.zeros(n).at[1:-1].set(h[:-1])
    s = jnp.diff(y) / h
    rhs = jnp.zeros(n).at[1:-1].set(6 * (s[1:] - s[:-1]))
    m = lax.linalg.tridiagonal_solve(dl, d, du, rhs[:, None])[:, 0]
    i = jnp.clip(jnp.searchsorted(knots, t) - 1, 0, n - 2)
    h = knots[i + 1] - knots[i]
    a, b = (knots[i + 1] - t) / h, (t - knots[i]) / h
    s = a * y[i] + b * y[i + 1] + ((a**3 - a) * m[i] + (b**3 - b) * m[i + 1]) * h**2 / 6
    return jnp.mean((s - obs) ** 2) + 1e-6 * jnp.sum(m**2)


def vi_elbo(eps, X, y):
    d = X.shape[1]
    rows, cols = np.tril_indices(d)

    def f(p):
        L = jnp.zeros((d, d)).at[rows, cols].set(p["tril"])
        L = L.at[jnp.diag_indices(d)].set(jnp.exp(jnp.diag(L)))
        beta = p["mu"] + eps @ L.T
        logits = beta @ X.T
        ll = jnp.sum(y * logits - jnp.logaddexp(0, logits), axis=1).mean()
        return -(ll - 0.5 * jnp.sum(beta**2, axis=1).mean() + 0.5 * jnp.linalg.slogdet(L @ L.T)[1])

    return f


def student_mixture(p, x):
    nu = 1 + jnp.exp(p["nu"])
    s = jnp.exp(p["s"])
    z = (x[:, None] - p["mu"]) / s
    lp = (
        gammaln((nu + 1) / 2)
        - gammaln(nu / 2)
        - 0.5 * jnp.log(nu * jnp.pi)
        - jnp.log(s)
        - (nu + 1) / 2 * jnp.log1p(z**2 / nu)
    )
    return -jnp.mean(logsumexp(p["w"] - logsumexp(p["w"]) + lp, axis=1))


def negbin_glm(p, X, y):
    mu = jnp.exp(jnp.clip(X @ p["beta"], -10, 10))
    a = jnp.exp(p["log_phi"])
    return -(
        gammaln(y + a)
        - gammaln(a)
        - gammaln(y + 1)
        + a * jnp.log(a / (a + mu))
        + y * jnp.log(mu / (a + mu))
    ).sum()
