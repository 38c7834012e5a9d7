"""Suite: problems that people differentiate, from the literature.

Some have a derivative that was written by hand; they and their likes in
:mod:`verify.suites.statistics` and :mod:`verify.suites.models` are what the self-test lies about.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from verify.model.case import Case
from verify.regions import box
from verify.suites.problem import Problem, draw_uniform

__all__ = ["CLASSICS", "cases"]

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


def rosenbrock(x: Array, xp: Any = np) -> Array:
    """Rosenbrock's valley in n dimensions, Computer Journal 3 (1960)."""
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_gradient(x: Array) -> Array:
    inner = x[1:] - x[:-1] ** 2
    first = -400.0 * x[:-1] * inner - 2.0 * (1.0 - x[:-1])
    return np.concatenate([first, [0.0]]) + np.concatenate([[0.0], 200.0 * inner])


def rosenbrock_hessian(x: Array) -> Array:
    diagonal = np.concatenate([1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0, [0.0]])
    diagonal = diagonal + np.concatenate([[0.0], np.full(len(x) - 1, 200.0)])
    beside = np.diag(-400.0 * x[:-1], 1)
    return np.diag(diagonal) + beside + beside.T


def helmholtz(x: Array) -> Array:
    """Helmholtz energy of a mixture, Peng-Robinson form; Griewank & Corliss (1991)."""
    covolume = _COVOLUME @ x
    ideal = np.sum(x * np.log(x / (1.0 - covolume)))
    root = np.sqrt(2.0)
    excess = np.log((1.0 + (1.0 + root) * covolume) / (1.0 + (1.0 - root) * covolume))
    return ideal - (x @ _ATTRACTION @ x) / (np.sqrt(8.0) * covolume) * excess


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


def logistic_loss(w: Array) -> Array:
    """Negative log-likelihood of a logistic regression, with a ridge."""
    margins = (2.0 * _LABELS - 1.0) * (_FEATURES @ w)
    return np.sum(np.logaddexp(0.0, -margins)) + 0.05 * np.sum(w**2)


def logistic_gradient(w: Array) -> Array:
    signs = 2.0 * _LABELS - 1.0
    return -_FEATURES.T @ (signs / (1.0 + np.exp(signs * (_FEATURES @ w)))) + 0.1 * w


def logistic_hessian(w: Array) -> Array:
    share = 1.0 / (1.0 + np.exp((2.0 * _LABELS - 1.0) * (_FEATURES @ w)))
    return (_FEATURES.T * (share * (1.0 - share))) @ _FEATURES + 0.1 * np.eye(3)


def gaussian_mixture(logits: Array, means: Array, log_scales: Array) -> Array:
    """Log-likelihood of data under a mixture of two axis-aligned Gaussians."""
    z = (_MIXTURE_DATA[:, None, :] - means) * np.exp(-log_scales)
    components = -0.5 * np.sum(z**2, axis=2) - np.sum(log_scales, axis=1)
    joint = components + logits - np.log(np.sum(np.exp(logits)))
    return np.sum(np.log(np.sum(np.exp(joint), axis=1))) - len(_MIXTURE_DATA) * np.log(2 * np.pi)


def perceptron_loss(theta: Array) -> Array:
    """Mean squared error of a 3-5-1 tanh network by its 26 weights."""
    hidden = np.tanh(_MLP_INPUTS @ theta[:15].reshape(3, 5) + theta[15:20])
    output = hidden @ theta[20:25].reshape(5, 1) + theta[25]
    return np.mean((output - _MLP_TARGETS) ** 2)


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


def brusselator_jacobian(state: Array) -> Array:
    u, v = state[0], state[1]
    one = np.eye(len(u))
    spread = 0.02 * 36.0 * (np.roll(one, 1, axis=0) - 2.0 * one + np.roll(one, -1, axis=0))
    first = [np.diag(2.0 * u * v - 4.0) + spread, np.diag(u**2)]
    second = [np.diag(3.0 - 2.0 * u * v), np.diag(-(u**2)) + spread]
    return np.stack([np.stack(first, axis=1), np.stack(second, axis=1)])


def van_der_pol(x0: Array, v0: Array, mu: Array) -> Array:
    """Position of Van der Pol's oscillator after 1,000 explicit Euler steps of 0.002."""
    x, v = x0, v0
    step = 0.002
    for _ in range(1000):
        x, v = x + step * v, v + step * (mu * (1.0 - x * x) * v - x)
    return x


def kepler(eccentricity: Array, mean_anomaly: Array) -> Array:
    """Eccentric anomaly by Newton's iteration; the number of steps depends on the data."""
    anomaly = mean_anomaly + eccentricity * np.sin(mean_anomaly)
    change = anomaly
    while abs(change) > 1e-10:
        residual = anomaly - eccentricity * np.sin(anomaly) - mean_anomaly
        change = residual / (1.0 - eccentricity * np.cos(anomaly))
        anomaly = anomaly - change
    return anomaly


def softplus(x: Array) -> Array:
    """``log(1 + exp(x))``, whose slope is the logistic function; far out it is 0 or 1."""
    return np.logaddexp(0.0, x)


def huber(residual: Array, xp: Any = np) -> Array:
    """Huber's loss, Annals of Mathematical Statistics 35 (1964); its pieces meet smoothly."""
    size = xp.abs(residual)
    return xp.sum(xp.where(size <= 1.0, 0.5 * residual**2, size - 0.5))


def huber_gradient(residual: Array) -> Array:
    return np.where(np.abs(residual) <= 1.0, residual, np.sign(residual))


def brackets(income: Array) -> Array:
    """A progressive tax of three rates; its slope jumps where a bracket ends."""
    if income > 60.0:
        return 0.5 * (income - 60.0) + 12.5
    if income > 10.0:
        return 0.25 * (income - 10.0)
    return 0.0 * income


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


CLASSICS: Final = (
    Problem(
        "rosenbrock",
        rosenbrock,
        "gradient",
        rosenbrock_gradient,
        (draw_uniform(-2, 2, 4),),
        everywhere=True,
        suite_id="rosenbrock",
        title="Rosenbrock's valley",
        at=_ROSENBROCK_AT,
    ),
    Problem(
        "rosenbrock",
        rosenbrock,
        "hessian",
        rosenbrock_hessian,
        (draw_uniform(-2, 2, 3),),
        suite_id="rosenbrock-hessian",
        title="Rosenbrock's valley",
        at=_ROSENBROCK_AT,
    ),
    Problem(
        "Helmholtz",
        helmholtz,
        "gradient",
        helmholtz_gradient,
        (draw_uniform(0.5, 3, 4),),
        suite_id="helmholtz",
        title="Helmholtz energy of a mixture of four",
        at=(([1.0, 2.0, 1.5, 0.5],), ([0.25, 0.25, 0.25, 0.25],)),
    ),
    Problem(
        "logistic",
        logistic_loss,
        "gradient",
        logistic_gradient,
        (draw_uniform(-3, 3, 3),),
        suite_id="logistic-regression",
        title="Logistic regression",
        at=_WEIGHTS_AT,
    ),
    Problem(
        "logistic",
        logistic_loss,
        "hessian",
        logistic_hessian,
        (draw_uniform(-2, 2, 3),),
        suite_id="logistic-regression-hessian",
        title="Logistic regression",
        at=_WEIGHTS_AT,
    ),
    Problem(
        "Gaussian mixture",
        gaussian_mixture,
        suite_id="gaussian-mixture",
        title="Gaussian mixture",
        at=_MIXTURE_AT,
    ),
    Problem(
        "perceptron of 26 weights",
        perceptron_loss,
        "hessian",
        suite_id="perceptron-hessian",
        title="Perceptron 3-5-1, all 26 weights",
        at=((_MLP_WEIGHTS,),),
    ),
    Problem(
        "Brusselator",
        brusselator,
        "jacobian",
        brusselator_jacobian,
        (draw_uniform(0.1, 3, 2, 3),),
        suite_id="brusselator",
        title="Brusselator on a ring",
        at=_RING_AT,
    ),
    Problem(
        "Van der Pol",
        van_der_pol,
        suite_id="van-der-pol",
        title="Van der Pol's oscillator, 1,000 Euler steps",
        at=((2.0, 0.0, 1.0), (0.5, -1.0, 2.5)),
    ),
    Problem(
        "Kepler",
        kepler,
        suite_id="kepler",
        title="Kepler's equation by Newton's iteration",
        at=((0.25, 1.0), (0.875, 2.0)),
    ),
    Problem(
        "softplus",
        softplus,
        suite_id="softplus",
        title="Softplus, tails and all",
        over=box(-700.0, 700.0),
    ),
    Problem(
        "Huber",
        huber,
        "gradient",
        huber_gradient,
        (draw_uniform(-3, 3, 5),),
        everywhere=True,
        special=((np.array([1 + 2.0**-52, 1 - 2.0**-53, -1 - 2.0**-52, 1e-300, -0.5]),),),
        suite_id="huber",
        title="Huber's loss of three residuals",
        over=box(-3.0, 3.0, shape=(3,)),
    ),
    Problem(
        "tax brackets",
        brackets,
        suite_id="brackets",
        title="A progressive tax",
        over=box(0.0, 100.0),
    ),
)


def cases() -> list[Case]:
    """The cases of the suite."""
    return [problem.case_of_suite() for problem in CLASSICS]
