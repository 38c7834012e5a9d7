"""What a row's rounding takes is measured as the least multiple that explains it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symtape.primitives.primitive import Primitive
from symtape.rigorous.measuring import _STEPS, measure


def root(off):
    """A root, which floats compute to half a unit, off by so many roundings besides."""
    return Primitive(
        name="root",
        inputs="x",
        evaluate=lambda x: np.sqrt(x) * (1 + off * np.finfo(float).eps / 2),
        vjp=[lambda g, y: g / (2 * y)],
        elementwise=True,
        ball=lambda ball, x: x.sqrt(),
        domain=lambda x: x > 0,
        rounding=(0, 8),
        example=(0.75,),
    )


def halved():
    return Primitive(
        name="halved",
        inputs="x",
        evaluate=lambda x: x / 2,
        vjp=[lambda g: g / 2],
        elementwise=True,
        ball=lambda ball, x: x / 2,
        rounding=(0, 8),
        example=(0.75,),
    )


def test_what_is_exact_takes_nothing():
    assert measure(halved(), "float64", points=40).scale == 0


@pytest.mark.parametrize("off", [2, 4, 8, 24])
def test_the_least_of_the_multiples_that_explains_it_is_taken(off):
    found = measure(root(off), "float64", points=40)
    least = min(step for step in _STEPS if 8 * step >= off - 2)
    most = min(step for step in _STEPS if 8 * step >= off + 2)
    assert least <= found.scale <= most
    assert found.exceeds is (found.scale > 1)


def test_what_no_multiple_explains_is_infinite():
    found = measure(root(1e6), "float64", points=40)
    assert found.scale == math.inf
    assert found.exceeds
    assert len(found.worst) == 1


def test_multiples_are_tried_from_none_upwards():
    assert _STEPS[0] == 0
    assert list(_STEPS) == sorted(set(_STEPS))
    assert 1.0 in _STEPS
