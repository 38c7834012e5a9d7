"""Problems with derivatives that people wrote by hand: physics, networks, linear algebra."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from verify.suites.problem import derivative_of, draw_uniform

__all__ = ()

Array = Any

_SYMMETRIC: Final = np.array([[1.2, 0.9, 0.8], [0.9, 1.5, 1.1], [0.8, 1.1, 2.0]])
_INPUTS: Final = np.array([[0.3, -0.7], [1.1, 0.4], [-0.6, 0.9], [0.2, 1.3]])
_WANTED: Final = np.array([0.5, -0.25, 1.0, 0.125])
_OUTER: Final = np.array([0.7, -1.1, 0.4])
_RIGHT: Final = np.array([1.0, -0.5, 2.0])
_KERNEL: Final = np.array([0.25, 0.5, -0.125])
_STEP: Final = 0.01


def _draw_regular(generator: np.random.Generator) -> Any:
    return draw_uniform(-1, 1, 3, 3)(generator) + 3 * np.eye(3)


_VECTOR: Final = draw_uniform(-2, 2, 3)


def pendulum(s: Array) -> Array:
    angle, speed = s[0], s[1]
    faster = speed - _STEP * 9.81 * np.sin(angle)
    return np.stack([angle + _STEP * faster, faster])


@derivative_of(pendulum, "pendulum step", "jacobian", draw_uniform(-3, 3, 2))
def pendulum_jacobian(s: Array) -> Array:
    slope = _STEP * 9.81 * np.cos(s[0])
    return np.stack(
        [np.stack([1.0 - _STEP * slope, _STEP + 0.0 * s[1]]), np.stack([-slope, 1.0 + 0.0 * s[1]])]
    )


def lorenz(s: Array) -> Array:
    x, y, z = s[0], s[1], s[2]
    return np.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.5 * z])


@derivative_of(lorenz, "Lorenz", "jacobian", draw_uniform(-9, 9, 3))
def lorenz_jacobian(s: Array) -> Array:
    x, y, z = s[0], s[1], s[2]
    none = 0.0 * x
    return np.stack(
        [
            np.stack([none - 10.0, none + 10.0, none]),
            np.stack([28.0 - z, none - 1.0, -x]),
            np.stack([y, x, none - 2.5]),
        ]
    )


def perceptron(w: Array, v: Array) -> Array:
    return np.mean((np.tanh(_INPUTS @ w) @ v - _WANTED) ** 2)


@derivative_of(
    perceptron, "perceptron", "gradient", draw_uniform(-1, 1, 2, 3), draw_uniform(-1, 1, 3)
)
def perceptron_gradient(w: Array, v: Array) -> Any:
    hidden = np.tanh(_INPUTS @ w)
    residual = 2.0 * (hidden @ v - _WANTED) / len(_WANTED)
    back = np.outer(residual, v) * (1.0 - hidden**2)
    return _INPUTS.T @ back, hidden.T @ residual


def layer(x: Array) -> Array:
    return np.tanh(_SYMMETRIC @ x + _RIGHT)


@derivative_of(layer, "tanh layer", "jacobian", _VECTOR)
def layer_jacobian(x: Array) -> Array:
    return (1.0 / np.cosh(_SYMMETRIC @ x + _RIGHT) ** 2)[:, None] * _SYMMETRIC


def rectified_sum(x: Array, xp: Any = np) -> Array:
    return xp.sum(xp.where(x > 0.0, x, 0.0) ** 2 + 0.1 * x)


@derivative_of(
    rectified_sum,
    "rectified",
    "gradient",
    draw_uniform(-3, 3, 5),
    special=((np.array([1e-13, -1e-13, 1e-300, -2.0, 5.0]),),),
)
def rectified_gradient(x: Array) -> Array:
    return 2.0 * np.where(x > 0.0, x, 0.0) + 0.1


def squashed_sum(x: Array, xp: Any = np) -> Array:
    return xp.sum(xp.tanh(x) * xp.sin(2.0 * x))


@derivative_of(squashed_sum, "squashed", "gradient", draw_uniform(-4, 4, 3))
def squashed_gradient(x: Array) -> Array:
    return np.sin(2.0 * x) / np.cosh(x) ** 2 + 2.0 * np.tanh(x) * np.cos(2.0 * x)


def swish(x: Array, xp: Any = np) -> Array:
    return xp.sum(x / (1.0 + xp.exp(-x)))


@derivative_of(swish, "swish", "gradient", draw_uniform(-6, 6, 3))
def swish_gradient(x: Array) -> Array:
    share = 1.0 / (1.0 + np.exp(-x))
    return share + x * share * (1.0 / (1.0 + np.exp(x)))


def log_determinant(a: Array) -> Array:
    return np.linalg.slogdet(a)[1]


@derivative_of(log_determinant, "log-determinant", "gradient", _draw_regular)
def log_determinant_gradient(a: Array) -> Array:
    return np.linalg.inv(a).T


def determinant(a: Array) -> Array:
    return np.linalg.det(a)


@derivative_of(determinant, "determinant", "gradient", _draw_regular)
def determinant_gradient(a: Array) -> Array:
    return np.linalg.det(a) * np.linalg.inv(a).T


def solved_sum(a: Array, b: Array) -> Array:
    return np.sum(_OUTER * np.linalg.solve(a, b))


@derivative_of(solved_sum, "solve", "gradient", _draw_regular, _VECTOR)
def solved_gradient(a: Array, b: Array) -> Any:
    adjoint = np.linalg.solve(a.T, _OUTER)
    return -np.outer(adjoint, np.linalg.solve(a, b)), adjoint


def inverse_trace(a: Array) -> Array:
    return np.trace(np.linalg.inv(a))


@derivative_of(inverse_trace, "trace of the inverse", "gradient", _draw_regular)
def inverse_trace_gradient(a: Array) -> Array:
    inverse = np.linalg.inv(a)
    return -(inverse @ inverse).T


def frobenius(a: Array, b: Array) -> Array:
    return np.sum((a @ b) ** 2) / 2.0


@derivative_of(
    frobenius, "Frobenius norm", "gradient", draw_uniform(-2, 2, 2, 3), draw_uniform(-2, 2, 3, 2)
)
def frobenius_gradient(a: Array, b: Array) -> Any:
    product = a @ b
    return product @ b.T, a.T @ product


def euclidean(x: Array, xp: Any = np) -> Array:
    return xp.sqrt(xp.sum(x**2))


@derivative_of(euclidean, "length", "gradient", _VECTOR)
def euclidean_gradient(x: Array) -> Array:
    return x / np.sqrt(np.sum(x**2))


def unit(x: Array) -> Array:
    return x / np.sqrt(np.sum(x**2))


@derivative_of(unit, "unit vector", "jacobian", _VECTOR)
@derivative_of(euclidean, "length", "hessian", _VECTOR)
def euclidean_hessian(x: Array) -> Array:
    length = np.sqrt(np.sum(x**2))
    return np.eye(len(x)) / length - np.outer(x, x) / length**3


def variance(x: Array) -> Array:
    return np.var(x)


@derivative_of(variance, "variance", "gradient", draw_uniform(-2, 2, 4))
def variance_gradient(x: Array) -> Array:
    return 2.0 * (x - np.mean(x)) / len(x)


def rayleigh(x: Array) -> Array:
    return (x @ (_SYMMETRIC @ x)) / (x @ x)


@derivative_of(rayleigh, "Rayleigh quotient", "gradient", _VECTOR)
def rayleigh_gradient(x: Array) -> Array:
    size = x @ x
    return 2.0 * (_SYMMETRIC @ x) / size - 2.0 * (x @ (_SYMMETRIC @ x)) / size**2 * x


def lennard_jones(r: Array, xp: Any = np) -> Array:
    return xp.sum(4.0 * (r**-12.0 - r**-6.0))


@derivative_of(lennard_jones, "Lennard-Jones", "gradient", draw_uniform(0.8, 3, 3))
def lennard_jones_gradient(r: Array) -> Array:
    return 4.0 * (6.0 * r**-7.0 - 12.0 * r**-13.0)


@derivative_of(lennard_jones, "Lennard-Jones", "hessian", draw_uniform(0.8, 2, 3))
def lennard_jones_hessian(r: Array) -> Array:
    return np.diag(4.0 * (156.0 * r**-14.0 - 42.0 * r**-8.0))


def apply_filter(x: Array) -> Array:
    return _KERNEL[0] * x[:-2] + _KERNEL[1] * x[1:-1] + _KERNEL[2] * x[2:]


@derivative_of(apply_filter, "filter", "jacobian", draw_uniform(-2, 2, 5))
def filtered_jacobian(x: Array) -> Array:
    n = len(x)
    bands = _KERNEL[0] * np.eye(n - 2, n) + _KERNEL[1] * np.eye(n - 2, n, 1)
    return bands + _KERNEL[2] * np.eye(n - 2, n, 2) + 0.0 * x


def energy_of_signal(x: Array, xp: Any = np) -> Array:
    return xp.sum((x[1:] - x[:-1]) ** 2) / 2.0 + xp.sum(xp.cos(x))


@derivative_of(energy_of_signal, "signal", "gradient", draw_uniform(-3, 3, 5))
def energy_of_signal_gradient(x: Array) -> Array:
    steps = x[1:] - x[:-1]
    return np.concatenate([[0.0], steps]) - np.concatenate([steps, [0.0]]) - np.sin(x)


def oscillator(t: Array, xp: Any = np) -> Array:
    return xp.exp(-0.3 * t) * xp.sin(40.0 * t)


@derivative_of(oscillator, "oscillator", "gradient", draw_uniform(0, 9))
def oscillator_gradient(t: Array) -> Array:
    return np.exp(-0.3 * t) * (40.0 * np.cos(40.0 * t) - 0.3 * np.sin(40.0 * t))


def arrhenius(temperature: Array, barrier: Array, xp: Any = np) -> Array:
    return 1.0e4 * xp.exp(-barrier / (8.314 * temperature))


@derivative_of(arrhenius, "Arrhenius", "gradient", draw_uniform(250, 900), draw_uniform(100, 9000))
def arrhenius_gradient(temperature: Array, barrier: Array) -> Any:
    rate = 1.0e4 * np.exp(-barrier / (8.314 * temperature))
    return rate * barrier / (8.314 * temperature**2), -rate / (8.314 * temperature)


def polar(r: Array, angle: Array) -> Array:
    return np.stack([r * np.cos(angle), r * np.sin(angle)])


@derivative_of(polar, "polar", "jacobian", draw_uniform(0.1, 5), draw_uniform(-3, 3))
def polar_jacobian(r: Array, angle: Array) -> Any:
    by_r = np.stack([np.cos(angle), np.sin(angle)])
    return by_r, np.stack([-r * np.sin(angle), r * np.cos(angle)])


def kepler(e: Array, m: Array) -> Array:
    anomaly = m
    for _ in range(1):
        anomaly = anomaly - (anomaly - e * np.sin(anomaly) - m) / (1.0 - e * np.cos(anomaly))
    return anomaly


@derivative_of(kepler, "Kepler step", "gradient", draw_uniform(0.05, 0.7), draw_uniform(0.2, 3))
def kepler_gradient(e: Array, m: Array) -> Any:
    anomaly, by_e, by_m = m, 0.0 * e, 1.0 + 0.0 * m
    for _ in range(1):
        above, below = anomaly - e * np.sin(anomaly) - m, 1.0 - e * np.cos(anomaly)
        bend = e * np.sin(anomaly)
        above_e, above_m = below * by_e - np.sin(anomaly), below * by_m - 1.0
        below_e, below_m = bend * by_e - np.cos(anomaly), bend * by_m
        by_e = by_e - above_e / below + above * below_e / below**2
        by_m = by_m - above_m / below + above * below_m / below**2
        anomaly = anomaly - above / below
    return by_e, by_m
