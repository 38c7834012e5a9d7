"""Claimed values beside enclosures: what is beyond, which entry is shown, what has power."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

from verify.judging.rounding.comparison import compare


def compared(claimed, exact, allowed, only=None, dtype=np.float64):
    truth = SimpleNamespace(parts=[np.array([arb(x) for x in exact], dtype=object)])
    bounds = [np.array(allowed, dtype=float)]
    return compare([np.array(claimed, dtype=dtype)], truth, bounds, only)


EPS = 2.0**-52


@pytest.mark.parametrize(
    ("claimed", "exact", "allowed", "beyond", "index", "ulps"),
    [
        ([1.0, 2.0], [1.0, 2.0], [0.0, 0.0], False, 0, 0.0),
        ([1.0 + EPS, 2.0], [1.0, 2.0], [EPS, 0.0], False, 0, 1.0),
        ([1.0 + 2 * EPS, 2.0], [1.0, 2.0], [EPS, 0.0], True, 0, 2.0),
        ([1.0 + 9 * EPS, 2.0 + 4 * EPS], [1.0, 2.0], [10 * EPS, EPS], True, 1, 2.0),
        ([np.nan, 2.0], [1.0, 2.0], [9.0, 9.0], True, 0, np.inf),
        ([1.0, -np.inf], [1.0, 2.0], [9.0, 9.0], True, 1, np.inf),
        ([0.0, 2.0], [0.0, 2.0], [0.0, 0.0], False, 0, 0.0),
        ([1e-300, 2.0], [0.0, 2.0], [0.0, 0.0], True, 0, 1e-300 / 2.0**-1074),
    ],
)
def test_the_entry_that_is_beyond_is_shown(claimed, exact, allowed, beyond, index, ulps):
    found = compared(claimed, exact, allowed)
    assert found.beyond is beyond
    assert found.worst.index == (index,)
    assert found.worst.ulps == pytest.approx(ulps, rel=1e-12)


def test_only_some_entries_may_be_shown():
    found = compared([5.0, 2.5], [1.0, 2.0], [0.0, 0.0], [np.array([False, True])])
    assert found.worst.index == (1,)
    assert found.beyond


def test_what_is_allowed_beside_the_value_decides_the_power():
    assert compared([1.0], [1.0], [0.5]).powerless
    assert compared([1.0], [1.0], [0.5]).power == "excludes faults above 0.5 of the value"
    assert compared([0.0], [0.0], [1e-9]).power == "excludes faults above 1e-09, beside 0"
    assert not compared([1.0], [1.0], [1e-9]).powerless


def test_float32_is_compared_in_its_own_ulps():
    value = np.float32(1.0) + np.float32(2.0**-23)
    assert compared([value], [1.0], [1.0], dtype=np.float32).worst.ulps == 1.0


def test_a_wide_enclosure_counts_from_its_nearest_point():
    truth = SimpleNamespace(parts=[np.array([arb(1.0, 0.25)], dtype=object)])
    allowed = [np.zeros(1)]
    assert not compare([np.array([1.25])], truth, allowed).beyond
    assert compare([np.array([1.26])], truth, allowed).beyond


def test_of_no_entries_nothing_is_beyond():
    found = compared([], [], [])
    assert found.worst is None
    assert not found.beyond
