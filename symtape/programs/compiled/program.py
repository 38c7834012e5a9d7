"""A program: an optimised graph, and the function of arrays that a back end made of it.

The back end is chosen by what a program costs, in microseconds, as far as its operations tell.
Costs are measured where calls, and not memory, are what costs: NumPy's dispatch of an operation,
the share of an operation in that of a loop, machine code's arithmetic without vectors, and the
functions of the C library.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.primitives.arithmetic import SQUARE
from symtape.primitives.choice import WHERE
from symtape.primitives.contraction import MATMUL
from symtape.primitives.cumulative import CUMPROD, CUMSUM, RECURRENCE
from symtape.primitives.einsum import EINSUM, count_products
from symtape.primitives.indexing import SCATTER
from symtape.primitives.primitive import Primitive
from symtape.primitives.reductions import SUM
from symtape.process.extras import is_installed
from symtape.process.work import suspend_collector
from symtape.programs.compiled.cancelling import free_cancelled_shares
from symtape.programs.compiled.complex_parts import QUOTIENT, compute_by_parts
from symtape.programs.compiled.emitters import OPERATORS
from symtape.programs.compiled.entry import has_known_layout
from symtape.programs.compiled.finite import looking_once
from symtape.programs.compiled.functions import PYTHON
from symtape.programs.compiled.fused_source import FusedSource, fuse_graph
from symtape.programs.compiled.fusing import REDUCED
from symtape.programs.compiled.islands import compile_numbers
from symtape.programs.compiled.kinds import Kinds, find_kinds
from symtape.programs.compiled.llvm import MachineCode
from symtape.programs.compiled.masks import compute_under_masks
from symtape.programs.compiled.numpy_source import NumpySource
from symtape.programs.compiled.operations import Operation
from symtape.programs.compiled.parts import PARTS
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.scalars import MOST_NUMBERS, Scalars, most_operations
from symtape.programs.compiled.slices import SUM_OF_SLICES

Shape: TypeAlias = tuple[int, ...]

_SOURCE: Final = 2.0
"""Of a program that Python runs, beside a builtin function."""

_CALL: Final = 1.0
_OF_NUMBERS: Final = 0.2
_STEP: Final = 0.05
_SEVERAL: Final = 0.3
"""A product, or the steps of a row that is taken apart."""

_TURN: Final = 0.05
_NUMBER: Final = 0.0005
_OPERATION: Final = 0.001
_FUNCTION: Final = 0.01
_SHARE: Final = 0.005
_CALL_OF_PYTHON: Final = 4.0
_PLAIN: Final = frozenset((SQUARE, WHERE, *QUOTIENT))
_OF_EACH: Final = frozenset((SUM, CUMSUM, CUMPROD, RECURRENCE))
_PUT: Final = frozenset((SCATTER, SUM_OF_SLICES))
_GAIN: Final = 2
"""How many times as quick machine code is to be, which takes longer to be made."""


def pays_in_machine_code(graph: Graph, kinds: Kinds, calls: int = 0) -> bool:
    """Whether a program is so much quicker in machine code that it is worth making.

    Parameters
    ----------
    graph : Graph
    kinds : Kinds
        Of its nodes.
    calls : int
        Operations on arrays that are left to NumPy, for they lie so that no loop reads them.
    """
    if any(math.prod(shape) > MOST_NUMBERS for shape in {node.shape for node in graph.nodes}):
        return False
    counts = _count_operands(graph, kinds)
    if _total(counts, _count_operations) > most_operations(graph):
        return False
    cost = _SOURCE + _total(counts, _cost_in_arrays) + calls * (_CALL - _STEP)
    return _GAIN * _total(counts, _cost_in_machine_code) < cost


def calls_pay(graph: Graph, kinds: Kinds, operations: Sequence[Operation]) -> bool:
    """Whether the calls of Python in machine code cost less than NumPy takes for a program."""
    called = Counter([op.code for op in operations])
    count = sum(n for code, n in called.items() if code.startswith(f"call {PYTHON}."))
    return not count or _GAIN * _CALL_OF_PYTHON * count <= _total(
        _count_operands(graph, kinds), _cost_in_arrays
    )


class _Operands(NamedTuple):
    """What the cost of an operation depends on."""

    row: Primitive
    shape: Shape
    dtype: str
    given: tuple[Shape, ...]
    subscripts: str


def _count_operands(graph: Graph, kinds: Kinds) -> Counter[_Operands]:
    found: Counter[_Operands] = Counter()
    for at, count in kinds.counts().items():
        node = graph.nodes[at]
        given = tuple([graph.nodes[i].shape for i in node.inputs])
        subscripts = node.params.get("subscripts", "")
        found[_Operands(node.row, node.shape, node.dtype.kind, given, subscripts)] += count
    return found


def _total(counts: Counter[_Operands], cost: Callable[[_Operands], float]) -> float:
    return sum(count * cost(kind) for kind, count in counts.items())


def _cost_in_arrays(kind: _Operands) -> float:
    # A recurrence is Python's loop.
    each = _TURN if kind.row is RECURRENCE else _NUMBER
    return _cost_of_call(kind) + each * sum(map(math.prod, kind.given))


def _cost_of_call(kind: _Operands) -> float:
    """Of a step of a segment, or of what Python calls: numbers, and rows that are no loops."""
    row = kind.row
    if not kind.shape and not any(kind.given):
        return _OF_NUMBERS if row.evaluate in OPERATORS else _CALL
    if row is MATMUL or row in PARTS:
        return _SEVERAL
    is_step = row.elementwise or row.moves or row in REDUCED or row in _PUT
    return _STEP if is_step or row.dependence == "joins" else _CALL


def _cost_in_machine_code(kind: _Operands) -> float:
    row = kind.row
    if row in PARTS:
        return _SHARE * math.prod(kind.given[0])
    plain = row.evaluate in OPERATORS or kind.dtype == "b" or row in _PLAIN
    each = _FUNCTION if row.elementwise and not plain else _OPERATION
    return each * _count_operations(kind)


def _count_operations(kind: _Operands) -> int:
    """How many operations on numbers it is."""
    row, size = kind.row, math.prod(kind.shape)
    if row.elementwise:
        return size
    if row is MATMUL:
        return 2 * size * kind.given[0][-1]
    if row is EINSUM:
        return len(kind.given) * count_products(kind.subscripts, *kind.given)
    return math.prod(kind.given[0]) if row in _OF_EACH else 0


Backend = Callable[[Graph, str], Any]

BACKENDS: Final[dict[str, Backend]] = {
    "numpy": NumpySource,
    "fused": FusedSource,
    "llvm": MachineCode,
}
"""What makes a function of arrays of an optimised graph and a name."""


def _best(graph: Graph, name: str) -> Any:
    """The back end for what a program is made of."""
    kinds, fused = find_kinds(graph), None
    if not pays_in_machine_code(graph, kinds):
        fused = fuse_graph(graph, exact=False)
        if not pays_in_machine_code(graph, kinds, fused.calls):
            return FusedSource(graph, name, exact=False, fused=fused)
    with_numbers = True
    try:
        scalars = Scalars(graph, kinds, is_strict=True)
        if calls_pay(graph, kinds, scalars.operations):
            with_numbers = False  # What is refused from here on is too long to be written.
            return MachineCode(graph, name, scalars)
    except Unsupported:
        pass
    islands = compile_numbers(graph)
    if islands is not graph:
        return FusedSource(islands, name, exact=False)
    if with_numbers or fused is None:
        fused = fuse_graph(graph, exact=False, with_numbers=with_numbers)
    return FusedSource(graph, name, exact=False, fused=fused)


class Program:
    """A recorded computation as a function of arrays of its shapes and dtypes, on its path.

    Parameters
    ----------
    graph : Graph
        As it was recorded.
    name : str
        Of the function that it computes, for tracebacks.
    backend : str
        One of :data:`BACKENDS`, or ``"auto"``: where llvmlite is installed, and objects lie as
        machine code reads them, machine code for a program of few numbers that compares nothing
        which it may round otherwise, and loops of machine code for all others.

    Attributes
    ----------
    graph : Graph
        Optimised.
    run : callable
        Of contiguous arrays, and NumPy's numbers; a tuple of fresh arrays, or None off the path.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> gradient = symtape.record(symtape.grad(lambda x: np.sum(x * x)), [1.0, 2.0])
    >>> program = Program(gradient, "f")
    >>> print(program.run.source, end="")
    def program(x0):
        v1 = x0 + x0
        return (v1, )
    >>> program.run(np.array([3.0, 4.0]))
    (array([6., 8.]),)
    """

    @suspend_collector
    def __init__(self, graph: Graph, name: str, backend: str = "numpy") -> None:
        self.graph = optimise_graph(graph)
        if backend == "auto" and is_installed("llvmlite") and has_known_layout():
            graph = compute_by_parts(compute_under_masks(self.graph))
            self.run = _best(free_cancelled_shares(looking_once(graph)), name)
        else:
            by = BACKENDS["numpy" if backend == "auto" else backend]
            self.run = by(looking_once(self.graph), name)

    def replay(self, *tensors: Any) -> tuple[Any, ...] | None:
        """The outputs as what stands in for arrays computes them; None off the path.

        What records meanwhile sees the operations of this program, and its decisions.
        """
        values = self.graph.values_on_path(*tensors)
        if values is None:
            return None
        return tuple(
            np.array(values[at])[()] if type(values[at]) is np.ndarray else values[at]
            for at in self.graph.outputs
        )
