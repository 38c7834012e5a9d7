"""More programs of machine learning: recurrence, convolution, contrast, policies."""

from __future__ import annotations

import numpy as np
from scipy.special import erf

from benchmarks.corpus.registry import Group
from verify import box

LEARNING = Group("learning programs")
program = LEARNING.program

RNG = np.random.default_rng(2)
A, B = np.round(RNG.normal(size=(2, 4, 3)), 1)
C = np.round(RNG.normal(size=(4, 4)), 1)
V = np.round(RNG.normal(size=4), 1)
THREE = box(-2, 2, shape=(3,))
FOUR = box(-2, 2, shape=(4,))


def recurrent_net(h):
    for t in range(5):
        h = np.tanh(0.3 * C @ h + 0.1 * t)
    return h @ V


@program(recurrent_net, FOUR, ("C.T", "C"), ("range(5)", "range(5 - (h[0] > 1.99))"))
def recurrent_net_gradient(h):
    kept = []
    for t in range(5):
        h = np.tanh(0.3 * C @ h + 0.1 * t)
        kept.append(h)
    b = V
    for h in kept[::-1]:
        b = 0.3 * C.T @ (b * (1 - h**2))
    return b


def long_short_memory(x):
    h, c = 0.1, 0.0
    for v in x:
        i, f, o = (1 / (1 + np.exp(-(v + w * h))) for w in (0.3, 0.6, -0.2))
        c = f * c + i * np.tanh(v - h)
        h = o * np.tanh(c)
    return h


@program(long_short_memory, THREE, ("bc * f", "bc"), ("-0.2 * do", "-0.2000001 * do"))
def long_short_memory_gradient(x):
    h, c, kept = 0.1, 0.0, []
    for v in x:
        i, f, o = (1 / (1 + np.exp(-(v + w * h))) for w in (0.3, 0.6, -0.2))
        u, before = np.tanh(v - h), c
        c = f * c + i * u
        kept.append((i, f, o, u, before, c))
        h = o * np.tanh(c)
    bh, bc, g = 1.0, 0.0, np.zeros(3)
    for t in (2, 1, 0):
        i, f, o, u, before, c = kept[t]
        y = np.tanh(c)
        do = bh * y * o * (1 - o)
        bc = bc + bh * o * (1 - y * y)
        di, df = bc * u * i * (1 - i), bc * before * f * (1 - f)
        du = bc * i * (1 - u * u)
        g[t] = di + df + do + du
        bh = 0.3 * di + 0.6 * df + -0.2 * do - du
        bc = bc * f
    return g


def convolution_layer(k):
    image = np.round(np.sin(np.arange(25.0).reshape(5, 5)), 1)
    total = 0.0
    for i in range(3):
        for j in range(3):
            z = np.sum(image[i : i + 3, j : j + 3] * k)
            total = total + np.maximum(z - 0.1, 0) ** 2
    return total


@program(
    convolution_layer,
    box(-1, 1, shape=(3, 3)),
    ("i : i + 3, j : j + 3] * z", "j : j + 3, i : i + 3] * z"),
    ("z > 0", "z > 0.02"),
)
def convolution_layer_gradient(k):
    image = np.round(np.sin(np.arange(25.0).reshape(5, 5)), 1)
    g = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            z = (image[i : i + 3, j : j + 3] * k).sum() - 0.1
            if z > 0:
                g += 2 * image[i : i + 3, j : j + 3] * z
    return g


def average_pool(x):
    pooled = x.reshape(2, 2, 2, 2).mean(axis=(1, 3))
    return np.sum(np.exp(-pooled))


@program(average_pool, box(-2, 2, shape=(4, 4)), ("-0.25", "-0.5"), ("-0.25", "-0.2500001"))
def average_pool_gradient(x):
    pooled = x.reshape(2, 2, 2, 2).mean(axis=(1, 3))
    return np.kron(-0.25 * np.exp(-pooled), np.ones((2, 2)))


def contrastive_pairs(x):
    u = x / np.linalg.norm(x, axis=1, keepdims=True)
    s = u @ u.T / 0.5
    return np.log(np.exp(s[0, 1]) + np.exp(s[0, 2])) - s[0, 1]


@program(
    contrastive_pairs,
    box(0.2, 2, shape=(3, 4)),
    ("- u * np.sum", "+ u * np.sum"),
    ("2 * (p - 1)", "2.000001 * (p - 1)"),
)
def contrastive_pairs_gradient(x):
    n = np.linalg.norm(x, axis=1, keepdims=True)
    u = x / n
    p = 1 / (1 + np.exp(2 * (u[0] @ u[2] - u[0] @ u[1])))
    du = np.zeros_like(x)
    du[1] = 2 * (p - 1) * u[0]
    du[2] = 2 * (1 - p) * u[0]
    du[0] = 2 * (1 - p) * (u[2] - u[1])
    return (du - u * np.sum(u * du, axis=1, keepdims=True)) / n


def variational_bound(p):
    mean, log_var = p[:2], p[2:]
    z = mean + np.exp(0.5 * log_var) * np.array([0.3, -0.6])
    loss = 0.5 * np.sum((np.tanh(z) - 0.2) ** 2)
    return loss - 0.5 * np.sum(1 + log_var - mean**2 - np.exp(log_var))


@program(variational_bound, FOUR, ("dz + mean", "dz"), ("0.5 * (np.exp", "0.500001 * (np.exp"))
def variational_bound_gradient(p):
    mean, log_var = p[:2], p[2:]
    s, e = np.exp(0.5 * log_var), np.array([0.3, -0.6])
    y = np.tanh(mean + s * e)
    dz = (y - 0.2) * (1 - y**2)
    return np.concatenate([dz + mean, 0.5 * dz * s * e + 0.5 * (np.exp(log_var) - 1)])


def planar_flow(x):
    u, w = np.array([0.3, -0.2, 0.1, 0.4]), np.array([0.6, 0.1, -0.3, 0.2])
    t = np.tanh(w @ x + 0.1)
    y = x + u * t
    return 0.5 * y @ y - np.log(np.abs(1 + (u @ w) * (1 - t**2)))


@program(planar_flow, FOUR, ("+ 2 * (u", "- 2 * (u"), ("+ 0.1)", "+ 0.1000001)"))
def planar_flow_gradient(x):
    u, w = np.array([0.3, -0.2, 0.1, 0.4]), np.array([0.6, 0.1, -0.3, 0.2])
    t = np.tanh(w @ x + 0.1)
    s = 1 - t * t
    y = x + u * t
    return y + w * (s * (u @ y)) + 2 * (u @ w) * t * s / (1 + (u @ w) * s) * w


def proximal_policy(theta):
    old = np.array([0.1, 0.3, 0.4, 0.2])
    gain = np.array([0.5, -0.3, 0.2, -0.1])
    p = np.exp(theta) / np.sum(np.exp(theta))
    ratio = p / old
    return -np.sum(np.minimum(ratio * gain, np.clip(ratio, 0.8, 1.2) * gain))


@program(
    proximal_policy, box(-1, 1, shape=(4,)), ("p * (dp - p @ dp)", "p * dp"), ("< 1.2", "< 1.19")
)
def proximal_policy_gradient(theta):
    old = np.array([0.1, 0.3, 0.4, 0.2])
    gain = np.array([0.5, -0.3, 0.2, -0.1])
    p = np.exp(theta) / np.sum(np.exp(theta))
    ratio = p / old
    active = np.where(gain > 0, ratio < 1.2, ratio > 0.8)
    dp = -np.where(active, gain, 0.0) / old
    return p * (dp - p @ dp)


def entropy_bonus(z):
    p = np.exp(z - np.max(z))
    p = p / np.sum(p)
    return -p @ np.array([1.0, 0.3, -0.2, 0.6]) + 0.1 * p @ np.log(p)


@program(entropy_bonus, FOUR, ("(d - np.sum(p * d))", "d"), ("0.6]", "0.6000001]"))
def entropy_bonus_gradient(z):
    p = np.exp(z - np.max(z))
    p /= np.sum(p)
    d = 0.1 * (np.log(p) + 1) - np.array([1.0, 0.3, -0.2, 0.6])
    return p * (d - np.sum(p * d))


def triplet_embedding(w):
    a, p, n = (np.tanh(w @ v) for v in (A[0], A[1], A[2]))
    return np.maximum(np.sum((a - p) ** 2) - np.sum((a - n) ** 2) + 0.3, 0)


@program(
    triplet_embedding,
    box(-1, 1, shape=(4, 3)),
    ("2 * (a - n)", "2 * (n - a)"),
    ("+ 0.3 <=", "+ 0.29 <="),
)
def triplet_embedding_gradient(w):
    a, p, n = (np.tanh(w @ v) for v in (A[0], A[1], A[2]))
    if np.sum((a - p) ** 2) - np.sum((a - n) ** 2) + 0.3 <= 0:
        return np.zeros((4, 3))
    da, dp, dn = 2 * (n - p), -2 * (a - p), 2 * (a - n)
    back = ((da, a, A[0]), (dp, p, A[1]), (dn, n, A[2]))
    return sum(np.outer(d * (1 - y**2), v) for d, y, v in back)


def matrix_factorisation(u):
    rating = np.array([[5.0, 3, 0], [4, 0, 1], [1, 1, 5]])
    v = np.array([[0.3, 0.6], [-0.1, 0.9], [0.7, 0.2]])
    seen = rating > 0
    return 0.5 * np.sum(seen * (rating - u @ v.T) ** 2) + 0.05 * np.sum(u**2)


@program(
    matrix_factorisation, box(-2, 2, shape=(3, 2)), ("seen * ", ""), ("0.1 * u", "0.1000001 * u")
)
def matrix_factorisation_gradient(u):
    rating = np.array([[5.0, 3, 0], [4, 0, 1], [1, 1, 5]])
    v = np.array([[0.3, 0.6], [-0.1, 0.9], [0.7, 0.2]])
    seen = rating > 0
    return (seen * (u @ v.T - rating)) @ v + 0.1 * u


def gelu_block(x):
    h = A @ x
    return V @ (0.5 * h * (1 + erf(h / np.sqrt(2))))


@program(gelu_block, THREE, ("+ h * np", "+ np"), ("2 * np.pi", "2.000002 * np.pi"))
def gelu_block_gradient(x):
    h = A @ x
    slope = 0.5 * (1 + erf(h / np.sqrt(2))) + h * np.exp(-0.5 * h**2) / np.sqrt(2 * np.pi)
    return A.T @ (V * slope)


def spectral_mixture(w):
    t = np.linspace(0, 2, 9)
    y = w[0] * np.cos(w[1] * t) * np.exp(-0.5 * (w[2] * t) ** 2)
    return np.sum((y - np.exp(-t)) ** 2)


@program(
    spectral_mixture,
    box(0.2, 2, shape=(3,)),
    ("-t * y2", "t * y2"),
    ("t * t * y", "t * t * 1.000001 * y"),
)
def spectral_mixture_gradient(w):
    t = np.linspace(0, 2, 9)
    e = np.exp(-0.5 * (w[2] * t) ** 2)
    y = w[0] * np.cos(w[1] * t) * e
    y2 = w[0] * np.sin(w[1] * t) * e
    r = 2 * (y - np.exp(-t))
    return np.array([r @ (y / w[0]), r @ (-t * y2), r @ (-w[2] * t * t * y)])
