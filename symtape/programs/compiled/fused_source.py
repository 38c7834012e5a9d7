"""Back end: NumPy source in which neighbouring operations on arrays are loops of machine code.

Needs llvmlite, an extra. The loops do what NumPy does in the same order; they warn of nothing. With
functions of vectors, results agree within the rounding of the rows, but for what the program
decides by; without them every bit is NumPy's. Rows whose ``evaluate`` looks before it computes are
written as operations on elements that never look: their values are those of the rows within
rounding, and loops compute them in less time than NumPy takes to look.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.contraction import MATMUL
from symtape.primitives.einsum import EINSUM, contract_by_pairs
from symtape.primitives.polynomials import CORRELATE
from symtape.primitives.primitive import Primitive
from symtape.primitives.sorting import SEARCHSORTED
from symtape.process.extras import load
from symtape.programs.compiled.deciding import deciding_nodes
from symtape.programs.compiled.decompositions import share_eigenvectors
from symtape.programs.compiled.emitters import function_of
from symtape.programs.compiled.entry import (
    ON_STACK,
    Entry,
    Layout,
    addresses_source,
    builtin,
    check_layout,
)
from symtape.programs.compiled.expanding import expand_graph
from symtape.programs.compiled.factors import DETERMINANTS, share_factors
from symtape.programs.compiled.functions import LIBMVEC
from symtape.programs.compiled.fusing import (
    LEAST_NUMBERS,
    REDUCED,
    fuse_operations,
    is_number,
    is_of_arrays,
)
from symtape.programs.compiled.instructions import FLOATS, instruction
from symtape.programs.compiled.library_calls import LibraryCall, library_call_source
from symtape.programs.compiled.llvm import compiled_source
from symtape.programs.compiled.lookups import Lookup, index_by_arrays_alone, lookup_source
from symtape.programs.compiled.loop import Loop, loop_of
from symtape.programs.compiled.loops import layouts, loops_source, shared_source
from symtape.programs.compiled.movement import choose_rows
from symtape.programs.compiled.numpy_source import NumpySource
from symtape.programs.compiled.parts import OF_EXPONENTIALS, PARTS, multiply_stacks
from symtape.programs.compiled.placements import Placement, placement_source, placing_functions
from symtape.programs.compiled.products import Product, product_source
from symtape.programs.compiled.rewriting import rewritten
from symtape.programs.compiled.scans import Scan, scan_source
from symtape.programs.compiled.segments import (
    Segment,
    join_steps,
    segment_source,
    share_workspace,
)

_FEW_SAMPLES: Final = 64
_SHORT_WINDOW: Final = 64
_SMALL_MATRIX: Final = 4

_OPTIMISED: Final = 4000
"""Lines of loops, above which LLVM's passes take longer than they are worth."""


class FusedGraph(NamedTuple):
    """A graph whose nodes are loops and what is left to NumPy, with its values."""

    graph: Graph
    values: Sequence[Any]
    loops: tuple[Loop, ...]

    @property
    def calls(self) -> int:
        """Operations that are left to NumPy."""
        return sum(_is_called(node) for node in self.graph.nodes)


def fuse_graph(graph: Graph, exact: bool, with_numbers: bool = False) -> FusedGraph:
    """Neighbouring operations as loops, which have no machine code yet.

    Among few arrays, operations on numbers are left to Python unless they are asked for.
    """
    if not exact:
        graph = rewritten(graph, [choose_rows, index_by_arrays_alone])
    meanings: dict[Primitive, Callable[..., Any]] = {
        **PARTS,
        **DETERMINANTS,
        **OF_EXPONENTIALS,
        EINSUM: contract_by_pairs,
        MATMUL: multiply_stacks,
    }
    least = 1 if with_numbers or is_of_arrays(graph) else LEAST_NUMBERS
    # BLAS, LAPACK, and the rows themselves, have the bits by which NumPy decides.
    kept = {id(graph.nodes[at]) for at in deciding_nodes(graph)}
    exact_rows = {MATMUL, *DETERMINANTS, *OF_EXPONENTIALS}

    def is_wanted(graph: Graph, node: Node) -> bool:
        is_kept = node.row in exact_rows and id(node) in kept
        return not (exact or is_kept) and _is_for_loops(graph, node, least)

    given = expand_graph(graph, is_wanted, meanings)
    if not exact:
        given = share_factors(given, deciding_nodes(given.graph, given.inner))
        given = share_eigenvectors(given, deciding_nodes(given.graph, given.inner))
    deciding = deciding_nodes(given.graph, given.inner)
    with_numbers = with_numbers or is_of_arrays(given.graph)
    graph, values = fuse_operations(given.graph, given.values, exact, deciding, with_numbers)
    if not exact:
        graph, values = join_steps(graph, values)
    every = (loop_of(node) for node in graph.nodes)
    return FusedGraph(graph, values, tuple(dict.fromkeys(loop for loop in every if loop)))


class FusedSource(NumpySource):
    """A graph as a function of arrays, by generated source that calls loops of machine code.

    Parameters
    ----------
    graph : Graph
        Optimised, with the point at which it was recorded.
    name : str
        Of the function that it computes.
    exact : bool
        Without functions of vectors.
    fused : FusedGraph, optional
        What :func:`fuse_graph` makes of the graph, where it is known.

    Attributes
    ----------
    backend : str
        ``"numpy"`` where there is nothing for loops.
    source : str
    loops : tuple of Loop
    assembly : str
        LLVM's, of the loops; empty where there are none.

    Raises
    ------
    MissingExtra
        llvmlite is not installed.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        exact: bool = True,
        fused: FusedGraph | None = None,
    ) -> None:
        binding = load("llvmlite.binding", 'backend="fused"')
        graph, values, self.loops = fused or fuse_graph(graph, exact)
        share_workspace(self.loops, ON_STACK)
        self.backend = "fused" if self.loops else "numpy"
        self.assembly = _enter_assembly(binding, name, self.loops) if self.loops else ""
        super().__init__(graph, name, values)


def _is_called(node: Node) -> bool:
    return node.primitive is not None and loop_of(node) is None and not node.row.moves


def _is_for_loops(graph: Graph, node: Node, least: int) -> bool:
    """Whether parts of a row are operations on elements of arrays that are worth a loop."""
    inputs = [graph.nodes[i] for i in node.inputs]
    if max((math.prod(one.shape) for one in inputs), default=0) < least:
        return False
    if any(one.dtype not in FLOATS and not is_number(one) for one in inputs):
        return False
    if node.row is CORRELATE:
        return inputs[1].shape[0] <= _SHORT_WINDOW < node.shape[0]
    if node.row is SEARCHSORTED:
        return _are_few_in_order(inputs[0].constant)
    if node.row is MATMUL:
        a, b = (one.shape for one in inputs)
        return min(len(a), len(b)) > 1 and len(node.shape) > 2 and a[-1] <= _SMALL_MATRIX
    if node.row in DETERMINANTS:
        return len(inputs[0].shape) == 2
    if node.row in PARTS or node.row in OF_EXPONENTIALS or node.row is EINSUM:
        return True
    if node.row.elementwise:
        return function_of(node.row) is None and instruction(node, inputs, LIBMVEC) is None
    return node.row.dependence in ("mixes", "reduces") and node.row not in REDUCED


def _are_few_in_order(samples: Any) -> bool:
    """Whether it takes less time to compare with all known samples than to search."""
    few = samples is not None and 1 < np.size(samples) <= _FEW_SAMPLES
    return few and bool(np.all(np.diff(samples) >= 0))


def _enter_assembly(binding: Any, name: str, loops: Sequence[Loop]) -> str:
    """The assembly of loops, which have their machine code then; those that are alike share it."""
    check_layout()
    functions = _Functions()
    entries: dict[tuple[str, ...], list[Loop]] = {}
    for alike in _group_alike(loops):
        loop = alike[0]
        called = functions.name_function(loop)
        inputs, outputs = layouts(loop.graph)
        memory = loop.size // 8 if isinstance(loop, Segment) else 0
        if loop.workspace:
            outputs, memory = [*outputs, Layout((loop.workspace,))], 0
        lines = Entry(called, inputs, outputs, memory=memory, given=True).source()
        entries.setdefault((called, *lines), []).extend(alike)
    source = "\n".join([f"; {name}", *addresses_source(), *functions.source()]) + "\n"
    for k, (called, *lines) in enumerate(entries):
        text = "\n".join(lines)
        for word in (f"@entry_{called}(", f"@{called}.shape"):
            text = text.replace(word, word.replace(called, f"{called}_{k}"))
        source += text + "\n"
    engine = compiled_source(binding, source, _OPTIMISED)
    for k, ((called, *_), same) in enumerate(entries.items()):
        address = engine.get_function_address(f"entry_{called}_{k}")
        entry = builtin(address, (engine, functions.tables))
        for loop in same:
            loop.entry = entry
    return source


def _group_alike(loops: Sequence[Loop]) -> Iterable[list[Loop]]:
    """Those of one function together: of long programs most are, and text takes long to write."""
    found: dict[Any, list[Loop]] = {}
    for loop in loops:
        found.setdefault(_key(loop), []).append(loop)
    return found.values()


def _key(loop: Loop) -> Any:
    return loop if isinstance(loop, Segment) else (type(loop), loop.key)


class _Functions:
    """The functions of a module, each text of them once."""

    def __init__(self) -> None:
        self.tables = _Tables()
        self._names: dict[str, str] = {}
        self._known: dict[Any, str] = {}
        self._fused: list[Loop] = []
        self._lines: list[str] = []

    def name_function(self, loop: Loop) -> str:
        """The name of the function of a loop, which is written if there is none like it."""
        key = _key(loop)
        if key not in self._known:
            text = "\n".join(self._write(loop))
            if type(loop) is Loop:
                self._fused.append(loop)
                text = self._share_rows(text)
            self._known[key] = self._name_text(text)
        return self._known[key]

    def _share_rows(self, text: str) -> str:
        """The outermost function of a loop, which shares its rows with loops of other sizes."""
        *rows, outermost = re.split(r"\n(?=define )", text)
        names: dict[str, str] = {}
        for row in rows:
            own = row.partition("@")[2].partition("(")[0]
            names[own] = self._name_text(_rename_functions(row, names | {own: "loop"}))
        return _rename_functions(outermost, names)

    def _name_text(self, text: str) -> str:
        """The name of a function of that text, in which it is called loop."""
        if text not in self._names:
            self._names[text] = name = f"loop{len(self._names)}"
            self._lines.append(re.sub(r"@loop(?=[(._])", f"@{name}", text))
        return self._names[text]

    def source(self) -> list[str]:
        """The assembly of all of them, and of what they call."""
        return [
            *shared_source(self._fused),
            *placing_functions(self.tables.called),
            *self._lines,
        ]

    def _write(self, loop: Loop) -> list[str]:
        """The functions of a loop, the last of which is called loop."""
        name = "loop"
        if isinstance(loop, Segment):
            return segment_source(name, loop, self.name_function, self.tables.keep)
        if isinstance(loop, Product):
            return product_source(name, loop, self.tables.keep)
        if isinstance(loop, LibraryCall):
            return library_call_source(name, loop)
        if isinstance(loop, Placement):
            return placement_source(name, loop, self.tables.keep, self.tables.called)
        if isinstance(loop, Lookup):
            return lookup_source(name, loop)
        if isinstance(loop, Scan):
            return scan_source(name, loop, self.tables.keep)
        return loops_source(name, loop)


def _rename_functions(text: str, names: Mapping[str, str]) -> str:
    for own, name in names.items():
        text = text.replace(f"@{own}(", f"@{name}(")
    return text


class _Tables:
    """Numbers that machine code reads, each array of them once, and the functions that do so."""

    def __init__(self) -> None:
        self.called: set[tuple[str, ...]] = set()
        self._kept: dict[bytes, Any] = {}

    def keep(self, numbers: Any) -> int:
        """Where an array is, as long as these are."""
        kept = self._kept.setdefault(numbers.tobytes(), numbers)
        address: int = kept.ctypes.data
        return address
