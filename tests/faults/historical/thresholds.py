"""Branches: shortcuts beyond a threshold, slopes that are wrong at one point, clipped pieces."""

from __future__ import annotations

import numpy as np
from scipy import special

from tests.faults.historical.fault import Fault
from verify import positive

__all__ = ["FAULTS"]


def bernoulli_logit(x):
    """Log-probability of a success."""
    return -np.logaddexp(0, -x)


def bernoulli_logit_slope_without_sign(x):
    e = np.exp(-np.clip(x, -30, None))
    return np.where(x > 20, -e, np.where(x < -20, 1.0, e / (e + 1)))


def negative_binomial(alpha, beta):
    """Log-probability of no failure."""
    return alpha * np.log(beta / (1 + beta))


def negative_binomial_as_poisson(alpha, beta):
    large = alpha > 1e10
    return (
        np.where(large, -1 / beta, np.log(beta / (1 + beta))),
        np.where(large, alpha / beta**2, alpha / (beta * (1 + beta))),
    )


def negative_binomial_slopes(alpha, beta):
    return -np.log1p(1 / beta), alpha / (beta * (1 + beta))


def log_sigmoid_slope_by_pieces(x):
    """Through softplus(z) = max(z, 0) + log1p(exp(-|z|)), with 1/2 and 1 as slopes at 0."""
    z = -x
    of_maximum = np.where(z > 0, 1.0, np.where(z < 0, 0.0, 0.5))
    of_absolute = np.where(z >= 0, 1.0, -1.0)
    e = np.exp(-np.abs(z))
    return of_maximum - of_absolute * e / (1 + e)


def hardsigmoid(x):
    return np.clip(x + 3, 0, 6) / 6


def hardsigmoid_slope(x):
    return ((x > -3) & (x < 3)) / 6


def polynomial(x):
    return sum(c * x**k for k, c in enumerate((3.0, -2.0, 0.5)))


def remainder_slopes(x, y):
    """Whole quotients from the remainder itself: a rounded quotient may be the next one."""
    return 1.0 + 0 * x, (np.fmod(x, y) - x) / y


FAULTS = [
    Fault(
        name="Bernoulli log-probability above the cutoff",
        source="https://github.com/stan-dev/math/pull/3370",
        what="Beyond 20 the slope is given as that of the value, -exp(-x), with the wrong sign.",
        function=bernoulli_logit,
        wrong=bernoulli_logit_slope_without_sign,
        right=lambda x: special.expit(-x),
        over=[-60, 60],
        at=(25.0,),
    ),
    Fault(
        name="negative binomial above the cutoff",
        source="https://github.com/stan-dev/math/issues/1578",
        what="For a large shape the Poisson limit stands in, whose derivatives are others.",
        function=negative_binomial,
        wrong=negative_binomial_as_poisson,
        right=negative_binomial_slopes,
        over=(positive(upper=1e12), [0.1, 10]),
        at=((1e10 + 1, 0.75),),
        long=True,
    ),
    Fault(
        name="softplus taken for linear",
        source="https://github.com/mlpack/mlpack/pull/2371",
        what="Beyond 20 the function is taken for x, and its slope for 1.",
        function=lambda x: np.logaddexp(0, x),
        wrong=lambda x: np.where(x > 20, 1.0, special.expit(x)),
        right=special.expit,
        over=[-60, 60],
        at=(20.5,),
    ),
    Fault(
        name="log-sigmoid at 0",
        source="https://github.com/jax-ml/jax/issues/2140",
        what="A smooth function is composed of max and abs, whose conventions at 0 do not fit.",
        function=bernoulli_logit,
        wrong=log_sigmoid_slope_by_pieces,
        right=lambda x: special.expit(-x),
        over=[-5, 5],
        at=(0.0,),
    ),
    Fault(
        name="arcsinh at 0",
        source="https://github.com/tinygrad/tinygrad/pull/17758",
        what="Written as sign(x) f(|x|), the slope has the factor sign(x)², which is 0 at 0.",
        function=np.arcsinh,
        wrong=lambda x: np.sign(x) * np.sign(x) / np.sqrt(x * x + 1),
        right=lambda x: 1 / np.sqrt(x * x + 1),
        over=[-10, 10],
        at=(0.0,),
    ),
    Fault(
        name="hardsigmoid below -3",
        source="https://github.com/pytorch/pytorch/issues/51408",
        what="The lower bound is not looked at: the slope is 1/6 where the function is 0.",
        function=hardsigmoid,
        wrong=lambda x: (x < 3) / 6,
        right=hardsigmoid_slope,
        over=[-6, 6],
        at=(-4.0,),
    ),
    Fault(
        name="xlog1py where x is 0",
        source="https://github.com/tensorflow/tensorflow/issues/56873",
        what="The mask that protects the value at x = 0 is put on the slope by x as well.",
        function=special.xlog1py,
        wrong=lambda x, y: (np.where(x == 0, 0.0, np.log1p(y)), x / (1 + y)),
        right=lambda x, y: (np.log1p(y), x / (1 + y)),
        over=([-2, 2], [-0.5, 5]),
        at=((0.0, 1.0),),
    ),
    Fault(
        name="xlogy where x is 0",
        source="https://github.com/pytorch/pytorch/issues/80770",
        what="At x = 0 the slope by x is taken for 0; it is log y.",
        function=special.xlogy,
        wrong=lambda x, y: (np.where(x == 0, 0.0, np.log(y)), x / y),
        right=lambda x, y: (np.log(y), x / y),
        over=([-2, 2], [0.25, 5]),
        at=((0.0, 2.0),),
    ),
    Fault(
        name="remainder of negative numbers",
        source="https://github.com/jax-ml/jax/issues/11466",
        what="The quotient is rounded down, and not towards 0 as the remainder itself does it.",
        function=np.fmod,
        wrong=lambda x, y: (1.0 + 0 * x, -np.floor(x / y)),
        right=remainder_slopes,
        over=([-20, 20], [0.5, 5]),
        at=((-19.0, 3.0),),
        long=True,
    ),
    Fault(
        name="remainder without its divisor",
        source="https://github.com/shader-slang/slang/issues/10071",
        what="The slope by the divisor is always 0.",
        function=np.fmod,
        wrong=lambda x, y: (1.0 + 0 * x, 0 * y),
        right=remainder_slopes,
        over=([-20, 20], [0.5, 5]),
        at=((5.5, 2.0),),
        long=True,
    ),
    Fault(
        name="power zero of zero",
        source="https://github.com/RobotLocomotion/drake/pull/23862",
        what="The constant term x⁰ of a polynomial gets the slope 0 · 0⁻¹, which is NaN.",
        function=polynomial,
        wrong=lambda x: sum(k * c * x ** (k - 1.0) for k, c in enumerate((3.0, -2.0, 0.5))),
        right=lambda x: -2.0 + x,
        over=[-5, 5],
        at=(0.0,),
    ),
    Fault(
        name="power of a negative base",
        source="https://github.com/tenstorrent/tt-metal/pull/54440",
        what="The power goes through a logarithm, and infinity is put where that is undefined.",
        function=lambda x: x**3,
        wrong=lambda x: np.where(x > 0, 3 * np.exp(2 * np.log(np.abs(x))), np.inf),
        right=lambda x: 3 * x * x,
        over=[-5, 5],
        at=(-2.0,),
    ),
]
