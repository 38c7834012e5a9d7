"""Ledger: the verdicts of a search, counted, and what of them a result shows."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from verify.claimants.claim import Claim
from verify.errors import Misbehaviour, NotAFunction
from verify.judging.search.tracks import Path
from verify.model.case import Case
from verify.model.outcome import is_outweighed
from verify.model.result import Coverage, PointOutcome, Result
from verify.model.verdict import Verdict, unconfirmed_by
from verify.regions.interleave import turns
from verify.regions.region import measure

LEAST_GENERIC: Final = 3
"""Without verdicts on so many interior points by chance, a claim is not called correct."""

_LEAST_WAYS: Final = 6
"""Of so many paths of Python's control flow, or of all, half must have been verified."""

_DECIDED: Final = {Verdict.WRONG, Verdict.INACCURATE, Verdict.CORRECT, Verdict.KINK}

_LOST: Final = 0.5
"""A value that is off by more than this, relatively, has no digit left."""

_GROSS: Final = 1e-6
"""At an interior point by chance so much is a mistake, and no matter of rounding."""

_MOST_FAILING: Final = 10
_MOST_KINKS: Final = 5
_MOST_NOTED: Final = 5
_MOST_CORRECT: Final = 20
_MOST_OTHER: Final = 5
_MOST_REASONS: Final = 4
_NUMBER: Final = re.compile(r"[-+]?\b\d[\d.,]*(e[-+]?\d+)?")
_ENOUGH: Final = 20
"""So many decided points speak for a region, whatever else could not be decided."""


class Ledger:
    """Outcomes in the order in which they came.

    Parameters
    ----------
    strict : bool
        Whether what is noted counts as failing.

    Attributes
    ----------
    outcomes : list of PointOutcome
    paths : dict
        Every path that was found, with whether it was verified.
    generic : list of PointOutcome
        Those at interior points by chance.
    recalled : list of PointOutcome
        Those at counterexamples of earlier runs, which the search itself did not come to.
    witness : PointOutcome or None
        The simplest failing point, explained, which is shown before all others.
    """

    def __init__(self, strict: bool = True) -> None:
        self._strict = strict
        self.outcomes: list[PointOutcome] = []
        self.paths: dict[Path, bool] = {}
        self.generic: list[PointOutcome] = []
        self.recalled: list[PointOutcome] = []
        self.witness: PointOutcome | None = None

    def add_path(self, path: Path | None) -> None:
        """Take note of a path that the function can take."""
        if path is not None:
            self.paths.setdefault(path, False)

    def add(self, outcome: PointOutcome, path: Path | None = None) -> None:
        """Take note of a verdict."""
        self.outcomes.append(outcome)
        self.add_path(path)
        if path is not None and outcome.verdict in _DECIDED:
            self.paths[path] = True

    def replace(self, outcome: PointOutcome, other: PointOutcome) -> None:
        """Keep a simpler one in place of an outcome."""
        self.outcomes = [other if one is outcome else one for one in self.outcomes]

    def select_verdicts(self, *verdicts: Verdict) -> list[PointOutcome]:
        """The outcomes of these verdicts."""
        return [outcome for outcome in self.outcomes if outcome.verdict in verdicts]

    @property
    def failing(self) -> list[PointOutcome]:
        """What fails, the most severe first.

        What this search found itself comes before what is known of earlier ones, an ordinary point
        before the fringe, and a value without a digit left before one that has lost some. What is
        wrong at degenerate points alone comes last where there are gross mistakes at others, too.
        """
        failing = self._refuting_outcomes
        if failing and self._notes:
            failing = [one for one in failing if not one.note]
        masked = any(
            one.verdict is Verdict.WRONG and not _is_degenerate(one) and _is_off(one, _GROSS)
            for one in failing
        )
        recalled = set(map(id, self.recalled))

        def weight(outcome: PointOutcome) -> tuple[float, ...]:
            ulps = 0.0 if outcome.worst is None else outcome.worst.ulps
            return (
                id(outcome) not in recalled,
                outcome.verdict is Verdict.WRONG,
                not outcome.note,
                not (masked and _is_degenerate(outcome)),
                _is_off(outcome, _LOST),
                outcome.severity,
                ulps if ulps == ulps else 0.0,
            )

        return sorted(failing, key=weight, reverse=True)

    @property
    def _refuting_outcomes(self) -> list[PointOutcome]:
        return [one for one in self.outcomes if one.verdict.fails]

    @property
    def _notes(self) -> bool:
        """Whether there may be notes: of a claim that is right at points by chance, too."""
        right = self.select_verdicts(Verdict.CORRECT, Verdict.KINK)
        return not self._strict and bool(right) and not is_outweighed(self.generic)

    @property
    def notes(self) -> list[PointOutcome]:
        """What fails at the fringe alone, the gravest first, one of each kind before the others."""
        found = [one for one in self._refuting_outcomes if one.note and self._notes]
        found.sort(key=lambda one: (one.verdict is Verdict.WRONG, one.severity), reverse=True)
        kinds: dict[Any, list[PointOutcome]] = {}
        for one in found:
            kinds.setdefault((one.verdict, _kind_of(one.note)), []).append(one)
        return list(turns(kinds.values()))

    def lacking(self, inside: int, stopped: str) -> str:
        """What is missing to call the claim correct, in words; empty if nothing is.

        Parameters
        ----------
        inside : int
            Interior points by chance at which the function is defined.
        stopped : str
            Why the clock ended the search; empty if it did not.
        """
        excused = sum(one.verdict is Verdict.WRONG and bool(one.note) for one in self.generic)
        decided = sum(outcome.verdict in _DECIDED for outcome in self.generic) - excused
        needed = min(LEAST_GENERIC, inside)
        found = {python for python, _ in self.paths}
        verified = {python for (python, _), known in self.paths.items() if known}
        if stopped:
            words = stopped
        elif not self.outcomes:
            words = "no point of the region was judged"
        elif (broken := self._find_internal_error()) is not None:
            return broken.message
        elif all(outcome.verdict is Verdict.OUTSIDE for outcome in self.outcomes):
            return ""
        elif decided < needed:
            words = (
                f"only {decided} of {inside} random interior points got a verdict"
                f"{' that is not a note' if excused else ''}; at least {needed} are needed"
            )
        elif 2 * len(verified) < min(len(found), _LEAST_WAYS):
            words = (
                f"only {len(verified)} of the {len(found)} paths that its if and while take "
                "could be verified"
            )
        else:
            return ""
        reasons = self._reasons()
        return f"{words}; {reasons[0][0]}" if reasons else words

    def _find_internal_error(self) -> PointOutcome | None:
        """The first point that an error inside symtape kept from a verdict."""
        return next((outcome for outcome in self.outcomes if outcome.traceback), None)

    @property
    def conflicts(self) -> list[PointOutcome]:
        """Where oracles exclude each other, the simplest points first."""
        return sorted(
            (outcome for outcome in self.outcomes if outcome.conflict),
            key=lambda outcome: measure(outcome.x),
        )

    def _reasons(self) -> list[tuple[str, int]]:
        """Why points were undecided, and how many: conflicts, then the most frequent words.

        Words that differ in nothing but their numbers are told once.
        """
        undecided = [*self.conflicts, *self.select_verdicts(Verdict.UNDECIDED)]
        first = {_NUMBER.sub("", outcome.message): outcome.message for outcome in undecided[::-1]}
        counts = Counter(
            _NUMBER.sub("", outcome.message) for outcome in self.select_verdicts(Verdict.UNDECIDED)
        )
        disputed = dict.fromkeys(_NUMBER.sub("", outcome.message) for outcome in self.conflicts)
        ranked = [*disputed, *(kind for kind, _ in counts.most_common() if kind not in disputed)]
        return [(first[kind], counts[kind]) for kind in ranked[:_MOST_REASONS]]

    def select_outcomes(self) -> tuple[PointOutcome, ...]:
        """The outcomes that make the verdict, and a spread of the others.

        Points outside the domain are among them only if all are. Of the undecided ones those are
        at which oracles exclude each other, which leaves nothing of CORRECT; others only if they
        are the more and few points were decided at all. A search goes where rounding leaves
        nothing to compare, so that their share alone says more of the search than of the claim.
        """
        correct = self.select_verdicts(Verdict.CORRECT)
        kinks, undecided = (
            self.select_verdicts(Verdict.KINK),
            self.select_verdicts(Verdict.UNDECIDED),
        )
        failing = self.failing
        failing = _each_kind_first(failing)
        kept = failing[:_MOST_FAILING]
        if (witness := self.witness) is not None:
            others = [outcome for outcome in failing if not _are_equal_points(outcome.x, witness.x)]
            kept = [witness, *others[: _MOST_FAILING - 1]]
        decided = len(correct) + len(kinks) + len(failing) + len(self.notes)
        kept += self.conflicts[:_MOST_OTHER]
        if decided < min(_ENOUGH, len(undecided)):
            others = [outcome for outcome in undecided if not outcome.conflict]
            kept += _simplest(others, _MOST_OTHER)
        elif not decided:
            kept += _simplest(self.select_verdicts(Verdict.OUTSIDE), _MOST_OTHER)
        broken = self._find_internal_error()
        if broken is not None and not any(outcome is broken for outcome in kept):
            kept.append(broken)
        if is_outweighed(self.generic) and not self._strict:
            kept = [replace(outcome, note="") for outcome in kept]
        passing = (*_simplest(kinks, _MOST_KINKS), *_spread(correct, _MOST_CORRECT))
        return (*kept, *passing, *self.notes[:_MOST_NOTED])

    def coverage(
        self, region: str, seed: int, tried: int, replayed: int, stopped: str, lacking: str = ""
    ) -> Coverage:
        """The counts."""
        count = Counter(outcome.verdict for outcome in self.outcomes)
        bits = [outcome.bits for outcome in self.outcomes if outcome.bits]
        reasons = self._reasons()
        return Coverage(
            region=region,
            seed=seed,
            tried=tried,
            judged=len(self.outcomes),
            outside=count[Verdict.OUTSIDE],
            undecided=count[Verdict.UNDECIDED],
            paths=(sum(self.paths.values()), len(self.paths)),
            replayed=replayed,
            stopped=stopped,
            lacking=lacking,
            certified=len(bits),
            bits=min(bits, default=0),
            reasons=tuple(words for words, _ in reasons),
            proof=self._proof(),
            exact=sum(outcome.exact for outcome in self.outcomes),
            noted=len(self.notes),
            counts=tuple((each, count[each]) for each in reversed(Verdict) if count[each]),
            frequencies=tuple(number for _, number in reasons),
            conflicts=len(self.conflicts),
            unconfirmed=unconfirmed_by(
                [outcome.unconfirmed for outcome in self.outcomes if outcome.bits]
            ),
        )

    def _proof(self) -> str | None:
        """What a proof leaves open that holds wherever the claim was found correct."""
        proofs = {outcome.proof for outcome in self.select_verdicts(Verdict.CORRECT)}
        if not proofs or None in proofs or self.conflicts or self.failing:
            return None
        return "".join(sorted(proof for proof in proofs if proof))


def _kind_of(note: str) -> str:
    """A note without its numbers."""
    return " ".join(word for word in note.split() if not any(map(str.isdigit, word)))


def _each_kind_first(failing: list[PointOutcome]) -> list[PointOutcome]:
    """The first of each kind of failure, and then the others."""
    first: dict[Any, PointOutcome] = {}
    for one in failing:
        first.setdefault((one.verdict, one.kink is None, _is_degenerate(one)), one)
    chosen = set(map(id, first.values()))
    return [*first.values(), *(one for one in failing if id(one) not in chosen)]


def _are_equal_points(x: tuple[Any, ...], y: tuple[Any, ...]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(x, y, strict=True))


def _simplest(outcomes: list[PointOutcome], most: int) -> list[PointOutcome]:
    return sorted(outcomes, key=lambda outcome: measure(outcome.x))[:most]


def _spread(outcomes: list[Any], most: int) -> Iterable[Any]:
    if len(outcomes) <= most:
        return outcomes
    stride = len(outcomes) / most
    return [outcomes[int(k * stride)] for k in range(most)]


def _is_off(outcome: PointOutcome, least: float) -> bool:
    """Whether a value is off by so much of itself, or there is none to compare."""
    return outcome.worst is None or not outcome.worst.relative < least


def _is_degenerate(outcome: PointOutcome) -> bool:
    """Whether a failing point has no derivative, or the claim no number there."""
    return outcome.kink is not None or (
        outcome.worst is not None and not math.isfinite(outcome.worst.claimed)
    )


def no_function(case: Case, error: NotAFunction, seconds: float) -> Result:
    """Nothing is decided of a function that answers differently to the same; a claim fails."""
    verdict = Verdict.WRONG if error.of_claim else Verdict.UNDECIDED
    given = [tuple(np.asarray(arg)[()] for arg in x) for x in case.at]
    how = Misbehaviour.NOT_REPEATABLE if error.of_claim else None
    points = [PointOutcome.from_judgement(x, verdict, str(error), misbehaviour=how) for x in given]
    coverage = None
    if case.over is not None:
        ledger = Ledger()
        ledger.add(PointOutcome.from_judgement(error.x, verdict, str(error), misbehaviour=how))
        points += ledger.outcomes
        coverage = ledger.coverage(case.over.describe(), case.seed, 1, 0, "")
    return Result.from_points(case, points, seconds=seconds, coverage=coverage)


def stopped_outcomes(claim: Claim, points: Iterable[PointOutcome]) -> list[PointOutcome]:
    """The points at which a call did not return, of those that are not told of yet.

    A search that decides many points leaves out what it could not; this it has to say.
    """
    told = {point.message for point in points}
    return [
        PointOutcome.from_judgement(x, Verdict.UNDECIDED, words)
        for x, words in claim.calls.stopped.values()
        if words not in told
    ]


def add_given_up(coverage: Coverage, claim: Claim) -> Coverage:
    """The counts of a search, which say that something was not called to the end."""
    words = claim.calls.given_up()
    return replace(coverage, stopped="; ".join(filter(None, [coverage.stopped, words])))
