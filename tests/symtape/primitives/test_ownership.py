"""What is written into an array after its use changes nothing of what was recorded."""

from __future__ import annotations

import threading
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape import GradientTape, Variable
from symtape.primitives import ownership
from symtape.primitives.ownership import COPIES, Copies

DTYPES = [np.float64, np.float32, np.complex128, np.complex64, np.int64, np.bool_]
VALUES = [0.0, -0.0, 1.0, np.nan, -np.nan, np.inf]
VIEWS = {
    "corner": lambda base: base[:3, :4],
    "strided": lambda base: base[::2, ::2],
    "backwards": lambda base: base[2::-1, ::-2],
    "transposed": lambda base: base.T[:3, :4],
    "one row": lambda base: np.broadcast_to(base[0, :4], (3, 4)),
    "windows": lambda base: np.lib.stride_tricks.sliding_window_view(base[0, :6], 4),
    "row backwards": lambda base: np.broadcast_to(base.T[0, :4][::-1], (3, 4)),
    "large windows": lambda base: np.broadcast_to(base[::-1, ::-2], (9, 6, 4))[0:3, 5],
    "read only": lambda base: read_only(base[3:, 4:]),
}


def read_only(x):
    x.flags.writeable = False
    return x


def base_of(dtype):
    return np.arange(48).reshape(6, 8).astype(dtype)


STEPS = st.lists(
    st.tuples(st.sampled_from([*VIEWS]), st.integers(0, 47), st.sampled_from(VALUES)), max_size=12
)


@pytest.mark.parametrize("large", [0, 2**20])
@settings(deadline=None)
@given(dtype=st.sampled_from(DTYPES), steps=STEPS)
def test_an_owned_array_keeps_its_bits(large, dtype, steps):
    base, copies, taken = base_of(dtype), Copies(), []
    copies.held = {}
    with mock.patch.object(ownership, "_LARGE", large):
        for view, place, value in steps:
            x = VIEWS[view](base)
            taken.append((copies.own(x), x.tobytes()))
            with np.errstate(invalid="ignore"):
                base.flat[place] = np.asarray(value).astype(dtype)
    for owned, before in taken:
        assert owned.tobytes() == before


@settings(deadline=None)
@given(persistent=st.booleans(), nested=st.booleans(), steps=STEPS)
def test_a_gradient_is_that_of_the_values_at_the_time_of_use(persistent, nested, steps):
    x, base = Variable(np.ones((3, 4))), base_of(float)
    outer, tape = GradientTape(), GradientTape(persistent=persistent)
    total, expected = x * 0.0, np.zeros((3, 4))
    with mock.patch.object(ownership, "_LARGE", 0), outer, tape:
        total, expected = x * 0.0, np.zeros((3, 4))
        for view, place, value in steps:
            factor = VIEWS[view](base)
            total, expected = total + x * factor, expected + factor
            base.flat[place] = value
    np.testing.assert_array_equal((outer if nested else tape).gradient(total, x), expected)


def test_an_array_that_did_not_change_is_copied_once():
    matrix = np.random.default_rng(0).normal(size=(400, 400))
    with GradientTape() as tape:
        first, again, other = (COPIES.own(m) for m in (matrix, matrix, matrix.T))
        matrix[0, 0] = np.nan
        changed = COPIES.own(matrix)
        assert COPIES.own(matrix) is changed
    assert tape is not None
    assert first is again
    assert first is not changed
    assert other.flags.f_contiguous
    assert COPIES.held is None


def test_what_nobody_can_write_into_is_not_copied():
    frozen = read_only(np.arange(3.0))
    assert COPIES.own(frozen) is frozen
    assert COPIES.own(frozen[1:]).base is frozen


def test_another_threads_use_of_an_array_keeps_it_too():
    x, factor, outputs = Variable(np.ones(3)), np.arange(3.0), []
    with GradientTape() as tape:
        tape.watch(x)
        tensor = x * 1.0
        worker = threading.Thread(target=lambda: outputs.append(tensor * factor))
        worker.start()
        worker.join()
    factor[:] = -1.0
    np.testing.assert_array_equal(tape.gradient(outputs[0], x), np.arange(3.0))
