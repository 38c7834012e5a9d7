"""Gradients of recursions, whose steps solve, choose, multiply matrices or write into arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.workload import Workload, logsumexp, repeat

__all__ = ["workloads"]


def kalman_solve(xp: Any, drift: Any, noise: Any, seen: Any) -> Any:
    """Likelihood by a Kalman filter of state 4, two sensors, 60 steps, by solve (tracking)."""
    eye = np.eye(4)
    move = eye + drift * np.eye(4, k=1)
    look = np.eye(2, 4)

    def step(k: Any, state: Any) -> Any:
        mean, cov, loss = state
        mean = move @ mean
        cov = move @ cov @ move.T + noise**2 * eye
        gap = seen[k] - look @ mean
        s = look @ cov @ look.T + 0.1 * np.eye(2)
        gain = xp.linalg.solve(s, look @ cov).T
        loss = loss + gap @ xp.linalg.solve(s, gap) + xp.linalg.slogdet(s)[1]
        return mean + gain @ gap, (eye - gain @ look) @ cov, loss

    start = (xp.zeros(4), xp.eye(4) * 1.0, 0.0)
    return 0.5 * repeat(xp, step, start, 60)[2]


def dormand_prince(xp: Any, start: Any, mu: Any) -> Any:
    """100 steps of an orbit, a state of 6, by Dormand and Prince's fifth order (astronomy)."""

    def slope(y: Any) -> Any:
        r, v = y[:3], y[3:]
        return xp.concatenate([v, -mu * r / xp.sqrt(xp.sum(r * r)) ** 3])

    def step(_: Any, y: Any) -> Any:
        h = 0.05
        k1 = slope(y)
        k2 = slope(y + h * (k1 / 5))
        k3 = slope(y + h * (3 / 40 * k1 + 9 / 40 * k2))
        k4 = slope(y + h * (44 / 45 * k1 - 56 / 15 * k2 + 32 / 9 * k3))
        k5 = slope(
            y + h * (19372 / 6561 * k1 - 25360 / 2187 * k2 + 64448 / 6561 * k3 - 212 / 729 * k4)
        )
        k6 = slope(
            y
            + h * (9017 / 3168 * k1 - 355 / 33 * k2 + 46732 / 5247 * k3)
            + h * (49 / 176 * k4 - 5103 / 18656 * k5)
        )
        return y + h * (
            35 / 384 * k1 + 500 / 1113 * k3 + 125 / 192 * k4 - 2187 / 6784 * k5 + 11 / 84 * k6
        )

    return xp.sum(repeat(xp, step, start, 100)[:3] ** 2)


def random_field(xp: Any, emission: Any, transition: Any) -> Any:
    """Negative log-likelihood of a linear chain of 80 tags of 12 kinds (language)."""
    tags = np.arange(80) * 7 % 12
    score = xp.sum(emission[np.arange(80), tags]) + xp.sum(transition[tags[:-1], tags[1:]])

    def step(k: Any, alpha: Any) -> Any:
        return logsumexp(xp, alpha[:, None] + transition, 0) + emission[k + 1]

    return logsumexp(xp, repeat(xp, step, emission[0], 79), 0) - score


def ising(xp: Any, coupling: Any, field: Any) -> Any:
    """Free energy of 200 spins on a ring with fields, by products of 2 x 2 matrices (physics)."""
    spins = np.array([1.0, -1.0])

    def step(k: Any, state: Any) -> Any:
        product, log = state
        matrix = xp.exp(coupling[k] * np.outer(spins, spins) + field[k] * spins)
        product = product @ matrix
        size = xp.sum(product)
        return product / size, log + xp.log(size)

    product, log = repeat(xp, step, (xp.eye(2) * 1.0, 0.0), 200)
    return log + xp.log(xp.trace(product))


def piecewise_epidemic(xp: Any, rates: Any, heal: Any, seen: Any) -> Any:
    """SIR of 140 days, a rate for each fortnight, Poisson counts (epidemiology)."""

    def step(day: Any, state: Any) -> Any:
        s, i, loss = state
        new = rates[day // 14] * s * i
        mean = 1e4 * new
        return s - new, i + new - heal * i, loss + mean - seen[day] * xp.log(mean + 1e-9)

    return repeat(xp, step, (0.99, 0.01, 0.0), 140)[2]


def admm(xp: Any, a: Any, b: Any, weight: Any) -> Any:
    """40 iterations of ADMM for a lasso of 30 x 15 (optimisation)."""
    normal = a.T @ a + np.eye(15)
    right = a.T @ b

    def step(_: Any, state: Any) -> Any:
        z, u = state
        x = xp.linalg.solve(normal, right + z - u)
        z = xp.sign(x + u) * xp.maximum(xp.abs(x + u) - weight, 0.0)
        return z, u + x - z

    z, _ = repeat(xp, step, (xp.zeros(15), xp.zeros(15)), 40)
    return xp.sum((a @ z - b) ** 2)


def stripped(xp: Any, rates: Any) -> Any:
    """Discounts of 30 par rates written into an array one by one, and forwards (finance)."""
    if xp.__name__ == "jax.numpy":
        df = xp.zeros(31).at[0].set(1.0)
        for k in range(30):
            df = df.at[k + 1].set((1.0 - rates[k] * xp.sum(df[1 : k + 1])) / (1.0 + rates[k]))
    else:
        df = xp.zeros(31)
        df[0] = 1.0
        for k in range(30):
            df[k + 1] = (1.0 - rates[k] * xp.sum(df[1 : k + 1])) / (1.0 + rates[k])
    forwards = df[:-1] / df[1:] - 1.0
    return xp.sum(forwards**2)


def soft_dtw(xp: Any, a: Any, b: Any) -> Any:
    """Soft time warping of series of 12 and 12, cell by cell (signals)."""
    n = 12
    cost = (a[:, None] - b[None, :]) ** 2
    table = {(-1, -1): 0.0}
    for i in range(n):
        for j in range(n):
            before = [table[k] for k in ((i - 1, j - 1), (i - 1, j), (i, j - 1)) if k in table]
            low = -xp.log(sum(xp.exp(-t) for t in before))
            table[i, j] = cost[i, j] + low
    return table[n - 1, n - 1]


def upwind(xp: Any, start: Any) -> Any:
    """80 steps of Burgers' equation on 256 cells with an upwind flux (PDEs)."""

    def step(_: Any, u: Any) -> Any:
        flux = 0.5 * u**2
        left = xp.roll(flux, 1)
        right = xp.roll(flux, -1)
        return u - 0.1 * xp.where(u > 0, flux - left, right - flux)

    return xp.sum(repeat(xp, step, start, 80) ** 2)


def neural_ode(xp: Any, w1: Any, w2: Any, start: Any) -> Any:
    """40 Euler steps of a network of 16 on 20 states of 4 (learning)."""

    def step(_: Any, y: Any) -> Any:
        return y + 0.05 * xp.tanh(y @ w1) @ w2

    return xp.mean(repeat(xp, step, start, 40) ** 2)


def optical_stack(xp: Any, thickness: Any, index: Any) -> Any:
    """The same of 40 layers at one wavelength, matrices as arrays (optics)."""

    def step(k: Any, m: Any) -> Any:
        phase = 12.0 * index[k] * thickness[k]
        cos, sin = xp.cos(phase), xp.sin(phase)
        return m @ xp.array([[cos, sin / index[k]], [-index[k] * sin, cos]])

    m = repeat(xp, step, xp.eye(2) * 1.0, 40)
    return ((m[0, 0] - m[1, 1]) ** 2 + (m[0, 1] + m[1, 0]) ** 2) / xp.sum(m**2)


def clenshaw(xp: Any, c: Any, x: Any) -> Any:
    """A Chebyshev series of 40 terms at 1000 points (approximation)."""

    def step(k: Any, state: Any) -> Any:
        b1, b2 = state
        return c[39 - k] + 2.0 * x * b1 - b2, b1

    b1, b2 = repeat(xp, step, (0.0 * x, 0.0 * x), 39)
    return xp.sum((c[0] + x * b1 - b2 - np.exp(0.5)) ** 2)


def workloads() -> list[Workload]:
    rng = np.random.default_rng(31)
    normal, uniform = rng.normal, rng.uniform
    numbers = {"overhead": True}
    return [
        Workload(
            "Kalman by solve 60",
            kalman_solve,
            (0.1, 0.3, normal(size=(60, 2))),
            argnums=(0, 1),
            **numbers,
        ),
        Workload(
            "Dormand-Prince 100x6",
            dormand_prince,
            (np.array([1.0, 0.1, 0.0, 0.0, 0.9, 0.2]), 1.0),
            argnums=(0, 1),
            **numbers,
        ),
        Workload(
            "random field 80x12",
            random_field,
            (normal(size=(80, 12)), normal(size=(12, 12))),
            argnums=(0, 1),
        ),
        Workload(
            "Ising ring 200",
            ising,
            (0.5 * normal(size=200), 0.5 * normal(size=200)),
            argnums=(0, 1),
            **numbers,
        ),
        Workload(
            "SIR piecewise 140",
            piecewise_epidemic,
            (uniform(0.1, 0.4, 10), 0.1, rng.poisson(50.0, 140) * 1.0),
            argnums=(0, 1),
            **numbers,
        ),
        Workload(
            "ADMM 40x15", admm, (normal(size=(30, 15)), normal(size=30), 0.5), argnums=(0, 1, 2)
        ),
        Workload("stripped curve 30", stripped, (uniform(0.01, 0.04, 30),), **numbers),
        Workload(
            "soft DTW 12", soft_dtw, (normal(size=12), normal(size=12)), argnums=(0, 1), **numbers
        ),
        Workload("upwind 80x256", upwind, (np.sin(np.arange(256.0) / 20.0) + 0.3,)),
        Workload(
            "neural ODE 40x20",
            neural_ode,
            (normal(size=(4, 16)), normal(size=(16, 4)), normal(size=(20, 4))),
            argnums=(0, 1, 2),
        ),
        Workload(
            "optical stack 40",
            optical_stack,
            (uniform(0.05, 0.2, 40), uniform(1.4, 2.4, 40)),
            argnums=(0, 1),
            **numbers,
        ),
        Workload(
            "Clenshaw 40x1000",
            clenshaw,
            (normal(size=40), uniform(-1.0, 1.0, 1000)),
            argnums=(0, 1),
        ),
    ]
