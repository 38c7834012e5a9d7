"""What a function gives does not depend on what was differentiated before."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import scipy.spatial
import scipy.stats

import symtape
import verify
from symtape.errors import Escaped, SymtapeError
from verify.model.verdict import Verdict

X = np.array([0.5, 2.0])


def by(method):
    """Functions of one code, of which some cannot be recorded."""

    def function(x):
        return method(x)

    return function


def in_compiled_code(x):
    return scipy.spatial.ConvexHull(np.reshape([*x, 0.0, 0.0, 1.0, 3.0], (3, 2))).volume


def test_failures_before_change_nothing():
    good = by(lambda x: np.sum(scipy.stats.norm.logpdf(np.asarray(x))))
    for _ in range(5):
        for call in (symtape.grad(by(in_compiled_code)), verify_it):
            try:
                call(X)
            except SymtapeError:
                continue
    np.testing.assert_array_equal(symtape.grad(good)(X), -X)
    assert verify.gradient(good, at=[X]).verdict is Verdict.CORRECT


def verify_it(x):
    assert verify.gradient(by(in_compiled_code), at=[x]).verdict is not Verdict.CORRECT


def test_text_beside_one_path_is_not_beside_another():
    def f(x):
        text = f"{x[0]:.17g}"
        return x[1] if x[0] > 0 else x[1] * float(text)

    np.testing.assert_array_equal(symtape.grad(f)(X), [0.0, 1.0])
    try:
        slope = symtape.grad(f)(-X)
    except SymtapeError:
        return
    np.testing.assert_array_equal(slope, -X[::-1])


def test_text_that_decides_at_one_point_is_asked_for_there():
    def f(x):
        return 3 * x if f"{x:.3f}".startswith("-") else x * float(f"{x:.17g}") + x

    for _ in range(2):
        assert symtape.grad(f)(-1.0) == 3.0
        with pytest.raises(Escaped, match=r"by text, at .*test_history.py:\d+ in f"):
            symtape.grad(f)(2.0)


def doubles(x):
    return 2.0 * x


def by_type(x):
    return x**2 if type(x) is np.float64 else x**3


def test_a_closure_of_the_same_code_is_looked_at_for_itself():
    assert symtape.grad(by(doubles))(2.0) == 2.0
    assert symtape.grad(by(by_type))(2.0) == 4.0


def test_a_global_that_is_another_function_now_is_looked_at_anew(monkeypatch):
    def function(x):
        return doubles(x)

    assert symtape.grad(function)(2.0) == 2.0
    monkeypatch.setitem(globals(), "doubles", by_type)
    assert symtape.grad(function)(2.0) == 4.0


class Counted:
    """A function of plain arrays, which counts its calls: first as it stands a value leaves it."""

    def __init__(self):
        self.calls = 0

    def method(self, x):
        self.calls += 1
        made = np.zeros(2)
        made[1] = x[0] ** 2
        return np.sum(made)


def as_function(counted):
    return lambda x: counted.method(x)


def as_partial(counted):
    return functools.partial(Counted.method, counted)


def as_method(counted):
    return counted.method


@pytest.mark.parametrize("kind", [as_function, as_partial, as_method])
def test_what_had_to_be_read_is_read_at_once_the_next_time(kind):
    counted = Counted()
    slope = symtape.grad(kind(counted))
    np.testing.assert_array_equal(slope(X), [1.0, 0.0])
    first, counted.calls = counted.calls, 0
    np.testing.assert_array_equal(slope(X), [1.0, 0.0])
    assert counted.calls < first
