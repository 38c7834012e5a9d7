"""Systems of one matrix by its factors, rows for seeds, half spectra: within rounding NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from symtape.programs.compiled import complex_factors, factors, lapack, transforms
from symtape.programs.compiled.complex_parts import compute_by_parts
from symtape.programs.compiled.fused_source import FusedSource
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.program import Program
from symtape.programs.compiled.segments import Segment
from verify import Verdict

pytest.importorskip("llvmlite")

DRAW = np.random.default_rng(0)
A, B, C = (
    DRAW.normal(size=(12, 12)) + 4.0 * np.eye(12),
    DRAW.normal(size=12),
    DRAW.normal(size=(12, 3)),
)


def fused(function, *args):
    graph = compute_by_parts(optimise_graph(symtape.record(function, *args)))
    return FusedSource(graph, "f", exact=False)


def check(function, *args):
    program = fused(function, *args)
    wanted = function(*args)
    for _ in range(2):
        (found,) = program(*args)
        assert np.shape(found) == np.shape(wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)
    return program


SYSTEMS = {
    "one": lambda a, b: np.linalg.solve(a, b),
    "of the transpose": lambda a, b: np.linalg.solve(a.T, b),
    "of both": lambda a, b: np.linalg.solve(a, np.linalg.solve(a.T, b)),
    "of a view": lambda a, b: np.linalg.solve(a[::-1], b),
    "of a factor": lambda a, b: np.linalg.solve(np.linalg.cholesky(a @ a.T), b),
    "of a factor above": lambda a, b: np.linalg.solve(np.linalg.cholesky(a @ a.T, upper=True), b),
    "of a factor's transpose": lambda a, b: np.linalg.solve(np.linalg.cholesky(a @ a.T).T, b),
}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("b", [B, C, np.asfortranarray(C)], ids=["vector", "matrix", "columns"])
def test_systems_are_solved_by_factors(name, b):
    program = check(SYSTEMS[name], A, b)
    assert "row_solve(" not in program.source
    check(symtape.grad(lambda a, b: np.sum(SYSTEMS[name](a, b) ** 2)), A, b)


INVERSES = {
    "alone": lambda a, b: np.linalg.inv(a) @ b,
    "beside a system": lambda a, b: np.linalg.inv(a) @ np.linalg.solve(a, b),
    "of the transpose": lambda a, b: np.linalg.inv(a.T) @ b,
    "of a factor": lambda a, b: np.linalg.inv(np.linalg.cholesky(a @ a.T)) @ b,
}


@pytest.mark.parametrize("name", INVERSES)
def test_inverses_are_solutions_for_the_unit_matrix(name):
    program = check(INVERSES[name], A, C)
    assert "row_inv(" not in program.source
    check(symtape.grad(lambda a, b: np.sum(INVERSES[name](a, b) ** 2)), A, C)


def test_a_singular_matrix_has_no_inverse():
    program = fused(np.linalg.inv, A)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        program(np.zeros_like(A))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(1, 1), (5,), (2, 4), (3, 3), (12, 3), (30, 64)])
def test_few_numbers_are_solved_for_with_the_bits_of_numpy(shape, order):
    if not factors._are_numpys():
        pytest.skip("NumPy's LAPACK is another")
    draw = np.random.default_rng(sum(shape))
    rows = shape[0]
    for _ in range(5):
        a, b = draw.normal(size=(rows, rows)), np.array(draw.normal(size=shape), order=order)
        for f in (lambda a, b: np.linalg.solve(a, b), lambda a, b: np.linalg.inv(a)):
            program = fused(f, a, b)
            assert "row_" not in program.source
            assert np.array_equal(program(a, np.ascontiguousarray(b))[0], f(a, b))


@pytest.mark.parametrize("b", [B, C], ids=["vector", "matrix"])
@pytest.mark.parametrize("numpys", [True, False])
def test_what_decides_is_solved_with_the_bits_of_numpy(numpys, b, monkeypatch):
    """By factors where these give them, and else by NumPy."""

    def thresholded(a, b):
        for _ in range(3):
            b = np.sign(np.linalg.solve(a, b)) * np.maximum(np.abs(np.linalg.solve(a, b)) - 0.01, 0)
        return b

    if numpys and not factors._are_numpys():
        pytest.skip("NumPy's LAPACK is another")
    monkeypatch.setattr(factors, "_are_numpys", lambda: numpys)
    program = check(thresholded, A, b)
    assert ("row_solve(" in program.source) == (not numpys)
    np.testing.assert_array_equal(program(A, b)[0] == 0, thresholded(A, b) == 0)


def test_one_factorisation_serves_all_systems_of_a_matrix():
    def f(a, b):
        for _ in range(4):
            b = np.linalg.solve(a, b)
        return np.sum(b**2)

    program = fused(symtape.grad(f), A, B)
    (segment,) = (loop for loop in program.loops if isinstance(loop, Segment))
    calls = [one.kernel.graph.nodes[-1].name for one in segment.steps]
    assert calls.count("factor") == 1
    assert calls.count("solve_factored") > 4


def test_a_singular_matrix_is_refused_as_numpy_does():
    program = fused(np.linalg.solve, A, B)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        program(np.zeros((12, 12)), B)


def test_a_singular_matrix_in_a_segment_is_refused_as_numpy_does():
    def f(a, b):
        for _ in range(3):
            b = np.sin(np.linalg.solve(a, b * 2.0))
        return b

    program = check(f, A, B)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            program(np.zeros((12, 12)), B)
    np.testing.assert_allclose(program(A, B)[0], f(A, B), rtol=1e-11)


DETERMINANTS = {
    "det": np.linalg.det,
    "of the transpose": lambda a: np.linalg.det(a.T) * np.ones(2),
    "its sign and size": lambda a: np.stack(np.linalg.slogdet(a)),
    "beside a system": lambda a: np.linalg.solve(a, np.ones(len(a))) * np.linalg.det(a),
    "and its slope": symtape.grad(lambda a: np.log(np.linalg.det(a) ** 2)),
    "and that of its size": symtape.grad(lambda a: np.linalg.slogdet(a)[1]),
}


@pytest.mark.parametrize("name", DETERMINANTS)
@pytest.mark.parametrize("n", [2, 3, 5, 12])
def test_determinants_are_products_of_pivots(name, n):
    """With the exchanges of rows that pivots ask for, and of numbers near the ends of the range."""
    far = 10.0 ** (140 // n)  # the square of a determinant is a float still
    for a in (A[:n, :n], A[:n, :n][::-1] / far, far * (A[:n, :n] - 4.0 * np.eye(n))):
        a = np.ascontiguousarray(a)
        program = fused(DETERMINANTS[name], a)
        assert "row_det(" not in program.source
        assert "row_slogdet(" not in program.source
        (found,), wanted = program(a), DETERMINANTS[name](a)
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13 * np.max(np.abs(wanted)))


def test_the_determinant_of_a_singular_matrix_is_zero():
    """Recorded at one, or met later; and that of no numbers is none."""
    regular, singular = A[:3, :3].copy(), np.ones((3, 3))
    for at in (regular, singular):
        for function in (np.linalg.det, lambda a: np.stack(np.linalg.slogdet(a))):
            program = fused(function, at)
            for x in (regular, singular, np.zeros((3, 3)), np.full((3, 3), np.nan)):
                with np.errstate(all="ignore"):
                    np.testing.assert_allclose(program(x)[0], function(x), rtol=1e-12)


def test_what_decides_is_a_determinant_of_numpys():
    def f(a):
        return np.sum(a) if np.linalg.det(a) > 1.0 else np.sum(a * a)

    assert "row_det(" in fused(f, A).source


@pytest.mark.parametrize("n", [8, 20, 64])
def test_factors_solve_with_the_bits_of_numpy(n):
    """Where the library is NumPy's own: of a matrix itself, for a vector."""
    if not factors._are_numpys():
        pytest.skip("NumPy's LAPACK is another")
    a, b = DRAW.normal(size=(n, n)), DRAW.normal(size=n)
    for one in (a, a.T, a[::-1], np.asfortranarray(a)):
        (found,) = fused(lambda a, b: np.linalg.solve(a, b * 2.0) * 1.0, one, b)(one, b)
        np.testing.assert_array_equal(found, np.linalg.solve(np.ascontiguousarray(one), b * 2.0))


@pytest.mark.parametrize("shape", [(3, 12), (12, 12), (40, 12)])
def test_seeds_choose_rows(shape):
    units = np.eye(12)[DRAW.permutation(np.arange(shape[0]) % 12)]
    assert "dot" not in check(lambda a: units @ a, A).source
    twice = units * 2.0
    assert "dot" in check(lambda a: twice @ a, A).source


@pytest.mark.parametrize("n", [1, 2, 7, 8])
@pytest.mark.parametrize("norm", ["backward", "forward", "ortho"])
@pytest.mark.parametrize("axis", [0, 1])
def test_transforms_of_real_numbers_are_halves(n, norm, axis):
    x = DRAW.normal(size=(n, 5) if axis == 0 else (5, n))

    def filtered(x):
        half = np.fft.rfft(x, axis=axis, norm=norm) * (1.0 + 0.3j)
        return np.sum(np.fft.irfft(half, n, axis=axis, norm=norm) ** 3)

    check(filtered, x)
    check(symtape.grad(filtered), x)
    check(symtape.grad(lambda x: np.sum(np.abs(np.fft.rfft(x, axis=axis, norm=norm)) ** 2)), x)


def mixed(a, b):
    """Systems of a matrix and of its transpose, and a filter."""
    heat = np.linalg.solve(a.T, np.linalg.solve(a, b))
    return np.sum(np.fft.irfft(np.fft.rfft(heat) * 1.5, 12) ** 2)


def never_transposed(monkeypatch):
    matrix = factors._matrix
    monkeypatch.setattr(factors, "_matrix", lambda nodes, at: (matrix(nodes, at)[0], False))


def scale_lost(monkeypatch):
    plan = transforms._plan
    wrong = lambda node, shape: plan(node, shape)._replace(scale=1.0)  # noqa: E731
    monkeypatch.setattr(transforms, "_plan", wrong)


def rows_for_columns(monkeypatch):
    copy = lapack.copy_columns

    def wrong(name, of, to, shape, strides):
        return copy(name, of, to, shape, strides[::-1] if shape[1] > 1 else strides)

    monkeypatch.setattr(lapack, "copy_columns", wrong)


def pivots_lost(monkeypatch):
    convert = lapack._convert_pivots

    def wrong(n, whole, to_numbers):
        lines = convert(n, whole, to_numbers)
        return [line.replace(f"sitofp {whole} %p.x", f"sitofp {whole} 1") for line in lines]

    monkeypatch.setattr(lapack, "_convert_pivots", wrong)


def factor_of_a_constant(monkeypatch):
    multiply = complex_factors._multiply_constants
    monkeypatch.setattr(complex_factors, "_multiply_constants", lambda a, b: multiply(a, a))


@pytest.mark.parametrize(
    "plant",
    [
        None,
        never_transposed,
        scale_lost,
        rows_for_columns,
        pivots_lost,
        factor_of_a_constant,
    ],
)
def test_a_planted_miscompile_is_wrong(plant, monkeypatch):
    if plant:
        plant(monkeypatch)
    program = fused(symtape.grad(mixed), A, B)
    result = verify.gradient(mixed, claimed=lambda a, b: program(a, b)[0], at=[(A, B)], argnums=0)
    assert result.verdict is (Verdict.WRONG if plant else Verdict.CORRECT), str(result)


def test_programs_transform_the_half_of_real_numbers():
    def f(x):
        half = np.fft.rfft(x)
        return np.sum(np.fft.irfft(half * np.linspace(1.0, 0.1, len(half))) ** 2)

    program = Program(symtape.record(symtape.grad(f), np.arange(20_000.0)), "f", "auto").run
    assert program.source.count("row_rfft") == program.source.count("row_irfft") == 2
    assert "row_fft" not in program.source
