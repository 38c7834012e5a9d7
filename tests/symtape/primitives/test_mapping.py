"""A Python function applied along axes, against what NumPy makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape

Check = Callable[..., None]

LINEAR = [
    ("sums", lambda x: np.apply_along_axis(np.sum, 0, x), (2, 3)),
    ("vectors", lambda x: np.apply_along_axis(np.cumsum, 1, x), (2, 3)),
    ("matrices", lambda x: np.apply_along_axis(np.diag, 1, x), (2, 3, 2)),
    ("from the end", lambda x: np.apply_along_axis(np.flip, -2, x), (2, 3, 2)),
    ("arguments", lambda x: np.apply_along_axis(np.roll, 0, x, shift=1), (3, 2)),
    ("over axes", lambda x: np.apply_over_axes(np.sum, x, [0, -1]), (2, 3, 2)),
    ("over one", lambda x: np.apply_over_axes(np.sum, x, 1), (2, 3)),
    ("keeping", lambda x: np.apply_over_axes(np.cumsum, x, (0, 1)), (2, 3)),
]


@pytest.mark.parametrize(("name", "function", "shape"), LINEAR, ids=[c[0] for c in LINEAR])
def test_linear_functions_are_exact(name, function, shape, values, assert_affine):
    assert_affine(function, values(shape))


def test_curved_functions(check_derivatives: Check) -> None:
    check_derivatives(
        lambda x: np.apply_along_axis(lambda r: np.outer(r, r), 1, x), [[0.5, -1.5], [2.0, 0.25]]
    )


def test_a_function_that_returns_a_number_of_its_own() -> None:
    x = symtape.constant([[1.0, 2.0], [3.0, 4.0]])
    found = np.apply_along_axis(lambda row: 7.0, 0, x)
    np.testing.assert_array_equal(found, [7.0, 7.0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: np.apply_along_axis(np.sum, 1, x[:0]), "no vector"),
        (lambda x: np.apply_over_axes(lambda a, axis: a[0, 0], x, 0), "expected 2 or 1 axes"),
    ],
)
def test_what_has_no_meaning_is_said(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(symtape.constant([[1.0, 2.0], [3.0, 4.0]]))
