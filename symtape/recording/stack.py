"""What is recording now, and what the latest recordings traced.

Each thread has a stack of its own. One that records nothing itself still tells the recorders of
the others what is done to their tensors, so that a thread pool inside a function is followed.

A function that keeps values between calls may hand a tensor of one recording to the next, in which
it is a constant: what was computed from the input no longer depends on it. So it is known of a
tensor whether a recording that is over traced it.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from symtape.primitives.ownership import COPIES
from symtape.primitives.primitive import Params, Primitive
from symtape.recording.origin import Origin

next_id: Callable[[], int] = itertools.count(1).__next__
"""The identity of the next tensor, or where a recording begins among them."""

NO_PARAMS: Final[Params] = {}
"""The static parameters of an operation that has none."""


class Recorder:
    """Something that is told of the operations applied to tensors; by default it notes none."""

    __slots__ = ()

    locates: ClassVar[bool] = False
    """Whether it wants to know where in the user's source an operation comes from."""

    keeps_all: ClassVar[bool] = True
    """Whether it keeps all that an operation is applied to, or only what rules need."""

    decides: ClassVar[bool] = False
    """Whether it keeps decisions, those included that a value is rounded to what it is."""

    def traces(self, tensor: Any) -> bool:
        """Whether it follows `tensor`."""
        return False

    def record(
        self, primitive: Primitive, inputs: tuple[Any, ...], params: Params, output: Any
    ) -> None:
        """Take note of one application; `output` is a tensor, or a tuple of them."""

    def read_variable(self, variable: Any) -> None:
        """Take note that `variable` was read."""

    def assign(self, variable: Any) -> None:
        """Take note that `variable` has a new state."""

    def escape(self, tensor: Any, how: str) -> None:
        """Take note that the value of `tensor` left for plain Python or NumPy by `how`."""

    def write(self, tensor: Any) -> None:
        """Take note that the value of `tensor` was written as text."""

    def escaped(self) -> list[Any]:
        """What it has taken note of by :meth:`escape`; the last can be taken back."""
        return []

    def steer(self, tensor: Any, outcome: bool) -> None:
        """Take note that ``bool(tensor)`` was `outcome`, and so may have steered control flow."""

    def customise(self, name: str, again: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Take note that ``again(*args, **kwargs)`` is a function with a gradient of its own."""

    def alias(self, output: Any, tensor: Any) -> None:
        """Take note that `output` is the same value as `tensor` under another identity."""

    def locate(self) -> Any:
        """Where in the user's source the present operation comes from."""


class _Elsewhere(dict[int, Recorder]):
    """The recorders of all threads, as a thread that records nothing itself sees them.

    They can be walked through, and still nothing records *here*: it counts as false.
    """

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        # In one step: other threads come and go.
        return iter(list(self.values()))


ELSEWHERE: Final = _Elsewhere()
"""Empty as long as nothing records anywhere."""


class Stack(threading.local):
    """The recorders of one thread, outermost first.

    Attributes
    ----------
    recorders : iterable of Recorder
        Those that are told of an operation; true only where one was begun in this thread.
    failures : int
        Operations that raised; code may catch that and go on.
    failure : str
        The last of them.
    """

    def __init__(self) -> None:
        self.failures, self.failure = 0, ""
        self.recorders: Any = ELSEWHERE
        self.forced_origin: Any = None
        self._others = 0

    def push(self, recorder: Recorder) -> None:
        """Begin: `recorder` is told of all in this thread, and of its tensors in others."""
        before = self.recorders
        if before is ELSEWHERE:
            before = list(ELSEWHERE) if len(ELSEWHERE) else ()
            if before:
                self._others = len(before)
        self.recorders = [*before, recorder]
        ELSEWHERE[id(recorder)] = recorder
        if COPIES.held is None:
            COPIES.held = {}

    def remove(self, recorder: Recorder) -> None:
        """End what :meth:`push` began."""
        left = self.recorders
        if left:
            left = left[:-1] if left[-1] is recorder else [r for r in left if r is not recorder]
        if left and len(left) <= self._others:
            # They were begun in other threads, where they end.
            left, self._others = None, 0
        self.recorders = left or ELSEWHERE
        if not left:
            COPIES.held = None
        ELSEWHERE.pop(id(recorder), None)

    def begun_here(self) -> list[Recorder]:
        """The recorders that were begun in this thread."""
        recorders = self.recorders
        return recorders[self._others :] if recorders else []

    def origin(self) -> Any:
        """Where in the user's source the present operation comes from, if anyone asks."""
        if self.forced_origin is not None:
            return self.forced_origin
        for recorder in self.recorders:
            if recorder.locates:
                return recorder.locate()
        return None

    def keeps(self, primitive: Primitive) -> bool:
        """Whether anyone keeps what `primitive` is applied to."""
        if primitive.keeps:
            return len(self.recorders) > 0
        return any(recorder.keeps_all for recorder in self.recorders)

    def fail(self, name: str, error: Exception) -> None:
        """Take note that an operation raised."""
        self.failures += 1
        origin = self.origin()
        self.failure = f"{name} raised {type(error).__name__}{f' at {origin}' if origin else ''}"

    def escape(self, tensor: Any, how: str) -> None:
        """Tell every recorder that a value left."""
        for recorder in self.recorders:
            recorder.escape(tensor, how)

    def write(self, tensor: Any) -> None:
        """Tell every recorder that a value was written as text."""
        for recorder in self.recorders:
            recorder.write(tensor)

    def traces(self, tensor: Any) -> bool:
        """Whether any recorder follows `tensor`."""
        return any(recorder.traces(tensor) for recorder in self.recorders)

    def others_trace(self, tensor: Any) -> bool:
        """Whether recorders of other threads alone follow `tensor`."""
        return len(ELSEWHERE) > 0 and not self.recorders and self.traces(tensor)

    @contextmanager
    def join(self) -> Iterator[None]:
        """Take part in what other threads record, as if it had been begun in this one."""
        self.recorders = list(ELSEWHERE)
        self._others = 0
        try:
            yield
        finally:
            self.recorders = ELSEWHERE


STACK = Stack()


OBSERVER: Final[ContextVar[Callable[..., Any] | None]] = ContextVar("who observes", default=None)
"""What calls a function while it is noted what it reads from around it."""


def call_observed(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Call a function of a user's, by whoever notes what it reads.

    Examples
    --------
    >>> call_observed(max, 1.0, 2.0)
    2.0
    """
    call = OBSERVER.get()
    return function(*args, **keywords) if call is None else call(function, *args, **keywords)


_MOST_ENTRIES: Final = 1000
_MOST_TENSORS: Final = 50_000
"""Of so many tensors the last recordings remember what they were."""


@dataclass(slots=True, eq=False)
class _FinishedRecording:
    """The tensors of one recording, by their ids."""

    start: int
    known: Mapping[int, int]
    constants: Collection[int]
    applied: Sequence[Any]

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

    def has_traced(self, tensor: Any) -> bool:
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

    def origin(self, tensor: Any) -> Origin | None:
        """The line that made it, if it is known."""
        found = (entry.origin(tensor._id) for entry in self._recorded if tensor._id in entry)
        return next((origin for origin in found if origin is not None), None)


FINISHED: Final = _FinishedRecordings()
