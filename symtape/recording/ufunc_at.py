"""What ``np.add.at`` and its like do to arrays that take tensors."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.primitives.indexing import SCATTER
from symtape.recording.nested import join_nested, plain_array_error, to_decision
from symtape.recording.place import Place
from symtape.recording.storage import reshape_tensor

_ndarray: Final = np.ndarray
_SIGNS: Final[dict[np.ufunc, np.ufunc]] = {np.add: np.positive, np.subtract: np.negative}
"""What adds numbers, and what is added."""


def apply_ufunc_at(ufunc: np.ufunc, a: Any, index: Any, *values: Any) -> None:
    """What ``np.add.at(a, index, value)`` and its like do, one occurrence of a place at a time."""
    if not isinstance(a, Place):
        raise plain_array_error(f"np.{ufunc.__name__}.at")
    index = tuple(map(to_decision, index)) if isinstance(index, tuple) else to_decision(index)
    places = np.arange(a.size).reshape(a.shape)[index]
    spread = [np.broadcast_to(join_nested(v), places.shape) for v in values]
    known = ufunc in _SIGNS and a.dtype.kind in "iufc"
    if known and a.dtype == np.result_type(a.dtype, spread[0].dtype):
        _add_at(a, index, places, _SIGNS[ufunc](spread[0].astype(a.dtype)))
        return
    given = [np.reshape(v, (-1,)) for v in spread]
    flat, line = a.flat, places.ravel()
    for now in _list_turns(line):
        flat[line[now]] = ufunc(flat[line[now]], *(v[now] for v in given))


def _list_turns(places: Any) -> list[Any]:
    """The numbers of all first occurrences of a place, of all second ones, and so on."""
    order = np.argsort(places, kind="stable")
    begins = np.diff(places[order], prepend=-1) != 0
    count = np.arange(places.size)
    turns = count - np.maximum.accumulate(np.where(begins, count, 0))
    return [np.sort(order[turns == k]) for k in range(max(turns, default=-1) + 1)]


def _add_at(a: Place, index: Any, places: Any, given: Any) -> None:
    """Add in the order of `places`, to what is there; whole rows where the index takes them."""
    takes_rows = isinstance(index, list | _ndarray) and np.asarray(index).dtype.kind in "iu"
    whole = a._read() if takes_rows else reshape_tensor(a._read(), (-1,))
    at = np.arange(whole.shape[0])
    rows = at[np.asarray(index)].ravel() if takes_rows else places.ravel()
    given = np.reshape(given, rows.shape + whole.shape[1:])
    if whole._id > 0 or np.any(whole):
        rows, given = np.concatenate([at, rows]), np.concatenate([whole, given])
    a[...] = np.reshape(SCATTER(given, shape=whole.shape, index=rows), a.shape)
