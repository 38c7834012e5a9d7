"""What ``np.add.at`` and its like do to arrays that take tensors."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.primitives.indexing import SCATTER
from symtape.recording.nested import join_nested, plain_array_error, to_decision
from symtape.recording.place import Place
from symtape.recording.storage import reshape_tensor

_ndarray: Final = np.ndarray
_ADDING: Final = (np.add, np.subtract)


def apply_ufunc_at(ufunc: np.ufunc, a: Any, index: Any, *values: Any) -> None:
    """What ``np.add.at(a, index, value)`` and its like do, one occurrence of a place at a time."""
    if not isinstance(a, Place):
        raise plain_array_error(f"np.{ufunc.__name__}.at")
    index = tuple(map(to_decision, index)) if isinstance(index, tuple) else to_decision(index)
    given = [join_nested(v) for v in values]
    dtype = a.dtype
    if ufunc in _ADDING and dtype.kind in "iufc" and dtype == np.result_type(dtype, given[0].dtype):
        _add_at(a, index, given[0], ufunc is np.subtract)
        return
    places = np.arange(a.size).reshape(a.shape)[index]
    parts = [np.reshape(_spread(v, places.shape), (-1,)) for v in given]
    flat, line = a.flat, places.ravel()
    for now in _list_turns(line):
        flat[line[now]] = ufunc(flat[line[now]], *(v[now] for v in parts))


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    return x if x.shape == shape else np.broadcast_to(x, shape)


def _list_turns(places: Any) -> list[Any]:
    """The numbers of all first occurrences of a place, of all second ones, and so on."""
    order = np.argsort(places, kind="stable")
    begins = np.diff(places[order], prepend=-1) != 0
    count = np.arange(places.size)
    turns = count - np.maximum.accumulate(np.where(begins, count, 0))
    return [np.sort(order[turns == k]) for k in range(max(turns, default=-1) + 1)]


def _add_at(a: Place, index: Any, given: Any, is_negative: bool) -> None:
    """Add, to what is there, in the order of the index; whole rows where it takes them."""
    takes_rows = isinstance(index, list | _ndarray) and np.asarray(index).dtype.kind in "iu"
    whole = a._read() if takes_rows else reshape_tensor(a._read(), (-1,))
    at = np.arange(whole.shape[0])
    rows = (at if takes_rows else at.reshape(a.shape))[index]
    given = _spread(given, rows.shape + whole.shape[1:])
    given = given if given.dtype == a.dtype else given.astype(a.dtype)
    given = -given if is_negative else given
    given, rows = reshape_tensor(given, (rows.size, *whole.shape[1:])), rows.ravel()
    if whole._id > 0 or np.count_nonzero(whole._value):
        rows, given = np.concatenate([at, rows]), np.concatenate([whole, given])
    a[...] = reshape_tensor(SCATTER(given, shape=whole.shape, index=rows), a.shape)
