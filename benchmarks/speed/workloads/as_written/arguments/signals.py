"""What the workloads of signals are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def unmixing():
    r = rng(11)
    E = r.random((5, 180))
    A = r.dirichlet(np.ones(5), 800)
    return (
        {"abund": r.normal(size=(800, 5)), "b": 0.1 * r.random(800)},
        (E, A @ E + 0.01 * r.random((800, 180))),
    )


def nmf_kl():
    r = rng(11)
    return (
        {"W": 0.1 * r.normal(size=(300, 12)), "H": 0.1 * r.normal(size=(12, 200))},
        (r.poisson(5.0, size=(300, 200)).astype(float),),
    )


def ica():
    r = rng(11)
    return np.eye(8) + 0.1 * r.normal(size=(8, 8)), (r.laplace(size=(8, 5000)),)


def equalizer():
    r = rng(11)
    n = 8
    return (
        {
            "logf": np.log(np.geomspace(60, 12000, n)),
            "gain": 3 * r.normal(size=n),
            "logq": 0.2 * r.normal(size=n),
        },
        (np.geomspace(20, 20000, 512), 3 * r.normal(size=512)),
    )


def biquad_time():
    r = rng(11)
    return np.array([0.2, 0.1, 0.05, -0.8, 0.3]), (r.normal(size=600), r.normal(size=600))


def wavelet_packet():
    r = rng(11)
    return (
        np.array([0.4829629131445341, 0.8365163037378079, 0.2241438680420134, -0.1294095225512604]),
        (r.normal(size=4096).cumsum() / 30,),
    )


def cp_tensor():
    r = rng(11)
    return (
        {k: r.normal(size=(40, 6)) for k in "ABC"},
        (r.normal(size=(40, 40, 40)), r.random((40, 40, 40)) < 0.4),
    )
