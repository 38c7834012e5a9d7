"""Suite: problems that people differentiate, from the literature.

Some have a derivative that was written by hand; they and their likes in
:mod:`verify.suites.statistics` and :mod:`verify.suites.models` are what the self-test lies about.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.model.case import Case
from verify.regions import box
from verify.suites.problem import derivative_of, draw_uniform, program, programs_of

__all__ = ["cases"]

Array = Any

_DRAW = np.random.default_rng(20)
_MIXTURE_DATA = np.round(_DRAW.normal(size=(6, 2)), 3)
_FEATURES = np.round(_DRAW.normal(size=(8, 3)), 3)
_LABELS = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0])
_MLP_INPUTS = np.round(_DRAW.normal(size=(4, 3)), 3)
_MLP_TARGETS = np.round(_DRAW.normal(size=(4, 1)), 3)
_MLP_WEIGHTS = np.round(0.5 * _DRAW.normal(size=26), 3)

_COVOLUME = np.array([0.02, 0.035, 0.05, 0.04])
_ATTRACTION = np.array(
    [
        [1.2, 0.9, 0.8, 0.7],
        [0.9, 1.5, 1.1, 0.95],
        [0.8, 1.1, 2.0, 1.3],
        [0.7, 0.95, 1.3, 1.7],
    ]
)

_ROSENBROCK_AT = (([-1.2, 1.0],), ([0.5, -0.75, 1.25, 2.0],), ([1.0, 1.0, 1.0],))
_WEIGHTS_AT = (([0.0, 0.0, 0.0],), ([0.5, -1.25, 2.0],))
_MIXTURE_AT = (
    (
        [0.25, -0.5],
        [[-0.5, 0.75], [0.5, -1.0]],
        [[0.125, -0.25], [-0.5, 0.25]],
    ),
)
_RING_AT = (([[1.0, 1.25, 0.75, 1.5, 0.5, 1.0], [3.0, 2.75, 3.25, 2.5, 3.5, 3.0]],),)


@program("rosenbrock-hessian", "Rosenbrock's valley", *_ROSENBROCK_AT, quantity="hessian")
@program("rosenbrock", "Rosenbrock's valley", *_ROSENBROCK_AT)
def rosenbrock(x: Array, xp: Any = np) -> Array:
    """Rosenbrock's valley in n dimensions, Computer Journal 3 (1960)."""
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@derivative_of(rosenbrock, "rosenbrock", "gradient", draw_uniform(-2, 2, 4))
def rosenbrock_gradient(x: Array) -> Array:
    inner = x[1:] - x[:-1] ** 2
    first = -400.0 * x[:-1] * inner - 2.0 * (1.0 - x[:-1])
    return np.concatenate([first, [0.0]]) + np.concatenate([[0.0], 200.0 * inner])


@derivative_of(rosenbrock, "rosenbrock", "hessian", draw_uniform(-2, 2, 3))
def rosenbrock_hessian(x: Array) -> Array:
    diagonal = np.concatenate([1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0, [0.0]])
    diagonal = diagonal + np.concatenate([[0.0], np.full(len(x) - 1, 200.0)])
    beside = np.diag(-400.0 * x[:-1], 1)
    return np.diag(diagonal) + beside + beside.T


@program(
    "helmholtz",
    "Helmholtz energy of a mixture of four",
    ([1.0, 2.0, 1.5, 0.5],),
    ([0.25, 0.25, 0.25, 0.25],),
)
def helmholtz(x: Array) -> Array:
    """Helmholtz energy of a mixture, Peng-Robinson form; Griewank & Corliss (1991)."""
    covolume = _COVOLUME @ x
    ideal = np.sum(x * np.log(x / (1.0 - covolume)))
    root = np.sqrt(2.0)
    excess = np.log((1.0 + (1.0 + root) * covolume) / (1.0 + (1.0 - root) * covolume))
    return ideal - (x @ _ATTRACTION @ x) / (np.sqrt(8.0) * covolume) * excess


@derivative_of(helmholtz, "Helmholtz", "gradient", draw_uniform(0.5, 3, 4))
def helmholtz_gradient(x: Array) -> Array:
    covolume = _COVOLUME @ x
    root = np.sqrt(2.0)
    plus, minus = 1.0 + root, 1.0 - root
    ideal = np.log(x / (1.0 - covolume)) + 1.0 + np.sum(x) / (1.0 - covolume) * _COVOLUME
    above, below = 1.0 + plus * covolume, 1.0 + minus * covolume
    excess = np.log(above / below)
    form = x @ (_ATTRACTION @ x)
    by_form = 2.0 * (_ATTRACTION @ x) / covolume - form / covolume**2 * _COVOLUME
    by_excess = (plus / above - minus / below) * _COVOLUME
    return ideal - (by_form * excess + form / covolume * by_excess) / np.sqrt(8.0)


@program("logistic-regression-hessian", "Logistic regression", *_WEIGHTS_AT, quantity="hessian")
@program("logistic-regression", "Logistic regression", *_WEIGHTS_AT)
def logistic_loss(w: Array) -> Array:
    """Negative log-likelihood of a logistic regression, with a ridge."""
    margins = (2.0 * _LABELS - 1.0) * (_FEATURES @ w)
    return np.sum(np.logaddexp(0.0, -margins)) + 0.05 * np.sum(w**2)


@derivative_of(logistic_loss, "logistic", "gradient", draw_uniform(-3, 3, 3))
def logistic_gradient(w: Array) -> Array:
    signs = 2.0 * _LABELS - 1.0
    return -_FEATURES.T @ (signs / (1.0 + np.exp(signs * (_FEATURES @ w)))) + 0.1 * w


@derivative_of(logistic_loss, "logistic", "hessian", draw_uniform(-2, 2, 3))
def logistic_hessian(w: Array) -> Array:
    share = 1.0 / (1.0 + np.exp((2.0 * _LABELS - 1.0) * (_FEATURES @ w)))
    return (_FEATURES.T * (share * (1.0 - share))) @ _FEATURES + 0.1 * np.eye(3)


@program("gaussian-mixture", "Gaussian mixture", *_MIXTURE_AT)
def gaussian_mixture(logits: Array, means: Array, log_scales: Array) -> Array:
    """Log-likelihood of data under a mixture of two axis-aligned Gaussians."""
    z = (_MIXTURE_DATA[:, None, :] - means) * np.exp(-log_scales)
    components = -0.5 * np.sum(z**2, axis=2) - np.sum(log_scales, axis=1)
    joint = components + logits - np.log(np.sum(np.exp(logits)))
    return np.sum(np.log(np.sum(np.exp(joint), axis=1))) - len(_MIXTURE_DATA) * np.log(2 * np.pi)


@program(
    "perceptron-hessian", "Perceptron 3-5-1, all 26 weights", (_MLP_WEIGHTS,), quantity="hessian"
)
def perceptron_loss(theta: Array) -> Array:
    """Mean squared error of a 3-5-1 tanh network by its 26 weights."""
    hidden = np.tanh(_MLP_INPUTS @ theta[:15].reshape(3, 5) + theta[15:20])
    output = hidden @ theta[20:25].reshape(5, 1) + theta[25]
    return np.mean((output - _MLP_TARGETS) ** 2)


@program("brusselator", "Brusselator on a ring", *_RING_AT, quantity="jacobian")
def brusselator(state: Array) -> Array:
    """Right-hand side of the Brusselator on a ring; Prigogine & Lefever (1968).

    ``state`` holds u and v as rows.
    """
    u, v = state[0], state[1]
    reaction = u**2 * v
    return np.stack(
        [
            1.0 + reaction - 4.0 * u + 0.02 * _laplacian(u),
            3.0 * u - reaction + 0.02 * _laplacian(v),
        ]
    )


def _laplacian(u: Array) -> Array:
    return 36.0 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))


@derivative_of(brusselator, "Brusselator", "jacobian", draw_uniform(0.1, 3, 2, 3))
def brusselator_jacobian(state: Array) -> Array:
    u, v = state[0], state[1]
    one = np.eye(len(u))
    spread = 0.02 * 36.0 * (np.roll(one, 1, axis=0) - 2.0 * one + np.roll(one, -1, axis=0))
    first = [np.diag(2.0 * u * v - 4.0) + spread, np.diag(u**2)]
    second = [np.diag(3.0 - 2.0 * u * v), np.diag(-(u**2)) + spread]
    return np.stack([np.stack(first, axis=1), np.stack(second, axis=1)])


@program(
    "van-der-pol", "Van der Pol's oscillator, 1,000 Euler steps", (2.0, 0.0, 1.0), (0.5, -1.0, 2.5)
)
def van_der_pol(x0: Array, v0: Array, mu: Array) -> Array:
    """Position of Van der Pol's oscillator after 1,000 explicit Euler steps of 0.002."""
    x, v = x0, v0
    step = 0.002
    for _ in range(1000):
        x, v = x + step * v, v + step * (mu * (1.0 - x * x) * v - x)
    return x


@program("kepler", "Kepler's equation by Newton's iteration", (0.25, 1.0), (0.875, 2.0))
def kepler(eccentricity: Array, mean_anomaly: Array) -> Array:
    """Eccentric anomaly by Newton's iteration; the number of steps depends on the data."""
    anomaly = mean_anomaly + eccentricity * np.sin(mean_anomaly)
    change = anomaly
    while abs(change) > 1e-10:
        residual = anomaly - eccentricity * np.sin(anomaly) - mean_anomaly
        change = residual / (1.0 - eccentricity * np.cos(anomaly))
        anomaly = anomaly - change
    return anomaly


@program("softplus", "Softplus, tails and all", over=box(-700.0, 700.0))
def softplus(x: Array) -> Array:
    """``log(1 + exp(x))``, whose slope is the logistic function; far out it is 0 or 1."""
    return np.logaddexp(0.0, x)


@program("huber", "Huber's loss of three residuals", over=box(-3.0, 3.0, shape=(3,)))
def huber(residual: Array, xp: Any = np) -> Array:
    """Huber's loss, Annals of Mathematical Statistics 35 (1964); its pieces meet smoothly."""
    size = xp.abs(residual)
    return xp.sum(xp.where(size <= 1.0, 0.5 * residual**2, size - 0.5))


@derivative_of(
    huber,
    "Huber",
    "gradient",
    draw_uniform(-3, 3, 5),
    special=((np.array([1 + 2.0**-52, 1 - 2.0**-53, -1 - 2.0**-52, 1e-300, -0.5]),),),
)
def huber_gradient(residual: Array) -> Array:
    return np.where(np.abs(residual) <= 1.0, residual, np.sign(residual))


@program("brackets", "A progressive tax", over=box(0.0, 100.0))
def brackets(income: Array) -> Array:
    """A progressive tax of three rates; its slope jumps where a bracket ends."""
    if income > 60.0:
        return 0.5 * (income - 60.0) + 12.5
    if income > 10.0:
        return 0.25 * (income - 10.0)
    return 0.0 * income


def cases() -> list[Case]:
    """The cases of the suite."""
    return programs_of(__name__)
