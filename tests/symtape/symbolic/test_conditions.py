"""Conditions: what a person is told about the way a function took."""

import numpy as np
import pytest

import symtape


def bounce(x):
    if x > 0.5:
        return x
    return -x if not x < 0 else x**2


def both(x):
    if x[0] > 0 and x[1] < 5:
        return x[0]
    return x[1]


def loop(x):
    while x < 10:
        x = x * x + 1
    return x


V = np.array([1.0, 3.0, 2.0])

CASES = [
    (bounce, [1.0], ["x > 0.5"]),
    (bounce, [0.25], ["x <= 0.5", "x >= 0"]),
    (both, [np.array([1.0, 2.0])], ["x[0] > 0", "x[1] < 5"]),
    (loop, [2.0], ["x < 10", "x**2 + 1 < 10", "(x**2 + 1)**2 + 1 >= 10"]),
    (lambda a, b: np.maximum(a, b), [1.0, 2.0], ["a < b"]),
    (lambda a, b: np.minimum(a, b), [1.0, 2.0], ["a < b"]),
    (lambda a, b: np.maximum(a, b), [2.0, 2.0], ["a >= b"]),
    (lambda x: np.max(x), [V], ["x[0] < x[1]", "x[1] > x[2]"]),
    (lambda x: np.min(x), [V], ["x[0] < x[1]", "x[0] < x[2]"]),
    (lambda x: np.sort(x), [V], ["x[0] <= x[2] <= x[1]"]),
    (lambda x: np.where(x > 1, x, -x), [V], ["x[0] <= 1", "x[1] > 1", "x[2] > 1"]),
    (lambda x: np.clip(x, 1.5, 2.5), [V[:1]], ["x[0] < 1.5"]),
    (lambda x: x[x > 1], [V[:2]], ["x[0] <= 1", "x[1] > 1"]),
    (lambda x: x[np.argmax(x)], [V], ["argmax(x[0], x[1], x[2]) picks x[1]"]),
    (lambda x: np.floor(2 * x) * x, [2.75], ["floor(2*x) == 5"]),
    (lambda x: np.sign(x) * x, [V[:1]], ["sign(x[0]) == 1"]),
    (lambda x: (x > 2) * x, [2.5], ["x > 2"]),
    (lambda x: x if np.floor(x) > 2 else -x, [2.5], ["floor(x) <= 2"]),
    (lambda x: x * np.ones_like(x), [2.5], []),
    (lambda x: np.where((x > 0) & (x < 2), x, 0.0), [V[:1]], ["x[0] > 0", "x[0] < 2"]),
    (lambda x: np.where((x < 0) | (x > 2), x, 0.0), [V[:1]], ["x[0] >= 0", "x[0] <= 2"]),
    (lambda x: x if np.all(x > 0) else -x, [V[:2]], ["x[0] > 0", "x[1] > 0"]),
    (lambda x: x if np.any(x > 9) else -x, [V[:2]], ["x[0] <= 9", "x[1] <= 9"]),
    (lambda x: np.maximum(x, 0.1) * np.maximum(x, 0.1), [3.0], ["x > 0.1"]),
    (lambda x: np.maximum(x, 0), [V[:2] - 2], ["x[0] < 0", "x[1] > 0"]),
    (lambda x: x * x, [3.0], []),
    (lambda x: x * np.maximum(np.float64(1.0), 2.0), [3.0], []),
]


@pytest.mark.parametrize(("function", "point", "expected"), CASES)
def test_conditions_read_as_the_code_decided(function, point, expected):
    assert symtape.derive(function, *point).where == expected


def test_a_long_expression_is_named_by_its_line():
    def long(x):
        y = x
        for _ in range(30):
            y = np.sin(y) + x
        return y if y > -100 else x

    (condition,) = symtape.derive(long, 1.0).where
    assert condition.startswith("(the add at test_conditions.py:")
    assert condition.endswith(") > -100")


def test_many_conditions_are_cut():
    where = symtape.derive(lambda x: np.sum(np.where(x > 0, x, -x)), np.linspace(-1, 1, 400)).where
    assert len(where) == 201
    assert where[-1].startswith("...")
