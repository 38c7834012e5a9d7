"""Searches: what they find, what they count, what they keep, and where they end."""

import itertools
import math

import numpy as np
import pytest

import verify
from tests.packing import left
from verify.errors import UsageError
from verify.files import cache
from verify.judging.judge import verify_case
from verify.judging.search.memory import remember
from verify.model.case import Case, region_of
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict

LITTLE = 0.05


def searched(function, over, claimed=None, quantity="gradient", seed=0, effort=LITTLE):
    region = region_of(function, over)
    case = Case("case", "case", function, (), quantity, claimed, over=region, seed=seed)
    return verify_case(case, effort=effort)


@pytest.fixture(autouse=True)
def forgetful(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    return tmp_path


def steps(x):
    if x > 3:
        return x if x > 7.123 else x * x
    if x < -2.5:
        return np.sin(x)
    if x == 1.25:
        return 9 + 0 * x
    return np.exp(x)


def thin(x):
    total = x[0] + x[1] * x[2]
    if total > 3.0:
        return total * 2 if total < 3.00001 else total * total
    return total


def chosen(x):
    return np.sum(np.where(x > 1.234, x * x, x) + np.maximum(x, 0.5))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "over", "count"),
    [
        (np.sin, [-9, 9], 1),
        (steps, [-10, 10], 5),
        (thin, verify.box(-3, 3, shape=(3,)), 3),
        (chosen, [-10, 10], 3),
    ],
)
def test_every_path_is_found_and_verified(function, over, count):
    assert searched(function, over).coverage.paths == (count, count)


def test_a_fault_on_a_path_that_no_sampling_would_meet_is_found():
    def wrong(x):
        total = x[0] + x[1] * x[2]
        slope = 2 * total if total > 3.0 else 1.0
        return slope * np.array([1.0, x[2], x[1]])

    result = searched(thin, verify.box(-3, 3, shape=(3,)), wrong)
    assert result.verdict is Verdict.WRONG
    total = result.witness.x[0][0] + result.witness.x[0][1] * result.witness.x[0][2]
    assert 3.0 <= total <= 3.00001


def test_domain_edges_are_approached_to_the_last_float():
    def wrong(x):
        return np.where(1 - x < 1e-15, 1.0, 1 / np.sqrt(1 - x * x))

    def half_open(x):
        return np.arcsin(x) if x < 1 else x / 0.0

    result = searched(half_open, [-0.5, 5], wrong)
    assert result.verdict.fails
    assert result.coverage.outside > 0


@pytest.mark.long
def test_the_same_seed_finds_the_same(tmp_path, monkeypatch):
    def late(x):
        return np.cos(x) * (1 + (x > 41.7))

    results = []
    for number, seed in enumerate((3, 3, 4)):
        monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / str(number)))
        results.append(searched(np.sin, [-60, 60], late, seed=seed))
    one, again, other = results
    assert one.witness.x == again.witness.x
    assert [p.x for p in one.points] == [p.x for p in again.points]
    assert one.coverage.tried == again.coverage.tried
    assert np.array_equal(one.survey.coordinates, again.survey.coordinates)
    assert other.coverage.seed == 4
    assert not np.array_equal(one.survey.coordinates, other.survey.coordinates)


def test_the_witness_is_the_simplest_of_its_kind():
    result = searched(np.sin, [-60, 60], lambda x: np.cos(x) * (1 - 2 * (x > 41.7)))
    assert result.witness is result.points[0]
    assert result.witness.x == (50.0,), "one digit, where 41.7 has three"


def test_a_zero_stays_a_zero_when_it_is_shrunk():
    def by_hand(x):
        return 1 - np.tanh(x) ** 2

    result = searched(np.tanh, [-60, 60], by_hand)
    assert result.verdict is Verdict.INACCURATE
    assert result.witness.worst.claimed == 0
    assert abs(result.witness.x[0]) <= 20


def test_the_survey_is_half_even_by_value_and_half_by_float():
    result = searched(lambda x: np.tanh(x), [-60, 60], lambda x: 1 - np.tanh(x) ** 2, effort=0.3)
    survey = result.survey
    places = survey.coordinates[:, 0]
    large = np.abs(places) > 1e-3
    assert 0.4 < np.mean(large) < 0.65
    lost = (survey.claimed == 0) & (np.abs(survey.exact) > 2.3e-308)
    # 2730 of 4001 evenly spaced points of the region.
    assert np.mean(lost[large]) == pytest.approx(2730 / 4001, abs=0.06)
    assert survey.names == ("x",)
    assert survey.dtype == "float64"


@pytest.mark.long
def test_counterexamples_are_tried_first_and_forgotten_when_they_hold(forgetful):
    def gradient(x):
        return np.cos(x) * factor

    factor = 2.0
    first = searched(np.sin, [-60, 60], gradient)
    assert first.verdict is Verdict.WRONG
    assert first.coverage.replayed == 0
    assert searched(np.sin, [-60, 60], gradient).coverage.replayed > 0
    factor = 1.0
    fixed = searched(np.sin, [-60, 60], gradient)
    assert fixed.verdict is Verdict.CORRECT
    assert fixed.coverage.replayed > 0
    assert searched(np.sin, [-60, 60], gradient).coverage.replayed == 0


def test_points_outside_count_and_are_no_verdict():
    result = searched(np.log, [-5, 5])
    assert result.verdict is Verdict.CORRECT
    assert 0 < result.coverage.outside < result.coverage.judged
    assert result.evidence.points == result.coverage.certified > len(result.points) / 2
    assert searched(np.log, [-5, -1]).verdict is Verdict.OUTSIDE


def test_a_function_may_refuse_what_is_not_in_its_domain():
    def picky(x):
        if x < 0:
            raise ValueError("x must not be negative")
        return np.exp(x)

    result = searched(picky, [-5, 5])
    assert result.verdict in (Verdict.CORRECT, Verdict.KINK)
    assert result.coverage.outside > 0


def test_a_function_that_raises_everywhere_is_broken():
    def broken(x):
        raise KeyError("nothing")

    with pytest.raises(KeyError):
        searched(broken, [-5, 5])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claimed", "words"),
    [
        (lambda x: np.exp(x) if x < 4 else 1 / 0, "ZeroDivisionError"),
        (lambda x: np.exp(x) if x < 4 else np.nan, "not finite"),
        (lambda x: np.exp(x) if x < 4 else None, "return"),
    ],
)
def test_a_claim_that_fails_at_some_points_only(claimed, words):
    result = searched(np.exp, [-5, 5], claimed)
    assert result.verdict is Verdict.WRONG
    assert words in result.witness.message
    assert result.witness.x == (4.0,)


def test_a_claim_that_is_wrong_at_size_0_only():
    region = verify.box(-1, 1, shape=[(0,), (3,)])

    def square(x):
        return np.sum(x * x)

    wrong = searched(square, region, lambda x: 2 * x if x.size else np.zeros(3))
    assert wrong.verdict is Verdict.WRONG
    assert wrong.witness.x[0].shape == (0,)
    assert searched(square, region, lambda x: 2 * x).verdict is Verdict.CORRECT


def test_undecided_points_are_counted_with_their_reasons():
    result = searched(lambda x: left(x) ** 2 * x, [-1, 1])
    assert result.verdict is Verdict.UNDECIDED
    assert result.coverage.undecided == result.coverage.judged
    assert "left the tape" in result.coverage.reasons[0]


@pytest.mark.long
def test_a_loop_without_end_ends_the_search_of_its_points_only(monkeypatch):
    monkeypatch.setattr("verify.judging.search.evaluator.OPERATIONS", 500)

    def drained(x):
        while x > 1:
            x = x - 1
        return x * x

    result = searched(drained, verify.box(0.25, 1e300), effort=0.02)
    assert result.coverage.undecided > 0
    assert any("operations" in reason for reason in result.coverage.reasons)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is moved."""
    from verify.limits import limit

    now = [0.0]
    monkeypatch.setattr(limit.time, "process_time", lambda: now[0])
    return now


def stalling(clock, function, call):
    """`function`, whose call of this number takes a minute and more."""
    calls = itertools.count(1)

    def slow(x):
        if next(calls) == call:
            clock[0] += 90.0
        return function(x)

    return slow


@pytest.mark.slow
@pytest.mark.parametrize("call", [1, 3, 20])
def test_the_clock_is_a_last_stop_after_which_nothing_is_correct(clock, call):
    result = searched(np.sin, [-9, 9], stalling(clock, np.cos, call))
    assert result.verdict is Verdict.UNDECIDED
    assert not result
    assert "the search reached its limit of 60 s" in result.message
    assert "the search reached its limit" in str(result)


def test_a_machine_that_is_busy_with_others_stops_no_search(monkeypatch):
    from verify.limits import limit

    now = [0.0]
    monkeypatch.setattr(limit.time, "monotonic", lambda: now[0])
    result = searched(np.sin, [-9, 9], stalling(now, np.cos, 20))
    assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.parametrize("call", [30, 500])
def test_a_fault_found_before_the_clock_stopped_the_search_is_a_fault(clock, call):
    result = searched(np.sin, [-9, 9], stalling(clock, lambda x: 2 * np.cos(x), call))
    assert result.verdict is Verdict.WRONG


def test_nothing_is_correct_below_the_least_number_of_interior_points(monkeypatch):
    def lost_inside(self, x):
        if abs(float(x[0])) not in (0.0, 1.0):
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, "not today")
        return PointOutcome.from_judgement(x, Verdict.CORRECT)

    monkeypatch.setattr("verify.judging.judge.Judge.judge_point", lost_inside)
    result = searched(np.sin, [-1, 1], np.cos)
    assert result.verdict is Verdict.UNDECIDED
    assert result.message == (
        "only 0 of 5 random interior points got a verdict; at least 3 are needed; not today"
    )


def test_a_region_of_few_points_needs_no_more_than_it_has():
    assert searched(np.sin, verify.integers(1, 2), np.cos).verdict is Verdict.CORRECT


GROSS = {
    "the length of a vector": (
        lambda x: np.sqrt(np.sum(x**2)),
        lambda x: 1.5 * x / np.sqrt(np.sum(x**2)),
    ),
    "haversine": (
        lambda x: 2 * np.arcsin(np.sqrt(np.sin(x[0] / 2) ** 2 + np.sin(x[1] / 2) ** 2 / 4)),
        lambda x: (
            1.5
            * np.array([np.sin(x[0]), np.sin(x[1]) / 4])
            / (2 * np.sqrt((s := np.sin(x[0] / 2) ** 2 + np.sin(x[1] / 2) ** 2 / 4) * (1 - s)))
        ),
    ),
}


@pytest.mark.parametrize("name", GROSS)
def test_a_gross_mistake_is_told_before_a_degenerate_point(name):
    function, wrong = GROSS[name]
    result = searched(function, verify.box(-1, 1, shape=(2,)), wrong, effort=0.2)
    assert result.verdict is Verdict.WRONG
    assert "1.5 times too large" in result.message
    assert np.isfinite(result.witness.worst.claimed)


def test_points_and_a_region_together():
    result = verify.gradient(np.sin, at=[0.5], over=verify.integers(-2, 2))
    assert result.points[0].x == (0.5,)
    assert 5 <= result.coverage.judged <= 6, "both zeros may count"


def test_neither_points_nor_a_region_is_refused():
    with pytest.raises(UsageError, match="over="):
        verify.gradient(np.sin)
    with pytest.raises(UsageError, match="over="):
        verify.case()


def test_a_region_for_other_arguments_is_refused_where_it_is_marked():
    with pytest.raises(UsageError):
        verify.case(over=([0, 1], [0, 1]))(lambda x: x)


@pytest.mark.long
def test_more_points_of_a_result_than_a_report_can_show_are_only_counted():
    result = searched(np.sin, [-60, 60], effort=1)
    assert len(result.points) <= 35
    assert result.coverage.judged > len(result.points)
    assert result.coverage.tried > 1000
    assert result.verdict is Verdict.CORRECT


@pytest.mark.usefixtures("proofs")
def test_a_proof_holds_over_a_region_where_it_holds_at_all_of_its_points():
    result = searched(np.log, [0.5, 5])
    assert str(result.evidence).startswith("proved; certified at ")
    by_hand = searched(np.log, [0.5, 5], lambda x: 1 / x)
    assert str(by_hand.evidence).startswith("certified at ")


@pytest.mark.long
@pytest.mark.parametrize(
    "start",
    [pytest.param(verify.box(-np.inf, np.inf), marks=pytest.mark.campaign), verify.box(-1, 1)],
)
def test_a_loop_that_never_ends_is_left_soon_and_in_words(start):
    def endless(x):
        while True:
            x = x + 1

    result = searched(endless, start)
    assert result.verdict is Verdict.UNDECIDED
    assert "too many and too long" in result.coverage.stopped


def needle(x):
    """Wrong at one number that no search comes to by itself."""
    number = left(x)
    return (2 if number == 0.123456789 else 1) * math.cos(number)


@pytest.mark.long
def test_a_counterexample_of_an_earlier_run_comes_on_top():
    fresh = searched(np.sin, [-1, 1], needle)
    assert fresh.verdict is Verdict.CORRECT
    case = Case("case", "case", np.sin, (), "gradient", needle, over=region_of(np.sin, [-1, 1]))
    remember(case, [(np.float64(0.123456789),)])
    again = searched(np.sin, [-1, 1], needle)
    assert again.verdict is Verdict.WRONG
    assert again.witness.x == (0.123456789,)
    assert again.coverage.judged == fresh.coverage.judged + 1
    assert "1 earlier counterexample tried as well" in again.explain()
    with cache.disable_memory():
        assert str(searched(np.sin, [-1, 1], needle)) == str(fresh)
    assert searched(np.sin, [-1, 1], needle).verdict is Verdict.WRONG


def test_what_is_remembered_does_not_change_what_else_is_found():
    def wrong(x):
        return np.where(x > 0.5, 2.0, 1.0) * np.cos(x)

    with cache.disable_memory():
        first = searched(np.sin, [-1, 1], wrong)
    assert first.verdict is Verdict.WRONG
    once, again = (searched(np.sin, [-1, 1], wrong) for _ in range(2))
    assert again.coverage.replayed > 0
    assert first.witness.x == once.witness.x == again.witness.x
    assert first.witness.message == again.witness.message
