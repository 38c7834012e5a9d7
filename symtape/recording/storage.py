"""Where arrays that can be written into keep their elements, and the pieces written over them."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.primitives.choice import WHERE
from symtape.primitives.indexing import SCATTER
from symtape.recording.stack import STACK
from symtape.recording.tensor import Tensor, constant, tensor_of

_FEW: Final = 6
"""Pieces that are put together in less time than all of an array is."""


class Storage:
    """A place that holds a tensor, and pieces that were written over it and are not yet joined.

    So a loop that fills an array reads the elements that it wrote, and makes one array at its end.
    Whoever records the writes records this, too: a tape may have ended meanwhile, or pause.
    """

    __slots__ = (
        *("_indices", "_numbers", "_pieces", "_placed", "_recorders", "_source", "_starts"),
        *("base", "is_joined", "version"),
    )
    _indices: list[Any]
    _pieces: list[Tensor]
    _placed: int
    _recorders: Any
    _source: Any
    _starts: list[int]

    def __init__(self, tensor: Tensor) -> None:
        self.base = tensor
        self.version = 0
        self.is_joined = True
        self._numbers: Any = None

    def _begin(self) -> None:
        self.is_joined = False
        self._pieces = [self.base]
        # Of each piece the index at which it is; None of one that no index says this of.
        self._indices = [None]
        self._starts = [0, self.base.size]
        self._source = None
        self._placed = 1

    @property
    def positions(self) -> Any:
        """The number of each element."""
        if self._numbers is None:
            self._numbers = np.arange(self.base.size).reshape(self.base.shape)
        return self._numbers

    @property
    def is_writeable(self) -> bool:
        """Whether nobody has forbidden to write."""
        return self._numbers is None or bool(self._numbers.flags.writeable)

    def write(self, positions: Any, target: Any, value: Any) -> None:
        """Put elements of `value`, those numbered in `target` from 0 on, at positions."""
        self._append(None, value)
        source, start, written = self._find_source(), self._starts[-2], target >= 0
        source.reshape(-1)[positions[written]] = start + target[written]
        if value.size >= self.base.size and np.all(source >= start):
            self._join()

    def write_by_index(self, index: tuple[Any, ...], value: Any) -> None:
        """Put `value`, of the shape there or a number, at an index that takes no element twice."""
        self._append(index, value)
        if value.size == self.base.size:
            self._join()

    def replace_all(self, value: Any) -> None:
        """Put `value`, which has the shape of the whole, in place of all that is there."""
        self.base = value if isinstance(value, Tensor) else constant(value)
        self.version, self.is_joined = self.version + 1, True

    def _append(self, index: Any, value: Any) -> None:
        self.version += 1
        if not self.is_joined and self._recorders != STACK.recorders:
            self._join()
        if self.is_joined:
            self._begin()
            self._recorders = STACK.recorders
        self._pieces.append(value if isinstance(value, Tensor) else constant(value))
        self._indices.append(index)
        self._starts.append(self._starts[-1] + value.size)

    def _find_source(self) -> Any:
        """For each element its number among those of all pieces."""
        if self._source is None:
            self._source = np.arange(self.base.size).reshape(self.base.shape)
        for at in range(self._placed, len(self._pieces)):
            if (index := self._indices[at]) is not None:
                start, shape = self._starts[at], self._pieces[at].shape
                if shape:
                    numbers = np.arange(start, self._starts[at + 1])
                    self._source[index] = numbers.reshape(shape)
                else:
                    self._source[index] = start
        self._placed = len(self._pieces)
        return self._source

    def number_at(self, index: Any) -> Any:
        """The number at an index of whole numbers, where not all is joined; None of what has axes.

        Raises
        ------
        IndexError
            As NumPy does.
        """
        at = self._find_source()[index]
        if isinstance(at, np.ndarray):
            return None
        number = bisect.bisect_right(self._starts, at) - 1
        if not number:
            return self.base[index]
        piece = self._pieces[number]
        if piece.size == 1:
            return reshape_tensor(piece, ())
        return reshape_tensor(piece, (-1,))[int(at) - self._starts[number]]

    def piece_at(self, positions: Any, look: Callable[[Any], Any] | None) -> Any:
        """What is at positions, if it is part of the whole and of one piece; None otherwise.

        Where nothing was written, `look` gives it, of what was there before.
        """
        if self.is_joined or not isinstance(positions, np.ndarray | np.integer):
            return None
        if not 0 < positions.size < self.base.size:
            return None
        if not positions.ndim:
            return self.number_at(np.unravel_index(positions, self.base.shape))
        source = self._find_source().reshape(-1)[positions]
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
        if not self.is_joined:
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
            if len(self._pieces) <= _FEW + 1:
                for at in range(1, len(self._pieces)):
                    self.base = self._put_piece(at)
            else:
                source = self._find_source()
                joined = self._joined(*self._owners(source.reshape(-1)))
                self.base = reshape_tensor(joined, source.shape)
        finally:
            STACK.recorders = recorders
        self.is_joined = True

    def _put_piece(self, at: int) -> Tensor:
        """The base, but for the elements where a piece is, after all pieces before it."""
        piece, index = self._pieces[at], self._indices[at]
        if index is not None:
            return overwrite_by_index(self.base, index, piece)
        start = self._starts[at]
        chosen = self._find_source() - start
        if start + piece.size < self._starts[-1]:
            chosen = np.where(chosen >= piece.size, -1, chosen)
        return overwrite_elements(self.base, chosen, piece)

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
    has_it = np.shape(x) == shape or (shape == (-1,) and np.ndim(x) == 1)
    return x if has_it else np.reshape(x, shape)


def overwrite_by_index(whole: Tensor, index: tuple[Any, ...], value: Any) -> Tensor:
    """`whole`, but for the elements at an index, which takes none of them twice."""
    if value.size == whole.size:
        if value.shape == whole.shape and all(map(_takes_all, index)):
            return value  # type: ignore[no-any-return]
    elif not value.size:
        return whole
    elif not _is_zero(whole) or (not value.ndim and whole._value[index].ndim):
        written = np.zeros(whole.shape, bool)
        written[index] = True
        put = SCATTER(value, shape=whole.shape, index=index) if value.ndim else value
        return WHERE(written, put, whole)  # type: ignore[no-any-return]
    return SCATTER(value, shape=whole.shape, index=index)  # type: ignore[no-any-return]


def _takes_all(item: Any) -> bool:
    """Whether an item of an index takes all that is along an axis, in its order."""
    return item is Ellipsis or (type(item) is slice and item == slice(None))


def _is_zero(x: Tensor) -> bool:
    """Whether a tensor is a constant of nothing but positive zeros."""
    if x._id >= 0 or np.count_nonzero(x._value):
        return False
    return not np.count_nonzero(np.signbit(x._value.real))


def overwrite_elements(whole: Tensor, chosen: Any, value: Any) -> Tensor:
    """`whole`, but for the elements that are `chosen` from `value` by number."""
    taken = chosen >= 0
    if not taken.any():
        return whole
    line = reshape_tensor(value, (-1,))
    if taken.all():
        found = reshape_tensor(_take_from(line, chosen.ravel()), whole.shape)
        return found if isinstance(found, Tensor) else constant(found)
    if value.size == 1:
        found = WHERE(taken, line[0] if value.ndim else value, whole)
    else:
        put = SCATTER(_take_from(line, chosen[taken]), shape=whole.shape, index=(taken,))
        found = put if _is_zero(whole) else WHERE(taken, put, whole)
    return found if isinstance(found, Tensor) else tensor_of(np.asarray(found))
