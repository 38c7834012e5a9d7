"""Explore: a claim over a region, within counts that follow from its size.

What failed in earlier runs comes first. Then the claim is read at special points and all over the
region; boundaries between the ways that the function takes are solved for; and whatever looks like
a fault, each way, each boundary and a spread of the rest is put before the judge. A failing point
is shrunk, judged again, and kept for the next run.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from symtape.errors import NotOnTape, NotTraceable
from symtape.rigorous.xla import as_xla
from verify.cases import Case
from verify.errors import UsageError
from verify.regions import Region
from verify.regions.interleave import turns
from verify.result import Coverage, PointOutcome, Survey
from verify.search.boundaries import Boundaries
from verify.search.claims import claim_tracks
from verify.search.effort import Brake, Effort, effort_for
from verify.search.ledger import Ledger
from verify.search.memory import recall, remember
from verify.search.moves import Stepper
from verify.search.nearby import climbed, gathered, of_each_decade, peaks, tied
from verify.search.reader import Reader, Reading, Standing
from verify.search.shrinking import shrunk
from verify.search.survey import drawn, ranked, survey_of, suspicion
from verify.verdict import Verdict

if TYPE_CHECKING:
    from verify.judge import Judge

__all__ = ["Found", "explore"]

_LEAD: Final = 16
"""Special points that are judged in any case; half as many in a very short search."""

_ENOUGH: Final = 10
"""Failing points after which no more are asked for."""

_TIRED: Final = 6
"""Kinks in a row after which a source of points has to wait for the others."""

_MOST_WAYS: Final = 64
_MOST_TIED: Final = 48

_MOST_NUMBERLESS: Final = 8

_MOST_DECADES: Final = 24
"""Decades that a point is judged from, though nothing there looks like a fault."""

Point = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    Attributes
    ----------
    points : tuple of PointOutcome
        The witness first, if something fails.
    coverage : Coverage
    survey : Survey or None
    """

    points: tuple[PointOutcome, ...]
    coverage: Coverage
    survey: Survey | None


def explore(case: Case, judge: Judge, scale: float = 1.0) -> Found:
    """Search the region of a case.

    Parameters
    ----------
    case : Case
        With a region.
    judge : Judge
        Of its claim.
    scale : float
        Of all counts: 1 for a call in a test, more for a campaign.

    Raises
    ------
    UsageError, NotTraceable, NotOnTape
        As :func:`verify.judge.verify_case`.
    Exception
        What the function raises, if it does so at every point.
    """
    assert case.over is not None
    # What NumPy has to say at the edges that a search seeks out helps nobody.
    of_xla = judge.claim.of_xla or judge.modes.of_xla
    with warnings.catch_warnings(), np.errstate(all="ignore"), as_xla(of_xla):
        warnings.simplefilter("ignore")
        return _Search(case, case.over, judge, scale).run()


class _Search:
    """One search, step by step."""

    def __init__(self, case: Case, region: Region, judge: Judge, scale: float) -> None:
        self.case, self.region, self.judge = case, region, judge
        self.scale = scale
        self.brake = Brake(judge.budget.seconds, scale)
        self.ledger = Ledger()
        self.reader = Reader(judge.claim, judge.forms, judge.budget, scale=scale)
        self.effort: Effort = effort_for(0, 0)
        self.readings: dict[str, list[Reading]] = {}
        self._known: dict[Any, Reading] = {}
        self._judged: set[Any] = set()
        self._raised: Exception | None = None
        self._capped = ""
        self._flushed_too = False
        self._first = 0

    def run(self) -> Found:
        replayed = self._replay()
        self._lead()
        self._survey()
        self._look_nearby()
        self._solve()
        self._judge_ways()
        self._judge_numberless()
        self._judge_suspects()
        self._judge_spread()
        self._judge_flushed()
        self._settle()
        if self._raised is not None and not self.ledger.ways:
            # It raises wherever it is called, and not for the sake of its domain.
            raise self._raised
        seed = self.case.seed
        stopped = self.brake.words or self._capped or self._too_long()
        coverage = self.ledger.coverage(
            self.region.describe(), seed, self.reader.count, replayed, stopped
        )
        return Found(self.ledger.shown(), coverage, self._shown_survey())

    def _too_long(self) -> str:
        if self.reader.left > 0:
            return ""
        return "its paths are too many and too long for the search to record them all"

    def _replay(self) -> int:
        kept = recall(self.case, self.region)
        for x in kept:
            self._judge(x)
        return len(kept)

    def _lead(self) -> None:
        """Special points, the first of them judged; then it is known what a reading costs."""
        points = self.region.points(self.case.seed)
        first = list(islice(points, int(_LEAD * min(1.0, max(8 * self.scale, 0.5)))))
        for x in first:
            self._read(x, "special")
        longest = self.reader.tracks.longest()
        self.effort = effort_for(self.reader.cost, longest, self.scale)
        for x in first:
            self._judge(x)
        for x in islice(points, self.effort.specials):
            if self.brake:
                return
            self._read(x, "special")

    def _survey(self) -> None:
        for manner, x in drawn(self.region, self.case.seed, self.effort.survey):
            if self.brake:
                return
            self._read(x, manner)

    def _look_nearby(self) -> None:
        """Points with ties, or of like numbers, and uphill from where errors are largest."""
        random = np.random.default_rng([self.case.seed, 3])
        drawn_ones = [r for name in ("uniform", "mixed") for r in self.readings.get(name, [])]
        most = max(_MOST_TIED, int(_MOST_TIED * self.scale))
        for x in tied(self.region, (r.x for r in drawn_ones[:most]), random):
            if self.brake:
                return
            self._read(x, "tied")
        count = max(most, self.effort.survey // 8)
        for x in gathered(self.region, (r.x for r in drawn_ones[:count]), random):
            if self.brake:
                return
            self._read(x, "gathered")
        for reading in peaks(self.region, self._drawn(), self.effort.peaks):
            if self.brake:
                return
            climbed(self.region, reading, lambda x: self._read(x, "climbed"), random)

    def _drawn(self) -> list[Reading]:
        return [r for name in ("uniform", "ordinal") for r in self.readings.get(name, [])]

    def _solve(self) -> None:
        """Points on the boundaries of the function's own ways, and of the claim's."""
        random = np.random.default_rng([self.case.seed, 2])
        pool = [r.x for rs in self.readings.values() for r in rs[:64]]
        inside = [r.x for rs in self.readings.values() for r in rs[:64] if r.way is not None]
        steppers = [Stepper(self.region, self.effort.moves) for _ in range(2)]
        own, claimed = (Boundaries(self.region, stepper, random) for stepper in steppers)
        theirs = claim_tracks(self.judge.claim, inside)
        self._keep_boundaries(own.of_test(self._is_inside, pool))
        for urgency in (0, 0, 0, 1, 2):
            self._keep_boundaries(own.of_tracks(self.reader.tracks, pool, urgency))
            self._keep_boundaries(claimed.of_tracks(theirs, inside, urgency))

    def _keep_boundaries(self, points: Iterable[Point]) -> None:
        for x in points:
            if self.brake:
                return
            self._read(x, "boundary")

    def _is_inside(self, x: Point) -> bool:
        return self._read(x, "probe").standing is not Standing.OUTSIDE

    def _judge_ways(self) -> None:
        """Each way that was found, at a point of it, until it has a verdict."""
        by_way: dict[Any, list[Reading]] = {}
        for reading in self._known.values():
            if reading.way is not None and reading.standing is not Standing.OUTSIDE:
                by_way.setdefault(reading.way, []).append(reading)
        for number, (way, readings) in enumerate(by_way.items()):
            if number >= _MOST_WAYS:
                self._capped = f"more than {_MOST_WAYS} paths were found, and these verified"
                return
            self.ledger.met(way)
            for reading in sorted(readings, key=suspicion, reverse=True)[:3]:
                if self.brake or self.ledger.ways[way]:
                    break
                self._judge(reading.x)

    def _judge_numberless(self) -> None:
        """Some of the points where there is a value but no closed form, and the claim is nan."""
        nans = [
            reading
            for reading in self._known.values()
            if reading.standing is Standing.UNKNOWN and reading.ulps == math.inf
        ]
        for reading in self._every(nans, _MOST_NUMBERLESS):
            if self.brake or self.ledger.failing:
                return
            self._judge(reading.x)

    def _judge_suspects(self) -> None:
        """What looks like a fault, from each source in turn."""
        most = self.effort.judged
        self._first = len(self.ledger.outcomes)
        sources = {name: rs for name, rs in self.readings.items() if name != "probe"}
        ranks = {name: ranked(self.region, rs, most) for name, rs in sources.items()}
        kinks = dict.fromkeys(ranks, 0)
        queue = [[(name, reading) for reading in rs] for name, rs in ranks.items()]
        for name, reading in turns(queue):
            if self._enough():
                return
            if kinks[name] >= _TIRED:
                continue
            outcome = self._judge(reading.x)
            kink = outcome is not None and outcome.verdict is Verdict.KINK
            kinks[name] = kinks[name] + 1 if kink else 0

    def _judge_spread(self) -> None:
        """Boundaries, and points of every size, though nothing there looks like a fault."""
        spread = [*self._every(self.readings.get("boundary", []), 24)]
        spread += of_each_decade(self.region, self._drawn(), _MOST_DECADES)
        for name in ("uniform", "tied", "mixed", "whole", "special"):
            spread += self._every(self.readings.get(name, []), 12)
        for reading in spread:
            if self._enough():
                return
            self._judge(reading.x)

    def _judge_flushed(self) -> None:
        """Points that the claim's code takes for others, but only where there are no others."""
        self._flushed_too = not self.ledger.outcomes
        for reading in self._every(self.readings.get("special", []), 1):
            self._judge(reading.x)

    def _every(self, readings: list[Reading], most: int) -> Iterator[Reading]:
        stride = max(1, len(readings) // most)
        yield from readings[::stride][:most]

    def _enough(self) -> bool:
        spent = len(self.ledger.outcomes) - self._first >= self.effort.judged
        return spent or bool(self.brake) or len(self.ledger.failing) >= _ENOUGH

    def _settle(self) -> None:
        """Shrink the worst, and keep what fails for the next run."""
        failing = self.ledger.failing
        if failing:
            witness = self._shrunk(failing[0])
            if witness is not failing[0]:
                self.ledger.lead(witness)
            failing = [witness, *failing]
        remember(self.case, [outcome.x for outcome in failing])

    def _shrunk(self, outcome: PointOutcome) -> PointOutcome:
        """The simplest that fails like it, which alone is explained."""
        self.judge.explain = False
        try:
            found = shrunk(outcome, self.region, self._again, self._peek, self.effort.shrinks)
        finally:
            self.judge.explain = True
        if found is outcome:
            return outcome
        return self._verdict(found.x) or found

    def _again(self, x: Point) -> PointOutcome | None:
        return None if self.brake else self._verdict(x)

    def _peek(self, x: Point) -> Reading:
        return self._known.get(_key(x)) or self.reader.read(x)

    def _read(self, x: Point, source: str) -> Reading:
        key = _key(x)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.reader.read(x)
            self.readings.setdefault(source, []).append(known)
        return known

    def _judge(self, x: Point) -> PointOutcome | None:
        """The verdict at a point, once; None where there is none."""
        key = _key(x)
        if key in self._judged or self.brake:
            return None
        reading = self._read(x, "special")
        if reading.standing is Standing.FLUSHED and not self._flushed_too:
            return None
        self._judged.add(key)
        if reading.standing is Standing.TOO_LONG:
            outcome: PointOutcome | None = PointOutcome(x, Verdict.UNDECIDED, reading.words)
        else:
            outcome = self._verdict(x)
        if outcome is not None:
            self.ledger.add(outcome, reading.way)
        return outcome

    def _verdict(self, x: Point) -> PointOutcome | None:
        try:
            return self.judge.at(x)
        except (UsageError, NotTraceable, NotOnTape):
            raise
        except Exception as error:
            # A function may refuse what is not in its domain in any way it likes.
            if self._peek(x).standing is not Standing.OUTSIDE:
                raise
            self._raised = self._raised or error
            words = f"the function raised {type(error).__name__}: {error}"
            return PointOutcome(x, Verdict.OUTSIDE, words)

    def _shown_survey(self) -> Survey | None:
        """Without the points at which there turned out to be no derivative."""
        none = {
            _key(o.x) for o in self.ledger.having(Verdict.KINK, Verdict.OUTSIDE, Verdict.UNDECIDED)
        }
        drawn_ones = [reading for reading in self._drawn() if _key(reading.x) not in none]
        return survey_of(self.region, drawn_ones or self.readings.get("special", []))


def _key(x: Point) -> Any:
    return tuple((np.shape(arg), np.asarray(arg).tobytes()) for arg in x)
