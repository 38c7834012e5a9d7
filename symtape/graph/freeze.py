"""From a recording to a Graph: what the outputs need, one node for one value.

An order of what threads decided that is the same each time, however they interleaved.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from symtape.errors import NotOnTape, NotTraceable
from symtape.graph.graph import CustomGradient, Decision, Escape, Graph, Node
from symtape.one_line import clip_line
from symtape.primitives.primitive import Params, check_width
from symtape.primitives.protocol import load_late_rows
from symtape.process.work import charge, suspend_collector
from symtape.recording.for_programs import FOR_PROGRAM
from symtape.recording.recording import AppliedPrimitive, Recording
from symtape.recording.structure import flatten
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, constant, tensor_of

load_late_rows()  # those who read graphs ask for rows by their names

Made: TypeAlias = dict[int, tuple[AppliedPrimitive, int]]
"""The operation that made each value, and which of its outputs it is."""


def sort_decisions(recording: Recording, made: Made) -> None:
    """Sort the decisions and escapes of a recording by their lines, and what they are about."""
    known: dict[int, str] = {}

    def digest(index: int) -> str:
        for at in _last_first(index, made, known):
            known[at] = _digest(at, recording, made, known)
        return known[index]

    recording.decisions.sort(key=lambda it: (str(it[2]), digest(it[0]), it[1]))
    recording.escapes.sort(key=lambda it: (str(it[2]), digest(it[0]), it[1]))


def _last_first(index: int, made: Made, known: dict[int, str]) -> list[int]:
    """What a value is made of and is not known yet, the first made first."""
    found: set[int] = set()
    waiting = [index]
    while waiting:
        at = waiting.pop()
        if at in known or at in found:
            continue
        found.add(at)
        waiting.extend(made[at][0].inputs if at in made else ())
    # Whatever took part, it had to be there before.
    return sorted(found)


def _digest(at: int, recording: Recording, made: Made, known: dict[int, str]) -> str:
    if at in made:
        step, part = made[at]
        words = [step.primitive.name, repr(step.params), part, *(known[i] for i in step.inputs)]
    elif at in recording.constants:
        words = [np.asarray(recording.constants[at]).tolist()]
    else:
        words = [recording.inputs.index(at)]
    return hashlib.sha1(repr(words).encode(), usedforsecurity=False).hexdigest()


def record(function: Callable[..., Any], *args: Any, budget: int | None = None) -> Graph:
    """Run `function` on `args` and freeze what it did.

    Parameters
    ----------
    function : callable
        Plain NumPy code.
    *args : array_like
        One for each argument; integers are taken as floats.
    budget : int, optional
        Most operations to record.

    Returns
    -------
    Graph
        Its inputs are `args`; its outputs the tensors that `function` returned, nested
        structures taken apart.

    Raises
    ------
    NotTraceable
        `function` returned None, or something other than numbers and arrays.
    NotOnTape
        An argument is not an array of real numbers.
    BudgetSpent
        More operations than `budget`.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: np.sum(x * x), [1.0, 2.0])
    >>> [node.name for node in graph.nodes]
    ['input', 'multiply', 'sum']
    >>> graph.evaluate([3.0, 4.0])
    (np.float64(25.0),)
    """
    tensors = [to_traceable(arg, number) for number, arg in enumerate(args)]
    graph, _ = record_on(Recording(budget=budget), function, tensors)
    return graph


def record_on(
    recording: Recording, function: Callable[..., Any], tensors: Sequence[Tensor]
) -> tuple[Graph, Any]:
    """What `function` does with `tensors` while one records, and what it returned."""
    with recording:
        for tensor in tensors:
            recording.add_input(tensor)
        returned = function(*tensors)
        graph = freeze(recording, [to_output(leaf, returned) for leaf in flatten(returned)])
    charge(15 * len(graph))
    return graph, returned


def to_traceable(arg: Any, number: int) -> Tensor:
    """An argument as a float tensor of its own identity."""
    try:
        tensor = tensor_of(constant(arg)._value)
    except NotOnTape as error:
        raise NotOnTape(f"argument {number}: {error}", code="dtype:argument") from None
    check_width(tensor.dtype, f"argument {number}: ")
    if tensor.dtype.kind in "biu":
        tensor = tensor_of(np.array(arg, dtype=np.float64))
    if tensor.dtype.kind != "f" and not (tensor.dtype.kind == "c" and FOR_PROGRAM.get()):
        raise NotOnTape(
            f"argument {number} has dtype {tensor.dtype}: {str(arg)[:60]}; expected real numbers",
            code="dtype:argument",
        )
    return tensor


def to_output(leaf: Any, result: Any) -> Tensor:
    """A leaf of what a function returned, as a tensor.

    Raises
    ------
    NotTraceable
        It is no number or array.
    """
    if isinstance(leaf, Tensor):
        return leaf._read()
    if leaf is None:
        raise NotTraceable(
            f"the function returned {clip_line(repr(result))}; expected a number or an array. "
            "Is a 'return' missing?"
        )
    try:
        return constant(leaf)
    except (TypeError, ValueError) as error:
        raise NotTraceable(
            f"the function returned {clip_line(repr(result))}; expected numbers or arrays"
        ) from error


@suspend_collector
def freeze(recording: Recording, outputs: Sequence[Tensor]) -> Graph:
    """The part of `recording` that `outputs` and the recorded path need, as a Graph."""
    wanted = [recording.index_of(tensor) for tensor in outputs]
    builder = _Builder(recording)
    for index in recording.inputs:
        builder.add_input(index)
    for index, step in _needed_values(recording, wanted):
        if step is not None:
            builder.add_applied(index, step)
        elif index in recording.constants:
            builder.add_constant(index, recording.constants[index])
    places = builder.places
    return Graph(
        nodes=tuple(builder.nodes),
        inputs=tuple(places[index] for index in recording.inputs),
        outputs=tuple(places[index] for index in wanted),
        path=tuple(
            Decision(places[index], outcome, origin)
            for index, outcome, origin in recording.decisions
        ),
        escapes=tuple(
            Escape(places.get(index, -1), how, origin) for index, how, origin in recording.escapes
        ),
        at=tuple(recording.given),
        customs=tuple(
            CustomGradient(
                call.name, call.again, tuple(places[i] for i in call.inputs), call.origin
            )
            for call in recording.customised
            if all(i in places for i in call.inputs)
        ),
    )


def _needed_values(
    recording: Recording, wanted: Sequence[int]
) -> Iterable[tuple[int, AppliedPrimitive | None]]:
    """What outputs and decisions are made of, in order, with the operation that made it."""
    if recording.shared:
        return _asked_values(recording, wanted)
    needed = bytearray(len(recording.shapes))
    for index in (*wanted, *(index for index, _, _ in recording.decisions)):
        needed[index] = True
    made: list[AppliedPrimitive | None] = [None] * len(needed)
    for step in reversed(recording.applied):
        _, inputs, _, outputs, _ = step
        for index in outputs:
            if needed[index]:
                made[index] = step
                for i in inputs:
                    needed[i] = True
    return itertools.compress(enumerate(made), needed)


def _asked_values(
    recording: Recording, wanted: Sequence[int]
) -> Iterable[tuple[int, AppliedPrimitive | None]]:
    """As above where threads interleave: in the order in which the outputs ask for it."""
    made = {index: (step, k) for step in recording.applied for k, index in enumerate(step.outputs)}
    sort_decisions(recording, made)
    seen: set[int] = set()
    waiting = [(index, False) for index, _, _ in reversed(recording.decisions)]
    waiting += [(index, False) for index in reversed(wanted)]
    while waiting:
        index, entered = waiting.pop()
        if index in seen:
            continue
        if entered or index not in made:
            seen.add(index)
            yield index, made[index][0] if index in made else None
            continue
        waiting.append((index, True))
        waiting.extend((i, False) for i in reversed(made[index][0].inputs))


class _Builder:
    """Adds nodes, each value once."""

    def __init__(self, recording: Recording) -> None:
        self.nodes: list[Node] = []
        self.places: dict[int, int] = {}
        self._by_key: dict[Any, int] = {}
        self._params: dict[Any, Params] = {}
        self._shapes = recording.shapes

    def add_input(self, index: int) -> None:
        self.places[index] = len(self.nodes)
        self.nodes.append(Node(None, (), {}, *self._shapes[index]))

    def add_constant(self, index: int, value: Any) -> None:
        array = np.asarray(value)
        key = ("constant", array.dtype.str, array.shape, array.tobytes(), type(value).__name__)
        size = len(self.nodes)
        self.places[index] = place = self._by_key.setdefault(key, size)
        if place == size:
            self.nodes.append(Node(None, (), {}, array.shape, array.dtype, constant=value))

    def add_applied(self, index: int, step: AppliedPrimitive) -> None:
        primitive, given, params, outputs, origin = step
        places, size = self.places, len(self.nodes)
        values: Any = ()
        inputs = tuple([places[i] for i in given])
        if params:
            values = hashable(params)
            params = self._params.setdefault(values, params)
        part = outputs.index(index) if len(outputs) > 1 else None
        place = self._by_key.setdefault((primitive, inputs, values, part), size)
        places[index] = place
        if place == size:
            shape, dtype = self._shapes[index]
            self.nodes.append(Node(primitive, inputs, params, shape, dtype, origin, None, part))


def hashable(value: Any) -> Any:
    """A key that tells apart what evaluates differently: 1, 1.0 and True, or 0.0 and -0.0."""
    kind = type(value)
    if kind is int or kind is str or value is None:
        return value
    if isinstance(value, dict):
        return tuple([(key, hashable(value[key])) for key in sorted(value)])
    if kind is tuple or kind is list:
        return (kind.__name__, *map(hashable, value))
    if kind is slice:
        return ("slice", hashable(value.start), hashable(value.stop), hashable(value.step))
    if isinstance(value, list | tuple):
        return (kind.__name__, *map(hashable, value))
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, float | int | complex | str | bytes | np.generic):
        return (kind.__name__, repr(value))
    return value if isinstance(value, Hashable) else id(value)


def differentiate(graph: Graph) -> Graph:
    """The gradient of the sum of `graph`'s outputs by its inputs, as a Graph of its own.

    It keeps the path and the escapes of `graph`, and the user's lines: what a rule computes
    is put down to the line of the operation it belongs to.

    Raises
    ------
    LookupError
        An operation on the way has no registered gradient.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.differentiate(symtape.record(lambda x: x * x, 3.0))
    >>> graph.evaluate(5.0)
    (np.float64(10.0),)
    """
    with Recording() as recording:
        xs = [constant(x) for x in graph.at]
        for x in xs:
            recording.add_input(x)
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(xs)
            values = graph.values(*xs)
        outputs = [values[at] for at in graph.outputs]
        floats = [y for y in outputs if isinstance(y, Tensor) and y.dtype.kind == "f"]
        gradients = tape.gradient(floats, xs, unconnected_gradients="zero")
        for step in graph.path:
            recording.decisions.append(
                (recording.index_of(values[step.node]), step.outcome, step.origin)
            )
        frozen = freeze(recording, gradients)
    escapes = tuple(Escape(-1, escape.how, escape.origin) for escape in graph.escapes)
    return dataclasses.replace(frozen, escapes=(*escapes, *frozen.escapes))
