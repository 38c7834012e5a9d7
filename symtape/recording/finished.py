"""What the latest recordings traced, so that a tensor kept from one of them is known for it.

A function that keeps values between calls may hand a tensor of one recording to the next, in
which it is a constant: what was computed from the input no longer depends on it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from symtape.recording.origin import Origin
from symtape.recording.refusals import KEPT
from symtape.recording.tensor import Tensor, next_id

_MOST_ENTRIES: Final = 1000
_MOST_TENSORS: Final = 50_000
"""Of so many tensors the last recordings remember what they were."""


class _FinishedRecording:
    """The tensors of one recording, by their ids."""

    __slots__ = ("applied", "constants", "known", "start")

    def __init__(
        self,
        start: int,
        known: Mapping[int, int],
        constants: Collection[int],
        applied: Sequence[Any],
    ) -> None:
        self.start = start
        self.known, self.constants, self.applied = known, constants, applied

    def __contains__(self, identity: int) -> bool:
        """Whether a tensor was an input, or was computed from one."""
        index = self.known.get(identity)
        return index is not None and index not in self.constants

    def origin(self, identity: int) -> Origin | None:
        """The line that made a tensor; None of an input."""
        index = self.known.get(identity)
        return next((step.origin for step in self.applied if index in step.outputs), None)


class _FinishedRecordings(threading.local):
    """The latest recordings of this thread, and spans of calls."""

    def __init__(self) -> None:
        self._recorded: deque[_FinishedRecording] = deque()
        self._tensors = 0
        self._spans: deque[range] = deque(maxlen=_MOST_ENTRIES)
        self.latest = [0, 0]

    def add(
        self,
        start: int,
        known: Mapping[int, int],
        constants: Collection[int],
        applied: Sequence[Any],
    ) -> None:
        """Take note of a recording that has ended.

        Parameters
        ----------
        start : int
            All of its tensors have greater ids.
        known : mapping of int to int
            The ids of its tensors, with their positions.
        constants : collection of int
            Positions of those that it did not follow.
        applied : sequence of Applied
        """
        size = len(known)
        if not 0 < size <= _MOST_TENSORS:
            return
        recorded = self._recorded
        recorded.append(_FinishedRecording(start, known, frozenset(constants), applied))
        self._tensors += size
        while self._tensors > _MOST_TENSORS or len(recorded) > _MOST_ENTRIES:
            self._tensors -= len(recorded.popleft().known)

    @contextmanager
    def span(self) -> Iterator[None]:
        """Take every tensor that is made inside for one that a finished call followed."""
        first = next_id()
        try:
            yield
        finally:
            self.add_span(first)

    def add_span(self, first: int) -> None:
        """Take every tensor since `first` for one that a finished call followed."""
        latest, last = self.latest, next_id()
        # One loop of calls is one span.
        if first <= latest[1] + 1:
            if first < latest[0]:
                latest[0] = first
            latest[1] = last
            return
        self._spans.append(range(*latest))
        latest[:] = first, last

    def has_traced(self, tensor: Tensor) -> bool:
        """Whether a recording, or a call, that has ended followed `tensor`."""
        identity = tensor._id
        # Constants of a program are older than what is known of, and are asked for most.
        if self.latest[0] <= identity < self.latest[1]:
            return True
        if all(identity < known[0].start for known in (self._recorded, self._spans) if known):
            return False
        if any(identity in span for span in self._spans):
            return True
        return any(identity in entry for entry in self._recorded)

    def origin(self, tensor: Tensor) -> Origin | None:
        """The line that made it, if it is known."""
        found = (entry.origin(tensor._id) for entry in self._recorded if tensor._id in entry)
        return next((origin for origin in found if origin is not None), None)


FINISHED: Final = _FinishedRecordings()
