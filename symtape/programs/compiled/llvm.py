"""Back end: machine code by LLVM, for programs of few numbers and many operations.

Needs llvmlite, an extra. Blocks that repeat are loops, and what does not repeat is cut into
functions of bounded length, for the time that LLVM takes grows faster than the length of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from symtape.graph.graph import Graph
from symtape.process.extras import load
from symtape.programs.compiled.assembly import Assembly
from symtape.programs.compiled.entry import (
    Entry,
    Layout,
    Shape,
    addresses_source,
    builtin,
    check_layout,
)
from symtape.programs.compiled.functions import address
from symtape.programs.compiled.operations import Operation
from symtape.programs.compiled.scalars import Scalars

_VECTORISED: Final = 1500
_OPTIMISED: Final = 6000
"""Lines of assembly, above which LLVM's passes, and its care, take longer than they are worth."""


class MachineCode:
    """A graph as a function of arrays of float64, in machine code.

    Its arithmetic is that of NumPy to the bit; sums are in another order, and functions those of
    the C library, so that results agree within rounding. It warns of nothing.

    Parameters
    ----------
    graph : Graph
        Optimised.
    name : str
        Of the function that it computes.
    scalars : Scalars, optional
        The operations of the graph, where they are known.

    Attributes
    ----------
    source : str
        LLVM's assembly.

    Raises
    ------
    MissingExtra
        llvmlite is not installed.
    Unsupported
        An operation, a dtype or the length is not for machine numbers.
    """

    backend = "llvm"

    def __init__(self, graph: Graph, name: str, scalars: Scalars | None = None) -> None:
        scalars = scalars or Scalars(graph)
        inputs = [graph.nodes[at].shape for at in graph.inputs]
        outputs = [graph.nodes[at].shape for at in graph.outputs]
        self.source, self.entry = make_function(
            name, scalars.operations, inputs, outputs, scalars.begun
        )

    def __call__(self, *arrays: Any) -> tuple[Any, ...] | None:
        """The outputs; None where the arguments take another path."""
        return self.entry(*arrays)


def make_function(
    name: str,
    operations: Sequence[Operation],
    inputs: Sequence[Shape],
    outputs: Sequence[Shape],
    begun: Sequence[Any] = (),
) -> tuple[str, Callable[..., tuple[Any, ...] | None]]:
    """The assembly of operations, and the builtin function that does them.

    Parameters
    ----------
    name : str
        For the first line.
    operations : sequence of Operation
    inputs, outputs : sequence of tuple of int
        Shapes; of a number it is empty.
    begun : sequence of array or None
        What each output begins with.
    """
    binding = load("llvmlite.binding", 'backend="llvm"')
    check_layout()
    assembly = Assembly(operations, len(inputs), len(outputs))
    layouts = [Layout(shape) for shape in inputs], [Layout(shape) for shape in outputs]
    entry = Entry("program", *layouts, begun, assembly.memory).source()
    source = "\n".join([f"; {name}", *addresses_source(), *assembly.lines, *entry]) + "\n"
    engine = compiled_source(binding, source)
    return source, builtin(engine.get_function_address("entry_program"), (engine, begun))


def compiled_source(binding: Any, source: str, most: int = _VECTORISED) -> Any:
    """What keeps the machine code of a source; of fewer lines than `most` it is optimised."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    for line in source.splitlines():
        if line.startswith("declare") and "@llvm." not in line:
            name = line.partition("@")[2].partition("(")[0]
            binding.add_symbol(name, address(name))
    module = binding.parse_assembly(source)
    module.verify()
    lines = source.count("\n")
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=2 if lines < most else 1 if lines < _OPTIMISED else 0,
    )
    if lines < most:
        _optimise(binding, module, machine)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def _optimise(binding: Any, module: Any, machine: Any) -> None:
    """LLVM's own passes, which give loops the vectors of the machine and change no rounding."""
    options = binding.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = True
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
