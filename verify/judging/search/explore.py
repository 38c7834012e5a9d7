"""Explore: a claim over a region, within counts and work that follow from its size.

A few interior points come first, which is where gross mistakes show. Where they pass and a proof
covers the region, what follows looks for float values alone, at fewer points. Special points come
next, the cheaper before the dearer. The claim is evaluated all over the region; boundaries between
the paths that the function takes are solved for; and whatever looks like a fault, each path, each
boundary and a spread of the rest is judged. What failed in earlier runs comes on top. A failing
point is shrunk, judged again, and kept for the next run.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from symtape.process.work import Work, meter_work, suspend_meter
from symtape.rigorous.backward_error import allow_xla_answers
from verify.judging.search.boundaries import Boundaries
from verify.judging.search.effort import (
    LEAST_TO_BOUND,
    LEAST_TO_PROVE,
    Effort,
    Quota,
    effort_for,
    operations_for,
)
from verify.judging.search.evaluations import CHEAP, Evaluations, Judging
from verify.judging.search.evaluator import Evaluation, Evaluator, Status, claim_tracks
from verify.judging.search.ledger import LEAST_GENERIC, Ledger
from verify.judging.search.memory import recall, remember
from verify.judging.search.moves import Stepper
from verify.judging.search.nearby import (
    climb_error,
    gather_numbers,
    peaks,
    sample_decades,
    shrunk,
    tie_numbers,
)
from verify.judging.search.survey import (
    draw_points,
    kind_of,
    rank_evaluations,
    survey_of,
    suspicion,
)
from verify.judging.search.tracks import MOST_PIECES, points_between
from verify.model.case import Case
from verify.model.grade import is_extreme
from verify.model.result import Coverage, PointOutcome, Survey
from verify.model.verdict import Verdict
from verify.regions import Region
from verify.regions.interleave import turns
from verify.regions.region import key_of

if TYPE_CHECKING:
    from verify.oracles.over_region.part import RegionProof

_GENERIC: Final = 10_000_000
"""The same of an interior point by chance, of which some have to be judged."""

_PROVING: Final = 50_000
"""Operations for a proof that nobody asked for, at effort 1; most that succeed take a tenth."""

_BATCH: Final = 512
"""Points of the survey that are evaluated together."""

_SHRINKING: Final = 1_500_000
"""Operations for finding a simpler point that fails, whatever the search has spent."""

_OF_A_KIND: Final = 4
"""Suspects judged that differ in nothing but their digits."""

_TOO_EXPENSIVE: Final = 3
"""So many points put off, and no more special ones are judged before they look like a fault."""

_MOST_EXPENSIVE: Final = 4

_MOST_OUTSIDE: Final = 4
"""So many times as many interior points are drawn as are judged, where some are outside."""

_SHARES: Final = {
    "generic": 0.3,
    "proof": 0.0,
    "special": 0.1,
    "survey": 0.2,
    "nearby": 0.05,
    "boundaries": 0.1,
    "paths": 0.1,
    "suspects": 0.1,
    "spread": 0.03,
    "expensive": 0.02,
}
"""Of the work, for each kind of points; what one leaves is for those after it."""

_ENOUGH: Final = 10
"""Failing points after which no more are asked for."""

_MOST_KINKS_IN_A_ROW: Final = 6
"""Kinks in a row after which a source of points has to wait for the others."""

_MOST_WAYS: Final = 64
_MOST_TIED: Final = 48

_MOST_NANS: Final = 8

_MOST_DECADES: Final = 24
"""Decades that a point is judged from, though nothing there looks like a fault."""

_OTHERWISE: Final = "at the end of the search it gives another answer than at first"

Point = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    points : tuple of PointOutcome
        The witness first, if something fails.
    coverage : Coverage
    survey : Survey or None
    proof : RegionProof or None
        Of the claim's formula.
    """

    points: tuple[PointOutcome, ...]
    coverage: Coverage
    survey: Survey | None
    proof: RegionProof | None


def explore(case: Case, judge: Judging, scale: float = 1.0, proved: bool = False) -> SearchResult:
    """Search the region of a case.

    Parameters
    ----------
    case : Case
        With a region.
    judge : Judging
        Of its claim.
    scale : float
        Of all counts: 1 for a call in a test, more for a campaign.
    proved : bool
        Whether to prove what can be proved on parts of the region too.

    Raises
    ------
    UsageError, NotTraceable, NotOnTape
        As the judge.
    Exception
        What the function raises, if it does so at every point.
    """
    assert case.over is not None
    # What NumPy has to say at the edges that a search seeks out helps nobody.
    quiet = np.errstate(all="ignore")
    with warnings.catch_warnings(), quiet, allow_xla_answers(judge.uses_xla), meter_work() as work:
        warnings.simplefilter("ignore")
        return _Search(case, case.over, judge, scale, work, proved).run()


class _Search:
    """One search, step by step."""

    def __init__(
        self,
        case: Case,
        region: Region,
        judge: Judging,
        scale: float,
        work: Work,
        proved: bool,
    ) -> None:
        self.case, self.region, self.judge = case, region, judge
        self.scale = scale
        self.quota = Quota(work, operations_for(scale), judge.budget.seconds)
        self.ledger = Ledger(case.strict)
        self.evaluator = Evaluator(judge.claim, judge.forms, judge.budget, scale=scale)
        self.effort: Effort = effort_for(0, 0, scale)
        self.points = Evaluations(judge, self.evaluator, self.ledger, region.smooth)
        self._proved = proved
        self.proof: RegionProof | None = None
        self._open_points: tuple[Point, ...] = ()
        self._capped = ""
        self._first = 0

    def run(self) -> SearchResult:
        phases = {
            "generic": self._judge_generic,
            "proof": self._prove,
            "special": self._lead,
            "survey": self._survey,
            "nearby": self._look_nearby,
            "boundaries": self._solve,
            "paths": self._judge_paths,
            "suspects": self._judge_suspects,
            "spread": self._judge_spread,
            "expensive": self._judge_expensive,
        }
        self.judge.explain = False
        try:
            for name, phase in phases.items():
                self.quota.phase(_SHARES[name])
                phase()
            replayed = self._replay()
            self._ask_again()
            self._settle()
        finally:
            self.judge.explain = True
        if self.points.raised is not None and not self.ledger.paths:
            # It raises wherever it is called, and not for the sake of its domain.
            raise self.points.raised
        return SearchResult(
            self.ledger.select_outcomes(),
            self._coverage(replayed),
            self._shown_survey(),
            self.proof,
        )

    def _coverage(self, replayed: int) -> Coverage:
        generic = self.points.select("generic")
        inside = sum(evaluation.status is not Status.OUTSIDE for evaluation in generic)
        return self.ledger.coverage(
            self.region.describe(),
            self.case.seed,
            self.evaluator.count,
            replayed,
            self.quota.words or self._capped or self._too_long(),
            self.judge.departure
            or self.ledger.lacking(inside, self.quota.words if self.quota.late else ""),
        )

    def _too_long(self) -> str:
        if self.evaluator.left > 0:
            return ""
        return "its paths are too many and too long for the search to record them all"

    def _judge_generic(self) -> None:
        """Interior points by chance; then it is known what an evaluation costs."""
        random = np.random.default_rng([self.case.seed, 4])
        inside = 0
        for turn in range(_MOST_OUTSIDE * self.effort.generic):
            if inside >= self.effort.generic:
                break
            x = self.region.draw(random, "uniform", turn)
            if self.points.evaluate(x, "generic").status is not Status.OUTSIDE:
                inside += 1
        longest = self.evaluator.tracks.longest()
        self.effort = effort_for(self.evaluator.cost, longest, self.scale)
        for evaluation in self.points.select("generic"):
            if len(self.ledger.generic) >= LEAST_GENERIC and self.quota:
                return
            outcome = None if self.quota.over else self.points.judge(evaluation.x, _GENERIC)
            if outcome is not None and outcome.verdict is not Verdict.OUTSIDE:
                self.ledger.generic.append(outcome)

    def _prove(self) -> None:
        """Prove what points by chance confirmed; what is proved is searched for values alone."""
        first = self.ledger.generic
        confirmed = first and all(one.verdict is Verdict.CORRECT for one in first)
        if not self._proved and not (confirmed and self.scale >= LEAST_TO_PROVE):
            return
        # The prover takes a tenth of a second to import.
        from verify.oracles.over_region.proof import MOST_WORK, prove_over

        most = MOST_WORK if self._proved else _PROVING * min(self.scale, 1.0)
        # What is asked for beside the search takes nothing from it.
        with suspend_meter() if self._proved else nullcontext():
            found = prove_over(self.judge.claim, self.region, most)
        self._open_points = found.open_points if found is not None else ()
        is_whole = found is not None and found.share == 1
        if is_whole:
            self.effort = self.effort.count_values()
        if found is not None and (self._proved or self.scale >= LEAST_TO_BOUND):
            from verify.oracles.over_region.proof import bound_claim

            found = replace(found, rounding=bound_claim(found))
        if self._proved or (found is not None and found.covered == 1):
            self.proof = found

    def _lead(self) -> None:
        """Points that a proof leaves open, and special ones, the first of them judged."""
        inside = filter(self.region.contains, self._open_points)
        if not self._evaluate_each(inside, "open"):
            return
        points = self.region.points(self.case.seed)
        first = list(islice(points, self.effort.lead))
        if not self._evaluate_each(first, "special"):
            return
        for x in first:
            if self.quota or len(self.points.expensive) >= _TOO_EXPENSIVE:
                break
            self.points.judge(x, CHEAP)
        self._evaluate_each(islice(points, self.effort.specials), "special")

    def _survey(self) -> None:
        points = draw_points(self.region, self.case.seed, self.effort.survey)
        while (batch := list(islice(points, _BATCH))) and not self.quota:
            self.points.evaluate_together(batch)

    def _look_nearby(self) -> None:
        """Points with ties, or of like numbers, and uphill from where errors are largest."""
        random = np.random.default_rng([self.case.seed, 3])
        drawn_ones = self.points.select("uniform", "mixed")
        most = max(min(_MOST_TIED, self.effort.survey), int(_MOST_TIED * self.scale))
        beside = tie_numbers(self.region, (r.x for r in drawn_ones[:most]), random)
        if not self._evaluate_each(beside, "tied"):
            return
        count = max(most, self.effort.survey // 8)
        beside = gather_numbers(self.region, (r.x for r in drawn_ones[:count]), random)
        if not self._evaluate_each(beside, "gathered"):
            return
        for evaluation in peaks(self.region, self._drawn_evaluations(), self.effort.peaks):
            if self.quota:
                return
            climb_error(
                self.region, evaluation, lambda x: self.points.evaluate(x, "climbed"), random
            )

    def _drawn_evaluations(self) -> list[Evaluation]:
        return self.points.select("uniform", "ordinal")

    def _solve(self) -> None:
        """Points on the boundaries of the function's own paths, and of the claim's."""
        random = np.random.default_rng([self.case.seed, 2])
        pool = [r.x for rs in self.points.group_by_source().values() for r in rs[:64]]
        inside = [
            r.x
            for rs in self.points.group_by_source().values()
            for r in rs[:64]
            if r.path is not None
        ]
        steppers = [Stepper(self.region, self.effort.moves) for _ in range(2)]
        own, claimed = (Boundaries(self.region, stepper, random) for stepper in steppers)
        theirs = claim_tracks(self.judge.claim, inside)
        self._evaluate_each(own.search_test(self._is_inside, pool), "boundary")
        for priority in (0, 0, 0, 1, 2, 3, 4):
            found = own.search_tracks(self.evaluator.tracks, pool, priority)
            self._evaluate_each(found, "boundary")
            self._evaluate_each(claimed.search_tracks(theirs, inside, priority), "boundary")
        self._evaluate_each(own.stepper.beside, "beside")

    def _evaluate_each(self, points: Iterable[Point], source: str) -> bool:
        """Evaluate points as long as there is quota; whether it was enough."""
        for x in points:
            if self.quota:
                return False
            self.points.evaluate(x, source)
        return True

    def _is_inside(self, x: Point) -> bool:
        return self.points.evaluate(x, "probe").status is not Status.OUTSIDE

    def _judge_paths(self) -> None:
        """Each path that was found, at a point of it, until it has a verdict."""
        inside = [one.x for one in self.points.iterate() if one.path is not None]
        self._evaluate_each(points_between(self.region, self.evaluator.tracks, inside), "piece")
        if len(self.evaluator.met) >= MOST_PIECES:
            self._capped = f"more than {MOST_PIECES:,} pieces were found, and these compared"
        by_path: dict[Any, list[Evaluation]] = {}
        for evaluation in self.points.iterate():
            if evaluation.path is not None and evaluation.status is not Status.OUTSIDE:
                by_path.setdefault(evaluation.path, []).append(evaluation)
        for number, (path, evaluations) in enumerate(by_path.items()):
            if number >= _MOST_WAYS:
                self._capped = f"more than {_MOST_WAYS} paths were found, and these verified"
                return
            self.ledger.add_path(path)
            for evaluation in sorted(evaluations, key=suspicion, reverse=True)[:3]:
                if self.quota or self.ledger.paths[path]:
                    break
                self.points.judge(evaluation.x)

    def _judge_nans(self) -> None:
        """Some of the points where there is a value but no closed form, and the claim is nan."""
        nans = [
            evaluation
            for evaluation in self.points.iterate()
            if evaluation.status is Status.UNKNOWN and evaluation.ulps == math.inf
        ]
        for evaluation in self._sample_evenly(nans, _MOST_NANS):
            if self.quota or self.ledger.failing:
                return
            self.points.judge(evaluation.x)

    def _judge_suspects(self) -> None:
        """What looks like a fault, from each source in turn."""
        self._judge_nans()
        most = self.effort.judged
        self._first = len(self.ledger.outcomes)
        sources = {
            name: rs for name, rs in self.points.group_by_source().items() if name != "probe"
        }
        ranks = {name: rank_evaluations(self.region, rs, most) for name, rs in sources.items()}
        kinks = dict.fromkeys(ranks, 0)
        if not self.case.strict:
            # What is at the fringe is noted at most, and must not keep the search from the rest.
            ranks = {n: sorted(rs, key=lambda r: is_extreme(r.x)) for n, rs in ranks.items()}
        queue = [[(name, evaluation) for evaluation in rs] for name, rs in ranks.items()]
        alike = Counter[Any]()
        for name, evaluation in turns(queue):
            if self._enough():
                return
            kind = kind_of(self.region, evaluation)
            alike[kind] += 1
            if kinks[name] >= _MOST_KINKS_IN_A_ROW or alike[kind] > _OF_A_KIND:
                continue
            outcome = self.points.judge(evaluation.x, CHEAP)
            kink = outcome is not None and self._is_beside(outcome)
            kinks[name] = kinks[name] + 1 if kink else 0
            # A kink says nothing of the faults that look like it.
            alike[kind] -= kink

    def _is_beside(self, outcome: PointOutcome) -> bool:
        """Whether there is no derivative, or what is found is noted at most."""
        noted = bool(outcome.note) and not self.case.strict
        return noted or outcome.verdict is Verdict.KINK

    def _judge_spread(self) -> None:
        """Boundaries, and points of every size, though nothing there looks like a fault."""
        spread = [*self._sample_evenly(self.points.select("boundary"), 24)]
        spread += sample_decades(self.region, self._drawn_evaluations(), _MOST_DECADES)
        for name in ("uniform", "tied", "mixed", "whole", "special"):
            spread += self._sample_evenly(self.points.select(name), 12)
        for evaluation in spread:
            if self._enough():
                return
            self.points.judge(evaluation.x, CHEAP)
        self._judge_flushed()

    def _judge_flushed(self) -> None:
        """Points that the claim's code takes for others, but only where there are no others."""
        self.points.flushed_too = not self.ledger.outcomes
        for evaluation in self._sample_evenly(self.points.select("special"), 1):
            self.points.judge(evaluation.x)

    def _judge_expensive(self) -> None:
        """Some of the points that were put off."""
        for x in self.points.expensive[:_MOST_EXPENSIVE]:
            if self.quota:
                return
            self.points.judge(x)

    def _replay(self) -> int:
        """Where the claim failed in earlier runs; what this one finds does not depend on it."""
        kept = recall(self.case, self.region)
        for x in kept:
            if self.quota.over:
                break
            outcome = self.points.judge(x)
            if outcome is not None:
                self.ledger.recalled.append(outcome)
        return len(kept)

    def _ask_again(self) -> None:
        """The first point that passed once more, for a claim may change as it is called."""
        passed = next((it for it in self.ledger.generic if it.verdict is Verdict.CORRECT), None)
        if passed is None or self.ledger.failing or self.quota.over:
            return
        again = self.points.verdict(passed.x)
        if again.verdict.fails:
            self.ledger.add(replace(again, message=f"{_OTHERWISE}: {again.message}"), None)

    def _sample_evenly(self, evaluations: list[Evaluation], most: int) -> Iterator[Evaluation]:
        stride = max(1, len(evaluations) // most)
        yield from evaluations[::stride][:most]

    def _enough(self) -> bool:
        spent = len(self.ledger.outcomes) - self._first >= self.effort.judged
        return spent or bool(self.quota) or len(self.ledger.failing) >= _ENOUGH

    def _settle(self) -> None:
        """Shrink the worst, and keep what fails for the next run."""
        for noted in self.ledger.notes[:1]:
            self.ledger.replace(noted, self._shrunk(noted))
        if failing := self.ledger.failing:
            witness = self._shrunk(failing[0])
            self.ledger.witness = witness
            failing = [witness, *failing]
        remember(self.case, [outcome.x for outcome in failing])

    def _shrunk(self, outcome: PointOutcome) -> PointOutcome:
        """The simplest that fails like it, which alone is explained."""
        until = self.quota.work.spent + _SHRINKING

        def judge_again(x: Point) -> PointOutcome | None:
            if self.quota.work.spent > until:
                return None
            with meter_work(CHEAP, "judging this point"):
                return self.points.verdict(x)

        found = shrunk(outcome, self.region, judge_again, self.points.peek, self.effort.shrinks)
        self.judge.explain = True
        with meter_work(_GENERIC, "explaining this point"):
            explained = self.points.verdict(found.x)
        return explained if explained and explained.verdict is found.verdict else found

    def _shown_survey(self) -> Survey | None:
        """Without the points at which there turned out to be no derivative."""
        none = {
            key_of(o.x)
            for o in self.ledger.select_verdicts(Verdict.KINK, Verdict.OUTSIDE, Verdict.UNDECIDED)
        }
        drawn_ones = [
            evaluation
            for evaluation in self._drawn_evaluations()
            if key_of(evaluation.x) not in none
        ]
        return survey_of(self.region, drawn_ones or self.points.select("special"))
