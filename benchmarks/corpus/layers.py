"""ReLU, hinge and max layers with the weights people type: 0.1, 0.3, 0.6."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

LAYERS = Group("layers")

W = np.array([[0.1, 0.3, -0.6], [0.2, -0.7, 0.1], [0.3, 0.6, 0.9], [-0.4, 0.1, 0.2]])
B = np.array([0.1, -0.3, 0.6, 0.2])
V = np.array([0.3, -0.1, 0.7, 0.6])
X = np.array([[0.1, 0.3], [0.6, -0.2], [-0.3, 0.9], [0.7, 0.7], [-0.6, 0.1]])
Y = np.array([1.0, -1.0, 1.0, 1.0, -1.0])

THREE = box(-2, 2, shape=(3,))
TWO = box(-2, 2, shape=(2,))


def layer(x):
    return V @ np.maximum(W @ x + B, 0)


def layer_mask(x):
    return W.T @ (V * (W @ x + B > 0))


def layer_in_place(x):
    z = W @ x + B
    d = V.copy()
    d[z <= 0] = 0
    return d @ W


def layer_loop(x):
    g = np.zeros(3)
    for w, b, v in zip(W, B, V, strict=True):
        if w @ x + b > 0:
            g += v * w
    return g


def leaky(x):
    z = W @ x + B
    return np.sum(np.where(z > 0, z, 0.1 * z))


def leaky_slope(x):
    return np.where(W @ x + B > 0, 1.0, 0.1) @ W


def no_bias(x):
    return np.sum(np.maximum(W @ x, 0) ** 2)


def no_bias_slope(x):
    return 2 * np.maximum(W @ x, 0) @ W


def hinge(w):
    return np.mean(np.maximum(0, 1 - Y * (X @ w)))


def hinge_active(w):
    active = Y * (X @ w) < 1
    return -(Y[active] @ X[active]) / len(Y)


def hinge_weights(w):
    return -X.T @ (Y * (Y * (X @ w) < 1)) / 5


def hinge_loop(w):
    g = np.zeros(2)
    for x, y in zip(X, Y, strict=True):
        if 1 - y * np.dot(x, w) > 0:
            g -= 0.2 * y * x
    return g


def squared_hinge(w):
    return np.sum(np.maximum(0, 1 - Y * (X @ w)) ** 2)


def squared_hinge_slope(w):
    m = np.maximum(0, 1 - Y * (X @ w))
    return -2 * X.T @ (Y * m)


def svm(w):
    return 0.05 * w @ w + np.mean(np.maximum(0, 1 - Y * (X @ w)))


def svm_slope(w):
    g = 0.1 * w
    for x, y in zip(X, Y, strict=True):
        if y * (x @ w) < 1:
            g = g - y * x / 5
    return g


def multiclass(s):
    margins = np.maximum(0, s - s[1] + 0.3)
    return np.sum(margins) - 0.3


def multiclass_slope(s):
    g = (s - s[1] + 0.3 > 0).astype(float)
    g[1] = 0
    g[1] = -g.sum()
    return g


def triplet(a, p, n):
    return np.maximum(np.sum((a - p) ** 2) - np.sum((a - n) ** 2) + 0.3, 0)


def triplet_slope(a, p, n):
    on = float(np.sum((a - p) ** 2) - np.sum((a - n) ** 2) + 0.3 > 0)
    return 2 * on * (n - p), -2 * on * (a - p), 2 * on * (a - n)


def contrastive(x):
    d = np.sqrt(x[0] ** 2 + x[1] ** 2)
    return np.maximum(0, 0.6 - d) ** 2


def contrastive_slope(x):
    d = np.sqrt(x[0] ** 2 + x[1] ** 2)
    return -2 * np.maximum(0, 0.6 - d) * x / d


def maxout(x):
    return np.max(W @ x + B)


def maxout_row(x):
    return W[np.argmax(W @ x + B)]


def pooling(x):
    return np.sum(np.max(x.reshape(2, 2, 2, 2), axis=(1, 3)) ** 2)


def pooling_mask(x):
    m = np.max(x.reshape(2, 2, 2, 2), axis=(1, 3))
    big = np.repeat(np.repeat(m, 2, 0), 2, 1)
    return 2 * big * (x == big)


def pooling_loop(x):
    g = np.zeros_like(x)
    for i in range(0, 4, 2):
        for j in range(0, 4, 2):
            patch = x[i : i + 2, j : j + 2]
            k = np.unravel_index(np.argmax(patch), (2, 2))
            g[i + k[0], j + k[1]] = 2 * patch[k]
    return g


def two_layers(x):
    h = np.maximum(W @ x + B, 0)
    return np.maximum(V @ h - 0.1, 0) ** 2


def two_layers_backward(x):
    z = W @ x + B
    h = np.maximum(z, 0)
    o = V @ h - 0.1
    do = 2 * max(o, 0)
    dz = do * V * (z > 0)
    return W.T @ dz


def single_unit(w):
    return np.maximum(0.3 * w[0] + 0.6 * w[1] - 0.3, 0)


def single_unit_slope(w):
    on = 0.3 * w[0] + 0.6 * w[1] > 0.3
    return np.array([0.3, 0.6]) if on else np.zeros(2)


def ramp(w):
    return np.maximum(0.1 * w - 1, 0)


def ramp_slope(w):
    return 0.1 if w > 10 else 0.0


def pinball(q):
    d = np.array([0.1, 0.3, 0.6, 0.9]) - q
    return np.sum(np.maximum(0.3 * d, (0.3 - 1) * d))


def pinball_slope(q):
    d = np.array([0.1, 0.3, 0.6, 0.9]) - q
    return np.sum(np.where(d > 0, -0.3, 0.7))


def huber(r):
    a = np.abs(r)
    return np.sum(np.where(a <= 0.3, 0.5 * r**2, 0.3 * (a - 0.15)))


def epsilon_insensitive(r):
    return np.sum(np.maximum(np.abs(r) - 0.1, 0))


def lasso(w):
    return 0.5 * np.sum((X @ w - Y) ** 2) + 0.3 * np.sum(np.abs(w))


def elastic(w):
    return 0.5 * np.mean((X @ w - Y) ** 2) + 0.1 * (0.3 * np.sum(np.abs(w)) + 0.35 * np.sum(w**2))


def elastic_slope(w):
    return X.T @ (X @ w - Y) / 5 + 0.03 * np.sign(w) + 0.07 * w


def portfolio(w):
    return np.sum(np.maximum(np.array([0.6, 0.3, 0.1]) - w, 0)) + 0.1 * np.sum(np.abs(np.diff(w)))


def portfolio_slope(w):
    g = -(w < np.array([0.6, 0.3, 0.1])).astype(float)
    s = 0.1 * np.sign(np.diff(w))
    g[1:] += s
    g[:-1] -= s
    return g


def dead_zone(u):
    return np.where(np.abs(u) > 0.3, u - 0.3 * np.sign(u), 0.0) ** 2


def residual_block(x):
    return np.sum(x + 0.1 * np.maximum(W[:3] @ x, 0))


def residual_block_slope(x):
    return np.ones(3) + 0.1 * W[:3].T @ (W[:3] @ x > 0)


def ranking(s):
    return np.maximum(0, 0.1 - (s[0] - s[1])) + np.maximum(0, 0.3 - (s[1] - s[2]))


def ranking_slope(s):
    g = np.zeros(3)
    if s[0] - s[1] < 0.1:
        g[0] -= 1
        g[1] += 1
    if s[1] - s[2] < 0.3:
        g[1] -= 1
        g[2] += 1
    return g


TABLE = {
    "layer, mask": (layer, layer_mask, THREE),
    "layer, in place": (layer, layer_in_place, THREE),
    "layer, loop": (layer, layer_loop, THREE),
    "leaky layer": (leaky, leaky_slope, THREE),
    "layer without bias, squared": (no_bias, no_bias_slope, THREE),
    "hinge, active rows": (hinge, hinge_active, TWO),
    "hinge, weights": (hinge, hinge_weights, TWO),
    "hinge, loop": (hinge, hinge_loop, TWO),
    "squared hinge": (squared_hinge, squared_hinge_slope, TWO),
    "support vectors": (svm, svm_slope, TWO),
    "multiclass hinge": (multiclass, multiclass_slope, THREE),
    "triplet": (triplet, triplet_slope, (TWO, TWO, TWO)),
    "contrastive": (contrastive, contrastive_slope, box(0.1, 2, shape=(2,))),
    "maxout": (maxout, maxout_row, THREE),
    "pooling, mask": (pooling, pooling_mask, box(0.1, 2, shape=(4, 4))),
    "pooling, loop": (pooling, pooling_loop, box(-2, 2, shape=(4, 4))),
    "two layers": (two_layers, two_layers_backward, THREE),
    "one unit": (single_unit, single_unit_slope, TWO),
    "ramp": (ramp, ramp_slope, box(-20, 20)),
    "pinball": (pinball, pinball_slope, box(-1, 2)),
    "Huber, clip": (huber, lambda r: np.clip(r, -0.3, 0.3), box(-2, 2, shape=(4,))),
    "Huber, where": (
        huber,
        lambda r: np.where(np.abs(r) <= 0.3, r, 0.3 * np.sign(r)),
        box(-2, 2, shape=(4,)),
    ),
    "epsilon insensitive": (
        epsilon_insensitive,
        lambda r: np.sign(r) * (np.abs(r) > 0.1),
        box(-2, 2, shape=(4,)),
    ),
    "lasso": (lasso, lambda w: X.T @ (X @ w - Y) + 0.3 * np.sign(w), TWO),
    "elastic net, merged": (elastic, elastic_slope, TWO),
    "portfolio": (portfolio, portfolio_slope, box(-1, 1, shape=(3,))),
    "dead zone": (dead_zone, lambda u: 2 * np.sign(u) * np.maximum(np.abs(u) - 0.3, 0), box(-2, 2)),
    "residual block": (residual_block, residual_block_slope, THREE),
    "ranking": (ranking, ranking_slope, THREE),
}
for _name, (_f, _g, _over) in TABLE.items():
    LAYERS.add(_name, _f, _g, _over)
