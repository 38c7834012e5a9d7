"""Faults where pieces meet are not proved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import verify
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.oracles.over_region.proof import prove_over

ROOT = np.sqrt(2 * np.pi)
ONE, TWO = verify.box(-1, 1), verify.box(-1, 1, shape=(2,))


def proved(function, claimed, over=ONE):
    case = Case("a", "a", function, (), "gradient", claimed=claimed)
    case = pose_case(case, over, None, None, "conjugate")
    return prove_over(claim_of(case), case.over)


def told(found):
    """On how much something is said of a claim."""
    return 0 if found is None else found.enclosed


def relu(x):
    return np.maximum(x, 0)


def across(x):
    return np.abs(x[0] + x[1])


def by_sides(x):
    e = x[0] + x[1]
    return np.stack([np.where(e > 0, 1.0, -1.0), np.where(e >= 0, 1.0, -1.0)])


def in_three(x):
    pieces = (x[0] > 0) & (x[1] > 0), (x[0] > 0) | (x[1] > 0), x[0] + x[1] > 0
    return pieces[0] * x[0] + (pieces[1] & ~pieces[2]) * x[1]


WHERE_PIECES_MEET = {
    "a value of its own": (
        lambda x: x * np.abs(x),
        lambda x: np.where(x == 0, 1e3, 2 * np.abs(x)),
        ONE,
    ),
    "neither side": (relu, lambda x: np.where(x > 0, 1.0, np.where(x < 0, 0.0, 5.0)), ONE),
    "undefined": (relu, lambda x: 0.5 * (1 + x / np.abs(x)), ONE),
    "zero there alone": (lambda x: 1.0 * x, lambda x: np.sign(x) ** 2, ONE),
    "a piece of that point alone": (
        lambda x: np.where(x**2 > 0, x, 1000 * x),
        lambda x: np.where(x**2 > 0, 1.0, 1000.0),
        ONE,
    ),
    "another side in each entry": (across, by_sides, TWO),
    "a condition that is off by a rounding": (
        lambda x: np.where(x > 0.3, x, 0.3),
        lambda x: np.where(x > 0.1 + 0.2, 1.0, 0.0),
        ONE,
    ),
    "the sum of both sides": (relu, lambda x: 1.0 * (x >= 0) + 1.0 * (x <= 0) * (x >= 0), ONE),
}


@pytest.mark.parametrize("name", WHERE_PIECES_MEET)
def test_a_fault_where_pieces_meet_is_not_proved(name):
    assert told(proved(*WHERE_PIECES_MEET[name])) < 1


weights = np.array([[0.5, -1.0], [1.0, 0.75], [-0.25, 1.0]])
offsets = np.array([0.25, -0.5, 0.125])


def layer(x):
    return np.sum(np.maximum(weights @ x + offsets, 0))


def layer_slopes(x):
    return weights.T @ (weights @ x + offsets > 0)


@pytest.mark.long
@settings(max_examples=8)
@given(
    st.sampled_from(["weight", "offset", "side", "dead"]),
    st.integers(0, 2),
    st.sampled_from([1e-3, 1e-9, -1e-6]),
)
def test_a_fault_in_one_unit_of_a_layer_is_not_proved(fault, unit, by):
    at = np.eye(3)[unit]

    def claim(x):
        rising = weights @ x + offsets + (by * at if fault == "offset" else 0) > 0
        if fault == "side":
            rising = np.where(at > 0, ~rising, rising)
        active = rising * (1 - at * (fault == "dead"))
        return (weights + by * at[:, None] * (fault == "weight")).T @ active

    found = proved(layer, claim, TWO)
    assert found is None or found.share < 1
    if told(found) == 1:
        points = np.random.default_rng(0).uniform(-1, 1, (100, 2))
        error = np.max([np.abs(claim(x) - layer_slopes(x)) for x in points], axis=0)
        assert np.all(error <= 2.0**-found.enclosed_bits * np.max(np.sum(np.abs(weights), axis=0)))


@settings(max_examples=24)
@given(st.floats(1e-14, 1e-2), st.integers(0, 8))
def test_an_error_is_not_enclosed_below_its_size(by, kind):
    function, slope, other = [
        (np.sin, np.cos, lambda x: np.ones_like(x)),
        (np.exp, np.exp, lambda x: x**2),
        (np.tanh, lambda x: 1 - np.tanh(x) ** 2, lambda x: np.exp(x) / 3),
        (lambda x: 0.1 * x**3, lambda x: 0.3 * x**2, lambda x: np.sin(3 * x)),
        (lambda x: 2 ** (x / 0.7), lambda x: 0.990210257942779 * 2 ** (x / 0.7), np.cos),
        (special.log_ndtr, lambda x: np.exp(-(x**2) / 2 - special.log_ndtr(x)) / ROOT, np.exp),
        (lambda x: special.eval_legendre(3, x), lambda x: 7.5 * x**2 - 1.5, lambda x: x**9),
        (lambda x: special.ndtr(3 * x), lambda x: 3 * np.exp(-4.5 * x**2) / ROOT, special.j0),
        (
            lambda x: np.sqrt(1.01 + x) ** 3,
            lambda x: 1.5 * np.exp(np.log(1.01 + x) / 2),
            lambda x: 1 / (1.001 + x),
        ),
    ][kind]
    found = proved(function, lambda x: slope(x) + by * other(x))
    x = np.linspace(-1, 1, 101)
    error = np.max(np.abs(by * other(x))) / np.max(np.abs(slope(x))) - 2.0**-50
    assert found is None or (found.share == 0 and error <= 2.0**-found.enclosed_bits)
