"""What the latest recordings traced, so that a tensor kept from one of them is known for it.

A function that keeps values between calls may hand a tensor of one recording to the next, in
which it is a constant: what was computed from the input no longer depends on it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from symtape.recording.origin import Origin
from symtape.recording.tensor import Tensor, next_id

__all__ = ["FINISHED", "KEPT"]

KEPT: Final = "a tensor kept from an earlier call"
"""How a value left that comes back in a later recording."""

_MOST_ENTRIES: Final = 2000
_MOST_TENSORS: Final = 100_000
"""Of so many tensors the last recordings remember what they were."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """The tensors of one recording; of a span of calls all that were made, by their ids."""

    first: int
    last: int
    traced: Mapping[int, int] | None = None
    constants: Collection[int] = ()
    applied: Sequence[Any] = ()

    def __len__(self) -> int:
        return len(self.traced or ())

    def has(self, identity: int) -> bool:
        """Whether a tensor was computed from what was followed."""
        if not self.first <= identity <= self.last:
            return False
        if self.traced is None:
            return True
        index = self.traced.get(identity)
        return index is not None and index not in self.constants

    def origin(self, identity: int) -> Origin | None:
        """The line that made it; None of an input."""
        index = None if self.traced is None else self.traced.get(identity)
        return next((step.origin for step in self.applied if index in step.outputs), None)


class _Finished(threading.local):
    """The latest recordings of this thread."""

    def __init__(self) -> None:
        self._entries: deque[_Entry] = deque()
        self._tensors = 0

    def add(
        self, traced: Mapping[int, int], constants: Collection[int], applied: Sequence[Any]
    ) -> None:
        """Take note of a recording that has ended.

        Parameters
        ----------
        traced : mapping of int to int
            The ids of its tensors, with their positions.
        constants : collection of int
            Positions of those that it did not follow.
        applied : sequence of Applied
        """
        if not traced or len(traced) > _MOST_TENSORS:
            return
        ids = traced.keys()
        self._append(_Entry(min(ids), max(ids), traced, frozenset(constants), applied))

    @contextmanager
    def span(self) -> Iterator[None]:
        """Take every tensor that is made inside for one that a finished call followed."""
        first = next_id()
        try:
            yield
        finally:
            last = next_id()
            if last > first + 1:
                self._append(_Entry(first, last))

    def _append(self, entry: _Entry) -> None:
        self._entries.append(entry)
        self._tensors += len(entry)
        while self._tensors > _MOST_TENSORS or len(self._entries) > _MOST_ENTRIES:
            self._tensors -= len(self._entries.popleft())

    def traced(self, tensor: Tensor) -> bool:
        """Whether a recording that has ended followed `tensor`."""
        return any(entry.has(tensor._id) for entry in self._entries)

    def origin(self, tensor: Tensor) -> Origin | None:
        """The line that made it, if it is known."""
        found = (entry.origin(tensor._id) for entry in self._entries if entry.has(tensor._id))
        return next((origin for origin in found if origin is not None), None)


FINISHED: Final = _Finished()
