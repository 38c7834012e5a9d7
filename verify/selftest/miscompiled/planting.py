"""Planting in the compiler: what passes make, and what Python and LLVM are given to compile."""

from __future__ import annotations

import builtins
import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from symtape.graph.graph import Graph
from symtape.process.extras import is_installed
from symtape.programs.compiled import fusing, passes, program
from symtape.programs.compiled.passes import Pass

Seen = Callable[[str], str]


def backends() -> tuple[str, ...]:
    """Those that can be asked for here."""
    return tuple(name for name in program.BACKENDS if name == "numpy" or is_installed("llvmlite"))


@contextlib.contextmanager
def replace_attribute(of: Any, name: str, value: Any) -> Iterator[None]:
    """Another value for an attribute, for a while."""
    before = getattr(of, name)
    setattr(of, name, value)
    try:
        yield
    finally:
        setattr(of, name, before)


@contextlib.contextmanager
def small_buffers() -> Iterator[None]:
    """Every array lies in a buffer, and is worth a loop, however small: so both are tried."""
    made = {name: _force_small_buffers(program.BACKENDS[name]) for name in ("numpy", "fused")}
    with (
        replace_attribute(fusing, "LEAST_NUMBERS", 1),
        replace_attribute(program, "BACKENDS", program.BACKENDS | made),
    ):
        yield


def _force_small_buffers(backend: Any) -> program.Backend:
    return lambda graph, name: backend(graph, name, smallest=1)


@contextlib.contextmanager
def sources_changed(backend: str, change: Seen) -> Iterator[None]:
    """What a back end gives Python or LLVM to compile is changed on the way."""
    if backend == "numpy":
        of: Any = builtins
        name = "compile"
    else:
        of = importlib.import_module("llvmlite.binding")
        name = "parse_assembly"
    right = getattr(of, name)

    def compile_changed(source: Any, *args: Any, **options: Any) -> Any:
        ours = isinstance(source, str) and (
            backend != "numpy" or str((*args, "")[0]).startswith("<program ")
        )
        return right(change(source) if ours else source, *args, **options)

    with replace_attribute(of, name, compile_changed):
        yield


@contextlib.contextmanager
def graphs_changed(change: Callable[[Graph], Graph]) -> Iterator[None]:
    """What the passes made together is changed before a back end has it."""
    right = passes.optimise_graph

    def optimise_changed(graph: Graph, *args: Any) -> Graph:
        return change(right(graph, *args))

    with replace_attribute(program, "optimise_graph", optimise_changed):
        yield


@contextlib.contextmanager
def pass_changed(right: Pass, wrong: Pass) -> Iterator[None]:
    """Another pass in the place of one."""
    changed = tuple(wrong if one is right else one for one in passes.PASSES)
    with replace_attribute(passes, "PASSES", changed):
        yield
