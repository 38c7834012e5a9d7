"""The report: one model, from which every rendering is made.

Plain data (text, numbers, tuples), so that a report survives JSON unchanged.  Arrays are flat,
in C order, beside their shape; floats that matter are kept in decimal and in hexadecimal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from verify.errors import Misbehaviour
from verify.model.figures import Plot
from verify.model.outcome import Enclosure, Float, Input, KinkFacts, PointOutcome, Slope, noted
from verify.model.result import Coverage, Remedy
from verify.model.verdict import Sampled, Verdict, gravest
from verify.report.accuracy import Accuracy

__all__ = [
    "SCHEMA",
    "Accuracy",
    "Case",
    "Change",
    "ClosedForm",
    "Coverage",
    "Enclosure",
    "Float",
    "Input",
    "KinkFacts",
    "Located",
    "PointOutcome",
    "Remedy",
    "Report",
    "RowRung",
    "Slope",
    "Source",
    "rank",
]

SCHEMA: Final = "symtape.report/1"
"""The schema this version writes and reads."""

"""Verdicts that find the claim at fault."""


@dataclass(frozen=True, slots=True)
class ClosedForm:
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


@dataclass(frozen=True, slots=True)
class Located:
    """Words about a line of the user's code: a path predicate, an escape."""

    text: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A function in its file."""

    file: str
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class Case:
    """One claim and what became of it.

    Attributes
    ----------
    id : str
        Unique in the report, ``suite/name``.
    title : str
        For people.
    suite : str
    quantity : str
        ``gradient``, ``jacobian``, ``hessian``, ``vjp``, ``jvp`` or ``hvp``.
    claimant : str
        Whose derivative it is.
    verdict : Verdict
        The gravest of the points.
    evidence : str
        The rung reached; of a claim that fails, what the finding stands on.
    message : str
        The explanation of the verdict.
    points : tuple of PointOutcome
    closed_forms : tuple of ClosedForm
    plots : tuple of Plot
    path, escapes : tuple of Located
    source, claim : Source or None
        The function, and the code that claims to be its derivative.
    seconds : float
    replay : str
        The shell line that runs this case again.
    coverage : Coverage or None
        Of a search.
    accuracy : Accuracy or None
        Over the region that was searched.
    sampled : Sampled or None
        What samples say of a case that could not be decided.
    strict : bool
        Whether what is wrong at the fringe alone fails as well.
    remedies : tuple of Remedy
    """

    id: str
    title: str
    suite: str
    quantity: str
    claimant: str
    verdict: Verdict
    evidence: str = ""
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

    @property
    def notes(self) -> tuple[PointOutcome, ...]:
        """The points at which the claim fails at the fringe alone; none where that fails."""
        return noted(self.points, self.strict)

    @property
    def worst(self) -> PointOutcome | None:
        """The gravest point; among equals, that with the largest error for what is allowed.

        Of a search that found a fault, the first of the gravest, which is the simplest. What is
        noted comes after all others.
        """
        order = list(Verdict)
        fringe = set(map(id, self.notes))
        points = [it for it in self.points if id(it) not in fringe]
        if self.coverage is not None and self.fails:
            return next((it for it in points if it.verdict is self.verdict), None)
        return max(points, key=lambda it: (order.index(it.verdict), it.beyond), default=None)

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
        """Whether the claim was found to be at fault."""
        return self.verdict.fails

    @property
    def severity(self) -> float:
        """That of the most severe point."""
        fringe = set(map(id, self.notes))
        return max((it.severity for it in self.points if id(it) not in fringe), default=0.0)


def rank(it: Case | PointOutcome) -> tuple[bool, float, int]:
    """A key that sorts what fails first, the most severe before all, and then by gravity."""
    severity = 0.0 if np.isnan(it.severity) else it.severity
    return not it.verdict.fails, -severity, -list(Verdict).index(it.verdict)


@dataclass(frozen=True, slots=True)
class RowRung:
    """How strong the evidence for the rules of one operation is.

    Attributes
    ----------
    op : str
        The row's name.
    rung : str
        ``proved``, ``proved at the tested shapes``, ``certified``, or a verdict that it failed by.
    domain : str
        Where.
    seconds : float
        That the proof, or the attempt, took.
    reason : str
        Why it is not proved.
    """

    op: str
    rung: str
    domain: str
    seconds: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A case whose verdict is another than in the baseline.

    Attributes
    ----------
    id : str
    before, after : Verdict or None
        None where the case was not there.
    """

    id: str
    before: Verdict | None
    after: Verdict | None


@dataclass(frozen=True, slots=True)
class Report:
    """What a run of the verifier found.

    Attributes
    ----------
    title : str
    suites : tuple of str
        The names of what was run.
    created : str
        ISO 8601.
    versions : dict
        Of symtape, Python and the libraries under it; also the platform.
    seed : int
    cases : tuple of Case
    elapsed : float
        Seconds of wall-clock time.
    interrupted : bool
        Whether it was stopped before the end; the cases are those that were done.
    replay : str
        The shell line that runs all of it again.
    selftest : str
        The last score of ``symtape selftest`` for these sources; empty where there is none.
    rungs : tuple of RowRung
        Of the rows of the vocabulary, where the suite of them was run.
    baseline : str
        When the run was made that this one is compared with; empty for none.
    changes : tuple of Change
        Cases with another verdict than in that run.
    """

    title: str
    suites: tuple[str, ...]
    created: str
    versions: dict[str, str]
    seed: int
    cases: tuple[Case, ...]
    elapsed: float = 0.0
    interrupted: bool = False
    replay: str = ""
    selftest: str = ""
    rungs: tuple[RowRung, ...] = ()
    baseline: str = ""
    changes: tuple[Change, ...] = ()

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many cases have each verdict, the gravest first; zeros included."""
        found = Counter(case.verdict for case in self.cases)
        return {verdict: found[verdict] for verdict in reversed(Verdict)}

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict."""
        return gravest(case.verdict for case in self.cases)

    @property
    def by_gravity(self) -> Sequence[Case]:
        """The cases: what fails first, the most severe before all, then by gravity, in order."""
        return sorted(self.cases, key=rank)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data, with its schema."""
        from verify.report.codec import encode  # slow to import, and words need it not

        return {"schema": SCHEMA, **encode(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Report:
        """Back from :meth:`to_dict`.

        Raises
        ------
        BadReport
            An unknown schema, a missing or unknown field, a value of another kind.
        """
        from verify.report.codec import decode, open_envelope

        return decode(cls, open_envelope(data, SCHEMA), "report")
