"""Functions whose intermediate values are not kept, but computed anew for the gradient."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from symtape.errors import BudgetSpent, NotTraceable
from symtape.reading.readings import readings
from symtape.recording.inside import call_inside
from symtape.recording.joint import joint_edges
from symtape.recording.misfits import check_function
from symtape.recording.stack import STACK, Recorder
from symtape.recording.structure import flatten, pack
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, constant, tensor_of
from symtape.recording.variable import Variable

P = ParamSpec("P")
Y = TypeVar("Y")


@contextmanager
def stop_recording() -> Iterator[None]:
    """Pause all tapes of this thread; what is computed meanwhile is constant to them.

    One tape is paused by :meth:`GradientTape.stop_recording`.

    Examples
    --------
    >>> import symtape
    >>> x = symtape.Variable(3.0)
    >>> with symtape.GradientTape() as outer, symtape.GradientTape() as inner:
    ...     with symtape.stop_recording():
    ...         scale = x * 2
    ...     y = x * scale
    >>> inner.gradient(y, x).numpy(), outer.gradient(y, x).numpy()
    (np.float64(6.0), np.float64(6.0))
    """
    paused = [one for one in STACK.begun_here() if isinstance(one, GradientTape)]
    for tape in paused:
        tape._pop()
    try:
        yield
    finally:
        for tape in paused:
            tape._push()


class _Reads(Recorder):
    """Notes what a function computes with that is followed, and neither its own nor an argument.

    Parameters
    ----------
    tapes : sequence of GradientTape
        That follow it.
    arguments : sequence of Tensor
    """

    def __init__(self, tapes: Sequence[GradientTape], arguments: Sequence[Tensor]) -> None:
        self._tapes = tapes
        self._known = {x._id for x in arguments}
        self._followed = {x._id: x for x in arguments if self._is_traced(x)}
        self.found: dict[int, Tensor] = {}
        self.states: list[tuple[Variable, Any]] = []

    def _is_traced(self, x: Tensor) -> bool:
        return any(tape.traces(x) for tape in self._tapes)

    def record(self, primitive: Any, inputs: tuple[Any, ...], params: Any, output: Any) -> None:
        for x in inputs:
            if isinstance(x, Tensor) and x._id not in self._known and self._is_traced(x):
                self.found[x._id] = self._followed[x._id] = x
        source = next((self._followed[x._id] for x in inputs if self._follows(x)), None)
        for part in output if type(output) is tuple else (output,):
            self._known.add(part._id)
            if source is not None:
                self._followed[part._id] = source

    def _follows(self, x: Any) -> bool:
        return isinstance(x, Tensor) and x._id in self._followed

    def read_variable(self, variable: Variable) -> None:
        self.states.append((variable, variable._value))
        for tape in self._tapes:
            tape.read_variable(variable)

    def escape(self, tensor: Tensor, how: str) -> None:
        """Tell the tapes, which know what is computed here by what it is computed of."""
        source = tensor if self._is_traced(tensor) else self._followed.get(tensor._id)
        for tape in self._tapes:
            if source is not None:
                tape.escape(source, how)


def checkpoint(function: Callable[P, Y]) -> Callable[P, Y]:
    """Keep nothing of what `function` computes, and compute it again for its gradient.

    Memory is saved, and time spent. Called ``recompute_grad`` in TensorFlow. Derivatives of every
    order are those of `function`, by its arguments and by what it reads from around it.

    Parameters
    ----------
    function : callable
        Which gives the same result when it is called again.

    Returns
    -------
    callable

    Examples
    --------
    >>> import numpy as np, symtape
    >>> block = symtape.checkpoint(lambda x: np.sin(np.exp(x)))
    >>> symtape.grad(lambda x: block(x) * x)(0.0)
    np.float64(0.8414709848078965)
    """
    check_function(function)

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
        tapes = [one for one in STACK.begun_here() if isinstance(one, GradientTape)]
        if not tapes or any(not isinstance(one, GradientTape) for one in STACK.recorders):
            return function(*args, **kwargs)
        given = flatten((args, kwargs))
        arguments = [x._read() if isinstance(x, Tensor) else x for x in given]
        reads = _Reads(tapes, [x for x in arguments if isinstance(x, Tensor)])
        with stop_recording():
            STACK.push(reads)
            try:
                result = call_inside(function, *args, **kwargs)
            finally:
                STACK.remove(reads)
        again = _Again(function, (args, kwargs), arguments, reads)
        outputs = [_fresh(part) for part in flatten(result)]
        again.record(list(filter(_is_float, outputs)), tapes)
        return pack(result, iter(outputs))

    return wrapper


def _is_float(part: Any) -> bool:
    return isinstance(part, Tensor) and part.dtype.kind in "fc"


def _fresh(part: Any) -> Any:
    """A result under an identity of its own, as it may be an argument that is handed through."""
    return tensor_of(part._read()._value) if isinstance(part, Tensor) else part


class _Again:
    """Calls a function another time, on the tensors that it was called with."""

    def __init__(
        self, function: Callable[..., Any], called: Any, arguments: list[Any], reads: _Reads
    ) -> None:
        self._function, self._called = function, called
        self._name = getattr(function, "__name__", type(function).__name__)
        self._arguments, self._states = arguments, reads.states
        self._inputs = [*arguments, *reads.found.values()]

    def record(self, outputs: list[Tensor], tapes: Sequence[GradientTape]) -> None:
        """Append the edges from the outputs to what they were computed of."""
        for tape in tapes:
            traced = [k for k, x in enumerate(self._inputs) if tape.traces(x)]
            if traced and outputs:
                edges = joint_edges(self._name, self._inputs, traced, self)
                tape.append_edges(outputs[0] if len(outputs) == 1 else tuple(outputs), edges)

    def __call__(self, *cotangents: Any) -> list[Any]:
        """The cotangents of the inputs.

        Raises
        ------
        NotTraceable
            A variable has another state than when the function was called.
        """
        for variable, state in self._states:
            if variable._value is not state:
                raise NotTraceable(
                    f"{self._name} is a checkpoint, and {variable.name} was assigned since it was "
                    "called: computed again it would be another function; ask for the gradient "
                    "before variables are assigned"
                )
        sources = [x if isinstance(x, Tensor) else constant(0.0) for x in self._inputs]
        tape, outputs = self._record_again(sources, len(cotangents))
        found: list[Any] = tape.gradient(outputs, sources, output_gradients=list(cotangents))
        return found

    def _record_again(self, sources: list[Tensor], count: int) -> tuple[GradientTape, list[Tensor]]:
        """A tape of the function, as it stands or as it is read, and its `count` results."""
        args, kwargs = pack(self._called, iter(self._arguments))
        outer = [(one, len(one.escaped())) for one in STACK.recorders]
        for way in itertools.chain((self._function,), readings(self._function)):
            with GradientTape(watch_accessed_variables=False) as tape:
                tape._ids.update(x._id for x in sources)
                try:
                    outputs = list(filter(_is_float, flatten(way(*args, **kwargs))))
                except BudgetSpent:
                    raise
                except Exception:  # noqa: BLE001  # users' code, which ran before: it is no way
                    outputs = []
            if tape._left is None and len(outputs) == count:
                return tape, outputs
            for one, number in outer:
                del one.escaped()[number:]
        raise NotTraceable(f"{self._name} is a checkpoint, and can not be computed again")


recompute_grad = checkpoint
