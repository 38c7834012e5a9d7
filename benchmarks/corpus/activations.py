"""Activation functions, and their derivatives in the several ways that layers write them."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erf, expit, log_expit, ndtr

from benchmarks.corpus.registry import Group
from verify import box

ACTIVATIONS = Group("activations")

ROOT_2PI = math.sqrt(2 * math.pi)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def stable_sigmoid(x):
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    e = math.exp(x)
    return e / (1 + e)


def sigmoid_from_output(x):
    y = sigmoid(x)
    return y * (1 - y)


def sigmoid_quotient(x):
    e = np.exp(-x)
    return e / (1 + e) ** 2


def tanh_from_output(x):
    y = np.tanh(x)
    return 1.0 - y * y


def tanh_by_exponentials(x):
    e = np.exp(2 * x)
    return 4 * e / (e + 1) ** 2


def softplus_naive(x):
    return np.log(1 + np.exp(x))


def softplus_stable(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def silu(x):
    return x * sigmoid(x)


def silu_as_swish(x):
    y = silu(x)
    return y + sigmoid(x) * (1 - y)


def silu_product_rule(x):
    s = sigmoid(x)
    return s + x * s * (1 - s)


def silu_common_denominator(x):
    e = np.exp(-x)
    return (1 + e + x * e) / (1 + e) ** 2


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def gelu_by_normal(x):
    return ndtr(x) + x * np.exp(-x * x / 2) / ROOT_2PI


def gelu_by_erf(x):
    return 0.5 * (1 + erf(x / np.sqrt(2))) + x * np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi)


def gelu_digits(x):
    return 0.5 * (1 + erf(x * 0.7071067811865476)) + 0.3989422804014327 * x * np.exp(-0.5 * x * x)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu_tanh_slope(x):
    c = np.sqrt(2 / np.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * c * (1 + 3 * 0.044715 * x**2)


def gelu_tanh_digits(x):
    t = np.tanh(0.0356774081363001 * x**3 + 0.797884560802865 * x)
    inner = 0.1070322244089 * x**2 + 0.797884560802865
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner


def elu(x):
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def elu_expm1(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def elu_from_output(x):
    y = elu(x)
    return np.where(x > 0, 1.0, y + 1)


SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772


def selu(x):
    return SCALE * np.where(x > 0, x, ALPHA * np.expm1(np.minimum(x, 0)))


def selu_slope(x):
    return np.where(x > 0, SCALE, SCALE * ALPHA * np.exp(np.minimum(x, 0)))


def selu_merged(x):
    return np.where(x > 0, 1.0507009873554805, 1.7580993408473766 * np.exp(np.minimum(x, 0)))


def mish(x):
    return x * np.tanh(np.log1p(np.exp(x)))


def mish_chain(x):
    t = np.tanh(np.log1p(np.exp(x)))
    return t + x * (1 - t**2) * sigmoid(x)


def mish_paper(x):
    e = np.exp(x)
    omega = 4 * (x + 1) + 4 * e**2 + e**3 + e * (4 * x + 6)
    delta = 2 * e + e**2 + 2
    return e * omega / delta**2


def softsign(x):
    return x / (1 + np.abs(x))


def hard_sigmoid(x):
    return np.clip(0.2 * x + 0.5, 0, 1)


def hard_swish(x):
    return x * np.clip(x + 3, 0, 6) / 6


def hard_swish_slope(x):
    return np.where(x < -3, 0.0, np.where(x > 3, 1.0, (2 * x + 3) / 6))


def leaky(x):
    return np.where(x > 0, x, 0.01 * x)


def leaky_by_mask(x):
    g = np.ones_like(x)
    g[x <= 0] = 0.01
    return g


def relu_by_mask(x):
    g = np.zeros_like(x)
    g[x > 0] = 1
    return g


def celu(x):
    return np.maximum(x, 0) + np.minimum(0, 1.5 * np.expm1(np.minimum(x, 0) / 1.5))


def _summed(f):
    return lambda x: np.sum(f(x))


SCALARS = {
    "sigmoid, from its output": (sigmoid, sigmoid_from_output),
    "sigmoid, quotient rule": (sigmoid, sigmoid_quotient),
    "sigmoid, two calls": (sigmoid, lambda x: sigmoid(x) * sigmoid(-x)),
    "sigmoid, cosh": (sigmoid, lambda x: 0.25 / np.cosh(x / 2) ** 2),
    "sigmoid, logaddexp": (sigmoid, lambda x: np.exp(-x - 2 * np.logaddexp(0, -x))),
    "stable sigmoid": (stable_sigmoid, lambda x: stable_sigmoid(x) * (1 - stable_sigmoid(x))),
    "expit": (expit, lambda x: expit(x) * (1 - expit(x))),
    "expit, both tails": (expit, lambda x: expit(x) * expit(-x)),
    "log expit": (log_expit, lambda x: 1 - expit(x)),
    "log expit, other tail": (log_expit, lambda x: expit(-x)),
    "log sigmoid, naive": (lambda x: np.log(sigmoid(x)), lambda x: 1 - sigmoid(x)),
    "tanh, from its output": (np.tanh, tanh_from_output),
    "tanh, cosh": (np.tanh, lambda x: 1 / np.cosh(x) ** 2),
    "tanh, exponentials": (np.tanh, tanh_by_exponentials),
    "tanh, factored": (np.tanh, lambda x: (1 - np.tanh(x)) * (1 + np.tanh(x))),
    "scaled tanh": (
        lambda x: 1.7159 * np.tanh(2 / 3 * x),
        lambda x: 1.7159 * 2 / 3 * (1 - np.tanh(2 / 3 * x) ** 2),
    ),
    "scaled tanh, from its output": (
        lambda x: 1.7159 * np.tanh(2 / 3 * x),
        lambda x: (
            (2 / 3)
            / 1.7159
            * (1.7159 - 1.7159 * np.tanh(2 / 3 * x))
            * (1.7159 + 1.7159 * np.tanh(2 / 3 * x))
        ),
    ),
    "softplus, naive": (softplus_naive, lambda x: np.exp(x) / (1 + np.exp(x))),
    "softplus, sigmoid": (softplus_naive, sigmoid),
    "softplus, stable": (softplus_stable, sigmoid),
    "softplus, logaddexp": (lambda x: np.logaddexp(0, x), expit),
    "softplus, from its output": (softplus_naive, lambda x: 1 - np.exp(-softplus_naive(x))),
    "softplus, beta": (lambda x: np.log1p(np.exp(3 * x)) / 3, lambda x: 1 / (1 + np.exp(-3 * x))),
    "silu, product rule": (silu, silu_product_rule),
    "silu, as swish": (silu, silu_as_swish),
    "silu, common denominator": (silu, silu_common_denominator),
    "silu, expanded": (silu, lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x)))),
    "gelu, normal": (gelu, gelu_by_normal),
    "gelu, erf": (gelu, gelu_by_erf),
    "gelu, digits": (gelu, gelu_digits),
    "gelu by tanh": (gelu_tanh, gelu_tanh_slope),
    "elu, from its output": (elu, elu_from_output),
    "elu, exponential": (elu, lambda x: np.where(x > 0, 1.0, np.exp(np.minimum(x, 0)))),
    "elu, expm1": (elu_expm1, lambda x: np.exp(np.minimum(x, 0))),
    "elu, expm1, in Python": (elu_expm1, lambda x: 1.0 if x > 0 else math.exp(x)),
    "selu": (selu, selu_slope),
    "selu, merged constants": (selu, selu_merged),
    "mish, chain rule": (mish, mish_chain),
    "mish, as in the paper": (mish, mish_paper),
    "softsign": (softsign, lambda x: 1 / (1 + np.abs(x)) ** 2),
    "softsign, from its output": (softsign, lambda x: (1 - np.abs(softsign(x))) ** 2),
    "hard sigmoid": (hard_sigmoid, lambda x: np.where(np.abs(x) < 2.5, 0.2, 0.0)),
    "hard sigmoid, by output": (
        hard_sigmoid,
        lambda x: 0.2 * ((hard_sigmoid(x) > 0) & (hard_sigmoid(x) < 1)),
    ),
    "hard swish": (hard_swish, hard_swish_slope),
    "arctan": (np.arctan, lambda x: 1 / (1 + x**2)),
    "inverse square root unit": (
        lambda x: x / np.sqrt(1 + 0.3 * x * x),
        lambda x: (1 + 0.3 * x * x) ** -1.5,
    ),
    "inverse square root unit, cubed": (
        lambda x: x / np.sqrt(1 + 0.3 * x * x),
        lambda x: (1 / np.sqrt(1 + 0.3 * x * x)) ** 3,
    ),
    "Gaussian": (lambda x: np.exp(-(x**2)), lambda x: -2 * x * np.exp(-(x**2))),
    "bent identity": (
        lambda x: (np.sqrt(x**2 + 1) - 1) / 2 + x,
        lambda x: x / (2 * np.sqrt(x**2 + 1)) + 1,
    ),
    "sinusoid": (lambda x: np.sin(30 * x), lambda x: 30 * np.cos(30 * x)),
    "snake": (lambda x: x + np.sin(x) ** 2, lambda x: 1 + np.sin(2 * x)),
    "relu squared": (lambda x: np.maximum(x, 0) ** 2, lambda x: 2 * np.maximum(x, 0)),
    "relu six": (lambda x: np.minimum(np.maximum(x, 0), 6), lambda x: float(0 < x < 6)),
    "hard tanh": (lambda x: np.clip(x, -1, 1), lambda x: float(-1 < x < 1)),
    "celu": (celu, lambda x: np.where(x > 0, 1.0, np.exp(np.minimum(x, 0) / 1.5))),
}

for _name, (_f, _g) in SCALARS.items():
    ACTIVATIONS.add(_name, _f, _g, box(-8, 8))
ACTIVATIONS.add(
    "gelu by tanh, digits", gelu_tanh, gelu_tanh_digits, box(-4, 4), rtol=1e-9, atol=1e-12
)

VECTORS = {
    "relu, mask": (_summed(lambda x: np.maximum(x, 0)), relu_by_mask),
    "relu, comparison": (_summed(lambda x: x * (x > 0)), lambda x: (x > 0).astype(float)),
    "relu, heaviside": (_summed(lambda x: np.maximum(0.0, x)), lambda x: np.heaviside(x, 0.5)),
    "relu, sign": (_summed(lambda x: (x + np.abs(x)) / 2), lambda x: (1 + np.sign(x)) / 2),
    "leaky, mask": (_summed(leaky), leaky_by_mask),
    "leaky, where": (_summed(leaky), lambda x: np.where(x > 0, 1, 0.01)),
    "leaky, maximum": (
        _summed(lambda x: np.maximum(x, 0.1 * x)),
        lambda x: np.where(x > 0, 1.0, 0.1),
    ),
}
for _name, (_f, _g) in VECTORS.items():
    ACTIVATIONS.add(_name, _f, _g, box(-4, 4, shape=(4,)))
