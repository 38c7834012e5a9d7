"""What random programs found: right derivatives that were called otherwise, and crashes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import symtape
import verify
from verify import Verdict

Y = np.array([-1.0, -2.0, -2.5])

CUBE = np.array(
    [
        [[2.25, -4.5, -3.0], [-7.5, 1.25, 5.75]],
        [[4.25, -0.5, -5.0], [-4.75, -6.5, -3.75]],
    ]
)


def nearly_equal(x):
    bent = 1.5 + np.tanh(np.polyval([1.5, -1.0, 2.0], x))
    return np.linalg.norm(x) / bent


RIGHT = {
    "a tie of pieces with different costs": (
        lambda x: np.sum(np.max(np.sinc(np.diagflat(np.sinc(x))), axis=-1)),
        np.array([-1.5, -1.0]),
    ),
    "var of numbers that are nearly equal": (
        lambda x: np.var(np.concatenate([nearly_equal(x), nearly_equal(x)], axis=0)),
        CUBE,
    ),
    "std of them": (lambda x: np.std(nearly_equal(x)), CUBE),
    "a number is padded": (lambda x: np.sum(np.pad(np.sum(x), 1)), np.array([1.0, 2.0])),
    "a shift under var": (lambda a: np.var(a - Y), np.float64(1.5897378)),
    "a shift under std": (lambda a: np.std(a - Y, ddof=1), np.float64(1.5897378)),
    "a sum of both signs under var": (lambda a: np.var(a + Y), np.float64(0.1)),
    "var beside var": (lambda x: np.var(np.array([1.0, 0.5, 1.75]) + np.var(x)), Y),
    "an inverse of a constant": (lambda x: special.erfcinv(0.5 + 0.45 * np.tanh(x - x)), 1.0),
    "another": (lambda x: special.ndtri_exp(-1.5 + np.tanh(x - x)), np.float64(-1.0)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_the_tape_is_right_and_said_to_be(name):
    function, point = RIGHT[name]
    result = verify.gradient(function, at=[point])
    assert result.verdict is Verdict.CORRECT, result.witness.message


def test_a_number_that_is_padded_stays_the_number():
    padded = symtape.record(lambda x: np.pad(x, 2), 3.0)
    assert padded.evaluate(3.0)[0] == np.pad(np.float64(3.0), 2)


def test_what_cancels_to_zero_may_not_be_lost_altogether():
    def lossy(a):
        large = 1e8 * a
        return (large + 1.0) - large - 1.0 + 1e-3

    result = verify.gradient(lambda a: np.var(a - Y), claimed=lossy, at=[1.5897378])
    assert result.verdict is Verdict.WRONG


def test_an_einsum_of_many_operands_contracts_lengths_of_one():
    def program(x, y):
        a = np.log2(1.5 + np.tanh(y))
        return np.einsum("ij,j,i->", x, a, a)

    result = verify.hessian(program, at=[(np.array([[-0.75, 2.5, -1.75]]), np.array([0.75]))])
    assert result.verdict is Verdict.CORRECT, result.witness.message


TABLE = np.array([[1.5, -1.0, 0.25], [2.0, 2.75, 1.75]])


def percentile(x):
    return np.percentile(np.sinc(x), 30.0)


def test_a_tie_that_floats_do_not_see_is_a_kink():
    assert verify.gradient(percentile, at=[TABLE]).verdict is Verdict.KINK


@pytest.mark.slow
@pytest.mark.parametrize("factor", [-1.0, 2.0, 1 + 1e-6, np.nan])
def test_lies_at_a_tie_that_floats_do_not_see(factor):
    claimed = symtape.grad(percentile)
    result = verify.gradient(percentile, claimed=lambda x: factor * claimed(x), at=[TABLE])
    assert result.verdict is Verdict.WRONG


def test_the_tape_at_kinks_that_cancel_is_wrong_indeed():
    """The least of x and what is at least x is x, whatever y is; a half of a half is no slope."""
    result = verify.gradient(lambda x, y: np.minimum(np.clip(y, x, 1 + x), x), at=[(0.5, 0.5)])
    assert result.verdict is Verdict.WRONG


def test_branches_of_other_shapes_are_another_function_on_each_side():
    def program(x, y):
        return y if np.sum(y) > 1.0 else special.rgamma(x)

    point = (0.75, np.array([1.0]), 1.0, np.array([-0.5]))
    assert verify.jvp(program, at=[point]).verdict is Verdict.KINK


def test_second_derivatives_of_dawson_s_integral_keep_their_digits():
    points = [-5.5, 1.25, 2.5, 4.0, 6.75, 7.9]
    result = verify.hessian(special.dawsn, at=points)
    assert result.verdict is Verdict.CORRECT, result.witness.message
    assert max(point.worst.ulps for point in result.points) < 1024


def test_a_trace_by_eigenvalues_has_no_second_derivative_and_no_fault():
    point = (np.array([[0.25], [0.75]]), np.array([[-1.0], [-1.5]]))
    result = verify.hvp(lambda x: np.sum(np.linalg.eigvalsh(x + x.T)), at=[point])
    assert result.verdict is Verdict.CORRECT, result.witness.message


@pytest.mark.parametrize("factor", [-1.0, 2.0])
def test_a_lie_about_a_number_that_becomes_an_array_of_one_is_explained(factor):
    def program(x):
        return np.dot(x, np.mean(x, axis=-1))

    right = symtape.jacobian(program)
    result = verify.jacobian(program, claimed=lambda x: factor * right(x), at=[np.array([-3.0])])
    assert result.verdict is Verdict.WRONG
