"""A graph as operations on single floats, for back ends that compute with machine numbers."""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.comparison import ALL, ANY
from symtape.primitives.contraction import MATMUL
from symtape.primitives.cumulative import CUMPROD, CUMSUM, RECURRENCE
from symtape.primitives.extrema import MAX, MIN
from symtape.primitives.indexing import SCATTER
from symtape.primitives.linear_algebra import INV, SOLVE
from symtape.primitives.reductions import SUM
from symtape.programs.compiled.deciding import decides, deciding_nodes, is_harmless
from symtape.programs.compiled.element_plans import plan_moves, plan_slices, spread
from symtape.programs.compiled.elements import Element
from symtape.programs.compiled.expanding import expand_graph
from symtape.programs.compiled.finite import ARE_FINITE
from symtape.programs.compiled.functions import LIBM, NUMPY, OF_TRUTHS, callback_code
from symtape.programs.compiled.instructions import SAME, SQUARE, instruction, is_as_numpy
from symtape.programs.compiled.kinds import Kinds, find_kinds
from symtape.programs.compiled.machine_numbers import (
    FLOAT64,
    MEANINGS,
    check_dtype,
    check_operation,
    is_to_be_expanded,
)
from symtape.programs.compiled.operations import Operation, make_tuple
from symtape.programs.compiled.parts import AS_NUMPY, OF_SHARES
from symtape.programs.compiled.slices import SUM_OF_SLICES
from symtape.programs.compiled.sums import add_by_halves, add_neighbours
from symtape.programs.compiled.systems import solve_system

MOST_OPERATIONS: Final = 500_000
"""Of a program of arrays; longer ones are left to arrays."""

_MOST_OF_A_NODE: Final = 2
"""On the average of nodes that are more than that: such a program is one of numbers."""

MOST_NUMBERS: Final = 100_000
"""Of an array that is read."""

_LARGEST_SYSTEM: Final = 6
"""Rows of a matrix, above which LAPACK takes as long, and far fewer lines."""

_LARGEST_MATRIX: Final = 64
"""Numbers of what is computed by the formula of its elements, which may be long."""

_LINES: Final = frozenset((CUMPROD, CUMSUM, RECURRENCE))
"""Rows in which each element takes an operation or two after the one before it."""

_LONGEST_LINE: Final = 4096


def most_operations(graph: Graph) -> int:
    """How many operations on numbers a program may be."""
    return max(MOST_OPERATIONS, _MOST_OF_A_NODE * len(graph))


_pack_float: Final = struct.Struct("d").pack


@dataclass
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
    kinds: Kinds | None = None
    """Of the nodes of `graph`, where they are known."""
    operations: list[Operation] = field(default_factory=list)
    begun: list[Any] = field(default_factory=list)
    """For each output an array with the constants in it, which are not stored; or None."""
    as_numpy: bool = False  # all functions are NumPy's own: somebody decides by what comes out
    is_strict: bool = False
    """Whether a program is refused that decides by what NumPy may round otherwise."""
    _known: dict[tuple[Any, ...], int] = field(default_factory=dict)
    _never_minus_zero: set[int] = field(default_factory=set)
    """Constants, and sums: these are -0.0 only where both of their terms are."""
    _rounded: set[int] = field(default_factory=set)
    """What NumPy may round otherwise, functions aside: longer sums, products, solutions."""
    _decided: set[int] = field(default_factory=set)
    """What decides."""
    _deciding: set[int] = field(default_factory=set)
    _truths: dict[int, float] = field(default_factory=dict)
    """Truth values that are known."""
    _looked: int = 0
    """Operations when it was asked last by what it decides."""
    _most: int = 0
    _zero: int = -1
    """The constant 0.0, once it is there."""
    _codes: dict[tuple[int, bool], str | None] = field(default_factory=dict)
    """Of a kind of elementwise operations, and whether it is one that decides."""
    _plans: dict[int, Any] = field(default_factory=dict)
    """What is to be done for each operation of a kind that moves elements."""
    _plain: dict[tuple[int, bool], str] = field(default_factory=dict)
    """Those of operations on each number alone; others have an empty word."""

    def __post_init__(self) -> None:
        self._most = most_operations(self.graph)
        kinds, nodes = self.kinds or find_kinds(self.graph), self.graph.nodes
        tried = kinds.find_nodes(lambda at: is_to_be_expanded(self.graph, nodes[at]))
        if any(nodes[at].row in OF_SHARES for at in tried):
            exact = set(tried) if self.as_numpy else deciding_nodes(self.graph)
            tried = [at for at in tried if nodes[at].row not in OF_SHARES or at not in exact]
        found = expand_graph(self.graph, is_to_be_expanded, MEANINGS, tried=tried)
        self.kinds = kinds if found.graph is self.graph else find_kinds(found.graph)
        graph = self.graph = found.graph
        self._deciding = deciding_nodes(graph, found.inner)
        self._deciding.update(range(len(graph)) if self.as_numpy else ())
        given = {at: number for number, at in enumerate(graph.inputs)}
        steps: dict[int, list[bool]] = {}
        for step in graph.path:
            steps.setdefault(step.node, []).append(step.outcome)
        places: list[Any] = []
        for at in self.kinds.firsts:
            check_operation(graph.nodes[at])
        for at, node in enumerate(graph.nodes):
            if node.primitive is None and node.dtype is not FLOAT64:
                check_dtype(node)
            if at in given:
                places.append(self._read(node, given[at]))
            elif node.primitive is None:
                places.append(self._lower_constant(node))
            elif code := self._plain_code(at, node):
                args = [places[i] for i in node.inputs]
                places.append(
                    self._apply_to_each(code, node, args)
                    if node.shape
                    else self._add(code, tuple(args))
                )
            else:
                args = [places[i] for i in node.inputs]
                places.append(self._lower_node(at, node, args))
                if decides(node.row) and at not in found.inner:
                    self._note_decision(args)
            for outcome in steps.get(at, ()):
                decided = np.asarray(places[at]).item()
                self._add("guard", (self._truth(node, decided),), (outcome,))
                if at not in found.inner and not is_harmless(node.row):
                    self._note_decision([places[at]])
        for number, at in enumerate(graph.outputs):
            if graph.nodes[at].dtype != FLOAT64:
                raise Unsupported(f"an output of dtype {graph.nodes[at].dtype}")
            self._store(number, np.ravel(places[at]), graph.nodes[at].shape)
        self._check_decisions()

    def _store(self, number: int, values: Any, shape: tuple[int, ...]) -> None:
        """Store what an output is computed of; with the constants in it, it begins."""
        kinds, which = np.unique(values, return_inverse=True)
        found = [self.operations[at] for at in kinds.tolist()]
        is_constant = np.array([op.code == "constant" for op in found], bool)
        numbers = [np.frombuffer(*op.static)[0] if op.code == "constant" else 0.0 for op in found]
        self.begun.append(np.array(numbers)[which].reshape(shape) if is_constant.any() else None)
        for k in np.flatnonzero(~is_constant[which]).tolist():
            self._add("store", (int(values[k]),), (number, k))

    def _lower_constant(self, node: Node) -> Any:
        """Its numbers; a truth value is known, so that a choice by it is none."""
        flat = np.asarray(node.constant, np.float64).ravel()
        if node.shape:
            bits, places = np.unique(flat.view(np.uint64), return_inverse=True)
            return np.array(self._constants(bits.view(np.float64), node), np.int64)[places].reshape(
                node.shape
            )
        return self._constants(flat, node)[0]

    def _constants(self, numbers: Any, node: Node) -> list[int]:
        """The operation of each number of a constant node, or of its truth value."""
        flat = numbers.tolist()
        ids = [self._number(x) for x in flat]
        if node.dtype.kind == "b":
            ids = [self._add("fcmp une", (x, self._number(0.0))) for x in ids]
            self._truths.update(zip(ids, flat, strict=True))
        return ids

    def _add(self, code: str, inputs: tuple[int, ...], static: tuple[Any, ...] = ()) -> int:
        if code == "select" and inputs[0] in self._truths:
            return inputs[1 if self._truths[inputs[0]] else 2]
        size = len(self.operations)
        operation = make_tuple(Operation, (code, inputs, static))
        found = self._known.setdefault(operation, size)
        if found == size:
            self.operations.append(operation)
            if code == "fadd" and not self._never_minus_zero.isdisjoint(inputs):
                self._never_minus_zero.add(found)
            if found >= self._most:
                self._check_length()
        return found

    def _add_each(self, code: str, lists: Sequence[list[int]]) -> list[int]:
        """An operation on the elements of each list, as :meth:`_add` adds one.

        What it does is written out, since calls take as long, but for what asks for more.
        """
        if code == "select" or code == "fadd":
            return [self._add(code, given) for given in zip(*lists, strict=True)]
        known, operations, found = self._known, self.operations, []
        for given in zip(*lists, strict=True):
            operation = make_tuple(Operation, (code, given, ()))
            place = known.setdefault(operation, len(operations))
            if place == len(operations):
                operations.append(operation)
            found.append(place)
        self._check_length()
        return found

    def _check_length(self) -> None:
        if len(self.operations) > self._most:
            raise Unsupported(f"more than {self._most} operations on numbers")

    def _note_decision(self, given: Sequence[Any]) -> None:
        for ids in given:
            self._decided.update(np.ravel(ids).tolist())
        if len(self.operations) > 2 * self._looked:  # together they take as long as the last
            self._check_decisions()

    def _check_decisions(self) -> None:
        self._looked = len(self.operations)
        if self.is_strict and not self.decides_as_numpy:
            raise Unsupported("a decision by what NumPy may round otherwise")

    @property
    def decides_as_numpy(self) -> bool:
        """Whether nothing decides that NumPy may round otherwise, or is computed of what it may."""
        near = set(self._rounded) if self._decided else set()
        for at, (code, inputs, _) in enumerate(self.operations if self._decided else ()):
            if not is_as_numpy(code) or not (
                near.isdisjoint(inputs) or (code == "fmul" and self._zero in inputs)
            ):
                near.add(at)
        return near.isdisjoint(self._decided)

    def _number(self, value: float) -> int:
        # By its bits, for 0.0 equals -0.0.
        is_zero = not value and math.copysign(1.0, value) > 0
        if is_zero and self._zero >= 0:
            return self._zero
        found = self._add("constant", (), (_pack_float(value),))
        if value or is_zero:
            self._never_minus_zero.add(found)
        if is_zero:
            self._zero = found
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
        return self._shape_elements(
            [self._add("input", (), (number, k)) for k in range(size)], node
        )

    def _lower_node(self, at: int, node: Node, args: Sequence[Any]) -> Any:
        row = node.row
        if row.elementwise:
            return self._apply_elementwise(at, node, args)
        of_floats = node.dtype == FLOAT64 and self._are_floats(node)
        is_joined = row.dependence == "joins" and not row.decision and of_floats
        arrays = [np.asarray(ids) for ids in args]
        if row.moves or is_joined:
            found = self._move_elements(at, node, arrays)
        elif (row is SCATTER or row is SUM_OF_SLICES) and of_floats:
            found = self._scatter_slices(at, node, arrays)
        else:
            found = self._lower_whole(node, arrays)
        return found if node.shape else int(found)

    def _lower_whole(self, node: Node, args: Sequence[Any]) -> Any:
        """An operation on arrays as such."""
        row = node.row
        if row is ARE_FINITE and self._are_floats(node):
            return self._are_finite(node, args[0])
        if row is ALL or row is ANY:
            return self._joined_truths(node, args[0])
        if node.dtype != np.float64 or not self._are_floats(node):
            raise Unsupported(f"{row.name} of truth values in machine numbers")
        if row is MATMUL:
            return self._product(node, *args)
        if row is SUM:
            reduce = self._sum_as_numpy if args[0].ndim == 1 else self._sum_from_zero
            return self._reduce_lines(node, args[0], reduce)
        if row is MAX or row is MIN:
            code = "call maximum" if row is MAX else "call minimum"
            return self._fold_lines(node, args[0], code)
        if row is SOLVE:
            return self._solve_small_system(node, *args)
        if row is INV:
            one, zero = self._number(1.0), self._number(0.0)
            return self._solve_small_system(
                node, args[0], np.where(np.eye(node.shape[-1]), one, zero)
            )
        return self._lower_by_elements(node, args)

    def _lower_by_elements(self, node: Node, args: Sequence[Any]) -> Any:
        """What a row means by additions and products of elements."""
        row = node.row
        sizes = [ids.size for ids in args]
        most = _LONGEST_LINE if row in _LINES else _LARGEST_MATRIX
        if row.elements is None or max(sizes) > most:
            raise Unsupported(f"{row.name} in machine numbers")
        given = [Element.array(self._add, self._number, ids) for ids in args]
        try:
            found = np.asarray(row.elements(*given, **node.params), dtype=object)
        except (TypeError, AttributeError, np.linalg.LinAlgError):
            raise Unsupported(f"{row.name} in machine numbers") from None
        ids = [Element.place(one, self._number) for one in found.ravel().tolist()]
        if row not in AS_NUMPY:
            self._rounded.update(ids)
        return self._shape_elements(ids, node)

    def _move_elements(self, at: int, node: Node, args: Sequence[Any]) -> Any:
        """Where a row puts its elements; what it puts beside them are zeros."""
        places, has_zeros = self._plan(at, lambda: plan_moves(node, args))
        ids = np.concatenate([*map(np.ravel, args)])
        return np.where(places < 0, self._number(0.0), ids[places]) if has_zeros else ids[places]

    def _plan(self, at: int, make: Callable[[], Any]) -> Any:
        """What is to be done for each operation of a kind, made for the first."""
        assert self.kinds is not None
        kind = self.kinds.of[at]
        if kind not in self._plans:
            self._plans[kind] = make()
        return self._plans[kind]

    def _are_finite(self, node: Node, ids: Any) -> Any:
        """Whether 0.0 times each is 0.0, in which rounding has no part."""
        zero = self._number(0.0)
        asked = [x for x in dict.fromkeys(ids.ravel().tolist()) if not self._is_finite_constant(x)]
        found = add_by_halves(self._add_two, [zero, *[self._add("fmul", (x, zero)) for x in asked]])
        return self._shape_elements([self._add("fcmp oeq", (found, zero))], node)

    def _is_finite_constant(self, at: int) -> bool:
        operation = self.operations[at]
        return operation.code == "constant" and math.isfinite(np.frombuffer(*operation.static)[0])

    def _are_floats(self, node: Node) -> bool:
        return all(self.graph.nodes[i].dtype.kind != "b" for i in node.inputs)

    def _apply_elementwise(self, at: int, node: Node, args: Sequence[Any]) -> Any:
        """An operation on each element, with truth values as 1.0 and 0.0."""
        inputs = [self.graph.nodes[i] for i in node.inputs]
        code = self._instruction(at, node, inputs)
        if code is None:
            return self._called_back(node, inputs, args)
        lists = self._elements(node, args)
        for k, one in enumerate(inputs):
            if one.dtype.kind == "b" and not ((code == "select" and not k) or code in OF_TRUTHS):
                lists[k] = self._add_each("uitofp", lists[k : k + 1])
        if code == SAME:
            return self._shape_elements(lists[0], node)
        if code == SQUARE:
            code, lists = "fmul", lists[:1] * 2  # of a power beside its exponent
        return self._shape_elements(self._add_each(code, lists), node)

    def _apply_to_each(self, code: str, node: Node, args: Sequence[Any]) -> Any:
        return self._shape_elements(self._add_each(code, self._elements(node, args)), node)

    def _instruction(self, at: int, node: Node, inputs: Sequence[Node]) -> str | None:
        """As :func:`instruction`, which is asked once for each kind of operation."""
        assert self.kinds is not None
        key = self.kinds.of[at], at in self._deciding
        if key not in self._codes:
            self._codes[key] = instruction(node, inputs, NUMPY if key[1] else LIBM)
        return self._codes[key]

    def _plain_code(self, at: int, node: Node) -> str:
        """That of an operation on each number alone, as long programs are made of."""
        assert self.kinds is not None
        key = self.kinds.of[at], at in self._deciding
        code = self._plain.get(key)
        if code is None:
            inputs = [self.graph.nodes[i] for i in node.inputs]
            is_alone = node.row.elementwise and not decides(node.row)
            found = self._instruction(at, node, inputs) if is_alone else None
            of_truths = any(one.dtype.kind == "b" for one in inputs)
            code = self._plain[key] = "" if found in _MEANT or of_truths else found or ""
        return code

    def _elements(self, node: Node, args: Sequence[Any]) -> list[list[int]]:
        """For each argument the operations that stand for it in the elements of a node."""
        size, shape = math.prod(node.shape), node.shape
        return [[one] * size if type(one) is int else spread(one, shape) for one in args]

    def _shape_elements(self, ids: list[int], node: Node) -> Any:
        """The operations of a node in its shape; of a number the one."""
        if len(node.shape) == 1:
            return np.array(ids, np.int64)
        return np.array(ids, np.int64).reshape(node.shape) if node.shape else ids[0]

    def _called_back(self, node: Node, inputs: Sequence[Node], args: Sequence[Any]) -> Any:
        """What Python computes of each element."""
        known = {k: x.constant for k, x in enumerate(inputs) if x.constant is not None}
        rest = [args[k] for k, x in enumerate(inputs) if k not in known]
        dtypes = {node.dtype, *(x.dtype for k, x in enumerate(inputs) if k not in known)}
        if dtypes != {np.dtype(np.float64)} or any(np.shape(x) for x in known.values()):
            raise Unsupported(f"{node.row.name} in machine numbers")
        code = f"call {callback_code(node.row, node.params, known)}"
        return self._apply_to_each(code, node, rest)

    def _add_two(self, a: int, b: int) -> int:
        return self._add("fadd", (a, b))

    def _plus(self, a: int, b: int) -> int:
        """The sum of two; nothing is done to add 0.0 to what is not -0.0."""
        if b == self._zero and a in self._never_minus_zero:
            return a
        return self._add("fadd", (a, b))

    def _sum_from_zero(self, terms: list[int]) -> int:
        """The sum of terms and 0.0, with which NumPy begins: it is never -0.0."""
        found = self._plus(add_by_halves(self._add_two, terms), self._number(0.0))
        if len(terms) > 2:
            self._rounded.add(found)
        return found

    def _sum_as_numpy(self, terms: list[int]) -> int:
        """The sum of a vector and 0.0 in the order in which NumPy adds, wherever it lies."""
        return self._plus(add_neighbours(self._add_two, terms), self._number(0.0))

    def _lines(self, node: Node, ids: Any) -> list[list[int]]:
        """What a reduction makes one of each of."""
        axis = node.params["axis"]
        axes = tuple(range(ids.ndim)) if axis is None else tuple(k % ids.ndim for k in axis)
        kept = [k for k in range(ids.ndim) if k not in axes]
        count = math.prod(ids.shape[k] for k in axes)
        if not ids.size:
            raise Unsupported(f"a {node.row.name} of nothing")
        lines: list[list[int]] = ids.transpose([*kept, *axes]).reshape((-1, count)).tolist()
        return lines

    def _reduce_lines(self, node: Node, ids: Any, reduce: Callable[[list[int]], int]) -> Any:
        return self._shape_elements([reduce(line) for line in self._lines(node, ids)], node)

    def _fold_lines(self, node: Node, ids: Any, code: str) -> Any:
        """Of each line all of its terms, one after the other, by an operation on two."""

        def fold(terms: list[int]) -> int:
            return functools.reduce(lambda a, b: self._add(code, (a, b)), terms)

        return self._reduce_lines(node, ids, fold)

    def _joined_truths(self, node: Node, ids: Any) -> Any:
        if self._are_floats(node):
            zero = self._number(0.0)
            flat = [self._add("fcmp une", (x, zero)) for x in ids.ravel().tolist()]
            ids = np.array(flat, np.int64).reshape(ids.shape)
        return self._fold_lines(node, ids, "and" if node.row is ALL else "or")

    def _product(self, node: Node, a: Any, b: Any) -> Any:
        if a.ndim > 2 or b.ndim > 2 or not a.size or not b.size:
            raise Unsupported("a product of stacks of matrices")
        rows = np.atleast_2d(a).tolist()
        columns = b.reshape((b.shape[0], -1)).T.tolist()
        if len(rows) * len(columns) * len(rows[0]) > MOST_OPERATIONS // 4:
            raise Unsupported("a product of large matrices")
        # NumPy multiplies two arrays of one number as numbers.
        one_by_one = functools.partial(add_by_halves, self._add_two)
        total = one_by_one if a.size == b.size == 1 else self._sum_from_zero
        found = self._shape_elements(
            [total(self._add_each("fmul", (row, column))) for row in rows for column in columns],
            node,
        )
        if len(rows[0]) > 1:
            # Already of two terms, for BLAS may round a product and its sum at once.
            self._rounded.update(np.ravel(found).tolist())
        return found

    def _solve_small_system(self, node: Node, a: Any, b: Any) -> Any:
        """A system of few equations; a singular one leaves the program, for NumPy to refuse it."""
        if a.ndim != 2 or b.ndim > 2 or not b.size or len(a) > _LARGEST_SYSTEM:
            raise Unsupported(f"{node.row.name} of large matrices, or of stacks of them")

        def check(pivot: int) -> None:
            self._add("guard", (self._add("fcmp une", (pivot, self._number(0.0))),), (True,))

        right = b.reshape((len(b), -1))
        found = np.array(solve_system(self._add, check, a.tolist(), right.tolist()), np.int64)
        self._rounded.update(found.ravel().tolist())
        return found.reshape(node.shape)

    def _scatter_slices(self, at: int, node: Node, args: list[Any]) -> Any:
        """Slices in zeros, or added to an array: what was -0.0 is 0.0 after the next addition."""
        indices = list(node.params.get("indices") or (node.params["index"],))
        zero = self._number(0.0)
        if any(isinstance(item, np.ndarray | list) for index in indices for item in _items(index)):
            return self._added_at(node, indices, args)
        slices = iter(self._plan(at, lambda: plan_slices(node.shape, indices)))
        is_based = node.params.get("based", False)
        out = args[0].ravel().tolist() if is_based else [zero] * math.prod(node.shape)
        places, shape = (range(len(out)), ()) if is_based else next(slices)
        if not is_based:
            for place, value in zip(places, spread(args[0], shape), strict=True):
                out[place] = value
        for (next_places, shape), value in zip(slices, args[1:], strict=True):
            given = zip(next_places, spread(value, shape), strict=True)
            added = [self._plus(out[place], one) for place, one in given]
            for place in places:
                out[place] = self._plus(out[place], zero)
            for place, one in zip(next_places, added, strict=True):
                out[place] = one
            places = next_places
        return np.array(out, np.int64).reshape(node.shape)

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


_MEANT: Final = frozenset((SAME, SQUARE))
"""Words for operations that have another code, or none."""


def _items(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)
