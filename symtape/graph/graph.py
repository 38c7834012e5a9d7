"""Graph: a recorded computation, frozen.

Nodes are in topological order and hash-consed: one node for one value. Everything downstream
of the tape (shadow, balls, reports) sees Graphs and nothing else.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symtape.one_line import OneLineRepr, clip_line
from symtape.primitives.primitive import Primitive, is_stand_in
from symtape.process.work import charge
from symtape.recording.origin import Origin
from symtape.recording.refusals import code_of
from symtape.recording.stack import STACK

Stops = Callable[[int, Any], bool]
After = Callable[[int, list[Any]], None]


@dataclass(slots=True, repr=False)
class Node(OneLineRepr):
    """One value of a graph, which nobody changes once it is made.

    Not frozen, for a frozen one takes five times as long to make, and passes make many.

    Attributes
    ----------
    primitive : Primitive or None
        None for an input or a constant.
    inputs : tuple of int
        Positions of the arguments.
    params : mapping
        Static parameters.
    shape, dtype
        Of the value.
    origin : Origin or None
        The user's file and line.
    constant : array or None
        The value, of a constant.
    part : int or None
        Which output of a primitive with several; such a primitive has one node for each output.
    """

    primitive: Primitive | None
    inputs: tuple[int, ...]
    params: Mapping[str, Any]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    origin: Origin | None = None
    constant: Any = None
    part: int | None = None

    @property
    def stops(self) -> bool:
        """Whether gradients are stopped here on purpose."""
        return self.primitive is not None and self.primitive.stops

    @property
    def name(self) -> str:
        """The operation's name; ``input`` or ``constant`` where there is none."""
        if self.primitive is not None:
            return self.primitive.name
        return "input" if self.constant is None else "constant"

    @property
    def row(self) -> Primitive:
        """The operation, of a node that is neither an input nor a constant."""
        assert self.primitive is not None
        return self.primitive


@dataclass(frozen=True, slots=True, repr=False)
class Decision(OneLineRepr):
    """A ``bool(tensor)`` that may have steered Python's control flow."""

    node: int
    outcome: bool
    origin: Origin | None

    def holds(self, value: Any) -> bool:
        """Whether `value` of the node decides the same; of an array of another size it does not."""
        return getattr(value, "size", 1) == 1 and bool(value) == self.outcome


@dataclass(frozen=True, slots=True, repr=False)
class Escape(OneLineRepr):
    """A place where a traced value left for plain Python or NumPy."""

    node: int
    how: str
    origin: Origin | None

    def __str__(self) -> str:
        return f"{self.how} at {self.origin}"

    @property
    def code(self) -> str:
        """The way in which it left, for programs to read: ``"escape:float"``."""
        return code_of(self.how)


@dataclass(frozen=True, slots=True, repr=False)
class CustomGradient(OneLineRepr):
    """A call of a function whose gradient is the user's own, which the graph sees through.

    Attributes
    ----------
    name : str
        Of the function.
    again : callable
        The function of the values of `inputs` alone.
    inputs : tuple of int
        Positions of the nodes that it was called on.
    origin : Origin or None
        Where it was called.
    """

    name: str
    again: Callable[..., Any]
    inputs: tuple[int, ...]
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class Graph:
    """A recorded computation.

    Attributes
    ----------
    nodes : tuple of Node
        In topological order.
    inputs, outputs : tuple of int
        Positions in `nodes`.
    path : tuple of Decision
        What the recording decided; a replay on inputs that decide otherwise is another
        computation.
    escapes : tuple of Escape
        Where values left; what came back is frozen in as constants.
    at : tuple of arrays
        The inputs that it was recorded on.
    customs : tuple of CustomGradient
        The functions with gradients of their own that it went through.
    by_parts : bool
        Whether complex numbers were recorded, which are in it by real and imaginary parts.
    """

    nodes: tuple[Node, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    path: tuple[Decision, ...] = ()
    escapes: tuple[Escape, ...] = ()
    at: tuple[Any, ...] = ()
    customs: tuple[CustomGradient, ...] = ()
    by_parts: bool = False

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def elements(self) -> int:
        """Numbers in all nodes together."""
        return sum(math.prod(node.shape) for node in self.nodes)

    def is_computed(self, at: int) -> bool:
        """Whether a node is an input, or is computed from inputs."""
        return self.nodes[at].primitive is not None or at in self.inputs

    def select(self, wanted: Sequence[int]) -> Graph:
        """The part that some nodes need, which are its outputs."""
        kept = find_needed_nodes(self.nodes, [*self.inputs, *wanted])
        places = {at: place for place, at in enumerate(kept)}
        nodes = [self.nodes[at] for at in kept]
        return Graph(
            tuple(replace_inputs(x, tuple([places[i] for i in x.inputs])) for x in nodes),
            tuple(places[at] for at in self.inputs),
            tuple(places[at] for at in wanted),
            at=self.at,
        )

    def evaluate(self, *inputs: Any) -> tuple[Any, ...]:
        """Replay on new `inputs`; one array for each output.

        Raises
        ------
        ValueError
            Wrong number or shape of inputs.
        """
        values = self.values(*inputs)
        return tuple(values[position] for position in self.outputs)

    def values(self, *inputs: Any, after: After | None = None) -> list[Any]:
        """The value of every node on `inputs`."""
        return self._replay(inputs, None, after)

    def values_on_path(self, *inputs: Any) -> list[Any] | None:
        """The value of every node on `inputs`; None, and no more is computed, off the path."""
        steps = {step.node: step for step in self.path}
        stops = (lambda at, value: at in steps and not steps[at].holds(value)) if steps else None
        found = self._replay(inputs, stops)
        return found if len(found) == len(self.nodes) else None

    def _replay(
        self, inputs: Sequence[Any], stops: Stops | None, after: After | None = None
    ) -> list[Any]:
        self._check(inputs)
        given = [_input(self.nodes[at], x) for at, x in zip(self.inputs, inputs, strict=True)]
        plain = not any(map(is_stand_in, given))
        return self.interpret(
            given,
            constant=lambda node: node.constant,
            apply=_evaluate_plain if plain else evaluate_node,
            stops=stops,
            after=after,
        )

    def interpret(
        self,
        inputs: Sequence[Any],
        constant: Callable[[Node], Any],
        apply: Callable[[Node, list[Any]], Any],
        stops: Stops | None = None,
        after: After | None = None,
    ) -> list[Any]:
        """Walk the graph with another meaning of its nodes.

        Parameters
        ----------
        inputs : sequence
            The meaning of each input.
        constant : callable ``(node) -> meaning``
        apply : callable ``(node, meanings of its inputs) -> meaning``
            A tuple of meanings for a primitive with several outputs; called once for all.
        stops : callable ``(place, meaning) -> bool``, optional
            Whether to end at a node, which is left out.
        after : callable ``(place, meanings so far)``, optional
            Called after each node; may put others in place of meanings that are needed no more.

        Returns
        -------
        list
            The meaning of each node.
        """
        charge(3 * len(self.nodes))
        meanings: list[Any] = []
        given = dict(zip(self.inputs, inputs, strict=True))
        whole: dict[tuple[Any, ...], Any] = {}
        for position, node in enumerate(self.nodes):
            if node.primitive is None:
                meaning = given[position] if position in given else constant(node)
            else:
                args = [meanings[i] for i in node.inputs]
                if node.part is None:
                    meaning = apply(node, args)
                else:
                    key = (id(node.primitive), node.inputs, id(node.params))
                    if key not in whole:
                        whole[key] = apply(node, args)
                    meaning = whole[key][node.part]
            if stops is not None and stops(position, meaning):
                break
            meanings.append(meaning)
            if after is not None:
                after(position, meanings)
        return meanings

    def holds(self, *inputs: Any) -> bool:
        """Whether `inputs` take the recorded path."""
        return self.values_on_path(*inputs) is not None

    def is_followed_by(self, values: Sequence[Any]) -> bool:
        """Whether values of the nodes are those of the recorded path."""
        return all(step.holds(values[step.node]) for step in self.path)

    def cast(self, inputs: Sequence[Any]) -> list[Any]:
        """Inputs as arrays of the dtypes that it has."""
        pairs = zip(self.inputs, inputs, strict=True)
        return [np.asarray(x, dtype=self.nodes[at].dtype) for at, x in pairs]

    def _check(self, inputs: Sequence[Any]) -> None:
        if len(inputs) != len(self.inputs):
            raise ValueError(f"the graph has {len(self.inputs)} inputs, got {len(inputs)}")
        for number, (at, x) in enumerate(zip(self.inputs, inputs, strict=True)):
            if np.shape(x) != self.nodes[at].shape:
                raise ValueError(
                    f"input {number} of the graph has shape {self.nodes[at].shape}, got "
                    f"{np.shape(x)}; record the function again for another shape"
                )

    def __repr__(self) -> str:
        inputs = (self.nodes[at] for at in self.inputs)
        given = ", ".join(f"{node.dtype}{list(node.shape)}" for node in inputs)
        count = sum(node.primitive is not None for node in self.nodes)
        return clip_line(f"<Graph of {count} operation{'s' * (count != 1)} on ({given})>", ">")

    def __str__(self) -> str:
        lines = []
        for position, node in enumerate(self.nodes):
            args = ", ".join(f"%{i}" for i in node.inputs)
            static = "".join(f", {key}={value}" for key, value in node.params.items())
            body = f"{node.name}({args}{static})" if node.primitive else node.name
            if node.constant is not None:
                body = f"constant {np.array2string(np.asarray(node.constant), threshold=6)}"
            part = "" if node.part is None else f"[{node.part}]"
            place = f"  # {node.origin}" if node.origin else ""
            lines.append(f"%{position} = {body}{part} : {node.dtype}{list(node.shape)}{place}")
        lines.append("return " + ", ".join(f"%{i}" for i in self.outputs))
        return "\n".join(lines)


def _input(node: Node, x: Any) -> Any:
    if hasattr(type(x), "_apply_primitive"):
        return x
    array = np.asarray(x, dtype=node.dtype)
    return array if array.ndim else array[()]


def _evaluate_plain(node: Node, args: list[Any]) -> Any:
    """What a node computes of arrays, of which no recorder is told."""
    return node.row.evaluate(*args, **node.params)


def evaluate_node(node: Node, args: list[Any]) -> Any:
    """What a node computes of `args`, put down to the user's line where someone records."""
    assert node.primitive is not None
    if not STACK.recorders or node.origin is None:
        return node.primitive(*args, **node.params)
    before = STACK.forced_origin
    STACK.forced_origin = node.origin
    try:
        return node.primitive(*args, **node.params)
    finally:
        STACK.forced_origin = before


def has_complex_nodes(graph: Graph) -> bool:
    """Whether a node is complex, or has a reading by parts alone."""
    return any(
        node.dtype.kind == "c" or (node.primitive is not None and node.primitive.by_parts)
        for node in graph.nodes
    )


def isolate_operation(node: Node, args: Sequence[Any]) -> Graph:
    """One operation as a graph of its own, of `args`; one of several results with all of them."""
    given = tuple(range(len(args)))
    inputs = [Node(None, (), {}, np.shape(x), np.asarray(x).dtype, node.origin) for x in args]
    results: list[tuple[int | None, tuple[int, ...]]] = [(None, node.shape)]
    if node.part is not None:
        values = node.row.evaluate(*args, **node.params)
        results = [(part, np.shape(value)) for part, value in enumerate(values)]
    made = [
        Node(node.primitive, given, node.params, shape, node.dtype, node.origin, part=part)
        for part, shape in results
    ]
    outputs = tuple(range(len(args), len(args) + len(made)))
    return Graph((*inputs, *made), given, outputs, at=tuple(args))


def find_needed_nodes(nodes: Sequence[Node], roots: Iterable[int]) -> list[int]:
    """What `roots` are made of, in order."""
    needed = bytearray(len(nodes))
    for at in roots:
        needed[at] = True
    for at in range(len(nodes) - 1, -1, -1):
        if needed[at]:
            for i in nodes[at].inputs:
                needed[i] = True
    return list(itertools.compress(range(len(nodes)), needed))


def replace_inputs(node: Node, inputs: tuple[int, ...]) -> Node:
    """A node with its arguments in other places."""
    if inputs == node.inputs:
        return node
    params, constant = node.params, node.constant
    # Without a star, by which it takes twice as long.
    return Node(
        node.primitive, inputs, params, node.shape, node.dtype, node.origin, constant, node.part
    )
