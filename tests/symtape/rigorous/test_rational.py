"""Over Q the tape's derivative and the closed form are equal, digit for digit."""

import numpy as np
import pytest
from flint import fmpq

import symtape
import verify
from symtape.errors import BudgetSpent, Unsupported
from symtape.process.work import Work
from symtape.rigorous.rational import exactly, may_be_rational
from symtape.symbolic.program import Program
from symtape.symbolic.rational import exact_values

A = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, -1.0, 4.0]])

RATIONAL = {
    "polynomial": (lambda x: x**3 - 2 * x + 1, 0.3),
    "quotient": (lambda x: np.sum(x * x / (1 + x)), [0.1, 0.7]),
    "products": (lambda x: np.sum((x @ x.T) ** 2), [[0.1, 0.2], [0.3, -0.4]]),
    "einsum": (lambda x: np.einsum("ij,ji->", x, x), [[0.1, 0.2], [0.3, -0.4]]),
    "solve": (lambda x: np.sum(np.linalg.solve(A, x)), [0.1, 0.2, 0.3]),
    "inverse": (lambda x: np.linalg.inv(x)[0, 1], A),
    "determinant": (lambda x: np.linalg.det(x), A),
    "moves": (
        lambda x: np.sum(np.cumsum(x[::-1].reshape(2, 2), axis=0) * x[:2]),
        [0.1, 0.2, 0.3, 0.7],
    ),
    "a choice": (lambda x: np.sum(np.where(x > 0.2, x * x, -x)), [0.1, 0.3]),
}


@pytest.mark.parametrize("name", RATIONAL)
def test_rational_programs_are_exact_over_q(name):
    function, x = RATIONAL[name]
    result = verify.gradient(function, at=[x])
    assert result.verdict is verify.Verdict.CORRECT
    assert "exact over Q at 1 point" in str(result.evidence)


@pytest.mark.parametrize("function", [np.exp, np.sqrt, np.sin, lambda x: x**0.5, np.arctan])
def test_others_are_not(function):
    result = verify.gradient(function, at=[0.3])
    assert "exact" not in str(result.evidence)


def test_floats_are_taken_for_exactly_what_they_are():
    graph = symtape.record(lambda x: x + 0.1, 0.2)
    (value,) = exactly(graph, [0.2])
    assert value[()] == fmpq(*(0.2).as_integer_ratio()) + fmpq(*(0.1).as_integer_ratio())


@pytest.mark.parametrize(
    "function", [lambda x: np.exp(x), lambda x: 1 / (x - x), lambda x: x**65.0]
)
def test_what_leaves_the_rationals_is_refused(function):
    with pytest.raises(Unsupported), np.errstate(all="ignore"):
        exactly(symtape.record(function, 0.5), [0.5])


def test_only_elementwise_operations_that_stay_are_tried():
    assert may_be_rational(symtape.record(lambda x: np.sum(x * x), [0.5]))
    assert not may_be_rational(symtape.record(lambda x: np.sum(np.exp(x)), [0.5]))


def test_numbers_that_grow_too_long_are_given_up():
    def tower(x):
        for _ in range(20):
            x = x * x
        return x

    with pytest.raises(BudgetSpent):
        exactly(symtape.record(tower, 0.3), [0.3])


def test_a_statement_that_is_not_rational_is_refused():
    program = Program()
    at = program.sqrt(program.input())
    with pytest.raises(Unsupported, match="not rational"):
        exact_values(program, [np.array(at)], [2.0])


@pytest.mark.parametrize(
    ("function", "operations"),
    [
        (lambda a: np.sum(a + a), lambda n: 2 * n**2),
        (lambda a: np.sum(a @ a), lambda n: n**3),
        (lambda a: np.linalg.det(a), lambda n: n**3),
        (lambda a: a.T[::-1], lambda n: n**2),
    ],
    ids=["sums", "product", "elimination", "moves"],
)
def test_work_is_counted_by_operations_and_by_digits(function, operations):
    for size in (3, 8):
        matrix = np.eye(size) + 1 / (1 + np.arange(size * size).reshape(size, size))
        work = Work(10**9, "this")
        exactly(symtape.record(function, matrix), [matrix], work)
        spent = work.most - work.left
        assert operations(size) * 53 <= spent <= operations(size) * 100 * (2 + size)
        with pytest.raises(BudgetSpent, match=f"^this takes more than its {spent - 1:,} units"):
            exactly(symtape.record(function, matrix), [matrix], Work(spent - 1, "this"))


def test_work_on_statements_is_counted_too():
    program = Program()
    at = program.input()
    for _ in range(7):
        at = program.multiply(at, at)
    ids = [np.array(at)]
    exact_values(program, ids, [0.3], Work(20_000, "this"))
    with pytest.raises(BudgetSpent, match=r"^this takes more"):
        exact_values(program, ids, [0.3], Work(10_000, "this"))
