"""Evaluations: what is known of the points of a search, each evaluated once and judged once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol

from symtape.errors import NotOnTape, NotTraceable
from symtape.process.budget import Budget
from symtape.process.work import meter_work
from verify.claimants.claim import Claim
from verify.errors import UsageError
from verify.judging.search.batches import evaluate_many
from verify.judging.search.evaluator import Evaluation, Evaluator, Status
from verify.judging.search.ledger import Ledger
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.closed_form import ClosedForms
from verify.regions.region import key_of

CHEAP: Final = 200_000
"""Operations that judging a special point may take at first; others wait for the others."""

EXPENSIVE: Final = 2_000_000
"""Operations that judging any point of a search may take."""

Point = tuple[Any, ...]


class Evaluations:
    """Evaluates and judges points, and remembers what it found.

    Parameters
    ----------
    judge : Judging
    evaluator : Evaluator
    ledger : Ledger
        Takes note of every verdict.
    smooth : bool
        Whether points without a classical derivative do not count.

    Attributes
    ----------
    expensive : list of points
        Those that were put off, for judging them takes more than was granted.
    raised : Exception or None
        What the function raised first.
    flushed_too : bool
        Whether to judge points that the claim's code takes for others.
    """

    def __init__(
        self, judge: Judging, evaluator: Evaluator, ledger: Ledger, smooth: bool = False
    ) -> None:
        self.judge_of_claim, self.evaluator, self.ledger = judge, evaluator, ledger
        self.smooth = smooth
        self.expensive: list[Point] = []
        self.raised: Exception | None = None
        self.flushed_too = False
        self._sources: dict[str, list[Evaluation]] = {}
        self._known: dict[Any, Evaluation] = {}
        self._judged: set[Any] = set()

    def select(self, *sources: str) -> list[Evaluation]:
        """The evaluations at points from these sources."""
        return [evaluation for name in sources for evaluation in self._sources.get(name, [])]

    def group_by_source(self) -> dict[str, list[Evaluation]]:
        """All evaluations, by where their points are from."""
        return self._sources

    def iterate(self) -> Iterator[Evaluation]:
        """All evaluations, in the order in which they were made."""
        yield from self._known.values()

    def evaluate(self, x: Point, source: str) -> Evaluation:
        """What the claim says at a point beside the exact derivative."""
        key = key_of(x)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.evaluator.evaluate(x)
            self._sources.setdefault(source, []).append(known)
        return known

    def evaluate_together(self, points: Iterable[tuple[str, Point]]) -> None:
        """Evaluate many points, each with its source."""
        fresh = {key_of(x): (source, x) for source, x in points}
        fresh = {key: one for key, one in fresh.items() if key not in self._known}
        evaluations = evaluate_many(self.evaluator, [x for _, x in fresh.values()])
        for (key, (source, _)), evaluation in zip(fresh.items(), evaluations, strict=True):
            self._known[key] = evaluation
            self._sources.setdefault(source, []).append(evaluation)

    def peek(self, x: Point) -> Evaluation:
        """An evaluation that is not remembered."""
        return self._known.get(key_of(x)) or self.evaluator.evaluate(x)

    def judge(self, x: Point, most: float = EXPENSIVE) -> PointOutcome | None:
        """The verdict at a point, once; None for none, or one too expensive for now."""
        key = key_of(x)
        if key in self._judged:
            return None
        evaluation = self.evaluate(x, "special")
        if evaluation.status is Status.FLUSHED and not self.flushed_too:
            return None
        if evaluation.status is Status.TOO_LONG:
            outcome: PointOutcome | None = PointOutcome.from_judgement(
                x, Verdict.UNDECIDED, evaluation.words
            )
        else:
            outcome = self._affordable(x, most)
        if outcome is not None:
            self._judged.add(key)
            self.ledger.add(outcome, evaluation.path)
        return outcome

    def _affordable(self, x: Point, most: float) -> PointOutcome | None:
        """The verdict at a point within so many operations; without it the point is put off."""
        with meter_work(most, "judging this point") as work:
            outcome = self.verdict(x)
        if most < EXPENSIVE and work.left < 0:
            self.expensive.append(x)
            return None
        return outcome

    def verdict(self, x: Point) -> PointOutcome:
        """The verdict at a point, which is not remembered; OUTSIDE where the region has none."""
        outcome = self._verdict(x)
        if self.smooth and outcome.kink is not None:
            words = f"left out, as the region has no kinks: {outcome.message}"
            return PointOutcome.from_judgement(
                x, Verdict.OUTSIDE, words, op=outcome.op, origin=outcome.origin
            )
        return outcome

    def _verdict(self, x: Point) -> PointOutcome:
        try:
            return self.judge_of_claim.judge_point(x)
        except NotTraceable as error:
            if not self.evaluator.tracks.known:
                raise
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, str(error), code=error.code)
        except (UsageError, NotOnTape):
            raise
        except Exception as error:
            # A function may refuse what is not in its domain in any way it likes.
            if self.peek(x).status is not Status.OUTSIDE:
                raise
            self.raised = self.raised or error
            words = f"the function raised {type(error).__name__}: {error}"
            return PointOutcome.from_judgement(x, Verdict.OUTSIDE, words)


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
