"""What the workloads of sequences are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def crf():
    r = rng(11)
    return (
        {"W": 0.1 * r.normal(size=(30, 9)), "b": np.zeros(9), "trans": 0.1 * r.normal(size=(9, 9))},
        (r.normal(size=(8, 40, 30)), r.integers(0, 9, size=(8, 40))),
    )


def ctc():
    r = rng(11)
    return r.normal(size=(60, 28)), (r.integers(1, 28, size=12),)


def soft_dtw():
    r = rng(11)
    return r.normal(size=(30, 2)).cumsum(0), (r.normal(size=(25, 2)).cumsum(0),)


def hawkes():
    r = rng(11)
    t = np.cumsum(r.exponential(0.5, size=400))
    return np.log(np.array([0.8, 0.5, 1.5])), (t, float(t[-1] + 0.3))


def gillespie_path():
    r = rng(11)
    n = 300
    return (
        np.log(np.array([2.0, 0.5, 0.01, 0.4])),
        (
            r.integers(1, 40, size=(n, 2)),
            r.exponential(0.1, size=n),
            r.integers(0, 4, size=n),
            np.array([[1, 0], [-1, 1], [0, -1], [0, -1]]),
        ),
    )


def lindley():
    r = rng(11)
    return np.log(np.array([0.9, 1.1])), (r.random(800), r.random(800), np.array([2.0, 8.0]))


def theta_logistic():
    r = rng(11)
    n = 300
    c = r.poisson(40, size=n).astype(float)
    c[r.random(n) < 0.2] = np.nan
    return (
        {
            "log_r": -1.0,
            "log_K": 3.7,
            "log_th": 0.1,
            "log_q": -1.0,
            "log_s": -1.0,
            "x": 3.7 + 0.1 * r.normal(size=n),
        },
        (c,),
    )
