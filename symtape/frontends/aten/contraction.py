"""Readings: products of matrices and vectors, and distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads

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
