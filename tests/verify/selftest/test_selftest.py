"""The selftest: no survivors, no false alarms, and it notices a verifier that is broken."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import vocabulary
from verify.cli import cli
from verify.judging import judge
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict
from verify.selftest import alarms, functions, rows
from verify.selftest.alarms import doubtful
from verify.selftest.claims import faults_of_claim
from verify.selftest.corpora import LIBRARIES, try_library
from verify.selftest.functions import FUNCTIONS
from verify.selftest.operators import faults_of_rule
from verify.selftest.points import trials_of
from verify.selftest.reasons import are_equivalent, balls_of
from verify.selftest.run import Task, perform, plan, run
from verify.selftest.score import Score
from verify.selftest.table import table

ROWS = ["subtract", "tanh", "where", "sum", "logaddexp"]


def everything(label):
    return True


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_no_fault_of_a_row_survives(name):
    outcomes = rows.try_row(name, Task("row", name, part=0.3).keeps, 0)
    assert len(outcomes) >= 3
    assert [each for each in outcomes if each.fate == "survived"] == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["gradient of rosenbrock", "jacobian of softmax"])
def test_no_fault_of_a_function_survives(name):
    outcomes = functions.try_function(name, Task("function", name, part=0.4).keeps, 0)
    assert len(outcomes) >= 5
    assert [each for each in outcomes if each.fate == "survived"] == []


@pytest.mark.campaign
def test_a_seeded_slice_of_all_is_clean():
    tasks = plan(seed=5, part=0.004)[::4]
    score = run([task for task in tasks if task.kind != "library"], jobs=0)
    assert score.planted_count >= 3
    assert score.pairs >= 3
    assert score.clean, table(score)


def test_a_draw_is_the_same_whatever_the_order():
    labels = [f"fault {k}" for k in range(2000)]
    drawn = [label for label in labels if Task("row", "x", 1, 0.1).keeps(label)]
    assert drawn == [label for label in labels if Task("function", "y", 1, 0.1).keeps(label)]
    assert 120 < len(drawn) < 280
    assert drawn != [label for label in labels if Task("row", "x", 2, 0.1).keeps(label)]


def always(verdict):
    def verify_case(case, *args, **options):
        return Result.from_points(case, [PointOutcome.from_judgement(x, verdict) for x in case.at])

    return verify_case


def test_a_verifier_that_says_correct_to_all_leaves_survivors(monkeypatch):
    monkeypatch.setattr(judge, "verify_case", always(Verdict.CORRECT))
    score = run([Task("row", "tanh"), Task("function", "gradient of Cauchy", part=0.3)], jobs=0)
    assert score.survivor_count > 20
    assert not score.clean
    assert "replay  symtape selftest --only" in table(score)


def test_a_verifier_that_says_wrong_to_all_gives_false_alarms(monkeypatch):
    monkeypatch.setattr(judge, "verify_case", always(Verdict.WRONG))
    score = run([Task("row", "tanh"), Task("function", "gradient of Cauchy")], jobs=0)
    assert score.survivor_count == 0
    assert score.false_alarms == score.pairs > 20
    assert not score.clean


def test_a_verifier_that_abstains_leaves_survivors_and_no_false_alarms(monkeypatch):
    monkeypatch.setattr(judge, "verify_case", always(Verdict.UNDECIDED))
    score = run([Task("row", "tanh")], jobs=0)
    assert score.survivor_count > 10
    assert (score.false_alarms, score.undecided) == (0, score.pairs)


@pytest.mark.parametrize("name", ["tanh", "divide", "matmul"])
def test_the_operators_change_the_rule(name):
    vocabulary()
    row = PRIMITIVES[name]
    trials = trials_of(row, 0)
    cases = [(trial.case, trial.case.at[0]) for trial in trials if trial.scaled][:1]
    right = [balls_of(case, x) for case, x in cases]
    unchanged = []
    for fault in faults_of_rule(row, 0, (), 0.0):
        if fault.source is not None:
            continue
        try:
            with rows.plant_rule(row, 0, fault.function):
                wrong = [balls_of(case, x) for case, x in cases]
        except ValueError:
            # A rule of another input may return another shape.
            continue
        if all(are_equivalent(a, b) for a, b in zip(right, wrong, strict=True)):
            unchanged.append(fault.operator)
    assert unchanged == []
    assert all(
        are_equivalent(balls_of(case, x), a) for (case, x), a in zip(cases, right, strict=True)
    )


def test_the_operators_change_a_claim():
    claimed = FUNCTIONS["gradient of divergence"]
    points = claimed.points(np.random.default_rng(0), 2)
    for fault in faults_of_claim(claimed, points[0]):
        wrong = fault.make()
        try:
            values = [[np.array(p) for p in wrong(*map(np.copy, x))] for x in points]
        except Exception:  # noqa: BLE001  # any error will do
            continue
        right = [claimed.derivative(*x) for x in points]
        differ = any(
            not np.array_equal(a, b)
            for ours, theirs in zip(values, right, strict=True)
            for a, b in zip(ours, theirs, strict=True)
        )
        assert differ or fault.operator == "factor 1 + 1e-14", fault.words


def test_a_tail_fault_is_one_only_in_the_tail():
    vocabulary()
    row = PRIMITIVES["tanh"]
    (fault,) = [f for f in faults_of_rule(row, 0, (), 10.0) if f.operator == "zero tail"]
    assert fault.function(1.0, 3.0) == row.rule(0).function(1.0, 3.0)
    assert fault.function(1.0, 12.0) == 0


def test_what_is_right_is_settled_without_the_verifier():
    claimed = FUNCTIONS["gradient of Cauchy"]
    (point,) = claimed.points(np.random.default_rng(0), 1)
    assert not doubtful(claimed.case([point], claimed.derivative), point)
    assert not doubtful(claimed.case([point], None), point)
    for factor in (-1, 1 + 1e-12):
        wrong = claimed.case([point], lambda x, f=factor: f * claimed.derivative(x))
        assert doubtful(wrong, point)


@pytest.mark.long
@pytest.mark.parametrize("name", ["jacobian of polar", "hessian of logsumexp"])
def test_right_claims_are_taken(name):
    pairs = alarms.try_function(name, Task("function", name, part=0.3).keeps, 0)
    assert len(pairs) >= 6
    assert sum(bool(pair.verdict) for pair in pairs) >= len(pairs) / 2
    assert all(pair.verdict in ("", "CORRECT") for pair in pairs)


def test_a_library_that_is_absent_is_skipped_with_words(monkeypatch):
    monkeypatch.setitem(LIBRARIES, "no_such_library", None)
    assert "not installed" in try_library("no_such_library", everything, 0)
    assert perform(Task("library", "no_such_library")).skipped
    assert run([Task("library", "no_such_library")], jobs=0).clean


def test_the_command_runs_one_fault_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    arguments = ["selftest", "--only", "rule tanh by x: sign", "--jobs", "0"]
    result = CliRunner().invoke(cli, [*arguments, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "This was a sample" in result.output
    score = Score.from_data(json.loads((tmp_path / "selftest.json").read_text()))
    assert (score.refuted_count, score.survivor_count) == (1, 0)
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("only", "label", "fits"),
    [
        ("tanh:sign", "rule tanh by x: sign: r → -r", True),
        ("tanh: sign", "rule tanh by x: sign: r → -r", True),
        ("tanh:sign", "rule arctanh by x: sign: r → -r", False),
        ("tanh:sign", "rule tanh by x: factor 2: r → 2 r", False),
        ("gradient of Beale:sign", "gradient of Beale: sign: r → -r", True),
        ("by x: sign", "rule tanh by x: sign: r → -r", True),
        ("tanh.1 near", "tanh.1 near 0", True),
    ],
)
def test_one_fault_is_named_by_its_row_and_operator(only, label, fits):
    assert Task("row", "tanh", only=only).keeps(label) is fits


def test_a_name_that_is_part_of_an_id_does_not_hide_other_tasks():
    assert len(plan(only="zero everywhere")) == len(plan())
    assert [task.name for task in plan(only="tanh:sign")] == ["tanh"]


def raising(case, *args, **options):
    raise RuntimeError("the verifier is broken")


def test_what_stops_the_verifier_is_told_and_fails_the_command(monkeypatch):
    monkeypatch.setattr(judge, "verify_case", raising)
    score = run([Task("row", "tanh", only="tanh.1 near 0")], jobs=0)
    assert [finding.id for finding in score.not_judged] == ["tanh.1 near 0"]
    assert "the verifier is broken" in score.not_judged[0].words
    command = ["selftest", "--only", "tanh.1 near 0", "--jobs", "0"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 3, result.output
    assert "RuntimeError: the verifier is broken" in result.output


def test_a_task_that_stops_is_told(monkeypatch):
    monkeypatch.setattr(rows, "try_row", raising)
    score = run([Task("row", "tanh")], jobs=0)
    assert [finding.id for finding in score.not_judged] == ["tanh"]
    assert not score.complete


def test_a_library_that_is_skipped_makes_the_status_3(monkeypatch):
    monkeypatch.setitem(LIBRARIES, "no_such_library", None)
    command = ["selftest", "--only", "no_such_library", "--jobs", "0"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 3, result.output
    assert "no_such_library is not installed" in result.output


def test_an_id_that_nothing_has_is_refused():
    result = CliRunner().invoke(cli, ["selftest", "--only", "rule tanh by q", "--jobs", "0"])
    assert result.exit_code == 2, result.output
    assert "no fault and no claim has" in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "only"),
    [
        ("qr", "qr:transposed"),
        ("pinv", "pinv:transposed"),
        ("dawson_derivative", "dawson_derivative:wrong argument"),
        pytest.param("svd", "rule svd by a: sign of a term: -1 → 1", marks=pytest.mark.campaign),
        ("getitem_by", "rule getitem_by by xs: off by one: 0 → 1"),
    ],
)
def test_faults_that_leave_no_bound_on_rounding_or_hide_in_one_shape_are_refuted(name, only):
    outcomes = rows.try_row(name, Task("row", name, only=only).keeps, 0)
    assert outcomes
    assert {(each.fate, each.errors) for each in outcomes} == {("refuted", ())}


def test_the_command_fails_where_a_fault_survives(monkeypatch):
    monkeypatch.setattr(judge, "verify_case", always(Verdict.CORRECT))
    result = CliRunner().invoke(cli, ["selftest", "--only", "rule tanh by x: sign", "--jobs", "0"])
    assert result.exit_code == 1, result.output
    assert "Survivors:" in result.output
    assert "rule tanh by x: sign: r → -r" in result.output


def test_an_interrupt_keeps_what_was_done(monkeypatch):
    tasks = [Task("row", "tanh", part=0.2), Task("row", "sin", part=0.2)]

    def stop(task):
        raise KeyboardInterrupt

    score = run(tasks, jobs=0, on_done=stop)
    assert score.interrupted
    assert score.planted_count > 0


@pytest.mark.campaign
def test_all_of_it_is_clean(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    score = run(plan())
    assert score.clean, table(score)
    assert score.planted_count >= 1_500
    assert score.pairs >= 5_000
    assert score.complete
