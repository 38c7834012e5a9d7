"""What the workloads of statistics are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def irt():
    r = rng(11)
    n, m = 1000, 40
    k = np.flatnonzero(r.random(n * m) < 0.8)
    return (
        {
            "theta": r.normal(size=n),
            "b": r.normal(size=m),
            "log_a": 0.1 * r.normal(size=m),
            "c": r.normal(size=m),
        },
        (k // m, k % m, r.integers(0, 2, size=len(k))),
    )


def frailty():
    r = rng(11)
    n = 3000
    return (
        {"beta": 0.1 * r.normal(size=6), "log_shape": 0.2, "log_scale": 0.5, "log_theta": -0.5},
        (
            r.normal(size=(n, 6)),
            r.exponential(1.0, size=n) + 0.01,
            (r.random(n) < 0.7).astype(float),
            np.sort(r.integers(0, 150, size=n)),
        ),
    )


def hier_normal():
    r = rng(11)
    d, G, n = 5, 60, 4000
    return (
        {
            "free": 0.2 * r.normal(size=10),
            "log_sd": 0.1 * r.normal(size=d),
            "mu": r.normal(size=d),
            "z": r.normal(size=(G, d)),
            "log_s": 0.1,
        },
        (r.normal(size=(n, d)), r.normal(size=n), r.integers(0, G, size=n)),
    )


def mvt_groups():
    r = rng(11)
    d = 12
    return (
        {"tril": 0.1 * r.normal(size=d * (d + 1) // 2), "mu": r.normal(size=d), "log_nu": 1.0},
        (r.normal(size=(2000, d)),),
    )


def black_litterman():
    r = rng(11)
    n = 40
    A = r.normal(size=(n, 80))
    return (
        {"log_tau": -3.0, "log_delta": 1.0, "log_conf": -4 + r.random(6)},
        (A @ A.T / 2000, np.full(n, 1 / n), r.normal(size=(6, n)), 0.02 * r.random(6)),
    )


def yield_curve():
    r = rng(11)
    bonds = []
    for k in range(40):
        t = np.arange(1, 3 + k) / 2.0 + 0.1
        c = np.full(len(t), 2.0)
        c[-1] += 100
        bonds.append((t, c, 95 + 10 * r.random(), float(t[-1])))
    return np.array([0.04, -0.02, 0.01, 0.01, 0.5, 1.5]), (bonds,)


def local_vol():
    r = rng(11)
    n = 60
    S = np.linspace(0, 200, n)
    return (
        0.2 + 0.02 * r.random((5, n)),
        (S, np.maximum(S - 100, 0.0), 20 * r.random(10), np.arange(20, 40, 2)),
    )


def equilibrium():
    r = rng(11)
    A = r.integers(0, 3, size=(4, 9)).astype(float)
    return r.normal(size=9), (A, 0.1 + r.random((12, 4)), r.normal(size=(12, 9)))


def climate_box():
    r = rng(11)
    return (
        {"f2x": 3.7, "k12": 0.1, "k23": 0.01, "lam": 1.2, "ex": 0.7, "C": 8.0},
        (np.linspace(0.1, 12, 250), np.linspace(0, 1.5, 250) + 0.1 * r.normal(size=250)),
    )
