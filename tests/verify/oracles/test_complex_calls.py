"""What the tape says of every call with complex numbers is found right."""

from types import FunctionType

import numpy as np
import pytest

import verify
from tests.symtape.complex_calls import CALLS, ORDERED, SPECIAL, Z, joined, split, weighted
from verify import Verdict

SPECTRAL = ("eig", "svd", "singular", "cond", "norm 2", "norm nuc", "roots")
"""Calls that need eigenvalues or singular values, which only small matrices have in closed form."""

NUMERIC = {*ORDERED, *SPECIAL}
"""Calls whose rules are numeric alone: no reading by real and imaginary parts, and so samples."""


def is_numeric(name):
    """Whether a call may have no exact reading."""
    return name in NUMERIC or any(word in name for word in SPECTRAL)


def of_its_own(function):
    """A function with code that no other has, by which recordings remember what they learnt."""
    code = function.__code__.replace()
    return FunctionType(code, function.__globals__, "number", None, function.__closure__)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_gradients_by_complex_numbers(name):
    (point,) = verify.gradient(of_its_own(weighted(CALLS[name])), at=[Z]).points
    if name == "complex()" and point.verdict is Verdict.UNDECIDED:
        # Whether calls of Python's complex are found depends on what else is loaded.
        assert "a value left the tape by complex()" in point.message
        return
    if is_numeric(name) and point.verdict is Verdict.UNDECIDED:
        assert "closed form" in point.message or "no reading by real and" in point.message
        return
    assert point.verdict is Verdict.CORRECT, point.message


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_claim_is_not_taken_for_right(name):
    function = weighted(CALLS[name])

    def lie(t):
        return np.ones_like(t) * 0.123

    result = verify.gradient(lambda t: function(split(t)), lie, at=[joined(Z)])
    assert result.verdict is Verdict.WRONG
    assert result.sampled is None or is_numeric(name)
