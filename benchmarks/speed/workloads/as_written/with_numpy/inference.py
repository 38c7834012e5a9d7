"""Filters, mixtures and processes with priors, as users of NumPy write them."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.special import gammaln, logsumexp, softmax


class ConstantVelocity:
    def __init__(self, q, r, dt=1.0):
        self.F = np.array([[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]])
        self.H = np.eye(2, 4)
        g = np.array([[dt**2 / 2, 0], [0, dt**2 / 2], [dt, 0], [0, dt]])
        self.Q = q * g @ g.T
        self.R = r * np.eye(2)

    def predict(self, x, P):
        return self.F @ x, self.F @ P @ self.F.T + self.Q

    def update(self, x, P, z):
        y = z - self.H @ x
        S = self.H @ P @ self.H.T + self.R
        K = P @ self.H.T @ np.linalg.inv(S)
        ll = -0.5 * (y @ np.linalg.inv(S) @ y + np.log(np.linalg.det(S)) + 2 * np.log(2 * np.pi))
        return x + K @ y, (np.eye(4) - K @ self.H) @ P, ll


def kalman(theta, zs):
    kf = ConstantVelocity(np.exp(theta[0]), np.exp(theta[1]))
    x, P = np.zeros(4), np.exp(theta[2]) * np.eye(4)
    total = 0.0
    for z in zs:
        x, P = kf.predict(x, P)
        x, P, ll = kf.update(x, P, z)
        total += ll
    return -total


def particle_filter(theta, ys, eps):
    phi, log_q, log_r = theta
    n = eps.shape[1]
    x = np.zeros(n)
    logw = np.full(n, -np.log(n))
    ll = 0.0
    for y, e in zip(ys, eps):
        x = phi * x + np.exp(log_q) * e
        logp = -0.5 * ((y - x) / np.exp(log_r)) ** 2 - log_r - 0.5 * np.log(2 * np.pi)
        logw = logw + logp
        z = logsumexp(logw)
        ll += z
        logw = np.logaddexp(logw - z + np.log(0.9), np.log(0.1 / n))
    return -ll


def hmm_poisson(p, counts):
    A = softmax(p["logits"], axis=1)
    lam = np.logaddexp(0, p["rates"])
    emis = counts[:, None] * np.log(lam) - lam - gammaln(counts + 1)[:, None]
    alpha = np.log(np.ones(5) / 5) + emis[0]
    for t in range(1, len(counts)):
        alpha = logsumexp(alpha[:, None] + np.log(A), axis=0) + emis[t]
    return -logsumexp(alpha)


def sqdist(X, Y, ls):
    X, Y = X / ls, Y / ls
    return np.maximum(np.sum(X**2, 1)[:, None] + np.sum(Y**2, 1)[None, :] - 2 * X @ Y.T, 1e-12)


def gp_kernels(p, X, y):
    amp = np.exp(p["amp"])
    r2 = sqdist(X, X, np.exp(p["ls"]))
    r = np.sqrt(5 * r2)
    matern = amp[0] * (1 + r + r**2 / 3) * np.exp(-r)
    rq = amp[1] * (1 + r2 / 2) ** -1.0
    t = X[:, 0]
    per = amp[2] * np.exp(
        -2 * np.sin(np.pi * np.abs(t[:, None] - t[None, :]) / np.exp(p["period"])) ** 2
    )
    K = matern + rq + per + (np.exp(p["noise"]) + 1e-6) * np.eye(len(y))
    L = np.linalg.cholesky(K)
    a = scipy.linalg.cho_solve((L, True), y)
    return 0.5 * y @ a + np.sum(np.log(np.diag(L))) + 0.5 * len(y) * np.log(2 * np.pi)


def second_derivatives(x, y):
    n = len(x)
    h = np.diff(x)
    ab = np.zeros((3, n))
    ab[1, 0] = ab[1, -1] = 1.0
    ab[1, 1:-1] = 2 * (h[:-1] + h[1:])
    ab[0, 2:] = h[1:]
    ab[2, :-2] = h[:-1]
    rhs = np.zeros(n)
    slope = np.diff(y) / h
    rhs[1:-1] = 6 * (slope[1:] - slope[:-1])
    return scipy.linalg.solve_banded((1, 1), ab, rhs)


def natural_spline(y, knots, t, obs):
    m = second_derivatives(knots, y)
    i = np.clip(np.searchsorted(knots, t) - 1, 0, len(knots) - 2)
    h = knots[i + 1] - knots[i]
    a, b = (knots[i + 1] - t) / h, (t - knots[i]) / h
    s = a * y[i] + b * y[i + 1] + ((a**3 - a) * m[i] + (b**3 - b) * m[i + 1]) * h**2 / 6
    return np.mean((s - obs) ** 2) + 1e-6 * np.sum(m**2)


def vi_elbo(eps, X, y):
    d = X.shape[1]
    rows, cols = np.tril_indices(d)

    def negative_elbo(p):
        L = np.zeros((d, d))
        L[rows, cols] = p["tril"]
        L[np.diag_indices(d)] = np.exp(np.diag(L))
        beta = p["mu"] + eps @ L.T
        logits = beta @ X.T
        loglik = np.sum(y * logits - np.logaddexp(0, logits), axis=1).mean()
        logprior = -0.5 * np.sum(beta**2, axis=1).mean()
        entropy = 0.5 * np.linalg.slogdet(L @ L.T)[1]
        return -(loglik + logprior + entropy)

    return negative_elbo


def student_mixture(p, x):
    nu = 1 + np.exp(p["nu"])
    s = np.exp(p["s"])
    z = (x[:, None] - p["mu"]) / s
    logpdf = (
        gammaln((nu + 1) / 2)
        - gammaln(nu / 2)
        - 0.5 * np.log(nu * np.pi)
        - np.log(s)
        - (nu + 1) / 2 * np.log1p(z**2 / nu)
    )
    logw = p["w"] - logsumexp(p["w"])
    return -np.mean(logsumexp(logw + logpdf, axis=1))


def negbin_glm(p, X, y):
    mu = np.exp(np.clip(X @ p["beta"], -10, 10))
    a = np.exp(p["log_phi"])
    ll = (
        gammaln(y + a)
        - gammaln(a)
        - gammaln(y + 1)
        + a * np.log(a / (a + mu))
        + y * np.log(mu / (a + mu))
    )
    return -ll.sum()
