"""Claims that are wrong where something else has hidden it: none passes, and the right ones do."""

from __future__ import annotations

import numpy as np
import pytest

from verify.selftest.corners import CORNERS, claims_about, try_corner
from verify.selftest.run import Task, perform, plan


@pytest.mark.parametrize("name", CORNERS)
def test_what_is_planted_is_a_fault(name):
    corner = CORNERS[name]
    for wrong in corner.wrong.values():
        pairs = [(np.asarray(corner.right(x)), np.asarray(wrong(x))) for x in corner.at]
        assert any(not np.allclose(right, made, rtol=1e-6, atol=0) for right, made in pairs)


@pytest.mark.parametrize("name", CORNERS)
def test_no_wrong_claim_passes(name):
    outcomes = try_corner(name, lambda label: True)
    assert len(outcomes) == len(CORNERS[name].wrong)
    assert [each for each in outcomes if each.fate != "refuted"] == []


@pytest.mark.parametrize("name", CORNERS)
def test_right_claims_pass(name):
    pairs = claims_about(name, lambda label: True)
    assert len(pairs) == len(CORNERS[name].at)
    assert [pair for pair in pairs if pair.verdict not in ("CORRECT", "KINK")] == []


def test_corners_are_planned_and_found_by_their_ids():
    only = "corner of sizes as constants, mean: right #1"
    assert {task.name for task in plan() if task.kind == "corner"} == set(CORNERS)
    assert [task.kind for task in plan(only=only)] == ["corner"]
    done = perform(Task("corner", "sizes as constants, mean", only=only))
    assert (len(done.outcomes), len(done.pairs)) == (0, 1)
