"""SARIF 2.1.0: findings at their lines, as forges show them in a pull request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Final

import symtape
from verify.files import places
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import wording
from verify.reporting.explain import explanation
from verify.reporting.generated import SARIF_TOOL
from verify.reporting.legible import one_line
from verify.reporting.model import Report

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {
    Verdict.WRONG: "error",
    Verdict.INACCURATE: "warning",
    Verdict.UNDECIDED: "note",
}
"""What a forge shows of each verdict; the others are no findings."""


def parts(report: Report) -> Iterator[str]:
    """The report as SARIF: one result for each case that does not pass."""
    rules = [_rule(verdict) for verdict in _LEVELS]
    driver = {"name": SARIF_TOOL, "version": symtape.__version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_encode_finding(case) for case in report.cases if case.verdict in _LEVELS],
    }
    found = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    yield json.dumps(found, indent=2, ensure_ascii=True) + "\n"


def _rule(verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.value,
        "shortDescription": {"text": f"{wording.MEANINGS[verdict].capitalize()}."},
        "defaultConfiguration": {"level": _LEVELS[verdict]},
    }


def _encode_finding(case: Result) -> dict[str, Any]:
    message = case.message or wording.MEANINGS[case.verdict]
    claim = f"{case.quantity} of {case.id}, claimed by {case.claimant}"
    return {
        "ruleId": case.verdict.value,
        "level": _LEVELS[case.verdict],
        "message": {
            "text": one_line(f"{claim}: {message}"),
            "markdown": f"```text\n{explanation(case)}\n```",
        },
        "locations": [_location(*place) for place in _places(case)][:1],
        "partialFingerprints": {"case/v1": f"{case.id}:{case.quantity}:{case.claimant}"},
    }


def _places(case: Result) -> Iterator[tuple[str, int]]:
    """Where it is shown: the line at fault, or else the claim, or else the function."""
    blamed = places.parts_of(case.worst.origin) if case.worst and case.worst.origin else None
    if blamed is not None:
        yield blamed
    for source in (case.claim, case.source):
        if source is not None:
            yield source.file, source.line


def _location(file: str, line: int) -> dict[str, Any]:
    path = PurePath(file)
    uri = path.as_uri() if path.is_absolute() else path.as_posix().replace(" ", "%20")
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, line)}}
    return {"physicalLocation": place}
