"""Convolution, correlation, and polynomials by their coefficients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape

Check = Callable[..., None]


def sample(*shapes: tuple[int, ...]) -> list[Any]:
    generator = np.random.default_rng(sum(sum(shape) for shape in shapes) + len(shapes))
    return [generator.uniform(-2, 2, shape) for shape in shapes]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("function", [np.convolve, np.correlate])
def test_convolution_modes(function: Any, mode: str, check_derivatives: Check) -> None:
    for n in range(1, 5):
        for m in range(1, 5):
            a, v = sample((n,), (m,))
            expected = function(a, v, mode)
            found = function(symtape.constant(a), symtape.constant(v), mode)
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-13)
    check_derivatives(lambda a, v: function(a, v, mode), *sample((4,), (3,)))
    check_derivatives(lambda a, v: function(a, v, mode), *sample((2,), (3,)))


@pytest.mark.parametrize("increasing", [True, False])
def test_vander(increasing: bool, check_derivatives: Check) -> None:
    for columns in (None, 1, 4):
        check_derivatives(
            lambda x, n=columns: np.vander(x, n, increasing=increasing),
            [0.0, -1.5, 2.0],
            reference=lambda x, n=columns: np.stack(
                [
                    np.prod([x] * k, axis=0) if k else x * 0 + 1
                    for k in (range(n or 3) if increasing else reversed(range(n or 3)))
                ],
                axis=-1,
            ),
        )


@pytest.mark.parametrize("shapes", [((3,), (2,)), ((3,), ()), ((1,), (2,))])
def test_polyval(shapes: Any, check_derivatives: Check) -> None:
    check_derivatives(np.polyval, *sample(*shapes))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: np.convolve(x, x), "takes two vectors"),
        (lambda x: np.convolve(x[0], x[0], "middle"), "expected 'full', 'same' or 'valid'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(symtape.constant(np.ones((2, 5))))


def test_float32_stays_float32() -> None:
    a = symtape.constant([1.0, 2.0, 3.0], np.float32)
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch(a)
        y = np.convolve(a, a)
    answers = (y, tape.gradient(y, a), tape.jacobian(y, a))
    assert [answer.dtype for answer in answers] == [np.float32] * 3
