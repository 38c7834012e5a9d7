"""Readings: picking by index, and putting back."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads
from symtape.frontends.aten.transposing import transpose_linear
from symtape.frontends.placing import indexed_shape, replace_at, spread
from symtape.primitives.primitive import is_stand_in
from symtape.recording.custom import stop_gradient


def _index_of(indices: Any) -> tuple[Any, ...]:
    """ATen's list of index tensors as NumPy's index: None stands for a whole axis."""
    return tuple(slice(None) if item is None else item for item in indices)


@reads("index", "_unsafe_index")
def index(x: Any, indices: Any) -> Any:
    """``x[indices]``."""
    return x[_index_of(indices)]


@reads("index_put", "_unsafe_index_put", "_index_put_impl")
def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False, *_: Any) -> Any:
    """``x[indices] = values``, or ``+=`` with repeated places added up."""
    at = _index_of(indices)
    if not accumulate:
        return replace_at(x, at, values)
    values = np.broadcast_to(values, indexed_shape(np.shape(x), at))
    added = spread(values, at, np.shape(x))
    return added if _is_zero(x) else x + added


def _is_zero(x: Any) -> bool:
    return not is_stand_in(x) and not np.any(x)


def _axis_index(dim: int, places: Any) -> tuple[Any, ...]:
    """The index that names `places` along one axis and itself along the others."""
    rank = np.ndim(places)
    return tuple(
        places if axis == dim else np.arange(n).reshape((-1, *(1,) * (rank - axis - 1)))
        for axis, n in enumerate(np.shape(places))
    )


def _index_at(x: Any, dim: int, places: Any) -> tuple[Any, tuple[Any, ...]]:
    """`x` and an index, where arrays without axes count as vectors of one."""
    if not np.ndim(x):
        return np.reshape(x, (1,)), (np.reshape(places, (-1,)),)
    return x, _axis_index(dim % np.ndim(x), places)


@reads("gather")
def gather(x: Any, dim: int, places: Any, *, sparse_grad: bool = False) -> Any:
    """``out[i, j] = x[i, places[i, j]]``."""
    if not np.ndim(places):
        return np.reshape(np.ravel(x)[np.reshape(places, (1,))], ())
    wide, at = _index_at(x, dim, places)
    return wide[at]


def _place_source(x: Any, dim: int, places: Any, src: Any) -> tuple[Any, Any, Any]:
    """An array and an index into it, and as much of `src` as is named."""
    if not hasattr(src, "shape") or not np.ndim(src):
        src = np.broadcast_to(src, np.shape(places))
    values = src[tuple(slice(n) for n in np.shape(places))]
    wide, at = _index_at(x, dim, places)
    return wide, at, values if np.ndim(x) else np.reshape(values, (-1,))


@reads("scatter")
def scatter(x: Any, dim: int, places: Any, src: Any, *, reduce: str | None = None) -> Any:
    """``x[i, places[i, j]] = src[i, j]``."""
    if reduce is not None:
        return scatter_reduce(x, dim, places, src, {"add": "sum", "multiply": "prod"}[reduce])
    src = np.asarray(src, x.dtype) if not hasattr(src, "shape") else src
    wide, at, values = _place_source(x, dim, places, src)
    return np.reshape(replace_at(wide, at, values), np.shape(x))


@reads("scatter_add")
def scatter_add(x: Any, dim: int, places: Any, src: Any) -> Any:
    """``x[i, places[i, j]] += src[i, j]``."""
    wide, at, values = _place_source(x, dim, places, src)
    added = spread(values, at, np.shape(wide))
    return np.reshape(added if _is_zero(wide) else wide + added, np.shape(x))


@reads("scatter_reduce")
def scatter_reduce(
    x: Any, dim: int, places: Any, src: Any, reduce: str, include_self: bool = True
) -> Any:
    """The same with another operation; sums and means are read."""
    if reduce not in ("sum", "mean"):
        raise NotImplementedError(f"reduce={reduce!r}; 'sum' and 'mean' are read")
    zeros, each = np.zeros(np.shape(x), x.dtype), np.ones(np.shape(places), x.dtype)
    count = scatter_add(zeros, dim, places, each)
    kept = x if include_self else np.where(count > 0, np.zeros((), x.dtype), x)
    total = scatter_add(kept, dim, places, src)
    if reduce == "sum":
        return total
    return total / np.maximum(count + int(include_self), 1)


@reads("put")
def put(x: Any, places: Any, source: Any, accumulate: bool = False) -> Any:
    """Elements replaced by their number."""
    flat = np.ravel(x)
    new = index_put(flat, [np.ravel(places)], np.ravel(source), accumulate)
    return np.reshape(new, np.shape(x))


@reads("masked_select")
def masked_select(x: Any, mask: Any) -> Any:
    """The elements where the mask is true, one after another."""
    shape = np.broadcast_shapes(np.shape(x), np.shape(mask))
    return np.broadcast_to(x, shape)[np.broadcast_to(mask, shape)]


@reads("masked_scatter")
def masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    """The first elements of `source` where the mask is true."""
    if is_stand_in(mask):
        raise NotImplementedError("the mask depends on the inputs")
    shape = np.broadcast_shapes(np.shape(x), np.shape(mask))
    x, mask = np.broadcast_to(x, shape), np.broadcast_to(mask, shape)
    return replace_at(x, (mask,), np.ravel(source)[: int(mask.sum())])


@reads("masked_scatter_backward")
def masked_scatter_backward(g: Any, mask: Any, sizes: Any) -> Any:
    """Back to the first elements."""
    return transpose_linear(
        lambda source: masked_scatter(np.zeros(np.shape(g)), mask, source), g, sizes
    )


@reads("nonzero")
def nonzero(x: Any) -> Any:
    """As ``np.argwhere``."""
    return np.argwhere(x)


@reads("embedding")
def embedding(
    weight: Any,
    indices: Any,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """Rows of a matrix; by definition the one for padding has no derivative."""
    rows = weight[indices]
    hidden = (np.asarray(indices) == padding_idx)[..., None]
    return np.where(hidden, stop_gradient(rows), rows) if hidden.any() else rows
