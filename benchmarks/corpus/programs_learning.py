"""Programs of machine learning: backpropagation by hand, losses, layers, policies."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

LEARNING = Group("learning programs")
program = LEARNING.program

RNG = np.random.default_rng(2)
A, B = np.round(RNG.normal(size=(2, 4, 3)), 1)
C = np.round(RNG.normal(size=(4, 4)), 1)
V = np.round(RNG.normal(size=4), 1)
TARGET = np.array([0.3, -0.1, 0.6, 0.2])
THREE = box(-2, 2, shape=(3,))
FOUR = box(-2, 2, shape=(4,))
TOKENS = box(-1, 1, shape=(3, 4))
QUERY, KEY, VALUE = np.round(RNG.normal(size=(3, 4, 4)), 1)


def two_layer_relu(x):
    h = np.maximum(A @ x + 0.1, 0)
    return np.sum((C @ h - TARGET) ** 2)


@program(two_layer_relu, THREE, ("A.T", "B.T"), ("z <= 0", "z <= 0.01"))
def two_layer_relu_gradient(x):
    z = A @ x + 0.1
    h = np.maximum(z, 0)
    dh = C.T @ (2 * (C @ h - TARGET))
    dh[z <= 0] = 0
    return A.T @ dh


def tanh_weights(w):
    x = np.array([0.3, -0.6, 0.9])
    return 0.5 * np.sum((np.tanh(w @ x) - TARGET) ** 2)


@program(tanh_weights, box(-1, 1, shape=(4, 3)), ("(1 - h**2)", "(1 - h)"), ("0.9]", "0.9000009]"))
def tanh_weights_gradient(w):
    x = np.array([0.3, -0.6, 0.9])
    h = np.tanh(w @ x)
    delta = (h - TARGET) * (1 - h**2)
    return np.outer(delta, x)


def softmax_classifier(z):
    label = np.array([2, 0, 1])
    shifted = z - z.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(3), label])


@program(softmax_classifier, TOKENS, ("/ 3", ""), ("[2, 0, 1]] -= 1", "[2, 0, 1]] -= 0.999999"))
def softmax_classifier_gradient(z):
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(3), [2, 0, 1]] -= 1
    return p / 3


def label_smoothing(z):
    log_p = z - np.log(np.sum(np.exp(z)))
    target = 0.1 / 4 + 0.9 * np.array([0.0, 1, 0, 0])
    return -target @ log_p


@program(label_smoothing, FOUR, ("0.925", "1.0"), ("0.025)", "0.0250001)"))
def label_smoothing_gradient(z):
    p = np.exp(z) / np.sum(np.exp(z))
    target = np.full(4, 0.025)
    target[1] = 0.925
    return p - target


def focal_loss(z):
    p = 1 / (1 + np.exp(-z))
    return -np.sum((1 - p) ** 2 * np.log(p))


@program(focal_loss, FOUR, ("2 * p * np.log(p)", "p * np.log(p)"), ("(p - 1)", "(p - 1.000001)"))
def focal_loss_gradient(z):
    p = 1 / (1 + np.exp(-z))
    return (1 - p) ** 2 * (2 * p * np.log(p) + (p - 1))


def batch_norm(x):
    mean, var = x.mean(axis=0), x.var(axis=0)
    h = (x - mean) / np.sqrt(var + 1e-2)
    return np.sum(np.sin(h * V + 0.1))


@program(batch_norm, TOKENS, ("- np.mean(g, axis=0)", ""), ("1e-2", "1.0001e-2"))
def batch_norm_gradient(x):
    c = x - x.mean(axis=0)
    r = 1 / np.sqrt(np.mean(c * c, axis=0) + 1e-2)
    h = c * r
    g = np.cos(h * V + 0.1) * V
    return r * (g - np.mean(g, axis=0) - h * np.mean(g * h, axis=0))


def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    h = (x - mean) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-3)
    return np.sum(np.tanh(h @ C))


@program(layer_norm, TOKENS, ("@ C.T", "@ C"), ("1e-3", "1.00001e-3"))
def layer_norm_gradient(x):
    c = x - x.mean(axis=-1, keepdims=True)
    r = 1 / np.sqrt(np.mean(c**2, axis=-1, keepdims=True) + 1e-3)
    h = c * r
    g = (1 - np.tanh(h @ C) ** 2) @ C.T
    return r * (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True))


def rms_norm(x):
    return np.sum(V * x / np.sqrt(np.mean(x**2) + 1e-2) * np.arange(1, 5))


@program(rms_norm, FOUR, ("/ 4", ""), ("1e-2", "1.00001e-2"))
def rms_norm_gradient(x):
    w = V * np.arange(1, 5)
    r = 1 / np.sqrt(np.mean(x * x) + 1e-2)
    return w * r - x * r**3 * (w @ x) / 4


def self_attention(x):
    q, k, v = x @ QUERY, x @ KEY, x @ VALUE
    s = q @ k.T / 2
    p = np.exp(s) / np.sum(np.exp(s), axis=1, keepdims=True)
    return np.sum((p @ v) ** 2)


@program(self_attention, TOKENS, ("ds.T @ q", "ds @ q"), ("/ 2.0", "/ 2.000002"))
def self_attention_gradient(x):
    q, k, v = x @ QUERY, x @ KEY, x @ VALUE
    p = np.exp(q @ k.T / 2)
    p /= p.sum(axis=1, keepdims=True)
    do = 2 * p @ v
    dp = do @ v.T
    ds = p * (dp - np.sum(dp * p, axis=1, keepdims=True)) / 2.0
    return (ds @ k) @ QUERY.T + (ds.T @ q) @ KEY.T + (p.T @ do) @ VALUE.T


def masked_attention(x):
    s = x @ x.T / 2
    s = np.where(np.tri(3, dtype=bool), s, -1e9)
    w = np.exp(s - s.max(axis=1, keepdims=True))
    w = w / w.sum(axis=1, keepdims=True)
    return np.sum(w @ x @ V)


@program(
    masked_attention, TOKENS, ("+ ds.T", "+ ds"), ("np.tri(3)", "np.tri(3, k=1 - (x[0, 0] < 0.9))")
)
def masked_attention_gradient(x):
    w = np.exp(x @ x.T / 2) * np.tri(3)
    w /= w.sum(axis=1, keepdims=True)
    value = x @ V
    dw = np.tile(value, (3, 1))
    ds = w * (dw - np.sum(dw * w, axis=1, keepdims=True)) / 2
    return np.outer(w.sum(axis=0), V) + (ds + ds.T) @ x


def gated_unit(x):
    gate = 1 / (1 + np.exp(-(A @ x)))
    return V @ (gate * np.tanh(B @ x))


@program(gated_unit, THREE, ("A.T @", "B.T @ A @ A.T @"), ("(1 - gate)", "(1.000001 - gate)"))
def gated_unit_gradient(x):
    gate, value = 1 / (1 + np.exp(-(A @ x))), np.tanh(B @ x)
    return A.T @ (V * value * gate * (1 - gate)) + B.T @ (V * gate * (1 - value**2))
