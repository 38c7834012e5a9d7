"""reduce, accumulate, reduceat and outer of ufuncs, those without a function of their own too."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import symtape
import symtape.primitives.special
from symtape.errors import NotOnTape
from symtape.primitives.primitive import UFUNCS

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


@pytest.mark.parametrize("ufunc", [np.maximum, np.minimum, np.fmax, np.fmin])
@pytest.mark.parametrize("shape", [(1,), (2,), (7, 3), (3, 17), (300,)])
def test_running_extremes_take_few_operations(ufunc: np.ufunc, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).integers(0, 1000, shape).astype(float)
    x.flat[x.size // 2 :: 50] = np.nan if x.size > 2 else 0.0
    for axis in range(x.ndim):
        graph = symtape.record(lambda x, axis=axis: ufunc.accumulate(x, axis), x)
        np.testing.assert_array_equal(graph.evaluate(x)[0], ufunc.accumulate(x, axis))
        assert len(graph) < 50


def test_a_dtype_and_an_empty_array() -> None:
    x = symtape.constant([[1.0, 2.0]])
    assert np.subtract.reduce(x, axis=1, dtype=np.float32).dtype == np.float32
    assert np.subtract.accumulate(x[:, :0], axis=1).shape == (1, 0)
    with pytest.raises(ValueError, match="not reorderable"):
        np.subtract.reduce(x, axis=None)
    with pytest.raises(ValueError, match="no identity"):
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


def binary_rows() -> list[np.ufunc]:
    """Ufuncs of two real arrays that have a row; without those of whole numbers."""
    found = [u for u in UFUNCS if (u.nin, u.nout, u.signature) == (2, 1, None)]
    return [u for u in found if "dd->d" in u.types and not {"ld->d", "pd->d"} & {*u.types}]


METHOD_CALLS: dict[str, Callable[..., Any]] = {
    "reduce": lambda ufunc, a, axis: ufunc.reduce(a, axis=axis),
    "reduce, axis kept": lambda ufunc, a, axis: ufunc.reduce(a, axis=axis, keepdims=True),
    "reduce, all": lambda ufunc, a, axis: ufunc.reduce(a, axis=None),
    "accumulate": lambda ufunc, a, axis: ufunc.accumulate(a, axis=axis),
    "reduceat": lambda ufunc, a, axis: ufunc.reduceat(a, [0, 0], axis=axis),
    "outer": lambda ufunc, a, axis: ufunc.outer(a, a[:1]),
    "outer, single": lambda ufunc, a, axis: ufunc.outer(a, a, dtype=np.float32),
}


@pytest.mark.slow
@pytest.mark.parametrize("ufunc", binary_rows(), ids=lambda ufunc: ufunc.__name__)
@given(
    shape=st.sampled_from([(1,), (2,), (3,), (9,), (2, 3), (3, 1), (2, 2, 3)]),
    seed=st.integers(0, 9),
    transposed=st.booleans(),
    data=st.data(),
)
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@pytest.mark.filterwarnings("ignore")
def test_methods_give_what_numpy_gives_or_say_that_they_do_not(
    ufunc: np.ufunc, shape: Any, seed: int, transposed: bool, data: Any
) -> None:
    a = np.random.default_rng(seed).uniform(-1.5, 1.5, shape)
    a = a.T if transposed else a
    axis = data.draw(st.integers(0, a.ndim - 1))
    for call in METHOD_CALLS.values():
        with np.errstate(all="ignore"):
            try:
                expected = call(ufunc, a, axis)
            except (TypeError, ValueError):
                continue
            try:
                found = call(ufunc, symtape.constant(a), axis)
            except NotOnTape:
                continue
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("ufunc", [np.power, np.arctan2], ids=lambda ufunc: ufunc.__name__)
@pytest.mark.parametrize("size", [2, 3, 8])
def test_a_reduction_that_passes_over_elements_is_refused(ufunc: np.ufunc, size: int) -> None:
    """What NumPy computes here differs between machines: it is that, or an error."""
    x = np.linspace(1.25, 1.75, size)
    expected = ufunc.reduce(x)
    if not np.isclose(expected, functools.reduce(ufunc, x), rtol=1e-12):
        with pytest.raises(NotOnTape, match="does not take one element after another"):
            symtape.grad(ufunc.reduce)(x)
        return
    moved = [ufunc.reduce(y) for y in x * (1 + 2.0**-20 * np.eye(size))]
    found = symtape.grad(ufunc.reduce)(x)
    np.testing.assert_allclose((moved - expected) / (2.0**-20 * x), found, rtol=1e-4, atol=1e-6)


def test_a_reduction_starts_where_numpy_starts() -> None:
    x = np.array([-3.0])
    assert np.hypot.reduce(symtape.constant(x)) == np.hypot.reduce(x) == 3.0
    assert symtape.grad(np.hypot.reduce)(x) == -1.0
