"""Problems with derivatives that people wrote by hand: optimisation and statistics.

Those that take the name of a library, ``xp``, are ordinary array code in NumPy, JAX, PyTorch and
autograd alike.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from verify.suites.problem import Problem, draw_uniform

__all__ = ["STATISTICS"]

Array = Any

_DRAW: Final = np.random.default_rng(7)


def _draw_rounded(*shape: int) -> Array:
    return np.round(_DRAW.normal(size=shape), 3)


_FEATURES: Final = _draw_rounded(6, 3)
_TARGETS: Final = _draw_rounded(6)
_MATRIX: Final = _draw_rounded(3, 3) + 3 * np.eye(3)
_COUNTS: Final = np.array([2.0, 0.0, 5.0, 1.0, 3.0, 2.0])
_CLASSES: Final = np.eye(4)[[0, 3, 1]]
_WEIGHTS: Final = np.array([0.5, -1.25, 2.0])


def quadratic_form(x: Array, xp: Any = np) -> Array:
    return x @ (_MATRIX @ x) / 2.0 - _WEIGHTS @ x


def quadratic_gradient(x: Array) -> Array:
    return (_MATRIX @ x + _MATRIX.T @ x) / 2.0 - _WEIGHTS


def quadratic_hessian(x: Array) -> Array:
    return (_MATRIX + _MATRIX.T) / 2.0 + 0.0 * np.outer(x, x)


def least_squares(x: Array) -> Array:
    return np.sum((_FEATURES @ x - _TARGETS) ** 2) / 2.0


def least_squares_gradient(x: Array) -> Array:
    return _FEATURES.T @ (_FEATURES @ x - _TARGETS)


def mean_squares(x: Array) -> Array:
    return np.mean((_FEATURES @ x - _TARGETS) ** 2)


def mean_squares_gradient(x: Array) -> Array:
    return 2.0 * _FEATURES.T @ (_FEATURES @ x - _TARGETS) / len(_TARGETS)


def poisson_loss(w: Array) -> Array:
    rate = _FEATURES @ w
    return np.sum(np.exp(rate) - _COUNTS * rate)


def poisson_gradient(w: Array) -> Array:
    return _FEATURES.T @ (np.exp(_FEATURES @ w) - _COUNTS)


def cross_entropy(z: Array) -> Array:
    shifted = z - np.max(z, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - np.sum(_CLASSES * shifted, axis=1))


def cross_entropy_gradient(z: Array) -> Array:
    powers = np.exp(z - np.max(z, axis=1, keepdims=True))
    return (powers / np.sum(powers, axis=1, keepdims=True) - _CLASSES) / len(_CLASSES)


def softmax(z: Array, xp: Any = np) -> Array:
    powers = xp.exp(z - xp.max(z))
    return powers / xp.sum(powers)


def softmax_jacobian(z: Array) -> Array:
    powers = np.exp(z - np.max(z))
    share = powers / np.sum(powers)
    return np.diag(share) - np.outer(share, share)


def log_sum_exp(z: Array, xp: Any = np) -> Array:
    top = xp.max(z)
    return top + xp.log(xp.sum(xp.exp(z - top)))


def log_sum_exp_gradient(z: Array) -> Array:
    powers = np.exp(z - np.max(z))
    return powers / np.sum(powers)


def log_sum_exp_hessian(z: Array) -> Array:
    powers = np.exp(z - np.max(z))
    share = powers / np.sum(powers)
    return np.diag(share) - np.outer(share, share)


def entropy(p: Array, xp: Any = np) -> Array:
    return -xp.sum(p * xp.log(p))


def entropy_gradient(p: Array) -> Array:
    return -np.log(p) - 1.0


def divergence(p: Array, q: Array, xp: Any = np) -> Array:
    return xp.sum(p * xp.log(p / q) - p + q)


def divergence_gradient(p: Array, q: Array) -> Any:
    return np.log(p / q), 1.0 - p / q


def pseudo_huber(x: Array, xp: Any = np) -> Array:
    return xp.sum(xp.sqrt(1.0 + x**2) - 1.0)


def pseudo_huber_gradient(x: Array) -> Array:
    return x / np.sqrt(1.0 + x**2)


def gaussian_likelihood(mean: Array, deviation: Array, xp: Any = np) -> Array:
    return xp.sum((0.25 - mean) ** 2) / (2.0 * deviation**2) + 6.0 * xp.log(deviation)


def gaussian_gradient(mean: Array, deviation: Array) -> Any:
    gap = mean - 0.25
    return gap / deviation**2, 6.0 / deviation - np.sum(gap**2) / deviation**3


def cauchy(x: Array, xp: Any = np) -> Array:
    return xp.sum(xp.log(1.0 + x**2))


def cauchy_gradient(x: Array) -> Array:
    return 2.0 * x / (1.0 + x**2)


def cauchy_hessian(x: Array) -> Array:
    return np.diag(2.0 * (1.0 - x**2) / (1.0 + x**2) ** 2)


def himmelblau(x: Array, y: Array, xp: Any = np) -> Array:
    return (x**2 + y - 11.0) ** 2 + (x + y**2 - 7.0) ** 2


def himmelblau_gradient(x: Array, y: Array) -> Any:
    first, second = x**2 + y - 11.0, x + y**2 - 7.0
    return 4.0 * x * first + 2.0 * second, 2.0 * first + 4.0 * y * second


def beale(x: Array, y: Array, xp: Any = np) -> Array:
    return (1.5 - x + x * y) ** 2 + (2.25 - x + x * y**2) ** 2


def beale_gradient(x: Array, y: Array) -> Any:
    first, second = 1.5 - x + x * y, 2.25 - x + x * y**2
    by_x = 2.0 * first * (y - 1.0) + 2.0 * second * (y**2 - 1.0)
    return by_x, 2.0 * first * x + 4.0 * second * x * y


STATISTICS: Final = (
    Problem(
        "quadratic form", quadratic_form, "gradient", quadratic_gradient, (draw_uniform(-2, 2, 3),)
    ),
    Problem(
        "quadratic form", quadratic_form, "hessian", quadratic_hessian, (draw_uniform(-2, 2, 3),)
    ),
    Problem(
        "least squares",
        least_squares,
        "gradient",
        least_squares_gradient,
        (draw_uniform(-2, 2, 3),),
    ),
    Problem(
        "mean squares", mean_squares, "gradient", mean_squares_gradient, (draw_uniform(-2, 2, 3),)
    ),
    Problem("Poisson", poisson_loss, "gradient", poisson_gradient, (draw_uniform(-2, 2, 3),)),
    Problem(
        "cross-entropy",
        cross_entropy,
        "gradient",
        cross_entropy_gradient,
        (draw_uniform(-4, 4, 3, 4),),
    ),
    Problem("softmax", softmax, "jacobian", softmax_jacobian, (draw_uniform(-5, 5, 4),), True),
    Problem(
        "logsumexp", log_sum_exp, "gradient", log_sum_exp_gradient, (draw_uniform(-9, 9, 4),), True
    ),
    Problem("logsumexp", log_sum_exp, "hessian", log_sum_exp_hessian, (draw_uniform(-3, 3, 3),)),
    Problem("entropy", entropy, "gradient", entropy_gradient, (draw_uniform(0.05, 1, 3),), True),
    Problem(
        "divergence",
        divergence,
        "gradient",
        divergence_gradient,
        (draw_uniform(0.05, 1, 3), draw_uniform(0.05, 1, 3)),
        True,
    ),
    Problem(
        "pseudo-Huber",
        pseudo_huber,
        "gradient",
        pseudo_huber_gradient,
        (draw_uniform(-9, 9, 3),),
        True,
    ),
    Problem(
        "Gaussian",
        gaussian_likelihood,
        "gradient",
        gaussian_gradient,
        (draw_uniform(-2, 2, 3), draw_uniform(0.2, 3)),
        True,
    ),
    Problem("Cauchy", cauchy, "gradient", cauchy_gradient, (draw_uniform(-50, 50, 3),), True),
    Problem("Cauchy", cauchy, "hessian", cauchy_hessian, (draw_uniform(-3, 3, 3),)),
    Problem(
        "Himmelblau",
        himmelblau,
        "gradient",
        himmelblau_gradient,
        (draw_uniform(-4, 4), draw_uniform(-4, 4)),
        True,
    ),
    Problem(
        "Beale", beale, "gradient", beale_gradient, (draw_uniform(-4, 4), draw_uniform(-4, 4)), True
    ),
)
