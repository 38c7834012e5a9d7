"""Suite: problems that people differentiate, from the literature."""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.model.case import Case, argument_names
from verify.regions import as_region, box

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


def rosenbrock(x: Array) -> Array:
    """Rosenbrock's valley in n dimensions, Computer Journal 3 (1960)."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def helmholtz(x: Array) -> Array:
    """Helmholtz energy of a mixture, Peng-Robinson form; Griewank & Corliss (1991)."""
    covolume = _COVOLUME @ x
    ideal = np.sum(x * np.log(x / (1.0 - covolume)))
    root = np.sqrt(2.0)
    excess = np.log((1.0 + (1.0 + root) * covolume) / (1.0 + (1.0 - root) * covolume))
    return ideal - (x @ _ATTRACTION @ x) / (np.sqrt(8.0) * covolume) * excess


def logistic_loss(w: Array) -> Array:
    """Negative log-likelihood of a logistic regression, with a ridge."""
    margins = (2.0 * _LABELS - 1.0) * (_FEATURES @ w)
    return np.sum(np.logaddexp(0.0, -margins)) + 0.05 * np.sum(w**2)


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


def huber(residual: Array) -> Array:
    """Huber's loss, Annals of Mathematical Statistics 35 (1964); its pieces meet smoothly."""
    size = np.abs(residual)
    return np.sum(np.where(size <= 1.0, 0.5 * residual**2, size - 0.5))


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


def cases() -> list[Case]:
    """The cases of the suite."""
    return [
        _case("rosenbrock", "Rosenbrock's valley", rosenbrock, _ROSENBROCK_AT),
        _case("rosenbrock-hessian", "Rosenbrock's valley", rosenbrock, _ROSENBROCK_AT, "hessian"),
        _case(
            "helmholtz",
            "Helmholtz energy of a mixture of four",
            helmholtz,
            (([1.0, 2.0, 1.5, 0.5],), ([0.25, 0.25, 0.25, 0.25],)),
        ),
        _case("logistic-regression", "Logistic regression", logistic_loss, _WEIGHTS_AT),
        _case(
            "logistic-regression-hessian",
            "Logistic regression",
            logistic_loss,
            _WEIGHTS_AT,
            "hessian",
        ),
        _case("gaussian-mixture", "Gaussian mixture", gaussian_mixture, _MIXTURE_AT),
        _case(
            "perceptron-hessian",
            "Perceptron 3-5-1, all 26 weights",
            perceptron_loss,
            ((_MLP_WEIGHTS,),),
            "hessian",
        ),
        _case("brusselator", "Brusselator on a ring", brusselator, _RING_AT, "jacobian"),
        _case(
            "van-der-pol",
            "Van der Pol's oscillator, 1,000 Euler steps",
            van_der_pol,
            ((2.0, 0.0, 1.0), (0.5, -1.0, 2.5)),
        ),
        _case(
            "kepler",
            "Kepler's equation by Newton's iteration",
            kepler,
            ((0.25, 1.0), (0.875, 2.0)),
        ),
        _searched("softplus", "Softplus, tails and all", softplus, box(-700.0, 700.0)),
        _searched("huber", "Huber's loss of three residuals", huber, box(-3.0, 3.0, shape=(3,))),
        _searched("brackets", "A progressive tax", brackets, box(0.0, 100.0)),
    ]


def _searched(name: str, title: str, function: Any, space: Any) -> Case:
    (argument,) = argument_names(function, 1)
    over = as_region(space, [argument])
    return Case(f"classics/{name}", title, function, (), over=over, suite="classics")


def _case(
    name: str, title: str, function: Any, at: tuple[Any, ...], quantity: str = "gradient"
) -> Case:
    return Case(f"classics/{name}", title, function, at, quantity, suite="classics")
