"""What a verification found: an outcome for each point, and the whole of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from verify.cases import Case
from verify.verdict import Evidence, Rung, Verdict, gravest

__all__ = ["Entry", "PointOutcome", "Result"]


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
    """

    argument: int
    index: tuple[int, ...]
    claimed: float
    lower: str
    upper: str
    ulps: float
    allowed: float
    relative: float


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
        What the check of the float value could exclude, where that is little.
    """

    x: tuple[Any, ...]
    verdict: Verdict
    message: str = ""
    worst: Entry | None = None
    bits: int = 0
    op: str | None = None
    origin: str | None = None
    power: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one case.

    ``bool(result)`` is True only when every point is CORRECT.
    """

    case: Case
    points: tuple[PointOutcome, ...]
    claimant: str
    path: tuple[str, ...] = ()
    escapes: tuple[str, ...] = ()
    seconds: float = 0.0
    closed_form: Any = None
    plots: tuple[Any, ...] = field(default=())

    @property
    def verdict(self) -> Verdict:
        """The gravest of the points' verdicts."""
        return gravest(point.verdict for point in self.points)

    @property
    def evidence(self) -> Evidence:
        """The weakest evidence among the points."""
        certified = [point.bits for point in self.points if point.bits]
        if not certified:
            return Evidence(Rung.SAMPLED, len(self.points))
        return Evidence(Rung.CERTIFIED, len(certified), min(certified))

    @property
    def witness(self) -> PointOutcome | None:
        """The point to look at: the first of the gravest verdict, the worst by ulps among these."""
        gravest_points = [point for point in self.points if point.verdict is self.verdict]
        return max(gravest_points, key=_beyond, default=None)

    def __bool__(self) -> bool:
        return self.verdict is Verdict.CORRECT

    def to_json(self) -> str:
        """The case as JSON, in the schema of the reports."""
        from verify.report.codec import encode
        from verify.summary import report_case

        return json.dumps(encode(report_case(self)), indent=2)

    def __str__(self) -> str:
        """Everything there is to say, in the words of the reports."""
        from verify.report.explain import explanation
        from verify.summary import spoken_case

        return explanation(spoken_case(self))


def _beyond(point: PointOutcome) -> float:
    return -1.0 if point.worst is None else point.worst.ulps
