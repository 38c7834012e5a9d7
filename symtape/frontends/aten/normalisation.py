"""Readings: normalisation by layer, batch, group and root mean square, and their cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads


def _input_cotangent(g: Any, normal: Any, rstd: Any, axes: tuple[int, ...]) -> Any:
    """The cotangent of what was normalised, from that of the normalised."""
    along = np.mean(g * normal, axis=axes, keepdims=True)
    return (g - np.mean(g, axis=axes, keepdims=True) - normal * along) * rstd


def _requested_parts(mask: Any, *parts: Any) -> tuple[Any, ...]:
    return tuple(part() if wanted else None for wanted, part in zip(mask, parts, strict=True))


def _channels(x: Any, like: Any) -> Any:
    """One number a channel, beside an array whose second axis is that of the channels."""
    return None if x is None else np.reshape(x, (-1, *(1,) * (np.ndim(like) - 2)))


def _but_channels(x: Any) -> tuple[int, ...]:
    return (0, *range(2, np.ndim(x)))


@reads("native_batch_norm_backward")
def batch_norm_backward(
    g: Any,
    x: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
    output_mask: Any,
) -> Any:
    """The cotangents of input, weight and bias."""
    axes = _but_channels(x)
    if train:
        mean, rstd = _channels(save_mean, x), _channels(save_invstd, x)
    else:
        mean, rstd = _channels(running_mean, x), 1 / np.sqrt(_channels(running_var, x) + eps)
    normal = (x - mean) * rstd
    inside = g if weight is None else g * _channels(weight, x)
    return _requested_parts(
        output_mask,
        lambda: _input_cotangent(inside, normal, rstd, axes) if train else inside * rstd,
        lambda: np.sum(g * normal, axis=axes),
        lambda: np.sum(g, axis=axes),
    )


def _split(x: Any, size: int, groups: int) -> Any:
    return np.reshape(x, (size, groups, -1))


@reads("native_group_norm_backward")
def group_norm_backward(
    g: Any,
    x: Any,
    mean: Any,
    rstd: Any,
    weight: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
    output_mask: Any,
) -> Any:
    """The cotangents of input, weight and bias."""
    mean, rstd = np.reshape(mean, (N, group, 1)), np.reshape(rstd, (N, group, 1))
    normal = (_split(x, N, group) - mean) * rstd
    inside = g if weight is None else g * _channels(weight, x)
    axes = _but_channels(x)
    whole = np.reshape(normal, np.shape(x))
    return _requested_parts(
        output_mask,
        lambda: np.reshape(
            _input_cotangent(_split(inside, N, group), normal, rstd, (2,)), np.shape(x)
        ),
        lambda: np.sum(g * whole, axis=axes),
        lambda: np.sum(g, axis=axes),
    )
