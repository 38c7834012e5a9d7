"""Machine code calls BLAS and LAPACK as NumPy and SciPy do, and refuses what these refuse."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from symtape.programs.compiled import decompositions, linear_algebra, structured_systems
from symtape.programs.compiled.complex_parts import compute_by_parts
from symtape.programs.compiled.fused_source import FusedSource
from symtape.programs.compiled.library_calls import LibraryCall
from symtape.programs.compiled.passes import optimise_graph
from symtape.scipy import linalg
from verify import Verdict

pytest.importorskip("llvmlite")

SIZES = [1, 2, 5, 18]
DRAW = np.random.default_rng(0)


def fused(function, *args):
    graph = compute_by_parts(optimise_graph(symtape.record(function, *args)))
    return FusedSource(graph, "f", exact=False)


def check(function, *args, calls=True):
    """Values between other steps, to the bit, and gradients; without a row that NumPy is asked."""
    program, wanted = fused(function, *args), function(*args)
    assert ("row_" not in program.source) == calls, program.source
    for _ in range(2):
        assert np.array_equal(program(*args)[0], wanted)
    every = tuple(range(len(args)))
    gradient = symtape.grad(lambda *x: np.sum(np.cos(function(*x))), argnums=every)
    program = fused(gradient, *args)
    for found, one in zip(program(*args), gradient(*args), strict=True):
        np.testing.assert_allclose(found, one, rtol=1e-9, atol=1e-11)


def definite(n):
    a = DRAW.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


VIEWS = {
    "rows": lambda a: a * 1.5,
    "columns": lambda a: (a * 1.5).T,
    "part": lambda a: (a * np.ones((2, 1, 1)))[1],
    "backwards": lambda a: (a * 1.5)[::-1, ::-1],
}


@pytest.mark.parametrize("n", SIZES[1:])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_cholesky_factors(n, upper, view):
    check(lambda a: np.linalg.cholesky(VIEWS[view](a), upper=upper) * 2.0, definite(n))


@pytest.mark.parametrize("columns", [(), (1,), (5,)])
@pytest.mark.parametrize("trans", [0, 1])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit_diagonal", [False, True])
@pytest.mark.parametrize("view", ["rows", "columns", "part"])
def test_triangular_systems(columns, trans, lower, unit_diagonal, view):
    for n in SIZES[1:]:
        a = DRAW.normal(size=(n, n)) / n + 2.0 * np.eye(n)
        b = DRAW.normal(size=(n, *columns))
        params = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}
        check(lambda a, b: linalg.solve_triangular(VIEWS[view](a), b[::-1], **params), a, b)  # noqa: B023


@pytest.mark.parametrize("columns", [(), (1,), (5,)])
@pytest.mark.parametrize("bands", [(0, 0), (1, 1), (0, 1), (2, 0), (1, 3)])
def test_banded_systems(columns, bands):
    for n in SIZES[1:]:
        ab, b = DRAW.normal(size=(sum(bands) + 1, n)), DRAW.normal(size=(n, *columns))
        ab[bands[1]] += 5.0
        for turn in (lambda x: x * 1.5, lambda x: (x.T * 1.5).T, lambda x: x[:, ::-1]):
            check(lambda ab, b: linalg.solve_banded(bands, turn(ab), b * 2.0), ab, b)  # noqa: B023


@pytest.mark.parametrize("columns", [(), (5,)])
@pytest.mark.parametrize("beside", [0, 1, 3])
@pytest.mark.parametrize("lower", [False, True])
def test_definite_banded_systems(columns, beside, lower):
    for n in SIZES[1:]:
        ab, b = DRAW.normal(size=(beside + 1, n)), DRAW.normal(size=(n, *columns))
        ab[0 if lower else beside] = 9.0
        check(lambda ab, b: linalg.solveh_banded(ab * 1.5, b * 2.0, lower=lower), ab, b)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("UPLO", ["L", "U"])
@pytest.mark.parametrize("view", VIEWS)
def test_eigenvalues_and_vectors(n, UPLO, view):
    a, b = DRAW.normal(size=(2, n, n))

    def projector(a):
        values, vectors = np.linalg.eigh(VIEWS[view](a), UPLO=UPLO)
        return values + np.abs(vectors) ** 2 @ values

    check(lambda a: np.linalg.eigvalsh(VIEWS[view](a), UPLO=UPLO) * 2.0, a)
    check(projector, a)
    check(lambda a: np.linalg.eigh(VIEWS[view](a), UPLO=UPLO)[0] * 2.0, a)
    check(lambda a, b: np.linalg.eigvalsh(VIEWS[view](a + 1j * b), UPLO=UPLO) * 2.0, a, b)
    found, wanted = fused(lambda a, b: projector(a + 1j * b), a, b), projector(a + 1j * b)
    np.testing.assert_allclose(found(a, b)[0], wanted, rtol=1e-11, atol=1e-12)


def test_large_matrices_are_left_to_numpy():
    a = definite(linear_algebra._MOST + 1)
    check(lambda a: np.linalg.eigvalsh(a * 2.0) * 2.0, a, calls=False)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1), (5, 5), (5, 3), (3, 5), (20, 18)])
@pytest.mark.parametrize("view", ["rows", "part", "backwards"])
def test_orthogonal_factors(shape, view):
    a = DRAW.normal(size=shape)
    factors = {
        "q": lambda a: np.linalg.qr(VIEWS[view](a))[0] * 2.0,
        "r": lambda a: np.linalg.qr(VIEWS[view](a))[1] * 2.0,
        "values": lambda a: np.linalg.svd(VIEWS[view](a), compute_uv=False) * 2.0,
        "values beside vectors": lambda a: np.linalg.svd(VIEWS[view](a), False)[1] * 2.0,
        "left": lambda a: np.linalg.svd(VIEWS[view](a), False)[0] * 2.0,
        "right": lambda a: np.linalg.svd(VIEWS[view](a), False)[2] * 2.0,
    }
    for name, function in factors.items():
        program = fused(function, a)
        assert "row_" not in program.source, name
        assert np.array_equal(program(a)[0], function(a)), name
    products = (
        lambda a: np.sum(np.cos(np.matmul(*np.linalg.qr(VIEWS[view](a))))),
        lambda a: np.sum(np.linalg.svd(VIEWS[view](a), compute_uv=False) ** 3),
    )
    for function in products if shape[0] >= shape[1] else products[1:]:
        gradient = symtape.grad(function)
        np.testing.assert_allclose(fused(gradient, a)(a)[0], gradient(a), rtol=1e-8, atol=1e-10)


def list_calls(program):
    """The rows that a program's machine code leaves to libraries, once for each call."""
    steps = [x.kernel for loop in program.loops for x in getattr(loop, "steps", ())]
    calls = [one for one in (*program.loops, *steps) if isinstance(one, LibraryCall)]
    return [one.graph.nodes[one.graph.outputs[0]].name for one in calls]


def test_values_and_vectors_are_found_at_once():
    for function, name in (
        (lambda a: np.sum(np.linalg.eigvalsh(a + a.T) ** 3), "eigh"),
        (lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 3), "svd"),
    ):
        a = definite(4)
        program = fused(symtape.value_and_grad(function), a)
        assert list_calls(program) == [name]
        np.testing.assert_allclose(program(a)[0], function(a), rtol=1e-13)


def test_singular_values_of_stacks_are_found_with_vectors():
    def f(a):
        return np.sum(np.linalg.svd(a, compute_uv=False) ** 3)

    a = DRAW.normal(size=(2, 4, 3))
    program = fused(symtape.value_and_grad(f), a)
    assert program.source.count("row_svd(") == 1
    assert "row_singular_values(" not in program.source
    np.testing.assert_allclose(program(a)[0], f(a), rtol=1e-13)


def test_singular_values_that_decide_are_those_of_numpy():
    def f(a):
        values = np.linalg.svd(a, compute_uv=False)
        return np.sum(values**2) if values[0] > 1.0 else np.sum(values)

    program = fused(symtape.grad(f), definite(3))
    assert list_calls(program) == ["singular_values", "svd"]


REFUSED = {
    "cholesky": (lambda a: np.linalg.cholesky(a * 2.0) * 2.0, np.linalg.LinAlgError),
    "triangle": (
        lambda a: linalg.solve_triangular(a * 2.0, a[0]) * 2.0,
        np.linalg.LinAlgError,
    ),
    "bands": (
        lambda a: linalg.solve_banded((1, 1), a * 2.0, a[0] + 1.0) * 2.0,
        np.linalg.LinAlgError,
    ),
    "definite bands": (
        lambda a: linalg.solveh_banded(a[1:] * 2.0, a[0] + 1.0) * 2.0,
        np.linalg.LinAlgError,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_refuses_is_refused(name):
    function, error = REFUSED[name]
    a = definite(3)
    a[2] = a[2, ::-1] if name == "definite bands" else a[2]
    a[2] += 9.0 if name == "definite bands" else 0.0
    program = fused(function, a)
    assert np.array_equal(program(a)[0], function(a))
    for refuse in (program, function):
        with pytest.raises(error):
            refuse(a * 0.0)


@pytest.mark.parametrize("name", ["triangle", "bands"])
def test_what_is_not_a_number_goes_on(name):
    function, _ = REFUSED[name]
    a = definite(3)
    program = fused(function, a)
    a[0, 1] = np.nan
    found = program(a)[0]
    assert np.isnan(found).any()
    assert np.array_equal(found, function(a), equal_nan=True)


def mixed(a, ab, b):
    factor = linalg.cho_factor(a @ a.T + np.eye(5), lower=True)
    x = linalg.solve_banded((1, 2), ab, linalg.cho_solve(factor, b))
    return np.sum(x**2) + np.sum(np.linalg.eigvalsh(a[:2, :2] + 1j * a[2:4, 2:4]) ** 3)


def turn_triangle(monkeypatch):
    call = structured_systems.write_call
    wrong = lambda name, called, of, words, *rest: call(  # noqa: E731
        name, called, of, [{"N": "T", "T": "N"}.get(x, x) for x in words], *rest
    )
    monkeypatch.setattr(structured_systems, "write_call", wrong)


def shift_bands(monkeypatch):
    find = structured_systems._find_call

    def wrong(*args):
        called, words, places = find(*args)
        return called, words, {name: place - 1 for name, place in places.items()}

    monkeypatch.setattr(structured_systems, "_find_call", wrong)


def lose_imaginary_parts(monkeypatch):
    copy = decompositions.copy_columns

    def wrong(name, of, to, *rest):
        return copy(name, "%a0" if of == "%a1" else of, to, *rest)

    monkeypatch.setattr(decompositions, "copy_columns", wrong)


@pytest.mark.parametrize("plant", [None, turn_triangle, shift_bands, lose_imaginary_parts])
def test_a_planted_miscompile_is_wrong(plant, monkeypatch):
    if plant:
        plant(monkeypatch)
    draw = np.random.default_rng(3)
    args = draw.normal(size=(5, 5)), draw.normal(size=(4, 5)), draw.normal(size=5)
    args[1][2] += 6.0
    program = fused(symtape.grad(mixed), *args)
    result = verify.gradient(mixed, claimed=lambda *x: program(*x)[0], at=[args], argnums=0)
    assert result.verdict is (Verdict.WRONG if plant else Verdict.CORRECT), str(result)
