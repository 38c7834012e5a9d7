"""Points between ends: NumPy's values to the bit, and derivatives by the ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape

Check = Callable[..., None]

LINEAR = [
    ("by both ends", lambda x: np.linspace(x[0], x[1], 5), (2,)),
    ("by the last", lambda x: np.linspace(0, x[0], 4, endpoint=False), (1,)),
    ("between vectors", lambda x: np.linspace(x[0], x[1], 3), (2, 2)),
    ("along another axis", lambda x: np.linspace(x[0], x[1], 3, axis=1), (2, 2)),
    ("broadcast", lambda x: np.linspace(x[0], 8.0, 5), (2, 3)),
    ("one point", lambda x: np.linspace(x[0], x[1], 1), (2,)),
    ("no point", lambda x: np.linspace(x[0], x[1], 0), (2,)),
    ("the step", lambda x: np.linspace(x[0], x[1], 5, retstep=True)[1], (2,)),
]


@pytest.mark.parametrize(("name", "function", "shape"), LINEAR, ids=[c[0] for c in LINEAR])
def test_linspace_is_exact_to_second_order(name, function, shape, values, assert_affine):
    assert_affine(function, values(shape) * 4)


@pytest.mark.parametrize("endpoint", [True, False])
def test_logspace_by_its_ends(endpoint: bool, check_derivatives: Check) -> None:
    def reference(x: Any) -> Any:
        return np.stack(
            [
                ((x[0] + (x[1] - x[0]) * (k / (3 if endpoint else 4))) * np.log(10.0)).exp()
                for k in range(4)
            ]
        )

    check_derivatives(
        lambda x: np.logspace(x[0], x[1], 4, endpoint), [-0.25, 1.5], reference=reference
    )


def test_logspace_by_its_base(check_derivatives: Check) -> None:
    check_derivatives(
        lambda b: np.logspace([1.0], [2.0, 3.0], 2, base=b, axis=1),
        [1.5, 2.5],
        reference=lambda b: np.array([[b[0], b[0] * b[0]], [b[1], b[1] * b[1] * b[1]]]),
    )


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_geomspace_by_its_ends(sign: float, check_derivatives: Check) -> None:
    def reference(x: Any) -> Any:
        low, high = (sign * x[0]).log(), (sign * x[1]).log()
        return np.stack([sign * (low + (high - low) * (k / 4)).exp() for k in range(5)])

    check_derivatives(
        lambda x: np.geomspace(x[0], x[1], 5), [sign * 0.5, sign * 3.0], reference=reference
    )


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (np.linspace, (0.1, 0.7, 7), {}),
    (np.linspace, (0.1, 0.7, 7), {"endpoint": False, "retstep": True}),
    (np.linspace, (0.1, 7.9, 4), {"dtype": int}),
    (np.linspace, (-0.1, -7.9, 4), {"dtype": int}),
    (np.logspace, (0.1, 0.7, 7), {"base": 3.0}),
    (np.logspace, (0.1, 0.7, 7), {"endpoint": False}),
    (np.geomspace, (0.1, 0.7, 7), {}),
    (np.geomspace, (-0.1, -0.7, 7), {"endpoint": False}),
    (np.geomspace, (0.1, 0.7, 1), {}),
    (np.geomspace, (0.1, 0.7, 0), {}),
]


@pytest.mark.parametrize(
    ("function", "args", "kwargs"), CALLS, ids=[f"{c[0].__name__}{c[1]}{c[2]}" for c in CALLS]
)
def test_values_are_those_of_numpy(function: Any, args: Any, kwargs: Any) -> None:
    start, *rest = args
    found = function(symtape.constant(start), *rest, **kwargs)
    expected = function(start, *rest, **kwargs)
    pairs = zip(found, expected, strict=True) if "retstep" in kwargs else [(found, expected)]
    for mine, theirs in pairs:
        np.testing.assert_allclose(mine.numpy(), theirs, rtol=4e-16)
        assert mine.dtype == theirs.dtype


def test_the_last_point_is_the_end_itself() -> None:
    stop = symtape.constant(0.7)
    for count in range(2, 40):
        for function in (np.linspace, np.geomspace):
            assert function(0.1, stop, count)[-1] == stop


def test_single_precision_is_kept_where_numpy_keeps_it() -> None:
    plain = np.float32(0.5)
    for function in (np.linspace, np.logspace, np.geomspace):
        found = function(symtape.constant(plain), 2.0, 4)
        assert found.dtype == function(plain, 2.0, 4).dtype


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: np.linspace(x, 1.0, -1), "num=-1"),
        (lambda x: np.geomspace(x, 0.0, 3), "real ends of one sign"),
        (lambda x: np.geomspace(x, -1.0, 3), "real ends of one sign"),
    ],
)
def test_what_has_no_meaning_is_said(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(symtape.constant(2.0))
