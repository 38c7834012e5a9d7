"""Systems of few equations in machine numbers: solutions, pivots, and what has none."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.errors import Unsupported
from symtape.programs.compiled import systems
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.program import Program
from symtape.programs.compiled.scalars import Scalars

pytest.importorskip("llvmlite")

DRAW = np.random.default_rng(0)


def f(a, b):
    return np.linalg.solve(a, b), np.linalg.inv(a), np.concatenate([a, np.stack([b, b], 1)], 1)


def bound(a):
    """What rounding may move a solution by, relative to the largest (Higham 2002, 9.3)."""
    return 40 * len(a) * np.finfo(float).eps * np.linalg.cond(a)


def matrices(n):
    """Ordinary ones, and those in which pivots are far away, equal, or of other signs."""
    yield from DRAW.normal(size=(8, n, n))
    yield from DRAW.integers(-2, 3, (6, n, n)) + 0.125 * np.eye(n)
    yield np.eye(n)[::-1] + 0.0
    yield np.eye(n)[DRAW.permutation(n)] * -2.0
    yield np.tri(n) - 2.0 * np.tri(n, k=-1)
    yield np.tri(n)[::-1] * 10.0 ** np.arange(n)


@pytest.mark.parametrize("n", range(1, 7))
def test_solutions_are_those_of_numpy(n):
    made = list(matrices(n))
    run = Program(symtape.record(f, made[0], np.ones(n)), "f", "llvm").run
    for a in made:
        b = DRAW.normal(size=n)
        if np.linalg.cond(a) > 1e12:
            continue
        for found, wanted in zip(run(a, b), f(a, b), strict=True):
            error = np.max(np.abs(found - wanted)) / np.max(np.abs(wanted))
            assert error <= bound(a), (a, found, wanted)


@pytest.mark.parametrize("n", range(2, 7))
def test_the_pivot_is_the_first_of_the_largest(n):
    """As LAPACK's permutations say; the elimination is done on numbers."""
    scipy_linalg = pytest.importorskip("scipy.linalg")
    for a in matrices(n):
        if np.linalg.cond(a) > 1e12:
            continue
        found = []
        work: list[float] = []

        def add(code, inputs, work=work):
            x = [work[i] for i in inputs]
            work.append(
                {
                    "call fabs": lambda: abs(x[0]),
                    "fcmp ogt": lambda: x[0] > x[1],
                    "select": lambda: x[1] if x[0] else x[2],
                    "fdiv": lambda: x[0] / x[1],
                    "fsub": lambda: x[0] - x[1],
                    "fmul": lambda: x[0] * x[1],
                }[code]()
            )
            return len(work) - 1

        def given(x, work=work):
            work.extend(np.ravel(x).tolist())
            return (np.arange(np.size(x)) + len(work) - np.size(x)).reshape(np.shape(x)).tolist()

        def check(pivot, found=found, work=work):
            found.append(work[pivot])

        systems.solve_system(add, check, given(a), given(np.eye(n)))
        diagonal = np.diag(scipy_linalg.lu_factor(a)[0])
        np.testing.assert_allclose(found, diagonal, rtol=bound(a), atol=1e-14)


@pytest.mark.parametrize(
    "a",
    [
        np.zeros((2, 2)),
        np.array([[1.0, 2.0], [1.0, 2.0]]),
        np.array([[1.0, 2.0], [2.0, 4.0]]),
        np.array([[0.0, 0.0], [0.1, 0.7]]),
        np.array([[0.0, 1.0], [0.0, 0.7]]),
    ],
)
def test_a_singular_matrix_is_refused_as_by_numpy(a):
    compiled = symtape.jit(lambda a, b: f(a, b)[:2])
    compiled(np.eye(2), np.ones(2))
    with pytest.raises(np.linalg.LinAlgError) as plain:
        f(a, np.ones(2))
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError) as ours:
            compiled(a, np.ones(2))
        assert ours.value.args == plain.value.args
    np.testing.assert_allclose(compiled(2 * np.eye(2), np.ones(2))[0], [0.5, 0.5])


def test_nan_is_no_singular_matrix():
    run = Program(symtape.record(f, np.eye(2), np.ones(2)), "f", "llvm").run
    for a in (np.full((2, 2), np.nan), np.array([[1.0, np.nan], [0.0, 2.0]])):
        solution, inverse, _ = run(a, np.ones(2))
        assert np.isnan(solution).any()
        assert np.isnan(inverse).any()


def test_pivots_decide_nothing():
    """So that a program with systems is machine code, and of a comparison of solutions it isn't."""

    def chosen(a, b):
        x = np.linalg.solve(a, b)
        return x if x[0] > 0 else -x

    a, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.ones(2)
    assert Program(symtape.record(np.linalg.solve, a, b), "f", "auto").run.backend == "llvm"
    assert Program(symtape.record(chosen, a, b), "f", "auto").run.backend == "fused"


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (np.linalg.inv, (7, 7)),
        (np.linalg.inv, (2, 2, 2)),
        (lambda a: np.linalg.solve(a, np.ones((3, 2, 1))), (2, 2)),
    ],
)
def test_large_matrices_and_stacks_are_left_to_numpy(function, shape):
    a = np.broadcast_to(np.eye(shape[-1]), shape) * 2.0
    with pytest.raises(Unsupported, match="of large matrices, or of stacks"):
        Scalars(optimise_graph(symtape.record(function, a)))


@pytest.mark.parametrize("wrong", ["a pivot that stays", "a row that is not exchanged"])
def test_wrong_eliminations_are_found(monkeypatch, wrong):
    if wrong == "a pivot that stays":
        monkeypatch.setattr(systems, "_move_pivot_first", lambda add, rows, column: rows)
    else:
        monkeypatch.setattr(systems, "_exchange_row_entry", lambda add, larger, own, first: own)
    a = np.array([[1e-20, 1.0, 2.0], [1.0, 1.0, -1.0], [3.0, -2.0, 1.0]])
    run = Program(symtape.record(f, a, np.ones(3)), "f", "llvm").run
    found = run(a, np.ones(3))
    assert found is None or np.max(np.abs(found[0] - f(a, np.ones(3))[0])) > 1e-3
