"""Programs that are made wrong are caught by the verifier, as claims like any other."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import symtape
import verify
from symtape.primitives.arithmetic import ADD, SUBTRACT
from symtape.primitives.contraction import CROSS, MATMUL
from symtape.programs.compiled import (
    assembly,
    emitters,
    fused_source,
    numpy_source,
    passes,
    placements,
    planning,
    scalars,
    segments,
)
from symtape.programs.compiled.slices import SUM_OF_SLICES
from symtape.programs.compiled.streams import MEMORY, Stream, Streams
from symtape.programs.specialised import function
from verify import Verdict

A = np.array([[1.0, 2.0], [3.0, 5.0]])


def f(x):
    """Slices, a product that is not symmetric, and values that are needed twice."""
    y = np.tanh(A @ x)
    z = y * x if x[0] > 0 else y + x
    return np.sum(z * np.exp(y)) + x[1] * x[0] ** 2 + np.sum(np.sin(z) * z)


def alias(monkeypatch):
    """Every buffer is free again at once."""

    def wrong(graph, writing, ends):
        return assigned(graph, writing, dict.fromkeys(ends, -1))

    assigned = planning._assign_buffers
    monkeypatch.setattr(planning, "_assign_buffers", wrong)


def dropped_add(monkeypatch):
    def drop(build, node):
        return node.inputs[0] if node.row is ADD and node.shape else None

    monkeypatch.setattr(passes, "PASSES", (*passes.PASSES, passes.Pass("drop", drop)))


def wrong_sign(monkeypatch):
    def swap(build, node):
        if node.row is ADD:
            return build.apply(SUBTRACT, node.inputs, {}, node)
        return None

    monkeypatch.setattr(passes, "PASSES", (passes.Pass("swap", swap),))


def transposed(monkeypatch):
    monkeypatch.setitem(emitters.EMITTERS, MATMUL, lambda node, given: "np.dot({0}.T, {1})")


def swapped_slice(monkeypatch):
    right = SUM_OF_SLICES.evaluate

    def wrong(*xs, indices, shape, based):
        return right(*xs, indices=(*indices[:-1], 1 - indices[-1]), shape=shape, based=based)

    monkeypatch.setattr(SUM_OF_SLICES, "evaluate", wrong)


def stale_guard(monkeypatch):
    line = numpy_source._Writer._line

    def without(self, text, origin):
        if not text.startswith("    if "):
            line(self, text, origin)

    monkeypatch.setattr(numpy_source._Writer, "_line", without)


PLANTED = [alias, dropped_add, wrong_sign, transposed, stale_guard]
POINTS = [np.array([0.5, -0.25]), np.array([-0.75, 0.5])]


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch):
    monkeypatch.setattr(planning, "SMALLEST", 1)
    monkeypatch.setattr(function, "BACKEND", "numpy")


def test_a_right_program_is_correct():
    compiled = symtape.compile(symtape.grad(f), POINTS[0])
    result = verify.gradient(f, claimed=compiled, at=POINTS)
    assert result.verdict is Verdict.CORRECT, str(result)
    assert compiled.programs == 2
    assert "out=b0" in compiled.sources[0]
    assert "sum_of_slices" in compiled.sources[0]


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_miscompile_is_wrong(plant, monkeypatch):
    plant(monkeypatch)
    compiled = symtape.compile(symtape.grad(f), POINTS[0])
    result = verify.gradient(f, claimed=compiled, at=POINTS)
    assert result.verdict is Verdict.WRONG, str(result)


def test_a_row_that_computes_another_thing_than_it_means_is_named(monkeypatch):
    swapped_slice(monkeypatch)
    compiled = symtape.compile(symtape.grad(f), POINTS[0])
    result = verify.gradient(f, claimed=compiled, at=POINTS)
    assert result.verdict is Verdict.INACCURATE, str(result)
    assert "sum_of_slices(-0.25, 0.25) loses its digits" in result.witness.message


def g(x):
    """Of few numbers, each needed often; its gradient has more operations than a function may."""
    for _ in range(9):
        x = x + 0.01 * np.sin(x[::-1]) * x if x[0] > 0 else x - 0.01 * np.cos(x)
    return np.sum(x) * x[1]


def lost_value(monkeypatch):
    """Two values that cross by memory lie in the same place."""
    slots = Streams.slots
    monkeypatch.setattr(Streams, "slots", lambda self, operations: slots(self, operations) & ~1)


def short_loop(monkeypatch):
    """Each loop has a turn too few."""
    again = assembly._write_next_turn
    monkeypatch.setattr(assembly, "_write_next_turn", lambda count: again(count - 1))


def stale_turn(monkeypatch):
    """What a turn is to have from the one before, it has from before the loop."""

    def wrong(self, stream):
        places = np.full_like(stream.places, stream.places[0])
        return self._read(Stream(MEMORY, 0, places))

    monkeypatch.setattr(assembly._Function, "_carry_value", wrong)


def wrong_stride(monkeypatch):
    progression = assembly._Function._progression
    monkeypatch.setattr(
        assembly._Function,
        "_progression",
        lambda self, first, step: progression(self, first, max(step - 1, 0)),
    )


def dropped_term(monkeypatch):
    total = scalars.add_neighbours
    monkeypatch.setattr(scalars, "add_neighbours", lambda add, terms: total(add, terms[1:]))


def unguarded(monkeypatch):
    write = assembly._Function._write

    def without(self, place):
        if self._streams.operation(self._block, place).code != "guard":
            write(self, place)

    monkeypatch.setattr(assembly._Function, "_write", without)


@pytest.fixture
def machine_code(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(assembly, "LONGEST", 40)
    monkeypatch.setattr(function, "BACKEND", "llvm")


def test_right_machine_code_is_correct(machine_code):
    compiled = symtape.compile(symtape.grad(g), POINTS[0])
    result = verify.gradient(g, claimed=compiled, at=POINTS)
    assert result.verdict is Verdict.CORRECT, str(result)
    assert "@part1" in compiled.sources[0]
    assert "%p1 = phi" in compiled.sources[0]


@pytest.mark.parametrize(
    "plant", [lost_value, short_loop, stale_turn, wrong_stride, dropped_term, unguarded]
)
def test_machine_code_that_is_wrong_is_caught(plant, machine_code, monkeypatch):
    plant(monkeypatch)
    compiled = symtape.compile(symtape.grad(g), POINTS[0])
    result = verify.gradient(g, claimed=compiled, at=POINTS)
    assert result.verdict is Verdict.WRONG, str(result)


def h(x):
    """Of arrays: a cross product, small products of matrices, and sums of neighbours."""
    y = np.cross(np.reshape(x, (100, 3)), np.array([0.5, -1.0, 2.0]))
    for _ in range(3):
        y = np.tanh(y @ np.array([[0.5, 0.25, 0.0], [-0.5, 1.0, 0.5], [0.0, 0.5, 0.75]]) + 0.1)
    return np.sum(y[1:] * y[:-1]) + np.sum(np.exp(x) * x)


FAR = [np.sin(np.arange(300.0)), np.cos(np.arange(300.0))]


def turned_cross(monkeypatch):
    right = fused_source.PARTS[CROSS]
    monkeypatch.setitem(fused_source.PARTS, CROSS, lambda a, b: right(b, a))


def one_place(monkeypatch):
    """All values of a segment lie in the same memory."""
    lay_out = segments._Closing._lay_out

    def wrong(self, steps, results):
        slots, size = lay_out(self, steps, results)
        return dict.fromkeys(slots, 0), size

    monkeypatch.setattr(segments._Closing, "_lay_out", wrong)


def shifted_run(monkeypatch):
    """What is put elsewhere is put one element too far."""
    runs = placements._runs
    monkeypatch.setattr(
        placements,
        "_runs",
        lambda *args: [
            dataclasses.replace(part, targets=part.targets - (part.targets > 2))
            for part in runs(*args)
        ],
    )


@pytest.fixture
def loops_of_machine_code(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(function, "BACKEND", "auto")


def test_right_loops_are_correct(loops_of_machine_code):
    compiled = symtape.compile(symtape.grad(h), FAR[0])
    result = verify.gradient(h, claimed=compiled, at=FAR)
    assert result.verdict is Verdict.CORRECT, str(result)
    assert "loop" in compiled.sources[0]


@pytest.mark.parametrize("plant", [turned_cross, one_place, shifted_run])
def test_loops_that_are_wrong_are_caught(plant, loops_of_machine_code, monkeypatch):
    plant(monkeypatch)
    compiled = symtape.compile(symtape.grad(h), FAR[0])
    result = verify.gradient(h, claimed=compiled, at=FAR)
    assert result.verdict is Verdict.WRONG, str(result)
