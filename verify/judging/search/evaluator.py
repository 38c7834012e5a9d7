"""Evaluator: what a claim says beside the exact derivative, cheaply and without a verdict.

It tells a search where to look. The recordings of the function and the closed forms of its
derivative are used again from point to point, so that an evaluation costs about as much as calling
the claim; whether rounding excuses an error is for the judge to say.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import BudgetSpent, NotOnTape, NotTraceable, Unsupported
from symtape.graph.graph import Graph
from symtape.process.budget import Budget
from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.rigorous.backward_error import is_xla
from symtape.rigorous.matrices import midpoints
from verify.claimants.claim import Answer, Claim
from verify.errors import NotADerivative, UsageError
from verify.judging.kinks.domain import describe_flushed_argument
from verify.judging.search.tracks import MOST_PIECES, Path, Piece, Tracks, path_of, pieces_of
from verify.oracles.closed_form import ClosedForms, Truth, shape_of

OPERATIONS: Final = 20_000
"""A search records no more operations than this at a point."""

_RETRIES: Final = 2
"""So often all of the operations are spent in vain."""

_ALL: Final = 50_000
"""Operations recorded in all; what is spent in vain counts twice."""

_BITS: Final = 96

_MOST_FORMS: Final = 24
"""Closed forms that are derived at most, beside one for each piece that is met; at a point that
needs another one the exact derivative stays unknown."""

_UNREADABLE: Final = 8
"""Points at which a function cannot be recorded, after which it is taken for one that never can."""

_REFUSALS: Final = 64
"""Points at which a claim has given no answer, before the first at which it does, after which it is
not called any more: one that frameworks compile takes long to raise."""


class Status(enum.Enum):
    """How an evaluation ended."""

    COMPARED = "the claim was compared"
    REFUSED = "the claim raised, or returned no derivative"
    OUTSIDE = "the function is not finite, or raised"
    UNKNOWN = "the exact derivative is not known here"
    FLUSHED = "the claim's code takes the point for another"
    TOO_LONG = "the function does not end within the operations allowed"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was found at a point.

    Attributes
    ----------
    x : tuple of arrays
    status : Status
    path : Path or None
        Which path the function computes there.
    ulps : float
        The largest error of an entry, in ulps of the claim's dtype; infinite for one that is not
        finite, nan where nothing was compared. Where the exact derivative is not known, infinite
        for a claim that is not a number.
    claimed, exact : float
        That entry, and its exact value rounded.
    dtype : str
        Of the claim.
    words : str
        Why there is nothing to compare.
    excess : float
        Of a claim that states its accuracy, the largest error of an entry in units of that; nan of
        any other.
    """

    x: tuple[Any, ...]
    status: Status
    path: Path | None = None
    ulps: float = math.nan
    claimed: float = math.nan
    exact: float = math.nan
    dtype: str = ""
    words: str = ""
    excess: float = math.nan


class Evaluator:
    """Evaluates one claim at point after point.

    Parameters
    ----------
    claim : Claim
    forms : ClosedForms
        Shared with the judge.
    budget : Budget
        For each symbolic step.
    scale : float
        Of the operations that are recorded in all.

    Attributes
    ----------
    tracks : Tracks
        Of the function.
    forms : ClosedForms
        Of the exact derivative.
    count : int
        How many points were evaluated.
    cost : int
        About how many microseconds an evaluation takes, from the sizes of the programs.
    left : float
        Operations that may still be recorded; below 0 there are no more new paths.
    met : set
        The pieces of which a closed form was asked.
    """

    def __init__(
        self,
        claim: Claim,
        forms: ClosedForms,
        budget: Budget,
        scale: float = 1.0,
    ) -> None:
        self.claim = claim
        self.tracks = Tracks(self._record_graph)
        self.count = 0
        self.cost = 0
        self.forms = forms
        self._budget = budget
        self._forms_left = _MOST_FORMS
        self.met: set[Piece] = set()
        self._retries = _RETRIES
        self._longest = 100
        self.left = _ALL * max(scale, 1.0)
        self._unreadable = 0
        self._refusals = 0.0

    def evaluate(self, x: tuple[Any, ...]) -> Evaluation:
        """The evaluation at `x`.

        Raises
        ------
        NotTraceable, NotOnTape, UsageError
            The function is none that can be verified, whatever the point.
        """
        self.count += 1
        with np.errstate(all="ignore"):
            try:
                graph, values = self.tracks.find_recording(x)
            except BudgetSpent as error:
                return Evaluation(x, Status.TOO_LONG, words=str(error))
            except (NotOnTape, UsageError):
                raise
            except NotTraceable as error:
                self._unreadable += 1
                if not self.tracks.known and self._unreadable >= _UNREADABLE:
                    raise
                return Evaluation(x, Status.UNKNOWN, words=str(error))
            except Exception as error:  # noqa: BLE001  # where users' code raises, it is undefined
                words = f"the function raised {type(error).__name__}: {error}"
                return Evaluation(x, Status.OUTSIDE, words=words)
            return self._compare_point(x, graph, values)

    def _record_graph(self, *x: Any) -> Graph:
        """The function, recorded; where it often does not end, within fewer operations."""
        if self.left <= 0:
            raise BudgetSpent("the search has recorded as many operations as it may")
        most = OPERATIONS if self._retries else min(2 * self._longest, OPERATIONS)
        try:
            graph = self.claim.record(x, most)
        except BudgetSpent:
            self._retries = max(self._retries - 1, 0)
            self.left -= 2 * most
            raise
        self.left -= len(graph)
        self._longest = max(self._longest, len(graph))
        return graph

    def _compare_point(self, x: tuple[Any, ...], graph: Graph, values: list[Any]) -> Evaluation:
        path = path_of(graph, values)
        if not all(np.all(np.isfinite(values[at])) for at in graph.outputs):
            return Evaluation(x, Status.OUTSIDE, path)
        if is_xla() and describe_flushed_argument(x, [""] * len(x)):
            return Evaluation(x, Status.FLUSHED, path)
        exact = self._exact(x, graph, values)
        if exact is None:
            return Evaluation(x, Status.UNKNOWN, path)
        if not exact.finite:
            return Evaluation(x, Status.UNKNOWN, path, self._nan_or_not(x, graph))
        answer = self.answer(x, graph, path)
        if isinstance(answer, Evaluation):
            return answer
        self.charge_for(graph, sum(int(part.size) for part in exact.parts), len(exact.plan.order))
        ulps, claimed, middle = _worst(answer.parts, exact)
        dtype = str(answer.parts[0].dtype) if answer.parts else ""
        excess = self.excess(answer.parts, map(midpoints, exact.parts))
        return Evaluation(x, Status.COMPARED, path, ulps, claimed, middle, dtype, excess=excess)

    def answer(self, x: tuple[Any, ...], graph: Graph, path: Path | None) -> Answer | Evaluation:
        """What the claim answers; the evaluation of a point at which it gives no answer."""
        if self._refusals >= _REFUSALS:
            return Evaluation(x, Status.REFUSED, path, math.inf)
        try:
            answer = self.claim.answer(x, shape_of(graph, self.claim.quantity))
        except NotADerivative as error:
            self._refusals += 1
            return Evaluation(x, Status.REFUSED, path, math.inf, words=str(error))
        except (Unsupported, LookupError) as error:
            return Evaluation(x, Status.UNKNOWN, path, words=str(error))
        self._refusals = -math.inf
        return answer

    def excess(self, claimed: Iterable[Any], exact: Iterable[Any]) -> float:
        """The largest error in units of the accuracy that the claim states; nan if it is exact."""
        if (stated := self.claim.accuracy) is None:
            return math.nan
        found = 0.0
        with np.errstate(all="ignore"):
            for part, middle in zip(claimed, exact, strict=True):
                errors = np.abs(part - middle)
                bounds = stated.atol + stated.rtol * np.abs(middle)
                ratios = np.where(errors == 0, 0.0, errors / bounds)
                found = max(found, float(np.max(np.nan_to_num(ratios, nan=np.inf), initial=0.0)))
        return found

    def comparable(self, graph: Graph) -> bool:
        """Whether a recording is one that a derivative can be compared of."""
        single = len(graph.outputs) == 1 or bool(self.claim.quantity.directions)
        return single and not graph.escapes

    def charge_for(self, graph: Graph, entries: int, statements: int = 0) -> None:
        """Charge an evaluation: the claim was called, and `statements` evaluated in balls."""
        numbers = sum(math.prod(graph.nodes[at].shape) for at in graph.inputs)
        cost = 60 + 10 * len(graph) + 4 * statements + 20 * (entries + numbers)
        charge(cost if statements else cost / 3)
        self.cost = max(self.cost, cost)

    def _nan_or_not(self, x: tuple[Any, ...], graph: Graph) -> float:
        """Infinite for a claim that is not a number, where the function is."""
        answer = self.answer(x, graph, None)
        if isinstance(answer, Evaluation):
            return math.nan
        return math.inf if any(np.isnan(part).any() for part in answer.parts) else math.nan

    def _exact(self, x: tuple[Any, ...], graph: Graph, values: list[Any]) -> Truth | None:
        """The enclosure of the exact derivative, if it is to be had cheaply."""
        if not self.comparable(graph):
            return None
        if not self.forms.knows(graph, values):
            fresh = pieces_of(graph, values) - self.met
            if not self._forms_left and not (fresh and len(self.met) < MOST_PIECES):
                return None
            self._forms_left = max(self._forms_left - 1, 0)
            self.met |= fresh
        try:
            return self.forms.evaluate(graph, x, self._budget, values)
        except (Unsupported, LookupError, BudgetSpent, ValueError):
            return None


def _worst(parts: list[Any], exact: Truth) -> tuple[float, float, float]:
    """The entry with the largest error: its ulps, what is claimed of it, and what is exact."""
    worst = (-1.0, math.nan, math.nan)
    with precision(_BITS):
        for part, balls in zip(parts, exact.parts, strict=True):
            limits = np.finfo(part.dtype)
            for claimed, ball in zip(part.ravel().tolist(), balls.ravel().tolist(), strict=True):
                middle = float(ball.mid())
                ulps = _ulps(claimed, ball, middle, limits)
                if ulps > worst[0]:
                    worst = (ulps, claimed, middle)
    return (0.0, math.nan, math.nan) if worst[0] < 0 else worst


def _ulps(claimed: float, ball: Any, middle: float, limits: Any) -> float:
    if claimed == middle:
        return 0.0
    if not math.isfinite(claimed):
        beyond = abs(middle) >= float(limits.max) and not math.isnan(claimed)
        return 0.0 if beyond and (claimed > 0) == (middle > 0) else math.inf
    least = limits.smallest_normal if is_xla() else limits.smallest_subnormal
    unit = max(math.ldexp(float(limits.eps), math.frexp(middle)[1] - 1), float(least))
    gap = abs(ball - arb(claimed)).lower()
    return float(gap) / unit if gap > 0 else 0.0


_MOST_RECORDED: Final = 48


def claim_tracks(claim: Claim, points: Sequence[tuple[Any, ...]]) -> Tracks:
    """The paths that the claim's code takes at some of the points, as far as it can be followed.

    That of the tape has no branches but the function's own.
    """
    tracks = Tracks(lambda *x: claim.program(x, OPERATIONS))
    if claim.ours:
        return tracks
    stride = max(1, len(points) // _MOST_RECORDED)
    for number, x in enumerate(points[::stride]):
        try:
            tracks.find_recording(x)
        except Exception:  # noqa: BLE001
            # Code that does not take tensors is a black box; it is read as such.
            if number == 0 or not tracks.known:
                return tracks
    return tracks
