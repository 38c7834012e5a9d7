"""Readings: losses, and their cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads, refuse

__all__: list[str] = []

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
