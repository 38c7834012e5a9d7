"""The parts of a search, each on its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
import verify
from verify.judging.search.boundaries import event_functions, side_of
from verify.judging.search.evaluator import Evaluation, Status
from verify.judging.search.ledger import Ledger
from verify.judging.search.memory import recall, remember
from verify.judging.search.moves import Stepper, steps_between
from verify.judging.search.survey import suspicion
from verify.judging.search.tracks import Tracks
from verify.model.case import Case, region_of
from verify.model.result import Entry, PointOutcome
from verify.model.verdict import Verdict
from verify.regions import as_region

LINE = as_region([-1e300, 1e300], ["x"])


@settings(derandomize=True, max_examples=40)
@given(st.floats(-1e300, 1e300))
def test_halving_ends_at_neighbouring_floats(edge):
    stepper = Stepper(LINE, 1000)
    found = stepper.find_changes(
        (np.float64(-1e300),), (np.float64(1e300),), lambda x: bool(x[0] > edge)
    )
    if edge < 1e300:
        above, below = (float(x[0]) for x in found[:2])
        assert below <= edge < above
        assert np.nextafter(below, np.inf) == above or (below == 0 or above == 0)


@pytest.mark.parametrize("edge", [0.0, 3.7, -1e-300, 2.0**-1074])
def test_a_boundary_that_is_a_float_is_met_itself(edge):
    stepper = Stepper(LINE, 1000)
    found = stepper.find_changes(
        (np.float64(-1e300),), (np.float64(1e300),), lambda x: float(np.sign(x[0] - edge))
    )
    assert edge in {float(x[0]) for x in found}


def test_a_stepper_whose_evaluations_are_spent_finds_nothing():
    stepper = Stepper(LINE, 5)
    assert stepper.find_changes((np.float64(-1.0),), (np.float64(1.0),), lambda x: x[0] > 0.1) == []
    assert stepper.left == 0


def test_a_walk_moves_one_number_at_a_time():
    region = as_region(verify.box(-1, 1, shape=(3,)), ["x"])
    a, b = (np.array([0.0, 0.5, -1.0]),), (np.array([1.0, 0.5, 0.25]),)
    walked = list(steps_between(region, a, b))
    assert [k for k, _ in walked] == [0, 2]
    assert walked[-1][1][0].tolist() == b[0].tolist()


def test_event_functions_tell_the_sides_of_comparisons_and_steps():
    graph = symtape.record(lambda x: np.where(x > 2, np.sqrt(x), np.floor(x)), 1.5)
    sides = {
        x: [side_of(event, graph.values(x)) for event in event_functions(graph)]
        for x in (1.5, 2.0, 2.5)
    }
    assert {tuple(side) for side in sides.values()} == {tuple(side) for side in sides.values()}
    assert len({tuple(side) for side in sides.values()}) == 3


def test_recordings_are_used_again_and_one_a_path():
    calls = []

    def recorded(x):
        calls.append(x)
        return symtape.record(lambda y: y * y if y > 0 else y, x)

    tracks = Tracks(recorded)
    for x in (1.0, 2.0, -1.0, 3.0, -2.0):
        graph, values = tracks.find_recording((np.float64(x),))
        assert values[graph.outputs[0]] == (x * x if x > 0 else x)
    assert len(calls) == 2


def evaluation(ulps, claimed, exact):
    return Evaluation((np.float64(1.0),), Status.COMPARED, None, ulps, claimed, exact, "float64")


def test_suspicion_puts_what_is_worse_first():
    calm = evaluation(0.2, 1.0, 1.0)
    rounding = evaluation(3.0, 1.0, 1.0)
    off = evaluation(1e9, 1.0, 1.0)
    far_zero, near_zero = evaluation(1e15, 0.0, 1e-200), evaluation(1e15, 0.0, 1e-17)
    nan = evaluation(np.inf, np.nan, 1.0)
    order = [calm, rounding, off, far_zero, near_zero, nan]
    assert sorted(order, key=suspicion) == order
    assert suspicion(calm) == 0


def outcome(verdict, x=0.0, message="", severity=0.0):
    worst = Entry(0, (), 1.0, "2", "2", 1e9, 1.0, 0.5)
    return PointOutcome.from_judgement(
        (np.float64(x),), verdict, message, worst, bits=300, severity=severity
    )


def shown(*verdicts):
    ledger = Ledger()
    for number, verdict in enumerate(verdicts):
        ledger.add(outcome(verdict, float(number)))
    return [point.verdict for point in ledger.select_outcomes()]


def test_a_result_is_undecided_only_if_most_of_its_points_are():
    right, open_, out, kink, bad = (
        Verdict.CORRECT,
        Verdict.UNDECIDED,
        Verdict.OUTSIDE,
        Verdict.KINK,
        Verdict.WRONG,
    )
    assert shown(right, open_, out) == [right]
    assert set(shown(right, open_, open_)) == {right, open_}
    assert shown(out, out) == [out, out]
    assert set(shown(out, open_)) == {open_}
    assert shown(right, kink) == [kink, right]
    assert shown(right, open_, open_, bad)[0] is bad


def test_a_ledger_counts_everything_and_shows_little():
    ledger = Ledger()
    for number in range(100):
        ledger.add(outcome(Verdict.CORRECT, number), ("way",))
    for number in range(30):
        ledger.add(outcome(Verdict.WRONG, number, severity=number / 30))
    ledger.add(outcome(Verdict.UNDECIDED, message="too hard"), ("other way",))
    coverage = ledger.coverage("x", 7, 500, 2, "")
    assert len(ledger.select_outcomes()) == 30
    assert ledger.select_outcomes()[0].severity == 29 / 30
    assert (coverage.judged, coverage.undecided, coverage.certified) == (131, 1, 131)
    assert coverage.paths == (1, 2)
    assert coverage.reasons == ("too hard",)


def test_counterexamples_survive_bit_for_bit_and_only_where_they_belong(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    region = region_of(np.hypot, ([-9, 9], verify.box(-9, 9, shape=(2,), dtype="float32")))
    case = Case("c", "c", np.hypot, (), over=region)
    inside = (np.float64(0.1), np.array([-0.0, 1e-40], dtype=np.float32))
    outside = (np.float64(10.0), np.array([0.0, 1.0], dtype=np.float32))
    remember(case, [inside, outside])
    (found,) = recall(case, region)
    assert [np.asarray(x).tobytes() for x in found] == [np.asarray(x).tobytes() for x in inside]
    assert found[1].dtype == np.float32
    assert recall(Case("c", "c", np.add, (), over=region), region) == []
    for damaged in ("[", '{"points": 3}', '{"points": [[{"dtype": "O"}], 5]}'):
        for file in (tmp_path / "counterexamples").iterdir():
            file.write_text(damaged)
        assert recall(case, region) == []
    remember(case, [])
    assert list((tmp_path / "counterexamples").iterdir()) == []
