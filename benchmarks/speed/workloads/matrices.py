"""Jacobians and Hessians."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.workload import Workload
from benchmarks.speed.workloads.scalars import rosenbrock

__all__ = ["workloads"]


def rosenbrock_hessian_by_hand(x: Any) -> tuple[Any]:
    n = len(x)
    hessian = np.zeros((n, n))
    flat = hessian.reshape(-1)
    flat[: -1 : n + 1] = 1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0
    flat[n + 1 :: n + 1] += 200.0
    flat[1 :: n + 1] = flat[n :: n + 1] = -400.0 * x[:-1]
    return (hessian,)


def logistic(xp: Any, w: Any, x: Any, y: Any) -> Any:
    """Logistic loss of 500 samples with 20 features."""
    return xp.sum(xp.log1p(xp.exp(-y * xp.matmul(x, w))))


def logistic_by_hand(w: Any, x: Any, y: Any) -> tuple[Any]:
    s = 1.0 / (1.0 + np.exp(-y * (x @ w)))
    return ((x.T * (s * (1.0 - s))) @ x,)


def brusselator(xp: Any, state: Any) -> Any:
    """Right-hand side of the Brusselator on 64 points of a ring; 128 outputs."""
    u, v = state[:64], state[64:]
    du = 1.0 + u**2 * v - 4.4 * u + 0.02 * (xp.roll(u, 1) - 2.0 * u + xp.roll(u, -1))
    dv = 3.4 * u - u**2 * v + 0.02 * (xp.roll(v, 1) - 2.0 * v + xp.roll(v, -1))
    return xp.concatenate([du, dv])


HERE, BEFORE, AFTER = np.arange(64), np.arange(64) - 1, (np.arange(64) + 1) % 64


def brusselator_by_hand(state: Any) -> tuple[Any]:
    u, v = state[:64], state[64:]
    jacobian = np.zeros((128, 128))
    uu, vv, uv, vu = jacobian[:64, :64], jacobian[64:, 64:], jacobian[:64, 64:], jacobian[64:, :64]
    uu[HERE, HERE] = 2.0 * u * v - 4.44
    vv[HERE, HERE] = -u * u - 0.04
    for block in (uu, vv):
        block[HERE, BEFORE] = block[HERE, AFTER] = 0.02
    uv[HERE, HERE] = u * u
    vu[HERE, HERE] = 3.4 - 2.0 * u * v
    return (jacobian,)


def burgers(xp: Any, u: Any) -> Any:
    """Right-hand side of Burgers' equation on a ring of 256 points."""
    slope = (xp.roll(u, -1) - xp.roll(u, 1)) * 128.0
    return 0.01 * (xp.roll(u, -1) - 2.0 * u + xp.roll(u, 1)) * 65536.0 - u * slope


def burgers_by_hand(u: Any) -> tuple[Any]:
    here = np.arange(256)
    jacobian = np.zeros((256, 256))
    jacobian[here, here] = -1310.72 - (np.roll(u, -1) - np.roll(u, 1)) * 128.0
    jacobian[here, here - 1] = 655.36 + 128.0 * u
    jacobian[here, (here + 1) % 256] = 655.36 - 128.0 * u
    return (jacobian,)


def elu_layers(xp: Any, x: Any, w1: Any, w2: Any) -> Any:
    """A network of ELUs, 10 numbers to 10, on each of 100 samples."""
    hidden = xp.matmul(x, w1)
    return xp.matmul(xp.where(hidden > 0, hidden, xp.exp(hidden) - 1.0), w2)


def elu_layers_by_hand(x: Any, w1: Any, w2: Any) -> tuple[Any]:
    hidden = x @ w1
    slope = np.where(hidden > 0, 1.0, np.exp(hidden))
    return (np.matmul(w2.T * slope[:, None, :], w1.T),)


def tall(xp: Any, x: Any, a: Any) -> Any:
    """1000 outputs of 10 inputs."""
    return xp.tanh(xp.matmul(a, x))


def tall_by_hand(x: Any, a: Any) -> tuple[Any]:
    y = np.tanh(a @ x)
    return ((1.0 - y * y)[:, None] * a,)


CAMERA, POINT = np.divmod(np.arange(100) * 7 % 216, 36)
"""Which of 6 cameras sees which of 36 points, in each of 100 observations."""


def bundle(xp: Any, parameters: Any) -> Any:
    """Where 6 cameras of 9 parameters see 36 points: 200 numbers of 162."""
    cameras = parameters[:54].reshape(6, 9)[CAMERA]
    points = parameters[54:].reshape(36, 3)[POINT]
    turn, shift = cameras[:, :3], cameras[:, 3:6]
    x = points[:, 0] + turn[:, 1] * points[:, 2] - turn[:, 2] * points[:, 1] + shift[:, 0]
    y = points[:, 1] + turn[:, 2] * points[:, 0] - turn[:, 0] * points[:, 2] + shift[:, 1]
    z = points[:, 2] + turn[:, 0] * points[:, 1] - turn[:, 1] * points[:, 0] + shift[:, 2]
    x, y = x / (z + 5.0), y / (z + 5.0)
    square = x * x + y * y
    scale = (1.0 + cameras[:, 7] * square + cameras[:, 8] * square**2) * cameras[:, 6]
    return xp.concatenate([x * scale, y * scale])


def workloads() -> list[Workload]:
    rng = np.random.default_rng(3)
    samples, labels = rng.normal(size=(500, 20)), np.sign(rng.normal(size=500))
    layers = (rng.normal(size=(100, 10)), rng.normal(size=(10, 10)), rng.normal(size=(10, 10)))
    few = {"scalar": True, "overhead": True}
    return [
        Workload(
            "Rosenbrock Hessian 1000",
            rosenbrock,
            (rng.normal(size=1000),),
            "hessian",
            by_hand=rosenbrock_hessian_by_hand,
            **few,
        ),
        Workload(
            "logistic Hessian 500x20",
            logistic,
            (rng.normal(size=20), samples, labels),
            "hessian",
            by_hand=logistic_by_hand,
        ),
        Workload(
            "Brusselator Jacobian 128",
            brusselator,
            (rng.uniform(1, 2, 128),),
            "jacobian",
            by_hand=brusselator_by_hand,
            **few,
        ),
        Workload(
            "Burgers Jacobian 256",
            burgers,
            (rng.normal(size=256),),
            "jacobian",
            by_hand=burgers_by_hand,
            **few,
        ),
        Workload(
            "batch_jacobian 100x10x10",
            elu_layers,
            layers,
            "batch_jacobian",
            (0,),
            elu_layers_by_hand,
        ),
        Workload(
            "Jacobian 1000x10",
            tall,
            (rng.normal(size=10), rng.normal(size=(1000, 10))),
            "jacobian",
            by_hand=tall_by_hand,
            is_tall=True,
        ),
        Workload(
            "bundle Jacobian 200x162",
            bundle,
            (rng.uniform(0.5, 1, 162),),
            "jacobian",
            overhead=True,
        ),
    ]
