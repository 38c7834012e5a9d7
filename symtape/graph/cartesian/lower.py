"""A graph with complex nodes as the graph of their real and imaginary parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.cartesian.arrays import apply_to_parts
from symtape.graph.cartesian.elementary import refuse
from symtape.graph.cartesian.exact import ONE, record_constant
from symtape.graph.cartesian.parts import Parts, parts
from symtape.graph.cartesian.readings import READINGS
from symtape.graph.freeze import freeze
from symtape.graph.graph import Graph, Node, has_complex_nodes
from symtape.primitives.primitive import Primitive
from symtape.recording.recording import CustomisedCall, Recording
from symtape.recording.stack import STACK
from symtape.recording.tensor import Tensor, constant, tensor_of

for _name in ("fourier", "inverses", "products", "spectra", "systems"):
    import_module(f"symtape.graph.cartesian.{_name}")

_MOVING: Final = frozenset(("joins", "picks", "puts"))
"""How results of rows depend that compute nothing."""

_STEADY: Final = frozenset(["stop_gradient"])
"""Rows without a rule that hand complex numbers on as they are."""

_WITHOUT_ROWS: Final = frozenset(["iscomplex", "isreal"])
"""Functions without a row."""


@dataclasses.dataclass(frozen=True, slots=True)
class Whole:
    """How complex numbers are left as they are for operations that have no reading.

    Attributes
    ----------
    join : callable
        What makes complex numbers of their real and imaginary parts.
    split : callable
        What makes parts of an array of complex numbers.
    readings : mapping of str to callable, or None
        The rows that are read by parts: how, or as they are read elsewhere. A reading that gives
        NotImplemented leaves complex numbers to the row. Beside them are rows that only put
        elements elsewhere.
    """

    join: Callable[[Any, Any], Any]
    split: Callable[[Any], Any]
    readings: Mapping[str, Callable[..., Any] | None]

    def reads(self, row: Primitive) -> bool:
        """Whether a row is read by parts."""
        return row.name in self.readings or row.moves or row.dependence in _MOVING

    def join_parts(self, x: Any) -> Any:
        """Complex numbers of their parts; anything else as it is."""
        if not isinstance(x, Parts):
            return x
        return x.re if x.im is None else self.join(x.real, x.imag)

    def take_apart(self, x: Any) -> Any:
        """The parts of complex numbers; anything else as it is."""
        if not np.iscomplexobj(x):
            return x
        return Parts(*self.split(x)) if np.ndim(x) else Parts(np.real(x), np.imag(x))


def split_complex_nodes(graph: Graph, whole: Whole | None = None) -> Graph:
    """`graph`, its complex nodes taken apart; as it is, where there are none.

    Parameters
    ----------
    graph : Graph
        Of real inputs and outputs.
    whole : Whole, optional
        With it inputs and outputs may be complex, and some operations take complex numbers still.

    Returns
    -------
    Graph
        Of the same function, without complex numbers.

    Raises
    ------
    Unsupported
        An operation on complex numbers has no reading by parts, or an input or an output is
        complex.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: np.abs(np.exp((1 + 2j) * x)), 0.5)
    >>> [node.name for node in graph.nodes if node.dtype.kind == "c"]
    ['constant', 'multiply', 'exp']
    >>> [node.name for node in split_complex_nodes(graph).nodes if node.dtype.kind == "c"]
    []
    """
    if not has_complex_nodes(graph):
        return graph
    ends = (*graph.inputs, *graph.outputs)
    if whole is None and any(graph.nodes[at].dtype.kind == "c" for at in ends):
        raise Unsupported("an argument or a result of the function is complex")
    with np.errstate(all="ignore"):
        return _Lowering(graph, whole).run()


class _Lowering:
    """One walk over a graph on tensors and parts, recorded as another graph."""

    def __init__(self, graph: Graph, whole: Whole | None) -> None:
        self._graph, self._whole = graph, whole
        self._given = [tensor_of(np.array(x)) for x in graph.at]

    def run(self) -> Graph:
        """The graph of the parts."""
        before, one = STACK.forced_origin, tensor_of(np.float64(1.0))
        token = ONE.set(one)
        with Recording() as recording:
            for x in self._given:
                recording.add_input(x)
            recording.add_input(one)
            try:
                meanings = self._meanings()
            finally:
                STACK.forced_origin = before
                ONE.reset(token)
            self._note(recording, meanings)
            found = [meanings[at] for at in self._graph.outputs]
            if self._whole:
                found = list(map(self._whole.join_parts, found))
            outputs = list(map(_tensor, found))
            graph = freeze(recording, outputs)
        return _fix_unit_argument(graph)

    def _meanings(self) -> list[Any]:
        positions: list[Any] = []
        nodes, whole = self._graph.nodes, {}
        values = self._graph.values(*self._graph.at)
        given = {
            at: Parts(np.real(x), np.imag(x)) if nodes[at].dtype.kind == "c" else x
            for at, x in zip(self._graph.inputs, self._given, strict=True)
        }
        for position, node in enumerate(nodes):
            if node.primitive is None:
                meaning = given.get(position, node.constant)
            else:
                args = [positions[at] for at in node.inputs]
                key = (id(node.primitive), node.inputs, id(node.params))
                if node.part is None or key not in whole:
                    whole[key] = self._apply(node, args)
                meaning = whole[key] if node.part is None else whole[key][node.part]
            if node.dtype.kind == "c":
                meaning = _fit_parts(parts(meaning), node, values[position])
            positions.append(meaning)
        return positions

    def _apply(self, node: Node, args: list[Any]) -> Any:
        row = node.row
        STACK.forced_origin = node.origin
        real = not any(isinstance(x, Parts) for x in args) and not _becomes_complex(node, args)
        if real and (self._whole or not row.by_parts):
            return row(*args, **node.params)
        if self._whole:
            own = self._whole.readings.get(row.name)
            found = NotImplemented if own is None else own(*args, **node.params)
            if found is not NotImplemented:
                return found
            if own is not None or not self._whole.reads(row):
                found = row(*map(self._whole.join_parts, args), **node.params)
                take = self._whole.take_apart
                return tuple(map(take, found)) if node.part is not None else take(found)
        if row.name in READINGS and (row.name in _WITHOUT_ROWS or not row.missing):
            reading = READINGS[row.name]
            if row.name == "divide":
                args = [_record_parts(x, np.empty(0, node.dtype).real.dtype) for x in args]
            if next(iter(signature(reading).parameters), "") == "row":
                return reading(row, *args, **node.params)
            return reading(*args, **node.params)
        if _is_linear(row):
            return apply_to_parts(row, args, node.params)
        raise refuse(f"{row.name} at {node.origin}" if node.origin else row.name)

    def _note(self, recording: Recording, meanings: list[Any]) -> None:
        """What the graph knows beside its nodes: its path, what left it, rules of the user's."""
        for step in self._graph.path:
            decided = recording.index_of(_tensor(_truth(meanings[step.node])))
            recording.decisions.append((decided, step.outcome, step.origin))
        for left in self._graph.escapes:
            at = recording.index_of(_tensor(_truth(meanings[left.node]))) if left.node >= 0 else -1
            recording.escapes.append((at, left.how, left.origin))
        for call in self._graph.customs:
            inputs = [meanings[at] for at in call.inputs]
            if not any(isinstance(x, Parts) for x in inputs):
                places = tuple(recording.index_of(_tensor(x)) for x in inputs)
                kept = CustomisedCall(call.name, call.again, places, call.origin)
                recording.customised.append(kept)


def _becomes_complex(node: Node, args: list[Any]) -> bool:
    """Whether complex numbers are made of real ones."""
    return node.dtype.kind == "c" and all(not isinstance(x, Parts) for x in args)


def _is_linear(row: Primitive) -> bool:
    """Whether a row is linear in its arguments together: no slope depends on any of them."""
    if row.name in _STEADY:
        return True
    rules = [rule for rule in row.rules if rule is not None]
    return len(rules) == len(row.rules) and all(rule.blind and not rule.missing for rule in rules)


def _fit_parts(z: Parts, node: Node, value: Any) -> Parts:
    """The parts in the shape and the precision of the complex node."""
    if type(node.constant) is complex:
        return z
    component = np.empty(0, node.dtype).real.dtype
    re, im = (None if x is None else _cast_to(x, node.shape, component) for x in (z.re, z.im))
    if node.primitive is not None:
        re, im = (None if x is None else record_constant(x, component) for x in (re, im))
    zeros = np.asarray(value).imag if im is None else np.asarray(value).real
    sides = np.ravel(np.copysign(1.0, zeros))
    same = bool(sides.size and np.all(sides == sides[0]))
    return Parts(re, im, float(sides[0]) if same else sides.reshape(np.shape(zeros)))


def _cast_to(x: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    if not hasattr(x, "dtype"):
        x = np.asarray(x, dtype)[()]
    if x.dtype != dtype:
        x = x.astype(dtype)
    return x if np.shape(x) == shape else np.broadcast_to(x, shape)


def _record_parts(x: Any, dtype: Any) -> Any:
    """An argument whose constants are recorded, so that functions of them stay exact."""
    if not isinstance(x, Parts):
        return x
    re, im = (None if part is None else record_constant(part, dtype) for part in (x.re, x.im))
    return Parts(re, im, x.side)


def _truth(meaning: Any) -> Any:
    """A value that was decided by, or left: of a complex one whether it is zero."""
    if not isinstance(meaning, Parts):
        return meaning
    return np.logical_or(np.not_equal(meaning.real, 0), np.not_equal(meaning.imag, 0))


def _tensor(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else constant(x)


def _fix_unit_argument(graph: Graph) -> Graph:
    """The graph with its last argument, the number 1, made the constant that it is."""
    *inputs, one = graph.inputs
    nodes = list(graph.nodes)
    nodes[one] = dataclasses.replace(nodes[one], constant=np.float64(1.0))
    return dataclasses.replace(
        graph, nodes=tuple(nodes), inputs=tuple(inputs), at=graph.at[: len(inputs)], by_parts=True
    )
