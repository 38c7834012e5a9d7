"""A graph as operations on single floats, for back ends that compute with machine numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.compiled.finite import ARE_FINITE
from symtape.compiled.instructions import SQUARE, instruction, is_exact
from symtape.compiled.slices import SUM_OF_SLICES
from symtape.compiled.systems import solved
from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.contraction import MATMUL
from symtape.primitives.indexing import SCATTER
from symtape.primitives.linear_algebra import INV, SOLVE
from symtape.primitives.reductions import SUM

MOST_OPERATIONS: Final = 500_000
"""Of a program; longer ones are left to arrays."""

MOST_NUMBERS: Final = 100_000
"""Of an array that is read."""

_LARGEST_SYSTEM: Final = 6
"""Rows of a matrix, above which LAPACK takes as long, and far fewer lines."""

_PIVOT: Final = ("pivot",)
"""The static of a comparison that decides nothing but how a system is solved."""


class Operation(NamedTuple):
    """One operation on floats.

    Attributes
    ----------
    code : str
        ``fadd`` and the like, ``fcmp`` or ``call`` with what follows; ``input``, ``constant``,
        ``select``, ``uitofp``, ``guard`` or ``store``.
    inputs : tuple of int
        Operations.
    static : tuple
        Of an input and a store the array and the place in it, of a constant its value, of a guard
        the outcome.
    """

    code: str
    inputs: tuple[int, ...] = ()
    static: tuple[Any, ...] = ()


_ZERO: Final = Operation("constant", (), (np.float64(0.0).tobytes(),))


@dataclass(slots=True)
class Scalars:
    """The operations of a graph, in order; each value once.

    Raises
    ------
    Unsupported
        An operation, a dtype or the length is not for machine numbers.

    Examples
    --------
    >>> import symtape
    >>> found = Scalars(symtape.record(lambda x: x * 2.0, 1.0))
    >>> [operation.code for operation in found.operations]
    ['input', 'constant', 'fmul', 'store']
    """

    graph: Graph
    operations: list[Operation] = field(default_factory=list)
    _known: dict[Operation, int] = field(default_factory=dict)
    _never_minus_zero: set[int] = field(default_factory=set)
    """Constants, and sums: these are -0.0 only where both of their terms are."""
    _near: set[int] = field(default_factory=set)
    """What NumPy may round otherwise: functions, longer sums, and what is computed of them."""

    def __post_init__(self) -> None:
        graph = self.graph
        given = {at: number for number, at in enumerate(graph.inputs)}
        steps: dict[int, list[bool]] = {}
        for step in graph.path:
            steps.setdefault(step.node, []).append(step.outcome)
        places: list[Any] = []
        for at, node in enumerate(graph.nodes):
            if node.dtype != np.float64 and (node.dtype.kind != "b" or node.primitive is None):
                _check_constant(node)
            if at in given:
                places.append(self._read(node, given[at]))
            elif node.primitive is None:
                flat = np.asarray(node.constant, np.float64).ravel().tolist()
                places.append(self._filled([self._number(x) for x in flat], node))
            else:
                places.append(self._lowered(node, [places[i] for i in node.inputs]))
            for outcome in steps.get(at, ()):
                self._add("guard", (self._truth(node, places[at].item()),), (outcome,))
        for number, at in enumerate(graph.outputs):
            if graph.nodes[at].dtype != np.float64:
                raise Unsupported(f"an output of dtype {graph.nodes[at].dtype}")
            for k, value in enumerate(places[at].ravel().tolist()):
                self._add("store", (value,), (number, k))

    def _add(self, code: str, inputs: tuple[int, ...], static: tuple[Any, ...] = ()) -> int:
        operation = Operation(code, inputs, static)
        found = self._known.get(operation)
        if found is None:
            found = self._known[operation] = len(self.operations)
            self.operations.append(operation)
            zero = code == "fmul" and self._known.get(_ZERO) in inputs
            if not is_exact(code) or not (zero or self._near.isdisjoint(inputs)):
                self._near.add(found)
            if code == "fadd" and not self._never_minus_zero.isdisjoint(inputs):
                self._never_minus_zero.add(found)
            if found >= MOST_OPERATIONS:
                raise Unsupported(f"more than {MOST_OPERATIONS} operations on numbers")
        return found

    @property
    def decides_as_numpy(self) -> bool:
        """Whether nothing is compared that NumPy may round otherwise."""
        comparisons = (
            op for op in self.operations if op.code.startswith("fcmp ") and op.static != _PIVOT
        )
        return all(self._near.isdisjoint(op.inputs) for op in comparisons)

    def _number(self, value: float) -> int:
        # By its bits, for 0.0 equals -0.0.
        found = self._add("constant", (), (np.float64(value).tobytes(),))
        if value or not np.signbit(value):
            self._never_minus_zero.add(found)
        return found

    def _truth(self, node: Node, value: int) -> int:
        """A truth value as it is, and whether a number is other than 0."""
        if node.dtype.kind == "b":
            return value
        return self._add("fcmp une", (value, self._number(0.0)))

    def _read(self, node: Node, number: int) -> Any:
        size = math.prod(node.shape)
        if size > MOST_NUMBERS:
            raise Unsupported(f"an array of {size} numbers")
        return self._filled([self._add("input", (), (number, k)) for k in range(size)], node)

    def _lowered(self, node: Node, args: Sequence[Any]) -> Any:
        row = node.row
        if row.elementwise and not node.params:
            return self._each(node, args)
        if row.moves:
            return self._moved(node, args[0])
        if row is ARE_FINITE and self._are_floats(node):
            return self._are_finite(node, args[0])
        if node.dtype != np.float64 or not self._are_floats(node):
            raise Unsupported(f"{row.name} of truth values in machine numbers")
        if row.dependence == "joins" and not row.decision:
            return self._joined(node, args)
        if row is MATMUL:
            return self._product(node, *args)
        if row is SUM:
            return self._summed(node, args[0])
        if row is SCATTER or row is SUM_OF_SLICES:
            return self._scattered(node, list(args))
        if row is SOLVE:
            return self._solved(node, *args)
        if row is INV:
            one, zero = self._number(1.0), self._number(0.0)
            return self._solved(node, args[0], np.where(np.eye(node.shape[-1]), one, zero))
        raise Unsupported(f"{row.name} in machine numbers")

    def _moved(self, node: Node, ids: Any) -> Any:
        """Where a row puts its elements; what it puts beside them are zeros."""
        places = np.asarray(node.row.evaluate(ids + 1, **node.params)) - 1
        if places.shape != node.shape or not np.isin(places, np.append(ids, -1)).all():
            raise Unsupported(f"{node.row.name} in machine numbers")
        if not (places < 0).any():
            return places
        if node.dtype.kind == "b":
            raise Unsupported(f"{node.row.name} of truth values in machine numbers")
        return np.where(places < 0, self._number(0.0), places)

    def _are_finite(self, node: Node, ids: Any) -> Any:
        """Whether 0.0 times each is 0.0, in which rounding has no part."""
        zero = self._number(0.0)
        asked = [x for x in dict.fromkeys(ids.ravel().tolist()) if not self._is_finite_constant(x)]
        found = self._total([zero, *[self._add("fmul", (x, zero)) for x in asked]])
        return self._filled([self._add("fcmp oeq", (found, zero))], node)

    def _is_finite_constant(self, at: int) -> bool:
        operation = self.operations[at]
        return operation.code == "constant" and math.isfinite(np.frombuffer(*operation.static)[0])

    def _joined(self, node: Node, args: Sequence[Any]) -> Any:
        """Where a row puts the elements of several arrays."""
        places = np.asarray(node.row.evaluate(*args, **node.params))
        if places.shape != node.shape or places.dtype != np.int64:
            raise Unsupported(f"{node.row.name} in machine numbers")
        return places

    def _are_floats(self, node: Node) -> bool:
        return all(self.graph.nodes[i].dtype.kind != "b" for i in node.inputs)

    def _each(self, node: Node, args: Sequence[Any]) -> Any:
        """An operation on each element, with truth values as 1.0 and 0.0."""
        code = self._code(node)
        if node.shape:
            lists = [one.ravel().tolist() for one in np.broadcast_arrays(*args)]
        else:  # of numbers, of which long programs are made
            lists = [[one.item()] for one in args]
        for k, i in enumerate(node.inputs):
            if self.graph.nodes[i].dtype.kind == "b" and (code != "select" or k):
                lists[k] = [self._add("uitofp", (x,)) for x in lists[k]]
        if code == SQUARE:
            code, lists = "fmul", lists * 2
        return self._filled([self._add(code, inputs) for inputs in zip(*lists, strict=True)], node)

    def _filled(self, ids: list[int], node: Node) -> Any:
        return np.array(ids, dtype=np.int64).reshape(node.shape)

    def _code(self, node: Node) -> str:
        code = instruction(node, [self.graph.nodes[i] for i in node.inputs])
        if code is None:
            raise Unsupported(f"{node.row.name} in machine numbers")
        return code

    def _total(self, terms: list[int]) -> int:
        """The sum by halves, whose rounding grows as slowly as that of NumPy's."""
        if len(terms) == 1:
            return terms[0]
        half = len(terms) // 2
        return self._add("fadd", (self._total(terms[:half]), self._total(terms[half:])))

    def _plus(self, a: int, b: int) -> int:
        """The sum of two; nothing is done to add 0.0 to what is not -0.0."""
        if b == self._number(0.0) and a in self._never_minus_zero:
            return a
        return self._add("fadd", (a, b))

    def _from_zero(self, terms: list[int]) -> int:
        """The sum of terms and 0.0, with which NumPy begins: it is never -0.0."""
        zero = self._number(0.0)
        if not terms:
            return zero
        found = self._plus(self._total(terms), zero)
        if len(terms) > 2:
            self._near.add(found)
        return found

    def _summed(self, node: Node, ids: Any) -> Any:
        axis = node.params["axis"]
        axes = tuple(range(ids.ndim)) if axis is None else tuple(k % ids.ndim for k in axis)
        kept = [k for k in range(ids.ndim) if k not in axes]
        count = int(np.prod([ids.shape[k] for k in axes], dtype=np.int64))
        lines = ids.transpose([*kept, *axes]).reshape((-1, count)) if ids.size else None
        if lines is None:
            raise Unsupported("a sum of nothing")
        return self._filled([self._from_zero(line) for line in lines.tolist()], node)

    def _product(self, node: Node, a: Any, b: Any) -> Any:
        if a.ndim > 2 or b.ndim > 2 or not a.size or not b.size:
            raise Unsupported("a product of stacks of matrices")
        rows = np.atleast_2d(a).tolist()
        columns = b.reshape((b.shape[0], -1)).T.tolist()
        if len(rows) * len(columns) * len(rows[0]) > MOST_OPERATIONS // 4:
            raise Unsupported("a product of large matrices")
        # NumPy multiplies two arrays of one number as numbers.
        total = self._total if a.size == b.size == 1 else self._from_zero
        found = self._filled(
            [
                total([self._add("fmul", pair) for pair in zip(row, column, strict=True)])
                for row in rows
                for column in columns
            ],
            node,
        )
        if len(rows[0]) > 1:
            # Already of two terms, for BLAS may round a product and its sum at once.
            self._near.update(found.ravel().tolist())
        return found

    def _solved(self, node: Node, a: Any, b: Any) -> Any:
        """A system of few equations; a singular one leaves the program, for NumPy to refuse it."""
        if a.ndim != 2 or b.ndim > 2 or not b.size or len(a) > _LARGEST_SYSTEM:
            raise Unsupported(f"{node.row.name} of large matrices, or of stacks of them")

        def add(code: str, inputs: tuple[int, ...]) -> int:
            return self._add(code, inputs, _PIVOT if code.startswith("fcmp ") else ())

        def check(pivot: int) -> None:
            found = self._add("fcmp une", (pivot, self._number(0.0)), _PIVOT)
            self._add("guard", (found,), (True,))

        right = b.reshape((len(b), -1))
        found = np.array(solved(add, check, a.tolist(), right.tolist()), np.int64)
        self._near.update(found.ravel().tolist())
        return found.reshape(node.shape)

    def _scattered(self, node: Node, args: list[Any]) -> Any:
        """Slices in zeros, or added to an array: what was -0.0 is 0.0 after the next addition."""
        indices = list(node.params.get("indices") or (node.params["index"],))
        zero = self._number(0.0)
        if any(isinstance(item, np.ndarray | list) for index in indices for item in _items(index)):
            return self._added_at(node, indices, args)
        if node.params.get("based", False):
            out, last = np.array(args.pop(0)), ...
        else:
            out, last = np.full(node.shape, zero, dtype=np.int64), indices.pop(0)
            out[last] = args.pop(0)
        for index, value in zip(indices, args, strict=True):
            added = self._sums(out[index], value)
            out[last] = self._sums(out[last], zero)
            out[index] = added
            last = index
        return out

    def _added_at(self, node: Node, indices: list[Any], args: list[Any]) -> Any:
        """Numbers added to zeros, each where an array of whole numbers says."""
        if len(args) != 1 or any(np.asarray(item).dtype == bool for item in _items(indices[0])):
            raise Unsupported("a sum of scatters by arrays of indices")
        out = np.full(math.prod(node.shape), self._number(0.0), dtype=np.int64)
        places = np.arange(out.size).reshape(node.shape)[indices[0]]
        values = np.broadcast_to(args[0], places.shape)
        for place, value in zip(places.ravel().tolist(), values.ravel().tolist(), strict=True):
            out[place] = self._plus(value, out[place].item())
        return out.reshape(node.shape)

    def _sums(self, a: Any, b: Any) -> Any:
        pairs = np.broadcast(a, b)
        return np.array([self._plus(*pair) for pair in pairs], np.int64).reshape(pairs.shape)


def _items(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _check_constant(node: Node) -> None:
    """Refuse what is not float64; a whole number is one, if it is exact."""
    if node.constant is None or node.dtype.kind not in "iu":
        raise Unsupported(f"{node.name} of dtype {node.dtype} in machine numbers")
    array = np.asarray(node.constant)
    if array.size and np.abs(array.astype(np.float64)).max() >= 2.0**53:
        raise Unsupported("whole numbers that no float64 is equal to")
