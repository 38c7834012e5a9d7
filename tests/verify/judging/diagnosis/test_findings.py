"""What an array of a wrong shape would be is told where its numbers bear it out, and not else."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify.model.verdict import Verdict

MATRIX, VECTOR, PAIR = (verify.box(-1, 1, shape=shape) for shape in ((2, 3), (3,), (2,)))
SUM = "is the sum over the axes missing along which the argument was broadcast?"
GUESSES = (SUM, "transposed", "np.reshape", "gradient of the sum", "the diagonal alone")


def product(a, b):
    return np.sum(a * b)


def cubes(x):
    return np.sum(x**3)


def squares(x):
    return x**2


def table(x):
    return np.array([x[0] ** 2, x[0] * x[1], x[1]])


def slopes(x):
    return np.array([[2 * x[0], 0.0], [x[1], x[0]], [0.0, 1.0]])


ONES = np.ones((2, 3))

CLAIMS = [
    ("gradient", product, lambda a, b: (b * ONES, a), (MATRIX, VECTOR), SUM),
    ("gradient", product, lambda a, b: (b * ONES, 2 * a), (MATRIX, VECTOR), ""),
    ("gradient", cubes, lambda x: np.diag(6 * x), VECTOR, ""),
    ("gradient", cubes, lambda x: 3 * x[None] ** 2, VECTOR, "np.reshape(..., (3,))"),
    ("gradient", cubes, lambda x: 6 * x[:, None] ** 2, VECTOR, ""),
    ("gradient", cubes, lambda x: np.sum(3 * x**2), VECTOR, ""),
    ("jacobian", table, lambda x: slopes(x).T, PAIR, "is it transposed?"),
    ("jacobian", table, lambda x: 2 * slopes(x).T, PAIR, ""),
    ("jacobian", table, lambda x: slopes(x).sum(axis=0), PAIR, "the gradient of the sum"),
    ("jacobian", table, lambda x: slopes(x)[0], PAIR, ""),
    ("jacobian", squares, lambda x: 2 * x, PAIR, "is it the diagonal alone?"),
    ("jacobian", squares, lambda x: x, PAIR, ""),
    ("hessian", cubes, lambda x: 6 * x, VECTOR, "is it the diagonal alone?"),
    ("hessian", cubes, lambda x: 3 * x, VECTOR, ""),
    ("vjp", np.sin, lambda x, g: np.diag(np.cos(x)), VECTOR, ""),
]


@pytest.mark.slow
@pytest.mark.parametrize(("quantity", "function", "claim", "over", "words"), CLAIMS)
def test_a_shape_is_guessed_at_only_where_the_numbers_fit(quantity, function, claim, over, words):
    result = verify.derivative(quantity, function, claimed=claim, over=over, effort="quick")
    assert result.verdict is Verdict.WRONG
    message = result.witness.message
    assert words in message
    for guess in GUESSES:
        assert guess in message if words and words in guess else True
        assert words or guess not in message


def test_of_a_bisection_it_is_said_that_it_has_steps():
    def root(c):
        low, high = 0.0, 2.0
        for _ in range(30):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if middle**3 + middle > c else (middle, high)
        return middle

    result = verify.gradient(root, claimed=lambda c: 1 / (3 * root(c) ** 2 + 1), at=[1.0])
    assert result.verdict is Verdict.WRONG
    assert "through comparisons alone, so it is constant between jumps" in result.witness.message
    result = verify.gradient(
        lambda c: c if c > 0 else -c, claimed=lambda c: 2 * np.sign(c), at=[1.0]
    )
    assert "comparisons" not in result.witness.message
