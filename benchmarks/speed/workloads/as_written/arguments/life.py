"""What the workloads of life are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def seir():
    r = rng()
    return {"beta": 0.4, "sigma": 0.2, "gamma": 0.1, "i0": 12.0}, (
        r.poisson(20 + np.arange(160) * 0.8).astype(float),
    )


def robertson():
    r = rng()
    return np.log(np.array([0.04, 3e7, 1e4])), (
        np.diff(np.geomspace(1e-6, 100.0, 41)),
        r.random((40, 3)),
    )


def lotka_volterra():
    r = rng()
    return np.array([1.0, 0.1, 0.08, 1.2, 10.0, 5.0]), (
        np.linspace(0.2, 9.8, 25),
        10 + 3 * r.random(25),
        6 + 3 * r.random(25),
    )


def dose_pk():
    r = rng()
    return np.log(np.array([1.2, 0.15, 20.0])), (
        np.array([0.0, 12.0, 24.0, 36.0]),
        np.array([100.0, 100.0, 150.0, 150.0]),
        np.linspace(0.5, 60, 30),
        2 + r.random(30),
    )


def huckel():
    r = rng()
    return r.random(40), (np.abs(r.normal(size=40)),)


def cox():
    r = rng()
    n, p = 5000, 20
    return 0.1 * r.normal(size=p), (r.normal(size=(n, p)), (r.random(n) < 0.6).astype(float))


def mixed_model():
    r = rng()
    return {"beta": r.normal(size=3), "log_sd": np.array([0.0, -0.5, 0.2])}, (
        [r.normal(size=(n, 3)) for n in [6, 8, 8, 5, 8, 6] * 5],
        [r.normal(size=n) for n in [6, 8, 8, 5, 8, 6] * 5],
    )
