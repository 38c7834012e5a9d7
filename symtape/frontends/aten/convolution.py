"""Readings: convolutions, as windows of the input contracted with the weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.placing import spread
from symtape.frontends.aten.table import reads

__all__ = ["cropped", "padded", "window_places"]

_SPACE = "abcdefgh"


def window_places(
    sizes: Any, kernel: Any, stride: Any, dilation: Any, counts: Any = None
) -> tuple[Any, ...]:
    """For each axis an index that picks windows: window, place in it, for one axis after another.

    Parameters
    ----------
    sizes : sequence of int
        Of the padded input.
    counts : sequence of int, optional
        Of windows; all that fit by default.
    """
    rank = len(sizes)
    places = []
    for axis, (size, width, step, spacing) in enumerate(
        zip(sizes, kernel, stride, dilation, strict=True)
    ):
        count = (size - spacing * (width - 1) - 1) // step + 1 if counts is None else counts[axis]
        at = np.arange(count)[:, None] * step + np.arange(width)[None, :] * spacing
        shape = (1, 1) * axis + (count, width) + (1, 1) * (rank - axis - 1)
        places.append(at.reshape(shape))
    return tuple(places)


def padded(x: Any, widths: Any, value: float = 0) -> Any:
    """`x` with its last axes widened on both sides, by pairs or by the same number."""
    pairs = [(w, w) if isinstance(w, int) else tuple(w) for w in widths]
    if not any(w for pair in pairs for w in pair):
        return x
    still = [(0, 0)] * (np.ndim(x) - len(pairs))
    return np.pad(x, [*still, *pairs], constant_values=value)


def cropped(x: Any, before: Any, sizes: Any) -> Any:
    """The part of the last axes that begins at `before` and has `sizes`."""
    ends = [slice(b, b + n) for b, n in zip(before, sizes, strict=True)]
    return x[(Ellipsis, *ends)]


def _letters(rank: int) -> tuple[str, str, str]:
    """Of windows, of places in them, and of both in turns."""
    out, inside = _SPACE[:rank], "pqrstuvw"[:rank]
    return out, inside, "".join(a + b for a, b in zip(out, inside, strict=True))


def _grouped(x: Any, groups: int, axis: int) -> Any:
    shape = np.shape(x)
    return np.reshape(x, (*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :]))


def _plain(x: Any, weight: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """``y[n, m, a] = sum x[n, c, a*stride + p*dilation] weight[m, c, p]``."""
    rank = np.ndim(x) - 2
    x = padded(x, padding)
    places = window_places(np.shape(x)[2:], np.shape(weight)[2:], stride, dilation)
    out, inside, both = _letters(rank)
    windows = _grouped(x[(slice(None), slice(None), *places)], groups, 1)
    rule = f"ngc{both},gmc{inside}->ngm{out}"
    y = np.einsum(rule, windows, _grouped(weight, groups, 0))
    shape = np.shape(y)
    return np.reshape(y, (shape[0], shape[1] * shape[2], *shape[3:]))


def _back(
    g: Any, weight: Any, sizes: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """What :func:`_plain` does to cotangents: each goes where its window was."""
    rank = np.ndim(g) - 2
    wide = [n + 2 * p for n, p in zip(sizes, padding, strict=True)]
    counts = np.shape(g)[2:]
    places = window_places(wide, np.shape(weight)[2:], stride, dilation, counts)
    out, inside, both = _letters(rank)
    rule = f"ngm{out},gmc{inside}->ngc{both}"
    windows = np.einsum(rule, _grouped(g, groups, 1), _grouped(weight, groups, 0))
    shape = np.shape(windows)
    channels = shape[1] * shape[2]
    windows = np.reshape(windows, (shape[0], channels, *shape[3:]))
    index = (slice(None), slice(None), *places)
    return cropped(spread(windows, index, (shape[0], channels, *wide)), padding, sizes)


def _by_weight(
    g: Any, x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """The cotangent of the weights: each meets the windows it was contracted with."""
    rank = np.ndim(x) - 2
    x = padded(x, padding)
    places = window_places(np.shape(x)[2:], kernel, stride, dilation, np.shape(g)[2:])
    out, inside, both = _letters(rank)
    windows = _grouped(x[(slice(None), slice(None), *places)], groups, 1)
    weight = np.einsum(f"ngm{out},ngc{both}->gmc{inside}", _grouped(g, groups, 1), windows)
    shape = np.shape(weight)
    return np.reshape(weight, (shape[0] * shape[1], *shape[2:]))


def _biased(y: Any, bias: Any) -> Any:
    return y if bias is None else y + np.reshape(bias, (-1, *(1,) * (np.ndim(y) - 2)))


@reads("convolution")
def convolution(
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool = False,
    output_padding: Any = (0,),
    groups: int = 1,
    *_: Any,
) -> Any:
    """A convolution, or with `transposed` what one does to cotangents."""
    rank = np.ndim(x) - 2
    stride, padding, dilation, more = (
        list(v) * (rank if len(v) == 1 else 1) for v in (stride, padding, dilation, output_padding)
    )
    if not transposed:
        return _biased(_plain(x, weight, stride, padding, dilation, groups), bias)
    sizes = [
        (n - 1) * s - 2 * p + d * (k - 1) + o + 1
        for n, s, p, d, k, o in zip(
            np.shape(x)[2:], stride, padding, dilation, np.shape(weight)[2:], more, strict=True
        )
    ]
    return _biased(_back(x, weight, sizes, stride, padding, dilation, groups), bias)


@reads("convolution_backward")
def convolution_backward(
    g: Any,
    x: Any,
    weight: Any,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    output_mask: Any,
) -> Any:
    """The cotangents of input, weights and bias, of those that are asked for."""
    kernel, sizes = np.shape(weight)[2:], np.shape(x)[2:]
    how = (stride, padding, dilation, groups)
    by_x = by_weight = by_bias = None
    if output_mask[0]:
        by_x = _plain(g, weight, *how) if transposed else _back(g, weight, sizes, *how)
    if output_mask[1]:
        by_weight = _by_weight(x, g, kernel, *how) if transposed else _by_weight(g, x, kernel, *how)
    if output_mask[2]:
        by_bias = np.sum(g, axis=(0, *range(2, np.ndim(g))))
    return by_x, by_weight, by_bias
