"""Readings: activation functions and losses, and cotangents of theirs that torch keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.frontends.aten.constants import root, root_of_two_over_pi
from symtape.frontends.aten.table import elementwise, reads, refuse
from symtape.primitives.special.gaussian import NORMAL_DENSITY

refuse(
    "what torch makes of it counts labels that are padding, too; the operation does not",
    "multilabel_margin_loss_forward",
)

_MEAN, _SUM = 1, 2


def _reduce_loss(loss: Any, reduction: int) -> Any:
    """All losses, their mean or their sum."""
    if reduction == _MEAN:
        return np.mean(loss)
    return np.sum(loss) if reduction == _SUM else loss


def _share(g: Any, x: Any, reduction: int) -> Any:
    """What of a cotangent each loss gets."""
    return g / max(np.size(x), 1) if reduction == _MEAN else g


@reads("mse_loss_backward", promotes=True)
def mse_backward(g: Any, x: Any, target: Any, reduction: int) -> Any:
    """Twice the difference."""
    return _share(2 * g, x, reduction) * (x - target)


@reads("smooth_l1_loss_backward", promotes=True)
def smooth_l1_backward(g: Any, x: Any, target: Any, reduction: int, beta: float) -> Any:
    """The difference, cut off."""
    apart, g = x - target, _share(g, x, reduction)
    if beta == 0:
        return np.sign(apart) * g
    return np.where(apart <= -beta, -g, np.where(apart >= beta, g, apart * g / beta))


@reads("huber_loss_backward", promotes=True)
def huber_backward(g: Any, x: Any, target: Any, reduction: int, delta: float) -> Any:
    """The difference, cut off."""
    apart, g = x - target, _share(g, x, reduction)
    return np.where(apart <= -delta, -delta * g, np.where(apart >= delta, delta * g, apart * g))


@reads("soft_margin_loss", promotes=True)
def soft_margin(x: Any, target: Any, reduction: int = _MEAN) -> Any:
    """``log(1 + exp(-target x))``."""
    return _reduce_loss(np.logaddexp(-target * x, 0), reduction)


elementwise(
    {
        "relu": lambda x: np.maximum(x, 0),
        "leaky_relu": lambda x, negative_slope=0.01: np.where(x > 0, x, x * negative_slope),
        "hardtanh": lambda x, min_val=-1, max_val=1: np.minimum(np.maximum(x, min_val), max_val),
    }
)


@reads("elu", promotes=True)
def elu(x: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    """``x`` above 0, an exponential that ends in ``-alpha`` below."""
    below = scale * alpha * np.expm1(np.minimum(x, 0) * input_scale)
    return np.where(x > 0, x * scale, below)


@reads("hardshrink", promotes=True)
def hardshrink(x: Any, lambd: float = 0.5) -> Any:
    """`x`, or 0 where it is small."""
    return np.where((x >= -lambd) & (x <= lambd), np.zeros((), x.dtype), x)


@reads("softshrink", promotes=True)
def softshrink(x: Any, lambd: float = 0.5) -> Any:
    """`x`, nearer to 0."""
    return np.maximum(x - lambd, 0) + np.minimum(x + lambd, 0)


@reads("softplus", promotes=True)
def softplus(x: Any, beta: float = 1, threshold: float = 20) -> Any:
    """``log(1 + exp(beta x)) / beta``, and `x` itself where ``beta x`` is above the threshold."""
    if beta == 1:
        return np.where(x > threshold, x, np.logaddexp(x, 0))
    scaled = x * beta
    return np.where(scaled > threshold, x, np.logaddexp(scaled, 0) / beta)


@reads("gelu", promotes=True)
def gelu(x: Any, approximate: str = "none") -> Any:
    """`x` times the normal distribution function, or what is near to it."""
    if approximate == "tanh":
        inner = root_of_two_over_pi(x) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1 + np.tanh(inner))
    return x * 0.5 * (1 + special.erf(x / root(2, x)))


@reads("hardsigmoid_backward", promotes=True)
def hardsigmoid_backward(g: Any, x: Any) -> Any:
    """A sixth of `g` strictly between -3 and 3."""
    return np.where((x > -3) & (x < 3), g / 6, np.zeros((), g.dtype))


@reads("hardshrink_backward", "softshrink_backward", promotes=True)
def shrink_backward(g: Any, x: Any, lambd: float) -> Any:
    """`g` outside of the bounds."""
    return np.where((x >= -lambd) & (x <= lambd), np.zeros((), g.dtype), g)


@reads("gelu_backward", promotes=True)
def gelu_backward(g: Any, x: Any, approximate: str = "none") -> Any:
    """The distribution function plus `x` times the density; or of what is near to it."""
    if approximate == "tanh":
        factor = root_of_two_over_pi(x)
        inner = np.tanh(factor * (x + 0.044715 * (x * x * x)))
        slope = factor * (1 + 3 * (0.044715 * (x * x)))
        left = 0.5 * (1 + inner)
        return g * (left + 0.5 * x * ((1 - inner * inner) * slope))
    return g * (0.5 * (1 + special.erf(x / root(2, x))) + x * NORMAL_DENSITY(x))
