"""Whether numbers are finite is one look at an array, and rounding has no part in it."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.programs.compiled.deciding import deciding_nodes
from symtape.programs.compiled.finite import looking_once
from symtape.programs.compiled.fused_source import FusedSource
from symtape.programs.compiled.llvm import MachineCode
from symtape.programs.compiled.numpy_source import NumpySource
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.scalars import Scalars


def f(x):
    y = np.exp(x) * x
    return y + 1.0 if np.all(np.isfinite(y)) else y * 0.0


def g(x):
    y = np.exp(x) * np.sum(np.sin(x))
    return y if np.all(np.isfinite(y)) else y * 0.0


POINTS = [
    (np.array([1.0, -2.0, 0.0]), True),
    (np.array([1.0, np.nan, 0.0]), False),
    (np.array([1.0, np.inf, 0.0]), False),
    (np.array([-np.inf, 1.0, 0.0]), False),  # 0 times infinity
    (np.array([1.0, 2.0, 800.0]), False),
    (np.array([1.0, 2.0, 600.0]), True),  # whose square overflows
]


@pytest.mark.parametrize("back_end", [NumpySource, MachineCode])
@pytest.mark.parametrize("at", [0, 1])
def test_it_is_asked_once_and_answered_alike(back_end, at):
    if back_end is MachineCode:
        pytest.importorskip("llvmlite")
    first, outcome = POINTS[at]
    with np.errstate(all="ignore"):
        graph = looking_once(optimise_graph(symtape.record(f, first)))
        names = [node.name for node in graph.nodes]
        assert "are_finite" in names
        assert not {"isfinite", "all"} & set(names)
        program = back_end(graph, "f")
        for x, finite in POINTS:
            found = program(x)
            assert (found is not None) == (finite == outcome)
            if found is not None:
                np.testing.assert_allclose(found[0], f(x), rtol=1e-14)


def test_it_is_asked_in_loops():
    """Beside what is computed, of an array that no call of NumPy needs."""
    pytest.importorskip("llvmlite")
    with np.errstate(all="ignore"):
        for first, outcome in POINTS:
            graph = looking_once(optimise_graph(symtape.record(f, first)))
            program = FusedSource(graph, "f", exact=False)
            assert "are_finite" not in program.source
            for x, finite in POINTS:
                assert (program(x) is not None) == (finite == outcome)


def test_it_is_decided_as_numpy_does_though_functions_are_rounded_otherwise():
    pytest.importorskip("llvmlite")
    graph = looking_once(optimise_graph(symtape.record(f, POINTS[0][0])))
    assert Scalars(graph).decides_as_numpy
    of_sums = looking_once(optimise_graph(symtape.record(g, POINTS[0][0])))
    assert Scalars(of_sums).decides_as_numpy
    assert not {"exp", "sin"} & {of_sums.nodes[at].name for at in deciding_nodes(of_sums)}
    on_a_sum = lambda x: x if np.exp(x) @ x > 0 else -x  # noqa: E731
    assert not Scalars(optimise_graph(symtape.record(on_a_sum, POINTS[0][0]))).decides_as_numpy


def test_of_part_of_the_axes_it_is_left():
    g = lambda x: x if np.all(np.all(np.isfinite(x), axis=0)) else -x  # noqa: E731
    graph = looking_once(optimise_graph(symtape.record(g, np.ones((2, 3)))))
    assert "isfinite" in [node.name for node in graph.nodes]
    assert graph.evaluate(np.ones((2, 3)))[0].shape == (2, 3)
