"""Laws of verdicts: units are a convention, and a claim that is CORRECT can be told from others."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import symtape
import verify
from benchmarks.corpus import rows
from verify import Verdict
from verify.errors import UsageError
from verify.strategies import programs

SETTINGS = settings(
    derandomize=True,
    phases=[Phase.generate, Phase.shrink],
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

K = np.array([2.998e8, 6.674e-11, 0.3])
DATA = np.array([[1.6e9, 0.3, 1.25], [1.61e9, 0.7, -0.4], [1.62e9, -0.2, 2.1]])
TARGETS = np.array([1.0, 2.0, 3.3])
AT = np.array([1.3, 0.7, -0.45])

FUNCTIONS = {
    "a sum in mixed units": (lambda x: np.sum(K * x**2), lambda x: 2 * K * x),
    "least squares": (
        lambda w: 0.5 * np.sum((DATA @ w - TARGETS) ** 2),
        lambda w: DATA.T @ (DATA @ w - TARGETS),
    ),
    "merged constants": (
        lambda x: np.sum(K * (0.1 * x**3 - 0.3 * x)),
        lambda x: K * (0.3 * x**2 - 0.3),
    ),
    "a sum of logarithms": (lambda x: np.sum(np.log(0.1 + x**2)), lambda x: 2 * x / (0.1 + x**2)),
    "computed constants": (
        lambda x: np.sum(np.sqrt(K) * np.sin(x)),
        lambda x: np.sqrt(K) * np.cos(x),
    ),
}


def change(slope, at, factor):
    """The claim with one entry, counted on, times a factor."""

    def claim(*xs):
        found = slope(*xs)
        parts = list(found) if isinstance(found, tuple) else [found]
        left = at
        for number, part in enumerate(parts):
            size = np.size(part)
            if left < size:
                marks = np.arange(size).reshape(np.shape(part)) == left
                parts[number] = part * np.where(marks, factor, 1.0)
                break
            left -= size
        return tuple(parts) if isinstance(found, tuple) else parts[0]

    return claim


def exchanged(slope):
    return lambda x: slope(x)[[1, 0, *range(2, len(x))]]


def rescaled(function, slope, units):
    return (lambda z: function(units * z)), (lambda z: units * slope(units * z))


FAULTS = [1.0, 1.001, -1.0, 0.0, 1 + 1e-12]


def same_in_other_units(function, slope, at, powers):
    units = 2.0 ** np.asarray(powers, dtype=float)
    other, other_slope = rescaled(function, slope, units)
    one = verify.gradient(function, slope, at=[at])
    two = verify.gradient(other, other_slope, at=[at / units])
    assert two.verdict is one.verdict, f"{one}\n{two}"
    here, there = one.points[0].worst, two.points[0].worst
    if here is not None and there is not None and not (here.beside or there.beside):
        assert (here.index, here.ulps) == (there.index, pytest.approx(there.ulps, rel=1e-6))


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("factor", FAULTS)
def test_units_change_no_verdict(name, factor):
    function, slope = FUNCTIONS[name]
    for entry, powers in ((0, [7, -3, 11]), (1, [-30, 30, 0])):
        same_in_other_units(function, change(slope, entry, factor), AT, powers)


@pytest.mark.campaign
@settings(SETTINGS, max_examples=300)
@given(
    name=st.sampled_from(sorted(FUNCTIONS)),
    factor=st.sampled_from(FAULTS),
    entry=st.integers(0, 2),
    powers=st.tuples(*[st.integers(-60, 60)] * 3),
)
def test_units_of_any_size_change_no_verdict(name, factor, entry, powers):
    function, slope = FUNCTIONS[name]
    same_in_other_units(function, change(slope, entry, factor), AT, powers)


def constants_in_pairs(power, entry, factor):
    """A constant as much larger as another is smaller, of one product."""
    up, down = 2.0**power * K, 2.0**-power * K[::-1]
    slope = change(lambda x: 2 * up * down * x, entry, factor)
    return verify.gradient(lambda x: np.sum(up * x * x * down), slope, at=[AT])


@pytest.mark.slow
@pytest.mark.parametrize("factor", FAULTS)
def test_constants_rescaled_in_pairs_change_no_verdict(factor):
    for entry in range(3):
        known = constants_in_pairs(0, entry, factor).verdict
        assert all(constants_in_pairs(p, entry, factor).verdict is known for p in (9, -40))


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_correct_claim_is_told_from_others(name):
    function, slope = FUNCTIONS[name]
    assert verify.gradient(function, slope, at=[AT]).verdict is Verdict.CORRECT
    for entry in range(3):
        for factor in (1.001, -1.0, 0.0):
            wrong = verify.gradient(function, change(slope, entry, factor), at=[AT])
            assert wrong.verdict is not Verdict.CORRECT, str(wrong)
    wrong = verify.gradient(function, exchanged(slope), at=[AT])
    assert wrong.verdict is not Verdict.CORRECT, str(wrong)


MIXED = np.array([[0.3, 1.1, 0.0], [0.7, 0.2, 0.9], [0.1, 0.4, 0.6]])
TURNED = np.array([0.7, -1.2, 0.4])
OTHERS = {
    "jacobian": (
        lambda x: np.sqrt(K) * np.sin(MIXED @ x),
        lambda x: (np.sqrt(K) * np.cos(MIXED @ x))[:, None] * MIXED,
        (AT,),
    ),
    "vjp": (
        lambda x: K * np.sin(MIXED @ x),
        lambda x, g: MIXED.T @ (K * g * np.cos(MIXED @ x)),
        (AT, TURNED),
    ),
    "hessian": (
        lambda x: np.sum(K * np.sin(x)) + np.prod(x),
        lambda x: np.diag(-K * np.sin(x)) + np.prod(x) / np.outer(x, x) * (1 - np.eye(3)),
        (AT,),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("quantity", OTHERS)
def test_other_correct_claims_are_told_from_others(quantity):
    function, claim, at = OTHERS[quantity]
    right = verify.derivative(quantity, function, claim, at=[at])
    assert right.verdict is Verdict.CORRECT, str(right)
    entries = np.ravel(claim(*at))
    for place in np.flatnonzero(entries).tolist():
        for factor in (1.001, -1.0, 0.0):
            changed = change(claim, place, factor)
            wrong = verify.derivative(quantity, function, changed, at=[at])
            assert wrong.verdict is not Verdict.CORRECT, str(wrong)


ROWS: Final = [
    name
    for name, row in rows().items()
    if row.quantity == "gradient" and row.smooth and not row.approximate
]


def told_from_others(function, slope, point):
    """Assert it of each entry that moves the value by half a unit in its last place or more.

    Some roundings of the largest entry are what may be left of an exact 0.
    """
    if verify.gradient(function, slope, at=[point]).verdict is not Verdict.CORRECT:
        return
    found = slope(*point)
    parts = [np.ravel(part) for part in (found if isinstance(found, tuple) else (found,))]
    entries = np.concatenate(parts).astype(float)
    with np.errstate(all="ignore"):
        least = float(np.spacing(np.abs(np.float64(function(*point)))))
    left = 8 * np.spacing(np.max(np.abs(entries)))
    for at, entry in enumerate(entries[:4]):
        for factor in (1.001, -1.0, 0.0):
            if abs(entry * (factor - 1)) <= least / 2 or abs(entry) <= left:
                continue
            wrong = verify.gradient(function, change(slope, at, factor), at=[point])
            assert wrong.verdict is not Verdict.CORRECT, str(wrong)


def corpus_row_is_sensitive(name):
    row = rows()[name]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        terms = {"at": row.at} if row.over is None else {"over": row.over}
        result = verify.gradient(row.function, row.derivative, effort=0.02, **terms)
        ordinary = [
            point.x
            for point in result.points
            if point.verdict is Verdict.CORRECT
            and all(np.all((np.abs(x) > 1e-3) & (np.abs(x) < 1e3)) for x in point.x)
        ]
        for x in ordinary[-2:]:
            told_from_others(row.function, row.derivative, x)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS[::60])
def test_correct_claims_of_the_corpus_are_told_from_others(name):
    corpus_row_is_sensitive(name)


@pytest.mark.campaign
@pytest.mark.parametrize("name", ROWS)
def test_each_correct_claim_of_the_corpus_is_told_from_others(name):
    corpus_row_is_sensitive(name)


def random_program_is_sensitive(program):
    gradient = symtape.grad(program.function, argnums=tuple(range(len(program.point))))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            told_from_others(program.function, gradient, program.point)
        except UsageError:
            return


@pytest.mark.long
@settings(SETTINGS, max_examples=3)
@given(program=programs(size=4))
def test_correct_claims_of_random_programs_are_told_from_others(program):
    random_program_is_sensitive(program)


@pytest.mark.campaign
@settings(SETTINGS, max_examples=100)
@given(program=programs(size=6))
def test_correct_claims_of_many_random_programs_are_told_from_others(program):
    random_program_is_sensitive(program)
