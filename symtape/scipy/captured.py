"""Functions that are handed to solvers, recorded with the tensors that they hold.

An integrand or a residual reads parameters from around it. Run by itself, with whoever records
outside left out, it becomes a graph whose inputs are its arguments and those tensors.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.freeze import freeze
from symtape.graph.graph import Graph
from symtape.recording.in_place import lift_tensors
from symtape.recording.nested import join_nested, lower_buffers
from symtape.recording.recording import Recording
from symtape.recording.stack import STACK, Recorder
from symtape.recording.structure import flatten
from symtape.recording.tensor import Tensor, tensor_of

Function = Callable[..., Any]


@contextmanager
def record_alone(recorder: Recorder) -> Iterator[None]:
    """Let nobody but `recorder` know what is done in this thread."""
    before, others = STACK.recorders, STACK._others
    STACK.recorders, STACK._others = [recorder], 0
    try:
        yield
    finally:
        STACK.recorders, STACK._others = before, others


class _Capture(Recording):
    """Takes up tensors that are traced outside as further inputs, in the order of their use."""

    __slots__ = ("captured", "outside")

    def __init__(self) -> None:
        super().__init__()
        self.outside = list(STACK.recorders)
        self.captured: list[Tensor] = []

    def traces(self, tensor: Any) -> bool:
        """Whether `tensor` is an input, computed from one, or traced outside."""
        return super().traces(tensor) or self._is_outside(tensor)

    def _is_outside(self, tensor: Any) -> bool:
        return isinstance(tensor, Tensor) and any(it.traces(tensor) for it in self.outside)

    def index_of(self, tensor: Any) -> int:
        """The position of `tensor`; one from outside becomes an input."""
        if self._is_outside(tensor) and tensor._id not in self._known:
            self.captured.append(tensor._read())
            self.add_input(tensor._read())
        return super().index_of(tensor)

    def escape(self, tensor: Any, how: str) -> None:
        """Keep the place where a value left, if it is traced here or outside."""
        if self._is_outside(tensor):
            self.index_of(tensor)
        super().escape(tensor, how)

    def steer(self, tensor: Any, outcome: bool) -> None:
        """Keep a decision on what is traced here or outside."""
        if self._is_outside(tensor):
            self.index_of(tensor)
        super().steer(tensor, outcome)

    def read_variable(self, variable: Any) -> None:
        """Whoever records outside watches variables by their reading."""
        for recorder in self.outside:
            recorder.read_variable(variable)


class CapturedFunction:
    """A function recorded at `xs`, with the tensors that it holds.

    Parameters
    ----------
    function : callable
        Of tensors; what it returns is joined to arrays, nested ones taken apart.
    xs : sequence of arrays

    Attributes
    ----------
    graph : Graph
        Its inputs are `xs`, then `tensors`.
    tensors : list of Tensor
        What the function reads from around it, as far as anyone follows that.

    Raises
    ------
    Unsupported
        A value leaves the function.
    """

    def __init__(self, function: Function, xs: Sequence[Any], what: str) -> None:
        recording = _Capture()
        given = [tensor_of(np.array(x)) for x in xs]
        for x in given:
            recording.add_input(x)
        with record_alone(recording):
            found = flatten(lower_buffers(function(*map(lift_tensors, given))))
            outputs = [y if isinstance(y, Tensor) else tensor_of(np.asarray(y)) for y in found]
            self.graph: Graph = freeze(recording, [y._read() for y in outputs])
        if self.graph.escapes and recording.captured:
            raise Unsupported(
                f"a value leaves {what} by {self.graph.escapes[0]}; without it there is no "
                "derivative. Write it with NumPy's functions"
            )
        self.tensors = recording.captured


class Plain:
    """A function of tensors as SciPy calls it: of floats, with nobody recording.

    It runs in the context in which this is made, whatever that of the solver is.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._context = contextvars.copy_context()

    def __call__(self, *xs: Any) -> Any:
        """The values of what the function returns."""
        return self._context.copy().run(self._call, *xs)

    def _call(self, *xs: Any) -> Any:
        with record_alone(Recorder()):
            return plain_value(self._function(*xs))


def call_outside(function: Function, *args: Any, **keywords: Any) -> Any:
    """Call a function of SciPy's as it is where nothing is recorded."""
    with record_alone(Recorder()):
        return contextvars.Context().run(function, *args, **keywords)


def plain_value(x: Any) -> Any:
    """A result as a plain number or array."""
    if x is None or isinstance(x, str | bool):
        return x
    value = join_nested(lower_buffers(x))
    return value._value if isinstance(value, Tensor) else np.asarray(value)[()]


def replay_graph(graph: Graph, xs: Sequence[Any]) -> list[Any]:
    """The outputs of a graph at `xs`, plain arrays, on its path.

    Raises
    ------
    ValueError
        The path is another one there.
    """
    values = graph.values_on_path(*xs)
    if values is None:
        raise ValueError("the function takes another path there")
    return [values[at] for at in graph.outputs]
