"""Lies in readings, proofs and recordings: those of the selftest are refuted, and it tells lies."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.primitives.vocabulary import vocabulary
from verify.judging import judge
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict
from verify.oracles.proofs.content import content_hash, fingerprint
from verify.selftest import readings, recordings
from verify.selftest.operators import Mutant, change_result, faults_of_rule
from verify.selftest.recordings import LOSSES
from verify.selftest.rows import plant_rule
from verify.selftest.run import Task, plan, run


def of_reading(*operators):
    return lambda label: any(f": {operator}" in label for operator in operators)


LYING = {
    "exp": {"lying template", "lying jet"},
    "gammaincc": {"lying template", "lying jet"},
    "sum": {"lying elements", "rounding too large"},
    "absolute": {"lying ball", "no kinks"},
    "sort": {"lying choice", "no kinks"},
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", LYING)
def test_no_lie_in_a_reading_survives(name):
    outcomes = readings.try_readings(name, of_reading(*LYING[name]), 0)
    assert {each.operator for each in outcomes} == LYING[name]
    assert [each for each in outcomes if each.fate != "refuted"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tanh", "maximum", "matmul"])
def test_a_wrong_rule_inherits_no_proof(name):
    outcomes = readings.try_readings(name, of_reading("inherited proof"), 0)
    assert len(outcomes) > 10
    assert [each for each in outcomes if each.fate != "refuted"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["math.pow", "np.frompyfunc of C code", "a cache by value"])
def test_what_is_lost_in_recording_is_not_judged_as_frozen(name):
    outcomes = recordings.try_recording(name, lambda label: True, 0)
    assert [each.fate for each in outcomes] == ["refuted"] * 3
    pairs = recordings.claims_about(name, lambda label: True, 0)
    assert not {pair.verdict for pair in pairs} & {"WRONG", "INACCURATE"}


def always(verdict):
    def verify_case(case, *args, **options):
        return Result.from_points(case, [PointOutcome.from_judgement(x, verdict) for x in case.at])

    return verify_case


@pytest.mark.parametrize("verdict", [Verdict.CORRECT, Verdict.WRONG])
def test_a_verifier_that_always_says_the_same_leaves_survivors(monkeypatch, verdict):
    monkeypatch.setattr(judge, "verify_case", always(verdict))
    only = "reading of exp: lying ball"
    assert run([Task("reading", "exp", only=only)], jobs=0).survivor_count == 2
    lost = run([Task("recording", "float")], jobs=0)
    assert (lost.survivor_count, lost.false_alarms) == (
        (3, 0) if verdict is Verdict.CORRECT else (0, 6)
    )


def test_a_lie_is_told_of_each_reading():
    vocabulary()
    told = {
        fault.operator for row in PRIMITIVES.values() for fault in readings.faults_of_readings(row)
    }
    assert told == {
        "lying template",
        "lying ball",
        "lying jet",
        "lying elements",
        "lying choice",
        "rounding too small",
        "rounding too large",
    }


def test_every_row_and_every_loss_is_planned():
    tasks = plan()
    assert {task.name for task in tasks if task.kind == "reading"} == {
        task.name for task in tasks if task.kind == "row"
    }
    assert {task.name for task in tasks if task.kind == "recording"} == set(LOSSES)
    label = "reading of exp: lying ball: r → 2 r"
    assert [(task.kind, task.name) for task in plan(only=label)] == [("reading", "exp")]


def cubic(rule):
    return Primitive(
        name="cubic",
        inputs="x",
        evaluate=lambda x: x * x * x,
        vjp=[rule],
        elementwise=True,
        symbolic=lambda sp, x: x**3,
    )


WEIGHTS = np.array([3.0, 1.0])


def by_array(weights):
    return lambda g, x: g * weights[0] * x**2


class Power:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, g, x):
        return g * self.factor * x**2


def by_factor(factor, g, x):
    return g * factor * x**2


def by_table(table):
    return lambda g, x: g * table["factor"] * x**2


MAKERS = {
    "an array": (by_array, WEIGHTS, WEIGHTS[::-1].copy()),
    "a list": (by_array, [3.0], [2.0]),
    "a tuple": (by_array, (3.0,), (2.0,)),
    "a dictionary": (by_table, {"factor": 3.0}, {"factor": 2.0}),
    "an object": (Power, 3.0, 2.0),
    "a partial": (functools.partial(functools.partial, by_factor), 3.0, 2.0),
    "a change": (
        lambda k: Mutant(lambda g, x: g * x, ("x",), change_result(lambda r: r * k)),
        3.0,
        2.0,
    ),
}


@pytest.mark.parametrize(("make", "right", "wrong"), MAKERS.values(), ids=MAKERS)
def test_a_kept_proof_is_of_all_that_a_rule_uses(make, right, wrong):
    rows = [cubic(make(value)) for value in (right, right, wrong)]
    same, again, other = map(fingerprint, rows)
    assert same == again
    assert same != other


def test_a_rule_that_was_compiled_again_is_another():
    row = PRIMITIVES["tanh"]
    written = content_hash([row])
    changed = [fault for fault in faults_of_rule(row, 0, (), 0.0) if fault.source is not None]
    assert changed
    for fault in changed:
        with plant_rule(row, 0, fault.function):
            assert content_hash([row]) != written
    assert content_hash([row]) == written
