"""The exact formulas on object arrays, over the rationals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import symtape
from symtape.primitives import elimination

SPECTRA = [[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.75], [-0.75, 2.0]], [[-1.0, 2.0], [2.0, -3.0]]


def matrices(*shape: int, seed: int = 0) -> Any:
    """Well conditioned matrices that are not symmetric, with pivots off the diagonal."""
    generator = np.random.default_rng(seed + sum(shape))
    unit = np.roll(np.eye(shape[-1]), 1, axis=0) * 3
    return generator.uniform(-1, 1, shape) + unit


def numbers(*shape: int) -> Any:
    return np.random.default_rng(7 + sum(shape)).uniform(-2, 2, shape)


def fractions(exact: Any) -> list[Fraction]:
    return [Fraction(int(x.p), int(x.q)) for x in exact]


def rationals(a: Any) -> Any:
    return np.vectorize(Fraction, otypes=[object])(a)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 8])
def test_elements_are_exact(n: int) -> None:
    a = np.round(matrices(n, n) * 8) / 8
    b = np.round(numbers(n, 2) * 8) / 8
    exact = sympy.Matrix(n, n, rationals(a).ravel())
    right = sympy.Matrix(n, 2, rationals(b).ravel())
    x, y = rationals(a), rationals(b)
    solved = elimination.solve(x, y, [a, b])
    assert solved.ravel().tolist() == fractions(exact.LUsolve(right))
    inverted = elimination.inv(x, [a])
    assert inverted.ravel().tolist() == fractions(exact.inv())
    assert [elimination.det(x, [a])[()]] == fractions([exact.det()])
    if n <= 4:
        found = elimination.cofactor(x)
        assert found.ravel().tolist() == fractions(exact.cofactor_matrix())


def test_elements_of_a_determinant_hold_at_singular_matrices() -> None:
    for n in (3, 8):
        a = np.eye(n)
        a[-1, -1] = 0
        assert elimination.det(rationals(a), [a])[()] == 0


def test_elements_of_a_singular_system_are_refused() -> None:
    a = np.ones((4, 4))
    with pytest.raises(symtape.errors.Unsupported, match="no pivot in column 1"):
        elimination.solve(rationals(a), rationals(a), [a, a])


class Counted:
    """A number that counts the operations done on its like."""

    done = 0

    def __init__(self, value: float) -> None:
        self.value = value

    def _operate(self, value: float) -> Counted:
        Counted.done += 1
        return Counted(value)

    def __sub__(self, other: Counted) -> Counted:
        return self._operate(self.value - other.value)

    def __mul__(self, other: Counted) -> Counted:
        return self._operate(self.value * other.value)

    def __truediv__(self, other: Counted) -> Counted:
        return self._operate(self.value / other.value)


def test_a_system_of_six_takes_as_many_operations_as_elimination() -> None:
    n = 6
    a, b = matrices(n, n), numbers(n, 1)
    counted = [np.vectorize(Counted, otypes=[object])(x) for x in (a, b)]
    Counted.done = 0
    found = elimination.solve(*counted, [a, b])
    np.testing.assert_allclose([x.value for x in found.ravel()], np.linalg.solve(a, b)[:, 0])
    assert Counted.done <= 2 * n**3 / 3 + 3 * n**2


class Numeric:
    """A float with the operations that elements have, and no others."""

    def __init__(self, value: float) -> None:
        self.value = float(value)

    def __float__(self) -> float:
        return self.value

    def __add__(self, other: Numeric) -> Numeric:
        return Numeric(self.value + float(other))

    def __sub__(self, other: Numeric) -> Numeric:
        return Numeric(self.value - float(other))

    def __mul__(self, other: Numeric) -> Numeric:
        return Numeric(self.value * float(other))

    def __truediv__(self, other: Numeric | int) -> Numeric:
        return Numeric(self.value / float(other))

    def __neg__(self) -> Numeric:
        return Numeric(-self.value)

    def sqrt(self) -> Numeric:
        return Numeric(math.sqrt(self.value))


@pytest.mark.parametrize(
    "rows", [[[3.0]], *SPECTRA, [[2.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 2.0]]]
)
def test_elements_of_eigh_are_what_numpy_finds(rows: Any) -> None:
    values = np.array(rows)
    objects = np.empty_like(values, dtype=object)
    objects.ravel()[:] = [Numeric(x) for x in values.ravel()]
    for found, expected in zip(
        elimination.eigh(objects, [values], "L"), np.linalg.eigh(values), strict=True
    ):
        np.testing.assert_allclose(np.vectorize(float)(found), expected, atol=1e-15)


def test_elements_of_eigh_of_three_are_refused() -> None:
    with pytest.raises(symtape.errors.Unsupported, match="eigh of a 3x3 matrix"):
        elimination.eigh(np.eye(3, dtype=object), [np.eye(3)], "L")
