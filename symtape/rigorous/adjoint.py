"""The rounding of a long computation, to first order.

Balls lose a bit or two at every step of a loop, for they forget that errors cancel. The first
order does not: the error of each operation, times what the output's slope says that it counts,
summed in absolute value. The slopes come from a reverse sweep over the same computation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, constant
from symtape.rigorous.backward_error import (
    DETERMINANTS,
    FACTORISATIONS,
    ORTHOGONAL,
    error_of_logs,
    error_of_vectors,
    perturbation,
)
from symtape.rigorous.constants import MULTILINEAR, roundings

__all__ = ["adjoint_bound"]

_SEPARATE: Final = 64
"""Up to so many output elements are swept one at a time; more go in batches."""

_BATCH_ELEMENTS: Final = 20_000_000
"""Most cotangent elements that a batch may hold at once."""


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
        An operation has no derivative rule.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: x * x * x, 3.0)
    >>> [bound] = adjoint_bound(graph, [3.0])
    >>> float(bound / 27 * 2**53)
    2.0
    """
    with np.errstate(all="ignore"):
        ledger = _Ledger(only)
        tape = GradientTape(persistent=True)
        with tape:
            given = [
                constant(np.asarray(x, dtype=np.float64)) if _is_float(graph.nodes[at]) else x
                for at, x in zip(graph.inputs, inputs, strict=True)
            ]
            tape.watch([x for x in given if isinstance(x, Tensor)])
            meanings = graph.interpret(given, lambda node: node.constant, ledger.apply)
            targets = [meanings[at] for at in graph.outputs]
            pieces = [_pieces(target, ledger.elements) for target in targets]
        try:
            return [
                _bounds(tape, ledger, target, parts)
                for target, parts in zip(targets, pieces, strict=True)
            ]
        except LookupError as error:
            raise Unsupported(f"no adjoint rounding bound: {error}") from error


def _is_float(node: Node) -> bool:
    return node.dtype.kind == "f"


@dataclass(slots=True)
class _Ledger:
    """The errors made: tensors, and how large an error was made at each of their elements."""

    only: Collection[str] | None = None
    tensors: list[Tensor] = field(default_factory=list)
    errors: list[Any] = field(default_factory=list)
    elements: int = 0

    def enter(self, tensor: Any, error: Any) -> None:
        if isinstance(tensor, Tensor):
            self.tensors.append(tensor)
            self.errors.append(error)
            self.elements += tensor.size

    def apply(self, node: Node, args: list[Any]) -> Any:
        """Replay an operation on tensors and enter the errors it makes."""
        row = node.primitive
        assert row is not None
        if not _is_float(node) or (self.only is not None and row.name not in self.only):
            return row(*args, **node.params)
        limits = np.finfo(node.dtype)
        unit, least = float(limits.epsneg), float(limits.smallest_subnormal)
        if row.name in FACTORISATIONS:
            return self._factorised(node, row, args, unit)
        values = [_value(arg) for arg in args]
        shapes = () if row.elementwise else tuple(np.shape(value) for value in values)
        k_in, k_out = roundings(row, shapes, node.params)
        if row.name in MULTILINEAR:
            result = row(*args, **node.params)
            sizes = [np.abs(v) if np.asarray(v).dtype.kind == "f" else v for v in values]
            self.enter(result, k_in * unit * row.evaluate(*sizes, **node.params) + k_in * least)
            return result
        if k_in:
            args = [self._perturbed(node, row, arg, k_in * unit) for arg in args]
        result = row(*args, **node.params)
        if k_out:
            for part in result if type(result) is tuple else (result,):
                self.enter(part, k_out * unit * np.abs(_value(part)) + least)
        return result

    def _perturbed(self, node: Node, row: Primitive, arg: Any, relative: float) -> Any:
        """`arg` under an identity of its own, so that its slope is by this operation alone."""
        if not isinstance(arg, Tensor) or arg.dtype.kind != "f":
            return arg
        if row.elementwise and arg.shape != node.shape:
            alone = PRIMITIVES["broadcast_to"](arg, shape=node.shape)
        else:
            alone = PRIMITIVES["positive"](arg)
        self.enter(alone, relative * np.abs(alone._value))
        return alone

    def _factorised(self, node: Node, row: Primitive, args: list[Any], unit: float) -> Any:
        """A factorisation is exact for a matrix nearby."""
        matrix = args[0]
        if not isinstance(matrix, Tensor):
            return row(*args, **node.params)
        alone = PRIMITIVES["positive"](matrix)
        result = row(alone, *args[1:], **node.params)
        size = perturbation(row.name, alone._value, unit)
        if row.name in ("solve", "inv") and isinstance(result, Tensor):
            # Each column of the solution has a perturbation of its own, so they are added up
            # without the cancellation that one perturbation for all would allow.
            self.enter(result, _solution_error(alone._value, size, result._value))
        else:
            self.enter(alone, size)
        if row.name == "slogdet":
            self.enter(result[1], error_of_logs(alone._value, unit))
        for number in ORTHOGONAL.get(row.name, ()):
            size = error_of_vectors(alone.shape, unit)
            self.enter(result[number], np.full(result[number].shape, size))
        if row.name in DETERMINANTS:
            relative = np.max(error_of_logs(alone._value, unit), initial=0)
            self.enter(result, relative * np.abs(result._value))
        return result


def _solution_error(a: Any, size: Any, x: Any) -> Any:
    try:
        inverse = np.abs(np.linalg.inv(np.asarray(a, dtype=np.float64)))
    except np.linalg.LinAlgError:
        return np.full(np.shape(x), np.inf)
    columns = np.abs(x)[..., None] if np.ndim(x) == 1 else np.abs(x)
    return (inverse @ (size @ columns)).reshape(np.shape(x))


def _value(arg: Any) -> Any:
    return arg._value if isinstance(arg, Tensor) else arg


def _pieces(target: Any, elements: int) -> list[Any]:
    """A large target in pieces, flat, each for one batched sweep."""
    if not isinstance(target, Tensor) or target.dtype.kind != "f" or target.size <= _SEPARATE:
        return []
    step = max(1, min(target.size, _BATCH_ELEMENTS // max(elements, 1)))
    flat: Any = np.reshape(target, (-1,))
    return [flat[start : start + step] for start in range(0, target.size, step)]


def _bounds(tape: GradientTape, ledger: _Ledger, target: Any, pieces: list[Any]) -> Any:
    shape = np.shape(_value(target))
    if not isinstance(target, Tensor) or target.dtype.kind != "f" or not ledger.tensors:
        return np.zeros(shape)
    weigh = _Weights(ledger)
    found: list[Any] = []
    if pieces:
        for piece in pieces:
            found.extend(weigh.rows(tape.jacobian(piece, ledger.tensors), piece.size))
    else:
        for number in range(target.size):
            seed = np.zeros(target.size, target.dtype)
            seed[number] = 1
            slopes = tape.gradient(target, ledger.tensors, seed.reshape(shape))
            found.append(weigh.total(slopes))
    bounds = np.array(found, dtype=np.float64).reshape(shape)
    return np.where(np.isnan(bounds), np.inf, bounds)


class _Weights:
    """The errors of a ledger, ready to be weighed with slopes: scalars as one vector."""

    def __init__(self, ledger: _Ledger) -> None:
        self.scalar = [i for i, t in enumerate(ledger.tensors) if not t.shape]
        self.whole = [i for i, t in enumerate(ledger.tensors) if t.shape]
        self.errors = ledger.errors
        self.scalar_errors = np.array([float(ledger.errors[i]) for i in self.scalar])

    def total(self, slopes: Sequence[Tensor | None]) -> float:
        """The bound, of one output's slopes."""
        values = [0.0 if slopes[i] is None else slopes[i]._value for i in self.scalar]  # type: ignore[union-attr]
        total = float(np.abs(np.array(values, dtype=np.float64)) @ self.scalar_errors)
        for i in self.whole:
            slope = slopes[i]
            if slope is not None:
                total += float(np.sum(np.abs(slope._value) * self.errors[i]))
        return total

    def rows(self, slopes: Sequence[Tensor | None], size: int) -> Any:
        """The bounds, of the slopes of `size` outputs stacked along the first axis."""
        total = np.zeros(size)
        for slope, error in zip(slopes, self.errors, strict=True):
            if slope is not None:
                weights = np.broadcast_to(error, slope.shape[1:]).ravel()
                total += np.abs(slope._value).reshape(size, -1) @ weights
        return total
