"""Derivatives that libraries once computed wrongly: refuted from the region alone.

Beside each stands the right one, which must not be accused anywhere in the same region.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

import verify
from tests.faults.historical import (
    broadcasting,
    factors,
    matrices,
    nan_traps,
    tails,
    thresholds,
    ties,
)
from verify.judging.judge import verify_case
from verify.model.case import Case, region_of
from verify.model.verdict import Verdict

TABLES = [tails, thresholds, ties, nan_traps, broadcasting, factors, matrices]
FAULTS = [fault for table in TABLES for fault in table.FAULTS]
EACH = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
QUICK = pytest.mark.parametrize(
    "fault", [fault for fault in FAULTS if not fault.long], ids=lambda fault: fault.name
)

ACQUITTED = (Verdict.CORRECT, Verdict.KINK)


@pytest.fixture(autouse=True)
def no_memory(monkeypatch, tmp_path):
    """Nothing is known of earlier searches."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def judged(fault, claim):
    """The result at the points where it was reported."""
    return verify.derivative(fault.quantity, fault.function, claimed=claim, at=list(fault.at))


def searched(fault, claim, effort=1.0, strict=True):
    """The result of a search that is told the region and nothing else."""
    case = Case(
        id=fault.name,
        title=fault.name,
        function=fault.function,
        at=(),
        quantity=fault.quantity,
        claimed=claim,
        over=region_of(fault.function, fault.over),
        strict=strict,
    )
    return verify_case(case, effort=effort)


def test_the_tables_are_large_and_name_their_sources():
    assert len(FAULTS) >= 45
    assert max(Counter(fault.name for fault in FAULTS).values()) == 1
    for fault in FAULTS:
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", fault.source)
        assert fault.what.endswith(".")
        assert fault.at


@EACH
def test_it_is_refuted_where_it_was_reported(fault):
    result = judged(fault, fault.wrong)
    assert result.verdict.fails, f"{fault.source}\n{result}"


@EACH
def test_its_right_twin_is_not_accused_there(fault):
    result = judged(fault, fault.right)
    assert result.verdict in ACQUITTED, str(result)


@QUICK
def test_it_is_refuted_from_the_region_alone(fault):
    result = searched(fault, fault.wrong, effort=0.05)
    assert result.verdict.fails, f"{fault.source}\n{result}"


@QUICK
def test_its_right_twin_is_not_accused_in_the_region(fault):
    result = searched(fault, fault.right, effort=0.05)
    assert result.verdict in ACQUITTED, str(result)


@pytest.mark.campaign
@EACH
def test_it_is_refuted_by_a_whole_search(fault):
    result = searched(fault, fault.wrong)
    assert result.verdict.fails, f"{fault.source}\n{result}"


@pytest.mark.campaign
@EACH
def test_its_right_twin_stands_a_whole_search(fault):
    # What fails at 1e-163 alone, where the function itself loses its digits, is a note.
    result = searched(fault, fault.right, strict=False)
    assert result.verdict in ACQUITTED, str(result)
