"""Parameters in trees and Python's idioms: the derivative of each, on the tape and proved."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from symtape.recording.structure import flatten, is_number
from tests.symtape.reading.tree_idioms import IDIOMS
from verify.model.verdict import Verdict


@pytest.mark.parametrize("name", IDIOMS)
def test_the_derivative_of_an_idiom_is_exact_on_the_tape_and_in_verify(name):
    function, point = IDIOMS[name]
    places = tuple(range(len(point)))
    gradient = symtape.grad(function, places)
    found = verify.gradient(function, gradient, at=[point], effort=0.1)
    assert found.verdict is Verdict.CORRECT, found
    assert any(np.any(g != 0) for g in flatten(gradient(*point)) if g is not None)


@pytest.mark.parametrize("name", IDIOMS)
def test_second_and_forward_derivatives_of_an_idiom(name):
    function, point = IDIOMS[name]
    vector, unflatten = symtape.flatten(point)

    def of_vector(v):
        return function(*unflatten(v))

    step = 1e-5 * np.cos(np.arange(vector.size))
    before, after = (symtape.grad(of_vector)(vector + sign * step) for sign in (-1, 1))
    curvature = symtape.hvp(of_vector)(vector, step)
    np.testing.assert_allclose(curvature, (after - before) / 2, rtol=1e-5, atol=1e-14)
    _, pushed = symtape.jvp(of_vector, (vector,), (step,))
    np.testing.assert_allclose(pushed, symtape.grad(of_vector)(vector) @ step, rtol=1e-12)
    assert any(map(is_number, flatten(point)))
