"""Changes of source: each is one place, makes another function, and says what it is."""

from __future__ import annotations

import numpy as np
import pytest

from verify.selftest.rewriting import rewritten, see, watch_call


def polynomial(x, y):
    """A docstring, which is left alone."""
    z = 3 * x - y / 2.0
    return np.sin(z) + x**2 if x < y else np.where(x > 4, z, -x)


SCALE = 2.0
CLOSED = [lambda x, k=k: k * x + SCALE for k in (1, 5)]


def test_every_change_has_a_name_and_shows_itself():
    found = list(rewritten(polynomial, ("x", "y")))
    assert len(found) >= 25
    assert {change.operator for change in found} >= {
        "sign of a term",
        "dropped term",
        "missing factor",
        "missing divisor",
        "missing power",
        "off by one",
        "constant 1 + 1e-12",
        "wrong argument",
        "stale branch",
        "another function",
        "degrees for radians",
    }
    for change in found:
        old, new = change.words.split(" → ")
        assert old != new


def test_every_change_changes_the_value_somewhere():
    points = [(0.5, 1.25), (5.0, 1.5), (2.0, 1.5), (-1.0, -3.0)]
    right = [polynomial(*point) for point in points]
    for change in rewritten(polynomial, ("x", "y")):
        assert [change.function(*point) for point in points] != right, change.words


def test_the_function_itself_stays_as_it_is():
    before = polynomial(0.5, 1.25)
    list(rewritten(polynomial, ("x", "y")))
    assert polynomial(0.5, 1.25) == before


def test_lambdas_keep_their_defaults_and_names():
    changes = {change.words: change.function for change in rewritten(CLOSED[1])}
    assert changes["k * x + SCALE → k * x"](3) == 15
    assert changes["k * x + SCALE → k * x - SCALE"](3) == 13


def test_closures_are_kept():
    offset = 7

    def shifted(x):
        return x + offset

    changes = {change.words: change.function for change in rewritten(shifted)}
    assert changes["x + offset → x - offset"](3) == -4


@pytest.mark.parametrize("function", [np.sin, len, eval("lambda x: x + 1")])
def test_of_what_has_no_source_nothing_is_made(function):
    assert list(rewritten(function)) == []


def test_watchers_show_both_values_from_the_inside_out():
    change = next(c for c in rewritten(polynomial) if c.words.startswith("3 * x → x"))
    shown = []
    for _, watcher in change.watchers():
        shown.append(watch_call(lambda watcher=watcher: watcher(0.5, 1.25)))
    assert shown[0] == [(1.5, 0.5)]
    assert shown[1] == [(1.5 - 0.625, 0.5 - 0.625)]


def test_what_is_not_reached_is_not_seen():
    change = next(c for c in rewritten(polynomial) if c.words.startswith("np.where"))
    _, watcher = next(change.watchers())
    assert watch_call(lambda: watcher(0.5, 1.25)) == []
    assert len(watch_call(lambda: watcher(2.0, 1.5))) == 1
    assert watch_call(lambda: see(1, 2)) == [(1, 2)]
