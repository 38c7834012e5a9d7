"""Planting in the compiler: what passes make, and what Python and LLVM are given to compile."""

from __future__ import annotations

import builtins
import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from symtape.compiled import passes, program
from symtape.compiled.numpy_source import NumpySource
from symtape.compiled.passes import Pass
from symtape.extras import installed
from symtape.graph.graph import Graph

Seen = Callable[[str], str]


def backends() -> tuple[str, ...]:
    """Those that can be asked for here."""
    return tuple(name for name in program.BACKENDS if name != "llvm" or installed("llvmlite"))


@contextlib.contextmanager
def replaced(of: Any, name: str, value: Any) -> Iterator[None]:
    """Another value for an attribute, for a while."""
    before = getattr(of, name)
    setattr(of, name, value)
    try:
        yield
    finally:
        setattr(of, name, before)


@contextlib.contextmanager
def small_buffers() -> Iterator[None]:
    """Every array lies in a buffer, however small, so that plans of buffers are tried."""

    def made(graph: Graph, name: str) -> Any:
        return NumpySource(graph, name, smallest=1)

    before = program.BACKENDS["numpy"]
    program.BACKENDS["numpy"] = made
    try:
        yield
    finally:
        program.BACKENDS["numpy"] = before


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

    def compiled(source: Any, *args: Any, **options: Any) -> Any:
        ours = isinstance(source, str) and (
            backend != "numpy" or str((*args, "")[0]).startswith("<program ")
        )
        return right(change(source) if ours else source, *args, **options)

    with replaced(of, name, compiled):
        yield


@contextlib.contextmanager
def graphs_changed(change: Callable[[Graph], Graph]) -> Iterator[None]:
    """What the passes made together is changed before a back end has it."""
    right = passes.optimised

    def optimised(graph: Graph, *args: Any) -> Graph:
        return change(right(graph, *args))

    with replaced(program, "optimised", optimised):
        yield


@contextlib.contextmanager
def pass_changed(right: Pass, wrong: Pass) -> Iterator[None]:
    """Another pass in the place of one."""
    changed = tuple(wrong if one is right else one for one in passes.PASSES)
    with replaced(passes, "PASSES", changed):
        yield
