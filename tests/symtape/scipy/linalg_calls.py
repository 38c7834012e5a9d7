"""Calls of ``scipy.linalg`` by its own names."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import scipy.linalg as sl

import symtape.scipy.linalg as ours
from tests.symtape.scipy.checks import Call

A: Final = np.array(
    [[0.5, -1.0, 2.0, 0.25], [3.0, 0.25, 1.0, -0.5], [-0.75, 2.5, 1.5, 1.0], [1.25, 0.5, -2.0, 2.0]]
)
TALL: Final = A[:, :3] + np.array([0.0, 0.5, -0.25])
WIDE: Final = TALL.T.copy()
V: Final = np.array([0.25, -1.5, 0.75, 2.0])
DEFINITE: Final = A @ A.T + np.eye(4)
OTHER: Final = A.T @ A + 2 * np.eye(4)
SYMMETRIC: Final = A + A.T
BANDS: Final = np.array([[0.0, 1.0, -0.5, 0.25], [4.0, 5.0, 3.0, 6.0], [0.5, -1.0, 0.75, 0.0]])
UPPER: Final = np.array([[0.1, 0.5, -0.75, 0.25], [4.0, 5.0, 3.0, 6.0]])
LOWER: Final = UPPER[::-1].copy()

M: Final = np.array([[4.0, 0.5, -0.25], [0.5, 2.0, 0.25], [-0.125, 0.75, 0.5]])
BESIDE: Final = np.array([[1.5, 0.25, 0.125], [0.25, 0.75, 0.0], [0.0, 0.25, 1.0]])
SMALL: Final = M[::-1] / 4
TWO: Final = np.array([[1.5, 0.25], [0.25, 0.75]])
RIGHT: Final = np.array([[0.5, 1.0], [-1.0, 0.25], [0.75, 2.0]])
COLUMN: Final = np.array([4.0, 1.0, 0.5, -0.25])


def real(found: Any) -> Any:
    """Real parts, of numbers that are real."""
    return tuple(np.real(part) for part in found)


def projectors(found: Any) -> Any:
    """What does not hang on the signs of eigenvectors."""
    values, vectors = found
    return values, vectors**2


CALLS: Final = {
    "lu": Call(lambda a: sl.lu(a), A),
    "lu permuted": Call(lambda a: sl.lu(a, permute_l=True), TALL),
    "lu by indices": Call(lambda a: sl.lu(a, p_indices=True), WIDE),
    "lu of a stack": Call(lambda a: sl.lu(a), np.stack([A[:3, :3], DEFINITE[:3, :3]])),
    "lu_factor": Call(lambda a: sl.lu_factor(a)[0], A),
    "lu_solve": Call(lambda a: sl.lu_solve(sl.lu_factor(a), V), A),
    "lu_solve transposed": Call(lambda a: sl.lu_solve(sl.lu_factor(a), a, trans=1), A),
    "cho_factor, cho_solve": Call(lambda a: sl.cho_solve(sl.cho_factor(a), V), DEFINITE),
    "cho_solve lower": Call(lambda a: sl.cho_solve(sl.cho_factor(a, lower=True), OTHER), DEFINITE),
    "cholesky": Call(lambda a: sl.cholesky(a, overwrite_a=True, check_finite=False), DEFINITE),
    "det": Call(sl.det, A),
    "expm": Call(sl.expm, A),
    "solve": Call(lambda a: sl.solve(a, V, overwrite_a=True), A),
    "solve positive definite": Call(lambda a: sl.solve(a, V, assume_a="pos"), DEFINITE),
    "solve symmetric": Call(lambda a: sl.solve(a, V, assume_a="sym", lower=True), SYMMETRIC),
    "solve upper": Call(lambda a: sl.solve(a, V, assume_a="upper triangular"), A),
    "solve diagonal": Call(lambda a: sl.solve(a, V, assume_a="diagonal"), A),
    "solve tridiagonal": Call(lambda a: sl.solve(a, V, assume_a="tridiagonal"), np.tri(4) + A / 8),
    "solve by b": Call(lambda b: sl.solve(A, b, transposed=True), V),
    "solve_triangular": Call(
        lambda a: sl.solve_triangular(a, V, trans="T", lower=True, unit_diagonal=True), A
    ),
    "inv": Call(lambda a: sl.inv(a, assume_a="pos"), DEFINITE),
    "pinv": Call(lambda a: sl.pinv(a), TALL),
    "pinvh": Call(lambda a: sl.pinvh(a), SYMMETRIC),
    "lstsq": Call(lambda a: sl.lstsq(a, V), TALL),
    "lstsq of several": Call(lambda a: sl.lstsq(a, A[:, :2], lapack_driver="gelsy"), TALL),
    "solve_banded": Call(lambda ab: sl.solve_banded((1, 1), ab, V), BANDS),
    "solve_banded by b": Call(lambda b: sl.solve_banded((1, 1), BANDS, b), V),
    "solveh_banded": Call(lambda ab: sl.solveh_banded(ab, V), UPPER),
    "solveh_banded lower": Call(lambda ab: sl.solveh_banded(ab, V, lower=True), LOWER),
    "cholesky_banded": Call(sl.cholesky_banded, UPPER),
    "cholesky_banded lower": Call(lambda ab: sl.cholesky_banded(ab, lower=True), LOWER),
    "cho_solve_banded": Call(
        lambda ab: sl.cho_solve_banded((sl.cholesky_banded(ab), False), V), UPPER
    ),
    "qr": Call(lambda a: sl.qr(a), A),
    "qr economic": Call(lambda a: sl.qr(a, mode="economic"), TALL),
    "qr of a wide matrix": Call(lambda a: sl.qr(a), WIDE),
    "qr of R alone": Call(lambda a: sl.qr(a, mode="r"), TALL),
    "qr with pivoting": Call(
        lambda a: sl.qr(a, mode="economic", pivoting=True)[:2], TALL * np.array([1.0, 4.0, 16.0])
    ),
    "rq": Call(lambda a: sl.rq(a), A),
    "rq economic": Call(lambda a: sl.rq(a, mode="economic"), WIDE),
    "qr_multiply": Call(lambda a: sl.qr_multiply(a, A), TALL),
    "qr_multiply of a vector": Call(lambda a: sl.qr_multiply(a, V), TALL),
    "qr_multiply from the left": Call(lambda a: sl.qr_multiply(a, WIDE, "left"), TALL),
    "svd": Call(lambda a: sl.svd(a), A),
    "svd reduced": Call(lambda a: sl.svd(a, full_matrices=False), TALL),
    "svdvals": Call(sl.svdvals, TALL),
    "eigh": Call(lambda a: projectors(sl.eigh(a)), DEFINITE),
    "eigh of a subset": Call(
        lambda a: projectors(sl.eigh(a, lower=False, subset_by_index=[1, 2])), DEFINITE
    ),
    "numpy.linalg.eigh of the upper triangle": Call(
        lambda a: tuple(np.linalg.eigh(a, UPLO="U")), DEFINITE
    ),
    "orth": Call(lambda a: sl.orth(a) ** 2, TALL),
    "eigh of a pencil": Call(lambda a: projectors(sl.eigh(a, OTHER)), DEFINITE),
    "eigh by b": Call(lambda b: projectors(sl.eigh(OTHER, b, type=2)), DEFINITE),
    "eigh of type 3": Call(lambda b: projectors(sl.eigh(OTHER, b, type=3, lower=False)), DEFINITE),
    "eigvalsh": Call(lambda a: sl.eigvalsh(a, OTHER, subset_by_value=[0.01, 3.0]), DEFINITE),
    "eigh_tridiagonal": Call(lambda e: projectors(sl.eigh_tridiagonal(V, e)), V[1:] / 2),
    "eigvalsh_tridiagonal": Call(
        lambda d: sl.eigvalsh_tridiagonal(d, V[1:], select="i", select_range=(0, 1)), V
    ),
    "eig_banded": Call(lambda ab: projectors(sl.eig_banded(ab)), UPPER),
    "eigvals_banded": Call(lambda ab: sl.eigvals_banded(ab, lower=True), LOWER),
    "subspace_angles": Call(lambda a: sl.subspace_angles(a[:, :2], A[:, 1:3]), TALL),
    "subspace_angles of a line": Call(lambda a: sl.subspace_angles(a[:, :2], A[:, 1:2]), TALL),
    "ldl": Call(lambda a: sl.ldl(a), DEFINITE),
    "ldl upper": Call(lambda a: sl.ldl(a, lower=False), DEFINITE),
    "norm": Call(lambda a: sl.norm(a, 2), A),
    "norm along an axis": Call(lambda a: sl.norm(a, 1, axis=0, keepdims=True), A),
    "toeplitz": Call(lambda c: sl.toeplitz(c, V), V[::-1].copy()),
    "hankel": Call(sl.hankel, V),
    "circulant": Call(sl.circulant, V),
    "companion": Call(sl.companion, V),
    "fiedler": Call(sl.fiedler, V),
    "fiedler_companion": Call(sl.fiedler_companion, V),
    "convolution_matrix": Call(lambda a: sl.convolution_matrix(a, 3), V),
    "leslie": Call(lambda f: sl.leslie(f, np.array([0.5, 0.25, 0.75])), V),
    "khatri_rao": Call(lambda a: sl.khatri_rao(a, TALL), TALL),
    "block_diag": Call(lambda a: sl.block_diag(a, V, a[0]), TALL),
    "diagsvd": Call(lambda s: sl.diagsvd(s, 5, 4), V),
    "sqrtm": Call(sl.sqrtm, M),
    "logm": Call(sl.logm, M[:2, :2]),
    "cosm": Call(sl.cosm, SMALL),
    "sinm": Call(sl.sinm, SMALL),
    "tanm": Call(sl.tanm, SMALL),
    "coshm": Call(sl.coshm, SMALL),
    "sinhm": Call(sl.sinhm, SMALL),
    "tanhm": Call(sl.tanhm, SMALL),
    "signm": Call(sl.signm, M - 1.5 * np.eye(3)),
    "fractional_matrix_power": Call(
        lambda a: np.real(sl.fractional_matrix_power(a, 0.3)), M[:2, :2]
    ),
    "fractional_matrix_power of an integer": Call(lambda a: sl.fractional_matrix_power(a, -2), M),
    "expm_frechet": Call(lambda a: sl.expm_frechet(a, SMALL.T), SMALL),
    "expm_frechet by E": Call(
        lambda e: sl.expm_frechet(SMALL, e, compute_expm=False), SMALL.T.copy()
    ),
    "polar": Call(sl.polar, M),
    "polar left": Call(lambda a: sl.polar(a, side="left"), M[:, :2]),
    "polar of a wide matrix": Call(lambda a: sl.polar(a, "left"), M[:2]),
    "orthogonal_procrustes": Call(lambda a: sl.orthogonal_procrustes(a, M), SMALL + M[::-1]),
    "solve_sylvester": Call(lambda a: sl.solve_sylvester(a, TWO, RIGHT), M),
    "solve_sylvester by b": Call(lambda b: sl.solve_sylvester(M, b, RIGHT), TWO),
    "solve_sylvester by q": Call(lambda q: sl.solve_sylvester(M, TWO, q), RIGHT),
    "solve_continuous_lyapunov": Call(lambda a: sl.solve_continuous_lyapunov(a, SMALL), M),
    "solve_discrete_lyapunov": Call(lambda a: sl.solve_discrete_lyapunov(a, M), SMALL),
    "solve_discrete_lyapunov bilinear": Call(
        lambda a: sl.solve_discrete_lyapunov(a, M, method="bilinear"), SMALL
    ),
    "solve_toeplitz": Call(lambda c: sl.solve_toeplitz(c, V), COLUMN),
    "solve_toeplitz of column and row": Call(lambda c: sl.solve_toeplitz((c, V), A), COLUMN),
    "matmul_toeplitz": Call(lambda c: sl.matmul_toeplitz((c, V), A), COLUMN),
    "matmul_toeplitz by x": Call(lambda x: sl.matmul_toeplitz(COLUMN, x), V),
    "eig": Call(lambda a: real(sl.eig(a)), M),
    "eig from both sides": Call(lambda a: real(sl.eig(a, left=True)), M),
    "eig of a pencil": Call(lambda b: real(sl.eig(M, b, left=True)), BESIDE),
    "eigvals": Call(lambda a: np.real(sl.eigvals(a)), M),
    "numpy.linalg.eig": Call(lambda a: real(np.linalg.eig(a)), M),
    "numpy.linalg.eig of two rows": Call(lambda a: real(np.linalg.eig(a)), M[:2, :2]),
    "numpy.linalg.eigvals": Call(lambda a: np.real(np.linalg.eigvals(a)), M),
    "funm": Call(lambda a: sl.funm(a, np.sin), M),
    "schur": Call(lambda a: [x**2 for x in sl.schur(a)], M),
    "rsf2csf": Call(lambda a: [np.real(x) ** 2 for x in sl.rsf2csf(*sl.schur(a))], M),
    "hessenberg": Call(lambda a: sl.hessenberg(a, calc_q=True), A),
    "solve_circulant": Call(lambda c: ours.solve_circulant(c, V), COLUMN),
    "solve_circulant along the last axis": Call(
        lambda c: ours.solve_circulant(c, A, baxis=-1, outaxis=-1), COLUMN
    ),
}
