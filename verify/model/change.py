"""Change: what became of a case from one run to a later one.

What is wrong or inaccurate now, and was not, is *worse*; so is WRONG where it was INACCURATE. What
failed and is judged as good now is *fixed*. Every other difference of verdicts is a *change*, as
are, under the same verdict, another quantity, another rung of evidence, and of what fails an error
ten times as large or as small. A weaker rung is not worse: nothing is known against the claim, and
searches of other effort reach other rungs. Errors of what is right say nothing but how it rounds.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Any, Final, Self

from symtape.one_line import OneLineRepr
from verify.model.result import Result
from verify.model.verdict import Rung, Verdict

_FACTOR: Final = 10.0
"""An error of a failing claim that differs by less is the same: searches end at other points."""


class Kind(enum.Enum):
    """What became of a case, the gravest first."""

    WORSE = "worse"
    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"
    FIXED = "fixed"
    NOT_RUN = "not run"
    """It is not there, and what it is from was not run again."""
    FAILING = "still failing"
    UNCHANGED = "unchanged"


QUIET: Final = (Kind.FAILING, Kind.UNCHANGED, Kind.NOT_RUN)
"""Kinds in which nothing is different."""


@dataclass(frozen=True, slots=True, repr=False)
class CaseSummary(OneLineRepr):
    """What one run found of a case.

    Attributes
    ----------
    verdict : Verdict
    quantity : str
    evidence : str
    ulps : float or None
        The error at the worst point.
    """

    verdict: Verdict
    quantity: str = ""
    evidence: str = ""
    ulps: float | None = None

    @classmethod
    def from_result(cls, result: Result) -> Self:
        """Of a result."""
        return cls(result.verdict, result.quantity, result.basis, result.ulps)

    @property
    def rung(self) -> Rung | None:
        """The strongest rung of the evidence; None where there is none.

        Examples
        --------
        >>> CaseSummary(Verdict.CORRECT, evidence="certified at 1 point to 2⁻³⁰⁰").rung
        <Rung.CERTIFIED: 'certified'>
        """
        return next((rung for rung in Rung if self.evidence.startswith(rung.value)), None)


@dataclass(frozen=True, slots=True, repr=False)
class Change(OneLineRepr):
    """A case beside itself in an earlier run.

    Attributes
    ----------
    id : str
    kind : Kind
    before, after : CaseSummary or None
        None where the case was not there.
    """

    id: str
    kind: Kind
    before: CaseSummary | None = None
    after: CaseSummary | None = None

    @classmethod
    def from_summaries(
        cls, name: str, before: CaseSummary | None, after: CaseSummary | None, ran: bool = True
    ) -> Self:
        """A change, by what it is.

        Parameters
        ----------
        name : str
            The case's id.
        before, after : CaseSummary or None
        ran : bool
            Whether the later run would have had the case, so that it is gone if it has not.

        Examples
        --------
        >>> right, wrong = CaseSummary(Verdict.CORRECT), CaseSummary(Verdict.WRONG)
        >>> Change.from_summaries("f", right, wrong).kind.value
        'worse'
        >>> Change.from_summaries("f", wrong, right).kind.value
        'fixed'
        """
        if after is None:
            kind = Kind.GONE if ran and before is not None else Kind.NOT_RUN
        elif before is None:
            kind = Kind.NEW
        else:
            kind = _kind(before, after)
        return cls(name, kind, before, after)

    @property
    def is_worse(self) -> bool:
        """Whether something is wrong or inaccurate that was not, or was not known."""
        new = self.kind is Kind.NEW and self.after is not None and self.after.verdict.fails
        return new or self.kind is Kind.WORSE

    @property
    def is_newly_undecided(self) -> bool:
        """Whether it is undecided and was not."""
        was = self.before is not None and self.before.verdict is Verdict.UNDECIDED
        return self.after is not None and self.after.verdict is Verdict.UNDECIDED and not was

    @property
    def rank(self) -> tuple[Any, ...]:
        """A key that sorts the gravest first."""
        verdict = Verdict.CORRECT if self.after is None else self.after.verdict
        urgency = 0 if self.is_worse else 1 if self.is_newly_undecided else 2
        kind = Kind.CHANGED if self.kind is Kind.NEW and urgency == 2 else self.kind
        order = list(Kind).index(kind) if urgency == 2 else 0
        return urgency, order, -list(Verdict).index(verdict)


def _kind(before: CaseSummary, after: CaseSummary) -> Kind:
    order = list(Verdict).index
    if after.verdict.fails and order(after.verdict) > order(before.verdict):
        return Kind.WORSE
    if before.verdict is not after.verdict:
        good = not after.verdict.fails and after.verdict is not Verdict.UNDECIDED
        return Kind.FIXED if before.verdict.fails and good else Kind.CHANGED
    same = before.quantity == after.quantity and before.rung is after.rung
    if before.verdict.fails:
        same = same and _are_alike_errors(before.ulps, after.ulps)
    unchanged = Kind.FAILING if before.verdict.fails else Kind.UNCHANGED
    return unchanged if same else Kind.CHANGED


def _are_alike_errors(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    if math.isfinite(one) and math.isfinite(other) and one > 0 and other > 0:
        return max(one, other) < _FACTOR * min(one, other)
    return one == other or (math.isnan(one) and math.isnan(other))
