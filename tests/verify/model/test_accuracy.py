"""What is kept of a survey: nothing that matters is thinned away, and the rest is small."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.model.accuracy import BINS, Accuracy, Profile, all_bits, place_on_scale
from verify.model.result import Survey
from verify.reporting.codec import decode, encode

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.tuples(NUMBERS, NUMBERS, st.floats(0) | st.just(math.nan))


def surveyed(x, ulps, claimed=None, exact=None, dtype: str = "float64") -> Survey:
    """A survey over one coordinate, or several as columns."""
    x = np.asarray(x, dtype=float)
    table = x if x.ndim == 2 else x[:, np.newaxis]
    names = tuple(f"x[{k}]" for k in range(table.shape[1]))
    ones = np.ones(len(table))
    claimed = ones if claimed is None else np.asarray(claimed, dtype=float)
    exact = ones if exact is None else np.asarray(exact, dtype=float)
    return Survey(names, table, np.asarray(ulps, dtype=float), claimed, exact, dtype)


def bits_of(ulps) -> np.ndarray:
    """Bits of error, 64 of them for what is not finite."""
    with np.errstate(all="ignore"):
        return np.minimum(np.nan_to_num(np.log2(1 + ulps), nan=64.0, posinf=64.0), 64.0)


@given(st.lists(ROWS, min_size=1, max_size=80))
@settings(derandomize=True, deadline=None, max_examples=80)
def test_the_largest_errors_stay(rows) -> None:
    x = np.array([row[:2] for row in rows])
    ulps = np.array([row[2] for row in rows])
    kept = Accuracy.from_survey(surveyed(x, ulps))
    worst = bits_of(ulps).max()
    assert max(kept.bits) == pytest.approx(worst, abs=0.01)
    for coordinate in kept.coordinates:
        assert len(coordinate.x) == len(kept.bits) == len(kept.marks)
        assert sum(segment.count for segment in coordinate.segments) == len(rows) == kept.count
        for profile in coordinate.profiles:
            assert len(profile.peaks) == BINS
            known = [peak for peak in profile.peaks if peak is not None]
            assert max(known) == pytest.approx(worst, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 3, 6])
def test_a_large_survey_becomes_small_and_keeps_its_peaks(columns: int) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(20_000, columns)) * 10.0 ** random.integers(-9, 9, (20_000, columns))
    ulps = np.exp(random.normal(size=20_000) * 9)
    kept = Accuracy.from_survey(surveyed(x, ulps, claimed=np.where(ulps > 1e9, 0.0, 1.0)))
    assert len(kept.bits) <= 700
    assert len(json.dumps(encode(kept))) < 60_000
    assert encode(kept) == encode(
        Accuracy.from_survey(surveyed(x, ulps, np.where(ulps > 1e9, 0.0, 1.0)))
    )
    assert max(kept.bits) == round(float(bits_of(ulps).max()), 2)
    assert "0" in kept.marks
    assert "." in kept.marks


def test_what_was_asked_for_stays() -> None:
    x = np.linspace(0, 1, 5001)
    survey = surveyed([*x, 0.123456, 0.654321], np.zeros(5003))
    assert {0.1235, 0.6543} <= set(Accuracy.from_survey(survey, kept=2).coordinates[0].x)


def test_it_survives_json() -> None:
    kept = Accuracy.from_survey(
        surveyed([-1.0, 0.0, 2.0], [0.0, math.nan, math.inf], [1, math.nan, 0])
    )
    assert repr(decode(Accuracy, json.loads(json.dumps(encode(kept))), "it")) == repr(kept)


def test_marks_say_what_is_wrong_beyond_size() -> None:
    claimed = [1.0, 0.0, -1.0, math.nan, math.inf, 0.0, -0.0, 1.0]
    exact = [1.0, 1.0, 1.0, 1.0, 1.0, 1e-320, 0.0, 0.0]
    ulps = [0.0, 9e15, 9e15, math.nan, math.inf, 0.5, 0.0, 9e300]
    kept = Accuracy.from_survey(surveyed(range(8), ulps, claimed, exact))
    assert kept.marks == ".0-!!..."
    assert kept.bits[3:5] == (64.0, 64.0)


@pytest.mark.parametrize(("dtype", "most"), [("float64", 64), ("float32", 32), ("float16", 16)])
def test_no_claim_loses_more_bits_than_it_has(dtype: str, most: int) -> None:
    kept = Accuracy.from_survey(surveyed([1.0, 2.0, 3.0], [1e300, math.nan, 0.0], dtype=dtype))
    assert all_bits(dtype) == most
    assert kept.bits == (most, most, 0.0)


def test_a_coordinate_that_does_not_move_has_a_table_but_no_plot() -> None:
    kept = Accuracy.from_survey(surveyed([[2.0, 1.0], [2.0, 3.0]], [0.0, 5.0]))
    assert kept.coordinates[0].profiles == ()
    assert len(kept.coordinates[0].segments) == 1
    assert kept.coordinates[1].profiles


@pytest.mark.parametrize(
    ("x", "scales"),
    [
        ([-60.0, 60.0], ["floats", "values"]),
        ([1.0, 1.5], ["floats"]),
        ([-1e308, 1e308], ["floats"]),
        ([0.0, 5e-324], ["floats", "values"]),
    ],
)
def test_a_scale_is_drawn_where_it_says_something(x, scales) -> None:
    [coordinate] = Accuracy.from_survey(surveyed(x, [0.0, 0.0])).coordinates
    assert [profile.scale for profile in coordinate.profiles] == scales


@pytest.mark.parametrize("survey", [surveyed([], []), surveyed([math.nan], [1.0])])
def test_a_survey_without_points_leaves_nothing(survey: Survey) -> None:
    assert Accuracy.from_survey(survey) is None


@given(NUMBERS, NUMBERS, st.lists(NUMBERS, min_size=2, max_size=9))
@settings(derandomize=True, deadline=None)
def test_places_on_an_axis_keep_the_order_of_values(one: float, other: float, inside) -> None:
    low, high = sorted((one, other))
    if low == high:
        return
    profile = Profile("floats", low, high, ())
    places = place_on_scale(sorted(inside), profile)
    assert np.all((places >= 0) & (places <= 1))
    assert np.all(np.diff(places) >= 0)
    assert (place_on_scale(low, profile), place_on_scale(high, profile)) == (0.0, 1.0)


def test_the_floats_of_an_axis_are_those_of_the_claim_where_they_hold_the_inputs() -> None:
    def formats(x, dtype: str) -> set[str]:
        [coordinate] = Accuracy.from_survey(surveyed(x, [0.0, 0.0], dtype=dtype)).coordinates
        return {profile.dtype for profile in coordinate.profiles}

    assert formats([-1.0, 1.0], "float32") == {"float32"}
    assert formats([-1.0, 0.1], "float32") == {"float64"}
    assert formats([-1.0, 1e300], "float16") == {"float64"}
    smallest = Profile("floats", 0.0, 1.0, (), dtype="float32")
    assert place_on_scale(1.2e-38, smallest) < 0.01 < place_on_scale(1.2e-37, smallest)
