"""Back end: NumPy source in which neighbouring operations on arrays are loops of machine code.

Needs llvmlite, an extra. The loops do what NumPy does in the same order; they warn of nothing. With
functions of vectors, results agree within the rounding of the rows, but for what the program
decides by; without them every bit is NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from symtape.graph.graph import Graph, Node
from symtape.primitives.einsum import EINSUM
from symtape.process.extras import load
from symtape.programs.compiled.deciding import deciding_nodes
from symtape.programs.compiled.emitters import function_of
from symtape.programs.compiled.entry import addresses_source, builtin, check_layout, entry_source
from symtape.programs.compiled.expanding import expand_graph
from symtape.programs.compiled.factors import share_factors
from symtape.programs.compiled.functions import LIBMVEC
from symtape.programs.compiled.fusing import LEAST_NUMBERS, REDUCED, fuse_operations
from symtape.programs.compiled.half_spectra import transform_half, transform_half_back
from symtape.programs.compiled.instructions import instruction
from symtape.programs.compiled.llvm import compiled_source
from symtape.programs.compiled.loop import Loop, loop_of
from symtape.programs.compiled.loops import layouts, loops_source, shared_source
from symtape.programs.compiled.movement import choose_rows
from symtape.programs.compiled.numpy_source import NumpySource
from symtape.programs.compiled.parts import PARTS
from symtape.programs.compiled.placements import Placement, placement_source, placing_functions
from symtape.programs.compiled.planning import SMALLEST
from symtape.programs.compiled.rewriting import rewritten
from symtape.programs.compiled.scans import Scan, scan_source

_OPTIMISED: Final = 4000
"""Lines of loops, above which LLVM's passes take longer than they are worth."""


class FusedSource(NumpySource):
    """A graph as a function of arrays, by generated source that calls loops of machine code.

    Parameters
    ----------
    graph : Graph
        Optimised, with the point at which it was recorded.
    name : str
        Of the function that it computes.
    smallest : int
        Elements of the smallest buffer.
    exact : bool
        Without functions of vectors.

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
        self, graph: Graph, name: str, smallest: int = SMALLEST, exact: bool = True
    ) -> None:
        binding = load("llvmlite.binding", 'backend="fused"')
        if not exact:
            graph, _ = rewritten(graph, [choose_rows, transform_half, transform_half_back])
        given = expand_graph(
            graph, lambda graph, node: not exact and _is_for_loops(graph, node), PARTS
        )
        if not exact:
            given = share_factors(given, deciding_nodes(given.graph, given.inner))
        deciding = deciding_nodes(given.graph, given.inner)
        graph, values = fuse_operations(given.graph, given.values, exact, deciding)
        every = (loop_of(node) for node in graph.nodes)
        self.loops = tuple(dict.fromkeys(loop for loop in every if loop))
        self.backend = "fused" if self.loops else "numpy"
        self.assembly = _enter_assembly(binding, name, self.loops) if self.loops else ""
        super().__init__(graph, name, smallest, values)


def _is_for_loops(graph: Graph, node: Node) -> bool:
    """Whether parts of a row are operations on elements of arrays that are worth a loop."""
    inputs = [graph.nodes[i] for i in node.inputs]
    if max((math.prod(one.shape) for one in inputs), default=0) < LEAST_NUMBERS:
        return False
    if node.row in PARTS or node.row is EINSUM:
        return True
    if node.row.elementwise:
        return function_of(node.row) is None and instruction(node, inputs, LIBMVEC) is None
    return node.row.dependence in ("mixes", "reduces") and node.row not in REDUCED


def _enter_assembly(binding: Any, name: str, loops: Sequence[Loop]) -> str:
    """The assembly of loops, which have their machine code then; those that are alike share it."""
    check_layout()
    tables = _Tables()
    alike: dict[Any, list[Loop]] = {}
    for loop in loops:
        alike.setdefault(loop.key, []).append(loop)
    different = [same[0] for same in alike.values()]
    fused = [loop for loop in different if not isinstance(loop, Placement | Scan)]
    lines = [f"; {name}", *addresses_source(), *shared_source(fused)]
    written = [_write_loop(f"loop{k}", loop, tables) for k, loop in enumerate(different)]
    lines += placing_functions(tables.called)
    lines += [line for own in written for line in own]
    source = "\n".join(lines) + "\n"
    engine = compiled_source(binding, source, _OPTIMISED)
    for k, same in enumerate(alike.values()):
        entry = builtin(engine.get_function_address(f"entry_loop{k}"), (engine, tables))
        for loop in same:
            loop.entry = entry
    return source


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


def _write_loop(name: str, loop: Loop, tables: _Tables) -> list[str]:
    if isinstance(loop, Placement):
        own = placement_source(name, loop, tables.keep, tables.called)
    elif isinstance(loop, Scan):
        own = scan_source(name, loop, tables.keep)
    else:
        own = loops_source(name, loop)
    return [*own, *entry_source(name, *layouts(loop.graph), given=True)]
