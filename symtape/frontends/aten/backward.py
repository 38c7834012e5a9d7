"""Readings: the cotangents of activation functions, as autograd computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.frontends.aten.constants import normal_density, root, root_of_two_over_pi
from symtape.frontends.aten.table import reads

__all__: list[str] = []


def _zero(g: Any) -> Any:
    return np.zeros((), g.dtype)


@reads("tanh_backward", promotes=True)
def tanh_backward(g: Any, y: Any) -> Any:
    """``g (1 - y^2)``."""
    return g * (1 - y * y)


@reads("sigmoid_backward", promotes=True)
def sigmoid_backward(g: Any, y: Any) -> Any:
    """``g (1 - y) y``."""
    return g * (1 - y) * y


@reads("log_sigmoid_backward", promotes=True)
def log_sigmoid_backward(g: Any, x: Any, buffer: Any) -> Any:
    """By ``z = exp(-|x|)``, on the side of 0 where nothing is lost."""
    z = np.exp(-np.absolute(x))
    below = x < 0
    one = np.ones((), g.dtype)
    most, sign = np.where(below, one, _zero(g)), np.where(below, one, -one)
    return g * (most - sign * (z / (1 + z)))


@reads("logit_backward", promotes=True)
def logit_backward(g: Any, x: Any, eps: float | None = None) -> Any:
    """``g / (x (1 - x))``, and 0 outside of the bounds."""
    low, high = (0.0, 1.0) if eps is None else (eps, 1 - eps)
    slope = g / (x * (1 - x))
    outside = np.asarray(np.nan if eps is None else 0.0, g.dtype)
    return np.where((x < low) | (x > high), outside, slope)


@reads("softplus_backward", promotes=True)
def softplus_backward(g: Any, x: Any, beta: float, threshold: float) -> Any:
    """``g z / (1 + z)`` with ``z = exp(beta x)``, and `g` beyond the threshold."""
    z = np.exp(x * beta)
    return np.where(x * beta > threshold, g, g * z / (z + 1))


@reads("threshold_backward", promotes=True)
def threshold_backward(g: Any, x: Any, threshold: float) -> Any:
    """`g` above the threshold."""
    return np.where(x <= threshold, _zero(g), g)


@reads("leaky_relu_backward", promotes=True)
def leaky_relu_backward(g: Any, x: Any, negative_slope: float, self_is_result: bool) -> Any:
    """`g`, or where `x` is negative a part of it."""
    return np.where(x > 0, g, g * negative_slope)


@reads("_prelu_kernel_backward", promotes=True)
def prelu_backward(g: Any, x: Any, weight: Any) -> Any:
    """The cotangents of input and slopes."""
    return np.where(x > 0, g, weight * g), np.where(x > 0, _zero(g), x * g)


@reads("elu_backward", promotes=True)
def elu_backward(
    g: Any, alpha: float, scale: float, input_scale: float, is_result: bool, x: Any
) -> Any:
    """From the input, or from the result."""
    if is_result:
        below = g * input_scale * (x + alpha * scale)
    else:
        below = g * input_scale * alpha * scale * np.exp(np.minimum(x, 0) * input_scale)
    return np.where(x <= 0, below, g * scale)


@reads("hardtanh_backward", promotes=True)
def hardtanh_backward(g: Any, x: Any, min_val: float, max_val: float) -> Any:
    """`g` strictly between the bounds."""
    return np.where((x <= min_val) | (x >= max_val), _zero(g), g)


@reads("hardsigmoid_backward", promotes=True)
def hardsigmoid_backward(g: Any, x: Any) -> Any:
    """A sixth of `g` strictly between -3 and 3."""
    return np.where((x > -3) & (x < 3), g / 6, _zero(g))


@reads("hardswish_backward", promotes=True)
def hardswish_backward(g: Any, x: Any) -> Any:
    """0 below -3, `g` from 3, a straight line between."""
    return np.where(x <= -3, _zero(g), np.where(x < 3, g * (x / 3 + 0.5), g))


@reads("hardshrink_backward", "softshrink_backward", promotes=True)
def shrink_backward(g: Any, x: Any, lambd: float) -> Any:
    """`g` outside of the bounds."""
    return np.where((x >= -lambd) & (x <= lambd), _zero(g), g)


@reads("gelu_backward", promotes=True)
def gelu_backward(g: Any, x: Any, approximate: str = "none") -> Any:
    """The distribution function plus `x` times the density; or of what is near to it."""
    if approximate == "tanh":
        factor = root_of_two_over_pi(x)
        inner = np.tanh(factor * (x + 0.044715 * (x * x * x)))
        slope = factor * (1 + 3 * (0.044715 * (x * x)))
        left = 0.5 * (1 + inner)
        return g * (left + 0.5 * x * ((1 - inner * inner) * slope))
    return g * (0.5 * (1 + special.erf(x / root(2, x))) + x * normal_density(x))


@reads("silu_backward", promotes=True)
def silu_backward(g: Any, x: Any) -> Any:
    """``g s (1 + x (1 - s))``."""
    s = special.expit(x)
    return g * s * (1 + x * (1 - s))


@reads("mish_backward", promotes=True)
def mish_backward(g: Any, x: Any) -> Any:
    """``g (t + x s (1 - t^2))``."""
    s, t = special.expit(x), np.tanh(np.logaddexp(x, 0))
    return g * (t + x * s * (1 - t * t))


@reads("glu_backward")
def glu_backward(g: Any, x: Any, dim: int) -> Any:
    """The cotangents of both halves."""
    first, second = np.split(x, 2, axis=dim)
    s = special.expit(second)
    return np.concatenate([s * g, (1 - s) * s * g * first], axis=dim)


@reads("_softmax_backward_data")
def softmax_backward(g: Any, y: Any, dim: int, input_dtype: Any) -> Any:
    """``y (g - sum(g y))``."""
    return y * (g - np.sum(g * y, axis=dim, keepdims=True)) if np.ndim(y) else g * 0 * y


@reads("_log_softmax_backward_data")
def log_softmax_backward(g: Any, y: Any, dim: int, input_dtype: Any) -> Any:
    """``g - exp(y) sum(g)``."""
    return g - np.exp(y) * np.sum(g, axis=dim, keepdims=True) if np.ndim(y) else g * 0 * y
