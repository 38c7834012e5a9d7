"""A result says all there is to say: as a truth value, in words, and as JSON of the schema."""

from __future__ import annotations

import dataclasses
import functools
import io
import json
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import verify
from verify.errors import UsageError
from verify.model.case import name_function
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict
from verify.reporting import Report
from verify.reporting.codec import decode, encode
from verify.reporting.reported import prepare_report

CALLS = {
    "correct": lambda: verify.gradient(np.sin, at=[0.5, 1.0]),
    "wrong": lambda: verify.gradient(np.sin, claimed=lambda x: -np.cos(x), at=[0.5, 1.0]),
    "nan": lambda: verify.gradient(np.sin, claimed=lambda x: x * np.nan, at=[0.5]),
    "no array": lambda: verify.gradient(np.sin, claimed=lambda x: None, at=[0.5]),
    "kink": lambda: verify.gradient(np.abs, at=[0.0]),
    "outside": lambda: verify.gradient(np.log, at=[-1.0]),
    "nan in": lambda: verify.gradient(np.log, at=[np.nan]),
    "undecided": lambda: verify.gradient(lambda x: x * float(x), at=[0.5]),
    "path": lambda: verify.gradient(lambda x: x if x > 0 else -x, at=[0.5]),
    "hessian": lambda: verify.hessian(lambda x, y: np.sum(x * y), at=[([1.0, 2.0], 3.0)]),
    "empty": lambda: verify.gradient(np.sum, at=[np.zeros((2, 0))]),
}


@pytest.mark.parametrize("kind", CALLS)
def test_json_is_valid_by_the_schema_and_reads_back(kind):
    result = CALLS[kind]()
    data = json.loads(result.to_json())
    assert data["verdict"] == result.verdict.value
    case = prepare_report(result)
    report = Report("r", ("s",), "2026-01-01T00:00:00+00:00", {}, 0, (case,))
    whole = report.to_dict()
    assert whole["cases"][0] == encode(case)
    assert Report.from_dict(json.loads(json.dumps(whole))).to_dict() == whole
    assert {k: v for k, v in data.items() if k != "seconds"} == {
        k: v for k, v in json.loads(json.dumps(encode(case))).items() if k != "seconds"
    }


@pytest.mark.parametrize("kind", CALLS)
def test_correct_and_admissible_are_true_and_the_words_begin_with_the_verdict(kind):
    result = CALLS[kind]()
    assert bool(result) is (result.verdict in (Verdict.CORRECT, Verdict.KINK))
    text = str(result)
    assert text.startswith(result.verdict.value)
    for line in text.splitlines():
        assert line == line.rstrip()
    assert ("\n  evidence " in text) is (
        result.verdict in (Verdict.CORRECT, Verdict.INACCURATE, Verdict.WRONG)
    )


def power(n):
    def raised(x):
        return x**n

    return raised


class Energy:
    """A callable that cannot be pickled."""

    def __init__(self):
        self.lock = threading.Lock()

    def __call__(self, x):
        return x**2


PICKLED = CALLS | {
    "closures": lambda: verify.gradient(power(3), power(4), at=[0.5]),
    "a partial": lambda: verify.gradient(functools.partial(lambda n, x: x**n, 3), at=[0.5]),
    "an object": lambda: verify.gradient(Energy(), at=[0.5]),
    "an accuracy": lambda: verify.gradient(
        np.sin, verify.approximately(lambda x: np.cos(x), rtol=1e-9), at=[0.5]
    ),
    "a region": lambda: verify.gradient(
        lambda x: np.tanh(x), lambda x: 1 - np.tanh(x) ** 2, over=[-40, 40], effort="quick"
    ),
    "a predicate": lambda: verify.gradient(
        lambda x: x**2, over=verify.box(0, 1).where(lambda x: x < 0.5), effort="quick"
    ),
    "a product over a region": lambda: verify.vjp(lambda x: x**2, over=[0, 1], effort="quick"),
    "samples": lambda: verify.gradient(lambda x: np.sin(x), at=[0.5], evidence="sampled"),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("kind", PICKLED)
def test_a_pickled_result_says_what_it_said(kind):
    result = PICKLED[kind]()
    again = pickle.loads(pickle.dumps(result))
    for one in (again, pickle.loads(pickle.dumps(again))):
        assert str(one) == str(result)
        assert one.explain() == result.explain()
        assert one.to_json() == result.to_json()
        assert one.verdict is result.verdict
        assert bool(one) is bool(result)
        assert one.evidence == result.evidence
        assert len(one.notes) == len(result.notes)
        assert name_function(one.case.function) == name_function(result.case.function)


@pytest.mark.slow
@pytest.mark.parametrize("kind", PICKLED)
def test_a_result_that_is_read_from_json_says_what_it_said(kind):
    result = PICKLED[kind]()
    one = decode(Result, json.loads(result.to_json()), "case")
    assert str(one) == str(result)
    assert one.explain() == result.explain()
    assert one.to_json() == result.to_json()
    assert one.verdict is result.verdict
    assert bool(one) is bool(result)
    assert len(one.notes) == len(result.notes)
    with pytest.raises(UsageError, match="keeps its evidence in words"):
        _ = one.evidence


def test_the_verdict_follows_from_the_points_whichever_they_are():
    result = verify.gradient(np.sin, claimed=lambda x: np.abs(np.cos(x)), at=[0.5, 3.0])
    assert (result.verdict, result.basis[:10]) == (Verdict.WRONG, "certified ")
    right = dataclasses.replace(result, points=result.points[:1])
    assert (right.verdict, right.message, bool(right)) == (Verdict.CORRECT, "", True)
    assert right.basis == str(right.evidence)


def test_a_pickled_result_has_the_source_of_its_functions_and_calls_none():
    again = pickle.loads(pickle.dumps(verify.gradient(power(3), power(4), at=[0.5])))
    assert "return x**n" in again.case.function.source.code
    assert again.case.function.source.file == "tests/verify/model/test_result.py"
    with pytest.raises(UsageError, match="raised is not part of the pickled result"):
        again.case.function(0.5)


@pytest.mark.long
def test_a_result_is_read_where_its_functions_are_not(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "import pickle, sys, numpy as np, verify\n"
        "def energy(x):\n    return np.sin(x)\n"
        "def small(x):\n    return x < 0.5\n"
        "within = verify.box(0, 1).where(small)\n"
        "for more in ({'at': [0.5]}, {'over': within, 'effort': 'quick'}):\n"
        "    try:\n"
        "        verify.assert_gradient(energy, lambda x: -np.cos(x), **more)\n"
        "    except verify.DerivativeError as error:\n"
        "        pickle.dump(error, sys.stdout.buffer)\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, check=True, cwd=tmp_path, timeout=120
    )
    file = io.BytesIO(done.stdout)
    for error in (pickle.load(file), pickle.load(file)):
        assert "WRONG: " in str(error)
        assert str(error.result).startswith("WRONG  gradient of energy")


def outcome(verdict, ulps=None):
    worst = None
    if ulps is not None:
        example = verify.gradient(np.sin, at=[0.5]).points[0].worst
        worst = dataclasses.replace(example, ulps=ulps)
    return PointOutcome.from_judgement(
        (0.5,), verdict, worst=worst, bits=300 if ulps is not None else 0
    )


@pytest.mark.parametrize(
    ("points", "witness"),
    [
        ([outcome(Verdict.CORRECT, 1.0), outcome(Verdict.CORRECT, 3.0)], 1),
        ([outcome(Verdict.WRONG), outcome(Verdict.CORRECT, 3.0)], 0),
        ([outcome(Verdict.WRONG, 2.0), outcome(Verdict.WRONG, 9.0), outcome(Verdict.KINK)], 1),
        ([outcome(Verdict.CORRECT, 2.0), outcome(Verdict.KINK), outcome(Verdict.OUTSIDE)], 2),
    ],
)
def test_the_witness_is_the_worst_of_the_gravest(points, witness):
    base = verify.gradient(np.sin, at=[0.5])
    result = dataclasses.replace(base, points=tuple(points))
    assert result.witness is points[witness]
    assert result.verdict is points[witness].verdict


def test_the_evidence_is_the_weakest_of_the_certified_points():
    result = verify.gradient(lambda x: np.exp(x) - np.exp(-x), at=[0.5, 1e-30, 1.0])
    assert result.evidence.points == 3
    assert result.evidence.bits == min(point.bits for point in result.points)


def test_a_part_by_a_pair_of_arguments_is_named_by_both():
    result = verify.hessian(
        lambda x, y: x**2 * y, claimed=lambda x, y: ((2 * y, 7.0), (2 * x, 0 * x)), at=[(1.0, 3.0)]
    )
    (point,) = result.points
    assert point.wrt == "x and y"
    assert point.claimed.decimal == "7.0"


def test_a_report_of_a_case_has_formulas_source_and_paths_seen_from_here():
    result = verify.gradient(lambda x: x if x > 0 else -x, at=[0.5])
    case = prepare_report(result)
    assert [form.name for form in case.closed_forms] == ["value", "gradient"]
    assert case.source.file == "tests/verify/model/test_result.py"
    assert "x if x > 0" in case.source.code
    (path,) = case.path
    assert "was True at tests/verify/model/test_result.py:" in path.text
