"""Planting in the compiler, and what becomes of it: refuted, without effect, or a survivor."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

import symtape
from symtape.errors import SymtapeError
from symtape.graph.graph import Graph
from symtape.process.extras import is_installed
from symtape.programs.compiled import fusing, passes, planning, program
from symtape.programs.compiled.passes import Pass
from symtape.recording.structure import flatten
from symtape.rigorous.rounding import model
from verify.claimants.tape import tape_derivative
from verify.model.quantity import Quantity
from verify.selftest.miscompiled.computations import Computation
from verify.selftest.outcome import Trial
from verify.selftest.points import generator

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
    with (
        replace_attribute(fusing, "LEAST_NUMBERS", 1),
        replace_attribute(planning, "SMALLEST", 1),
    ):
        yield


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


_FURTHER: Final = 8
"""Points, beside those that are verified, at which a change that was not refuted is looked for."""


def eager(computation: Computation) -> Callable[..., Any]:
    """The derivative as the tape gives it."""
    count = len(computation.points[0])
    return tape_derivative(computation.function, Quantity(computation.quantity), count)


def compile_derivative(computation: Computation, backend: str) -> Any:
    """The derivative, with the program of the first point made."""
    made = symtape.jit(eager(computation), backend=backend)
    made.record_at(*computation.points[0])
    return made


def fate_of(
    computation: Computation, backend: str, label: str, seed: int
) -> tuple[str, str, tuple[str, ...]]:
    """What becomes of the fault that is planted now: its fate, why, and what stopped a trial."""
    try:
        claimed = compile_derivative(computation, backend)
    except Exception as error:  # noqa: BLE001
        # No program is made, so that none is wrong.
        return "void", f"no program: {type(error).__name__}: {error}", ()
    points = _points(computation, label, seed)
    errors = []
    # One near a point of the table too, which has no round numbers.
    for point in points[: len(computation.points) + 1]:
        verdict = Trial(computation.case(claimed, (point,))).judge()
        errors += [verdict.error] if verdict.error else []
        if verdict.verdict.fails:
            return "refuted", "", tuple(errors)
    return (*_classify_unrefuted(computation, claimed, points), tuple(errors))


def _points(computation: Computation, label: str, seed: int) -> Sequence[tuple[Any, ...]]:
    """The points, and some near them, which are on all paths too."""
    draw = generator(seed, label)
    near = (
        tuple(x * (1 + 0.01 * draw.uniform(-1, 1, np.shape(x))) for x in point)
        for point in itertools.cycle(computation.points)
    )
    return [*computation.points, *itertools.islice(near, _FURTHER)]


def _classify_unrefuted(
    computation: Computation, claimed: Any, points: Sequence[tuple[Any, ...]]
) -> tuple[str, str]:
    """A change that no point refuted: the same values everywhere, or a survivor."""
    right = eager(computation)
    alike = 0
    for point in points:
        try:
            found = flatten(claimed(*point))
        except Exception as error:  # noqa: BLE001
            # A planted fault may raise anything, and is found by it.
            return "survived", f"it raises {type(error).__name__}: {error}"
        if all(map(np.array_equal, found, flatten(right(*point)))):
            alike += 1
        elif not _is_rounding(right, point, found):
            return "survived", f"the derivative differs at {point}"
    if alike == len(points):
        return "equivalent", f"the same bits at {alike} points"
    return "equivalent", f"within what rounding explains at {len(points)} points"


def _is_rounding(right: Any, point: tuple[Any, ...], found: Sequence[Any]) -> bool:
    try:
        balls = model(symtape.record(right, *point), point)
    except SymtapeError:
        return False
    return all(
        bool(ball.is_finite() and ball.contains(float(value)))
        for part, values in zip(balls, found, strict=True)
        for ball, value in zip(np.ravel(part), np.ravel(values), strict=True)
    )
