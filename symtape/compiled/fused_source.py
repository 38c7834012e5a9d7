"""Back end: NumPy source in which neighbouring operations on arrays are loops of machine code.

Needs llvmlite, an extra. The loops do what NumPy does in the same order, so that every bit is the
same; they warn of nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.compiled.entry import addresses_source, builtin, check_layout, entry_source
from symtape.compiled.fusing import fused
from symtape.compiled.llvm import compiled_source
from symtape.compiled.loop import Loop, loop_of
from symtape.compiled.loops import DECLARED, layouts, loops_source
from symtape.compiled.numpy_source import NumpySource
from symtape.compiled.planning import SMALLEST
from symtape.extras import load
from symtape.graph.graph import Graph


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

    def __init__(self, graph: Graph, name: str, smallest: int = SMALLEST) -> None:
        binding = load("llvmlite.binding", 'backend="fused"')
        with np.errstate(all="ignore"):
            values = graph.values(*graph.at)
        graph, values = fused(graph, values)
        every = (loop_of(node) for node in graph.nodes)
        self.loops = tuple(dict.fromkeys(loop for loop in every if loop))
        self.backend = "fused" if self.loops else "numpy"
        self.assembly = _entered(binding, name, self.loops) if self.loops else ""
        super().__init__(graph, name, smallest, values)


def _entered(binding: Any, name: str, loops: Sequence[Loop]) -> str:
    """The assembly of loops, which have their machine code then."""
    check_layout()
    lines = [f"; {name}", *addresses_source(), *DECLARED]
    for k, loop in enumerate(loops):
        lines += loops_source(f"loop{k}", loop.graph)
        lines += entry_source(f"loop{k}", *layouts(loop.graph), given=True)
    source = "\n".join(lines) + "\n"
    engine = compiled_source(binding, source)
    for k, loop in enumerate(loops):
        loop.entry = builtin(engine.get_function_address(f"entry_loop{k}"), engine)
    return source
