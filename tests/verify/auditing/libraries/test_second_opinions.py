"""The findings of the committed audits, by a party that shares nothing with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from verify.commands.second_opinions import second_opinions
from verify.model.outcome import Enclosure
from verify.oracles.recheck.opinion import OpinionStatus
from verify.reporting import load

AUDITS = sorted(Path("reports/audits").glob("*/*.json"))
QUICK = {"expm1", "soft_sign", "squareplus", "arctan2", "hypot"}


def quick(audit):
    chosen = [it for it in audit.cases if it.id.partition(":")[2].partition(" ")[0] in QUICK]
    return replace(audit, cases=tuple(chosen))


def statuses(audit):
    return {(second.about, second.opinion.status) for second in second_opinions(audit)}


@pytest.mark.long
@pytest.mark.parametrize("path", AUDITS, ids=lambda path: path.stem)
def test_findings_of_quick_functions_are_confirmed(path):
    found = statuses(quick(load(path)))
    assert {status for _, status in found} <= {OpinionStatus.CONFIRMED}


@pytest.mark.campaign
@pytest.mark.parametrize("path", AUDITS, ids=lambda path: path.stem)
def test_all_findings_are_confirmed(path):
    found = statuses(load(path))
    assert {status for _, status in found} == {OpinionStatus.CONFIRMED}


def test_an_exact_value_that_is_off_in_its_fifteenth_digit_is_contradicted():
    audit = quick(load("reports/audits/jax/jax.json"))
    case = next(it for it in audit.cases if it.fails and "squareplus" in it.id)
    point = case.points[0]
    exact = repr(float(point.enclosure.lower) * (1 + 2e-15))
    lying = replace(point, enclosure=Enclosure(exact, exact))
    found = statuses(replace(audit, cases=(replace(case, points=(lying,)),)))
    assert {status for _, status in found} == {OpinionStatus.CONTRADICTED}
