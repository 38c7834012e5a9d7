"""What leaves and does not come back is no escape; what comes back by any way is one."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
import scipy.signal
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
import verify
from symtape.errors import Escaped, NotOnTape
from tests.packing import left
from verify.model.verdict import Verdict

X = np.array([0.5, 2.0])
LOG = []


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


LEFT_ALONE = {
    "packed": lambda x: [struct.pack("d", x[0]), np.sum(x**2)][1],
    "logged as json": lambda x: [LOG.append(json.dumps([float(t) for t in x])), np.sum(x**2)][1],
    "an array of bytes": lambda x: [x.tobytes(), np.sum(x**2)][1],
    "a part that is multiplied away": lambda x: np.sum(x**2) + 0.0 * left(x[0]),
    "text": lambda x: [f"{x[0]:.3f}", str(x), np.sum(x**2)][2],
}


@pytest.mark.parametrize("function", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_does_not_come_back_is_no_escape(function):
    np.testing.assert_array_equal(symtape.grad(function)(X), 2 * X)
    np.testing.assert_array_equal(symtape.hessian(function)(X), 2 * np.eye(2))
    assert symtape.record(function, X).escapes == ()
    assert verify.gradient(function, at=[X]).verdict is Verdict.CORRECT
    wrong = verify.gradient(function, claimed=lambda x: 0 * x, at=[X])
    assert wrong.verdict is Verdict.WRONG


COMES_BACK = {
    "packed": ("escape:float", lambda x: left(x[0]) ** 2 + x[1]),
    "hardly": ("escape:float", lambda x: np.sum(x**2) + 1e-12 * left(x[0])),
    "text": ("escape:text", lambda x: float(f"{x[0]:.17g}") ** 2 + x[1]),
    "text of NumPy": ("escape:text", lambda x: float(np.array2string(x[0])) ** 2 + x[1]),
    "bytes": ("escape:tobytes", lambda x: np.sum(np.frombuffer(x.tobytes()) ** 2)),
}


@pytest.mark.parametrize(("code", "function"), COMES_BACK.values(), ids=COMES_BACK)
def test_what_comes_back_is_refused_with_a_code(code, function):
    with pytest.raises(Escaped) as error:
        symtape.grad(function)(X)
    assert error.value.code == code
    for claimed in (None, lambda x: 0 * x):
        assert verify.gradient(function, claimed=claimed, at=[X]).verdict is not Verdict.CORRECT


DESIGN = np.array([[1.0, 0.3], [1.0, -1.2], [1.0, 2.5], [1.0, 0.8]])
ROUNDED_OTHERWISE = {
    "detrend": lambda x: np.sum(scipy.signal.detrend(x) ** 2),
    "lstsq": lambda x: np.sum(np.linalg.lstsq(DESIGN, x)[0] ** 2),
    "polyfit": lambda x: np.sum(np.polyfit(np.arange(4.0), x, 1) ** 2),
    "lfilter": lambda x: np.sum(scipy.signal.lfilter([0.2, 0.3], [1.0, 0.4], x) ** 2),
}
"""Functions of which a recording is the same but for roundings."""


@pytest.mark.parametrize("function", ROUNDED_OTHERWISE.values(), ids=ROUNDED_OTHERWISE)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_roundings_are_no_value_that_comes_back_and_hide_none(function, seed):
    x = np.random.default_rng(seed).normal(size=4)
    kept = lambda x: [LOG.append(x.tobytes()), function(x)][1]  # noqa: E731
    np.testing.assert_array_equal(symtape.grad(kept)(x), symtape.grad(function)(x))
    with pytest.raises(Escaped):
        symtape.grad(lambda x: function(x) + 1e-12 * left(x[0]))(x)


@settings(max_examples=40, deadline=None)
@given(
    start=st.floats(-1e3, 1e3, allow_subnormal=False),
    slope=st.floats(-1e3, 1e3, allow_subnormal=False),
    count=st.integers(3, 9),
)
def test_a_residual_of_nothing_but_roundings_is_followed(start, slope, count):
    x = start + slope * np.arange(count)
    found = symtape.grad(ROUNDED_OTHERWISE["detrend"])(x)
    assert np.all(np.abs(found) <= 1e-12 * np.max(np.abs(x)))
    symtape.jacobian(scipy.signal.detrend)(x)


def test_writes_and_views_have_codes():
    x = symtape.constant(X)
    for code, write in {
        "inplace:setitem": lambda: x.__setitem__(0, 1.0),
        "inplace:mask": lambda: x.__setitem__(X > 1, 1.0),
        "inplace:fill": lambda: x.fill(1.0),
    }.items():
        with pytest.raises(NotOnTape) as error:
            write()
        assert error.value.code == code
    with pytest.raises(NotOnTape, match="the bits of numbers"):
        x.view(np.int64)
    assert x.view() is x
    graph = symtape.record(COMES_BACK["packed"][1], X, escapes="constant")
    assert {escape.code for escape in graph.escapes} == {"escape:float"}
