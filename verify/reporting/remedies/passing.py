"""Whether a claim passes at points, by the judge that the one that fails there came before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from symtape.process.budget import Budget
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict

_BUDGET: Final = Budget(statements=200_000)


def passes(result: Result, claimed: Any, failing: Sequence[PointOutcome]) -> bool:
    """Whether `claimed`, in place of the claim, passes at points where it failed."""
    from verify.judging.judge import verify_case

    at = tuple(point.x for point in failing)
    case = replace(result.case, claimed=claimed, at=at, over=None, modes={})
    try:
        # A kink at which it is not known what may be claimed is no finding.
        return verify_case(case, _BUDGET).verdict in (Verdict.CORRECT, Verdict.KINK)
    except Exception:  # noqa: BLE001
        # Code that was made may do anything; then it is no remedy.
        return False
