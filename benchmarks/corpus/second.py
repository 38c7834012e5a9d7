"""Hessians, Hessian-vector products, and products with Jacobians from either side."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

SECOND = Group("second order and products")

S = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.8]])
A = np.array([[0.1, 0.3, -0.6], [0.7, 0.2, 0.4]])
X = np.array([[0.1, 0.3], [0.6, -0.2], [-0.3, 0.9], [0.7, 0.7]])
LABEL = np.array([1.0, 0.0, 1.0, 1.0])
THREE = box(-2, 2, shape=(3,))
TWO = box(-2, 2, shape=(2,))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rosenbrock(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def rosenbrock_hessian(x):
    return np.array([[1200 * x[0] ** 2 - 400 * x[1] + 2, -400 * x[0]], [-400 * x[0], 200]])


def himmelblau(x):
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def himmelblau_hessian(x):
    off = 4 * (x[0] + x[1])
    return np.array([[12 * x[0] ** 2 + 4 * x[1] - 42, off], [off, 12 * x[1] ** 2 + 4 * x[0] - 26]])


def logistic(w):
    z = X @ w
    return np.sum(np.log1p(np.exp(z)) - LABEL * z)


def logistic_hessian(w):
    p = sigmoid(X @ w)
    return X.T @ ((p * (1 - p))[:, None] * X)


def logistic_hessian_loop(w):
    h = np.zeros((2, 2))
    for x in X:
        p = sigmoid(x @ w)
        h += p * (1 - p) * np.outer(x, x)
    return h


def poisson_hessian(w):
    return X.T @ np.diag(np.exp(X @ w)) @ X


def log_sum_exp_hessian(x):
    p = np.exp(x - np.max(x))
    p /= p.sum()
    return np.diag(p) - np.outer(p, p)


def norm_hessian(x):
    r = np.sqrt(x @ x)
    return np.eye(3) / r - np.outer(x, x) / r**3


def chain(u):
    return np.sum(1 - np.cos(np.diff(u))) + 0.5 * np.sum(u**2)


def chain_hessian(u):
    c = np.cos(np.diff(u))
    h = np.eye(len(u))
    for k, v in enumerate(c):
        h[k, k] += v
        h[k + 1, k + 1] += v
        h[k, k + 1] -= v
        h[k + 1, k] -= v
    return h


def chain_hessian_diagonals(u):
    c = np.cos(np.diff(u))
    main = 1 + np.append(c, 0) + np.append(0, c)
    return np.diag(main) - np.diag(c, 1) - np.diag(c, -1)


def product_hessian(x):
    a, b, c = x
    return np.array([[0, c, b], [c, 0, a], [b, a, 0]])


def gaussian_hessian(x):
    g = np.exp(-0.5 * x @ x)
    return g * (np.outer(x, x) - np.eye(3))


def cubic_form(x):
    return (x @ S @ x) ** 2 / 4


def cubic_form_hessian(x):
    y = S @ x
    return 2 * np.outer(y, y) + (x @ y) * S


def entropy_hessian(p):
    return -np.diag(1 / p)


def kl_gaussian(p):
    return 0.5 * (np.exp(2 * p[1]) + p[0] ** 2 - 1) - p[1]


def spring(x):
    return 0.5 * (np.sqrt(x[0] ** 2 + x[1] ** 2) - 1) ** 2


def spring_hessian(x):
    r = np.hypot(x[0], x[1])
    n = x / r
    return np.outer(n, n) + (1 - 1 / r) * (np.eye(2) - np.outer(n, n))


def tangent(x):
    return np.sum(np.tanh(A @ x))


def tangent_hessian(x):
    t = np.tanh(A @ x)
    return A.T @ np.diag(-2 * t * (1 - t**2)) @ A


HESSIANS = {
    "Rosenbrock": (rosenbrock, rosenbrock_hessian, TWO),
    "Himmelblau": (himmelblau, himmelblau_hessian, TWO),
    "logistic": (logistic, logistic_hessian, TWO),
    "logistic, loop": (logistic, logistic_hessian_loop, TWO),
    "Poisson": (lambda w: np.sum(np.exp(X @ w) - LABEL * (X @ w)), poisson_hessian, TWO),
    "log-sum-exp": (lambda x: np.log(np.sum(np.exp(x))), log_sum_exp_hessian, THREE),
    "norm": (lambda x: np.sqrt(x @ x), norm_hessian, box(0.2, 2, shape=(3,))),
    "chain": (chain, chain_hessian, box(-2, 2, shape=(4,))),
    "chain, diagonals": (chain, chain_hessian_diagonals, box(-2, 2, shape=(4,))),
    "product": (np.prod, product_hessian, THREE),
    "Gaussian": (lambda x: np.exp(-0.5 * x @ x), gaussian_hessian, THREE),
    "squared form": (cubic_form, cubic_form_hessian, THREE),
    "quadratic form": (lambda x: 0.5 * x @ S @ x, lambda x: S, THREE),
    "quadratic form, sum": (lambda x: x @ S @ x, lambda x: S + S.T, THREE),
    "entropy": (lambda p: -np.sum(p * np.log(p)), entropy_hessian, box(0.05, 1, shape=(3,))),
    "divergence": (kl_gaussian, lambda p: np.array([[1.0, 0.0], [0.0, 2 * np.exp(2 * p[1])]]), TWO),
    "spring": (spring, spring_hessian, box(0.2, 2, shape=(2,))),
    "tanh layer": (tangent, tangent_hessian, THREE),
    "sum of sines": (lambda x: np.sum(np.sin(x)), lambda x: np.diag(-np.sin(x)), THREE),
    "log barrier": (
        lambda x: -np.sum(np.log(x)),
        lambda x: np.diag(x**-2.0),
        box(0.1, 3, shape=(3,)),
    ),
    "one variable": (
        lambda x: np.exp(-x) * x**2,
        lambda x: np.exp(-x) * (x**2 - 4 * x + 2),
        box(-2, 3),
    ),
    "relu squared": (
        lambda x: np.sum(np.maximum(x, 0) ** 2),
        lambda x: np.diag(2.0 * (x > 0)),
        THREE,
    ),
}
for _name, (_f, _g, _over) in HESSIANS.items():
    SECOND.add(f"Hessian, {_name}", _f, _g, _over, quantity="hessian")


def rosenbrock_hvp(x, v):
    h00 = 1200 * x[0] ** 2 - 400 * x[1] + 2
    return np.array([h00 * v[0] - 400 * x[0] * v[1], -400 * x[0] * v[0] + 200 * v[1]])


def logistic_hvp(w, v):
    p = sigmoid(X @ w)
    return X.T @ (p * (1 - p) * (X @ v))


def chain_hvp(u, v):
    c = np.cos(np.diff(u)) * np.diff(v)
    out = v.copy()
    out[1:] += c
    out[:-1] -= c
    return out


HVPS = {
    "Rosenbrock": (rosenbrock, rosenbrock_hvp, TWO),
    "logistic": (logistic, logistic_hvp, TWO),
    "chain, in place": (chain, chain_hvp, box(-2, 2, shape=(4,))),
    "quadratic form": (lambda x: 0.5 * x @ S @ x, lambda x, v: S @ v, THREE),
    "Gaussian": (
        lambda x: np.exp(-0.5 * x @ x),
        lambda x, v: np.exp(-0.5 * x @ x) * (x * (x @ v) - v),
        THREE,
    ),
    "log-sum-exp": (
        lambda x: np.log(np.sum(np.exp(x))),
        lambda x, v: (
            np.exp(x) / np.sum(np.exp(x)) * (v - np.sum(np.exp(x) * v) / np.sum(np.exp(x)))
        ),
        THREE,
    ),
    "cubes": (lambda x: np.sum(x**3), lambda x, v: 6 * x * v, THREE),
}
for _name, (_f, _g, _over) in HVPS.items():
    SECOND.add(f"hvp, {_name}", _f, _g, _over, quantity="hvp")


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def softmax_vjp(x, g):
    p = softmax(x)
    return p * (g - g @ p)


def layer_norm(x):
    c = x - np.mean(x)
    return c / np.sqrt(np.mean(c**2) + 0.01)


def layer_norm_vjp(x, g):
    c = x - x.mean()
    r = 1 / np.sqrt(np.mean(c * c) + 0.01)
    h = c * r
    return r * (g - g.mean() - h * (g * h).mean())


def layer_norm_jvp(x, t):
    c, d = x - x.mean(), t - t.mean()
    r = 1 / np.sqrt(np.mean(c * c) + 0.01)
    return r * d - c * r**3 * np.mean(c * d)


def correlate(x):
    return np.convolve(x, np.array([0.1, 0.3, 0.6]), mode="valid")


SIX = box(-2, 2, shape=(6,))
VJPS = {
    "softmax": (softmax, softmax_vjp, THREE),
    "layer norm": (layer_norm, layer_norm_vjp, THREE),
    "linear map": (lambda x: A @ x, lambda x, g: A.T @ g, THREE),
    "tanh layer": (
        lambda x: np.tanh(A @ x),
        lambda x, g: A.T @ (g * (1 - np.tanh(A @ x) ** 2)),
        THREE,
    ),
    "cumulative sum": (np.cumsum, lambda x, g: np.cumsum(g[::-1])[::-1], SIX),
    "reshape and sum": (lambda x: x.reshape(2, 3).sum(axis=0), lambda x, g: np.tile(g, 2), SIX),
    "convolution": (correlate, lambda x, g: np.convolve(g, np.array([0.6, 0.3, 0.1])), SIX),
    "take": (lambda x: x[[0, 2, 2]], lambda x, g: np.bincount([0, 2, 2], g, 6), SIX),
    "relu": (lambda x: np.maximum(x, 0), lambda x, g: g * (x > 0), SIX),
    "outer product": (lambda x: np.outer(x, x), lambda x, g: g @ x + g.T @ x, THREE),
    "FFT power": (
        lambda x: np.abs(np.fft.fft(x)) ** 2,
        lambda x, g: 2 * np.real(np.fft.fft(g * np.conj(np.fft.fft(x)))),
        box(0.1, 2, shape=(4,)),
    ),
    "difference": (np.diff, lambda x, g: np.concatenate([[-g[0]], -np.diff(g), [g[-1]]]), SIX),
}
for _name, (_f, _g, _over) in VJPS.items():
    SECOND.add(f"vjp, {_name}", _f, _g, _over, quantity="vjp")

JVPS = {
    "softmax": (softmax, lambda x, t: softmax(x) * (t - softmax(x) @ t), THREE),
    "layer norm": (layer_norm, layer_norm_jvp, THREE),
    "solve": (
        lambda x: np.linalg.solve(S, np.sin(x)),
        lambda x, t: np.linalg.solve(S, np.cos(x) * t),
        THREE,
    ),
    "cumulative product": (
        np.cumprod,
        lambda x, t: np.cumprod(x) * np.cumsum(t / x),
        box(0.2, 2, shape=(4,)),
    ),
    "tanh layer": (lambda x: np.tanh(A @ x), lambda x, t: (A @ t) / np.cosh(A @ x) ** 2, THREE),
    "polar": (
        lambda x: np.stack([np.hypot(x[0], x[1]), np.arctan2(x[1], x[0])]),
        lambda x, t: np.array([(x @ t) / np.sqrt(x @ x), (x[0] * t[1] - x[1] * t[0]) / (x @ x)]),
        box(0.2, 2, shape=(2,)),
    ),
    "convolution": (correlate, lambda x, t: correlate(t), SIX),
    "quadratic": (lambda x: x**2 @ S, lambda x, t: 2 * (x * t) @ S, THREE),
}
for _name, (_f, _g, _over) in JVPS.items():
    SECOND.add(f"jvp, {_name}", _f, _g, _over, quantity="jvp")
