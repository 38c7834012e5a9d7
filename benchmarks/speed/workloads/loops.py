"""Programs of many steps, each of which needs the one before."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.workload import Workload, repeat

__all__ = ["workloads"]


def van_der_pol(xp: Any, x: Any, v: Any, mu: Any) -> Any:
    """1000 explicit Euler steps of Van der Pol's oscillator."""

    def step(_: Any, state: Any) -> Any:
        x, v = state
        return x + 0.01 * v, v + 0.01 * (mu * (1.0 - x * x) * v - x)

    return repeat(xp, step, (x, v), 1000)[0]


def van_der_pol_by_hand(x: float, v: float, mu: float) -> tuple[float, float, float]:
    x, v, mu = float(x), float(v), float(mu)
    states = []
    for _ in range(1000):
        states.append((x, v))
        x, v = x + 0.01 * v, v + 0.01 * (mu * (1.0 - x * x) * v - x)
    gx, gv, gmu = 1.0, 0.0, 0.0
    for x, v in reversed(states):
        slope = 1.0 - x * x
        gmu += 0.01 * gv * slope * v
        gx, gv = (
            gx - 0.01 * gv * (2.0 * mu * x * v + 1.0),
            0.01 * gx + gv * (1.0 + 0.01 * mu * slope),
        )
    return gx, gv, gmu


def runge_kutta(xp: Any, x: Any, v: Any) -> Any:
    """500 steps of the pendulum by the classical Runge-Kutta method."""
    h = 0.01

    def step(_: Any, state: Any) -> Any:
        x, v = state
        a1, b1 = v, -xp.sin(x)
        a2, b2 = v + h / 2 * b1, -xp.sin(x + h / 2 * a1)
        a3, b3 = v + h / 2 * b2, -xp.sin(x + h / 2 * a2)
        a4, b4 = v + h * b3, -xp.sin(x + h * a3)
        return x + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), v + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)

    return repeat(xp, step, (x, v), 500)[0]


def kalman(xp: Any, moves: Any, noise: Any, error: Any, seen: Any, gaze: Any, start: Any) -> Any:
    """Log-likelihood of 200 observations of 2 numbers, of a linear system of 4."""

    def step(k: Any, state: Any) -> Any:
        mean, covariance, total = state
        mean = xp.matmul(moves, mean)
        covariance = xp.matmul(xp.matmul(moves, covariance), moves.T) + noise
        apart = seen[k] - xp.matmul(gaze, mean)
        cross = xp.matmul(covariance, gaze.T)
        spread = xp.matmul(gaze, cross) + error
        gain = xp.linalg.solve(spread, cross.T).T
        total = total - 0.5 * (
            xp.dot(apart, xp.linalg.solve(spread, apart)) + xp.linalg.slogdet(spread)[1]
        )
        return mean + xp.matmul(gain, apart), covariance - xp.matmul(gain, cross.T), total

    return repeat(xp, step, (start[0], start[1:], 0.0), 200)[2]


def hidden_markov(xp: Any, transition: Any, emission: Any) -> Any:
    """Log-likelihood of 100 observations of a chain of 8 states, by the forward recursion."""

    def step(k: Any, state: Any) -> Any:
        here, total = state
        size = xp.sum(here)
        return xp.matmul(here / size, transition) * emission[k + 1], total + xp.log(size)

    here, total = repeat(xp, step, (emission[0] / 8.0, 0.0), 99)
    return total + xp.log(xp.sum(here))


def workloads() -> list[Workload]:
    rng = np.random.default_rng(1)
    moves = np.eye(4) + 0.1 * np.eye(4, k=2)
    start = np.concatenate([np.zeros((1, 4)), np.eye(4)])
    seen = rng.normal(size=(200, 2)).cumsum(0)
    transition, emission = rng.dirichlet(np.ones(8), 8), rng.uniform(0.1, 1, (100, 8))
    numbers = {"scalar": True, "overhead": True}
    return [
        Workload(
            "Van der Pol 1000",
            van_der_pol,
            (2.0, 0.0, 1.0),
            argnums=(0, 1, 2),
            by_hand=van_der_pol_by_hand,
            **numbers,
        ),
        Workload("Runge-Kutta 500", runge_kutta, (0.5, 0.1), argnums=(0, 1), **numbers),
        Workload(
            "Kalman 200",
            kalman,
            (moves, 0.1 * np.eye(4), 0.5 * np.eye(2), seen, np.eye(2, 4), start),
            argnums=(0, 1, 2),
            overhead=True,
        ),
        Workload("HMM 100x8", hidden_markov, (transition, emission), argnums=(0, 1), overhead=True),
    ]
