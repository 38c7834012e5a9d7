"""Faults in one pass: each is put to every program that it changes, until one is refuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import symtape
from symtape.graph.graph import Graph
from symtape.programs.compiled.passes import PASSES, Pass, optimise_graph
from verify.selftest.miscompiled.computations import COMPUTATIONS, Computation
from verify.selftest.miscompiled.of_graphs import MadePass, wrong_passes
from verify.selftest.miscompiled.planting import eager, fate_of, pass_changed, small_buffers
from verify.selftest.outcome import Outcome, try_each

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
