"""Derivatives as SciPy takes them: right ones pass, each lie is found, estimates are refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import BFGS, NonlinearConstraint
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import verify
from verify.adapters.scipy import claims, ivp_claims
from verify.errors import UsageError

POINTS = [[0.5, -1.5, 2.0], [1.0, 1.0, 0.25]]


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No memory of earlier searches."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def valley(x):
    x = np.asarray(x)
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def valley_slope(x):
    slope = np.zeros_like(x)
    slope[1:] = 200 * (x[1:] - x[:-1] ** 2)
    slope[:-1] += -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    return slope


def valley_curvature(x):
    bent = np.zeros((len(x), len(x)))
    np.fill_diagonal(bent, 200.0)
    bent[0, 0] = 0
    for i in range(len(x) - 1):
        bent[i, i] += 1200 * x[i] ** 2 - 400 * x[i + 1] + 2
        bent[i, i + 1] = bent[i + 1, i] = -400 * x[i]
    return bent


def residual(x):
    return np.array([x[0] ** 2 + x[1], np.sin(x[1]) * x[2]])


def jacobian(x):
    return np.array([[2 * x[0], 1, 0], [0, np.cos(x[1]) * x[2], np.sin(x[1])]])


def ring(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = np.exp(-x[i]) * np.sin(x[(i + 1) % 3])
    return y


def ring_slope(x):
    rows = np.zeros((3, 3))
    for i in range(3):
        j = (i + 1) % 3
        rows[i, i] = -np.exp(-x[i]) * np.sin(x[j])
        rows[i, j] = np.exp(-x[i]) * np.cos(x[j])
    return rows


class Products(LinearOperator):
    """A Jacobian known by its products alone; `fault` is what those with the transpose are off."""

    def __init__(self, x, fault=1.0):
        self.x, self.fault = x, fault
        super().__init__(float, (2, 3))

    def _matvec(self, p):
        return jacobian(self.x) @ p

    def _rmatvec(self, p):
        return self.fault * jacobian(self.x).T @ p


def multiplied(x, v):
    return np.array([[2 * v[0], 0, 0], [0, -v[1] * np.sin(x[1]) * x[2], v[1] * np.cos(x[1])],
                     [0, v[1] * np.cos(x[1]), 0]])  # fmt: skip


RIGHT = {
    "jac": (valley, {"jac": valley_slope}),
    "jac and hess": (valley, {"jac": valley_slope, "hess": valley_curvature}),
    "jac=True": (lambda x: (valley(x), valley_slope(x)), {"jac": True}),
    "hessp": (valley, {"hessp": lambda x, p: valley_curvature(x) @ p}),
    "a sparse hess": (valley, {"hess": lambda x: sparse.csr_array(valley_curvature(x))}),
    "an operator": (valley, {"hess": lambda x: aslinearoperator(valley_curvature(x))}),
    "args": (lambda x, a, b: a * np.sum(x**b), {"jac": lambda x, a, b: a * b * x ** (b - 1),
                                                "args": (3.0, 2)}),
    "one of args": (lambda x, a: a * np.sum(x**2), {"jac": lambda x, a: 2 * a * x, "args": 3.0}),
    "a vector": (residual, {"jac": jacobian}),
    "written entry by entry": (ring, {"jac": ring_slope}),
    "a list": (residual, {"jac": lambda x: jacobian(x).tolist()}),
    "a sparse matrix": (residual, {"jac": lambda x: sparse.csc_matrix(jacobian(x))}),
    "np.matrix": (residual, {"jac": lambda x: np.asarray(jacobian(x)).view(np.matrix)}),
    "products": (residual, {"jac": Products}),
    "col_deriv": (residual, {"jac": lambda x: jacobian(x).T, "col_deriv": True}),
    "a value of shape (1,)": (lambda x: np.array([x @ x]), {"jac": lambda x: 2 * x}),
    "a row": (lambda x: np.array([x @ x]), {"jac": lambda x: 2 * x[None]}),
    "a constraint": (NonlinearConstraint(residual, 0, 1, jac=jacobian, hess=multiplied), {}),
    "a constraint with an estimate": (NonlinearConstraint(residual, 0, 1, jac=jacobian), {}),
}  # fmt: skip

WRONG = {
    "a sign": (residual, {"jac": lambda x: jacobian(x) * np.array([[1, 1, 1], [1, -1, 1]])},
               "1 of 6 entries is wrong: the sign is flipped"),
    "a missing nonzero": (residual, {"jac": lambda x: sparse.csr_array(jacobian(x) * [1, 0, 1])},
                          "2 of 6 entries are wrong, all in column 1: each is zero"),
    "transposed": (residual, {"jac": lambda x: jacobian(x).T}, "is it transposed?"),
    "the lower triangle": (valley, {"hess": lambda x: sparse.tril(valley_curvature(x))},
                           "zero above the diagonal"),
    "a factor": (valley, {"hessp": lambda x, p: 2 * valley_curvature(x) @ p},
                 "2 times too large"),
    "products with the transpose": (residual, {"jac": lambda x: Products(x, 2.0)},
                                    "by rmatvec is not the Jacobian"),
    "the second of two": (valley, {"jac": valley_slope, "hess": lambda x: 0 * valley_curvature(x)},
                          "is not the Hessian"),
    "the gradient beside the value": (lambda x: (valley(x), -valley_slope(x)), {"jac": True},
                                      "the sign is wrong"),
    "multipliers": (NonlinearConstraint(residual, 0, 1, jac=jacobian,
                                        hess=lambda x, v: multiplied(x, v[::-1])), {},
                    "is not the Hessian"),
}  # fmt: skip

REFUSED = {
    "nothing": ({}, "nothing is claimed; give jac=, hess= or hessp="),
    "differences": ({"jac": "3-point"}, "jac='3-point' asks SciPy for finite differences, so"),
    "updates": ({"hess": BFGS()}, r"hess=BFGS\(\) is an estimate that SciPy updates as it goes"),
    "no pair": ({"jac": True}, "jac=True, but valley returned float64; expected the value and"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_derivatives_pass(name):
    fun, given = RIGHT[name]
    results = verify.assert_optimize(fun, at=POINTS, **given)
    assert {result.verdict.value for result in results} == {"CORRECT"}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_each_lie_is_found(name):
    fun, given, words = WRONG[name]
    with pytest.raises(verify.DerivativeError) as caught:
        verify.assert_optimize(fun, at=POINTS, **given)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", REFUSED)
def test_what_claims_nothing_is_refused(name):
    given, words = REFUSED[name]
    with pytest.raises(UsageError, match=words):
        verify.assert_optimize(valley, at=POINTS, **given)


def test_a_constraint_that_leaves_all_to_scipy_is_refused():
    with pytest.raises(UsageError, match="leaves its derivatives to SciPy"):
        verify.assert_optimize(NonlinearConstraint(residual, 0, 1), at=POINTS)


def test_there_have_to_be_points():
    with pytest.raises(UsageError, match="assert_optimize needs points"):
        verify.assert_optimize(valley, jac=valley_slope)


@pytest.mark.long
def test_a_region_alone_finds_the_point():
    def careless(x):
        return np.where(x > 1, -1, 1) * valley_slope(x)

    over = verify.box(-2, 2, shape=(2,))
    with pytest.raises(verify.DerivativeError):
        verify.assert_optimize(valley, jac=careless, over=over, effort=0.1)
    assert verify.assert_optimize(valley, jac=valley_slope, over=over, effort=0.1)


def test_every_claim_of_a_call_is_judged():
    found = claims(
        valley,
        x=POINTS[0],
        jac=valley_slope,
        hess=valley_curvature,
        hessp=lambda x, p: valley_curvature(x) @ p,
    )
    assert [one.quantity for one in found] == ["gradient", "hessian", "hvp"]
    assert [one.quantity for one in claims(residual, x=POINTS[0], jac=Products)] == ["jacobian"] * 2


def swing(t, y, k):
    return np.array([y[1], -k * np.sin(y[0]) * t])


def swing_slope(t, y, k):
    return [[0, 1], [-k * np.cos(y[0]) * t, 0]]


def test_the_jacobian_of_an_ode_is_by_its_state():
    at = [(0.5, [0.25, 2.0])]
    assert verify.assert_ivp(swing, swing_slope, args=(2.0,), at=at)
    with pytest.raises(verify.DerivativeError, match="the sign is flipped"):
        verify.assert_ivp(swing, lambda t, y, k: swing_slope(t, y, -k), args=(2.0,), at=at)
    assert verify.assert_ivp(lambda t, y: -2 * y, -2 * sparse.eye_array(2), at=at)
    with pytest.raises(UsageError, match="nothing is claimed"):
        ivp_claims(swing, None)
