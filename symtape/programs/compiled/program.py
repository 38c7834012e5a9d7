"""A program: an optimised graph, and the function of arrays that a back end made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.process.collector import suspend_collector
from symtape.process.extras import is_installed
from symtape.programs.compiled.costs import calls_pay, pays_in_machine_code
from symtape.programs.compiled.finite import looking_once
from symtape.programs.compiled.fused_source import FusedSource
from symtape.programs.compiled.llvm import MachineCode
from symtape.programs.compiled.numpy_source import NumpySource
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.scalars import Scalars

Backend = Callable[[Graph, str], Any]

BACKENDS: Final[dict[str, Backend]] = {
    "numpy": NumpySource,
    "fused": FusedSource,
    "llvm": MachineCode,
}
"""What makes a function of arrays of an optimised graph and a name."""


def _best(graph: Graph, name: str) -> Any:
    """The back end for what a program is made of."""
    if not is_installed("llvmlite"):
        return NumpySource(graph, name)
    if not pays_in_machine_code(graph):
        return FusedSource(graph, name, exact=False)
    try:
        scalars = Scalars(graph)
        if scalars.decides_as_numpy and calls_pay(graph, scalars.operations):
            return MachineCode(graph, name, scalars)
    except Unsupported:
        pass
    return FusedSource(graph, name, exact=False)


class Program:
    """A recorded computation as a function of arrays of its shapes and dtypes, on its path.

    Parameters
    ----------
    graph : Graph
        As it was recorded.
    name : str
        Of the function that it computes, for tracebacks.
    backend : str
        One of :data:`BACKENDS`, or ``"auto"``: where llvmlite is installed, machine code for a
        program of few numbers that compares nothing which it may round otherwise, and loops of
        machine code for all others.

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
        written = looking_once(self.graph)
        self.run = _best(written, name) if backend == "auto" else BACKENDS[backend](written, name)

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
