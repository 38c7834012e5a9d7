"""Problems with derivatives that people wrote by hand: optimisation and statistics.

Those that take the name of a library, ``xp``, are ordinary array code in NumPy, JAX, PyTorch and
autograd alike.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from verify.suites.problem import derivative_of, draw_uniform

__all__ = ()

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


def quadratic_form(x: Array) -> Array:
    return x @ (_MATRIX @ x) / 2.0 - _WEIGHTS @ x


@derivative_of(quadratic_form, "quadratic form", "gradient", draw_uniform(-2, 2, 3))
def quadratic_gradient(x: Array) -> Array:
    return (_MATRIX @ x + _MATRIX.T @ x) / 2.0 - _WEIGHTS


@derivative_of(quadratic_form, "quadratic form", "hessian", draw_uniform(-2, 2, 3))
def quadratic_hessian(x: Array) -> Array:
    return (_MATRIX + _MATRIX.T) / 2.0 + 0.0 * np.outer(x, x)


def least_squares(x: Array) -> Array:
    return np.sum((_FEATURES @ x - _TARGETS) ** 2) / 2.0


@derivative_of(least_squares, "least squares", "gradient", draw_uniform(-2, 2, 3))
def least_squares_gradient(x: Array) -> Array:
    return _FEATURES.T @ (_FEATURES @ x - _TARGETS)


def mean_squares(x: Array) -> Array:
    return np.mean((_FEATURES @ x - _TARGETS) ** 2)


@derivative_of(mean_squares, "mean squares", "gradient", draw_uniform(-2, 2, 3))
def mean_squares_gradient(x: Array) -> Array:
    return 2.0 * _FEATURES.T @ (_FEATURES @ x - _TARGETS) / len(_TARGETS)


def poisson_loss(w: Array) -> Array:
    rate = _FEATURES @ w
    return np.sum(np.exp(rate) - _COUNTS * rate)


@derivative_of(poisson_loss, "Poisson", "gradient", draw_uniform(-2, 2, 3))
def poisson_gradient(w: Array) -> Array:
    return _FEATURES.T @ (np.exp(_FEATURES @ w) - _COUNTS)


def cross_entropy(z: Array) -> Array:
    shifted = z - np.max(z, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - np.sum(_CLASSES * shifted, axis=1))


@derivative_of(cross_entropy, "cross-entropy", "gradient", draw_uniform(-4, 4, 3, 4))
def cross_entropy_gradient(z: Array) -> Array:
    powers = np.exp(z - np.max(z, axis=1, keepdims=True))
    return (powers / np.sum(powers, axis=1, keepdims=True) - _CLASSES) / len(_CLASSES)


def softmax(z: Array, xp: Any = np) -> Array:
    powers = xp.exp(z - xp.max(z))
    return powers / xp.sum(powers)


def log_sum_exp(z: Array, xp: Any = np) -> Array:
    top = xp.max(z)
    return top + xp.log(xp.sum(xp.exp(z - top)))


@derivative_of(log_sum_exp, "logsumexp", "gradient", draw_uniform(-9, 9, 4))
def log_sum_exp_gradient(z: Array) -> Array:
    powers = np.exp(z - np.max(z))
    return powers / np.sum(powers)


@derivative_of(log_sum_exp, "logsumexp", "hessian", draw_uniform(-3, 3, 3))
@derivative_of(softmax, "softmax", "jacobian", draw_uniform(-5, 5, 4))
def softmax_jacobian(z: Array) -> Array:
    powers = np.exp(z - np.max(z))
    share = powers / np.sum(powers)
    return np.diag(share) - np.outer(share, share)


def entropy(p: Array, xp: Any = np) -> Array:
    return -xp.sum(p * xp.log(p))


@derivative_of(entropy, "entropy", "gradient", draw_uniform(0.05, 1, 3))
def entropy_gradient(p: Array) -> Array:
    return -np.log(p) - 1.0


def divergence(p: Array, q: Array, xp: Any = np) -> Array:
    return xp.sum(p * xp.log(p / q) - p + q)


@derivative_of(
    divergence, "divergence", "gradient", draw_uniform(0.05, 1, 3), draw_uniform(0.05, 1, 3)
)
def divergence_gradient(p: Array, q: Array) -> Any:
    return np.log(p / q), 1.0 - p / q


def pseudo_huber(x: Array, xp: Any = np) -> Array:
    return xp.sum(xp.sqrt(1.0 + x**2) - 1.0)


@derivative_of(pseudo_huber, "pseudo-Huber", "gradient", draw_uniform(-9, 9, 3))
def pseudo_huber_gradient(x: Array) -> Array:
    return x / np.sqrt(1.0 + x**2)


def gaussian_likelihood(mean: Array, deviation: Array, xp: Any = np) -> Array:
    return xp.sum((0.25 - mean) ** 2) / (2.0 * deviation**2) + 6.0 * xp.log(deviation)


@derivative_of(
    gaussian_likelihood, "Gaussian", "gradient", draw_uniform(-2, 2, 3), draw_uniform(0.2, 3)
)
def gaussian_gradient(mean: Array, deviation: Array) -> Any:
    gap = mean - 0.25
    return gap / deviation**2, 6.0 / deviation - np.sum(gap**2) / deviation**3


def cauchy(x: Array, xp: Any = np) -> Array:
    return xp.sum(xp.log(1.0 + x**2))


@derivative_of(cauchy, "Cauchy", "gradient", draw_uniform(-50, 50, 3))
def cauchy_gradient(x: Array) -> Array:
    return 2.0 * x / (1.0 + x**2)


@derivative_of(cauchy, "Cauchy", "hessian", draw_uniform(-3, 3, 3))
def cauchy_hessian(x: Array) -> Array:
    return np.diag(2.0 * (1.0 - x**2) / (1.0 + x**2) ** 2)


def himmelblau(x: Array, y: Array, xp: Any = np) -> Array:
    return (x**2 + y - 11.0) ** 2 + (x + y**2 - 7.0) ** 2


@derivative_of(himmelblau, "Himmelblau", "gradient", draw_uniform(-4, 4), draw_uniform(-4, 4))
def himmelblau_gradient(x: Array, y: Array) -> Any:
    first, second = x**2 + y - 11.0, x + y**2 - 7.0
    return 4.0 * x * first + 2.0 * second, 2.0 * first + 4.0 * y * second


def beale(x: Array, y: Array, xp: Any = np) -> Array:
    return (1.5 - x + x * y) ** 2 + (2.25 - x + x * y**2) ** 2


@derivative_of(beale, "Beale", "gradient", draw_uniform(-4, 4), draw_uniform(-4, 4))
def beale_gradient(x: Array, y: Array) -> Any:
    first, second = 1.5 - x + x * y, 2.25 - x + x * y**2
    by_x = 2.0 * first * (y - 1.0) + 2.0 * second * (y**2 - 1.0)
    return by_x, 2.0 * first * x + 4.0 * second * x * y
