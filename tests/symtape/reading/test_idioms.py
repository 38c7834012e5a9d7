"""Plain NumPy code records as it stands: on the tape and in verify, by one mechanism."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from tests.symtape.reading.idioms import IDIOMS, X
from verify.model.verdict import Rung, Verdict


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", IDIOMS)
def test_an_idiom_is_recorded_and_its_derivative_proved(name):
    function = IDIOMS[name]
    found = verify.gradient(function, at=[X])
    assert found.verdict is Verdict.CORRECT, str(found)
    assert found.evidence.rung is not Rung.SAMPLED
    slope = symtape.grad(function)(X)
    step = 1e-6
    near = [(function(X + step * e) - function(X - step * e)) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(slope, near, rtol=1e-6, atol=1e-5)
    wrong = verify.gradient(function, claimed=lambda x: slope * (1 + 1e-9) + 1e-9, at=[X])
    assert wrong.verdict is Verdict.WRONG
