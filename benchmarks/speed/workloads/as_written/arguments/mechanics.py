"""What the workloads of mechanics are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def arm_ik():
    return np.array([0.1, -0.4, 0.7, 0.2, -0.3, 0.5]), (np.array([0.4, 0.2, 0.5, 0.3, -0.1, 0.2]),)


def cartpole_mpc():
    r = rng()
    return 0.3 * r.normal(size=50), (np.array([0.0, 0.3, 0.0, 0.0]),)


def se3_huber():
    r = rng()
    return np.array([0.1, 0.2, -0.1, 0.3, 0.1, 0.0]), (
        r.normal(size=(20000, 3)),
        r.normal(size=(20000, 3)),
    )


def bundle():
    r = rng()
    c, n, m = 50, 2000, 8000
    return {
        "cam": np.concatenate(
            [0.1 * r.normal(size=(c, 6)), np.ones((c, 1)), 0.01 * r.normal(size=(c, 2))], 1
        ),
        "pts": r.normal(size=(n, 3)) + np.array([0, 0, 6]),
    }, (r.integers(0, c, m), r.integers(0, n, m), r.normal(size=(m, 2)))


def chamfer():
    r = rng()
    return r.normal(size=(600, 3)), (r.normal(size=(500, 3)),)


def lennard_jones():
    r = rng()
    return 6 * r.random((6, 6, 6, 3)).reshape(216, 3) * 0.2 + np.stack(
        np.meshgrid(*[np.arange(6.0)] * 3), -1
    ).reshape(216, 3), (6.6,)


def nbody():
    r = rng()
    return r.normal(size=(12, 3)), (0.3 * r.normal(size=(12, 3)), 0.5 + r.random(12))
