"""What the workloads of structures are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def truss():
    m = 8
    nodes = np.array([[i, 0.0] for i in range(m)] + [[i, 1.0] for i in range(m)]) * 1000
    bars = (
        [(i, i + 1) for i in range(m - 1)]
        + [(m + i, m + i + 1) for i in range(m - 1)]
        + [(i, m + i) for i in range(m)]
        + [(i, m + i + 1) for i in range(m - 1)]
        + [(i + 1, m + i) for i in range(m - 1)]
    )
    loads = np.zeros(4 * m)
    loads[3] = -1000.0
    loads[2 * m - 3] = -2000.0
    return (
        {"log_a": np.log(np.linspace(50, 150, len(bars))), "y": np.array([10.0, -20.0, 5.0, 15.0])},
        (nodes, np.array(bars), np.array([0, 1, 2 * m, 2 * m + 1]), loads),
    )


def fem_poisson():
    r = rng(11)
    m = 15
    g = np.linspace(0, 1, m)
    pts = np.stack(np.meshgrid(g, g, indexing="ij"), -1).reshape(-1, 2)
    i = np.arange(m * m).reshape(m, m)
    a, b, c, d = i[:-1, :-1].ravel(), i[1:, :-1].ravel(), i[:-1, 1:].ravel(), i[1:, 1:].ravel()
    tri = np.concatenate([np.stack([a, b, c], 1), np.stack([b, d, c], 1)])
    return (
        0.3 * r.normal(size=len(tri)),
        (pts, tri, i[1:-1, 1:-1].ravel(), 0.05 * r.random(m * m)),
    )


def contact_springs():
    r = rng(11)
    m = 10
    i = np.arange(m * m).reshape(m, m)
    e = np.concatenate(
        [
            np.stack([i[:-1].ravel(), i[1:].ravel()], 1),
            np.stack([i[:, :-1].ravel(), i[:, 1:].ravel()], 1),
            np.stack([i[:-1, :-1].ravel(), i[1:, 1:].ravel()], 1),
        ]
    )
    x = np.stack(np.meshgrid(np.linspace(0, 1, m), np.linspace(-0.05, 0.9, m)), -1).reshape(-1, 2)
    length = np.linalg.norm(x[e[:, 1]] - x[e[:, 0]], axis=1)
    return {"log_k": np.log(100 + 10 * r.random(len(e))), "log_c": 6.0}, (x, e, 1.02 * length)


def power_flow():
    r = rng(11)
    n = 57
    br = [(i, i + 1) for i in range(n - 1)] + [
        tuple(sorted(r.choice(n, 2, replace=False))) for _ in range(25)
    ]
    branches = np.array(
        [(i, j, 0.01 + 0.02 * r.random(), 0.05 + 0.1 * r.random(), 0.02) for i, j in br]
    )
    return (
        {"theta": 0.1 * r.normal(size=n - 1), "vm": 1 + 0.02 * r.normal(size=n)},
        (branches, r.normal(size=n) * 0.3 + 0.1j * r.normal(size=n)),
    )


def ac_ladder():
    r = rng(11)
    n = 6
    return (
        np.log(np.stack([10 + r.random(n), 0.001 * (1 + r.random(n)), 1e-06 * (1 + r.random(n))])),
        (np.geomspace(10, 100000.0, 80), -10 * r.random(80)),
    )


def pose_graph():
    r = rng(11)
    n = 500
    e = np.array(
        [(i, i + 1) for i in range(n - 1)]
        + [tuple(sorted(r.choice(n, 2, replace=False))) for _ in range(400)]
    )
    A = r.normal(size=(len(e), 3, 3))
    return r.normal(size=(n, 3)), (e, r.normal(size=(len(e), 3)), A @ A.transpose(0, 2, 1))


def gps():
    r = rng(11)
    n, s = 300, 9
    pos = np.array([4000.0, 3000.0, 4000.0]) + r.normal(size=(n, 3))
    d = r.normal(size=(n, s, 3))
    sats = 26000 * d / np.linalg.norm(d, axis=-1, keepdims=True)
    return (
        {"pos": pos, "clock": r.normal(size=n)},
        (
            sats,
            np.linalg.norm(sats - pos[:, None], axis=-1) + r.normal(size=(n, s)),
            r.random((n, s)) < 0.8,
        ),
    )


def orbit_fit():
    r = rng(11)
    t = np.arange(40) * 0.08
    return (
        np.array([1.0, 0.1, 0.05, -0.05, 0.95, 0.2]),
        (np.c_[0.9 * np.cos(0.1 * t), 0.3 * np.sin(0.1 * t), 0.2 + 0 * t], 1 + r.random(40), 0.01),
    )
