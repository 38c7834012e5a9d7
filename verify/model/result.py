"""What a verification found: the judge writes it, every report renders it.

It is its own JSON, as its points are: see ``verify.model.outcome``.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Self

from symtape.one_line import OneLineRepr
from verify.errors import Misbehaviour, UsageError
from verify.model.accuracy import Accuracy
from verify.model.case import Case, argument_names, claimant, part_names
from verify.model.figures import Plot
from verify.model.outcome import Entry, KinkFacts, PointOutcome, Slope, noted_points
from verify.model.rendering import renderer
from verify.model.searched import Coverage, Survey
from verify.model.source import Located, Source
from verify.model.verdict import Evidence, Rung, Sampled, Verdict, gravest, live, unconfirmed_by

__all__ = [
    "ClosedForm",
    "Coverage",
    "Entry",
    "KinkFacts",
    "PointOutcome",
    "Remedy",
    "Result",
    "Slope",
    "Survey",
]

_ROUNDED: Final = ", up to the rounding of its constants"
_GOOD: Final = frozenset({Verdict.CORRECT, Verdict.KINK, Verdict.OUTSIDE})


@dataclass(frozen=True, slots=True, repr=False)
class ClosedForm(OneLineRepr):
    """A formula that was derived.

    Attributes
    ----------
    name : str
        Of what: ``value``, ``gradient`` ...
    text, latex : str
        The formula; empty when there is none of that kind.
    mathml : str
        Presentation MathML, without the ``<math>`` around it.
    conditions : tuple of str
        Where it holds: the path and the selections, as predicates.
    straight_line : bool
        A program with lets, because the expanded formula would be too large.
    """

    name: str
    text: str
    latex: str = ""
    mathml: str = ""
    conditions: tuple[str, ...] = ()
    straight_line: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Remedy(OneLineRepr):
    """What to do about a finding: a line of Python, or a function, which was tried.

    Attributes
    ----------
    kind : str
        ``rule out`` for a region without the points that fail, ``fix`` for the claim, ``replace``
        for the source of a derivative in place of it, or the command that prints that;
        ``upstream`` for the link to what a package's own people know of it.
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
    """One claim and what became of it.

    ``bool(result)`` is True only when every point is CORRECT, or a KINK at which the claimed value
    is admissible, or noted, unless the case is strict.

    Attributes
    ----------
    id : str
        Unique in a report, ``suite/name``.
    title : str
        For people.
    suite : str
    quantity : str
        ``gradient``, ``jacobian``, ``hessian``, ``vjp``, ``jvp`` or ``hvp``.
    claimant : str
        Whose derivative it is.
    verdict : Verdict
        The gravest of the points that count; UNDECIDED where too little was judged. All points
        count, but for those that are noted: see `notes`.
    basis : str
        The strength of the evidence, for the verdict or for the finding.
    message : str
        The reason for the verdict, in words.
    points : tuple of PointOutcome
    closed_forms : tuple of ClosedForm
        Only in reports, like plots, the source and the replay.
    plots : tuple of Plot
    path, escapes : tuple of Located
    source, claim : Source or None
        The function, and the code that claims to be its derivative.
    seconds : float
    replay : str
        The line that runs this case again.
    coverage : Coverage or None
        Of a search.
    accuracy : Accuracy or None
        What reports keep of the survey.
    sampled : Sampled or None
        The verdict of samples, if the case could not be decided otherwise. A gross fault that they
        find is among the points, and decides the case.
    strict : bool
        Whether errors that are otherwise only noted fail as well.
    remedies : tuple of Remedy
        Ways to fix the claim or its region, each tried at the failing points.
    suspect : str
        Of a claim that was paired with its function by their names alone, and is right nowhere:
        what it is of the derivative.
    case : Case
        What was to be judged; None in what is read from a report.
    survey : Survey or None
        Of a search.
    """

    id: str
    title: str
    suite: str
    quantity: str
    claimant: str
    verdict: Verdict
    basis: str = field(default="", metadata={"json": "evidence"})
    message: str = ""
    points: tuple[PointOutcome, ...] = ()
    closed_forms: tuple[ClosedForm, ...] = ()
    plots: tuple[Plot, ...] = ()
    path: tuple[Located, ...] = ()
    escapes: tuple[Located, ...] = ()
    source: Source | None = None
    seconds: float = 0.0
    replay: str = ""
    coverage: Coverage | None = None
    accuracy: Accuracy | None = None
    claim: Source | None = None
    sampled: Sampled | None = None
    strict: bool = True
    remedies: tuple[Remedy, ...] = ()
    suspect: str = ""
    case: Case = live(None)
    survey: Survey | None = live(None)

    @classmethod
    def from_points(cls, case: Case, points: Iterable[PointOutcome], **more: Any) -> Self:
        """Make a result from the `points` that the judge found, and what else it reports."""
        function = case.lifted

        def name_point(point: PointOutcome) -> PointOutcome:
            count = len(point.x)
            parts = part_names(function, count, case.claimed_quantity)
            return point.name_parts(argument_names(function, count), parts)

        return cls(
            id=case.id,
            title=case.title,
            suite=case.suite,
            quantity=case.quantity,
            claimant=claimant(case),
            verdict=Verdict.CORRECT,  # until it is concluded from the points
            points=tuple(map(name_point, points)),
            case=case,
            **more,
        )

    def __post_init__(self) -> None:
        if self.case is not None:  # what is read from a report says what it said
            self._conclude()

    def _conclude(self) -> None:
        """What follows from the points, whichever they are."""
        put = functools.partial(object.__setattr__, self)
        put("strict", self.case.strict)
        found = gravest(point.verdict for point in self._counting_points)
        lacking = "" if self.coverage is None else self.coverage.lacking
        put("verdict", Verdict.UNDECIDED if lacking and found in _GOOD else found)
        owed = lacking if self.verdict is Verdict.UNDECIDED else ""
        put("message", owed or ("" if self.witness is None else self.witness.message))
        put("basis", self._basis())

    @property
    def notes(self) -> tuple[PointOutcome, ...]:
        """Points at which the claim fails at extreme values only; none if the case is strict.

        Each keeps its own verdict, and `note` explains why it is noted. There are no notes if the
        claim was right at no point: then the fringe is all that was checked, and its failures
        count.
        """
        return noted_points(self.points, self.strict)

    @property
    def _counting_points(self) -> tuple[PointOutcome, ...]:
        fringe = set(map(id, self.notes))
        return tuple(point for point in self.points if id(point) not in fringe)

    @property
    def evidence(self) -> Evidence:
        """The weakest evidence among the points; over a region, all that were judged count."""
        if self.case is None:
            raise UsageError(
                f"the result of {self.id} was read from a report, which keeps its evidence in "
                f"words; its basis is {self.basis!r}"
            )
        stated = self.case.accuracy
        return (
            self._overall_evidence
            if stated is None
            else replace(self._overall_evidence, within=str(stated))
        )

    @property
    def _overall_evidence(self) -> Evidence:
        if self.sampled is not None:
            return Evidence(Rung.SAMPLED, self.sampled.points)
        if (found := self.coverage) is not None and found.certified:
            rung = Rung.CERTIFIED if found.proof is None else Rung.PROVED
            exact = 0 if found.proof is None else found.exact
            left_open = found.proof or ""
            where_defined = found.covered == 1 and found.conditions and not found.enclosed_bits
            if found.share == 1 or where_defined:
                rung, left_open = Rung.PROVED, _ROUNDED if found.rounded else ""
            elif found.enclosed == 1 and rung is not Rung.PROVED:
                rung = Rung.ENCLOSED
            return Evidence(
                rung,
                found.certified,
                found.bits,
                exact,
                left_open,
                found.unconfirmed,
                **found.extent,
                rounding="" if found.rounding is None else str(found.rounding),
            )
        counting = self._counting_points or self.points
        certified = [point.bits for point in counting if point.bits]
        if not certified:
            return Evidence(Rung.SAMPLED, len(counting))
        silent = unconfirmed_by([point.unconfirmed for point in counting if point.bits])
        bits = min(certified)
        return self._strongest(Evidence(Rung.CERTIFIED, len(certified), bits, unconfirmed=silent))

    def _strongest(self, certified: Evidence) -> Evidence:
        """`certified`, raised to what holds at every point."""
        counting = self._counting_points or self.points
        exact = len(counting) if all(point.exact for point in counting) else 0
        proofs = {point.proof for point in counting}
        left_open = "".join(sorted(proof for proof in proofs if proof))
        rung = Rung.EXACT if exact else Rung.CERTIFIED
        if None not in proofs:
            return replace(certified, rung=Rung.PROVED, exact=exact, open=left_open)
        return replace(certified, rung=rung, exact=exact)

    def _basis(self) -> str:
        witness, sampled = self.witness, self.sampled
        if self.verdict is Verdict.CORRECT:
            return str(self.evidence)
        if not self.fails:
            return "" if sampled is None else f"by samples alone: {sampled}"
        assert witness is not None
        failing = [point for point in self._counting_points if point.verdict is self.verdict]
        if witness.kink is not None:
            count = len(failing)
            return f"one-sided derivatives at {count:,} point{'s' * (count != 1)}"
        if witness.misbehaviour is not None:
            return "what the claim did or returned"
        rung = Rung.CERTIFIED if witness.bits else Rung.SAMPLED
        bits = min(point.bits for point in failing if bool(point.bits) == bool(witness.bits))
        return str(Evidence(rung, len(failing), bits))

    @property
    def witness(self) -> PointOutcome | None:
        """The point to look at: of the gravest, that with the largest error for what is allowed.

        An ordinary one, if there is any. Of a search it is the first of them, the simplest.
        """
        gravest_points = [point for point in self._counting_points if point.verdict is self.verdict]
        if self.coverage is not None:
            return next(iter(gravest_points), None)
        return max(gravest_points, key=lambda it: (not it.note, it.excess), default=None)

    @property
    def worst(self) -> PointOutcome | None:
        """The point that reports show: the witness of what fails, or else the gravest point.

        Among equals it is that with the largest error for what is allowed. What is noted comes
        after all others.
        """
        if self.fails and self.witness is not None:
            return self.witness
        order = list(Verdict)
        counting = self._counting_points
        return max(counting, key=lambda it: (order.index(it.verdict), it.excess), default=None)

    @property
    def ulps(self) -> float | None:
        """The error at the worst point."""
        return self.worst.ulps if self.worst else None

    @property
    def misbehaviour(self) -> Misbehaviour | None:
        """What the claim did at the worst point that is no derivative at all."""
        return self.worst.misbehaviour if self.worst and self.fails else None

    @property
    def fails(self) -> bool:
        """Whether the claim was found to be wrong, or to lose digits."""
        return self.verdict.fails

    @property
    def failing(self) -> tuple[PointOutcome, ...]:
        """The points at which the claim is at fault, and not noted alone."""
        return tuple(point for point in self._counting_points if point.verdict.fails)

    @property
    def severity(self) -> float:
        """That of the most severe point."""
        return max((point.severity for point in self._counting_points), default=0.0)

    def __bool__(self) -> bool:
        return self.verdict in (Verdict.CORRECT, Verdict.KINK) and all(
            map(_passes, self._counting_points)
        )

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        kept = renderer().prepare_report(self)
        return type(self), tuple(getattr(kept, each.name) for each in fields(kept))

    def to_json(self) -> str:
        """The case as JSON, in the schema of the reports."""
        return renderer().render_json(self)

    def explain(self) -> str:
        """Everything there is to say, of which ``print(result)`` says the first ten lines.

        Examples
        --------
        >>> import numpy as np, verify
        >>> result = verify.gradient(np.sin, at=[0.0])
        >>> [line for line in result.explain().splitlines() if "entry" in line]
        ['  entry      gradient']
        """
        return renderer().render_full(self)

    def report(self, path: str | Path) -> Path:
        """Write a report of this result alone.

        Parameters
        ----------
        path : str or Path
            Its ending is the format: ``.html``, ``.json``, ``.md``, ``.xml`` (JUnit), ``.sarif`` or
            ``.txt``.

        Returns
        -------
        Path
            The file.
        """
        return renderer().save([self], path, self.title)

    def plot(self) -> Any:
        """Draw the error of the claim: a Matplotlib figure.

        It shows which entries of the derivative are wrong; of a single entry, and of a claim that
        is right, the error in ulps over the region.
        """
        return renderer().plot(self)

    def to_dict(self) -> dict[str, Any]:
        """The same as :meth:`to_json`, as plain Python data."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def __repr__(self) -> str:
        return renderer().render_one_line(self)

    def _repr_html_(self) -> str:
        return renderer().render_html(self)

    def __str__(self) -> str:
        """In brief what there is to say, in the words of the reports."""
        return renderer().render_brief(self)


def _passes(point: PointOutcome) -> bool:
    if point.verdict is Verdict.KINK:
        return point.kink is not None and point.kink.admissible is True
    return point.verdict is Verdict.CORRECT
