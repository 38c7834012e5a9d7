"""reduce, accumulate, reduceat and outer of ufuncs, those without a function of their own too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape

Check = Callable[..., None]

LINEAR = [
    ("subtract", lambda x: np.subtract.reduce(x, axis=1), (2, 3)),
    ("keeping the axis", lambda x: np.subtract.reduce(x, keepdims=True), (3, 2)),
    ("running", lambda x: np.subtract.accumulate(x, axis=-1), (2, 3)),
    ("sums of pieces", lambda x: np.add.reduceat(x, [0, 2, 1, 4]), (5,)),
    ("of columns", lambda x: np.add.reduceat(x, [0, 1], axis=1), (2, 3)),
    ("outer", lambda x: np.subtract.outer(x, x[0]), (2, 2)),
]


@pytest.mark.parametrize(("name", "function", "shape"), LINEAR, ids=[c[0] for c in LINEAR])
def test_linear_functions_are_exact(name, function, shape, values, assert_affine):
    assert_affine(function, values(shape))


def test_curved_functions(check_derivatives: Check) -> None:
    x = [0.5, 2.0, 1.5]
    check_derivatives(np.divide.reduce, x, reference=lambda v: np.array(v[0] / v[1] / v[2]))
    check_derivatives(
        np.hypot.reduce, x, reference=lambda v: np.array((v * v).sum().sqrt()), rtol=1e-12
    )
    check_derivatives(
        lambda v: np.hypot.reduce(v, axis=None),
        [[0.5, 2.0], [1.5, -1.0]],
        reference=lambda v: np.array((v * v).sum().sqrt()),
    )
    check_derivatives(
        lambda v: np.multiply.reduceat(v, [0, 1]),
        x,
        reference=lambda v: np.array([v[0], v[1] * v[2]]),
    )


def test_running_extremes_follow_the_leader() -> None:
    x = symtape.constant([1.0, 3.0, 2.0, 5.0])
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.maximum.accumulate(x)
    np.testing.assert_array_equal(y.numpy(), [1.0, 3.0, 3.0, 5.0])
    np.testing.assert_array_equal(tape.jacobian(y, x).numpy(), np.eye(4)[[0, 1, 1, 3]])


def test_a_dtype_and_an_empty_array() -> None:
    x = symtape.constant([[1.0, 2.0]])
    assert np.subtract.reduce(x, axis=1, dtype=np.float32).dtype == np.float32
    assert np.subtract.accumulate(x[:, :0], axis=1).shape == (1, 0)
    with pytest.raises(ValueError, match="not reorderable"):
        np.subtract.reduce(x, axis=None)
    with pytest.raises(ValueError, match="no element"):
        np.subtract.reduce(x[:, :0], axis=1)


@pytest.mark.parametrize("options", [{"initial": 1.0}, {"where": np.array([True, False])}])
def test_what_is_not_known_still_works_forward(options: Any) -> None:
    x = symtape.Variable([0.5, 2.0])
    options = {"initial": 1.0} | options
    with symtape.GradientTape() as tape:
        y = np.hypot.reduce(x, **options)
    assert y.numpy() == np.hypot.reduce(x.numpy(), **options)
    with pytest.raises(LookupError, match=r"no entry for: hypot\.reduce"):
        tape.gradient(y, x)
