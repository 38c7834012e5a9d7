"""What a search asks of whoever gives the verdicts: the floor above it has the judge."""

from __future__ import annotations

from typing import Any, Protocol

from symtape.process.budget import Budget
from verify.claimants.claim import Claim
from verify.model.result import PointOutcome
from verify.oracles.closed_form import ClosedForms


class Judging(Protocol):
    """Gives the verdict on one claim at point after point.

    Attributes
    ----------
    claim : Claim
    budget : Budget
    forms : ClosedForms
        Of the exact derivative, shared with the search.
    explain : bool
        Whether to say of what fails where it comes from.
    """

    claim: Claim
    budget: Budget
    forms: ClosedForms
    explain: bool

    @property
    def uses_xla(self) -> bool:
        """Whether any of the claims computes as XLA does."""
        ...

    @property
    def departure(self) -> str:
        """Where a recording was not the function, in words; empty where all were."""
        ...

    def judge_point(self, x: tuple[Any, ...]) -> PointOutcome:
        """What there is to say of the claim at one point."""
        ...
