"""``symtape.scipy.linalg`` called directly: every argument, real and complex, as SciPy has it."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.linalg as sl

import symtape
from symtape.errors import Unsupported
from symtape.scipy import fft, linalg

Row = tuple[tuple[Any, ...], dict[str, Any]]
BOTH = (False, True)
STRUCTURES = {
    None: "a",
    "gen": "a",
    "general": "a",
    "banded": "a",
    "tridiagonal": "a",
    "lower triangular": "a",
    "upper triangular": "a",
    "diagonal": "a",
    "sym": "s",
    "symmetric": "s",
    "her": "h",
    "hermitian": "h",
    "pos": "p",
    "positive definite": "p",
}
INVERTED = ("gen", "sym", "her", "pos", "lower triangular", "upper triangular")
STEP = 1e-6


def matrices(of_complex: bool) -> dict[str, Any]:
    random = np.random.default_rng(0)

    def draw(*shape: int) -> Any:
        imaginary = 1j * random.normal(size=shape) if of_complex else 0.0
        return random.normal(size=shape) + imaginary

    a, row = draw(3, 3) + 2 * np.eye(3), draw(4)
    diagonal = random.normal(size=4) + 6.0
    upper = np.vstack([np.r_[0, row[:3]], diagonal])
    return {
        "a": a,
        "h": a + a.conj().T,
        "s": a + a.T,
        "p": a @ a.conj().T + np.eye(3),
        "b": draw(3, 2),
        "v": draw(3),
        "w": row,
        "q": draw(3, 3),
        "one": draw(4, 1),
        "tall": draw(4, 3),
        "wide": draw(3, 4),
        "upper": upper,
        "lower": upper[::-1].conj(),
        "definite": a + a.T + 9 * np.eye(3),
        "bands": np.vstack([upper, np.r_[row[1:], 0]]),
    }


def _systems() -> Iterator[tuple[str, Row]]:
    for trans, lower, unit in itertools.product([0, 1, 2, "N", "T", "C"], BOTH, BOTH):
        keywords = {"trans": trans, "lower": lower, "unit_diagonal": unit}
        yield "solve_triangular", (("a", "b"), keywords)
        yield "solve_triangular", (("a", "v"), keywords)
    for (structure, a), lower in itertools.product(STRUCTURES.items(), BOTH):
        yield "solve", ((a, "b"), {"assume_a": structure, "lower": lower})
    yield "solve", (("a", "b"), {"transposed": True})
    for structure, lower in itertools.product(INVERTED, BOTH):
        yield "inv", ((STRUCTURES[structure],), {"assume_a": structure, "lower": lower})
    for trans in (0, 1, 2):
        yield "lu_solve of lu_factor", (("a", "b"), {"trans": trans})
    for lower in BOTH:
        yield "cho_solve of cho_factor", (("p", "b"), {"lower": lower})
    yield "solve_banded by one", (("bands", "w"), {})
    for c in ("v", ("v", "q0")):
        yield "solve_toeplitz", ((c, "b"), {})
        yield "matmul_toeplitz", ((c, "b"), {})
    yield "solve_circulant", (("v", "b"), {})
    yield "toeplitz", (("v",), {})
    yield "toeplitz", (("v", "w"), {})
    yield "pinv", (("tall",), {})
    yield "solve_sylvester", (("a", "p", "q"), {})
    yield "solve_continuous_lyapunov", (("a", "q"), {})
    for method in (None, "direct", "bilinear"):
        yield "solve_discrete_lyapunov", (("a", "q"), {"method": method})


def _factors() -> Iterator[tuple[str, Row]]:
    for lower in BOTH:
        bands = "lower" if lower else "upper"
        for name in ("cholesky_banded", "eigvals_banded"):
            yield name, ((bands,), {"lower": lower})
        yield "solveh_banded", ((bands, "w"), {"lower": lower})
        yield "cho_solve_banded of cholesky_banded", ((bands, "w"), {"lower": lower})
        for name, a in (("cholesky", "p"), ("pinvh", "h"), ("ldl", "p"), ("eigvalsh", "h")):
            yield name, ((a,), {"lower": lower})
        yield "ldl", (("definite",), {"lower": lower, "hermitian": False})
        for kind in (1, 2, 3):
            yield "eigvalsh", (("h", "p"), {"lower": lower, "type": kind})
            yield "size of eigh", (("h", "p"), {"lower": lower, "type": kind})
        yield "size of eigh", (("h",), {"lower": lower})
    for mode, a in itertools.product(("r", "economic"), ("a", "tall", "wide")):
        yield "qr", ((a,), {"mode": mode})
    yield "qr", (("a",), {"mode": "full", "pivoting": True})
    for mode, a in itertools.product(("r", "economic"), ("a", "wide")):
        yield "rq", ((a,), {"mode": mode})
    for mode, conjugate in itertools.product(("left", "right"), BOTH):
        yield "qr_multiply", (("a", "q"), {"mode": mode, "conjugate": conjugate})
        yield "qr_multiply", (("tall", "wide"), {"mode": mode, "conjugate": conjugate})
    for a, which in itertools.product(("a", "tall", "wide"), ("permute_l", "p_indices", "lwork")):
        yield "lu", ((a,), {which: True} if which != "lwork" else {})
    for a in ("a", "tall", "wide"):
        yield "lu_factor", ((a,), {})
        yield "svdvals", ((a,), {})
        yield "size of svd", ((a,), {"full_matrices": False})
    yield "subspace_angles", (("tall", "one"), {})


def _functions() -> Iterator[tuple[str, Row]]:
    for name in ("det", "expm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"):
        yield name, (("a",), {})
    for name in ("sqrtm", "logm", "signm"):
        yield name, (("p",), {})
    for side, a in itertools.product(("left", "right"), ("a", "tall", "wide")):
        yield "polar", ((a,), {"side": side})
    yield "orthogonal_procrustes", (("a", "q"), {})
    yield "expm_frechet", (("a", "q"), {"compute_expm": False})
    yield "fractional_matrix_power", (("p", 0.5), {})
    for calc_q in BOTH:
        yield "hessenberg", (("a",), {"calc_q": calc_q})
    yield "block_diag", (("a", "b"), {})


TABLE: dict[str, list[Row]] = {}
for _name, _row in (*_systems(), *_factors(), *_functions()):
    TABLE.setdefault(_name, []).append(_row)

REAL_ONLY = frozenset(
    ("sqrtm", "logm", "signm", "polar", "orthogonal_procrustes", "fractional_matrix_power")
) | {"hessenberg"}


def function_of(module: Any, name: str) -> Any:
    if name == "lu_solve of lu_factor":
        return lambda a, b, trans: module.lu_solve(module.lu_factor(a), b, trans=trans)
    if name == "cho_solve of cho_factor":
        return lambda a, b, lower: module.cho_solve(module.cho_factor(a, lower=lower), b)
    if name == "solve_banded by one":
        return lambda ab, b: module.solve_banded((1, 1), ab, b)
    if name == "cho_solve_banded of cholesky_banded":
        return lambda ab, b, lower: module.cho_solve_banded(
            (module.cholesky_banded(ab, lower=lower), lower), b
        )
    if name.startswith("size of "):
        # The phase of a vector is arbitrary.
        function = getattr(module, name.removeprefix("size of "))
        return lambda *args, **keywords: tuple(map(np.abs, function(*args, **keywords)))
    return getattr(module, name)


def parts_of(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple | list) else [found]


def check(name: str, row: Row, of_complex: bool) -> None:
    known = matrices(of_complex)
    known["q0"] = np.r_[known["v"][0], known["q"][0, 1:]]
    shape, keywords = row
    given = [known[x] if isinstance(x, str) else x for x in shape]
    vectors = shape[0] if isinstance(shape[0], tuple) else ()
    given = [known[x] for x in vectors] + (given[1:] if vectors else given)

    def call(module: Any, xs: Any) -> list[Any]:
        args = [tuple(xs[: len(vectors)]), *xs[len(vectors) :]] if vectors else xs
        return parts_of(function_of(module, name)(*args, **keywords))

    if not (of_complex and keywords.get("transposed")):
        expected = call(sl, given)
        found = call(linalg, given)
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
            assert np.asarray(ours).dtype.kind == np.asarray(theirs).dtype.kind

    def total(*xs: Any) -> Any:
        parts = [part for part in call(linalg, xs) if np.result_type(part).kind in "fc"]
        weights = [np.exp(1j * (1.0 + k + np.arange(np.size(p)))) for k, p in enumerate(parts)]
        terms = (
            np.sum(np.real(p * w.reshape(np.shape(p)))) for p, w in zip(parts, weights, strict=True)
        )
        return sum(terms)

    moving = [k for k, x in enumerate(given) if isinstance(x, np.ndarray)]
    gradients = symtape.grad(total, argnums=tuple(moving))(*given)
    random = np.random.default_rng(1)
    for turn in (1, 1j) if of_complex else (1,):
        along = [turn * random.normal(size=given[k].shape) for k in moving]
        sides = []
        for sign in (1, -1):
            moved = list(given)
            for k, d in zip(moving, along, strict=True):
                moved[k] = given[k] + sign * STEP * d
            sides.append(total(*moved))
        quotient = (sides[0] - sides[1]) / 2 / STEP
        slope = sum(np.sum(np.real(np.conj(g) * d)) for g, d in zip(gradients, along, strict=True))
        np.testing.assert_allclose(slope, quotient, rtol=1e-5, atol=1e-5)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("of_complex", BOTH, ids=["real", "complex"])
@pytest.mark.parametrize("name", TABLE)
def test_values_and_gradients(name: str, of_complex: bool) -> None:
    for row in TABLE[name]:
        if of_complex and name in REAL_ONLY:
            with pytest.raises(Unsupported, match="complex"):
                check(name, row, of_complex)
        else:
            check(name, row, of_complex)


def test_unknown_modes_are_refused_as_scipy_does() -> None:
    for mode in ("raw", "left"):
        with pytest.raises(ValueError, match="expected 'full', 'r' or 'economic'"):
            linalg.rq(np.eye(2), mode=mode)
    with pytest.raises(Unsupported, match="expected 'real'"):
        linalg.schur(np.eye(2), output="complex")


@pytest.mark.parametrize("ours", [linalg, fft], ids=["linalg", "fft"])
def test_parameters_are_those_of_scipy_in_its_order(ours: Any) -> None:
    theirs = {linalg: sl, fft: scipy.fft}[ours]
    for name in ours.__all__:
        function = getattr(ours, name)
        named = inspect.signature(getattr(theirs, name)).parameters
        taken = [
            parameter.name
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        ]
        assert taken == [x for x in named if x in taken], name


def test_arguments_without_effect_are_taken_by_place_and_by_name() -> None:
    a, b = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])
    expected = sl.solve(a, b, assume_a="pos")
    for found in (
        linalg.solve(a, b, True, False, False, False, "pos"),
        linalg.solve(a, b, overwrite_a=True, check_finite=False, assume_a="pos"),
    ):
        np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(fft.dct(a, 2, None, -1, None, True), scipy.fft.dct(a))
    with pytest.raises(TypeError, match="overwrite_c"):
        linalg.solve(a, b, overwrite_c=True)
    with pytest.raises(TypeError, match="tolerance"):
        linalg.solve(a, b, tolerance=1e-3)
