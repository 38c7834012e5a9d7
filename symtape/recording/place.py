"""What an array that can be written into shows: all of a storage, or a view of it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.recording.storage import Storage, reshape_tensor
from symtape.recording.tensor import Tensor

_may_share_memory: Final = np.may_share_memory  # while code is read, it is asked by a longer way


class Place(Tensor):
    """A tensor that is what is there now, and knows where in its storage that is."""

    __slots__ = ("_is_number", "_kept", "_present", "_seen", "_where")
    _is_number: bool
    _present: Tensor
    _kept: Storage | None
    _seen: int
    _where: Any

    @property
    def _storage(self) -> Storage:
        """The place, which most arrays never need: nobody writes into them."""
        if self._kept is None:
            self._kept = Storage(self._present)
        return self._kept

    def _read(self) -> Tensor:
        kept = self._kept
        if kept is not None and self._seen != kept.version:
            there = kept.tensor
            if self._where is None:
                self._present = there
            elif self.size == there.size and np.array_equal(
                np.ravel(self._positions), np.arange(there.size)
            ):
                self._present = reshape_tensor(there, self.shape)
            else:
                self._present = reshape_tensor(there, (-1,))[self._positions]
            self._seen = kept.version
        return self._present

    @property
    def _value(self) -> Any:
        return self._read()._value

    @property
    def _id(self) -> int:  # type: ignore[override]
        return self._read()._id

    @property
    def _positions(self) -> Any:
        """Where in the storage each element is, with the strides of the array that this is."""
        where = self._where
        if where is None:
            return self._storage.positions
        if type(where) is tuple:
            where = self._where = _look_up(self._storage.positions, where)
        return where

    @property
    def is_written(self) -> bool:
        """Whether anything was written into it, or into a view of it."""
        return self._kept is not None and self._kept.version > 0

    @property
    def shape(self) -> tuple[int, ...]:
        """As ``numpy.ndarray.shape``, which can be assigned to."""
        found: tuple[int, ...] = self._present._value.shape
        return found

    @shape.setter
    def shape(self, shape: Any) -> None:
        positions = self._positions.reshape(shape)
        if not _may_share_memory(positions, self._positions):
            raise AttributeError("incompatible shape for in-place modification; use .reshape()")
        self._present = reshape_tensor(self._read(), positions.shape)
        self._where = positions

    @property
    def dtype(self) -> np.dtype[Any]:
        """As ``numpy.ndarray.dtype``."""
        found: np.dtype[Any] = self._present._value.dtype
        return found

    @property
    def ndim(self) -> int:
        """As ``numpy.ndarray.ndim``."""
        found: int = self._present._value.ndim
        return found

    @property
    def size(self) -> int:
        """As ``numpy.ndarray.size``."""
        found: int = self._present._value.size
        return found

    @property
    def flags(self) -> Any:
        """As ``numpy.ndarray.flags``."""
        return self._value.flags if self._is_number else self._positions.flags

    @property
    def strides(self) -> tuple[int, ...]:
        """As ``numpy.ndarray.strides``; those of the places, which are as wide as numbers are."""
        found: tuple[int, ...] = self._positions.strides
        return found


def _look_up(positions: Any, where: Any) -> Any:
    """The positions of a view, told by where an array is, and an index or function of that one."""
    if where is None:
        return positions
    if type(where) is not tuple:
        return where
    before, look = _look_up(positions, where[0]), where[1]
    return look(before) if callable(look) else before[look]
