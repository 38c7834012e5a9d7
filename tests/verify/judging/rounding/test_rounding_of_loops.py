"""Long loops, factorisations and reductions: right gradients are confirmed, faults refuted."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from tests.packing import all_left
from verify import Verdict

GENERATOR = np.random.default_rng(5)
WEIGHTS = GENERATOR.normal(size=(4, 4)) * 0.3


def logistic_map(steps):
    def function(x):
        for _ in range(steps):
            x = 3.2 * x * (1 - x)
        return x

    return function


def newton(steps):
    def function(a):
        y = a
        for _ in range(steps):
            y = 0.5 * (y + a / y)
        return y

    return function


def recurrent(steps):
    def function(h):
        for k in range(steps):
            h = np.tanh(1.5 * h + 0.1 * np.sin(k))
        return h

    return function


def network(steps):
    def function(h):
        for _ in range(steps):
            h = np.tanh(np.dot(WEIGHTS, h) + 0.25)
        return np.sum(h)

    return function


def van_der_pol(steps):
    def function(x):
        p, v = x[0], x[1]
        for _ in range(steps):
            p, v = p + 0.01 * v, v + 0.01 * ((1 - p * p) * v - p)
        return p

    return function


def matrix(n):
    return GENERATOR.normal(size=(n, n)) + n * np.eye(n)


def factorised(n):
    a, b = matrix(n), GENERATOR.normal(size=n)
    s = a @ a.T / n
    return {
        f"Cholesky {n}": (lambda s: np.sum(np.linalg.cholesky(s) @ b), s),
        f"solve {n}": (lambda a: np.sum(np.linalg.solve(a, b)), a),
        f"inverse {n}": (lambda a: np.sum(np.linalg.inv(a)), a),
        f"log-determinant {n}": (lambda a: np.linalg.slogdet(a)[1], a),
    }


def reduced(n):
    x = GENERATOR.normal(size=n)
    return {
        f"sum {n}": (lambda x: np.sum(np.sin(x)), x),
        f"dot {n}": (lambda x: np.dot(x, x), x),
        f"cumsum {n}": (lambda x: np.sum(np.cumsum(x) ** 2), x[: n // 4]),
    }


SHORT = {
    "logistic map": (logistic_map(60), 0.3),
    "Newton": (newton(40), 7.0),
    "recurrent": (recurrent(40), 0.3),
    "network": (network(30), GENERATOR.normal(size=4)),
    "Van der Pol": (van_der_pol(20), np.array([1.5, 0.0])),
    **factorised(5),
    **reduced(400),
}
LONG = {
    "logistic map": (logistic_map(1000), 0.3),
    "Newton": (newton(1000), 7.0),
    "recurrent": (recurrent(80), 0.3),
    "recurrent, long": (recurrent(1000), 0.3),
    "network": (network(80), GENERATOR.normal(size=4)),
    "Van der Pol": (van_der_pol(1000), np.array([1.5, 0.0])),
    "Van der Pol, shorter": (van_der_pol(50), np.array([1.5, 0.0])),
    **factorised(20),
    **reduced(10_000),
}


def check(function, x):
    right = verify.gradient(function, at=[x])
    assert right.verdict is Verdict.CORRECT, str(right)
    gradient = symtape.grad(function)
    if not np.any(gradient(x)):
        return  # It has underflowed: a millionth more of nothing is no fault.
    wrong = verify.gradient(function, at=[x], claimed=lambda x: gradient(x) * (1 + 1e-6))
    assert wrong.verdict is Verdict.WRONG, str(wrong)


@pytest.mark.parametrize("kind", SHORT)
def test_a_right_gradient_is_confirmed_and_a_fault_of_1e_6_refuted(kind):
    check(*SHORT[kind])


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Newton", "recurrent", "network", "Van der Pol"])
def test_values_alone_refute_the_fault_as_well(kind):
    function, x = SHORT[kind]
    gradient = symtape.grad(function)

    def unfollowed(x):
        values = np.reshape(all_left(x), np.shape(x))[()]
        return gradient(values) * (1 + 1e-6)

    result = verify.gradient(function, at=[x], claimed=unfollowed)
    # Beside terms that are 1e15 times as large nobody can say that it is no cancellation.
    expected = Verdict.INACCURATE if kind == "recurrent" else Verdict.WRONG
    assert result.verdict is expected, str(result)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", LONG)
def test_so_it_is_of_long_computations(kind):
    check(*LONG[kind])
