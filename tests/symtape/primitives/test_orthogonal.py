"""The formulas on object arrays find what NumPy and SciPy find, signs and order included."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.primitives import orthogonal
from symtape.primitives.matrix_exponential import EXPM

FEW = settings(max_examples=40, derandomize=True, deadline=None)
SIZES = [(1, 1), (2, 2), (3, 2), (2, 3), (4, 1), (1, 3), (2, 3, 2)]


class Numeric(float):
    """A float with the operations that elements have."""

    def sqrt(self) -> Numeric:
        return Numeric(math.sqrt(self))

    def exp(self) -> Numeric:
        return Numeric(math.exp(self))

    def sin(self) -> Numeric:
        return Numeric(math.sin(self))

    def cos(self) -> Numeric:
        return Numeric(math.cos(self))

    def hypergeometric(self, numerator: int, denominator: int) -> Numeric:
        assert self == 0
        return Numeric(1.0)


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "neg"):
    _of_float = getattr(float, f"__{_name}__")

    def _operation(self: Any, *other: Any, of_float: Any = _of_float) -> Any:
        result = of_float(self, *other)
        return result if result is NotImplemented else Numeric(result)

    setattr(Numeric, f"__{_name}__", _operation)


def numerics(a: Any) -> Any:
    objects = np.empty(a.shape, dtype=object)
    objects.ravel()[:] = [Numeric(x) for x in a.ravel()]
    return objects


def floats(a: Any) -> Any:
    return np.asarray(a, dtype=float)


def matrices(seed: int, shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(seed).uniform(-2, 2, shape)


@FEW
@given(seed=st.integers(0, 999), shape=st.sampled_from([*SIZES, (3, 3), (4, 4), (5, 3), (3, 5)]))
def test_qr_is_the_one_that_numpy_finds(seed: int, shape: tuple[int, ...]) -> None:
    a = matrices(seed, shape)
    for found, expected in zip(orthogonal.qr(numerics(a), [a]), np.linalg.qr(a), strict=True):
        np.testing.assert_allclose(floats(found), expected, rtol=1e-9, atol=1e-9)


@FEW
@given(seed=st.integers(0, 999), shape=st.sampled_from(SIZES))
def test_svd_is_the_one_that_numpy_finds(seed: int, shape: tuple[int, ...]) -> None:
    a = matrices(seed, shape)
    expected = np.linalg.svd(a, full_matrices=False)
    for found, part in zip(orthogonal.svd(numerics(a), [a]), expected, strict=True):
        np.testing.assert_allclose(floats(found), part, rtol=1e-8, atol=1e-8)
    found = orthogonal.singular_values(numerics(a))
    np.testing.assert_allclose(floats(found), expected[1], rtol=1e-9)


@pytest.mark.parametrize(
    "a",
    [
        [[0.5]],
        [[0.5, 1.25], [0.75, -0.25]],
        [[0.5, 1.25], [-0.75, 0.25]],
        [[0.5, 1.25], [0.0, 0.5]],
        [[0.0, 0.0], [0.0, 0.0]],
        [[[0.5, 1.0], [2.0, 0.25]], [[0.0, -1.0], [1.0, 0.0]]],
    ],
    ids=["1x1", "hyperbolic", "trigonometric", "parabolic", "zero", "stack"],
)
def test_expm_is_the_one_that_scipy_finds(a: Any) -> None:
    a = np.array(a)
    assert EXPM.elements is not None
    found = floats(EXPM.elements(numerics(a), values=[a]))
    np.testing.assert_allclose(found, scipy.linalg.expm(a), rtol=1e-14)


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        (lambda a: orthogonal.svd(a, [a]), "singular values of a 3x3 matrix"),
        (orthogonal.singular_values, "singular values of a 3x3 matrix"),
        (lambda a: EXPM.elements(a, values=[a]), "exponential of a 3x3 matrix"),
    ],
)
def test_larger_matrices_have_no_closed_form(reading: Any, words: str) -> None:
    with pytest.raises(symtape.errors.Unsupported, match=words):
        reading(np.eye(3))
