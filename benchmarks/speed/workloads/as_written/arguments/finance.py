"""What the workloads of finance are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def binomial_put():
    return np.array([100.0, 0.25, 0.03]), (105.0, 1.0)


def heston_asian():
    r = rng()
    return {"kappa": 1.5, "theta": 0.04, "xi": 0.3, "rho": -0.6, "v0": 0.05}, (
        r.normal(size=(50, 10000)),
        r.normal(size=(50, 10000)),
    )


def sabr():
    r = rng()
    k = np.linspace(0.01, 0.06, 41)
    return np.array([0.03, 0.4, -0.3]), (0.03, k, 2.0, 0.3 + 0.1 * r.random(41))


def cvar_portfolio():
    r = rng()
    return 0.1 * r.normal(size=50), (0.01 * r.standard_t(4, size=(2000, 50)),)


def garch_t():
    r = rng()
    return {"mu": 0.01, "omega": -2.0, "alpha": -2.0, "beta": 1.5, "nu": 1.8}, (
        r.standard_t(5, size=400),
    )


def arma():
    r = rng()
    return np.array([0.1, 0.5, -0.2, 0.3, -0.1]), (r.normal(size=300),)
