"""Compiled, mapped and plain calls agree, for any program, inputs and changes of state.

Or the compiled one raises in words.
"""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.errors import SymtapeError

STATE = {"factor": 2.0, "powers": [1, 2]}
WEIGHTS = np.array([0.5, -1.5])


class Holder:
    shift = 0.25

    @property
    def doubled(self):
        return 2.0 * self.shift


HOLDER = Holder()


@functools.cache
def remembered(k):
    return k * STATE["factor"]


@functools.lru_cache(maxsize=4)
def remembered_for_a_while(k):
    return k * HOLDER.doubled


def scaled(y, t):
    y = y.copy()
    y[y < t] *= 0.1
    return y


def halved(y, t):
    while np.sum(y * y) > 4.0:
        y = y / 2
    return y


STATEMENTS = {
    "chosen": lambda y, t: np.append(y[y > t], 1.0),
    "scaled in place": scaled,
    "replaced": lambda y, t: np.where(y > t, y, t * y),
    "sorted": lambda y, t: np.sort(y),
    "up to the largest": lambda y, t: y[: np.argmax(y) + 1],
    "without the least": lambda y, t: np.append(np.delete(y, np.argmin(y)), t),
    "centred": lambda y, t: y - np.mean(y[y >= y[0]]),
    "by its size": lambda y, t: y / len(y[y != t]) if len(y[y != t]) else y,
    "groups": lambda y, t: y * np.unique(np.sign(y), return_inverse=True)[1],
    "places": lambda y, t: y + np.flatnonzero(y > t).size,
    "branch": lambda y, t: np.sin(y) if np.sum(y) > t else y**2,
    "loop": halved,
    "rounded": lambda y, t: y * round(y[0]),
    "repeated": lambda y, t: np.repeat(y, (y > t).astype(int) + 1)[:6],
    "text": lambda y, t: y if len(f"{y[0]:.3f}") < 8 else -y,
    "of a dict": lambda y, t: y * STATE["factor"],
    "of a list": lambda y, t: y ** STATE["powers"][1],
    "of an array": lambda y, t: y + WEIGHTS[0] * y[0],
    "of an object": lambda y, t: y - HOLDER.doubled,
    "of a memory": lambda y, t: y * remembered(3),
    "of a short memory": lambda y, t: y * remembered_for_a_while(t),
}

CHANGES = {
    "nothing": lambda v: None,
    "dict": lambda v: STATE.update(factor=v),
    "list": lambda v: STATE["powers"].__setitem__(1, 2 + int(abs(v)) % 2),
    "array": lambda v: WEIGHTS.__setitem__(0, v),
    "object": lambda v: setattr(HOLDER, "shift", v),
    "class": lambda v: setattr(Holder, "shift", v),
    "memory": lambda v: (remembered.cache_clear(), remembered_for_a_while(v)),
}

NUMBERS = st.integers(-12, 12).map(lambda k: k / 4)
POINTS = st.lists(NUMBERS, min_size=3, max_size=3)
PROGRAMS = st.lists(st.tuples(st.sampled_from(sorted(STATEMENTS)), NUMBERS), min_size=1, max_size=4)
STEPS = st.lists(
    st.tuples(POINTS, st.sampled_from(sorted(CHANGES)), NUMBERS), min_size=2, max_size=5
)


def made(program):
    def function(x):
        y = x
        for name, number in program:
            y = STATEMENTS[name](y, number)
        return np.sum(y * np.arange(1.0, 1.0 + len(y)))

    return function


def outcome(call, x):
    try:
        return np.asarray(call(x))
    except Exception as error:  # noqa: BLE001  # of the function, which the others are to raise, too
        return error


def check(found, expected):
    if isinstance(found, SymtapeError):
        assert str(found)
    elif isinstance(expected, Exception):
        assert isinstance(found, Exception)
    elif isinstance(found, Exception):
        raise found
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def agree(program, steps):
    begin_anew()
    function = made(program)
    for plain in (function, symtape.grad(function)):
        compiled, mapped = symtape.jit(plain), symtape.vmap(plain)
        for point, change, value in steps:
            CHANGES[change](value)
            expected = outcome(plain, np.array(point))
            check(outcome(compiled, np.array(point)), expected)
        points = np.array([point for point, _, _ in steps])
        slices = [outcome(plain, x) for x in points]
        if not any(isinstance(one, Exception) for one in slices):
            check(outcome(mapped, points), np.stack(slices))


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def begin_anew():
    """The state at the beginning, whatever the example before this one did to it."""
    remembered.cache_clear()
    remembered_for_a_while.cache_clear()
    STATE.update(factor=2.0, powers=[1, 2])
    WEIGHTS[0], Holder.shift = 0.5, 0.25
    vars(HOLDER).clear()


def test_a_memory_that_is_emptied_is_read_again():
    program = [("of a memory", 0.0), ("of a short memory", 1.0)]
    changes = ("nothing", "dict", "memory", "nothing", "class", "memory", "dict", "memory")
    agree(program, [([1.0, 2.0, k], change, k + 0.5) for k, change in enumerate(changes)])


@pytest.mark.parametrize("memory", ["of a memory", "of a short memory"])
@pytest.mark.parametrize("change", ["dict", "object"])
def test_a_memory_answers_what_it_held_before(memory, change):
    """It is recorded at zeros, where a factor that has changed since makes no difference."""
    steps = [("nothing", 0.0), (change, -4.0), ("nothing", 0.0)]
    points = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 2.0, 1.0]
    program = [(memory, 2.75), ("scaled in place", 2.5)]
    agree(program, [(x, *step) for x, step in zip(points, steps, strict=True)])


@pytest.mark.long
@settings(max_examples=25, derandomize=True, deadline=None)
@given(PROGRAMS, STEPS)
def test_compiled_is_eager(program, steps):
    agree(program, steps)


@pytest.mark.campaign
@settings(max_examples=1000, deadline=None)
@given(PROGRAMS, STEPS)
def test_compiled_is_eager_of_many_programs(program, steps):
    agree(program, steps)
