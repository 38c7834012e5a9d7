"""What the workloads of networks are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def lista():
    r = rng(11)
    We = 0.1 * r.normal(size=(64, 128))
    return (
        {"We": We, "S": np.eye(128) * 0.9 - We.T @ We * 0.5, "lam": np.full(12, -3.0)},
        (r.normal(size=(64, 50)),),
    )


def graph_attention():
    r = rng(11)
    n, m = 400, 2400

    def layer(f):
        return {
            "W": 0.3 * r.normal(size=(f, 4, 8)),
            "al": r.normal(size=(4, 8)),
            "ar": r.normal(size=(4, 8)),
        }

    src, dst = r.integers(0, n, size=m), r.integers(0, n, size=m)
    src, dst = np.r_[src, np.arange(n)], np.r_[dst, np.arange(n)]
    return (
        {"layers": [layer(24), layer(32)], "out": 0.3 * r.normal(size=(32, 7))},
        (r.normal(size=(n, 24)), src, dst, r.integers(0, 7, size=n)),
    )


def sinkhorn():
    r = rng(11)
    return (
        r.normal(size=(80, 2)),
        (r.normal(size=(70, 2)), np.full(80, 1 / 80), np.full(70, 1 / 70)),
    )


def tsne():
    r = rng(11)
    P = r.random((250, 250))
    P = P + P.T
    np.fill_diagonal(P, 0)
    return r.normal(size=(250, 2)), (P / P.sum(),)


def volume_render():
    r = rng(11)
    return (
        {
            "W1": r.normal(size=16),
            "b1": r.normal(size=16),
            "W2": 0.3 * r.normal(size=(16, 4)),
            "b2": np.zeros(4),
        },
        (np.sort(2 + 4 * r.random((256, 48)), axis=1), r.random((256, 3))),
    )
