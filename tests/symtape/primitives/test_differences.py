from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape

PLACES = np.array([0.0, 1.0, 3.0, 7.0])

LINEAR = [
    ("diff", np.diff, (2, 4)),
    ("diff not at all", lambda x: np.diff(x, 0) * 1, (3,)),
    ("diff twice", lambda x: np.diff(x, 2, axis=0), (3, 2)),
    ("diff with ends", lambda x: np.diff(x, prepend=1.0, append=x[:, :1]), (2, 3)),
    ("ediff1d", np.ediff1d, (2, 2)),
    ("ediff1d with ends", lambda x: np.ediff1d(x, to_begin=x[0], to_end=[1.0, 2.0]), (3,)),
    ("ediff1d of float32", lambda x: np.ediff1d(x.astype(np.float32), 2.0).astype(float), (3,)),
    ("trapezoid", np.trapezoid, (2, 3)),
    ("trapezoid by steps", lambda x: np.trapezoid(x, dx=2.0, axis=0), (3, 2)),
    ("trapezoid at places", lambda x: np.trapezoid(x, PLACES, axis=0), (4, 2)),
    ("gradient", np.gradient, (5,)),
    ("gradient of two", np.gradient, (2,)),
    ("gradient by steps", lambda x: np.gradient(x, 2.0, axis=1), (2, 4)),
    ("gradient of all axes", lambda x: np.gradient(x)[0], (3, 3)),
    ("gradient to second order", lambda x: np.gradient(x, 0.5, edge_order=2), (4,)),
]


@pytest.mark.parametrize(("name", "function", "shape"), LINEAR, ids=[c[0] for c in LINEAR])
def test_differences_are_exact_to_second_order(name, function, shape, values, assert_affine):
    assert_affine(function, values(shape))


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient_at_uneven_places(edge_order, assert_jacobians_agree):
    samples = np.array([1.0, -2.0, 0.5, 3.0])
    found = np.gradient(symtape.constant(samples), PLACES, edge_order=edge_order)
    expected = np.gradient(samples, PLACES, edge_order=edge_order)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-14)
    assert_jacobians_agree(lambda x: np.gradient(x, PLACES, edge_order=edge_order), samples)


def test_trapezoid_by_its_places():
    x, y = symtape.constant(PLACES), symtape.constant([1.0, -2.0, 0.5, 3.0])
    with symtape.GradientTape() as tape:
        tape.watch(x)
        z = np.trapezoid(y, x)
    mean = (y.numpy()[1:] + y.numpy()[:-1]) / 2
    np.testing.assert_array_equal(tape.gradient(z, x).numpy(), -np.diff(mean, prepend=0, append=0))


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.floats(-2, 9))
def test_interpolation_is_numpys_and_its_slope(place):
    samples = np.array([1.0, -2.0, 0.5, 3.0])
    x, fp = symtape.constant(place), symtape.constant(samples)
    with symtape.GradientTape() as tape:
        tape.watch([x, fp])
        y = np.interp(x, PLACES, fp)
    expected = np.interp(place, PLACES, samples)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-14, atol=1e-14)
    by_place, by_samples = (g.numpy() for g in tape.gradient(y, [x, fp]))
    unit = [np.interp(place, PLACES, e) for e in np.eye(4)]
    np.testing.assert_allclose(by_samples, unit, rtol=1e-14, atol=1e-14)
    slopes = np.diff(samples) / np.diff(PLACES)
    if place in PLACES[1:-1]:
        return
    inside = PLACES[0] <= place < PLACES[-1]
    at = np.searchsorted(PLACES, place, "right") - 1
    assert by_place == (slopes[at] if inside else 0)


def test_interpolation_beyond_the_ends():
    x = symtape.constant([-1.0, 0.0, 7.0, 8.0])
    found = np.interp(x, PLACES, PLACES + 1, left=-5.0, right=-6.0)
    np.testing.assert_array_equal(found.numpy(), [-5.0, 1.0, 8.0, -6.0])


@pytest.mark.parametrize("period", [4.0, -4.0, 5.5])
def test_interpolation_over_a_period(period):
    places, samples = np.array([3.75, 0.5, 1.5, 2.5]), np.array([1.0, -2.0, 0.5, 3.0])
    x, fp = symtape.constant([-1.75, 0.25, 3.875, 9.25]), symtape.constant(samples)
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch([x, fp])
        y = np.interp(x, places, fp, period=period)
    expected = np.interp(x.numpy(), places, samples, period=period)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-14)
    unit = [np.interp(x.numpy(), places, e, period=period) for e in np.eye(4)]
    np.testing.assert_allclose(tape.jacobian(y, fp).numpy(), np.transpose(unit), atol=1e-15)
    ahead = np.interp(x.numpy() + 1 / 64, places, samples, period=period)
    slopes = np.diagonal(tape.jacobian(y, x).numpy())
    np.testing.assert_allclose(slopes, (ahead - expected) * 64, rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: np.interp(x, [0.0, 1.0], [0.0, 1.0], period=0), ValueError, "period=0"),
        (lambda x: np.diff(x, -1), ValueError, "n=-1"),
        (lambda x: np.gradient(x, 1.0, 2.0), TypeError, "2 spacings for 1 axes"),
        (lambda x: np.gradient(x, [1.0, 2.0]), ValueError, "2 coordinates for the 3 samples"),
        (lambda x: np.gradient(x[:1]), ValueError, "needs at least 2 samples"),
        (lambda x: np.gradient(x, edge_order=3), ValueError, "edge_order=3"),
    ],
)
def test_errors_say_what_was_given(call, error, words):
    with pytest.raises(error, match=words):
        call(symtape.constant([1.0, 2.0, 4.0]))
