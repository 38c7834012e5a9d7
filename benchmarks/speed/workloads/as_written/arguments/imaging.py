"""What the workloads of imaging are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def radon():
    r = rng()
    return r.random((64, 64)), (np.linspace(0, np.pi, 30, endpoint=False), 20 * r.random((30, 64)))


def perona_malik():
    r = rng()
    return r.random((128, 128)), (r.random((128, 128)), 0.3)


def phase_retrieval():
    r = rng()
    return r.normal(size=(2, 128, 128)), (
        np.exp(2j * np.pi * r.random((6, 128, 128))),
        r.random((6, 128, 128)) * 100,
    )


def planck_sed():
    r = rng()
    return np.array([5500.0, 1.2, 0.3]), (np.linspace(0.3, 2.5, 1000000), r.random(1000000))


def pseudo_voigt():
    r = rng()
    n = 8
    p = {
        "amp": 1 + r.random(n),
        "center": np.linspace(5, 95, n),
        "width": 1 + r.random(n),
        "mix": r.random(n),
        "base": np.array([0.1, 0.01, 1e-4]),
    }
    return p, (np.linspace(0, 100, 2000), r.random(2000))
