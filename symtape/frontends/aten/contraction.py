"""Readings: products of matrices and vectors, distances, convolutions, and attention.

Convolutions are windows of the input contracted with the weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symtape.frontends.aten.table import WithheldResult, reads
from symtape.frontends.aten.transposing import transpose_linear as transpose_of
from symtape.frontends.windows import convolve, windows
from symtape.scipy import special

reads("mm", "bmm", "mv")(np.matmul)
reads("dot", "vdot")(np.dot)


def _add_scaled(x: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """``beta * x + alpha * product``, where `x` counts for nothing if `beta` is 0."""
    scaled = product if alpha == 1 else alpha * product
    if beta == 0:
        return scaled
    return (x if beta == 1 else beta * x) + scaled


@reads("addmm", "addmv", "baddbmm")
def addmm(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """A product of matrices, added to `x`."""
    return _add_scaled(x, np.matmul(a, b), beta, alpha)


@reads("addbmm")
def addbmm(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """The sum of products of matrices, added to `x`."""
    return _add_scaled(x, np.sum(np.matmul(a, b), axis=0), beta, alpha)


@reads("addr")
def addr(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """An outer product, added to `x`."""
    return _add_scaled(x, np.outer(a, b), beta, alpha)


@reads("_trilinear")
def trilinear(
    a: Any,
    b: Any,
    c: Any,
    expand1: Any,
    expand2: Any,
    expand3: Any,
    sumdim: Any,
    unroll_dim: int = 1,
) -> Any:
    """The sum over axes of the product of three, each with some axes added."""
    a, b, c = (
        np.expand_dims(x, tuple(axes)) for x, axes in ((a, expand1), (b, expand2), (c, expand3))
    )
    return np.sum(a * b * c, axis=tuple(sumdim))


@reads("linalg_cross")
def cross(a: Any, b: Any, *, dim: int = -1) -> Any:
    """As ``np.cross``."""
    return np.cross(a, b, axis=dim)


@reads("_cdist_forward")
def cdist(a: Any, b: Any, p: float, compute_mode: int | None = None) -> Any:
    """Distances of all rows of one matrix from all of another."""
    apart = a[..., :, None, :] - b[..., None, :, :]
    return np.linalg.vector_norm(apart, axis=-1, ord=p)


@reads("_euclidean_dist")
def euclidean_dist(a: Any, b: Any) -> Any:
    """The same, of order 2."""
    return cdist(a, b, 2)


@reads("_cdist_backward")
def cdist_backward(g: Any, a: Any, b: Any, p: float, distances: Any) -> Any:
    """By the first matrix: 0 where two rows are the same."""
    apart = a[..., :, None, :] - b[..., None, :, :]
    far, along = distances[..., None], g[..., None]
    safe = np.where(far == 0, np.ones(np.shape(far), far.dtype), far)
    if p == 2:
        slopes = apart / safe
    elif p == 1:
        slopes = np.sign(apart)
    else:
        raise NotImplementedError(f"distances of order p={p}; those of 1 and 2 are read")
    zero = np.zeros((), far.dtype)
    return np.sum(np.where(far == 0, zero, along * slopes), axis=-2)


def _plain(x: Any, weight: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """``y[n, m, a] = sum x[n, c, a*stride + p*dilation - padding] weight[m, c, p]``."""
    sizes, kernel = np.shape(x)[2:], np.shape(weight)[2:]
    counts = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True)
    ]
    once = (1,) * len(sizes)
    return convolve(
        x, weight, windows(sizes, counts, kernel, stride, padding, once, dilation), groups
    )


def _add_bias(y: Any, bias: Any) -> Any:
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
        return _add_bias(_plain(x, weight, stride, padding, dilation, groups), bias)
    sizes = [
        (n - 1) * s - 2 * p + d * (k - 1) + o + 1
        for n, s, p, d, k, o in zip(
            np.shape(x)[2:], stride, padding, dilation, np.shape(weight)[2:], more, strict=True
        )
    ]
    shape = (np.shape(x)[0], np.shape(weight)[1] * groups, *sizes)
    y = transpose_of(lambda a: _plain(a, weight, stride, padding, dilation, groups), x, shape)
    return _add_bias(y, bias)


@reads("convolution_backward")
def convolution_backward(g: Any, x: Any, weight: Any, bias_sizes: Any, *options: Any) -> Any:
    """The cotangents of input, weights and bias, of those that are asked for."""
    *how, mask = options
    by_x = by_weight = by_bias = None
    if mask[0]:
        by_x = transpose_of(lambda a: convolution(a, weight, None, *how), g, np.shape(x))
    if mask[1]:
        by_weight = transpose_of(lambda a: convolution(x, a, None, *how), g, np.shape(weight))
    if mask[2]:
        by_bias = np.sum(g, axis=(0, *range(2, np.ndim(g))))
    return by_x, by_weight, by_bias


def _scores(q: Any, k: Any, causal: bool, mask: Any, scale: float | None) -> Any:
    """What softmax is taken of."""
    scale = 1 / math.sqrt(np.shape(q)[-1]) if scale is None else scale
    scores = np.matmul(q * scale, np.swapaxes(k, -1, -2))
    if causal:
        hidden = np.triu(np.ones(np.shape(scores)[-2:], bool), 1)
        scores = np.where(hidden, np.asarray(-np.inf, q.dtype), scores)
    return scores if mask is None else scores + mask


@reads("_scaled_dot_product_flash_attention_for_cpu")
def attention(
    q: Any,
    k: Any,
    v: Any,
    dropout_p: float = 0,
    is_causal: bool = False,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> Any:
    """``softmax(q k^T / sqrt(d)) v``, and the logarithms of the sums in it."""
    if dropout_p:
        raise NotImplementedError("it draws random numbers, as dropout_p is not 0")
    shares = special.softmax(_scores(q, k, is_causal, attn_mask, scale), axis=-1)
    return np.matmul(shares, v), WithheldResult("the logarithms of the sums of an attention")


@reads("_scaled_dot_product_flash_attention_for_cpu_backward", takes_withheld=True)
def attention_backward(
    g: Any,
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    logsumexp: Any,
    dropout_p: float,
    is_causal: bool,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> Any:
    """The cotangents of queries, keys and values."""
    shares = special.softmax(_scores(q, k, is_causal, attn_mask, scale), axis=-1)
    by_shares = np.matmul(g, np.swapaxes(v, -1, -2))
    along = np.sum(g * out, axis=-1, keepdims=True)
    by_scores = shares * (by_shares - along)
    factor = 1 / math.sqrt(np.shape(q)[-1]) if scale is None else scale
    return (
        np.matmul(by_scores, k) * factor,
        np.matmul(np.swapaxes(by_scores, -1, -2), q) * factor,
        np.matmul(np.swapaxes(shares, -1, -2), g),
    )
