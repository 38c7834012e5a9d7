"""Readings: normalisation by layer, batch, group and root mean square, and their cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads

__all__: list[str] = []


def _statistics(x: Any, axes: tuple[int, ...], eps: float) -> tuple[Any, Any]:
    """Mean, and the reciprocal of the deviation, over axes that are kept."""
    mean = np.mean(x, axis=axes, keepdims=True)
    return mean, 1 / np.sqrt(np.var(x, axis=axes, keepdims=True) + eps)


def _scaled(x: Any, weight: Any, bias: Any) -> Any:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _by_input(g: Any, normal: Any, rstd: Any, axes: tuple[int, ...]) -> Any:
    """The cotangent of what was normalised, from that of the normalised."""
    along = np.mean(g * normal, axis=axes, keepdims=True)
    return (g - np.mean(g, axis=axes, keepdims=True) - normal * along) * rstd


def _last(x: Any, count: int) -> tuple[int, ...]:
    return tuple(range(np.ndim(x) - count, np.ndim(x)))


@reads("native_layer_norm")
def layer_norm(x: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    """Normalised over the last axes, with mean and reciprocal deviation."""
    mean, rstd = _statistics(x, _last(x, len(normalized_shape)), eps)
    return _scaled((x - mean) * rstd, weight, bias), mean, rstd


@reads("native_layer_norm_backward")
def layer_norm_backward(
    g: Any,
    x: Any,
    normalized_shape: Any,
    mean: Any,
    rstd: Any,
    weight: Any,
    bias: Any,
    output_mask: Any,
) -> Any:
    """The cotangents of input, weight and bias."""
    inner = _last(x, len(normalized_shape))
    outer = tuple(range(np.ndim(x) - len(inner)))
    normal = (x - mean) * rstd
    by_x = _by_input(g if weight is None else g * weight, normal, rstd, inner)
    return _asked(
        output_mask,
        lambda: by_x,
        lambda: np.sum(g * normal, axis=outer) if outer else g * normal,
        lambda: np.sum(g, axis=outer) if outer else g,
    )


def _asked(mask: Any, *parts: Any) -> tuple[Any, ...]:
    return tuple(part() if wanted else None for wanted, part in zip(mask, parts, strict=True))


@reads("_fused_rms_norm")
def rms_norm(x: Any, normalized_shape: Any, weight: Any, eps: float | None) -> Any:
    """Divided by the root of the mean square of the last axes."""
    axes = _last(x, len(normalized_shape))
    eps = float(np.finfo(x.dtype).eps) if eps is None else eps
    rstd = 1 / np.sqrt(np.mean(np.square(x), axis=axes, keepdims=True) + eps)
    return _scaled(x * rstd, weight, None), rstd


@reads("_fused_rms_norm_backward")
def rms_norm_backward(
    g: Any, x: Any, normalized_shape: Any, rstd: Any, weight: Any, output_mask: Any
) -> Any:
    """The cotangents of input and weight."""
    inner = _last(x, len(normalized_shape))
    outer = tuple(range(np.ndim(x) - len(inner)))
    normal, inside = x * rstd, g if weight is None else g * weight
    along = np.mean(inside * normal, axis=inner, keepdims=True)
    return _asked(
        output_mask,
        lambda: (inside - normal * along) * rstd,
        lambda: np.sum(g * normal, axis=outer),
    )


def _channels(x: Any, like: Any) -> Any:
    """One number a channel, beside an array whose second axis is that of the channels."""
    return None if x is None else np.reshape(x, (-1, *(1,) * (np.ndim(like) - 2)))


def _but_channels(x: Any) -> tuple[int, ...]:
    return (0, *range(2, np.ndim(x)))


@reads("_native_batch_norm_legit", "native_batch_norm")
def batch_norm(
    x: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    """Normalised over everything but channels; by running statistics when not training."""
    if not training:
        return _by_running(x, weight, bias, running_mean, running_var, eps)
    mean, rstd = _statistics(x, _but_channels(x), eps)
    y = _scaled((x - mean) * rstd, _channels(weight, x), _channels(bias, x))
    return y, np.ravel(mean), np.ravel(rstd)


@reads("_native_batch_norm_legit.no_stats")
def batch_norm_without_statistics(
    x: Any, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> Any:
    """The same of what keeps no running statistics."""
    return batch_norm(x, weight, bias, None, None, True, momentum, eps)


@reads("_native_batch_norm_legit_no_training")
def batch_norm_by_running(
    x: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, momentum: float, eps: float
) -> Any:
    """The same by running statistics."""
    return _by_running(x, weight, bias, running_mean, running_var, eps)


def _by_running(x: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: float) -> Any:
    rstd = 1 / np.sqrt(_channels(var, x) + eps)
    y = _scaled((x - _channels(mean, x)) * rstd, _channels(weight, x), _channels(bias, x))
    return y, np.zeros(0, x.dtype), np.zeros(0, x.dtype)


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
    return _asked(
        output_mask,
        lambda: _by_input(inside, normal, rstd, axes) if train else inside * rstd,
        lambda: np.sum(g * normal, axis=axes),
        lambda: np.sum(g, axis=axes),
    )


def _split(x: Any, size: int, groups: int) -> Any:
    return np.reshape(x, (size, groups, -1))


@reads("native_group_norm")
def group_norm(
    x: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> Any:
    """Normalised over groups of channels."""
    inside = _split(x, N, group)
    mean, rstd = _statistics(inside, (2,), eps)
    normal = np.reshape((inside - mean) * rstd, np.shape(x))
    y = _scaled(normal, _channels(weight, x), _channels(bias, x))
    return y, mean[..., 0], rstd[..., 0]


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
    return _asked(
        output_mask,
        lambda: np.reshape(_by_input(_split(inside, N, group), normal, rstd, (2,)), np.shape(x)),
        lambda: np.sum(g * whole, axis=axes),
        lambda: np.sum(g, axis=axes),
    )
