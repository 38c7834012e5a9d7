"""NumPy's functions that make arrays, as they keep tensors: ``np.array([x[0], x[1]])``.

NumPy asks nobody when it makes an array, so that what is put in leaves the tape. These stack
tensors, and give arrays into which tensors can be written (:mod:`symtape.recording.in_place`).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.frontends.scalars import as_float
from symtape.recording.in_place import Buffer, holds_tensor, joined, lifted, lowered
from symtape.recording.tensor import Tensor

__all__ = [
    "CONVERTERS",
    "KEEPING",
    "MAKERS",
    "STRIDED",
    "entries",
    "entry_by_entry",
    "holds_tensor",
    "joined_by",
    "scalar_of",
    "vectorized",
]

Function = Callable[..., Any]


def _array(x: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.array``, which stacks tensors instead of taking their values."""
    if not holds_tensor(x):
        return np.array(x, dtype=dtype, **how)
    found = joined(x)
    short = max(how.get("ndmin", 0) - found.ndim, 0)
    found = found[(None,) * short] if short else found
    return found if dtype is None or found.dtype == dtype else found.astype(dtype)


def _writable(x: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.array``, whose result is the caller's to write into."""
    if isinstance(x, Buffer) and how.get("copy", True) is not True:
        return _asarray(x, dtype)
    array = _array(x, dtype, **how)
    if isinstance(array, Tensor):
        return lifted(lowered(array))
    return Buffer(array) if array.dtype.kind in "fc" else array


def _asarray(x: Any, dtype: Any = None, order: Any = None, **how: Any) -> Any:
    if isinstance(x, Buffer) and (dtype is None or x.dtype == dtype):
        # The array itself, and no copy of it.
        return x
    return (
        lifted(_array(x, dtype))
        if holds_tensor(x)
        else np.asarray(x, dtype=dtype, order=order, **how)
    )


def _from_iterable(items: Any, dtype: Any, count: int = -1, **how: Any) -> Any:
    found = list(items) if count < 0 else list(itertools.islice(items, count))
    return _writable(found, dtype) if holds_tensor(found) else np.fromiter(found, dtype, **how)


def _full(shape: Any, value: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.full``, which fills with tensors as well."""
    if not holds_tensor(value):
        return _made(np.full)(shape, value, dtype, **how)
    array = np.broadcast_to(joined(value), shape)
    return lifted(lowered(array if dtype is None else array.astype(dtype)))


def _full_like(a: Any, value: Any, dtype: Any = None, **how: Any) -> Any:
    if not holds_tensor(value):
        return _made(np.full_like)(a, value, dtype, **how)
    return _full(np.shape(a), value, dtype or np.result_type(a))


def _made(maker: Function) -> Function:
    """A function that makes arrays to write into, which makes some for tensors."""

    @functools.wraps(maker)
    def made(*args: Any, **keywords: Any) -> Any:
        array = lowered(maker(*args, **keywords))
        array = np.zeros(array.shape, array.dtype) if maker.__name__.startswith("empty") else array
        if isinstance(array, Tensor):
            return lifted(array)
        return Buffer(array) if array.dtype.kind in "fc" else array

    return made


def _finite(x: Any, dtype: Any = None, order: Any = None) -> Any:
    """``np.asarray_chkfinite``."""
    found = _asarray(x, dtype, order)
    if not np.all(np.isfinite(found)):
        raise ValueError("array must not contain infs or NaNs")
    return found


def _as_strided(x: Any, shape: Any = None, strides: Any = None, **how: Any) -> Any:
    """``as_strided``, which shows the places of a tensor by the same strides."""
    if not isinstance(x, Buffer):
        return _as_strided(lifted(joined(x)), shape, strides)
    return x.as_strided(shape, strides)


def _if_tensors(original: Function, kept: Function, at: int = 0) -> Function:
    """`kept` where a tensor is in the argument at a place, and `original` of all else."""

    @functools.wraps(original)
    def convert(*args: Any, **keywords: Any) -> Any:
        if len(args) <= at or not holds_tensor(args[at]):
            return original(*args, **keywords)
        return kept(*args, **keywords)

    return convert


def vectorized(made: np.vectorize, *args: Any, **keywords: Any) -> Any:
    """What ``np.vectorize`` made, called on the elements of tensors."""
    if keywords or made.excluded or made.signature is not None:
        raise TypeError("np.vectorize of tensors takes arrays alone")
    return lifted(np.frompyfunc(made.pyfunc, len(args), 1)(*map(joined, args)))


def joined_by(join: Any, key: Any) -> Any:
    """``np.r_[key]`` or ``np.c_[key]``, with tensors among the items."""
    items = [_item(item) for item in (key if isinstance(key, tuple) else (key,))]
    if join is np.r_:
        return lifted(np.concatenate([np.atleast_1d(item) for item in items]))
    if join is not np.c_:
        raise TypeError("expected np.r_ or np.c_")
    columns = [np.reshape(x, (-1, 1)) if np.ndim(x) < 2 else x for x in items]
    return lifted(np.concatenate(columns, axis=-1))


def _item(item: Any) -> Any:
    if isinstance(item, str):
        raise TypeError("np.r_ of tensors takes no directives")
    return np.r_[item] if isinstance(item, slice) else joined(item)


def entries(array: Any) -> Any:
    """``np.ndenumerate``, with tensors for the entries of one."""
    if not isinstance(array, Tensor):
        return np.ndenumerate(array)
    return ((index, array[index]) for index in np.ndindex(array.shape))


def entry_by_entry(array: Any, *how: Any, **more: Any) -> Any:
    """``np.nditer``, with tensors for the entries of one."""
    if not isinstance(array, Tensor) or how or more:
        return np.nditer(array, *how, **more)
    return iter(array.flat)


def scalar_of(kind: type) -> Function:
    """``np.float64`` or its like, as it is called."""

    @functools.wraps(kind, updated=())
    def convert(*args: Any) -> Any:
        if len(args) != 1 or not holds_tensor(args[0]):
            return kind(*args)
        number = joined(args[0])
        if np.size(number) == 1 and number.dtype.kind != "c":
            number = as_float(number)
        return lifted(number if number.dtype == kind else number.astype(kind))

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

STRIDED: Final[dict[Function, Function]] = {
    np.lib.stride_tricks.as_strided: _if_tensors(np.lib.stride_tricks.as_strided, _as_strided)
}
"""Functions that look at memory, as they look at tensors."""

MAKERS: Final[dict[str, Function]] = {
    "array": _writable,
    "asarray": _asarray,
    "asanyarray": _asarray,
    "ascontiguousarray": _asarray,
    "asfortranarray": _asarray,
    "asarray_chkfinite": _finite,
    "require": _asarray,
    "fromiter": _from_iterable,
    "full": _full,
    "full_like": _full_like,
    **{name: _made(getattr(np, name)) for name in _WRITTEN_INTO},
}
"""NumPy's functions that make arrays, as they keep tensors, and make arrays to write these into."""

CONVERTERS: Final[dict[str, Function]] = {
    name: _if_tensors(getattr(np, name), MAKERS[name])
    for name in MAKERS
    if MAKERS[name] in (_writable, _asarray, _finite)
} | {
    "fromiter": _from_iterable,
    "full": _if_tensors(np.full, _full, 1),
    "full_like": _if_tensors(np.full_like, _full_like, 1),
}
"""Those that take arrays, as they keep tensors; of plain arrays they make plain ones."""


class _Keeping:
    """The namespace of NumPy, in which nothing that makes an array takes the value of a tensor."""

    def __init__(self, makers: dict[str, Function]) -> None:
        self._makers = makers

    def __getattr__(self, name: str) -> Any:
        return self._makers[name] if name in self._makers else getattr(np, name)


KEEPING: Final = _Keeping({"array": _array, "asarray": _array})
"""For code that never writes into an array."""
