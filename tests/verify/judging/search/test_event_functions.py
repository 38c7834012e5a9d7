"""Where something changes inside of a recording: complex numbers that are compared, too."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import symtape
import verify
from verify.judging.search.boundaries import event_functions, side_of

COMPARED = {
    "where": lambda z: np.where(z == 0, 1.0, scipy.special.wofz(z)),
    "if": lambda z: scipy.special.wofz(z) if z != 1j else z,
    "beside a number": lambda z: np.where(z == 1 + 2j, z, scipy.special.wofz(z)),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
def test_complex_numbers_that_are_compared_have_a_side(name):
    def profile(x, y):
        return np.real(COMPARED[name](x + 1j * y))

    graph = symtape.record(profile, 0.5, 2.0)
    values = graph.values(0.5, 2.0)
    assert {side_of(event, values) for event in event_functions(graph)} <= {-1.0, 0.0, 1.0, 2.0}
    found = verify.gradient(profile, lambda x, y: (x, y), over=(verify.box(0, 2), verify.box(1, 2)))
    assert "inside symtape" not in str(found)


def test_a_comparison_with_a_real_number_keeps_its_sides():
    graph = symtape.record(lambda x: np.where(x < 1.0, x, 2 * x), 0.5)
    (steering, *_) = event_functions(graph)
    assert [side_of(steering, graph.values(x)) for x in (0.5, 1.0, 2.0)] == [-1.0, 0.0, 1.0]
