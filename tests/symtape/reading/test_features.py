"""Whatever of Python a function uses, its gradient is that of what it computes."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from tests.symtape.reading.features import FEATURES

X = np.array([0.7, 1.9])


# As it stands, a value leaves in the thread, which ends by that.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("name", FEATURES)
def test_the_gradient_is_that_of_what_is_computed(name):
    function = FEATURES[name]
    near = [(function(X + 1e-6 * e) - function(X - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
    np.testing.assert_allclose(symtape.grad(function)(X), near, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(symtape.grad(function)(X), near, rtol=1e-6, atol=1e-6)
