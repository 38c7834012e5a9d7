"""What the workloads of waves are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def adi_heat():
    r = rng(11)
    return 0.3 * r.normal(size=(40, 40)), (r.random((40, 40)), r.random((40, 40)))


def shallow_water():
    r = rng(11)
    m = r.random((96, 96)) < 0.1
    return 0.1 * r.normal(size=(96, 96)), (10 + 0.1 * r.normal(size=m.sum()), m)


def dg_advection():
    r = rng(11)
    return (
        {"u0": r.normal(size=(5, 80)), "speed": 1.1},
        (r.normal(size=(5, 5)), 0.1 * r.normal(size=(5, 2)), 1.5, r.normal(size=(5, 80))),
    )


def lens_rays():
    r = rng(11)
    n = 3000
    o = np.c_[4 * r.random((n, 2)) - 2, np.full(n, -10.0)]
    d = np.tile([0, 0.02, 1.0], (n, 1))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    return (
        {
            "curv": np.array([0.03, -0.02, -0.035, 0.02, 0.025, -0.03]),
            "gap": np.array([2.0, 1.0, 1.5, 1.0, 2.0, 1.0]),
            "sensor": 40.0,
        },
        (o, d, np.array([1.0, 1.52, 1.0, 1.62, 1.0, 1.52, 1.0])),
    )


def thin_film():
    r = rng(11)
    return (
        80 + 40 * r.random(14),
        (np.where(np.arange(14) % 2, 1.45, 2.3), np.linspace(400.0, 800.0, 101), r.random(101)),
    )


def chan_vese():
    r = rng(11)
    return r.normal(size=(160, 160)), (r.random((160, 160)),)


def grape():
    r = rng(11)
    sx = np.array([[0, 1], [1, 0]]) + 0j
    sy = np.array([[0, -1j], [1j, 0]])
    sz = np.diag([1.0, -1]) + 0j
    e = np.eye(2)
    cn = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]) + 0j
    return (
        0.3 * r.normal(size=(25, 4)),
        (
            np.kron(sz, sz),
            [np.kron(sx, e), np.kron(sy, e), np.kron(e, sx), np.kron(e, sy)],
            cn,
            0.1,
        ),
    )


def vqc():
    r = rng(11)
    return r.normal(size=(4, 6, 2)), (r.normal(size=5),)
