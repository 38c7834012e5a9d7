"""NumPy's functions that make arrays, or take lists for them, as they keep tensors.

NumPy asks nobody when it makes an array, as in ``np.array([x[0], x[1]])``, so that what is put in
leaves the tape; nor when it is given a list, as in ``np.sum([t**2 for t in x])``. These stack
tensors, and give arrays into which tensors can be written (:mod:`symtape.recording.in_place`).
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import operator
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.primitives.indexing import getitem
from symtape.primitives.primitive import FUNCTIONS
from symtape.reading.scalars import to_float
from symtape.reading.structured import StructuredStandIn
from symtape.recording.in_place import Buffer, lift_tensors, to_buffer
from symtape.recording.nested import holds_tensor, join_nested, lower_buffers
from symtape.recording.tensor import Tensor, constant_of

_OF_ARRAYS: Final = frozenset(
    ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
)
"""Functions to which a list is one of arrays."""

_OF_OTHERS: Final = frozenset(
    (
        *("block", "select", "piecewise", "choose", "multi_dot"),
        *("ix_", "lexsort", "shape", "ndim", "size", "unravel_index"),
    )
)
"""Functions to which a list is something else."""


class TakingLists:
    """A function of NumPy, or a method of one, that takes lists of tensors for arrays."""

    __slots__ = ("_of", "_takes_arrays")

    def __init__(self, of: Any) -> None:
        self._of = of
        self._takes_arrays = getattr(of, "__name__", "") in _OF_ARRAYS

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """What the function gives of arrays in place of the lists."""
        if self._takes_arrays and isinstance(args[0], list | tuple):
            given = [join_nested(x) if holds_tensor(x) else x for x in args[0]]
            if Tensor in map(type, given) and self._of in FUNCTIONS and "out" not in keywords:
                return lift_tensors(FUNCTIONS[self._of](given, *args[1:], **keywords))
            return self._of(lift_tensors(given), *args[1:], **keywords)
        return self._of(
            *map(_join_tensors, args), **{key: _join_tensors(x) for key, x in keywords.items()}
        )

    def __getattr__(self, name: str) -> Any:
        return TakingLists(getattr(self._of, name))


def _join_tensors(x: Any) -> Any:
    if type(x) is Buffer or not (isinstance(x, list | tuple) and holds_tensor(x)):
        return x
    return lift_tensors(join_nested(x))


def takes_lists(value: Any) -> Any:
    """`value` as it takes lists of tensors, if it is a function of NumPy that takes arrays."""
    if isinstance(value, type) or getattr(value, "__name__", "") in _OF_OTHERS:
        return value
    if isinstance(value, np.ufunc):
        return TakingLists(value)
    of_numpy = str(getattr(value, "__module__", "")).partition(".")[0] == "numpy"
    return TakingLists(value) if of_numpy and isinstance(value, Callable) else value  # type: ignore[arg-type]


Function = Callable[..., Any]


def _array(object: Any, dtype: Any = None, **how: Any) -> Any:  # noqa: A002 -- NumPy's name
    """``np.array``, which stacks tensors instead of taking their values."""
    if not holds_tensor(object):
        return np.array(object, dtype=dtype, **how)
    found = join_nested(object)
    short = max(how.get("ndmin", 0) - found.ndim, 0)
    found = found[(None,) * short] if short else found
    return found if dtype is None or found.dtype == dtype else found.astype(dtype)


def _writable(object: Any, dtype: Any = None, **how: Any) -> Any:  # noqa: A002 -- NumPy's name
    """``np.array``, whose result is the caller's to write into."""
    alike = how.get("copy", True) is not True and how.get("ndmin", 0) <= np.ndim(object)
    if isinstance(object, Buffer) and alike:
        return _asarray(object, dtype)
    return to_buffer(_array(object, dtype, **how))


def _asarray(a: Any, dtype: Any = None, order: Any = None, **how: Any) -> Any:
    if not holds_tensor(a):
        return np.asarray(a, dtype=dtype, order=order, **how)
    is_array = isinstance(a, Buffer) and not a._is_number
    if is_array and (dtype is None or a.dtype == dtype) and not how.get("copy"):
        # The array itself, and no copy of it.
        return a
    return to_buffer(_array(a, dtype))


def _require(a: Any, dtype: Any = None, requirements: Any = None, **how: Any) -> Any:
    """``np.require``; a tensor has whatever place in memory is asked for."""
    return _asarray(a if holds_tensor(a) else np.require(a, dtype, requirements, **how), dtype)


def _make_from_iterable(iter: Any, dtype: Any, count: int = -1, **how: Any) -> Any:  # noqa: A002
    found = list(iter) if count < 0 else list(itertools.islice(iter, count))
    return _writable(found, dtype) if holds_tensor(found) else np.fromiter(found, dtype, **how)


def _arange(*given: Any, **how: Any) -> Any:
    """``np.arange``, whose number of entries is decided."""
    if not holds_tensor(given):
        return np.arange(*given, **how)
    start, stop, step = ([0, *given, 1] if len(given) == 1 else [*given, 1])[:3]
    if all(np.result_type(x).kind in "iu" for x in given):
        return np.arange(*map(operator.index, (start, stop, step)), **how)
    places = np.arange(max(math.ceil((stop - start) / step), 0))
    # NumPy's steps are the first of them, as it is rounded.
    return to_buffer(start + places * ((start + step) - start))


def _full(shape: Any, fill_value: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.full``, which fills with tensors as well."""
    if not holds_tensor(fill_value):
        return _make_writable_maker(np.full)(shape, fill_value, dtype, **how)
    array = np.broadcast_to(join_nested(fill_value), shape)
    return to_buffer(array if dtype is None else array.astype(dtype))


def _full_like(a: Any, fill_value: Any, dtype: Any = None, **how: Any) -> Any:
    if not holds_tensor(fill_value):
        return _make_writable_maker(np.full_like)(a, fill_value, dtype, **how)
    shape = how.get("shape")
    return _full(np.shape(a) if shape is None else shape, fill_value, dtype or np.result_type(a))


def _make_writable_maker(maker: Function) -> Function:
    """A function that makes arrays to write into, which makes some for tensors."""

    @functools.wraps(maker)
    def make_writable(*args: Any, **keywords: Any) -> Any:
        array = lower_buffers(maker(*args, **keywords))
        if type(array) in (np.ndarray, np.recarray) and array.dtype.names:
            return StructuredStandIn.from_array(array)
        array = np.zeros(array.shape, array.dtype) if maker.__name__.startswith("empty") else array
        is_plain = type(array) is np.ndarray and array.ndim and array.dtype.kind in "fc"
        return lift_tensors(constant_of(array)) if is_plain else to_buffer(array)

    return make_writable


def _finite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """``np.asarray_chkfinite``."""
    found = _asarray(a, dtype, order)
    if not np.all(np.isfinite(found)):
        raise ValueError("array must not contain infs or NaNs")
    return found


def _kaiser(M: int, beta: Any) -> Any:
    """``np.kaiser``, of which `beta` may be a tensor."""
    middle = (M - 1) / 2
    places = (np.arange(M) - middle) / (middle or 1)
    beta = join_nested(beta)
    return lift_tensors(np.i0(beta * np.sqrt(1 - places**2)) / np.i0(beta))


def _make_strided(x: Any, shape: Any = None, strides: Any = None, **how: Any) -> Any:
    """``as_strided``, which shows the places of a tensor by the same strides."""
    if not isinstance(x, Buffer):
        return _make_strided(lift_tensors(join_nested(x)), shape, strides)
    return x.as_strided(shape, strides)


def _dispatch_by_argument(original: Function, kept: Function, at: int = 0) -> Function:
    """`kept` where a tensor is in the argument at a place, and `original` of all else."""
    name = list(inspect.signature(kept).parameters)[at]

    @functools.wraps(original)
    def convert(*args: Any, **keywords: Any) -> Any:
        given = args[at] if len(args) > at else keywords.get(name)
        return (kept if holds_tensor(given) else original)(*args, **keywords)

    return convert


def call_vectorized(made: np.vectorize, *args: Any, **keywords: Any) -> Any:
    """What ``np.vectorize`` made, called on elements of tensors, or on what its signature says."""
    given: dict[Any, Any] = {**dict(enumerate(args)), **keywords}
    moved = [key for key in given if key not in made.excluded]
    ranks = _core_ranks(made.signature, len(moved))
    parts = [join_nested(given[key]) for key in moved]
    loops = [np.shape(x)[: np.ndim(x) - rank] for x, rank in zip(parts, ranks, strict=True)]
    loop = np.broadcast_shapes(*loops)
    spread = [
        lift_tensors(np.broadcast_to(x, (*loop, *np.shape(x)[np.ndim(x) - rank :])))
        for x, rank in zip(parts, ranks, strict=True)
    ]

    def call_at(index: tuple[int, ...]) -> Any:
        now = given | {key: x[index] for key, x in zip(moved, spread, strict=True)}
        return made.pyfunc(*(now[k] for k in range(len(args))), **{k: now[k] for k in keywords})

    found = [call_at(index) for index in np.ndindex(loop)]
    if not found:
        return np.zeros(loop)
    if not isinstance(found[0], tuple):
        return _join_loop(found, loop, (made.otypes or " ")[0])
    kinds = made.otypes or " " * len(found[0])
    columns = zip(zip(*found, strict=True), kinds, strict=True)
    return tuple(_join_loop(list(column), loop, kind) for column, kind in columns)


def _core_ranks(signature: str | None, count: int) -> list[int]:
    if signature is None:
        return [0] * count
    inputs = re.findall(r"\(([^)]*)\)", signature.partition("->")[0])
    return [len([name for name in names.split(",") if name.strip()]) for names in inputs]


def _join_loop(found: list[Any], loop: tuple[int, ...], kind: str) -> Any:
    """Results of one output, as an array; of the type of numbers that was asked for."""
    array = join_nested(found)
    array = np.reshape(array, (*loop, *np.shape(array)[1:]))
    return lift_tensors(array if kind == " " or array.dtype.char == kind else array.astype(kind))


def polynomial(c_or_r: Any, *how: Any, **more: Any) -> np.poly1d:
    """``np.poly1d`` of numbers in a list."""
    return np.poly1d(
        lift_tensors(join_nested(c_or_r)) if holds_tensor(c_or_r) else c_or_r, *how, **more
    )


def tuples_of_entries(*arrays: Any) -> Any:
    """``np.broadcast``, with tensors for the entries of some."""
    if not holds_tensor(arrays):
        return np.broadcast(*arrays)
    return zip(*(x.flat for x in np.broadcast_arrays(*map(join_nested, arrays))), strict=True)


def joined_by(join: Any, key: Any) -> Any:
    """``np.r_[key]`` or ``np.c_[key]``, with tensors among the items."""
    items = [_item(item) for item in (key if isinstance(key, tuple) else (key,))]
    if join is np.r_:
        return lift_tensors(np.concatenate([np.atleast_1d(item) for item in items]))
    if join is not np.c_:
        raise TypeError("expected np.r_ or np.c_")
    columns = [np.reshape(x, (-1, 1)) if np.ndim(x) < 2 else x for x in items]
    return lift_tensors(np.concatenate(columns, axis=-1))


def _item(item: Any) -> Any:
    if isinstance(item, str):
        raise TypeError("np.r_ of tensors takes no directives")
    return np.r_[item] if isinstance(item, slice) else join_nested(item)


def item_by(array: Any, key: Any) -> Any:
    """``array[key]`` of a plain array, with tensors in the index.

    NumPy would take the values of these, and a recording hold for no others.
    """
    if array.dtype.kind not in "biufc":
        return array[key]
    keys = key if type(key) is tuple else (key,)
    items = [join_nested(x) if holds_tensor(x) else x for x in keys]
    return lift_tensors(getitem(array, tuple(items)))


def entries(array: Any) -> Any:
    """``np.ndenumerate``, with tensors for the entries of one."""
    if not isinstance(array, Tensor):
        return np.ndenumerate(array)
    return ((index, array[index]) for index in np.ndindex(array.shape))


def entry_by_entry(array: Any, *how: Any, **more: Any) -> Any:
    """``np.nditer``, with tensors for the entries of one, or tuples of those of several."""
    if isinstance(array, list | tuple) and holds_tensor(array) and not how and not more:
        return tuples_of_entries(*array)
    if not isinstance(array, Tensor) or how or more:
        return np.nditer(array, *how, **more)
    return iter(array.flat)


def scalar_of(kind: type) -> Function:
    """``np.float64`` or its like, as it is called."""

    @functools.wraps(kind, updated=())
    def convert(*args: Any) -> Any:
        if len(args) != 1 or not holds_tensor(args[0]):
            return kind(*args)
        number = join_nested(args[0])
        if np.size(number) == 1 and number.dtype.kind != "c":
            number = to_float(number)
        return lift_tensors(number if number.dtype == kind else number.astype(kind))

    return convert


_WRITTEN_INTO: Final = (
    "zeros",
    "empty",
    "ones",
    "zeros_like",
    "empty_like",
    "ones_like",
    "copy",
    "eye",
    "identity",
)

WINDOWS: Final[dict[Function, Function]] = {
    np.kaiser: _dispatch_by_argument(np.kaiser, _kaiser, at=1)
}
"""Windows of a parameter, which NumPy takes the value of."""

STRIDED: Final[dict[Function, Function]] = {
    np.lib.stride_tricks.as_strided: _dispatch_by_argument(
        np.lib.stride_tricks.as_strided, _make_strided
    )
}
"""Functions that look at memory, as they look at tensors."""

MAKERS: Final[dict[str, Function]] = {
    "array": _writable,
    "asarray": _asarray,
    "asanyarray": _asarray,
    "ascontiguousarray": _asarray,
    "asfortranarray": _asarray,
    "asarray_chkfinite": _finite,
    "require": _require,
    "arange": _arange,
    "fromiter": _make_from_iterable,
    "full": _full,
    "full_like": _full_like,
    **{name: _make_writable_maker(getattr(np, name)) for name in _WRITTEN_INTO},
}
"""NumPy's functions that make arrays, as they keep tensors, and make arrays to write these into."""


def records(shape: Any, dtype: Any = None, *how: Any, **more: Any) -> Any:
    """``np.recarray``, into whose fields tensors can be written."""
    return StructuredStandIn.from_array(np.recarray(shape, dtype, *how, **more))


class _NumPyOfTensors:
    """The namespace of NumPy, in which nothing that makes an array takes the value of a tensor."""

    def __init__(self, makers: dict[str, Function]) -> None:
        self._makers = makers

    def __getattr__(self, name: str) -> Any:
        return self._makers[name] if name in self._makers else getattr(np, name)


NUMPY_OF_TENSORS: Final = _NumPyOfTensors({"array": _array, "asarray": _array})
"""For code that never writes into an array."""
