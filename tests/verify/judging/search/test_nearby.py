"""Points near those that were drawn: ties, climbs, decades."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify.judging.search.evaluator import Evaluation, Status
from verify.judging.search.nearby import (
    climb_error,
    gather_numbers,
    peaks,
    sample_decades,
    tie_numbers,
)
from verify.model.grade import is_extreme
from verify.model.verdict import Verdict
from verify.regions import as_region

LINE = as_region([1.0, 1e6], ["x"])


def evaluation(x, ulps=0.0):
    return Evaluation((np.float64(x),), Status.COMPARED, (), ulps, 1.0, 1.0, "float64")


def test_ties_are_equal_or_opposite_numbers_of_the_region():
    region = as_region(verify.box(-3, 3, shape=(4,)), ["x"])
    random = np.random.default_rng(0)
    points = [region.draw(random, "uniform") for _ in range(30)]
    found = list(tie_numbers(region, points, random))
    assert len(found) == 30
    for x in found:
        assert region.contains(x)
        assert len(set(np.abs(x[0]).tolist())) == 3
    assert not list(tie_numbers(LINE, [(np.float64(2.0),)], random)), (
        "one number has no other to equal"
    )


def test_a_climb_ends_near_the_top():
    top = 12345.678

    def evaluate(x):
        return evaluation(x[0], 1e6 / (1 + abs(float(x[0]) - top)))

    seen = []

    def kept(x):
        seen.append(evaluate(x))
        return seen[-1]

    start = evaluate((np.float64(9000.0),))
    climb_error(LINE, start, kept, np.random.default_rng(0))
    assert max(r.ulps for r in seen) > 20 * start.ulps
    assert len(seen) <= 60


def test_peaks_are_above_their_neighbours():
    heights = {1.0: 5.0, 2.0: 9.0, 3.0: 0.5, 4.0: 7.0, 5.0: 0.9}
    found = peaks(LINE, [evaluation(x, ulps) for x, ulps in heights.items()], 5)
    assert [float(r.x[0]) for r in found] == [2.0, 4.0]
    assert not peaks(LINE, [evaluation(2.0, 0.5)], 5)


@pytest.mark.parametrize("most", [3, 6, 24])
def test_each_decade_has_one(most):
    random = np.random.default_rng(1)
    drawn = [evaluation(x) for x in np.exp(random.uniform(0, np.log(1e6), 300))]
    found = sample_decades(LINE, drawn, most)
    decades = {int(np.log10(float(r.x[0]))) for r in found}
    assert len(found) == len(decades) == min(most, 6)


def test_gathered_points_are_close_together_and_in_the_region():
    region = as_region(verify.box(-3, 3, shape=(5,)), ["x"])
    random = np.random.default_rng(2)
    points = [region.draw(random, "uniform") for _ in range(30)]
    found = list(gather_numbers(region, points, random))
    assert len(found) == 30
    for x, (numbers,) in zip(found, points, strict=True):
        assert region.contains(x)
        assert np.ptp(x[0]) <= np.ptp(numbers) / 4 * (1 + 1e-12)
    assert not list(gather_numbers(LINE, [(np.float64(2.0),)], random)), (
        "one number is close to itself"
    )


@pytest.mark.long
def test_what_needs_all_numbers_in_one_narrow_range_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))

    def claimed(x):
        return 3 * x * x * (1 + 0.1 * np.all((x > 0.8) & (x < 0.95)))

    over = verify.box(-1, 1, shape=(5,))
    result = verify.gradient(lambda x: np.sum(x**3), claimed=claimed, over=over)
    assert result.verdict is verify.Verdict.WRONG
    assert (
        verify.gradient(lambda x: np.sum(x**3), claimed=lambda x: 3 * x * x, over=over).verdict
        is verify.Verdict.CORRECT
    )


A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])

TRANSPOSED = {
    "linear": (lambda x: A @ x, lambda x: A.T),
    "sine": (lambda x: A @ np.sin(x), lambda x: (A * np.cos(x)).T),
    "square": (lambda x: A @ x**2, lambda x: 2 * (A * x).T),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSPOSED)
@pytest.mark.parametrize("bound", [1e150, np.inf])
def test_an_ordinary_point_beats_an_extreme_one(name, bound):
    function, claim = TRANSPOSED[name]
    region = verify.box(-bound, bound, shape=(3,))
    result = verify.jacobian(function, claimed=claim, over=region)
    assert result.verdict is Verdict.WRONG
    assert not is_extreme(result.witness.x)
    assert result.witness.note == ""
    assert "transposed" in result.witness.message
    assert "outside the ordinary range" not in str(result)


@pytest.mark.parametrize("order", [1, -1])
def test_of_points_that_are_given_an_ordinary_one_is_the_witness(order):
    points = [np.array([1e-101, 0.0, 0.0]), np.array([1.0, 1.0, 1.0])][::order]
    result = verify.jacobian(lambda x: A @ x, claimed=lambda x: A.T, at=points)
    assert not result.notes
    np.testing.assert_array_equal(result.witness.x[0], np.ones(3))
    np.testing.assert_array_equal(result.worst.x[0], np.ones(3))
