"""The rounding of a long computation, to first order.

Balls lose a bit or two at every step of a loop, for they forget that errors cancel. The first
order does not: the error of each operation, times what the output's slope says that it counts,
summed in absolute value. The slopes come from a reverse sweep over the recorded graph, whose local
slopes are those of jets (:mod:`symtape.rigorous.slopes`): no rule of the tape takes part.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.backward_error import BackwardError
from symtape.rigorous.backward_error import error_of_logs, error_of_vectors, perturbation
from symtape.rigorous.constants import roundings
from symtape.rigorous.slopes import Slopes, slopes

__all__ = ["adjoint_bound"]

_BATCH_ELEMENTS: Final = 20_000_000
"""Most slopes that a batch of outputs may hold at once."""


def adjoint_bound(
    graph: Graph, inputs: Sequence[Any], only: Collection[str] | None = None
) -> list[Any]:
    """Bound the float error of each output element of `graph`, to first order.

    Parameters
    ----------
    graph : Graph
        A recorded computation, such as the derivative program of a function.
    inputs : sequence of array_like
        One for each input of the graph, taken to be exact.
    only : collection of str, optional
        Count the errors of the operations of these names alone.

    Returns
    -------
    list of float arrays
        One for each output, of its shape: the sum, over all operations, of their own rounding
        error times the absolute slope of the output by their result. inf where it is not
        finite. Only meaningful while small beside the output.

    Raises
    ------
    Unsupported
        An operation has no reading in jets.

    Source
    ------
    Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed. (2002), section 3.8, by
    the adjoint method of Linnainmaa, BIT 16 (1976).

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: x * x * x, 3.0)
    >>> [bound] = adjoint_bound(graph, [3.0])
    >>> float(bound / 27 * 2**53)
    2.0
    """
    with np.errstate(all="ignore"):
        sweep = _Sweep(graph, inputs, only)
        return [sweep.bounds(at) for at in graph.outputs]


@dataclass(frozen=True, slots=True)
class _Step:
    """An operation: its slopes, and the errors that it makes.

    Attributes
    ----------
    results : tuple of int or None
        The nodes of its outputs; None for one that nothing uses.
    sizes : list of int
        How many elements each of them has.
    inputs : tuple of int
    slopes : list
        By each input; None where there is none.
    of_inputs : list
        Errors of the inputs that it amounts to, each as its slopes have the elements; None for
        none.
    of_results : float array
        Errors of the results, joined.
    """

    results: tuple[int | None, ...]
    sizes: list[int]
    inputs: tuple[int, ...]
    slopes: list[Slopes | None]
    of_inputs: list[Any]
    of_results: Any


class _Sweep:
    """Reverse sweeps over a graph at a point."""

    def __init__(self, graph: Graph, inputs: Sequence[Any], only: Collection[str] | None) -> None:
        self._graph = graph
        self._only = only
        wide = [
            np.asarray(x, np.float64) if _is_float(graph.nodes[at]) else x
            for at, x in zip(graph.inputs, inputs, strict=True)
        ]
        self._values = graph.values(*wide)
        self._steps: dict[int, _Step] = {}
        self._depends = self._depending()

    def _depending(self) -> list[bool]:
        """Which nodes are floats that depend on an input; all else is exact."""
        found: list[bool] = []
        for node in self._graph.nodes:
            given = node.primitive is None and node.constant is None
            found.append(_is_float(node) and (given or any(found[k] for k in node.inputs)))
        return found

    def bounds(self, output: int) -> Any:
        """The bound of each element of a node."""
        node = self._graph.nodes[output]
        if not _is_float(node) or node.primitive is None:
            return np.zeros(node.shape)
        size = math.prod(node.shape)
        batch = max(1, _BATCH_ELEMENTS // max(self._graph.elements, 1))
        found = [
            self._of_rows(output, np.eye(size)[start : start + batch])
            for start in range(0, size, batch)
        ]
        bounds = np.concatenate(found) if found else np.zeros(0)
        return np.where(np.isnan(bounds), np.inf, bounds).reshape(node.shape)

    def _of_rows(self, output: int, rows: Any) -> Any:
        """The bounds of what the slopes of `output` are `rows` of."""
        bars: dict[int, Any] = {output: rows}
        total = np.zeros(len(rows))
        for at in range(output, -1, -1):
            if not self._counts(at):
                continue
            step = self._step(at)
            used = [place for place in step.results if place is not None]
            if at == min(used) and not bars.keys().isdisjoint(used):
                total += self._passed(step, bars, len(rows))
        return total

    def _counts(self, at: int) -> bool:
        return self._depends[at] and self._graph.nodes[at].primitive is not None

    def _passed(self, step: _Step, bars: dict[int, Any], count: int) -> Any:
        """The errors of one operation, weighed; its slopes are handed on to what it came from."""
        given = [
            np.zeros((count, size)) if place is None or place not in bars else bars.pop(place)
            for place, size in zip(step.results, step.sizes, strict=True)
        ]
        whole = np.concatenate(given, axis=1)
        total = np.abs(whole) @ step.of_results
        for place, slope, error in zip(step.inputs, step.slopes, step.of_inputs, strict=True):
            if slope is None:
                continue
            if error is not None:
                total = total + np.abs(slope.apart(whole)) @ np.ravel(slope.spread(error))
            if self._counts(place):
                bar = slope.pull(whole)
                bars[place] = bars[place] + bar if place in bars else bar
        return total

    def _step(self, at: int) -> _Step:
        if at not in self._steps:
            node = self._graph.nodes[at]
            row = node.primitive
            assert row is not None
            args = [self._values[place] for place in node.inputs]
            values = [self._values[at]] if node.part is None else row.evaluate(*args, **node.params)
            results = (at,) if node.part is None else self._together(node, len(values))
            moving = [self._depends[place] for place in node.inputs]
            made = _errors(node, args, moving, values, self._only)
            step = _Step(
                results,
                [int(np.size(value)) for value in values],
                node.inputs,
                slopes(node, args, [np.shape(value) for value in values], moving),
                *made,
            )
            self._steps |= {place: step for place in results if place is not None}
        return self._steps[at]

    def _together(self, node: Node, count: int) -> tuple[int | None, ...]:
        """The nodes of all outputs of an operation."""
        found: list[int | None] = [None] * count
        for place, other in enumerate(self._graph.nodes):
            same = other.primitive is node.primitive and other.params is node.params
            if same and other.inputs == node.inputs and other.part is not None:
                found[other.part] = place
        return tuple(found)


def _is_float(node: Node) -> bool:
    return node.dtype.kind == "f"


def _errors(
    node: Node,
    args: Sequence[Any],
    moving: Sequence[bool],
    values: Sequence[Any],
    only: Collection[str] | None,
) -> tuple[list[Any], Any]:
    """The errors that an operation makes: of its inputs, None for none, and of its results."""
    row = node.primitive
    assert row is not None
    results = [np.zeros(np.shape(value)) for value in values]
    inputs: list[Any] = [None] * len(args)
    if only is None or row.name in only:
        limits = np.finfo(node.dtype)
        unit, least = float(limits.epsneg), float(limits.smallest_subnormal)
        if row.backward is not None:
            _of_factorisation(row.backward, args, values, unit, inputs, results)
        else:
            _of_roundings(node, args, moving, values, unit, least, inputs, results)
    return inputs, np.concatenate(results, axis=None)


def _of_roundings(
    node: Node,
    args: Sequence[Any],
    moving: Sequence[bool],
    values: Sequence[Any],
    unit: float,
    least: float,
    inputs: list[Any],
    results: list[Any],
) -> None:
    row = node.primitive
    assert row is not None
    shapes = () if row.elementwise else tuple(np.shape(arg) for arg in args)
    k_in, k_out = roundings(row, shapes, node.params)
    if row.structure == "multilinear":
        sizes = [np.abs(arg) if np.asarray(arg).dtype.kind == "f" else arg for arg in args]
        whole = np.asarray(row.evaluate(*sizes, **node.params))
        results[0] = k_in * unit * whole + k_in * least
        return
    if k_in:
        for place, moves in enumerate(moving):
            inputs[place] = k_in * unit * np.abs(args[place]) if moves else None
    if k_out:
        results[:] = [k_out * unit * np.abs(value) + least for value in values]


def _of_factorisation(
    known: BackwardError,
    args: Sequence[Any],
    values: Sequence[Any],
    unit: float,
    inputs: list[Any],
    results: list[Any],
) -> None:
    """A factorisation is exact for a matrix nearby."""
    matrix = np.asarray(args[0])
    size = perturbation(known, matrix, unit)
    if known.columns:
        # Each column of the solution has a perturbation of its own, so they are added up
        # without the cancellation that one perturbation for all would allow.
        results[0] = _solution_error(matrix, size, values[0])
    else:
        inputs[0] = size
    for number in known.logs:
        results[number] = results[number] + error_of_logs(matrix, unit)
    for number in known.orthogonal:
        results[number] = results[number] + error_of_vectors(matrix.shape, unit)
    if known.determinant:
        relative = np.max(error_of_logs(matrix, unit), initial=0)
        results[0] = results[0] + relative * np.abs(values[0])


def _solution_error(a: Any, size: Any, x: Any) -> Any:
    try:
        inverse = np.abs(np.linalg.inv(np.asarray(a, dtype=np.float64)))
    except np.linalg.LinAlgError:
        return np.full(np.shape(x), np.inf)
    columns = np.abs(x)[..., None] if np.ndim(x) == 1 else np.abs(x)
    return (inverse @ (size @ columns)).reshape(np.shape(x))
