"""What a verification found: an outcome for each point, and the whole of them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from verify.cases import Case
from verify.verdict import Evidence, Misbehaviour, Rung, Sampled, Verdict, gravest
from verify.witnesses.confirmation import Confirmation, unconfirmed_by

if TYPE_CHECKING:
    from verify.report import model

__all__ = [
    "Coverage",
    "Entry",
    "KinkFacts",
    "PointOutcome",
    "Result",
    "Slope",
    "Survey",
]


_GOOD: Final = frozenset({Verdict.CORRECT, Verdict.KINK, Verdict.OUTSIDE})


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a claimed derivative beside the exact one.

    Attributes
    ----------
    argument : int
        By which argument of the function the derivative is; of a Hessian, by which pair.
    index : tuple of int
        Into the derivative by that argument.
    claimed : float
        The value that is claimed.
    lower, upper : str
        Decimal bounds of the exact derivative, outward rounded.
    ulps : float
        Distance of the claim from the enclosure, in units in the last place of the claim's
        dtype at the exact value.
    allowed : float
        What honest rounding may lose, in the same unit.
    relative : float
        The same distance, relative to the exact value.
    exactly : str
        What the claim is in exact arithmetic, where it is this that is off and not the float; the
        distances are those of this value then, and half a unit is allowed.
    beside : float
        Of what size the unit is the last place, where it is not that of the exact value: what an
        entry is measured by that is nothing but rounding; 0 elsewhere.
    """

    argument: int
    index: tuple[int, ...]
    claimed: float
    lower: str
    upper: str
    ulps: float
    allowed: float
    relative: float
    exactly: str = ""
    beside: float = 0.0


@dataclass(frozen=True, slots=True)
class Slope:
    """One entry of a derivative at a point where there is no classical one.

    Attributes
    ----------
    argument : int
        By which argument of the function.
    index : tuple of int
        Into the derivative by that argument; its last axes are those of the argument.
    left, right : float or None
        The one-sided derivatives along the argument's own axis, rounded to the nearest float;
        None where the function is not defined on that side, or the limit is not known.
    lower, upper : float
        The least and the greatest value that the entry takes on the admissible set.
    claimed : float or None
        What the claim returned for it.
    admissible : bool or None
        Whether the entry by itself may be that, give and take its rounding; None where that is
        not known.
    """

    argument: int
    index: tuple[int, ...]
    left: float | None
    right: float | None
    lower: float
    upper: float
    claimed: float | None = None
    admissible: bool | None = None


@dataclass(frozen=True, slots=True)
class KinkFacts:
    """What there is instead of a derivative at a kink.

    Attributes
    ----------
    slopes : tuple of Slope
        The entries that have no two-sided derivative, the first few of them.
    admissible : bool or None
        Whether the claimed value lies in the admissible set; None where that is not known.
    convention : str
        What the tape does there, from the row of the operation.
    one_sided : bool
        Whether each entry of the claim alone is a one-sided derivative along its own axis.
    """

    slopes: tuple[Slope, ...] = ()
    admissible: bool | None = None
    convention: str = ""
    one_sided: bool = False


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
    lacking: str = ""
    certified: int = 0
    bits: int = 0
    reasons: tuple[str, ...] = ()
    proof: str | None = None
    exact: int = 0
    counts: tuple[tuple[Verdict, int], ...] = ()
    frequencies: tuple[int, ...] = ()
    conflicts: int = 0
    unconfirmed: str = ""
    noted: int = 0


@dataclass(frozen=True, slots=True)
class PointOutcome:
    """What was found at one point.

    Attributes
    ----------
    x : tuple
        The arguments.
    verdict : Verdict
    message : str
        In words; empty when there is nothing to say.
    worst : Entry or None
        The entry farthest beyond what is allowed, or nearest to it.
    bits : int
        The enclosures hold the exact derivative to about ``2**-bits``, relatively.
    op : str or None
        The operation that a failure was traced to.
    origin : str or None
        The user's ``file:line`` of that operation.
    power : str
        What size of fault the check of the float value excludes.
    kink : KinkFacts or None
        What there is in place of a derivative, of a KINK.
    severity : float
        How grave the failure is, for ranking: see ``verify.diagnosis.severity``.
    proof : str or None
        What a proof of the derivative leaves open, empty for nothing; None without a proof.
    exact : bool
        Whether exact arithmetic over Q agreed.
    recheck : str
        What difference quotients in mpmath find, where they were asked and confirm the outcome.
    conflict : bool
        Whether two oracles exclude each other there, so that nothing is known of the claim.
    unconfirmed : tuple of Confirmation
        The witnesses that had nothing to say of the exact derivative.
    traceback : str
        Of an error inside symtape, which kept the point from a verdict.
    misbehaviour : Misbehaviour or None
        What the claim did or returned that is no derivative at all; None where its numbers count.
    note : str
        Of what fails, why it is noted only: what is at the fringe. See ``verify.grade``.
    """

    x: tuple[Any, ...]
    verdict: Verdict
    message: str = ""
    worst: Entry | None = None
    bits: int = 0
    op: str | None = None
    origin: str | None = None
    power: str = ""
    kink: KinkFacts | None = None
    severity: float = 0.0
    proof: str | None = None
    exact: bool = False
    recheck: str = ""
    conflict: bool = False
    unconfirmed: tuple[Confirmation, ...] = ()
    traceback: str = ""
    misbehaviour: Misbehaviour | None = None
    note: str = ""


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
    closed_form: Any = None
    plots: tuple[Any, ...] = field(default=())
    coverage: Coverage | None = None
    survey: Survey | None = None
    sampled: Sampled | None = None
    _report: model.Case | None = field(default=None, init=False, repr=False, compare=False)
    """What :func:`verify.summary.report_case` gave before the result was pickled."""

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
        if self.case.strict or not any(map(_is_right, self.points)):
            return ()
        return tuple(point for point in self.points if point.note)

    @property
    def _counting(self) -> tuple[PointOutcome, ...]:
        noted = set(map(id, self.notes))
        return tuple(point for point in self.points if id(point) not in noted)

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
        return max(gravest_points, key=_beyond, default=None)

    def __bool__(self) -> bool:
        return not self._lacks and all(map(_passes, self._counting))

    def to_json(self) -> str:
        """The case as JSON, in the schema of the reports."""
        from verify.report.codec import encode
        from verify.summary import report_case

        return json.dumps(encode(report_case(self)), indent=2)

    def explain(self) -> str:
        """Everything there is to say, of which ``print(result)`` says the first ten lines.

        Examples
        --------
        >>> import numpy as np, verify
        >>> result = verify.gradient(np.sin, at=[0.0])
        >>> [line for line in result.explain().splitlines() if "entry" in line]
        ['  entry      gradient']
        """
        from verify.report.explain import explanation
        from verify.summary import explained_case

        return explanation(explained_case(self))

    def __str__(self) -> str:
        """In brief what there is to say, in the words of the reports."""
        from verify.report.explain import explanation
        from verify.summary import explained_case

        return explanation(explained_case(self), more="print(result.explain())")


def _is_right(point: PointOutcome) -> bool:
    return point.verdict in (Verdict.CORRECT, Verdict.KINK)


def _passes(point: PointOutcome) -> bool:
    if point.verdict is Verdict.KINK:
        return point.kink is not None and point.kink.admissible is True
    return point.verdict is Verdict.CORRECT


def _beyond(point: PointOutcome) -> tuple[float, float]:
    """By how much an error exceeds what is allowed, and how large it is."""
    worst = point.worst
    if worst is None:
        return -1.0, -1.0
    error = math.inf if math.isnan(worst.ulps) else worst.ulps
    comparable = worst.allowed > 0 and math.isfinite(worst.allowed)
    return error / worst.allowed if comparable else error, error
