"""Faults where pieces meet, and faults planted in what proves them: neither goes through."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verify
from symtape.prover import cases, needs, ring
from symtape.prover.prove import Magnitudes
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.oracles.over_region import bounds, path, proof

ONE, TWO = verify.box(-1, 1), verify.box(-1, 1, shape=(2,))


def proved(function, claimed, over=ONE):
    case = Case("a", "a", function, (), "gradient", claimed=claimed)
    case = pose_case(case, over, None, None, "conjugate")
    return proof.prove_over(claim_of(case), case.over)


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
        assert np.all(error <= 2.0**-found.bits * np.max(np.sum(np.abs(weights), axis=0)))


@settings(max_examples=12)
@given(st.floats(1e-14, 1e-2), st.integers(0, 3))
def test_an_error_is_not_enclosed_below_its_size(by, kind):
    function, slope, other = [
        (np.sin, np.cos, lambda x: np.ones_like(x)),
        (np.exp, np.exp, lambda x: x**2),
        (np.tanh, lambda x: 1 - np.tanh(x) ** 2, lambda x: np.exp(x) / 3),
        (lambda x: 0.1 * x**3, lambda x: 0.3 * x**2, lambda x: np.sin(3 * x)),
    ][kind]
    found = proved(function, lambda x: slope(x) + by * other(x))
    x = np.linspace(-1, 1, 101)
    error = np.max(np.abs(by * other(x))) / np.max(np.abs(slope(x)))
    assert found is None or (found.share == 0 and error <= 2.0**-found.bits)


def lose_cases(self):
    return False


def take_first_half(part, widths):
    below, _ = take_first_half.original(part, widths)
    return below, proof.Part(below.lower, below.upper, below.share)


take_first_half.original = proof.Part.halves


def square_of_step_is_one(self, polynomial, at):
    terms = polynomial.to_dict().items()
    return self.context.from_dict({(*e[:at], e[at] % 2, *e[at + 1 :]): c for e, c in terms})


def steep(x):
    return np.sin(1e11 * (0.3 * x)) / 1e11


PLANTED = {
    "a case that is lost": (
        (cases.Cases, "advance", lose_cases),
        (
            lambda x: np.exp(np.maximum(x, 0)),
            lambda x: np.where(x > 0, np.exp(np.maximum(x, 0)), 0.5),
            ONE,
        ),
    ),
    "a boundary that is taken for empty": (
        (cases.Meeting, "note", lambda *_: None),
        WHERE_PIECES_MEET["another side in each entry"],
    ),
    "halves of zero that are taken for sides": (
        (cases.Meeting, "note", lambda *_: None),
        WHERE_PIECES_MEET["a piece of that point alone"],
    ),
    "a relation that does not hold": (
        (ring.Ring, "_without_powers", square_of_step_is_one),
        (lambda x: 1.0 * x, lambda x: 1.0 * (x > 0) * (x > 0), ONE),
    ),
    "an assumption that is dropped": (
        (needs.Needs, "assume", lambda self, factor, sign: self.signs.note(factor, sign)),
        (lambda x: 0.5 * x**2, lambda x: np.sqrt(x**2), ONE),
    ),
    "a box that is skipped": (
        (proof.Part, "halves", take_first_half),
        (np.sin, lambda x: np.cos(x) if x < -0.5 else 2 * np.cos(x), ONE),
    ),
    "a domain that is not looked at": (
        (path.Path, "is_defined", lambda *_: True),
        (np.sin, lambda x: np.cos(x) + 0 * np.log(x - 0.5), ONE),
    ),
    "a bound that is too small": (
        (Magnitudes, "quotient", lambda self, x: bounds.arb(0)),
        (np.sin, lambda x: 2 * np.cos(x), ONE),
    ),
    "a constant whose error costs nothing": (
        (bounds.Bounds, "deviation", lambda self, at: bounds.arb(0)),
        (steep, lambda x: 0.3 * np.cos(1e11 * (0.30000000000000016 * x)), verify.box(1, 2)),
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_in_what_proves_would_be_seen(name, monkeypatch):
    patch, wrong = PLANTED[name]
    before = told(proved(*wrong))
    assert before < 1
    monkeypatch.setattr(*patch)
    assert told(proved(*wrong)) > before
