"""What is recording now, in this thread.

Each thread has its own stack, so a tape never sees another thread's operations.
"""

from __future__ import annotations

import threading
from typing import Any, ClassVar, Final

from symtape.primitives.primitive import Params, Primitive

__all__ = ["NO_PARAMS", "STACK", "Recorder"]


NO_PARAMS: Final[Params] = {}
"""The static parameters of an operation that has none."""


class Recorder:
    """Something that listens to the operations applied to tensors; by default to none of it."""

    __slots__ = ()

    locates: ClassVar[bool] = False
    """Whether it wants to know where in the user's source an operation comes from."""

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

    def steer(self, tensor: Any, outcome: bool) -> None:
        """Take note that ``bool(tensor)`` was `outcome`, and so may have steered control flow."""

    def customise(self, name: str, again: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Take note that ``again(*args, **kwargs)`` is a function with a gradient of its own."""

    def alias(self, output: Any, tensor: Any) -> None:
        """Take note that `output` is the same value as `tensor` under another identity."""

    def locate(self) -> Any:
        """Where in the user's source the present operation comes from."""


class Stack(threading.local):
    """The recorders of one thread, outermost first."""

    def __init__(self) -> None:
        self.recorders: list[Recorder] = []
        self.forced_origin: Any = None

    def origin(self) -> Any:
        """Where in the user's source the present operation comes from, if anyone asks."""
        if self.forced_origin is not None:
            return self.forced_origin
        for recorder in self.recorders:
            if recorder.locates:
                return recorder.locate()
        return None

    def escape(self, tensor: Any, how: str) -> None:
        """Tell every recorder that a value left."""
        for recorder in self.recorders:
            recorder.escape(tensor, how)

    def traces(self, tensor: Any) -> bool:
        """Whether any recorder follows `tensor`."""
        return any(recorder.traces(tensor) for recorder in self.recorders)


STACK = Stack()
