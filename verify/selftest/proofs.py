"""Faults planted in what proves claims over regions: a wrong claim that each lets through.

A claim is wrong in some part of its region, and nothing says more of it than it should. With the
fault, the prover says more. Points or the checker of certificates must then object: the fault
survives if the claim is CORRECT, proved or enclosed everywhere, and the checker accepts that
without an assumption.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Final

from verify.certificates.checker import Rejected, check
from verify.certificates.writer import NotWritten, certify
from verify.claimants.claim import claim_of
from verify.model.case import Case
from verify.oracles.over_region.proof import prove_over
from verify.selftest.outcome import Outcome
from verify.selftest.proof_claims import pose_claim
from verify.selftest.proof_faults import PLANTS, Plant

_OPERATOR: Final = "proofs over regions"


def try_proof(name: str, keep: Callable[[str], bool], seed: int = 0) -> list[Outcome]:
    """Plant a fault of :data:`PLANTS`, and verify the claim that it lets through."""
    plant, label = PLANTS[name], f"proof with {name}: {PLANTS[name].claim}"
    if not keep(label):
        return []
    case = pose_claim(plant.claim)
    before = _measure(case)
    if before[1] == before[2] == 1:
        return [Outcome(label, _OPERATOR, "survived", "it is proved without any fault")]
    with _planted(plant):
        if _measure(case) <= before:
            return [Outcome(label, _OPERATOR, "equivalent", "no more is proved with it")]
        passes, told = _judge(case)
    return [Outcome(label, _OPERATOR, "survived" if passes else "refuted", told)]


@contextlib.contextmanager
def _planted(plant: Plant) -> Iterator[None]:
    right = getattr(plant.owner, plant.name)
    setattr(plant.owner, plant.name, plant.wrong(right))
    try:
        yield
    finally:
        setattr(plant.owner, plant.name, right)


def _measure(case: Case) -> tuple[float, float, float, int]:
    """On how much a claim is covered, enclosed and proved, and to how many bits."""
    assert case.over is not None
    found = prove_over(claim_of(case), case.over)
    if found is None:
        return 0.0, 0.0, 0.0, 0
    return found.covered, found.enclosed, found.share, found.bits


def _judge(case: Case) -> tuple[bool, str]:
    """Whether a claim passes as proved everywhere, its certificate too, and the words for that."""
    from verify.judging.judge import verify_case

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = verify_case(case, proved=True)
    if not result or result.coverage is None or result.coverage.covered < 1:
        return False, ""
    claim = claim_of(case)
    assert case.over is not None
    found = prove_over(claim, case.over)
    assert found is not None
    try:
        assumed = check(certify(case.id, claim, case.over, found)).assumptions
    except Rejected:
        return False, ""
    except NotWritten as error:
        return True, f"it is {result.verdict.value}, and there is no certificate: {error}"
    if assumed:
        return False, f"its certificate is accepted, assuming that {', '.join(assumed)}"
    return True, f"it is {result.verdict.value}, and its certificate is accepted"
