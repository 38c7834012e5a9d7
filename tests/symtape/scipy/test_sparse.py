"""``scipy.sparse`` by its plain names: derivatives of all kinds, and verdicts in balls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import symtape
from symtape.errors import Unsupported
from tests.symtape.scipy.checks import check_derivatives, check_single, check_verdict
from tests.symtape.scipy.sparse_calls import CALLS, DEFINITE, ENTRIES, OLD, V, of_rows


@pytest.mark.parametrize("name", CALLS)
def test_derivatives(name: str) -> None:
    check_derivatives(CALLS[name])


@pytest.mark.parametrize("name", CALLS)
def test_verdict(name: str) -> None:
    check_verdict(CALLS[name])


@pytest.mark.parametrize("name", ["S @ x", "csr by data", "spsolve by data", "diags"])
def test_single_precision(name: str) -> None:
    check_single(CALLS[name])


@pytest.mark.parametrize(
    ("function", "at", "words"),
    [
        (lambda b: spl.cg(DEFINITE, b, rtol=0.5)[0], V, "stopped at a distance"),
        (lambda x: spl.spsolve(OLD, of_rows(x)), ENTRIES, "b.toarray()"),
        (lambda x: sp.coo_array((x, ([0, 0], [1, 1]))).power(2).sum(), V[:2], "at one place"),
        (lambda x: spl.splu(of_rows(x)).L, ENTRIES, "splu"),
        (lambda x: of_rows(x)[0], ENTRIES, "one row"),
        (lambda x: spl.eigsh(of_rows(x), k=1), ENTRIES, "eigsh of a sparse matrix of tensors"),
        (lambda x: sp.hstack([of_rows(x), OLD]), ENTRIES, "hstack of a sparse matrix"),
        (lambda x: of_rows(x).power(-1), 0 * ENTRIES, "entries that are 0"),
        (lambda x: [m := sp.lil_array((2, 2)), m.__setitem__((0, 1), x[0])][0], V, "written into"),
        (lambda x: [m := sp.eye(4).tolil(), m.setdiag(x)][0], V, "written into"),
    ],
)
def test_what_cannot_be_done_is_refused(function: Any, at: Any, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        symtape.grad(lambda x: np.sum(function(x)))(at)


def test_classes_are_scipys_own_as_they_are_asked_for() -> None:
    def f(x: Any) -> Any:
        made = sp.csr_array(np.eye(4))
        assert isinstance(made, sp.csr_array)
        assert issubclass(sp.csr_array, sp.sparray)
        assert sp.issparse(made)
        return np.sum((made @ x) ** 2)

    np.testing.assert_allclose(symtape.grad(f)(V), 2 * V)
    assert isinstance(sp.csr_array, type)
    assert type(sp.csr_array(np.eye(2)) @ np.ones(2)) is np.ndarray


def test_a_matrix_of_tensors_is_of_its_class() -> None:
    def f(x: Any) -> Any:
        made = sp.csr_array((x, (range(4), range(4))), shape=(4, 4))
        return np.sum((made @ np.ones(4)) ** 2) if isinstance(made, sp.csr_array) else 0.0

    np.testing.assert_allclose(symtape.grad(f)(V), 2 * V)


def test_a_long_chain_is_solved_by_its_entries() -> None:
    n = 2000

    def f(x: Any) -> Any:
        matrix = sp.diags([x[:-1] / 8, x + 5, x[1:] / 8], [-1, 0, 1], format="csc")
        return np.sum(spl.spsolve(matrix, x) ** 2)

    x = np.cos(np.arange(n))
    slope = symtape.grad(f)(x)
    along = np.sin(np.arange(n))
    step = 1e-6
    expected = (f(x + step * along) - f(x - step * along)) / 2 / step
    np.testing.assert_allclose(slope @ along, expected, rtol=1e-6)


EVERYWHERE = tuple(np.indices((2, 2)).reshape(2, -1))
HOLED = np.array([0.0, 2.0, 0.0, 3.0])
COUNTED: dict[str, Callable[[Any], Any]] = {
    "all entries": lambda x: sp.coo_array((x, EVERYWHERE), shape=(2, 2)),
    "negated": lambda x: -sp.coo_array((x, EVERYWHERE), shape=(2, 2)),
    "an array": lambda x: sp.csr_array(x.reshape(2, 2)),
    "an array, transposed": lambda x: 2 * sp.csr_array(x.reshape(2, 2)).T,
}


@pytest.mark.parametrize("name", COUNTED)
def test_entries_are_counted_as_scipy_stores_them(name: str) -> None:
    found = []
    symtape.grad(lambda x: np.sum(found.append(COUNTED[name](x).nnz) or x))(HOLED)
    assert {*found} == {COUNTED[name](HOLED).nnz}
