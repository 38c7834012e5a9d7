"""Behind every UNDECIDED stands sampled evidence, unasked."""

from __future__ import annotations

import json

import numpy as np
import pytest

import verify
from symtape.errors import NotTraceable
from symtape.process.budget import Budget
from tests.packing import left
from verify import Verdict
from verify.model.verdict import Rung
from verify.reporting import Report, as_junit
from verify.reporting.reported import prepare_report


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def compiled(x):
    """Goes by the memory of an array, as code of another language does."""
    return sum(memoryview(np.sin(np.ravel(x))).tolist())


def left_by(x):
    return np.sin(left(x[0])) + x[1] ** 2


def eigenvalues(a):
    return np.sum(np.linalg.eigvalsh(a) ** 2)


OPEN = {
    "not recordable": (compiled, np.cos, np.array([0.5, 1.0])),
    "escape": (left_by, lambda x: np.array([np.cos(x[0]), 2 * x[1]]), np.array([0.5, 1.0])),
    "unsupported": (eigenvalues, lambda a: 2 * a, np.diag([1.0, 2.0, 2.0])),
}


@pytest.mark.parametrize("name", OPEN)
def test_a_right_claim_stays_undecided_and_says_what_samples_say(name):
    function, slope, at = OPEN[name]
    result = verify.gradient(function, slope, at=[at])
    assert result.verdict is Verdict.UNDECIDED
    assert not result
    assert result.sampled.verdict is Verdict.CORRECT
    assert result.sampled.points == 1
    assert result.evidence.rung is Rung.SAMPLED
    assert "by samples alone: CORRECT (sampled at 1 point)" in str(result)


@pytest.mark.parametrize("name", OPEN)
def test_a_gross_fault_is_wrong_by_the_rung_sampled(name):
    function, slope, at = OPEN[name]
    result = verify.gradient(function, lambda x: 2 * slope(x), at=[at])
    assert result.verdict is Verdict.WRONG
    assert result.evidence.rung is Rung.SAMPLED
    case = result
    assert case.basis == "sampled at 1 point"
    assert result.witness.message.startswith("sampled: along")
    assert "there is no certificate, for " in result.witness.message


@pytest.mark.long
@pytest.mark.parametrize("name", ["not recordable", "escape"])
def test_over_a_region_too(name):
    function, slope, at = OPEN[name]
    over = verify.box(0.25, 1, shape=np.shape(at))
    right = verify.gradient(function, slope, over=over, effort=0.2)
    assert right.verdict is Verdict.UNDECIDED
    assert right.sampled.verdict is Verdict.CORRECT
    wrong = verify.gradient(function, lambda x: -slope(x), over=over, effort=0.2)
    assert wrong.verdict is Verdict.WRONG
    assert wrong.evidence.rung is Rung.SAMPLED


def test_what_is_off_by_little_is_not_held_against_a_claim_unasked():
    result = verify.gradient(compiled, lambda x: (1 + 1e-4) * np.cos(x), at=[[0.5, 1.0]])
    assert result.verdict is Verdict.UNDECIDED
    assert result.sampled.verdict is Verdict.WRONG


def test_a_budget_that_is_spent_leaves_samples():
    result = verify.gradient(
        lambda x: np.sum(np.sin(x)), lambda x: 2 * np.cos(x), at=[np.ones(40)],
        budget=Budget(seconds=60, statements=10),
    )  # fmt: skip
    assert result.verdict is Verdict.WRONG
    assert result.evidence.rung is Rung.SAMPLED


def test_a_decided_case_is_not_sampled():
    assert verify.gradient(np.sin, np.cos, at=[0.5]).sampled is None


def test_without_a_claim_there_is_nothing_to_sample():
    with pytest.raises(NotTraceable, match="cannot be recorded"):
        verify.gradient(compiled, at=[[0.5, 1.0]])
    assert verify.gradient(left_by, at=[[0.5, 1.0]]).sampled is None


def test_a_function_that_answers_differently_is_not_sampled():
    random = np.random.default_rng(0)
    result = verify.gradient(lambda x: x * random.random(), lambda x: x, at=[0.5])
    assert result.verdict is Verdict.UNDECIDED
    assert result.sampled is None


def test_a_kink_of_which_nothing_is_known_is_sampled_where_it_was_given():
    def trace(a):
        return np.sum(np.linalg.eigvalsh(a))

    right = verify.gradient(trace, lambda a: np.eye(2), at=[np.eye(2)])
    assert right.verdict is Verdict.KINK
    assert right, "a right claim is known to be that of a piece, without samples"
    wrong = verify.gradient(trace, lambda a: 2 * np.eye(2), at=[np.eye(2)])
    assert wrong.verdict is Verdict.KINK
    assert wrong.sampled.verdict is Verdict.WRONG


def test_reports_keep_it():
    result = verify.gradient(compiled, np.cos, at=[[0.5, 1.0]])
    kept = json.loads(result.to_json())
    assert kept["sampled"]["verdict"] == "CORRECT"
    assert kept["sampled"]["points"] == 1
    assert kept["evidence"] == "by samples alone: CORRECT (sampled at 1 point)"
    report = Report("r", (), "", {}, 0, (prepare_report(result),))
    assert Report.from_dict(json.loads(json.dumps(report.to_dict()))) == report
    assert "by samples alone: CORRECT" in "".join(as_junit.parts(report))
    with pytest.raises(verify.UndecidedError, match="by samples alone: CORRECT"):
        verify.assert_gradient(compiled, np.cos, at=[[0.5, 1.0]])


@pytest.mark.long
def test_it_is_the_same_twice():
    one, other = (verify.gradient(compiled, np.cos, over=[0, 1], effort=0.2) for _ in range(2))
    assert one.sampled == other.sampled


@pytest.mark.parametrize(("dtype", "score"), [(np.float32, 20), (np.float64, 40), (np.float64, 60)])
def test_values_accuse_nobody_where_rounding_hides_a_derivative_that_is_known(dtype, score):
    def cross_entropy(z):
        e = np.exp(z)
        return -np.log(e[1] / np.sum(e))

    def slope(z):
        p = np.exp(z) / np.sum(np.exp(z))
        p[1] -= 1
        return p

    # The function is 0 all around, as floats have it, and rises as e⁻²⁰.
    result = verify.gradient(cross_entropy, slope, at=[np.array([0, score, 1], dtype)])
    assert result.verdict is Verdict.UNDECIDED
    assert "right in exact arithmetic" in result.message
    wrong = verify.gradient(
        cross_entropy, lambda z: 2 * slope(z), at=[np.array([0, score, 1], dtype)]
    )
    assert wrong.verdict is Verdict.WRONG
