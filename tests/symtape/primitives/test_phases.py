from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symtape

PATHS: list[tuple[list[Any], dict[str, Any]]] = [
    ([0.0, 3.0, 6.5, -2.0, 1.0], {}),
    ([0.0, 4.0, 0.5, 4.5], {"discont": 3.75}),
    ([0.0, 0.75, 0.25, 1.75], {"period": 1.0}),
    ([[0.0, 3.5], [7.0, -3.0], [1.0, 2.0]], {"axis": 0}),
    ([0.0, np.pi, 0.0, -np.pi], {}),
]


@pytest.mark.parametrize(("path", "options"), PATHS)
def test_unwrapping_moves_by_whole_turns(path: Any, options: Any) -> None:
    x = symtape.constant(path)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.unwrap(x, **options)
    np.testing.assert_allclose(y.numpy(), np.unwrap(path, **options), rtol=1e-15, atol=1e-15)
    identity = np.eye(x.size).reshape(x.shape * 2)
    np.testing.assert_array_equal(tape.jacobian(y, x).numpy(), identity)


@pytest.mark.parametrize("deg", [False, True])
def test_the_angle_of_a_real_number_is_constant(deg: bool) -> None:
    given = np.array([1.5, -0.0, 0.0, -2.0, np.nan])
    x = symtape.constant(given)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = np.angle(x, deg=deg)
    np.testing.assert_array_equal(y.numpy(), np.angle(given, deg=deg))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy()[:4], 0)
    assert np.angle(symtape.constant(np.float32(-1))).dtype == np.float32


def test_real_if_close_is_the_identity(values: Any, assert_affine: Any) -> None:
    assert_affine(lambda x: np.real_if_close(x) * 2, values((3,)))
