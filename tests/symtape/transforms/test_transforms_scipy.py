"""The transforms as SciPy calls them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, optimize

import symtape


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


START = np.array([1.3, 0.7, 0.8, 1.9, 1.2])

METHODS = {
    "BFGS": {"jac": symtape.grad(rosenbrock)},
    "L-BFGS-B": {"jac": symtape.grad(rosenbrock)},
    "trust-exact": {"jac": symtape.grad(rosenbrock), "hess": symtape.hessian(rosenbrock)},
    "trust-ncg": {"jac": symtape.grad(rosenbrock), "hess": symtape.hessian(rosenbrock)},
    "Newton-CG": {"jac": symtape.grad(rosenbrock), "hessp": symtape.hvp(rosenbrock)},
    "trust-krylov": {"jac": symtape.grad(rosenbrock), "hessp": symtape.hvp(rosenbrock)},
}


def test_derivatives_are_scipys_own():
    np.testing.assert_allclose(symtape.grad(rosenbrock)(START), optimize.rosen_der(START))
    np.testing.assert_allclose(symtape.hessian(rosenbrock)(START), optimize.rosen_hess(START))
    v = np.arange(5.0)
    np.testing.assert_allclose(
        symtape.hvp(rosenbrock)(START, v), optimize.rosen_hess_prod(START, v)
    )


@pytest.mark.parametrize("method", METHODS)
def test_minimize(method):
    found = optimize.minimize(rosenbrock, START, method=method, tol=1e-9, **METHODS[method])
    np.testing.assert_allclose(found.x, np.ones(5), atol=1e-5)


def test_minimize_with_value_and_gradient_in_one():
    both = symtape.value_and_grad(rosenbrock)
    found = optimize.minimize(both, START, jac=True, method="L-BFGS-B")
    np.testing.assert_allclose(found.x, np.ones(5), atol=1e-4)


def test_minimize_with_further_arguments():
    def f(x, a, b):
        return a * np.sum((x - b) ** 2)

    found = optimize.minimize(
        f,
        np.zeros(3),
        args=(2.0, 0.5),
        jac=symtape.grad(f),
        hess=symtape.hessian(f),
        method="trust-exact",
    )
    np.testing.assert_allclose(found.x, np.full(3, 0.5), rtol=1e-12)


def test_root_and_least_squares():
    def f(x):
        return np.stack([x[0] + x[0] * x[1] - 4.0, x[0] * x[1] ** 2 - 2.0])

    root = optimize.root(f, [1.0, 1.0], jac=symtape.jacobian(f))
    assert root.success
    np.testing.assert_allclose(f(root.x), 0, atol=1e-9)
    fit = optimize.least_squares(f, np.array([1.0, 1.0]), jac=symtape.jacobian(f))
    np.testing.assert_allclose(f(fit.x), 0, atol=1e-8)


def test_stiff_equations():
    def brusselator(t, y):
        return np.stack([1 + y[0] ** 2 * y[1] - 4 * y[0], 3 * y[0] - y[0] ** 2 * y[1]])

    found = integrate.solve_ivp(
        brusselator,
        (0, 1),
        np.array([1.5, 3.0]),
        method="Radau",
        jac=symtape.jacobian(brusselator, 1),
    )
    assert found.success
    plain = integrate.solve_ivp(brusselator, (0, 1), np.array([1.5, 3.0]), method="Radau")
    np.testing.assert_allclose(found.y[:, -1], plain.y[:, -1], rtol=1e-4)
