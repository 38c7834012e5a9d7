"""What the workloads of inference are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def kalman():
    r = rng()
    return np.array([-1.0, -2.0, 0.3]), (r.normal(size=(100, 2)).cumsum(0),)


def particle_filter():
    r = rng()
    return np.array([0.9, -0.5, -0.3]), (r.normal(size=50), r.normal(size=(50, 500)))


def hmm_poisson():
    r = rng()
    return {"logits": r.normal(size=(5, 5)), "rates": r.random(5) * 3}, (
        r.poisson(4, size=200).astype(float),
    )


def gp_kernels():
    r = rng()
    return {"ls": np.zeros(3), "amp": np.zeros(3), "period": 0.3, "noise": -2.0}, (
        r.normal(size=(200, 3)),
        r.normal(size=200),
    )


def natural_spline():
    r = rng()
    return r.normal(size=40), (np.linspace(0, 1, 40), r.random(1000), r.normal(size=1000))


def vi_elbo():
    r = rng()
    d = 20
    return {"mu": 0.1 * r.normal(size=d), "tril": 0.1 * r.normal(size=d * (d + 1) // 2)}, (
        r.normal(size=(16, d)),
        r.normal(size=(300, d)),
        (r.random(300) < 0.5).astype(float),
    )


def student_mixture():
    r = rng()
    return {
        "w": np.zeros(3),
        "mu": np.array([-1.0, 0.0, 2.0]),
        "s": np.zeros(3),
        "nu": np.array([1.0, 1.5, 2.0]),
    }, (r.normal(size=200000),)


def negbin_glm():
    r = rng()
    return {"beta": 0.1 * r.normal(size=8), "log_phi": 0.5}, (
        r.normal(size=(20000, 8)),
        r.poisson(2, 20000).astype(float),
    )
