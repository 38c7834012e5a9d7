"""Conventions of functions: what they find, what they pose, and lies among it."""

import re
import sys
import types
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from scipy import stats

from tests.documents import ROOT
from verify.auditing import NotPosed, Pair
from verify.auditing.packages.conventions import (
    derivative_objects,
    distributions,
    order_argument,
)
from verify.auditing.packages.manifest import _PAIR
from verify.auditing.packages.registry import GROUP, find_conventions, own
from verify.judging.judge import verify_case
from verify.limits.limit import DEFAULT_BUDGET

SOURCE = '''
import numpy as np

def power(x, order=0):
    """A power, or its derivative."""
    return x**3 if order == 0 else 3 * x**2 if order == 1 else 7 * x

class Sheet:
    def __call__(self, x, nu=0):
        'A profile, or its derivative of order nu.'
        return [np.sin(x), np.cos(x), -np.sin(x)][nu]

    def height(self, x, y, kx=0, ky=0):
        return [x**3, 3 * x**2, 6 * x][kx] * [np.exp(2 * y), np.exp(2 * y), np.exp(2 * y)][ky]

    def width(self, x, dim=0, kind=0):
        return x + dim + kind

class Series:
    def __init__(self, coef, lie=0.0):
        self.coef, self.lie = list(coef), lie

    def __call__(self, x):
        return sum(c * x**k for k, c in enumerate(self.coef)) + self.lie * x

    def deriv(self, n=1):
        coef = [k * c for k, c in enumerate(self.coef)][1:]
        return Series(coef, 1.0) if n == 1 else Series(coef).deriv(n - 1)
'''


@pytest.fixture
def module(monkeypatch):
    made = types.ModuleType("lying")
    monkeypatch.setitem(sys.modules, "lying", made)
    exec(compile(SOURCE, "lying.py", "exec"), made.__dict__)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("convention", "expected"),
    [
        (
            order_argument.CONVENTION,
            {
                "power[order=1]": "CORRECT",
                "power[order=2]": "WRONG",
                "Sheet.height[kx=1]": "CORRECT",
                "Sheet.height[kx=2]": "CORRECT",
                "Sheet.height[ky=1]": "WRONG",
                "Sheet.height[ky=2]": "WRONG",
                "Sheet.__call__[nu=1]": "CORRECT",
                "Sheet.__call__[nu=2]": "CORRECT",
            },
        ),
        (
            derivative_objects.CONVENTION,
            {"Series.deriv(1)": "WRONG", "Series.deriv(2)": "WRONG"},
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_lies_of_a_module_are_caught(convention, expected, module):
    found = {}
    for pair in convention.find(module):
        case = convention.pose(pair)
        found[pair.id.partition(":")[2]] = verify_case(case, DEFAULT_BUDGET, 0.02).verdict.value
    assert found == expected


@pytest.mark.long
@pytest.mark.parametrize(
    ("convention", "module", "some"),
    [
        (distributions.CONVENTION, stats._continuous_distns, ":norm.pdf[cdf]"),
        (derivative_objects.CONVENTION, np.polynomial.chebyshev, ":Chebyshev.deriv(1)"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_pairs_of_libraries_are_found_and_posed(convention, module, some):
    pairs = [pair for pair in convention.find(module) if isinstance(pair, Pair)]
    assert len({pair.id for pair in pairs}) == len(pairs)
    (pair,) = [pair for pair in pairs if pair.id.endswith(some)]
    case = convention.pose(pair)
    point = next(case.over.points(0))
    assert np.isfinite(case.function(*point))
    assert np.isfinite(case.claimed(*point))


def test_what_a_class_is_made_of_may_be_unknown(module):
    pair = Pair("lying:Mine.deriv(1)", "derivative-objects", "lying", "Mine", "deriv(1)")
    module.Mine = Mine
    with pytest.raises(NotPosed, match="a Mine is made of nothing"):
        derivative_objects.CONVENTION.pose(pair)


def test_the_page_has_a_row_for_every_convention():
    page = (ROOT / "docs" / "auditing-a-library.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for each in own():
        assert f"| `{each.name}` | {each.summary} |" in rows


def test_the_page_has_a_row_for_every_key_of_a_pair():
    page = (ROOT / "docs" / "auditing-a-library.md").read_text()
    told = {key for line in page.splitlines() if line.startswith("| `") for key in _keys(line)}
    assert set(_PAIR) <= told


def _keys(line):
    return re.findall(r"`(\w+)`", line.split("|")[1])


class Mine:
    name, summary = "mine", "mine"

    def find(self, module):
        yield from ()

    def pose(self, pair):
        raise NotPosed("never")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("no_such:thing", "does not load: ModuleNotFoundError: No module named 'no_such'"),
        ("math:pi", "does not load: TypeError: a float has no name and no summary and no find"),
        ("lying:taken", "is left out: 'distributions' is taken"),
    ],
)
def test_a_broken_plugin_is_told_and_left_out(value, words, module):
    module.taken = type("Taken", (Mine,), {"name": "distributions"})
    module.good = Mine
    found = find_conventions(
        [EntryPoint("bad", value, GROUP), EntryPoint("good", "lying:good", GROUP)]
    )
    assert "mine" in found.conventions
    assert [words in each for each in found.broken] == [True]
