"""What the workloads are called with: the tree that they are differentiated by, and their data."""

from __future__ import annotations

import numpy as np


def rng():
    return np.random.default_rng(7)


def arm_ik():
    return np.array([0.1, -0.4, 0.7, 0.2, -0.3, 0.5]), (np.array([0.4, 0.2, 0.5, 0.3, -0.1, 0.2]),)


def cartpole_mpc():
    r = rng()
    return 0.3 * r.normal(size=50), (np.array([0.0, 0.3, 0.0, 0.0]),)


def seir():
    r = rng()
    return {"beta": 0.4, "sigma": 0.2, "gamma": 0.1, "i0": 12.0}, (
        r.poisson(20 + np.arange(160) * 0.8).astype(float),
    )


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


def robertson():
    r = rng()
    return np.log(np.array([0.04, 3e7, 1e4])), (
        np.diff(np.geomspace(1e-6, 100.0, 41)),
        r.random((40, 3)),
    )


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


def radon():
    r = rng()
    return r.random((64, 64)), (np.linspace(0, np.pi, 30, endpoint=False), 20 * r.random((30, 64)))


def chamfer():
    r = rng()
    return r.normal(size=(600, 3)), (r.normal(size=(500, 3)),)


def se3_huber():
    r = rng()
    return np.array([0.1, 0.2, -0.1, 0.3, 0.1, 0.0]), (
        r.normal(size=(20000, 3)),
        r.normal(size=(20000, 3)),
    )


def perona_malik():
    r = rng()
    return r.random((128, 128)), (r.random((128, 128)), 0.3)


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


def transformer():
    r = rng()
    d = 64

    def lin(i, o):
        return {"W": r.normal(size=(i, o)) / np.sqrt(i), "b": np.zeros(o)}

    def block():
        return {
            "ln1": {"g": np.ones(d), "b": np.zeros(d)},
            "ln2": {"g": np.ones(d), "b": np.zeros(d)},
            "qkv": lin(d, 3 * d),
            "proj": lin(d, d),
            "fc": lin(d, 4 * d),
            "out": lin(4 * d, d),
        }

    return {
        "emb": r.normal(size=(50, d)),
        "pos": 0.1 * r.normal(size=(64, d)),
        "blocks": [block(), block()],
        "head": lin(d, 50),
    }, (r.integers(0, 50, 64), r.integers(0, 50, 64))


def cnn():
    r = rng()
    return {
        "k1": 0.3 * r.normal(size=(8, 1, 3, 3)),
        "b1": np.zeros(8),
        "k2": 0.1 * r.normal(size=(16, 8, 3, 3)),
        "b2": np.zeros(16),
        "W": 0.05 * r.normal(size=(400, 10)),
        "b": np.zeros(10),
    }, (r.random((16, 1, 28, 28)), r.integers(0, 10, 16))


def graph_net():
    r = rng()
    n, e, d = 2000, 8000, 32
    return {
        "W1": r.normal(size=(16, d)) / 4,
        "W2": r.normal(size=(d, d)) / 6,
        "W3": r.normal(size=(2 * d, d)) / 8,
        "out": r.normal(size=d),
    }, (r.normal(size=(n, 16)), r.integers(0, n, e), r.integers(0, n, e), r.normal(size=n))


def lstm():
    r = rng()
    h, i = 32, 8
    return {
        "Wx": 0.3 * r.normal(size=(i, 4 * h)),
        "Wh": 0.2 * r.normal(size=(h, 4 * h)),
        "b": np.zeros(4 * h),
        "Wo": r.normal(size=(h, 1)),
    }, (r.normal(size=(40, 16, i)), r.normal(size=(16, 1)))


def phi4():
    r = rng()
    return r.normal(size=(16, 16, 16, 16)), (-0.5, 0.8)


def wave_inversion():
    r = rng()
    return 1.5 + 0.1 * r.random((100, 100)), (
        np.sin(np.linspace(0, 6, 60)),
        r.normal(size=(60, 100)),
    )


def phase_retrieval():
    r = rng()
    return r.normal(size=(2, 128, 128)), (
        np.exp(2j * np.pi * r.random((6, 128, 128))),
        r.random((6, 128, 128)) * 100,
    )


def nls_splitstep():
    x = np.linspace(-20, 20, 512, endpoint=False)
    return np.array([1.0, 0.5, 0.3]), (
        x,
        2 * np.pi * np.fft.fftfreq(512, x[1] - x[0]),
        np.abs(1 / np.cosh(x)),
    )


def pagerank():
    r = rng()
    n, e = 3000, 15000
    return r.random(e), (r.integers(0, n, e), r.integers(0, n, e), r.random(n))


def cvar_portfolio():
    r = rng()
    return 0.1 * r.normal(size=50), (0.01 * r.standard_t(4, size=(2000, 50)),)


def arma():
    r = rng()
    return np.array([0.1, 0.5, -0.2, 0.3, -0.1]), (r.normal(size=300),)


def garch_t():
    r = rng()
    return {"mu": 0.01, "omega": -2.0, "alpha": -2.0, "beta": 1.5, "nu": 1.8}, (
        r.standard_t(5, size=400),
    )


def quantile_mlp():
    r = rng()
    return [
        (r.normal(size=(6, 32)) / 2, np.zeros(32)),
        (r.normal(size=(32, 32)) / 6, np.zeros(32)),
        (r.normal(size=(32, 9)) / 6, np.zeros(9)),
    ], (r.normal(size=(2048, 6)), r.normal(size=2048))


def mps_norm():
    r = rng()
    return [r.normal(size=(1, 2, 16)) / 4] + [r.normal(size=(16, 2, 16)) / 6 for _ in range(18)] + [
        r.normal(size=(16, 2, 1)) / 4
    ], (r.normal(size=(4, 4)),)


def lotka_volterra():
    r = rng()
    return np.array([1.0, 0.1, 0.08, 1.2, 10.0, 5.0]), (
        np.linspace(0.2, 9.8, 25),
        10 + 3 * r.random(25),
        6 + 3 * r.random(25),
    )


def nbody():
    r = rng()
    return r.normal(size=(12, 3)), (0.3 * r.normal(size=(12, 3)), 0.5 + r.random(12))


def vi_elbo():
    r = rng()
    d = 20
    return {"mu": 0.1 * r.normal(size=d), "tril": 0.1 * r.normal(size=d * (d + 1) // 2)}, (
        r.normal(size=(16, d)),
        r.normal(size=(300, d)),
        (r.random(300) < 0.5).astype(float),
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


def matrix_factorization():
    r = rng()
    return {
        "U": 0.1 * r.normal(size=(500, 10)),
        "V": 0.1 * r.normal(size=(400, 10)),
        "bu": np.zeros(500),
        "bv": np.zeros(400),
    }, (r.integers(0, 500, 20000), r.integers(0, 400, 20000), r.integers(1, 6, 20000).astype(float))


def huckel():
    r = rng()
    return r.random(40), (np.abs(r.normal(size=40)),)


def lennard_jones():
    r = rng()
    return 6 * r.random((6, 6, 6, 3)).reshape(216, 3) * 0.2 + np.stack(
        np.meshgrid(*[np.arange(6.0)] * 3), -1
    ).reshape(216, 3), (6.6,)


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


def planck_sed():
    r = rng()
    return np.array([5500.0, 1.2, 0.3]), (np.linspace(0.3, 2.5, 1000000), r.random(1000000))


def dose_pk():
    r = rng()
    return np.log(np.array([1.2, 0.15, 20.0])), (
        np.array([0.0, 12.0, 24.0, 36.0]),
        np.array([100.0, 100.0, 150.0, 150.0]),
        np.linspace(0.5, 60, 30),
        2 + r.random(30),
    )
