"""Faults planted in what proves claims over regions: each proves a wrong claim, and is found."""

import numpy as np
import pytest

from verify.claimants.claim import claim_of
from verify.oracles.over_region.proof import prove_over
from verify.selftest.proof_faults import PLANTS
from verify.selftest.proofs import CLAIMS, pose_claim, try_proof
from verify.selftest.run import Task, perform, plan


@pytest.mark.long
@pytest.mark.parametrize("name", PLANTS)
def test_a_fault_in_what_proves_is_found(name):
    with np.errstate(all="ignore"):
        [outcome] = try_proof(name, lambda label: True)
    assert outcome.fate == "refuted", outcome.words


@pytest.mark.parametrize("name", CLAIMS)
def test_without_a_fault_a_wrong_claim_is_not_proved(name):
    case = pose_claim(name)
    found = prove_over(claim_of(case), case.over)
    assert found is None or found.share < 1


def test_proofs_are_planned_and_found_by_their_ids():
    name = "a relation of i"
    assert {task.name for task in plan() if task.kind == "proof"} == set(PLANTS)
    [task] = plan(only=f"proof with {name}:")
    assert task == Task("proof", name, only=f"proof with {name}:")
    assert [outcome.fate for outcome in perform(task).outcomes] == ["refuted"]
    assert not perform(Task("proof", name, only="something else")).outcomes
