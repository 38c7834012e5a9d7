"""The findings of the committed audits, by a party that shares nothing with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from verify.auditing.libraries.as_json import read
from verify.auditing.libraries.second_opinions import of_audit
from verify.oracles.recheck.opinion import OpinionStatus

AUDITS = sorted(Path("reports/audits").glob("*/audit.json"))
QUICK = {"expm1", "soft_sign", "squareplus", "arctan2", "hypot"}


def quick(audit):
    chosen = [entry for entry in audit.entries if entry.function in QUICK]
    return replace(audit, entries=tuple(chosen))


def statuses(audit):
    return {(second.about, second.opinion.status) for second in of_audit(audit)}


@pytest.mark.parametrize("path", AUDITS, ids=lambda path: path.parent.name)
def test_findings_of_quick_functions_are_confirmed(path):
    found = statuses(quick(read(path.read_text())))
    assert {status for _, status in found} <= {OpinionStatus.CONFIRMED}


@pytest.mark.campaign
@pytest.mark.parametrize("path", AUDITS, ids=lambda path: path.parent.name)
def test_all_findings_are_confirmed(path):
    found = statuses(read(path.read_text()))
    assert {status for _, status in found} == {OpinionStatus.CONFIRMED}


def test_an_exact_value_that_is_off_in_its_fifteenth_digit_is_contradicted():
    audit = quick(read(Path("reports/audits/jax/audit.json").read_text()))
    entry = next(entry for entry in audit.entries if entry.function == "squareplus")
    witness = entry.witnesses[0]
    exact = repr(float(witness.exact) * (1 + 2e-15))
    lying = replace(entry, witnesses=(replace(witness, exact=exact),))
    assert {status for _, status in statuses(replace(audit, entries=(lying,)))} == {
        OpinionStatus.CONTRADICTED
    }
