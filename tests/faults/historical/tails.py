"""Derivatives that vanish, overflow or lose their digits far out, or close to a removable pole."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from tests.faults.historical.fault import Fault

__all__ = ["FAULTS"]


def sigmoid_by_exponentials(x):
    e = np.exp(-x)
    return e / (1 + e) ** 2


def softplus_by_exponentials(x):
    e = np.exp(x)
    return e * (1 / (1 + e))


def tanh_as_a_quotient(x):
    s, c = np.sinh(x), np.cosh(x)
    return (c * c - s * s) / c**2


SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def selu(x):
    return SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(np.minimum(x, 0)))


def selu_slope_from_expm1(x):
    return SELU_SCALE * np.where(x > 0, 1.0, SELU_ALPHA * (np.expm1(np.minimum(x, 0)) + 1))


def selu_slope(x):
    return SELU_SCALE * np.where(x > 0, 1.0, SELU_ALPHA * np.exp(np.minimum(x, 0)))


def i0_slope_by_product_rule(x):
    scaled, sign = special.i0e(x), np.sign(x)
    slope_of_scaled = special.i1e(x) - sign * scaled
    return np.exp(np.abs(x)) * (sign * scaled + slope_of_scaled)


def sinc_slope_by_difference(x):
    z = np.pi * x
    return (np.cos(z) - np.sin(z) / z) / x


def sinc_slope(x):
    """In Python's own floats: the series where the closed form cancels."""
    z = math.pi * float(x)
    if abs(z) > 1:
        return math.pi * (math.cos(z) - math.sin(z) / z) / z
    terms = [(-1) ** k * 2 * k * z ** (2 * k - 1) / math.factorial(2 * k + 1) for k in range(1, 14)]
    return math.pi * math.fsum(terms)


def log_ndtr_slope_by_quotient(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi) / special.ndtr(x)


FAULTS = [
    Fault(
        name="expm1 from its value",
        source="https://github.com/jax-ml/jax/issues/39794",
        what="The slope is computed as value + 1, which is 0 once the value rounds to -1.",
        function=np.expm1,
        wrong=lambda x: np.expm1(x) + 1,
        right=np.exp,
        over=[-60, 60],
        at=(-40.0,),
    ),
    Fault(
        name="sigmoid from its value",
        source="https://github.com/jax-ml/jax/issues/40385",
        what="y (1 - y) is 0 once y rounds to 1; on the other side all is well.",
        function=special.expit,
        wrong=lambda x: special.expit(x) * (1 - special.expit(x)),
        right=lambda x: special.expit(x) * special.expit(-x),
        over=[-60, 60],
        at=(40.0,),
    ),
    Fault(
        name="tanh from its value",
        source="https://github.com/HIPS/autograd/pull/319",
        what="1 - y² took the place of 1/cosh², for speed, and is 0 from x = 19 on.",
        function=np.tanh,
        wrong=lambda x: 1 - np.tanh(x) ** 2,
        right=lambda x: 1 / np.cosh(x) ** 2,
        over=[-60, 60],
        at=(19.5,),
    ),
    Fault(
        name="tanh as sinh / cosh",
        source="https://github.com/kmolan/multicalc-rust/pull/234",
        what="Both hyperbolic functions overflow, and the quotient rule makes NaN of that.",
        function=np.tanh,
        wrong=tanh_as_a_quotient,
        right=lambda x: 1 / np.cosh(x) ** 2,
        over=[-800, 800],
        at=(800.0,),
    ),
    Fault(
        name="second derivative of tanh near 0",
        source="https://github.com/jax-ml/jax/issues/39801",
        what="The slope (1 + y)(1 - y) is differentiated as a product, whose halves cancel.",
        function=np.tanh,
        wrong=lambda x: (1 - np.tanh(x) ** 2) * ((1 - np.tanh(x)) - (1 + np.tanh(x))),
        right=lambda x: -2 * np.tanh(x) / np.cosh(x) ** 2,
        over=[-1, 1],
        at=(1e-300,),
        quantity="hessian",
    ),
    Fault(
        name="sigmoid by exponentials",
        source="https://github.com/jeshraghian/snntorch/pull/433",
        what="exp(-x) overflows for negative x, and infinity by infinity is NaN.",
        function=special.expit,
        wrong=sigmoid_by_exponentials,
        right=lambda x: special.expit(x) * special.expit(-x),
        over=[-800, 800],
        at=(-500.0,),
    ),
    Fault(
        name="softplus by exponentials",
        source="https://github.com/tenstorrent/tt-metal/pull/56397",
        what="exp(x) overflows, and the reciprocal of it takes all of the gradient away.",
        function=lambda x: np.logaddexp(0, x),
        wrong=softplus_by_exponentials,
        right=special.expit,
        over=[-800, 800],
        at=(750.0,),
    ),
    Fault(
        name="selu from its value",
        source="https://github.com/jax-ml/jax/issues/39796",
        what="On the negative side the slope goes through expm1(x) + 1, and is 0 from -37 on.",
        function=selu,
        wrong=selu_slope_from_expm1,
        right=selu_slope,
        over=[-700, 700],
        at=(-700.0,),
        long=True,
    ),
    Fault(
        name="i0 as a product with its scaled form",
        source="https://github.com/jax-ml/jax/issues/39797",
        what="The two terms of the product rule are 1 and -1 near 0, where the slope is x/2.",
        function=special.i0,
        wrong=i0_slope_by_product_rule,
        right=special.i1,
        over=[-30, 30],
        at=(1e-300,),
    ),
    Fault(
        name="sinc near 0",
        source="https://github.com/jax-ml/jax/pull/35305",
        what="cos z and sin z / z agree in all their digits where z is small.",
        function=np.sinc,
        wrong=sinc_slope_by_difference,
        right=sinc_slope,
        over=[1e-9, 4.0],
        at=(1e-6,),
    ),
    Fault(
        name="log of the normal distribution function",
        source="https://github.com/chainer/chainer/pull/6340",
        what="Density and distribution function both underflow, and their quotient is NaN.",
        function=special.log_ndtr,
        wrong=log_ndtr_slope_by_quotient,
        right=lambda x: np.sqrt(2 / np.pi) / special.erfcx(-x / np.sqrt(2)),
        over=[-60, 10],
        at=(-40.0,),
        long=True,
    ),
]
