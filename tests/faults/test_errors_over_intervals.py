"""Errors of claims about one number: none that is larger than it is said to be is let through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import verify
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.oracles.over_region.proof import MOST_WORK, prove_over

LINE, PLACE = verify.box(-1, 1), 0.9


def told(function, claimed, over=LINE, most=MOST_WORK):
    case = Case("a", "a", function, (), "gradient", claimed=claimed)
    case = pose_case(case, over, None, None, "conjugate")
    return prove_over(claim_of(case), case.over, most)


def enclosed(function, claimed, *given):
    found = told(function, claimed, *given)
    return 0 if found is None else found.enclosed


def beyond(x):
    return np.stack([x > PLACE, x > 2])


JUMPS = {
    "a truth": lambda x: 1.0 * (x > PLACE),
    "a truth that is cast": lambda x: (x > PLACE).astype(float),
    "a piece": lambda x: np.where(x > PLACE, 1.0, 0.0),
    "a piece of a piece": lambda x: np.where(np.where(x > PLACE, 1.0, 0.0) > 0.5, 1.0, 0.0),
    "a selection": lambda x: np.select([x > PLACE], [1.0], 0.0),
    "a branch": lambda x: 1.0 if x > PLACE else 0.0,
    "a sign": lambda x: np.sign(x - PLACE),
    "a step": lambda x: np.heaviside(x - PLACE, 0.5),
    "both": lambda x: 1.0 * ((x > PLACE) & (x < 2)),
    "either": lambda x: 1.0 * ((x > PLACE) | (x > 2)),
    "not": lambda x: 1.0 * ~(x < PLACE),
    "one of two": lambda x: 1.0 * ((x > PLACE) ^ (x > 2)),
    "any": lambda x: 1.0 * np.any(beyond(x)),
    "all": lambda x: 1.0 * np.all(np.stack([x > PLACE, x > -2])),
    "a sum": lambda x: np.sum(beyond(x)),
    "a mean": lambda x: np.mean(beyond(x)),
    "a product": lambda x: np.prod(np.stack([x > PLACE, x > -2])),
    "a matrix product": lambda x: beyond(x) @ np.ones(2),
    "a running sum": lambda x: np.cumsum(beyond(x))[1],
    "a difference": lambda x: np.diff(np.stack([1.0 * (x > PLACE), 0 * x]))[0],
    "a largest truth": lambda x: 1.0 * np.max(beyond(x)),
    "a place": lambda x: 1.0 * np.argmax(np.stack([0 * x + PLACE, x])),
    "an index": lambda x: np.array([0.0, 1.0])[np.int64(x > PLACE)],
    "a place in a table": lambda x: 1.0 * np.searchsorted(np.array([PLACE, 3.0]), x),
    "a rounded number": lambda x: np.rint(x - PLACE + 0.5),
    "a floor": lambda x: np.floor(x - PLACE),
    "a power": lambda x: 2.0 ** (x > PLACE),
    "a power of two": lambda x: np.ldexp(1.0, x > PLACE),
    "a quotient of a corner": lambda x: np.abs(x - PLACE) / (x - PLACE),
    "an angle": lambda x: np.arctan2(x - PLACE, -1.0),
    "an angle at infinity": lambda x: np.arctan(1 / (x - PLACE)),
    "a ramp": lambda x: np.clip(1e9 * (x - PLACE), 0, 1),
    "a steep curve": lambda x: special.expit(1e9 * (x - PLACE)),
    "a bump": lambda x: np.exp(-((1e4 * (x - PLACE)) ** 2)),
}


@pytest.mark.parametrize("name", JUMPS)
def test_a_jump_is_not_enclosed_to_more_than_it_is(name):
    jump = JUMPS[name]
    found = told(np.sin, lambda x: np.cos(x) + 1e-3 * jump(x))
    assert found is None or found.enclosed < 1
    stated = verify.approximately(lambda x: np.cos(x) + 1e-3 * jump(x), atol=4e-4)
    assert enclosed(np.sin, stated) < 1


APPROXIMATE = {
    "a polynomial": (np.sin, lambda x: 1 - x**2 / 2 + x**4 / 24, 1.4e-3),
    "one that is exact in the middle": (np.cos, lambda x: x**3 / 6 - x, 8.2e-3),
    "an epsilon": (lambda x: np.sqrt(1 + x**2), lambda x: x / (1e-4 + np.sqrt(1 + x**2)), 5e-5),
    "a difference": (np.exp, lambda x: (np.exp(x + 1e-3) - np.exp(x)) / 1e-3, 1.4e-3),
    "a fit of a special function": (
        special.j0,
        lambda x: -x / 2 * (1 - x**2 / 8 * (1 - x**2 / 24)),
        5.2e-5,
    ),
    "two pieces": (np.exp, lambda x: np.where(x > 0.5, np.exp(x), np.exp(x) + 1e-3 * x), 1e-3),
}


@pytest.mark.parametrize("name", APPROXIMATE)
def test_an_approximation_is_enclosed_where_it_is_as_near_as_it_states(name):
    function, claim, error = APPROXIMATE[name]
    for looser in (1.1, 3, 30):
        assert enclosed(function, verify.approximately(claim, atol=looser * error)) == 1
    assert enclosed(function, verify.approximately(claim, atol=0.9 * error)) < 1
    assert enclosed(function, verify.approximately(lambda x: 1.0 + claim(x), atol=error)) < 1


def test_an_approximation_of_several_numbers_is_enclosed_on_parts():
    over = verify.box(0.5, 3, shape=(2,))

    def norm(x):
        return np.sqrt(np.sum(x * x))

    def softened(x):
        return x / (norm(x) + 1e-8)

    assert enclosed(norm, verify.approximately(softened, rtol=2e-8), over) == 1
    assert enclosed(norm, verify.approximately(softened, rtol=1e-9), over, 2e5) < 1


errors = st.integers(2, 30).map(lambda k: 2.0**-k)


@given(errors, errors, st.sampled_from([-1, 1]), st.sampled_from([np.sin, np.exp, np.arctan]))
def test_a_factor_is_held_to_the_accuracy_that_is_stated(error, stated, sign, function):
    slope = {np.sin: np.cos, np.exp: np.exp, np.arctan: lambda x: 1 / (1 + x**2)}[function]
    claim = verify.approximately(lambda x: (1 + sign * error) * slope(x), rtol=stated)
    found = enclosed(function, claim)
    assert found < 1 if error > stated else found == 1 or error == stated


def test_a_proof_is_not_asked_to_be_near():
    assert told(np.sin, verify.approximately(lambda x: np.cos(x), rtol=1e-9)).share == 1
