"""Functions of few numbers, where calls cost more than arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.workload import Workload

__all__ = ["rosenbrock", "workloads"]

ROOT = 2**0.5


def helmholtz(xp: Any, x: Any, a: Any, b: Any) -> Any:
    """Helmholtz free energy of a mixed fluid (Griewank & Walther)."""
    bx = xp.dot(b, x)
    ratio = (1 + (1 + ROOT) * bx) / (1 + (1 - ROOT) * bx)
    ideal = xp.sum(x * xp.log(x / (1 - bx)))
    return ideal - xp.dot(x, xp.matmul(a, x)) / (8**0.5 * bx) * xp.log(ratio)


def helmholtz_by_hand(x: Any, a: Any, b: Any) -> tuple[Any]:
    bx, ax = b @ x, a @ x
    above, below = 1 + (1 + ROOT) * bx, 1 + (1 - ROOT) * bx
    log, xax = np.log(above / below), x @ ax
    slope = xax * (log / bx - (1 + ROOT) / above + (1 - ROOT) / below)
    mixed = -(2 * log * ax - slope * b) / (8**0.5 * bx)
    return (np.log(x / (1 - bx)) + 1 + (np.sum(x) / (1 - bx)) * b + mixed,)


def rosenbrock(xp: Any, x: Any) -> Any:
    """Rosenbrock's valley in many dimensions."""
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_by_hand(x: Any) -> tuple[Any]:
    gradient = np.zeros_like(x)
    valley = x[1:] - x[:-1] ** 2
    gradient[:-1] = -400.0 * x[:-1] * valley - 2.0 * (1.0 - x[:-1])
    gradient[1:] += 200.0 * valley
    return (gradient,)


def tiny(xp: Any, x: Any, y: Any) -> Any:
    """A function of two numbers and five operations."""
    return xp.sin(x * y) + xp.exp(x) / y


def tiny_by_hand(x: Any, y: Any) -> tuple[Any, Any]:
    c, e = np.cos(x * y), np.exp(x)
    return c * y + e / y, c * x - e / (y * y)


def tiny_of_array(xp: Any, z: Any) -> Any:
    return tiny(xp, z[0], z[1])


def tiny_hessian_by_hand(z: Any) -> tuple[Any]:
    x, y = z
    s, c, e = np.sin(x * y), np.cos(x * y), np.exp(x)
    mixed = c - x * y * s - e / y**2
    return (np.array([[e / y - y * y * s, mixed], [mixed, 2 * e / y**3 - x * x * s]]),)


def workloads() -> list[Workload]:
    rng = np.random.default_rng(0)
    x, a, b = rng.uniform(0.01, 0.05, 10), rng.uniform(0, 1, (10, 10)), rng.uniform(0.1, 1, 10)
    few = {"scalar": True, "overhead": True}
    return [
        Workload("Helmholtz 10", helmholtz, (x, a + a.T, b), by_hand=helmholtz_by_hand, **few),
        Workload(
            "Rosenbrock 100", rosenbrock, (rng.normal(size=100),), by_hand=rosenbrock_by_hand, **few
        ),
        Workload("tiny", tiny, (1.3, 0.7), argnums=(0, 1), by_hand=tiny_by_hand, **few),
        Workload(
            "tiny Hessian",
            tiny_of_array,
            (np.array([1.3, 0.7]),),
            "hessian",
            by_hand=tiny_hessian_by_hand,
            **few,
        ),
    ]
