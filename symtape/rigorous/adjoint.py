"""The rounding of a long computation, to first order.

Balls lose a bit or two at every step of a loop, for they forget that errors cancel. The first
order does not: the error of each operation, times what the output's slope says that it counts,
summed in absolute value. The local slopes are those of jets (:mod:`symtape.rigorous.slopes`): no
rule of the tape takes part.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from symtape.graph.first_order import cost
from symtape.graph.graph import Graph, Node
from symtape.primitives.backward_error import BackwardError
from symtape.rigorous.backward_error import error_of_logs, error_of_vectors, perturbation, roundings
from symtape.rigorous.slopes import slopes


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
        return _Rounding(graph, inputs, only).costs()


class _Rounding:
    """The errors of the operations of a graph at a point, and their slopes.

    Each element of a node is a variable of :func:`symtape.graph.first_order.cost`. So is each
    element of an argument that an operation takes with an error, between the two.
    """

    def __init__(self, graph: Graph, inputs: Sequence[Any], only: Collection[str] | None) -> None:
        self._graph = graph
        self._only = only
        wide = [
            np.asarray(x, np.float64) if _is_float(graph.nodes[at]) else x
            for at, x in zip(graph.inputs, inputs, strict=True)
        ]
        self._values = graph.values(*wide)
        self._depends = self._find_dependent_nodes()
        self._variables: dict[int, Any] = {}
        self._errors: list[Any] = [np.zeros(0)]
        self._count = 0
        self._slopes: list[tuple[Any, Any, Any]] = [(np.zeros(0),) * 3]

    def _find_dependent_nodes(self) -> list[bool]:
        """Which nodes are floats that depend on an input; all else is exact."""
        found: list[bool] = []
        for node in self._graph.nodes:
            given = node.primitive is None and node.constant is None
            found.append(_is_float(node) and (given or any(found[k] for k in node.inputs)))
        return found

    def costs(self) -> list[Any]:
        """The bound of each element of each output."""
        graph = self._graph
        moving = [at for at in graph.outputs if self._counts(at)]
        for at in self._find_required_nodes(moving):
            if at not in self._variables:
                self._add_step(at)
        wanted = [np.ravel(self._variables[at]) for at in moving]
        rows, columns, values = map(np.concatenate, zip(*self._slopes, strict=True))
        asked = np.concatenate([np.zeros(0), *wanted])
        found = cost(np.concatenate(self._errors), rows, columns, values, asked)
        ends = np.cumsum([len(part) for part in wanted])
        bounds = dict(zip(moving, np.split(found, ends)[:-1], strict=True))
        return [
            np.reshape(bounds.get(at, np.zeros(graph.nodes[at].shape)), graph.nodes[at].shape)
            for at in graph.outputs
        ]

    def _counts(self, at: int) -> bool:
        return self._depends[at] and self._graph.nodes[at].primitive is not None

    def _find_required_nodes(self, wanted: Sequence[int]) -> list[int]:
        """The operations that the `wanted` ones depend on, themselves included, in order."""
        found = set(wanted)
        for at in range(len(self._graph.nodes) - 1, -1, -1):
            if at in found:
                found.update(k for k in self._graph.nodes[at].inputs if self._counts(k))
        return sorted(found)

    def _add_step(self, at: int) -> None:
        """The operation that makes a node, with all of its results."""
        node = self._graph.nodes[at]
        row = node.row
        args = [self._values[place] for place in node.inputs]
        values = [self._values[at]] if node.part is None else row.evaluate(*args, **node.params)
        moving = [self._depends[place] for place in node.inputs]
        of_inputs, error = _errors(node, args, moving, values, self._only)
        found = slopes(node, args, [np.shape(value) for value in values], moving)
        used = []
        for place, slope, lost in zip(node.inputs, found, of_inputs, strict=True):
            variables = self._variables.get(place)
            if slope is None:
                continue
            if lost is not None and row.elementwise:
                error = error + np.abs(slope.values) * np.ravel(lost)[slope.columns]
            elif lost is not None:
                taken = self._add(np.ravel(lost))
                if variables is not None:
                    self._slopes.append((taken, variables, np.ones(len(taken))))
                variables = taken
            if variables is not None:
                used.append((slope, variables))
        results = self._add(error)
        self._slopes += [(results[s.rows], given[s.columns], s.values) for s, given in used]
        places = (at,) if node.part is None else self._find_sibling_outputs(node, len(values))
        ends = np.cumsum([np.size(value) for value in values])[:-1]
        for result, part in zip(places, np.split(results, ends), strict=True):
            if result is not None:
                self._variables[result] = part

    def _add(self, errors: Any) -> Any:
        """New variables that have these errors."""
        self._errors.append(errors)
        self._count += len(errors)
        return np.arange(self._count - len(errors), self._count)

    def _find_sibling_outputs(self, node: Node, count: int) -> tuple[int | None, ...]:
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
    row = node.row
    results = [np.zeros(np.shape(value)) for value in values]
    inputs: list[Any] = [None] * len(args)
    if only is None or row.name in only:
        limits = np.finfo(node.dtype)
        unit, least = float(limits.epsneg), float(limits.smallest_subnormal)
        if row.backward is not None:
            known, matrix = row.backward, np.asarray(args[0])
            matrix = known.matrix(matrix, **node.params) if known.matrix else matrix
            _bound_factorisation(known, matrix, values, unit, inputs, results)
        else:
            _bound_roundings(node, args, moving, values, unit, least, inputs, results)
    return inputs, np.concatenate(results, axis=None)


def _bound_roundings(
    node: Node,
    args: Sequence[Any],
    moving: Sequence[bool],
    values: Sequence[Any],
    unit: float,
    least: float,
    inputs: list[Any],
    results: list[Any],
) -> None:
    row = node.row
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


def _bound_factorisation(
    known: BackwardError,
    matrix: Any,
    values: Sequence[Any],
    unit: float,
    inputs: list[Any],
    results: list[Any],
) -> None:
    """A factorisation is exact for a matrix nearby."""
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
