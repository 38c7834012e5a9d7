"""Readings: losses, and their cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.frontends.aten.placing import spread
from symtape.frontends.aten.table import reads

__all__: list[str] = []

_MEAN, _SUM = 1, 2


def _reduced(loss: Any, reduction: int) -> Any:
    """All losses, their mean or their sum."""
    if reduction == _MEAN:
        return np.mean(loss)
    return np.sum(loss) if reduction == _SUM else loss


def _share(g: Any, x: Any, reduction: int) -> Any:
    """What of a cotangent each loss gets."""
    return g / max(np.size(x), 1) if reduction == _MEAN else g


@reads("mse_loss", promotes=True)
def mse(x: Any, target: Any, reduction: int = _MEAN) -> Any:
    """Squares of differences."""
    return _reduced(np.square(x - target), reduction)


@reads("mse_loss_backward", promotes=True)
def mse_backward(g: Any, x: Any, target: Any, reduction: int) -> Any:
    """Twice the difference."""
    return _share(2 * g, x, reduction) * (x - target)


@reads("smooth_l1_loss", promotes=True)
def smooth_l1(x: Any, target: Any, reduction: int = _MEAN, beta: float = 1) -> Any:
    """A parabola, and beyond `beta` a straight line."""
    far = np.absolute(x - target)
    if beta == 0:
        return _reduced(far, reduction)
    return _reduced(np.where(far < beta, 0.5 * far * far / beta, far - 0.5 * beta), reduction)


@reads("smooth_l1_loss_backward", promotes=True)
def smooth_l1_backward(g: Any, x: Any, target: Any, reduction: int, beta: float) -> Any:
    """The difference, cut off."""
    apart, g = x - target, _share(g, x, reduction)
    if beta == 0:
        return np.sign(apart) * g
    return np.where(apart <= -beta, -g, np.where(apart >= beta, g, apart * g / beta))


@reads("huber_loss", promotes=True)
def huber(x: Any, target: Any, reduction: int = _MEAN, delta: float = 1) -> Any:
    """The same on another scale."""
    far = np.absolute(x - target)
    return _reduced(np.where(far <= delta, 0.5 * far * far, delta * (far - 0.5 * delta)), reduction)


@reads("huber_loss_backward", promotes=True)
def huber_backward(g: Any, x: Any, target: Any, reduction: int, delta: float) -> Any:
    """The difference, cut off."""
    apart, g = x - target, _share(g, x, reduction)
    return np.where(apart <= -delta, -delta * g, np.where(apart >= delta, delta * g, apart * g))


def _log_or_floor(x: Any) -> Any:
    """The logarithm, and -100 where it is less."""
    return np.maximum(np.log(x), -100)


@reads("binary_cross_entropy")
def binary_cross_entropy(x: Any, target: Any, weight: Any = None, reduction: int = _MEAN) -> Any:
    """The cross entropy of shares; logarithms end at -100."""
    loss = (target - 1) * np.maximum(np.log1p(-x), -100) - target * _log_or_floor(x)
    return _reduced(loss if weight is None else loss * weight, reduction)


@reads("binary_cross_entropy_backward")
def binary_cross_entropy_backward(
    g: Any, x: Any, target: Any, weight: Any = None, reduction: int = _MEAN
) -> Any:
    """The slope, whose denominator ends at 1e-12."""
    slope = g * (x - target) / np.maximum((1 - x) * x, 1e-12)
    return _share(slope if weight is None else slope * weight, x, reduction)


@reads("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    x: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = _MEAN
) -> Any:
    """The cross entropy of the logistic function."""
    below = special.log_expit(x)
    if pos_weight is not None:
        below = (1 + (pos_weight - 1) * target) * below
    loss = (1 - target) * x - below
    if pos_weight is not None:
        loss = (1 - target) * (x - special.log_expit(x)) - target * pos_weight * special.log_expit(
            x
        )
    return _reduced(loss if weight is None else loss * weight, reduction)


@reads("soft_margin_loss", promotes=True)
def soft_margin(x: Any, target: Any, reduction: int = _MEAN) -> Any:
    """``log(1 + exp(-target x))``."""
    return _reduced(np.logaddexp(-target * x, 0), reduction)


@reads("soft_margin_loss_backward", promotes=True)
def soft_margin_backward(g: Any, x: Any, target: Any, reduction: int) -> Any:
    """The slope."""
    z = np.exp(-target * x)
    return _share(-target * z / (1 + z) * g, x, reduction)


def _classes(x: Any, target: Any, ignore_index: int) -> tuple[Any, Any, Any]:
    """The index of the class of each sample, and which samples count."""
    target = np.asarray(target)
    counts = target != ignore_index
    safe = np.where(counts, target, 0)
    if np.ndim(x) == 1:
        return (np.reshape(safe, ()),), counts, safe
    axes = np.indices(np.shape(target))
    return (axes[0], safe, *axes[1:]), counts, safe


def _weights(x: Any, weight: Any, counts: Any, safe: Any) -> Any:
    each = np.ones(np.shape(safe), x.dtype) if weight is None else weight[safe]
    return each * counts.astype(x.dtype)


@reads("nll_loss_forward", "nll_loss2d_forward")
def nll_loss(x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    """Minus the entry of the class of each sample, and the sum of their weights."""
    at, counts, safe = _classes(x, target, ignore_index)
    each = _weights(x, weight, counts, safe)
    picked = np.reshape(x[at], np.shape(safe))
    loss, total = -picked * each, np.sum(each)
    if reduction == _MEAN:
        return np.sum(loss) / total, total
    return (np.sum(loss) if reduction == _SUM else loss), total


@reads("nll_loss_backward", "nll_loss2d_backward")
def nll_loss_backward(
    g: Any, x: Any, target: Any, weight: Any, reduction: int, ignore_index: int, total_weight: Any
) -> Any:
    """Minus the weight, at the class of each sample."""
    at, counts, safe = _classes(x, target, ignore_index)
    each = _weights(x, weight, counts, safe)
    g = g / total_weight if reduction == _MEAN else g
    values = np.broadcast_to(-g * each, np.shape(safe))
    if np.ndim(x) == 1:
        return spread(np.reshape(values, (1,)), (np.reshape(safe, (1,)),), np.shape(x))
    return spread(values, at, np.shape(x))
