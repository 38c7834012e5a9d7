"""Where arrays that can be written into keep their elements, and the pieces written over them."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.primitives.choice import WHERE
from symtape.recording.stack import STACK
from symtape.recording.tensor import Tensor, constant, tensor_of

_FEW: Final = 3
"""Pieces that are put together in less time than all of an array is."""


class Storage:
    """A place that holds a tensor, and pieces that were written over it and are not yet joined.

    So a loop that fills an array reads the elements that it wrote, and makes one array at its end.
    Whoever records the writes records this, too: a tape may have ended meanwhile, or pause.
    """

    __slots__ = ("_numbers", "_pieces", "_recorders", "_source", "_starts", "base", "version")

    def __init__(self, tensor: Tensor) -> None:
        self.base = tensor
        self.version = 0
        self._numbers: Any = None
        self._begin()

    def _begin(self) -> None:
        self._pieces: list[Tensor] = [self.base]
        self._starts = [0, self.base.size]
        self._source: Any = None
        self._recorders: Any = None

    @property
    def positions(self) -> Any:
        """The number of each element."""
        if self._numbers is None:
            self._numbers = np.arange(self.base.size).reshape(self.base.shape)
        return self._numbers

    def write(self, positions: Any, target: Any, value: Any) -> None:
        """Put elements of `value`, those numbered in `target` from 0 on, at positions."""
        self.version += 1
        if self._source is not None and self._recorders != STACK.recorders:
            self._join()
        if self._source is None:
            self._source, self._recorders = np.arange(self.base.size), STACK.recorders
        start = self._starts[-1]
        written = target >= 0
        self._source[positions[written]] = start + target[written]
        self._pieces.append(value if isinstance(value, Tensor) else constant(value))
        self._starts.append(start + value.size)
        if value.size >= self.base.size and np.all(self._source >= start):
            self._join()

    def piece_at(self, positions: Any, look: Callable[[Any], Any] | None) -> Any:
        """What is at positions, if it is part of the whole and of one piece; None otherwise.

        Where nothing was written, `look` gives it, of what was there before.
        """
        if self._source is None or not isinstance(positions, np.ndarray | np.integer):
            return None
        if not 0 < positions.size < self.base.size:
            return None
        if not positions.ndim:
            at = int(self._source[positions])
            number = bisect.bisect_right(self._starts, at) - 1
            piece, at = self._pieces[number], at - self._starts[number]
            return np.ravel(piece)[at] if piece.size > 1 else reshape_tensor(piece, ())
        source = self._source[positions]
        if look is not None and np.array_equal(source, positions):
            return look(self.base)
        number = bisect.bisect_right(self._starts, source.min()) - 1
        start, end = self._starts[number : number + 2]
        if source.max() >= end:
            return None
        line = reshape_tensor(self._pieces[number], (-1,))
        return reshape_tensor(_take_from(line, np.ravel(source) - start), positions.shape)

    @property
    def tensor(self) -> Tensor:
        """All that is there now."""
        if self._source is not None:
            self._join()
        return self.base

    def _owners(self, source: Any) -> tuple[Any, Any]:
        """Of elements the pieces that have them, and their numbers in these."""
        starts = np.array(self._starts)
        owner = np.searchsorted(starts, source, "right") - 1
        return owner, source - starts[owner]

    def _join(self) -> None:
        """Make one tensor of all pieces of which something is left."""
        recorders, STACK.recorders = STACK.recorders, self._recorders
        try:
            shape, source = self.base.shape, self._source
            if len(self._pieces) <= _FEW + 1:
                for start, piece in zip(self._starts[1:], self._pieces[1:], strict=False):
                    chosen = source - start
                    if start + piece.size < self._starts[-1]:
                        chosen[chosen >= piece.size] = -1
                    self.base = overwrite_elements(self.base, chosen.reshape(shape), piece)
            else:
                self.base = reshape_tensor(self._joined(*self._owners(source)), shape)
        finally:
            STACK.recorders = recorders
        self._begin()

    def _joined(self, owner: Any, numbers: Any) -> Any:
        """Elements of pieces in a row, of which those of one number are stacked first."""
        sizes = np.diff(self._starts)
        singles = np.unique(owner[sizes[owner] == 1])
        stack = [reshape_tensor(self._pieces[one], ()) for one in singles.tolist()]
        rank = np.searchsorted(singles, owner)
        if len(stack) > 1:
            numbers = np.where(sizes[owner] == 1, rank, numbers)
            owner = np.where(sizes[owner] == 1, -1, owner)
        order = np.argsort(owner, kind="stable")
        left, begins = np.unique(owner[order], return_index=True)
        parts = []
        for one, needed in zip(left.tolist(), np.split(numbers[order], begins[1:]), strict=True):
            piece = np.stack(stack) if one < 0 else reshape_tensor(self._pieces[one], (-1,))
            parts.append(_take_from(piece, needed))
        return _take_from(parts[0] if len(parts) == 1 else np.concatenate(parts), np.argsort(order))


def _take_from(line: Any, numbers: Any) -> Any:
    """Elements of a line by their numbers; itself, where these are all in order."""
    if np.array_equal(numbers, np.arange(line.size)):
        return line
    return line[numbers]


def reshape_tensor(x: Any, shape: tuple[int, ...]) -> Any:
    """`x` in a shape, and itself where it has that."""
    return x if np.shape(x) == shape else np.reshape(x, shape)


def overwrite_elements(whole: Tensor, chosen: Any, value: Any) -> Tensor:
    """`whole`, but for the elements that are `chosen` from `value` by number."""
    taken = chosen >= 0
    if not taken.any():
        return whole
    if value.size == 1:
        put: Any = np.reshape(value, ()) if value.ndim else value
    elif np.array_equal(chosen.ravel(), np.arange(value.size)):
        put = np.reshape(value, whole.shape)
    else:
        put = np.reshape(value, (-1,))[np.maximum(chosen, 0)]
    if taken.all() and put.shape == whole.shape:
        return put if isinstance(put, Tensor) else constant(put)
    found = WHERE(taken, put, whole)
    return found if isinstance(found, Tensor) else tensor_of(np.asarray(found))
