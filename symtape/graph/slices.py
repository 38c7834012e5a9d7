"""The graph of one slice, and all slices at once by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symtape.graph.freeze import record_on
from symtape.graph.graph import Decision, Graph, evaluate_node
from symtape.numeric.batch import Batch
from symtape.process.work import charge
from symtape.recording.recording import Recording
from symtape.recording.stack import STACK
from symtape.recording.tensor import Tensor, tensor_of


class _SliceRecording(Recording):
    """A recording to which what others around it follow is one more input."""

    __slots__ = ("captured",)

    def __init__(self) -> None:
        super().__init__()
        self.captured: list[Tensor] = []

    def index_of(self, tensor: Any) -> int:
        """As of any recording; what others follow is an input from here on."""
        if isinstance(tensor, Tensor) and tensor._id not in self._known:
            tensor = tensor._read()
            if any(one.traces(tensor) for one in STACK.recorders if one is not self):
                self.captured.append(tensor)
                self.add_input(tensor)
        return super().index_of(tensor)

    def __exit__(self, *error: object) -> None:
        # They live on, and are not of this recording.
        for tensor in self.captured:
            self._known.pop(tensor._id, None)
        super().__exit__(*error)


class SliceGraph(NamedTuple):
    """A function of one slice, recorded.

    Attributes
    ----------
    graph : Graph
        Its inputs are those of the slice, and then `captured`.
    captured : list of Tensor
        What the function reads around it, and others follow.
    returned : object
        What it returned for the slice, tensors and all.
    """

    graph: Graph
    captured: list[Tensor]
    returned: Any


def record_slice(function: Callable[..., Any], values: Sequence[Any]) -> SliceGraph:
    """Run `function` on the `values` of one slice and freeze what it did.

    Raises
    ------
    NotTraceable
        It returned something other than numbers and arrays.
    """
    recording = _SliceRecording()
    graph, returned = record_on(recording, function, [tensor_of(value) for value in values])
    return SliceGraph(graph, recording.captured, returned)


class SliceReplay(NamedTuple):
    """What the slices that follow the path of a graph give.

    Attributes
    ----------
    kept : array of int
        Which slices these are.
    outputs : list
        Batched, where they depend on the slice.
    """

    kept: Any
    outputs: list[Any]


def replay(made: SliceGraph, columns: Sequence[Any]) -> SliceReplay:
    """Evaluate the graph on all slices at once; those that leave its path are left out there.

    Parameters
    ----------
    made : SliceGraph
    columns : sequence of arrays
        The inputs, with the slices along their first axes.
    """
    charge(3 * len(made.graph))
    return _Walk(made, columns).find_replay()


class _Walk:
    """The values of the nodes so far, for the slices that have followed the path so far."""

    def __init__(self, made: SliceGraph, columns: Sequence[Any]) -> None:
        self._graph = made.graph
        self._kept = np.arange(len(columns[0]))
        inputs = [*map(Batch, columns), *made.captured]
        self._given = dict(zip(self._graph.inputs, inputs, strict=True))
        self._values: list[Any] = []
        self._whole: dict[Any, Any] = {}

    def find_replay(self) -> SliceReplay:
        decisions = {step.node: step for step in self._graph.path}
        for position in range(len(self._graph.nodes)):
            self._values.append(self._value(position))
            if position in decisions:
                self._decide(decisions[position])
        return SliceReplay(self._kept, [self._values[at] for at in self._graph.outputs])

    def _value(self, position: int) -> Any:
        node = self._graph.nodes[position]
        if node.primitive is None:
            return self._given.get(position, node.constant)
        args = [self._values[i] for i in node.inputs]
        if node.part is None:
            return evaluate_node(node, args)
        key = (id(node.primitive), node.inputs, id(node.params))
        if key not in self._whole:
            self._whole[key] = evaluate_node(node, args)
        return self._whole[key][node.part]

    def _decide(self, step: Decision) -> None:
        value = self._values[step.node]
        if not isinstance(value, Batch):
            return
        truths = value.value.reshape(len(self._kept), -1)[:, 0]
        plain = truths._value if isinstance(truths, Tensor) else truths
        follows = plain.astype(bool) == step.outcome
        if isinstance(truths, Tensor):
            _record_decision(truths, follows, step.outcome)
        if not follows.all():
            self._kept = self._kept[follows]
            self._values = [_select_slices(x, follows) for x in self._values]
            self._whole = {key: _select_slices(x, follows) for key, x in self._whole.items()}


def _record_decision(truths: Tensor, follows: Any, outcome: bool) -> None:
    """Let those who record know that all slices that follow decide so, and all others do not."""
    of_all, of_some = (np.all, np.any) if outcome else (np.any, np.all)
    bool(of_all(truths if follows.all() else truths[follows]))
    if not follows.all():
        bool(of_some(truths[~follows]))


def _select_slices(value: Any, follows: Any) -> Any:
    if type(value) is tuple or type(value) is list:
        return [_select_slices(part, follows) for part in value]
    return Batch(value.value[follows]) if isinstance(value, Batch) else value
