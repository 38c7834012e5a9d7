"""What a verification found: an outcome for each point, and the whole of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from verify.model.case import Case
from verify.model.confirmation import unconfirmed_by
from verify.model.outcome import Entry, KinkFacts, PointOutcome, Slope, live, noted
from verify.model.rendering import renderer
from verify.model.verdict import Evidence, Rung, Sampled, Verdict, gravest

if TYPE_CHECKING:
    pass

__all__ = [
    "Coverage",
    "Entry",
    "KinkFacts",
    "PointOutcome",
    "Remedy",
    "Result",
    "Slope",
    "Survey",
]


_GOOD: Final = frozenset({Verdict.CORRECT, Verdict.KINK, Verdict.OUTSIDE})


@dataclass(frozen=True, slots=True)
class Survey:
    """Accuracy of a claim over a region: what the plots and the table of segments are made of.

    Attributes
    ----------
    names : tuple of str
        Of the coordinates: ``"x"``, ``"x[0]"``, ``"y[2, 1]"``; the first few.
    coordinates : float array, points by names
    ulps : float array, one a point
        The largest error of an entry of the claimed derivative there, in its own ulps.
    claimed, exact : float arrays, one a point
        That entry, and the exact value of it rounded to the nearest float.
    dtype : str
        Of the claim.
    """

    names: tuple[str, ...]
    coordinates: Any
    ulps: Any
    claimed: Any
    exact: Any
    dtype: str = "float64"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How a region was searched.

    Attributes
    ----------
    region : str
        In words.
    seed : int
    tried : int
        Points at which the claim was evaluated.
    judged : int
        Points that got a verdict, with enclosures.
    outside, undecided, noted : int
        Of the judged ones, those outside the domain, those that could not be decided, and those
        at which the claim fails at the fringe alone, which is noted.
    paths : tuple of int
        Paths of the function that were verified, and paths that were found.
    replayed : int
        Counterexamples of earlier runs that were tried as well.
    stopped : str
        Why the search ended early; empty if it did not.
    lacking : str
        What is missing to call the claim correct, whatever the points say; empty if nothing is.
    certified, bits : int
        At how many points there were enclosures, and to how many bits the weakest of them.
    reasons : tuple of str
        Why points were undecided: oracle conflicts, then the most frequent words first.
    proof : str or None
        What a proof leaves open that holds at every point that was found correct, empty for
        nothing; None without one.
    exact : int
        At how many points exact arithmetic over Q agreed.
    counts : tuple of (Verdict, int)
        How many of the judged points have each verdict, the gravest first.
    frequencies : tuple of int
        How many points each of the `reasons` is of.
    conflicts : int
        At how many points two oracles exclude each other.
    unconfirmed : str
        Which witnesses had nothing to say of the points that were found correct, in words.
    """

    region: str
    seed: int
    tried: int
    judged: int
    outside: int = 0
    undecided: int = 0
    paths: tuple[int, int] = (1, 1)
    replayed: int = 0
    stopped: str = ""
    reasons: tuple[str, ...] = ()
    frequencies: tuple[int, ...] = ()
    noted: int = 0
    lacking: str = live("")
    certified: int = live(0)
    bits: int = live(0)
    proof: str | None = live(None)
    exact: int = live(0)
    counts: tuple[tuple[Verdict, int], ...] = live(())
    conflicts: int = live(0)
    unconfirmed: str = live("")


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to do about a finding: a line of Python, which was tried.

    Attributes
    ----------
    kind : str
        ``rule out`` for a region without the points that fail, ``mend`` for the claim.
    line : str
    origin : str
        The ``file:line`` that it replaces; empty where it replaces none.
    """

    kind: str
    line: str
    origin: str = ""

    def __str__(self) -> str:
        return f"{self.line}  ({self.origin})" if self.origin else self.line


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one case.

    ``bool(result)`` is True only when every point is CORRECT, or a KINK at which the claimed value
    is admissible, or noted, unless the case is strict.

    Attributes
    ----------
    sampled : Sampled or None
        What samples say where the case could not be decided; a gross fault that they find is
        among the points, and decides it.
    """

    case: Case
    points: tuple[PointOutcome, ...]
    claimant: str
    path: tuple[str, ...] = ()
    escapes: tuple[str, ...] = ()
    seconds: float = 0.0
    coverage: Coverage | None = None
    survey: Survey | None = None
    sampled: Sampled | None = None
    _report: Any = field(default=None, init=False, repr=False, compare=False)
    """What :func:`verify.report.summary.report_case` gave before the result was pickled."""

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict of the points that count; UNDECIDED where too little was judged.

        All points count, but for those that are noted: see `notes`.
        """
        found = gravest(point.verdict for point in self._counting)
        return Verdict.UNDECIDED if self._lacks and found in _GOOD else found

    @property
    def notes(self) -> tuple[PointOutcome, ...]:
        """Points at which the claim fails at the fringe alone; none where the case is strict.

        Each keeps its own verdict, and says in `note` what is at the fringe. Where the claim was
        found right nowhere, nothing else than the fringe was asked for, and what fails there
        fails.
        """
        return noted(self.points, self.case.strict)

    @property
    def _counting(self) -> tuple[PointOutcome, ...]:
        fringe = set(map(id, self.notes))
        return tuple(point for point in self.points if id(point) not in fringe)

    @property
    def _lacks(self) -> str:
        return "" if self.coverage is None else self.coverage.lacking

    @property
    def message(self) -> str:
        """What is to be said of the verdict: of the witness, or of the search that lacks one."""
        if self._lacks and self.verdict is Verdict.UNDECIDED:
            return self._lacks
        return "" if self.witness is None else self.witness.message

    @property
    def evidence(self) -> Evidence:
        """The weakest evidence among the points; over a region, all that were judged count."""
        stated = self.case.accuracy
        return self._found if stated is None else replace(self._found, within=str(stated))

    @property
    def _found(self) -> Evidence:
        if self.sampled is not None:
            return Evidence(Rung.SAMPLED, self.sampled.points)
        if (found := self.coverage) is not None and found.certified:
            rung = Rung.CERTIFIED if found.proof is None else Rung.PROVED
            exact = 0 if found.proof is None else found.exact
            left_open = found.proof or ""
            return Evidence(rung, found.certified, found.bits, exact, left_open, found.unconfirmed)
        counting = self._counting or self.points
        certified = [point.bits for point in counting if point.bits]
        if not certified:
            return Evidence(Rung.SAMPLED, len(counting))
        silent = unconfirmed_by([point.unconfirmed for point in counting if point.bits])
        bits = min(certified)
        return self._strongest(Evidence(Rung.CERTIFIED, len(certified), bits, unconfirmed=silent))

    def _strongest(self, certified: Evidence) -> Evidence:
        """`certified`, raised to what holds at every point."""
        counting = self._counting or self.points
        exact = len(counting) if all(point.exact for point in counting) else 0
        proofs = {point.proof for point in counting}
        left_open = "".join(sorted(proof for proof in proofs if proof))
        rung = Rung.EXACT if exact else Rung.CERTIFIED
        if None not in proofs:
            return replace(certified, rung=Rung.PROVED, exact=exact, open=left_open)
        return replace(certified, rung=rung, exact=exact)

    @property
    def witness(self) -> PointOutcome | None:
        """The point to look at: of the gravest, that with the largest error for what is allowed.

        Of a search it is the first of them, the simplest.
        """
        gravest_points = [point for point in self._counting if point.verdict is self.verdict]
        if self.coverage is not None:
            return next(iter(gravest_points), None)
        return max(gravest_points, key=lambda point: point.beyond, default=None)

    def __bool__(self) -> bool:
        return not self._lacks and all(map(_passes, self._counting))

    def to_json(self) -> str:
        """The case as JSON, in the schema of the reports."""
        return renderer().in_json(self)

    def explain(self) -> str:
        """Everything there is to say, of which ``print(result)`` says the first ten lines.

        Examples
        --------
        >>> import numpy as np, verify
        >>> result = verify.gradient(np.sin, at=[0.0])
        >>> [line for line in result.explain().splitlines() if "entry" in line]
        ['  entry      gradient']
        """
        return renderer().in_full(self)

    def __str__(self) -> str:
        """In brief what there is to say, in the words of the reports."""
        return renderer().in_brief(self)


def _passes(point: PointOutcome) -> bool:
    if point.verdict is Verdict.KINK:
        return point.kink is not None and point.kink.admissible is True
    return point.verdict is Verdict.CORRECT
