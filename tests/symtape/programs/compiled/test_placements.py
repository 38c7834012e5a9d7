"""What puts elements elsewhere, in machine code: every bit is NumPy's, however arrays lie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
import verify
from symtape.programs.compiled import placements
from symtape.programs.compiled.placements import Placement
from symtape.programs.compiled.program import Program
from verify import Verdict

pytest.importorskip("llvmlite")

DRAW = np.random.default_rng(0)
HARD = (0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 5e-324, 1e308)
TWICE = np.array([2, 0, 2, 5, 1, 2])
FAR = np.array([[3, 0], [1, 3]])

MOVES = {
    "roll of rows": lambda x: np.roll(x, 1, 0),
    "roll of columns": lambda x: np.roll(x, -2, 1),
    "roll of both": lambda x: np.roll(x, (1, 3), (0, 1)),
    "flip": lambda x: np.flip(x, 1).reshape(-1),
    "transpose": lambda x: x.T.reshape(-1),
    "rows by number": lambda x: x[TWICE],
    "columns by number": lambda x: x[:, TWICE],
    "elements by number": lambda x: x[FAR, FAR.T],
    "apart": lambda x: x[FAR, :, None],
    "by truths": lambda x: x[np.arange(6) % 2 == 0],
    "triangle": np.tril,
    "diagonal matrix": lambda x: np.diag(x[0]),
    "join": lambda x: np.concatenate([x, x[:2] * 2.0, x[::-1]]),
    "join beside": lambda x: np.concatenate([x[:, 1:], x[:, :1]], axis=1),
    "stack": lambda x: np.stack([x, x.T, x[::-1]], axis=1),
    "numbers": lambda x: np.stack([x[0, 0], x[1, 2], x[3, 3], x[0, 0]]),
    "pad": lambda x: np.pad(x, ((1, 2), (0, 1))),
}
"""Of a matrix of 6 x 6."""


def same(one, other):
    is_nan = np.isnan(one) & np.isnan(other)
    assert one.shape == other.shape
    assert np.all(is_nan | ((one == other) & (np.signbit(one) == np.signbit(other))))


def check(function, *args, least=1):
    """Against NumPy code, twice, for the second call finds what the first left in buffers."""
    with np.errstate(all="ignore"):
        graph = symtape.record(function, *args)
        numpy, fused = Program(graph, "f", "numpy"), Program(graph, "f", "fused")
        placed = [loop for loop in fused.run.loops if isinstance(loop, Placement)]
        assert len(placed) >= least, fused.run.source
        for _ in range(2):
            for pair in zip(fused.run(*args), numpy.run(*args), strict=True):
                same(*pair)
    return fused


@pytest.mark.parametrize("name", MOVES)
def test_elements_that_move(name):
    x = DRAW.choice(HARD, (6, 6))
    # NumPy lays columns that are chosen one beside the other, and then does so itself.
    least = int(MOVES[name](np.ones_like(x)).flags.c_contiguous)
    check(lambda x: (MOVES[name](x), MOVES[name](x * 2.0)), x, least=least)


@pytest.mark.parametrize("name", MOVES)
def test_elements_that_come_back(name):
    x = DRAW.normal(size=(6, 6)) * 10.0 ** DRAW.integers(-6, 6, (6, 6))
    check(symtape.grad(lambda x: np.sum(MOVES[name](x) ** 2)), x, least=0)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_rows_are_gathered_and_added_by_any_numbers(data):
    rows, width = data.draw(st.integers(1, 9)), data.draw(st.sampled_from([1, 2, 16, 33]))
    places = data.draw(st.lists(st.integers(-rows, rows - 1), min_size=2, max_size=40))
    x = DRAW.normal(size=(rows, width)) * 10.0 ** DRAW.integers(-6, 6, (rows, width))
    check(lambda x: x[places], x)
    check(symtape.grad(lambda x: np.sum(x[places] ** 3)), x)


def test_a_placement_is_met_where_arguments_lie_otherwise():
    x = DRAW.normal(size=(8, 6))
    fused = check(lambda x: np.roll(x * 2.0, 1, 0), x)
    (wanted,) = fused.run(x)
    same(fused.run(np.asfortranarray(x))[0], wanted)


def test_no_array_is_given_out_twice():
    """What a placement makes is its own, also where it lies in a buffer within the program."""
    x = DRAW.normal(size=(64, 64))
    graph = symtape.record(lambda x: np.sin(np.roll(x, 1, 0)) + x[::-1] * 2.0, x)
    program = Program(graph, "f", "fused")
    (first,) = program.run(x)
    kept = first.copy()
    program.run(x + 1.0)
    same(first, kept)


def energy(x):
    """Of springs between rows that some index takes more than once."""
    apart = x[TWICE] - np.roll(x, 1, 0)
    return np.sum(apart**2 * np.concatenate([x[1:], x[:1]]))


def lost_run(monkeypatch):
    runs = placements._runs
    monkeypatch.setattr(placements, "_runs", lambda *args: runs(*args)[:1])


def shifted(monkeypatch):
    runs = placements._runs

    def wrong(argument, sources, *rest):
        return runs(argument, np.roll(sources, 1), *rest)

    monkeypatch.setattr(placements, "_runs", wrong)


def copied_for_added(monkeypatch):
    move = placements.move_elements
    monkeypatch.setattr(placements, "move_elements", lambda way, *rest: move("copied", *rest))


def test_a_right_placement_is_correct():
    x = DRAW.normal(size=(6, 2))
    compiled = symtape.jit(symtape.grad(energy), backend="fused")
    compiled(x)
    assert "row_scatter" not in compiled.sources[0]
    result = verify.gradient(energy, claimed=compiled, at=[x])
    assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.parametrize("plant", [lost_run, shifted, copied_for_added])
def test_a_planted_misplacement_is_wrong(plant, monkeypatch):
    plant(monkeypatch)
    x = DRAW.normal(size=(6, 2))
    compiled = symtape.jit(symtape.grad(energy), backend="fused")
    result = verify.gradient(energy, claimed=compiled, at=[x])
    assert result.verdict is Verdict.WRONG, str(result)
