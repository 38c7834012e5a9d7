"""``scipy.linalg`` by its plain names: derivatives of all kinds, and verdicts in balls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as sl

import symtape
from symtape.errors import Unsupported
from tests.symtape.scipy.checks import check_derivatives, check_single, check_verdict
from tests.symtape.scipy.linalg_calls import CALLS, TALL, A, V


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_derivatives(name: str) -> None:
    check_derivatives(CALLS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_verdict(name: str) -> None:
    check_verdict(CALLS[name])


@pytest.mark.parametrize("name", ["lu_solve", "cho_solve lower", "solve_banded", "qr", "svdvals"])
def test_single_precision(name: str) -> None:
    check_single(CALLS[name])


@pytest.mark.parametrize(
    ("function", "at", "words"),
    [
        (lambda a: sl.qr(a), TALL, "mode='economic'"),
        (lambda a: sl.qr(a, mode="raw"), A, "mode='raw'"),
        (lambda a: sl.svd(a), TALL, "full_matrices=False"),
        (lambda a: sl.ldl(a), A - np.diag(np.diagonal(A)), "definite"),
        (lambda a: sl.rq(a), TALL, "rq with mode='full'"),
        (lambda a: [sl.expm_cond(a)], A, "expm_cond"),
        (lambda a: sl.schur(a), A, "complex eigenvalues"),
        (lambda a: sl.eig(a), A, "complex eigenvalues"),
        (lambda a: sl.sqrtm(a), -TALL[:3], "negative or 0"),
    ],
)
def test_what_is_not_determined_is_refused(function: Any, at: Any, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        symtape.grad(lambda x: np.sum(function(x)[0]))(at)


def test_plain_arrays_are_scipys_own() -> None:
    found = symtape.grad(lambda x: np.sum(x * sl.lu_solve(sl.lu_factor(A), V)))(V)
    np.testing.assert_array_equal(found, sl.lu_solve(sl.lu_factor(A), V))


NAMES = (
    *("det", "inv", "expm", "sqrtm", "cholesky", "cho_factor", "cho_solve", "eigh", "svd", "qr"),
    *("lu", "lu_factor", "lu_solve", "solve", "solve_triangular", "solve_sylvester"),
    *("solve_banded", "polar", "expm_frechet", "rsf2csf", "block_diag", "toeplitz", "hankel"),
    *("circulant", "companion", "fiedler", "fiedler_companion", "convolution_matrix", "leslie"),
    *("pinv", "logm", "eigh_tridiagonal", "qr_multiply", "funm", "schur", "hessenberg"),
    *("khatri_rao",),
)


def test_names_that_peers_have_and_some_beyond_are_called() -> None:
    words = {word.strip(",") for name in CALLS for word in name.split()}
    assert {*NAMES} <= words
