"""What the tape says of every call with complex numbers is found right."""

import numpy as np
import pytest

import verify
from tests.symtape.complex_calls import CALLS, Z, joined, split, weighted
from verify import Verdict


@pytest.mark.parametrize("name", CALLS)
def test_gradients_by_complex_numbers(name):
    result = verify.gradient(weighted(CALLS[name]), at=[Z])
    assert result.verdict is Verdict.CORRECT


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_claim_is_not_taken_for_right(name):
    function = weighted(CALLS[name])

    def lie(t):
        return np.ones_like(t) * 0.123

    result = verify.gradient(lambda t: function(split(t)), lie, at=[joined(Z)])
    assert result.verdict is Verdict.WRONG
    assert result.sampled is None
