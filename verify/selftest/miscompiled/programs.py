"""Faults in passes, and in the program of one computation: its graph, source and machine code."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symtape
from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.programs.compiled.passes import PASSES, Pass, optimise_graph
from verify.selftest.miscompiled.computations import COMPUTATIONS, Computation
from verify.selftest.miscompiled.of_assembly import changes_of_assembly
from verify.selftest.miscompiled.of_graphs import MadePass, wrong_graphs, wrong_passes
from verify.selftest.miscompiled.of_source import Change, changes_of_source
from verify.selftest.miscompiled.planting import (
    backends,
    compile_derivative,
    eager,
    fate_of,
    graphs_changed,
    pass_changed,
    small_buffers,
    sources_changed,
)
from verify.selftest.outcome import Outcome, Pair, Trial, try_each

_MOST: Final = 3
"""Faults of a kind in one program, spread over its length; more are much alike."""

_CHANGES: Final[dict[str, Callable[[str], Iterator[Change]]]] = {
    "numpy": changes_of_source,
    "llvm": changes_of_assembly,
    "fused": changes_of_assembly,
}

Plant = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True)
class Miscompile:
    """A fault: where and what it is, and what plants it while a derivative is compiled."""

    where: str
    operator: str
    words: str
    backend: str
    plant: Plant


def try_program(name: str, keep: Callable[[str], bool], seed: int) -> list[Outcome]:
    """Plant every miscompile in the derivative of a computation that `keep` says by its id."""
    computation = COMPUTATIONS[name]

    def try_fault(fault: Miscompile, label: str) -> Outcome:
        with fault.plant():
            fate, words, errors = fate_of(computation, fault.backend, label, seed)
        return Outcome(label, f"compiled: {fault.operator}", fate, words, errors)

    with small_buffers():
        return try_each(
            _miscompiles(computation),
            lambda fault: f"program of {name}: {fault.where}: {fault.operator}: {fault.words}",
            keep,
            try_fault,
        )


def claims_about(name: str, keep: Callable[[str], bool], seed: int = 0) -> list[Pair]:
    """The right programs of the same derivative, by each back end, as claims."""
    computation = COMPUTATIONS[name]
    found = []
    with small_buffers():
        for backend in backends():
            label = f"program of {name}: {backend}, right"
            if keep(label):
                found.append(_judge_right_program(computation, backend, label))
    return found


def _judge_right_program(computation: Computation, backend: str, label: str) -> Pair:
    try:
        claimed = compile_derivative(computation, backend)
    except Unsupported as refused:
        return Pair(label, "compiled", "", str(refused))
    verdict = Trial(computation.case(claimed, computation.points)).judge()
    said = verdict.verdict
    return Pair(label, "compiled", said.value, said.value if said.fails else "", verdict.error)


def _miscompiles(computation: Computation) -> Iterator[Miscompile]:
    graph = symtape.record(eager(computation), *computation.points[0])
    yield from _spread(_iterate_graph_faults(optimise_graph(graph)))
    for backend in backends():
        yield from _spread(_iterate_backend_faults(computation, backend))


def _spread(faults: Iterable[Miscompile]) -> Iterator[Miscompile]:
    """Of each kind the first, the last, and some between them."""
    kinds: dict[str, list[Miscompile]] = {}
    for fault in faults:
        kinds.setdefault(fault.operator, []).append(fault)
    for several in kinds.values():
        places = np.linspace(0, len(several) - 1, min(_MOST, len(several))).round().astype(int)
        yield from (several[k] for k in places)


def _iterate_graph_faults(graph: Graph) -> Iterator[Miscompile]:
    for operator, words, wrong in wrong_graphs(graph):

        def plant(wrong: Graph = wrong) -> AbstractContextManager[Any]:
            # The first program that is made is that of the point at which `graph` was recorded.
            made = iter([wrong])
            return graphs_changed(lambda right: next(made, right))

        yield Miscompile("graph", operator, words, "numpy", plant)


def _iterate_backend_faults(computation: Computation, backend: str) -> Iterator[Miscompile]:
    source = _source(computation, backend)
    for operator, words, wrong in _CHANGES[backend](source) if source else ():

        def plant(wrong: str = wrong) -> AbstractContextManager[Any]:
            return sources_changed(backend, lambda text: wrong if text == source else text)

        yield Miscompile(backend, operator, words, backend, plant)


def _source(computation: Computation, backend: str) -> str:
    """What a back end has compiled for the first point; empty where it cannot make it."""
    seen: list[str] = []

    def see(text: str) -> str:
        seen.append(text)
        return text

    with sources_changed(backend, see), contextlib.suppress(Unsupported):
        compile_derivative(computation, backend)
    return seen[0] if seen else ""


NAMES: Final = tuple(one.name for one in PASSES)


def try_pass(name: str, keep: Callable[[str], bool], seed: int) -> list[Outcome]:
    """Plant every fault in a pass that `keep` says by its id."""
    (right,) = [one for one in PASSES if one.name == name]
    graphs = [(one, symtape.record(eager(one), *one.points[0])) for one in COMPUTATIONS.values()]

    def try_fault(fault: MadePass, label: str) -> Outcome:
        operator, _, wrong = fault
        with pass_changed(right, wrong):
            fate, words, errors = _fate(_iterate_changed(graphs, right, wrong), label, seed)
        return Outcome(label, f"compiled: pass, {operator}", fate, words, errors)

    with small_buffers():
        return try_each(
            wrong_passes(right),
            lambda fault: f"pass {name}: {fault[0]}{': ' * bool(fault[1])}{fault[1]}",
            keep,
            try_fault,
        )


def _fate(
    changed: Iterator[Computation], label: str, seed: int
) -> tuple[str, str, tuple[str, ...]]:
    fates = []
    for computation in changed:
        fates.append(fate_of(computation, "numpy", label, seed))
        if fates[-1][0] in ("refuted", "survived"):
            return fates[-1]
    if not fates:
        return "equivalent", "the program of every computation is the same", ()
    return fates[-1]


def _iterate_changed(
    graphs: list[tuple[Computation, Graph]], right: Pass, wrong: Pass
) -> Iterator[Computation]:
    """The computations of which a wrong pass makes another program, or none."""
    planted = [wrong if one is right else one for one in PASSES]
    for computation, graph in graphs:
        try:
            made = _shape(optimise_graph(graph, planted))
        except Exception:  # noqa: BLE001
            # Users see this error, as those of `fate_of` do.
            yield computation
            continue
        if made != _shape(optimise_graph(graph, PASSES)):
            yield computation


def _shape(graph: Graph) -> list[str]:
    """What is computed of what, in words."""
    nodes = (f"{n.name} {n.inputs} {n.params} {n.constant!r} {n.shape}" for n in graph.nodes)
    return [*nodes, f"{graph.outputs} {graph.path}"]
