"""What the workloads of physics are called with: a tree, and their data."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.workloads.as_written.arguments import rng


def magnetotelluric():
    r = rng()
    return np.log(100 + 300 * r.random(20)), (
        np.full(19, 200.0) * 1.2 ** np.arange(19),
        np.geomspace(1e-3, 1e3, 40),
        100 + 30 * r.random(40),
        45 + r.random(40),
    )


def gravity_inversion():
    r = rng()
    return 0.1 * r.normal(size=(40, 50)), (
        r.normal(size=(400, 2000)),
        r.normal(size=400),
        np.linspace(1, 2, 40),
    )


def wave_inversion():
    r = rng()
    return 1.5 + 0.1 * r.random((100, 100)), (
        np.sin(np.linspace(0, 6, 60)),
        r.normal(size=(60, 100)),
    )


def nls_splitstep():
    x = np.linspace(-20, 20, 512, endpoint=False)
    return np.array([1.0, 0.5, 0.3]), (
        x,
        2 * np.pi * np.fft.fftfreq(512, x[1] - x[0]),
        np.abs(1 / np.cosh(x)),
    )


def phi4():
    r = rng()
    return r.normal(size=(16, 16, 16, 16)), (-0.5, 0.8)


def mps_norm():
    r = rng()
    return [r.normal(size=(1, 2, 16)) / 4] + [r.normal(size=(16, 2, 16)) / 6 for _ in range(18)] + [
        r.normal(size=(16, 2, 1)) / 4
    ], (r.normal(size=(4, 4)),)
