"""XLA's arithmetic: wider than NumPy's where it has to be, and only where it is asked for."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import vocabulary
from symtape.rigorous.backward_error import allow_xla_answers, is_xla, roundings
from symtape.rigorous.rounding import model


def rows():
    vocabulary()
    return list(PRIMITIVES.items())


def ball_of(function, x):
    graph = symtape.record(function, x)
    return model(graph, [x])[0][()]


def test_it_is_asked_for_and_ends():
    assert not is_xla()
    with allow_xla_answers():
        assert is_xla()
        with allow_xla_answers(False):
            assert not is_xla()
    assert not is_xla()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_subnormal_number_may_be_zero(dtype):
    tiny = dtype(np.finfo(dtype).smallest_subnormal * 64)
    assert not ball_of(lambda x: x * 2, tiny).contains(0)
    with allow_xla_answers():
        assert ball_of(lambda x: x * 2, tiny).contains(0)
        assert not ball_of(lambda x: x * 2, dtype(np.finfo(dtype).smallest_normal * 8)).contains(0)


@pytest.mark.parametrize("name", [name for name, row in rows() if row.xla is not None])
def test_its_constants_are_no_smaller_than_those_of_the_rows(name):
    usual = roundings(PRIMITIVES[name], (), {})
    with allow_xla_answers():
        assert all(a >= b for a, b in zip(roundings(PRIMITIVES[name], (), {}), usual, strict=True))


def test_other_rows_round_as_ever():
    with allow_xla_answers():
        assert roundings(PRIMITIVES["add"], (), {}) == (0, 1)
    assert ball_of(np.tanh, 0.5).rad() < 1e-15
