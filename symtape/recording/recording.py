"""Recording: listens to everything, so that a computation can be frozen to a Graph.

Where a tape keeps the little that its rules need, a recording keeps the operations themselves:
inputs, static parameters, the user's line, the decisions that steered Python's control flow,
and the places where a value left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import RLock, get_ident
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from symtape.errors import BudgetSpent
from symtape.primitives.primitive import Params, Primitive
from symtape.recording.origin import Origin as Origin
from symtape.recording.origin import locate
from symtape.recording.refusals import KEPT, TEXT
from symtape.recording.solvers import ITERATION, is_deciding
from symtape.recording.stack import FINISHED, STACK, Recorder, next_id
from symtape.recording.structure import flatten, pack
from symtape.recording.tensor import Tensor
from symtape.recording.variable import Variable


class AppliedPrimitive(NamedTuple):
    """One application of a primitive, as it happened."""

    primitive: Primitive
    inputs: tuple[int, ...]
    params: Params
    outputs: tuple[int, ...]
    origin: Origin | None


_make_tuple: Final = tuple.__new__
"""What makes an application in half of the time that the constructor of its class takes."""


@dataclass(slots=True)
class CustomisedCall:
    """One call of a function with a gradient of its own, as it happened.

    ``again`` calls the function on other values of its traced inputs.
    """

    name: str
    again: Callable[..., Any]
    inputs: tuple[int, ...]
    origin: Origin | None


@dataclass(slots=True)
class Recording(Recorder):
    """A recorder that keeps every operation that a traced tensor takes part in.

    Used as a context manager; :func:`symtape.graph.freeze` turns it into a Graph.

    Attributes
    ----------
    shared : bool
        Other threads took part, so that the order of operations may be another each time.
    """

    locates: ClassVar[bool] = True
    decides: ClassVar[bool] = True

    inputs: list[int] = field(default_factory=list)
    given: list[Any] = field(default_factory=list)
    constants: dict[int, Any] = field(default_factory=dict)
    applied: list[AppliedPrimitive] = field(default_factory=list)
    decisions: list[tuple[int, bool, Origin | None]] = field(default_factory=list)
    escapes: list[tuple[int, str, Origin | None]] = field(default_factory=list)
    customised: list[CustomisedCall] = field(default_factory=list)
    budget: int | None = None
    shapes: list[tuple[tuple[int, ...], np.dtype[Any]]] = field(default_factory=list)
    _known: dict[int, int] = field(default_factory=dict)
    _numbers: dict[int, int] = field(default_factory=dict)
    _start: int = field(default_factory=next_id)
    _lock: Any = field(default_factory=RLock, repr=False, compare=False)
    _thread: int = field(default_factory=get_ident, repr=False)
    shared: bool = False

    def __enter__(self) -> Recording:
        STACK.push(self)
        return self

    def __exit__(self, *error: object) -> None:
        STACK.remove(self)
        FINISHED.add(self._start, self._known, self.constants.keys(), self.applied)

    def add_input(self, tensor: Tensor) -> None:
        """Trace `tensor` as the next input of the graph."""
        self.inputs.append(self._new(tensor))
        self.given.append(tensor._value)

    def index_of(self, tensor: Any) -> int:
        """The position of `tensor`, taken up as a constant if it is unknown."""
        if isinstance(tensor, Tensor):
            found = self._known.get(tensor._id)
            if found is not None:
                return found
            index = self._new(tensor)
            self.constants[index] = tensor._value
            if self._is_kept(tensor):
                self.escapes.append((index, KEPT, FINISHED.origin(tensor) or self.locate()))
            return index
        # A literal in a loop is the same object at each turn, which constants keep alive.
        index = len(self.shapes)
        if type(tensor) is float or type(tensor) is int:
            index = self._numbers.setdefault(id(tensor), index)
        if index == len(self.shapes):
            array = np.asarray(tensor)
            self.shapes.append((array.shape, array.dtype))
            self.constants[index] = tensor
        return index

    def _is_kept(self, tensor: Tensor) -> bool:
        """Whether `tensor` was computed in another recording, which is over."""
        if tensor._id >= self._start or not FINISHED.has_traced(tensor):
            return False
        return not any(r.traces(tensor) for r in STACK.recorders if r is not self)

    def traces(self, tensor: Any) -> bool:
        """Whether `tensor` is, or was computed from, an input."""
        if not isinstance(tensor, Tensor):
            return False
        index = self._known.get(tensor._id)
        return index is not None and index not in self.constants

    def _new(self, tensor: Tensor) -> int:
        index, value = len(self.shapes), tensor._value
        self.shapes.append((value.shape, value.dtype))
        self._known[tensor._id] = index
        return index

    def record(
        self, primitive: Primitive, inputs: Sequence[Any], params: Params, output: Any
    ) -> None:
        """Keep one application, if an input is traced."""
        known, constants = self._known, self.constants
        indices: list[Any] = []
        is_traced = False
        for x in inputs:
            index = known.get(x._id) if type(x) is Tensor else None
            is_traced = is_traced or (index is not None and index not in constants)
            indices.append(index)
        if not is_traced and not any(map(self.traces, inputs)):  # of which a subclass knows more
            return
        with self._lock:
            if self.budget is not None and len(self.applied) >= self.budget:
                raise self._budget_error("operations")
            for place, index in enumerate(indices):
                if index is None:
                    indices[place] = self.index_of(inputs[place])
            if type(output) is Tensor:
                made: tuple[int, ...] = (self._new(output),)
            else:
                made = tuple(map(self._new, output))
            if get_ident() != self._thread:
                self.shared = True
            step = primitive, tuple(indices), params, made, STACK.forced_origin or locate()
            self.applied.append(_make_tuple(AppliedPrimitive, step))

    def _budget_error(self, what: str) -> BudgetSpent:
        return BudgetSpent(
            f"the recording has reached its budget of {self.budget} {what}; "
            "raise it, or verify a smaller computation"
        )

    def locate(self) -> Origin | None:
        """The innermost line outside symtape and NumPy."""
        return locate()

    def assign(self, variable: Variable) -> None:
        """From here on the variable is another value."""
        self._known.pop(variable._id, None)

    def origin_of(self, output: Any) -> Origin | None:
        """The line of the operation that has just made an output, by its identity."""
        latest = self.applied[-1] if self.applied else None
        if latest is not None and self._known.get(output) in latest.outputs:
            return latest.origin
        found: Origin | None = STACK.origin()
        return found

    def escape(self, tensor: Tensor, how: str) -> None:
        """Keep the place where a traced value left."""
        if self.traces(tensor):
            if self.budget is not None and len(self.escapes) >= self.budget:
                raise self._budget_error("values that left")
            self.escapes.append((self._known[tensor._id], how, self.locate()))

    def write(self, tensor: Tensor) -> None:
        """As an escape: code may read what is written."""
        self.escape(tensor, TEXT)

    def escaped(self) -> list[Any]:
        """The places where values left."""
        return self.escapes

    def steer(self, tensor: Tensor, outcome: bool) -> None:
        """Keep a decision that depended on a traced value."""
        if self.traces(tensor):
            if self.budget is not None and len(self.decisions) >= self.budget:
                raise self._budget_error("decisions")
            self.decisions.append((self._known[tensor._id], outcome, self.locate()))
            if is_deciding():
                self.escape(tensor, ITERATION)

    def customise(
        self, name: str, again: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]
    ) -> None:
        """Keep a call of a function whose gradient is the user's own."""
        leaves = flatten(args, objects=False)
        traced = [place for place, leaf in enumerate(leaves) if self.traces(leaf)]
        if not traced:
            return

        def call_on_others(*xs: Any) -> Any:
            given = dict(zip(traced, xs, strict=True))
            filled = [given.get(place, leaf) for place, leaf in enumerate(leaves)]
            return again(*pack(args, iter(filled), objects=False), **kwargs)

        indices = tuple(self.index_of(leaves[place]) for place in traced)
        self.customised.append(CustomisedCall(name, call_on_others, indices, self.locate()))

    def alias(self, output: Tensor, tensor: Tensor) -> None:
        """`output` is known by the place of `tensor`."""
        self._known[output._id] = self.index_of(tensor)
