"""Rows and functions: reshape, transpose, broadcast, cast, and what is made of them."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from symtape.primitives.arguments import shape_of
from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import one_axis
from symtape.primitives.broadcasting import sum_to
from symtape.primitives.primitive import STAND_INS, Array, check_width, declare, implements

_SMALL = 4096


def _broadcast_to(x: Array, shape: tuple[int, ...]) -> Array:
    # A small copy is made faster than the view.
    if math.prod(shape) > _SMALL or (type(x) is np.ndarray and x.ndim > len(shape)):
        return np.broadcast_to(x, shape)
    copy = np.empty(shape, x.dtype if hasattr(x, "dtype") else None)
    copy[...] = x
    return copy


def _broadcast_batch(x: Array, shape: tuple[int, ...]) -> Array:
    size, own = x.shape[0], x.shape[1:]
    return np.broadcast_to(x.reshape((size, *(1,) * (len(shape) - len(own)), *own)), (size, *shape))


@functools.lru_cache(maxsize=256)  # orders of axes in a program
def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def _convert_ball_to_discrete(ball: Any, x: Any, dtype: Any) -> Any:
    return ball.not_equal(x, 0) if dtype.kind == "b" else ball.trunc(x)


RESHAPE = declare(
    name="reshape",
    evaluate=lambda x, shape: x.reshape(shape),
    vjp=[lambda g, x_shape: g.reshape(x_shape)],
    batch=lambda flags, args, params: args[0].reshape((args[0].shape[0], *params["shape"])),
    rounding=(0, 0),
    complex="holomorphic",
    source="NumPy, numpy.reshape",
    example=(([1.5, -2.0, 0.25, 3.0, 0.5, 1.0],), {"shape": (2, 3)}),
)
TRANSPOSE = declare(
    name="transpose",
    evaluate=lambda x, axes: x.transpose(axes),
    vjp=[lambda g, axes: g.transpose(_inverse(axes))],
    batch=lambda flags, args, params: args[0].transpose(
        (0, *(axis + 1 for axis in params["axes"]))
    ),
    rounding=(0, 0),
    complex="holomorphic",
    source="NumPy, numpy.transpose",
    example=(([[1.5, -2.0, 0.25], [3.0, 0.5, 1.0]],), {"axes": (1, 0)}),
)
BROADCAST_TO = declare(
    evaluate=_broadcast_to,
    vjp=[lambda g, x_shape: sum_to(g, x_shape)],
    elements=lambda x, shape: np.broadcast_to(x, shape),
    batch=lambda flags, args, params: _broadcast_batch(args[0], params["shape"]),
    rounding=(0, 0),
    normal=lambda proofs, reader, x: x,
    complex="holomorphic",
    source="NumPy, numpy.broadcast_to",
    example=(([[1.5], [-2.0]],), {"shape": (2, 2, 3)}),
)
CAST = declare(
    name="astype",
    evaluate=lambda x, dtype: np.asarray(x).astype(dtype),
    vjp=[lambda g, x_dtype: g if x_dtype.kind != g.dtype.kind else g.astype(x_dtype)],
    symbolic=lambda sp, x, dtype=None: x,
    ball=lambda ball, x, dtype=None: x,
    rounding=(0, 1),
    rational=lambda x, dtype: x,
    complex="holomorphic",
    source="IEEE 754",
    example=((0.75,), {"dtype": np.dtype(np.float32)}),
)
CAST_TO_DISCRETE = declare(
    name="astype_discrete",
    evaluate=lambda x, *, dtype: np.asarray(x).astype(dtype),
    vjp=None,
    elementwise=True,
    ball=_convert_ball_to_discrete,
    rounding=(0, 0),
    spelling="int",
    source="NumPy, numpy.ndarray.astype",
)


@implements(np.astype)
def cast(x: Array, dtype: Any, /, *, copy: bool = True, device: str | None = None) -> Array:
    """`x` as `dtype`; to integers and booleans the gradient is cut."""
    dtype = np.dtype(dtype)
    if x.dtype == dtype:
        return x
    check_width(dtype)
    return (CAST if dtype.kind in "fc" else CAST_TO_DISCRETE)(x, dtype=dtype)


@implements(np.shape)
def shape(a: Array) -> tuple[int, ...]:
    """The lengths of the axes, as plain integers."""
    found: tuple[int, ...] = a.shape
    return found


@implements(np.ndim)
def ndim(a: Array) -> int:
    """The number of axes, as a plain integer."""
    return len(a.shape)


@implements(np.size)
def size(a: Array, axis: Any = None) -> int:
    """The number of elements, as a plain integer."""
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
    return math.prod(a.shape[i] for i in axes)


def _plain(x: Any) -> Any:
    """Something of the dtype of `x` and of no values, for questions about types."""
    return np.empty(0, x.dtype) if hasattr(x, "dtype") else x


def _implement_on_types(function: Callable[..., Any]) -> None:
    implements(function)(lambda *args: function(*map(_plain, args)))


for _function in (np.iscomplexobj, np.isrealobj, np.common_type, np.min_scalar_type):
    _implement_on_types(_function)


@implements(np.iscomplex)
def iscomplex(x: Array) -> Array:
    """As ``numpy.iscomplex``; of real numbers it is known beforehand."""
    return np.imag(x) != 0 if x.dtype.kind == "c" else np.zeros(x.shape, dtype=bool)


@implements(np.isreal)
def isreal(x: Array) -> Array:
    """As ``numpy.isreal``; of real numbers it is known beforehand."""
    return np.imag(x) == 0 if x.dtype.kind == "c" else np.ones(x.shape, dtype=bool)


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """As ``numpy.result_type``, which looks at no values."""
    return np.result_type(*[x.dtype if type(x) in STAND_INS else x for x in arrays_and_dtypes])


implements(np.can_cast)(lambda of, to, *how, **more: np.can_cast(of.dtype, to, *how, **more))
implements(np.may_share_memory, np.shares_memory)(lambda a, b, *how, **more: a is b)


def _check_order(order: str) -> None:
    if order not in ("C", "F"):
        raise ValueError(
            f"order={order!r} depends on how an array lies in memory, which a tensor does not "
            "say; expected 'C' or 'F'"
        )


def _full_shape(size: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """`shape` with its -1 filled in."""
    if -1 not in shape:
        return shape
    known = math.prod(n for n in shape if n != -1)
    if shape.count(-1) > 1 or known == 0 or size % known:
        raise ValueError(f"cannot reshape an array of {size} elements into shape {shape}")
    return tuple(size // known if n == -1 else n for n in shape)


@implements(np.reshape)
def reshape(
    a: Array, /, shape: Any, order: str = "C", *, newshape: Any = None, copy: bool | None = None
) -> Array:
    """As ``numpy.reshape``."""
    _check_order(order)
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    full = _full_shape(a.size, tuple([n if type(n) is int else operator.index(n) for n in sizes]))
    if order == "F":
        return transpose(RESHAPE(transpose(a), shape=full[::-1]))
    return RESHAPE(a, shape=full)


@implements(np.ravel)
def ravel(a: Array, order: str = "C") -> Array:
    """As ``numpy.ravel``."""
    return reshape(a, -1 if a.size else 0, order)


@implements(np.copy)
def copy(a: Array, order: str = "K", subok: bool = False) -> Array:
    """The same values; no writing can tell them apart."""
    return RESHAPE(a, shape=a.shape)


@implements(np.transpose, np.permute_dims)
def transpose(a: Array, axes: Sequence[int] | None = None) -> Array:
    """As ``numpy.transpose``."""
    if axes is None:
        return TRANSPOSE(a, axes=tuple(range(a.ndim - 1, -1, -1)))
    order: tuple[int, ...] = normalize_axis_tuple(axes, a.ndim)
    if len(order) != a.ndim:
        raise ValueError(f"axes={axes} does not name each of the {a.ndim} axes of the array once")
    return TRANSPOSE(a, axes=order)


@implements(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x: Array, /) -> Array:
    """The last two axes swapped."""
    return swapaxes(x, -1, -2)


@implements(np.swapaxes)
def swapaxes(a: Array, axis1: int, axis2: int) -> Array:
    """As ``numpy.swapaxes``."""
    order = list(range(a.ndim))
    i, j = one_axis(axis1, a.ndim), one_axis(axis2, a.ndim)
    order[i], order[j] = j, i
    return TRANSPOSE(a, axes=tuple(order))


@implements(np.moveaxis)
def moveaxis(a: Array, source: Any, destination: Any) -> Array:
    """As ``numpy.moveaxis``."""
    sources = normalize_axis_tuple(source, a.ndim, "source")
    places = normalize_axis_tuple(destination, a.ndim, "destination")
    if len(sources) != len(places):
        raise ValueError(
            f"source={source} and destination={destination} must name equally many axes"
        )
    order = [axis for axis in range(a.ndim) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return TRANSPOSE(a, axes=tuple(order))


@implements(np.rollaxis)
def rollaxis(a: Array, axis: int, start: int = 0) -> Array:
    """As ``numpy.rollaxis``."""
    axis, start = one_axis(axis, a.ndim), one_axis(start, a.ndim + 1)
    return moveaxis(a, axis, start - 1 if axis < start else start)


@implements(np.squeeze)
def squeeze(a: Array, axis: Any = None) -> Array:
    """As ``numpy.squeeze``."""
    if axis is None:
        return RESHAPE(a, shape=tuple(n for n in a.shape if n != 1))
    if not a.ndim and axis in (0, -1):
        return a
    axes = normalize_axis_tuple(axis, a.ndim)
    for i in axes:
        if a.shape[i] != 1:
            raise ValueError(f"cannot squeeze axis {i}: its length is {a.shape[i]}, expected 1")
    return RESHAPE(a, shape=tuple(n for i, n in enumerate(a.shape) if i not in axes))


@implements(np.expand_dims)
def expand_dims(a: Array, axis: Any) -> Array:
    """As ``numpy.expand_dims``."""
    count = len(axis) if isinstance(axis, tuple | list) else 1
    axes = normalize_axis_tuple(axis, a.ndim + count)
    lengths = iter(a.shape)
    full = tuple(1 if i in axes else next(lengths) for i in range(a.ndim + count))
    return RESHAPE(a, shape=full)


def _raise_rank_of_each(arrays: tuple[Any, ...], raised: Any) -> Any:
    results = tuple(raised(to_array(a)) for a in arrays)
    return results[0] if len(results) == 1 else results


@implements(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """As ``numpy.atleast_1d``."""
    return _raise_rank_of_each(arys, lambda a: a if np.ndim(a) else np.reshape(a, (1,)))


@implements(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """As ``numpy.atleast_2d``."""
    return _raise_rank_of_each(
        arys, lambda a: a if np.ndim(a) > 1 else np.reshape(a, (1, *(np.shape(a) or (1,))))
    )


@implements(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """As ``numpy.atleast_3d``."""

    def raise_rank(a: Array) -> Array:
        own = shape_of(a)
        wanted = (1, *own, 1) if len(own) == 1 else (*own, *(1,) * (3 - len(own)))
        return a if len(own) > 2 else np.reshape(a, wanted)

    return _raise_rank_of_each(arys, raise_rank)


@implements(np.broadcast_to)
def broadcast_to(array: Array, shape: Any, subok: bool = False) -> Array:
    """As ``numpy.broadcast_to``."""
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    return BROADCAST_TO(array, shape=tuple([operator.index(n) for n in sizes]))


@implements(np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Array, ...]:
    """As ``numpy.broadcast_arrays``."""
    arrays = [to_array(a) for a in args]
    shapes = [shape_of(a) for a in arrays]
    common = np.broadcast_shapes(*shapes)
    pairs = zip(arrays, shapes, strict=True)
    return tuple([a if own == common else np.broadcast_to(a, common) for a, own in pairs])


@implements(np.meshgrid)
def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    """As ``numpy.meshgrid``."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing={indexing!r}; expected 'xy' or 'ij'")
    rank = len(xi)
    place = list(range(rank))
    if indexing == "xy" and rank > 1:
        place[:2] = [1, 0]
    grids = [
        np.reshape(to_array(x), (*(1,) * at, -1, *(1,) * (rank - at - 1)))
        for at, x in zip(place, xi, strict=True)
    ]
    return tuple(grids) if sparse else broadcast_arrays(*grids)
