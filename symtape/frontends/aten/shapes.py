"""Readings: shapes, views, joining, padding, and their cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.constants import ones
from symtape.frontends.aten.table import reads
from symtape.frontends.aten.transposing import backward
from symtape.frontends.placing import index_along, replace_at


@reads("view", "_unsafe_view", "view_copy")
def view(x: Any, size: Any, *_: Any) -> Any:
    """As ``np.reshape``."""
    return np.reshape(x, tuple(size))


@reads("expand", "expand_copy")
def expand(x: Any, size: Any, *, implicit: bool = False) -> Any:
    """Repeated along axes of length 1; -1 keeps a length."""
    lead = len(size) - np.ndim(x)
    shape = tuple(np.shape(x)[axis - lead] if n == -1 else n for axis, n in enumerate(size))
    return np.broadcast_to(x, shape)


@reads("permute", "permute_copy")
def permute(x: Any, dims: Any) -> Any:
    """As ``np.transpose``."""
    return np.transpose(x, tuple(dims))


@reads("transpose", "transpose_copy")
def transpose(x: Any, dim0: int, dim1: int) -> Any:
    """Two axes swapped."""
    return np.swapaxes(x, dim0, dim1) if np.ndim(x) else x


@reads("t", "t_copy")
def transpose_matrix(x: Any) -> Any:
    """The transpose of a matrix."""
    return np.transpose(x)


@reads("squeeze", "squeeze_copy")
def squeeze(x: Any, dim: Any = None) -> Any:
    """Without the axes of length 1, or those of them that are named."""
    if dim is None:
        return np.squeeze(x)
    axes = dim if isinstance(dim, list | tuple) else [dim]
    gone = tuple(axis for axis in axes if np.ndim(x) and np.shape(x)[axis] == 1)
    return np.squeeze(x, axis=gone) if gone else x


@reads("unsqueeze", "unsqueeze_copy")
def unsqueeze(x: Any, dim: int) -> Any:
    """With one more axis, of length 1."""
    return np.expand_dims(x, dim)


def _axis(x: Any, dim: int) -> int:
    return dim % np.ndim(x) if np.ndim(x) else 0


@reads("select", "select_copy")
def select(x: Any, dim: int, index: int) -> Any:
    """``x[:, ..., index]``."""
    return x[index_along(_axis(x, dim), index)]


@reads("slice", "slice_copy")
def slice_axis(
    x: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """``x[:, ..., start:end:step]``."""
    return x[index_along(_axis(x, dim), slice(start or 0, end, step))]


@reads("cat")
def cat(tensors: Any, dim: int = 0) -> Any:
    """As ``np.concatenate``; a vector of no elements fits everywhere."""
    parts = [x for x in tensors if np.shape(x) != (0,)] or list(tensors)
    return np.concatenate(parts, axis=dim)


@reads("stack")
def stack(tensors: Any, dim: int = 0) -> Any:
    """As ``np.stack``."""
    return np.stack(list(tensors), axis=dim)


@reads("flip")
def flip(x: Any, dims: Any) -> Any:
    """As ``np.flip``."""
    return np.flip(x, axis=tuple(dims)) if dims and np.ndim(x) else x


@reads("unbind", "unbind_copy")
def unbind(x: Any, dim: int = 0) -> Any:
    """All slices along an axis."""
    axis = _axis(x, dim)
    return [x[index_along(axis, k)] for k in range(np.shape(x)[axis])]


@reads("diagonal", "diagonal_copy")
def diagonal(x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """As ``np.diagonal``."""
    return np.diagonal(x, offset, dim1, dim2)


reads("select_backward")(backward(select))
reads("slice_backward")(backward(slice_axis))
reads("diagonal_backward")(backward(diagonal))


@reads("diagonal_scatter")
def diagonal_scatter(x: Any, src: Any, *options: int) -> Any:
    """`x` with its diagonal replaced."""
    shape = np.shape(x)
    places = diagonal(np.arange(np.size(x)).reshape(shape), *options)
    return np.reshape(replace_at(np.ravel(x), (places,), src), shape)


reads("tril")(lambda x, diagonal=0: np.tril(x, diagonal))
reads("triu")(lambda x, diagonal=0: np.triu(x, diagonal))


def _widths(pad: Any, rank: int) -> list[tuple[int, int]]:
    """Widths as NumPy takes them; torch's begin with the last axis."""
    pairs = [(pad[k], pad[k + 1]) for k in range(0, len(pad), 2)]
    return [(0, 0)] * (rank - len(pairs)) + pairs[::-1]


@reads("constant_pad_nd")
def constant_pad(x: Any, pad: Any, value: float = 0) -> Any:
    """Widened by a constant; cut where a width is negative."""
    widths = _widths(pad, np.ndim(x))
    shape = np.shape(x)
    kept = tuple(
        slice(max(-before, 0), n - max(-after, 0))
        for n, (before, after) in zip(shape, widths, strict=True)
    )
    positive = [(max(before, 0), max(after, 0)) for before, after in widths]
    return np.pad(x[kept], positive, constant_values=value)


def _edge(at: Any, last: int) -> Any:
    return np.clip(at, 0, last)


def _mirror(at: Any, last: int) -> Any:
    return last - np.abs(last - np.abs(at))


def _padding(place: Any) -> Any:
    """The reading of a padding that repeats elements; one by less than nothing cuts."""

    def reading(x: Any, padding: Any) -> Any:
        for axis, (before, after) in enumerate(_widths(padding, np.ndim(x))):
            if before or after:
                size = np.shape(x)[axis]
                x = x[index_along(axis, place(np.arange(-before, size + after), size - 1))]
        return x

    return reading


for _kind, _place in (("reflection", _mirror), ("replication", _edge)):
    _forward = _padding(_place)
    reads(*(f"{_kind}_pad{rank}d" for rank in (1, 2, 3)))(_forward)
    reads(*(f"{_kind}_pad{rank}d_backward" for rank in (1, 2, 3)))(backward(_forward))


@reads("clone", "lift_fresh_copy", "alias_copy", "detach_copy", "lift", "_conj_physical")
def clone(x: Any, **_: Any) -> Any:
    """The same numbers."""
    return x


@reads("_to_copy")
def cast_copy(x: Any, *, dtype: Any = None) -> Any:
    """The same numbers, in another precision if asked."""
    return x if dtype is None else x.astype(dtype)


@reads("copy")
def copy(x: Any, src: Any, non_blocking: bool = False) -> Any:
    """`src`, in the shape of `x`."""
    return np.broadcast_to(src, np.shape(x))


@reads("fill")
def fill(x: Any, value: Any) -> Any:
    """One value everywhere."""
    return np.broadcast_to(value, np.shape(x))


@reads("ones_like")
def ones_like(x: Any, **_: Any) -> Any:
    """Ones, as an operation on `x`."""
    return ones(x)
