"""Readings: attention in one operation, and its cotangents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symtape.frontends.aten.table import WithheldResult, reads
from symtape.scipy import special


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
