"""What is recording now.

Each thread has a stack of its own. One that records nothing itself still tells the recorders of
the others what is done to their tensors, so that a thread pool inside a function is followed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final

from symtape.primitives.primitive import Params, Primitive

NO_PARAMS: Final[Params] = {}
"""The static parameters of an operation that has none."""


class Recorder:
    """Something that is told of the operations applied to tensors; by default it notes none."""

    __slots__ = ()

    locates: ClassVar[bool] = False
    """Whether it wants to know where in the user's source an operation comes from."""

    decides: ClassVar[bool] = False
    """Whether it keeps decisions, those included that a value is rounded to what it is."""

    def traces(self, tensor: Any) -> bool:
        """Whether it follows `tensor`."""
        return False

    def record(
        self, primitive: Primitive, inputs: tuple[Any, ...], params: Params, output: Any
    ) -> None:
        """Take note of one application; `output` is a tensor, or a tuple of them."""

    def record_unary(
        self, primitive: Primitive, x: Any, output: Any, params: Params = NO_PARAMS
    ) -> None:
        """As :meth:`record`, for one tensor."""
        self.record(primitive, (x,), params, output)

    def record_binary(
        self, primitive: Primitive, a: Any, b: Any, output: Any, params: Params = NO_PARAMS
    ) -> None:
        """As :meth:`record`, for two inputs."""
        self.record(primitive, (a, b), params, output)

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

    def remove(self, recorder: Recorder) -> None:
        """End what :meth:`push` began."""
        left = self.recorders
        if left:
            left = left[:-1] if left[-1] is recorder else [r for r in left if r is not recorder]
        if left and len(left) <= self._others:
            # They were begun in other threads, where they end.
            left, self._others = None, 0
        self.recorders = left or ELSEWHERE
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
