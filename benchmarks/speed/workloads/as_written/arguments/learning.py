"""What the workloads of learning are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def transformer():
    r = rng()
    d = 64

    def lin(i, o):
        return {"W": r.normal(size=(i, o)) / np.sqrt(i), "b": np.zeros(o)}

    def block():
        return {
            "ln1": {"g": np.ones(d), "b": np.zeros(d)},
            "ln2": {"g": np.ones(d), "b": np.zeros(d)},
            "qkv": lin(d, 3 * d),
            "proj": lin(d, d),
            "fc": lin(d, 4 * d),
            "out": lin(4 * d, d),
        }

    return {
        "emb": r.normal(size=(50, d)),
        "pos": 0.1 * r.normal(size=(64, d)),
        "blocks": [block(), block()],
        "head": lin(d, 50),
    }, (r.integers(0, 50, 64), r.integers(0, 50, 64))


def cnn():
    r = rng()
    return {
        "k1": 0.3 * r.normal(size=(8, 1, 3, 3)),
        "b1": np.zeros(8),
        "k2": 0.1 * r.normal(size=(16, 8, 3, 3)),
        "b2": np.zeros(16),
        "W": 0.05 * r.normal(size=(400, 10)),
        "b": np.zeros(10),
    }, (r.random((16, 1, 28, 28)), r.integers(0, 10, 16))


def graph_net():
    r = rng()
    n, e, d = 2000, 8000, 32
    return {
        "W1": r.normal(size=(16, d)) / 4,
        "W2": r.normal(size=(d, d)) / 6,
        "W3": r.normal(size=(2 * d, d)) / 8,
        "out": r.normal(size=d),
    }, (r.normal(size=(n, 16)), r.integers(0, n, e), r.integers(0, n, e), r.normal(size=n))


def lstm():
    r = rng()
    h, i = 32, 8
    return {
        "Wx": 0.3 * r.normal(size=(i, 4 * h)),
        "Wh": 0.2 * r.normal(size=(h, 4 * h)),
        "b": np.zeros(4 * h),
        "Wo": r.normal(size=(h, 1)),
    }, (r.normal(size=(40, 16, i)), r.normal(size=(16, 1)))


def quantile_mlp():
    r = rng()
    return [
        (r.normal(size=(6, 32)) / 2, np.zeros(32)),
        (r.normal(size=(32, 32)) / 6, np.zeros(32)),
        (r.normal(size=(32, 9)) / 6, np.zeros(9)),
    ], (r.normal(size=(2048, 6)), r.normal(size=2048))


def matrix_factorization():
    r = rng()
    return {
        "U": 0.1 * r.normal(size=(500, 10)),
        "V": 0.1 * r.normal(size=(400, 10)),
        "bu": np.zeros(500),
        "bv": np.zeros(400),
    }, (r.integers(0, 500, 20000), r.integers(0, 400, 20000), r.integers(1, 6, 20000).astype(float))


def pagerank():
    r = rng()
    n, e = 3000, 15000
    return r.random(e), (r.integers(0, n, e), r.integers(0, n, e), r.random(n))
