"""Rows and functions: arrays of one value in the shape of another array."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from symtape.primitives.primitive import Array, Params, Primitive, declare, implements, is_stand_in


def _batched_shape(x: Array, params: Params) -> dict[str, Any]:
    own = x.shape[1:] if params["shape"] is None else params["shape"]
    return {**params, "shape": (x.shape[0], *own)}


def _filled_row(like: Any, make: Any) -> Primitive:
    """The row of ``np.zeros_like`` or ``np.ones_like``; `make` is the function of a shape."""
    row: Primitive = declare(
        name=like.__name__,
        evaluate=lambda x, *, dtype, shape: like(x, dtype=dtype, shape=shape),
        vjp=None,
        elements=lambda x, dtype, shape: make(np.shape(x) if shape is None else shape, object),
        batch=lambda flags, args, params: row(args[0], **_batched_shape(args[0], params)),
        rounding=(0, 0),
        decision="shape",
        source=f"NumPy, numpy.{like.__name__}",
    )
    return row


ZEROS_LIKE = _filled_row(np.zeros_like, np.zeros)
ONES_LIKE = _filled_row(np.ones_like, np.ones)


def _static(dtype: Any, shape: Any) -> dict[str, Any]:
    if shape is not None:
        shape = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    return {"dtype": None if dtype is None else np.dtype(dtype), "shape": shape}


def _fill_like(
    row: Primitive,
    a: Array,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: str | None = None,
) -> Array:
    """As ``numpy.zeros_like``; also what ``numpy.empty_like`` means, as nothing writes into it."""
    return row(a, **_static(dtype, shape))


implements(np.zeros_like, np.empty_like)(functools.partial(_fill_like, ZEROS_LIKE))
implements(np.ones_like)(functools.partial(_fill_like, ONES_LIKE))


@implements(np.full_like)
def full_like(
    a: Array,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: str | None = None,
) -> Array:
    """As ``numpy.full_like``; differentiable by a `fill_value` that is a tensor."""
    wanted = np.dtype(
        np.result_type(a)
        if dtype is None and not is_stand_in(a)
        else a.dtype
        if dtype is None
        else dtype
    )
    if is_stand_in(fill_value):
        whole = np.shape(a) if shape is None else _static(None, shape)["shape"]
        return np.broadcast_to(fill_value.astype(wanted), whole)
    return ONES_LIKE(a, **_static(wanted, shape)) * np.asarray(fill_value, dtype=wanted)
