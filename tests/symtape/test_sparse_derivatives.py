"""Sparse Jacobians and Hessians: the dense ones, without what cannot be other than 0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy import integrate, optimize, sparse

import symtape
import verify
from symtape.sparsity import index_sets, plan
from tests.symtape.sparsity.dense import dense_hessian, dense_jacobian
from verify import Verdict
from verify.strategies import programs

X = np.linspace(0.4, 1.7, 12)


@pytest.fixture(autouse=True)
def _fresh():
    plan.forget_plans()
    yield
    plan.forget_plans()


def heat(u):
    return np.concatenate([u[:1], u[:-2] - 2 * u[1:-1] + u[2:] + u[1:-1] ** 3, u[-1:]])


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def arrow(x):
    return x[0] * np.sum(x[1:] ** 2) + np.sum(x**3)


JACOBIANS = {
    "bands": (heat, X, 32),
    "few inputs": (lambda x: np.outer(x, np.arange(1.0, 9.0)).ravel(), X[:2], 16),
    "one row": (lambda x: np.sum(x**2), X, 12),
    "one number": (lambda x: x**2, 3.0, 1),
    "arrow": (lambda x: np.concatenate([[np.sum(x)], x[1:] ** 2]), X, 23),
    "matrices": (lambda x: x.T * 2.0, X.reshape(3, 4), 12),
    "nothing": (lambda x: np.ones(4), X, 0),
    "no outputs": (lambda x: x[:0], X, 0),
    "no inputs": (lambda x: x * 2, X[:0], 0),
    "float32": (heat, X.astype(np.float32), 32),
    "list": (lambda x: np.array([x[0] * x[1], x[1]]), [1.0, 2.0], 3),
}


@pytest.mark.parametrize("name", JACOBIANS)
def test_a_sparse_jacobian_is_the_dense_one(name):
    function, x, entries = JACOBIANS[name]
    found = symtape.sparse_jacobian(function)(x)
    dense = symtape.jacobian(function)(x if name != "list" else np.array(x))
    assert isinstance(found, sparse.csr_array)
    assert found.has_sorted_indices
    assert found.nnz == entries
    assert found.dtype == np.asarray(x).dtype
    assert np.array_equal(found.toarray(), np.reshape(dense, found.shape))


@pytest.mark.parametrize(
    ("function", "entries"), [(rosenbrock, 34), (arrow, 34), (np.sum, 0), (np.prod, 132)]
)
def test_a_sparse_hessian_is_the_dense_one(function, entries):
    found = symtape.sparse_hessian(function)(X)
    assert found.nnz == entries
    assert np.allclose(found.toarray(), symtape.hessian(function)(X), rtol=1e-14)


def test_the_caller_may_change_what_it_gets():
    jacobian = symtape.sparse_jacobian(heat)
    first = jacobian(X)
    first.data[:], first.indices[:], first.indptr[:] = 7, 0, 0
    assert np.array_equal(jacobian(X).toarray(), symtape.jacobian(heat)(X))


def test_several_arguments_outputs_and_structures():
    def function(a, b):
        return {"product": a * b["w"], "sum": b["v"]}

    a, b = X, {"w": X + 1, "v": X[:3]}
    found = symtape.sparse_jacobian(function, (0, 1))(a, b)
    dense = symtape.jacobian(function, (0, 1))(a, b)
    for key in ("product", "sum"):
        assert np.array_equal(found[key][0].toarray(), dense[key][0])
        for name in ("w", "v"):
            assert np.array_equal(found[key][1][name].toarray(), dense[key][1][name])
    second = symtape.sparse_hessian(lambda x, y: np.sum(x**2 * y[0]), (0, 1))(X, X[:2])
    assert [[part.shape for part in row] for row in second] == [
        [(12, 12), (12, 2)],
        [(2, 12), (2, 2)],
    ]
    assert np.array_equal(second[0][1].toarray()[:, 0], 2 * X)
    value, aux = symtape.sparse_jacobian(lambda x: (x**2, "aux"), has_aux=True)(X)
    assert (value.nnz, aux) == (12, "aux")


def test_another_path_is_another_pattern():
    function = lambda x: x**2 if x[0] > 0 else x * x[::-1]  # noqa: E731
    jacobian = symtape.sparse_jacobian(function)
    assert [jacobian(x).nnz for x in (X, -X, X, X[:4])] == [12, 24, 12, 4]
    assert np.array_equal(jacobian(-X).toarray(), symtape.jacobian(function)(-X))


def test_what_is_not_finite_stays_an_entry():
    x = np.array([0.0, np.nan, 4.0])
    with np.errstate(all="ignore"):
        found = symtape.sparse_jacobian(lambda x: np.sqrt(x))(x)
    assert found.nnz == 3
    assert np.array_equal(found.data, [np.inf, np.nan, 0.25], equal_nan=True)


def test_rules_of_the_user_depend_on_everything():
    @symtape.custom_gradient
    def turned(x):
        return np.roll(x, 1), lambda g: np.roll(g, -1)

    found = symtape.sparse_jacobian(lambda x: turned(x) ** 2)(X)
    assert found.nnz == 144
    assert np.array_equal(found.toarray(), symtape.jacobian(lambda x: turned(x) ** 2)(X))


BANDS = abs(np.subtract.outer(np.arange(12), np.arange(12))) <= 1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_a_pattern_may_be_given(kind):
    found = symtape.sparse_jacobian(heat, pattern=kind(BANDS))(X)
    assert found.nnz == BANDS.sum()
    assert np.allclose(found.toarray(), symtape.jacobian(heat)(X), rtol=1e-15)
    second = symtape.sparse_hessian(rosenbrock, pattern=kind(np.triu(BANDS)))(X)
    assert np.allclose(second.toarray(), symtape.hessian(rosenbrock)(X), rtol=1e-14)
    few = symtape.sparse_jacobian(lambda x: np.outer(np.arange(1.0, 60), x).ravel(),
                                  pattern=kind(np.ones((118, 2))))(X[:2])  # fmt: skip
    assert few.nnz == 236


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: symtape.sparse_jacobian(heat, pattern=np.eye(12))(X), ValueError,
         "leaves out an entry that is not 0: column 0 of the derivative"),
        (lambda: symtape.sparse_hessian(rosenbrock, pattern=np.eye(12))(X), ValueError,
         "leaves out an entry"),
        (lambda: symtape.sparse_jacobian(
            lambda x: np.outer(np.arange(1.0, 60), x).ravel() + x[1],
            pattern=np.tile(np.eye(2), (59, 1)))(X[:2]), ValueError,
         "leaves out an entry"),
        (lambda: symtape.sparse_jacobian(heat, pattern=np.eye(3))(X), ValueError,
         r"pattern has shape \(3, 3\); expected \(12, 12\)"),
        (lambda: symtape.sparse_jacobian(heat, pattern=[1, 2]), ValueError,
         r"pattern has shape \(2,\) and dtype int64; expected a matrix"),
        (lambda: symtape.sparse_jacobian(lambda x, y: x * y, (0, 1), pattern=BANDS)(X, X),
         ValueError, "one argument and one output; there are 2 and 1"),
        (lambda: symtape.sparse_jacobian(heat)(X + 1j), TypeError,
         "of real numbers; an argument or output has dtype complex128: take symtape.jacobian"),
        (lambda: symtape.sparse_jacobian(lambda x: x * 1j)(X), TypeError, "of real numbers"),
        (lambda: symtape.sparse_jacobian(heat)(np.arange(5)), TypeError, "dtype int64"),
        (lambda: symtape.sparse_hessian(heat)(X), TypeError, "returned an array of shape"),
        (lambda: symtape.grad(lambda x: symtape.sparse_jacobian(heat)(x).sum())(X), TypeError,
         "take symtape.jacobian inside of another transform or tape"),
    ],
    ids=["jacobian", "hessian", "columns", "shape", "vector", "two arguments", "complex argument",
         "complex output", "integers", "array", "inside"],
)  # fmt: skip
def test_what_it_cannot_do_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_scipy_takes_what_it_returns():
    residual = lambda x: np.concatenate([10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]])  # noqa: E731
    start = np.full(12, 0.5)
    fitted = optimize.least_squares(residual, start, jac=symtape.sparse_jacobian(residual))
    assert np.allclose(fitted.x, 1)
    assert sparse.issparse(fitted.jac)
    found = optimize.minimize(
        rosenbrock,
        start,
        method="trust-constr",
        jac=symtape.grad(rosenbrock),
        hess=symtape.sparse_hessian(rosenbrock),
    )
    assert np.allclose(found.x, 1, atol=1e-4)
    system = lambda u: heat(u) - heat(np.ones(12))  # noqa: E731
    dense = symtape.sparse_jacobian(system)
    root = optimize.root(system, np.full(12, 0.9), jac=lambda u: dense(u).toarray())
    assert np.allclose(root.x, 1)


def test_it_is_the_jacobian_of_a_stiff_system():
    rate = lambda t, u: -20 * (heat(u) - 0.5)  # noqa: E731
    jacobian = symtape.sparse_jacobian(rate, 1)
    done = integrate.solve_ivp(rate, (0, 0.01), X, method="BDF", jac=jacobian)
    plain = integrate.solve_ivp(rate, (0, 0.01), X, method="BDF")
    assert done.success
    assert np.allclose(done.y[:, -1], plain.y[:, -1], rtol=1e-2)


def verdict_of():
    claimed = lambda x: symtape.sparse_jacobian(heat)(x).toarray()  # noqa: E731
    return verify.jacobian(heat, claimed=claimed, at=[X[:6]]).verdict


def test_the_verifier_finds_it_correct():
    assert verdict_of() is Verdict.CORRECT
    claimed = lambda x: symtape.sparse_hessian(rosenbrock)(x).toarray()  # noqa: E731
    assert verify.hessian(rosenbrock, claimed=claimed, at=[X[:5]]).verdict is Verdict.CORRECT


def test_sparse_arrays_are_claims_with_zeros_where_they_have_no_entry():
    whole = symtape.sparse_jacobian(heat)
    assert verify.jacobian(heat, claimed=whole, at=[X[:6]]).verdict is Verdict.CORRECT

    def lacking(x):
        found = whole(x).tolil()
        found[2, 1] = 0
        return found.tocsr()

    assert verify.jacobian(heat, claimed=lacking, at=[X[:6]]).verdict is Verdict.WRONG


def test_a_merged_colour_is_wrong(monkeypatch):
    whole = plan.orthogonal_colours
    monkeypatch.setattr(
        plan, "orthogonal_colours", lambda *args: [max(0, c - 1) for c in whole(*args)]
    )
    assert verdict_of() is Verdict.WRONG


def test_a_dropped_set_is_wrong(monkeypatch):
    whole = index_sets._READINGS["puts"]

    def dropping(*args):
        found = whole(*args)
        places = found.places.copy()
        places[0] = 0
        return index_sets.IndexSets(found.table, places)

    monkeypatch.setitem(index_sets._READINGS, "puts", dropping)
    assert verdict_of() is Verdict.WRONG


def test_a_plan_of_another_path_is_wrong(monkeypatch):
    monkeypatch.setattr(plan, "trace_key", lambda *args: "the same")
    function = lambda x: x**2 if x[0] > 1 else x * x[::-1]  # noqa: E731
    claimed = lambda x: symtape.sparse_jacobian(function)(x).toarray()  # noqa: E731
    symtape.sparse_jacobian(function)(X[:6] + 1)
    assert verify.jacobian(function, claimed=claimed, at=[X[:6]]).verdict is Verdict.WRONG


def agrees(program):
    (x,) = program.point
    with np.errstate(all="ignore"):
        dense = dense_jacobian(program.function, x)
        found = symtape.sparse_jacobian(program.function)(x).toarray()
        scalar = lambda x: np.sum(program.function(x))  # noqa: E731
        second = dense_hessian(scalar, x)
        sparse_second = symtape.sparse_hessian(scalar)(x).toarray()
    for one, other in ((found, dense), (sparse_second, second)):
        if np.isfinite(other).all():
            assert np.allclose(one, other, rtol=1e-9, atol=1e-9 * np.abs(other).max(initial=1e-300))


PROGRAMS = programs(arguments=[(4,)], size=4, scalar=False)
SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}


@settings(max_examples=60, **SETTINGS)
@given(PROGRAMS)
def test_of_random_programs_sparse_is_dense(program):
    agrees(program)


@pytest.mark.campaign
@settings(max_examples=20_000, **SETTINGS)
@given(PROGRAMS)
def test_of_many_random_programs_sparse_is_dense(program):
    agrees(program)
