"""Sparse Jacobians and Hessians: the dense ones, without what cannot be other than 0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy import integrate, optimize, sparse

import symtape
import verify
from symtape.transforms.sparsity import index_sets, plan, spread, sweeps
from tests.symtape.transforms.sparsity.dense import dense_hessian, dense_jacobian
from verify import Verdict
from verify.strategies import programs

X = np.linspace(0.4, 1.7, 12)


@pytest.fixture(autouse=True)
def _fresh():
    plan._plans.clear()
    yield
    plan._plans.clear()


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


def bent(x):
    return np.sqrt(x) * np.roll(x, 1)


def through_a_matrix(x):
    held = np.outer(symtape.stop_gradient(x), np.array([1.0, 2, 3]))
    return held @ x[:3] + x**2


def tied(x):
    return np.sum(x[1:] ** 1.5 * x[:-1]) + x[0] * np.sum(np.sqrt(x[1:]))


NOT_FINITE = {
    "bands": (bent, symtape.sparse_jacobian),
    "stencil": (heat, symtape.sparse_jacobian),
    "arrow": (
        lambda x: np.concatenate([[np.sum(np.sqrt(x))], np.sqrt(x[1:]) * x[0]]),
        symtape.sparse_jacobian,
    ),
    "matrix": (through_a_matrix, symtape.sparse_jacobian),
    "kernel": (
        lambda x: np.convolve(x, np.maximum(symtape.stop_gradient(x)[:4], 0)),
        symtape.sparse_jacobian,
    ),
    "Hessian": (tied, symtape.sparse_hessian),
    "Hessian by substitution": (
        tied,
        lambda f: symtape.sparse_hessian(f, recovery="substitution"),
    ),
}


def finite_somewhere(function, x):
    """The derivative by rows, and where that is not finite by columns."""
    with np.errstate(all="ignore"):
        by_rows = dense_jacobian(function, x)
        units = np.eye(x.size)
        by_columns = [symtape.jvp(function, (x,), (unit,))[1] for unit in units]
    return np.where(np.isfinite(by_rows), by_rows, np.transpose(by_columns))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
@pytest.mark.parametrize("name", NOT_FINITE)
def test_an_entry_that_is_not_finite_spoils_no_other(name, bad):
    function, derivative = NOT_FINITE[name]
    x = X.copy()
    x[3] = bad
    with np.errstate(all="ignore"):
        found = derivative(function)(x).toarray()
    whole = function if derivative is symtape.sparse_jacobian else symtape.grad(function)
    expected = finite_somewhere(whole, x)
    there = np.isfinite(expected)
    assert not np.any(there & ~np.isfinite(found))
    assert np.allclose(found[there], expected[there], rtol=1e-12)
    # What is not finite itself stays so, unless it is no entry.
    entries = derivative(function)(X).toarray() != 0
    assert not np.any(entries & ~there & np.isfinite(found))


def test_products_alone_would_spoil_others(monkeypatch):
    monkeypatch.setattr(spread, "_FEW", -1)
    monkeypatch.setattr(spread, "_MOST", -1)
    with pytest.raises(AssertionError):
        test_an_entry_that_is_not_finite_spoils_no_other("matrix", np.nan)


@pytest.mark.parametrize("kind", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
def test_the_format_is_the_one_asked_for(kind):
    for derivative, function in (
        (symtape.sparse_jacobian, heat),
        (symtape.sparse_hessian, rosenbrock),
        (symtape.jacobian_sparsity, heat),
        (symtape.hessian_sparsity, rosenbrock),
    ):
        found = derivative(function, format=kind)(X)
        assert isinstance(found, sparse.sparray)
        assert found.format == kind
        assert np.array_equal(found.toarray(), derivative(function)(X).toarray())
    blocks = symtape.sparse_jacobian(lambda x, y: x * y[0], (0, 1), format=kind)(X, X)
    assert [block.format for block in blocks] == [kind] * 2


def test_a_hessian_by_substitution_takes_fewer_products_and_is_the_same():
    function = lambda x: np.sum((x[2:] * x[1:-1] * x[:-2]) ** 2)  # noqa: E731
    x = np.linspace(0.5, 2, 200)
    direct = symtape.sparse_hessian(function)(x)
    found = symtape.sparse_hessian(function, recovery="substitution")(x)
    assert (direct.nnz, found.nnz) == (994, 994)
    assert abs(found - direct).max() < 1e-12 * abs(direct).max()
    for each in (direct, found):
        assert abs(each - each.T).max() == 0
    given = symtape.sparse_hessian(function, recovery="substitution", pattern=direct)(x)
    assert np.array_equal(given.toarray(), found.toarray())
    single = symtape.sparse_hessian(function, recovery="substitution")(x.astype(np.float32))
    assert single.dtype == np.float32


def test_rows_and_columns_that_are_dense_take_three_products(monkeypatch):
    taken = []
    monkeypatch.setattr(
        sweeps,
        "columns",
        lambda *args, whole=sweeps.columns: taken.append(len(args[-1])) or whole(*args),
    )
    monkeypatch.setattr(
        sweeps, "rows", lambda *args, whole=sweeps.rows: taken.append(len(args[-1])) or whole(*args)
    )
    function = lambda x: np.concatenate([[np.sum(x**2)], x[1:] ** 2 * x[0]])  # noqa: E731
    x = np.linspace(1, 2, 300)
    found = symtape.sparse_jacobian(function)(x)
    assert sorted(taken) == [1, 2]
    assert np.array_equal(found.toarray(), dense_jacobian(function, x))
    mask = found != 0
    again = symtape.sparse_jacobian(function, pattern=mask)(x)
    assert np.array_equal(again.toarray(), found.toarray())
    mask = mask.tolil()
    mask[0, 7] = False
    with pytest.raises(ValueError, match="leaves out an entry that is not 0"):
        symtape.sparse_jacobian(function, pattern=mask)(x)


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
        (lambda: symtape.sparse_jacobian(heat, format="dense"), ValueError,
         "format is 'dense'; expected one of bsr, coo, csc, csr"),
        (lambda: symtape.hessian_sparsity(rosenbrock, format=None), ValueError, "format is None"),
        (lambda: symtape.sparse_hessian(rosenbrock, recovery="star"), ValueError,
         "recovery is 'star'; expected one of direct, substitution"),
        (lambda: symtape.sparse_jacobian(heat)(X + 1j), TypeError,
         "of real numbers; an argument or output has dtype complex128: take symtape.jacobian"),
        (lambda: symtape.sparse_jacobian(lambda x: x * 1j)(X), TypeError, "of real numbers"),
        (lambda: symtape.sparse_jacobian(heat)(np.arange(5)), TypeError, "dtype int64"),
        (lambda: symtape.sparse_hessian(heat)(X), TypeError, "returned an array of shape"),
        (lambda: symtape.grad(lambda x: symtape.sparse_jacobian(heat)(x).sum())(X), TypeError,
         "take symtape.jacobian inside of another transform or tape"),
    ],
    ids=["jacobian", "hessian", "columns", "shape", "vector", "two arguments", "format",
         "format of a pattern", "recovery", "complex argument",
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


def counted(function):
    calls = []

    def counting(*args):
        calls.append(args)
        return function(*args)

    return counting, calls


def test_scipy_takes_the_pattern_and_asks_for_fewer_values():
    residual = lambda x: np.concatenate([10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]])  # noqa: E731
    start = np.full(40, 0.5)
    pattern = symtape.jacobian_sparsity(residual)(start)
    assert (pattern.dtype, pattern.nnz) == (bool, 3 * 39)
    steps = {"jac_sparsity": pattern, "x_scale": "jac"}
    found = {}
    for name, options in {"with": steps, "without": {"tr_solver": "lsmr"}}.items():
        counting, calls = counted(residual)
        fitted = optimize.least_squares(counting, start, **options)
        assert np.allclose(fitted.x, 1)
        found[name] = len(calls) / fitted.njev
    assert sparse.issparse(optimize.least_squares(residual, start, **steps).jac)
    assert found["with"] < found["without"] / 5
    rate = lambda t, u: -20 * (heat(u) - 0.5)  # noqa: E731
    whole = symtape.jacobian_sparsity(rate, 1)(0.0, start)
    calls = {}
    for name, known in {"with": whole, "without": None}.items():
        counting, calls[name] = counted(rate)
        done = integrate.solve_ivp(
            counting, (0, 0.01), np.linspace(0.4, 1.7, 40), method="Radau", jac_sparsity=known
        )
        assert done.success
    assert len(calls["with"]) < len(calls["without"])


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_a_sparse_jacobian_stays_sparse_in_a_stiff_solver(method, monkeypatch):
    factored = []
    from scipy.integrate._ivp import bdf, radau

    module = {"Radau": radau, "BDF": bdf}[method]
    monkeypatch.setattr(
        module, "splu", lambda A, whole=module.splu: factored.append(A.shape) or whole(A)
    )
    rate = lambda t, u: -20 * (heat(u) - 0.5)  # noqa: E731
    jacobian = symtape.sparse_jacobian(rate, 1)
    done = integrate.solve_ivp(rate, (0, 0.01), X, method=method, jac=jacobian)
    assert done.success
    assert set(factored) == {(12, 12)}


@pytest.mark.parametrize("method", ["trf", "dogbox"])
def test_least_squares_keeps_it_sparse(method):
    residual = lambda x: np.concatenate([10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]])  # noqa: E731
    fitted = optimize.least_squares(
        residual, np.full(12, 0.5), method=method, jac=symtape.sparse_jacobian(residual)
    )
    assert sparse.issparse(fitted.jac)
    assert np.allclose(fitted.x, 1)


def test_constraints_and_bounds_take_sparse_derivatives():
    shared = lambda x: x[1:] * x[:-1]  # noqa: E731
    weighted = symtape.sparse_hessian(lambda x, v: np.dot(shared(x), v))
    held = optimize.NonlinearConstraint(
        shared, 0.5, np.inf, jac=symtape.sparse_jacobian(shared), hess=weighted
    )
    for kind in ("csr", "csc"):
        found = optimize.minimize(
            lambda x: np.sum(x**2),
            np.ones(8),
            method="trust-constr",
            jac=lambda x: 2 * x,
            hess=symtape.sparse_hessian(lambda x: np.sum(x**2), format=kind),
            constraints=[held],
        )
        assert np.allclose(found.x, np.sqrt(0.5), atol=1e-2)


def test_newton_krylov_takes_it_as_a_preconditioner():
    from scipy.sparse.linalg import splu

    target = np.linspace(0.8, 1.2, 30)
    system = lambda u: heat(u) + u - heat(target) - target  # noqa: E731
    matrix = symtape.sparse_jacobian(system, format="csc")(np.ones(30))
    inner = sparse.linalg.LinearOperator((30, 30), splu(matrix).solve)
    found = optimize.root(
        system,
        np.ones(30),
        method="krylov",
        options={"jac_options": {"inner_M": inner}, "fatol": 1e-10},
    )
    assert found.success
    assert np.allclose(found.x, target, atol=1e-6)


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
