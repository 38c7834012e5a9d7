"""A conflict of oracles anywhere in a search leaves nothing of CORRECT, and is told."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from symtape.primitives.primitive import Primitive
from verify import Verdict
from verify.judging.search.ledger import Ledger
from verify.model.result import PointOutcome

CROOKED = Primitive(
    name="crooked_beyond_one",
    inputs="x",
    evaluate=lambda x: x * x * x,
    vjp=[lambda g, x: g * (3 * x**2)],
    elementwise=True,
    symbolic=lambda sp, x: x**3,
    ball=lambda ball, x: x * x * x + 1 if x > 1 else x * x * x,
    rounding=(1, 2),
)


@pytest.fixture(scope="module")
def disputed():
    return verify.gradient(CROOKED, over=verify.box(-3, 3), effort=0.3)


@pytest.mark.long
def test_some_conflicts_undo_what_other_points_found(disputed):
    assert disputed.coverage.conflicts
    assert dict(disputed.coverage.counts)[Verdict.CORRECT] > disputed.coverage.conflicts
    assert disputed.verdict is Verdict.UNDECIDED
    assert not disputed
    assert disputed.witness.conflict
    assert "readings of crooked_beyond_one at " in disputed.message
    assert "oracle conflict" in str(disputed)


@pytest.mark.long
def test_a_test_fails_on_it():
    with pytest.raises(AssertionError, match="readings of crooked_beyond_one"):
        verify.assert_gradient(CROOKED, over=verify.box(-3, 3), effort=0.3)


def test_a_fault_elsewhere_stays_one_and_the_conflict_is_told_beside_it():
    def claimed(x):
        return 3 * x * x if x > -1 else 4 * x * x

    result = verify.gradient(CROOKED, claimed, over=verify.box(-3, 3), effort=0.3)
    assert result.verdict is Verdict.WRONG
    assert result.witness.x[0] <= -1
    assert "oracle conflict: readings of crooked_beyond_one" in str(result)
    assert f"{result.coverage.conflicts} points: oracle conflict" in result.explain()


def test_conflicts_lead_the_points_that_are_shown():
    ledger = Ledger()
    for k in range(30):
        ledger.add(PointOutcome.from_judgement((np.float64(k),), Verdict.CORRECT, bits=300))
    ledger.add(PointOutcome.from_judgement((np.float64(40.0),), Verdict.UNDECIDED, "no power"))
    ledger.add(
        PointOutcome.from_judgement(
            (np.float64(50.0),), Verdict.UNDECIDED, "they differ", conflict=True
        )
    )
    shown = ledger.select_outcomes()
    assert [point.message for point in shown if point.verdict is Verdict.UNDECIDED] == [
        "they differ"
    ]
    found = ledger.coverage("x", 0, 32, 0, "")
    assert found.conflicts == 1
    assert found.reasons == ("they differ", "no power")
    assert found.frequencies == (1, 1)


def test_reasons_that_differ_in_numbers_alone_are_counted_together():
    ledger = Ledger()
    for k in range(5):
        words = f"rounding alone may cost {k + 0.5:.2e} of the value"
        ledger.add(PointOutcome.from_judgement((np.float64(k),), Verdict.UNDECIDED, words))
    found = ledger.coverage("x", 0, 5, 0, "")
    assert found.reasons == ("rounding alone may cost 5.00e-01 of the value",)
    assert found.frequencies == (5,)


@pytest.mark.long
def test_undecided_points_are_counted_with_their_reason():
    result = verify.gradient(lambda x: np.exp(x) / (1 + np.exp(x)), over=verify.box(-800, 800))
    assert result.coverage.undecided
    assert f"{result.coverage.undecided} points: " in str(result)
