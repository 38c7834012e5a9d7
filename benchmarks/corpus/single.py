"""The same in float32, as models are trained."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

SINGLE = Group("float32")

F = np.float32
W = np.array([[0.1, 0.3, -0.6], [0.2, -0.7, 0.1]], F)
B = np.array([0.1, -0.3], F)
T = np.array([0.5, 0.2], F)


def _box(low, high, *shape):
    return box(low, high, shape=shape, dtype=np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def layer_norm(x):
    c = x - np.mean(x)
    return np.sum(c / np.sqrt(np.mean(c * c) + F(1e-3)) * W[0])


def layer_norm_gradient(x):
    c = x - x.mean()
    r = 1 / np.sqrt(np.mean(c * c) + F(1e-3))
    h = c * r
    return r * (W[0] - W[0].mean() - h * np.mean(W[0] * h))


def mse(x):
    return np.mean((W @ x + B - T) ** 2)


def mse_gradient(x):
    return W.T @ (W @ x + B - T)


def network(x):
    return np.sum(np.tanh(W @ x + B))


def network_gradient(x):
    h = np.tanh(W @ x + B)
    return W.T @ (1 - h**2)


def cross_entropy(z):
    e = np.exp(z - np.max(z))
    return -np.log(e[1] / np.sum(e))


def cross_entropy_gradient(z):
    e = np.exp(z - np.max(z))
    p = e / np.sum(e)
    p[1] -= F(1)
    return p


def bce(z):
    return np.sum(np.maximum(z, 0) - z * W[0] + np.log1p(np.exp(-np.abs(z))))


def huber(r):
    return np.sum(np.where(np.abs(r) < F(0.3), F(0.5) * r * r, F(0.3) * (np.abs(r) - F(0.15))))


def cosine(x):
    return (W[0] @ x) / np.sqrt(x @ x)


def cosine_gradient(x):
    n = np.sqrt(x @ x)
    return W[0] / n - (W[0] @ x) * x / n**3


TABLE = {
    "square": (lambda x: x * x, lambda x: F(2) * x, _box(-3, 3)),
    "cube": (lambda x: x**3, lambda x: 3 * x**2, _box(-3, 3)),
    "sigmoid": (sigmoid, lambda x: sigmoid(x) * (1 - sigmoid(x)), _box(-6, 6)),
    "sigmoid, other tail": (sigmoid, lambda x: sigmoid(x) * sigmoid(-x), _box(-6, 6)),
    "tanh": (np.tanh, lambda x: 1 / np.cosh(x) ** 2, _box(-6, 6)),
    "exp": (np.exp, np.exp, _box(-6, 6)),
    "log": (np.log, lambda x: 1 / x, _box(0.1, 9)),
    "sine": (np.sin, np.cos, _box(-6, 6)),
    "root": (np.sqrt, lambda x: F(0.5) / np.sqrt(x), _box(0.1, 9)),
    "Gaussian": (lambda x: np.exp(-x * x / 2), lambda x: -x * np.exp(-x * x / 2), _box(-4, 4)),
    "silu": (
        lambda x: x * sigmoid(x),
        lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x))),
        _box(-3, 6),
    ),
    "softplus": (lambda x: np.log1p(np.exp(x)), sigmoid, _box(-6, 6)),
    "relu": (
        lambda x: np.sum(np.maximum(x, 0)),
        lambda x: (x > 0).astype(np.float32),
        _box(-2, 2, 4),
    ),
    "relu layer": (
        lambda x: np.sum(np.maximum(W @ x + B, 0)),
        lambda x: (W @ x + B > 0) @ W,
        _box(-2, 2, 3),
    ),
    "relu layer, doubles": (
        lambda x: np.sum(np.maximum(W @ x + B, 0)),
        lambda x: W.astype(float).T @ (W @ x + B > 0),
        _box(-2, 2, 3),
    ),
    "least squares": (mse, mse_gradient, _box(-2, 2, 3)),
    "network": (network, network_gradient, _box(-2, 2, 3)),
    "layer norm": (layer_norm, layer_norm_gradient, _box(-2, 2, 3)),
    "cross entropy, in place": (cross_entropy, cross_entropy_gradient, _box(-4, 4, 3)),
    "binary cross entropy": (bce, lambda z: sigmoid(z) - W[0], _box(-4, 4, 3)),
    "Huber": (huber, lambda r: np.clip(r, F(-0.3), F(0.3)), _box(-2, 2, 3)),
    "cosine similarity": (cosine, cosine_gradient, _box(0.2, 2, 3)),
    "logsumexp": (
        lambda z: np.log(np.sum(np.exp(z))),
        lambda z: np.exp(z) / np.sum(np.exp(z)),
        _box(-4, 4, 3),
    ),
    "norm": (
        lambda x: np.sqrt(np.sum(x * x)),
        lambda x: x / np.sqrt(np.sum(x * x)),
        _box(0.1, 2, 3),
    ),
    "tenth of a square": (lambda x: F(0.1) * x * x, lambda x: F(0.2) * x, _box(-3, 3)),
    "cubic with tenths": (
        lambda x: F(0.1) * x**3 - F(0.3) * x,
        lambda x: F(0.3) * x**2 - F(0.3),
        _box(-3, 3),
    ),
    "Python floats": (lambda x: 0.1 * x**3 - 0.3 * x, lambda x: 0.3 * x**2 - 0.3, _box(-3, 3)),
}
for _name, (_f, _g, _over) in TABLE.items():
    SINGLE.add(_name, _f, _g, _over)
