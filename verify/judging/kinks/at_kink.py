"""Claims at a kink: is there a kink, what may the derivative be, and is the claim one of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from flint import arb

from symtape.graph.graph import Graph
from symtape.primitives.primitive import PRIMITIVES
from symtape.process.budget import Budget
from symtape.recording.structure import concatenate_entries
from verify.claimants.claim import Answer, Claim
from verify.errors import NotADerivative
from verify.files import places
from verify.judging.kinks.alternatives import Problem
from verify.judging.kinks.boundaries import RoundedChoice, boundaries, boundary_kink, goes_by_order
from verify.judging.kinks.exact_order import apply_exact_order, find_underflow
from verify.judging.kinks.search import Kink, Search, kink_at
from verify.judging.rounding.float_value import claimed_unit
from verify.judging.rounding.programs import Point
from verify.model.case import part_names
from verify.model.quantity import Quantity
from verify.model.result import KinkFacts, PointOutcome, Slope
from verify.model.verdict import Verdict
from verify.oracles.closed_form import ClosedForms, Truth, shape_of
from verify.oracles.exact_derivative import Conflict, confirm_by_jets, derivative_at

if TYPE_CHECKING:
    from verify.judging.kinks.admissible import KinkPieces
    from verify.judging.kinks.restricted import ReducedProblem

_SHOWN: Final = 8

_NOTHING_MORE: Final = Budget()

_OF_A_PIECE: Final = (
    "the function jumps, and the claim is the derivative of a piece that meets here"
)


@dataclass(frozen=True, slots=True)
class NonsmoothPoint:
    """A point without a classical derivative: why, and what meets there."""

    kink: Kink
    meeting: KinkPieces
    whole: Truth | None = None
    """The closed form of a product, as it is computed."""


def is_smooth(graph: Graph) -> bool:
    """Whether a function takes no branch, and nothing in it has a kink anywhere.

    Examples
    --------
    >>> import symtape
    >>> is_smooth(symtape.record(np.sin, 0.0)), is_smooth(symtape.record(np.abs, 1.0))
    (True, False)
    """
    rows = (node.primitive for node in graph.nodes)
    return not graph.path and all(row is None or row.kinks is None for row in rows)


def derivative_or_kink(
    function: Callable[..., Any],
    exact: Truth,
    point: Sequence[Any],
    quantity: Quantity,
    budget: Budget,
) -> Truth | RoundedChoice | NonsmoothPoint:
    """The derivative at `point`, if there is one.

    Parameters
    ----------
    function : callable
    exact : Truth
        The closed form of what the function computes there.
    point : sequence of arrays
    quantity : Quantity
    budget : Budget
        For the closed forms of what moves alone.

    Returns
    -------
    Truth
        `exact` away from kinks; at a harmless one, what all pieces that meet there have in common.
    RoundedChoice
        Rounding picks the piece.
    NonsmoothPoint
        There is no derivative, or none is known.
    """
    form = exact.shadow
    if is_smooth(form.graph):
        return exact
    if any(map(goes_by_order, form.graph.nodes)):
        ordered = apply_exact_order(form, point)
        if isinstance(ordered, RoundedChoice):
            return ordered
        form = ordered
    first = None
    for boundary in boundaries(form, point):
        if isinstance(boundary, RoundedChoice):
            return boundary
        first = first or boundary
    kink = kink_at(form)
    if kink is None and first is not None:
        kink = boundary_kink(form, first)
    if kink is None:
        return exact
    # Behind a kink of the function there may be another, which rounding alone put the floats on.
    for one in (kink, *Search(form).list_kinks()):
        if choice := find_underflow(form, one):
            return choice
    if quantity.wrt is None and not quantity.directions:
        from verify.judging.kinks.admissible import find_pieces

        found = find_pieces(
            Problem(form, point, quantity.name, function), replace(exact, shadow=form)
        )
        return found if isinstance(found, Truth) else NonsmoothPoint(kink, found)
    from verify.judging.kinks.restricted import reduced_problem

    return _find_reduced_derivative(reduced_problem(function, point, quantity, budget), exact)


def find_smooth_derivative(
    function: Callable[..., Any], forms: ClosedForms, graph: Graph, x: Any, budget: Budget
) -> Truth | None:
    """The derivative at a point; None on a kink, or where oracles know of no finite one.

    Parameters
    ----------
    function : callable
    forms : ClosedForms
        Of its derivative.
    graph : Graph
        The function, recorded at `x`.
    x : sequence of arrays
    budget : Budget
    """
    values, quantity = graph.values(*x), forms.quantity
    exact = derivative_at(forms, graph, x, budget, values)
    if not exact.by_jets:
        found = derivative_or_kink(function, exact, x, quantity, budget)
        if not isinstance(found, Truth):
            return None
        agreed = confirm_by_jets(graph, x, found, values, quantity)
        if isinstance(agreed, Conflict):
            return None
        exact = agreed
    return exact if exact.finite else None


def _find_reduced_derivative(
    problem: ReducedProblem, exact: Truth
) -> Truth | RoundedChoice | NonsmoothPoint:
    """The same of a function by some of its arguments, or along a direction."""
    whole = Quantity(problem.reduced)
    found = derivative_or_kink(problem.function, problem.exact, problem.point, whole, _NOTHING_MORE)
    if isinstance(found, Truth):
        return problem.truth(found)
    if isinstance(found, NonsmoothPoint):
        return NonsmoothPoint(found.kink, problem.meeting(found.meeting), exact)
    return found


def verdict_at_kink(claim: Claim, nonsmooth: NonsmoothPoint, point: Point) -> PointOutcome:
    """What is to be said of a claim where there is no classical derivative."""
    place = places.place_of_origin(nonsmooth.kink.origin)
    try:
        answer = claim.answer(point.x, shape_of(point.graph, claim.quantity))
    except NotADerivative as error:
        words = f"no classical derivative: {nonsmooth.kink.words}; {error}"
        return PointOutcome.from_judgement(
            point.x,
            Verdict.KINK,
            words,
            op=nonsmooth.kink.op,
            origin=place,
            kink=KinkFacts(),
            misbehaviour=error.misbehaviour,
        )
    still = any(not np.all(point.x[at]) for at in claim.quantity.direction_places(len(point.x)))
    if still and (words := zero_times_infinite(nonsmooth.whole, answer)):
        return PointOutcome.from_judgement(point.x, Verdict.KINK, words, kink=KinkFacts())
    claimed = concatenate_entries(answer.parts)
    unit = claimed_unit(point.graph, answer.parts)
    excluded = nonsmooth.meeting.excludes(claimed, unit, claim.accuracy)
    if excluded and np.any(np.isinf(claimed)) and _has_negative_zero(point.x):
        # 1 / sqrt(-0.0) is -inf: the sign is that of the zero, and says nothing of the slope.
        turned = np.where(np.isinf(claimed), -claimed, claimed)
        excluded = nonsmooth.meeting.excludes(turned, unit, claim.accuracy)
    admissible = None if excluded is None else not excluded
    slopes = _slopes(nonsmooth.meeting, claimed, answer.parts, unit, admissible)
    facts = KinkFacts(
        tuple(slopes),
        admissible,
        _convention(nonsmooth.kink.op),
        one_sided=bool(excluded) and nonsmooth.meeting.one_sided(claimed, unit),
    )
    return PointOutcome.from_judgement(
        point.x,
        Verdict.WRONG if excluded else Verdict.KINK,
        _words(claim, nonsmooth, point, facts, claimed),
        op=nonsmooth.kink.op or None,
        origin=place or None,
        kink=facts,
        severity=1.0 if excluded else 0.0,
    )


def zero_times_infinite(whole: Truth | None, answer: Answer) -> str:
    """Words for a product that is no number, because 0 times an infinite slope is none.

    Parameters
    ----------
    whole : Truth or None
        The closed form of the product as it is computed; None away from kinks.
    answer : Answer
    """
    if whole is None or whole.finite:
        return ""
    for part, balls in zip(answer.parts, whole.parts, strict=True):
        finite = np.asarray(np.frompyfunc(lambda ball: ball.is_finite(), 1, 1)(balls), dtype=bool)
        if np.any(np.isnan(part) & ~finite):
            return (
                "no classical derivative: a slope of the function is infinite here, and the "
                "direction has zeros; the claim, nan, is one times the other"
            )
    return ""


def _has_negative_zero(x: Sequence[Any]) -> bool:
    return any(bool(np.any((np.asarray(arg) == 0) & np.signbit(arg))) for arg in x)


def _convention(op: str) -> str:
    row = PRIMITIVES.get(op)
    return "" if row is None else row.convention


def _slopes(
    meeting: KinkPieces, claimed: Any, parts: Sequence[Any], unit: float, admissible: bool | None
) -> list[Slope]:
    """The entries that fail, and those of which pieces differ: the first few of them."""
    owners = [(k, index) for k, part in enumerate(parts) for index in np.ndindex(part.shape)]
    if not meeting.slopes or meeting.lost:
        return _slopes_by_germs(meeting, claimed, owners, admissible)
    lows, highs = meeting.bounds()
    fits = meeting.fits(claimed, unit) if admissible is False else np.ones(len(owners), dtype=bool)
    unbounded = ~(np.isfinite(lows) & np.isfinite(highs))
    told = [
        entry
        for entry in range(len(owners))
        if not fits[entry] or unbounded[entry] or not _is_constant_entry(meeting, entry)
    ]
    told.sort(key=lambda entry: bool(fits[entry]))
    second = meeting.quantity == "hessian"
    found = []
    for entry in told[:_SHOWN]:
        low, high = float(lows[entry]), float(highs[entry])
        left, right = (None if second else meeting.side(entry, sign) for sign in (-1, 1))
        if math.isnan(low) or math.isnan(high):
            low, high = -math.inf, math.inf
        own = None if admissible is None else bool(fits[entry])
        argument, index = owners[entry]
        claim = float(claimed[entry])
        found.append(Slope("", index, left, right, low, high, claim, own, argument))
    return found


def _slopes_by_germs(
    meeting: KinkPieces, claimed: Any, owners: Sequence[Any], admissible: bool | None
) -> list[Slope]:
    """One-sided derivatives that differ, where the pieces are not known."""
    if meeting.quantity == "hessian" or meeting.jumps:
        return []
    found = []
    for entry, (argument, index) in enumerate(owners[:_SHOWN]):
        left, right = (meeting.side(entry, sign) for sign in (-1, 1))
        if left != right:
            low, high = -math.inf, math.inf
            if claimed.size == 1 and left is not None and right is not None:
                low, high = sorted((left, right))
            claim = float(claimed[entry])
            own = admissible if claimed.size == 1 else None
            found.append(Slope("", index, left, right, low, high, claim, own, argument))
    return found


def _is_constant_entry(meeting: KinkPieces, entry: int) -> bool:
    """Whether an entry is the same of all pieces."""
    first = meeting.slopes[0].entries[entry]
    return all(
        isinstance(one.entries[entry], arb) and bool(one.entries[entry].overlaps(first))
        for one in meeting.slopes
    ) and not (meeting.edge and len(meeting.slopes) == 1)


def _words(
    claim: Claim, nonsmooth: NonsmoothPoint, point: Point, facts: KinkFacts, claimed: Any
) -> str:
    said = [f"no classical derivative: {nonsmooth.kink.words}"]
    # The first is out of its range, if any is.
    slope = facts.slopes[0] if facts.slopes else None
    name = ""
    if slope is not None:
        name = _name(claim, point, slope) if claimed.size > 1 else ""
        said += _sides(slope, name)
    if facts.admissible is None:
        said.append(_not_excluded(nonsmooth.meeting))
    elif nonsmooth.meeting.jumps:
        said.append(_OF_A_PIECE)
    elif slope is None:
        said.append(
            f"the claim {'is admissible' if facts.admissible else _describe_inadmissible(claimed)}"
        )
    else:
        said.append(_describe_slope_claim(slope, facts.admissible))
    convention = f" (the tape's convention: {facts.convention})" if facts.convention else ""
    return "; ".join(said) + convention


def _name(claim: Claim, point: Point, slope: Slope) -> str:
    names = part_names(claim.function, len(point.x), claim.quantity)
    index = f"[{', '.join(map(str, slope.index))}]" if slope.index else ""
    return f"{names[slope.argument]}{index}"


def _sides(slope: Slope, name: str) -> list[str]:
    left, right = slope.left, slope.right
    by = f"by {name} " if name else ""
    if left is None and right is None:
        return [f"{by}between {_format_slope(slope.lower)} and {_format_slope(slope.upper)}"]
    said = [
        f"from the {side} {_format_slope(value)}"
        for side, value in (("left", left), ("right", right))
        if value is not None
    ]
    return [by + ", ".join(said)]


def _describe_slope_claim(slope: Slope, admissible: bool) -> str:
    value = math.nan if slope.claimed is None else slope.claimed
    said = f"the claim, {_format_slope(value)}, "
    if not admissible and slope.admissible:
        return "each entry of the claim is admissible, but not all of them together"
    if not admissible:
        return said + _describe_inadmissible(np.array([value]))
    if slope.left is not None and slope.right is not None and slope.left != slope.right:
        low, high = sorted((slope.left, slope.right))
        if low < value < high:
            return said + "lies between"
        if value in (low, high):
            return said + f"is the one from the {'left' if value == slope.left else 'right'}"
    return said + "is admissible"


def _describe_inadmissible(claimed: Any) -> str:
    if np.any(np.isnan(claimed)):
        return "is not a number, although every convention gives one"
    return "is not admissible: it is not a mean of the slopes of the pieces that meet here"


def _not_excluded(meeting: KinkPieces) -> str:
    if meeting.jumps:
        return "the function jumps, for the pieces that meet here have different values"
    if meeting.lost:
        return f"whether the claim is admissible is not known: {meeting.lost}"
    if meeting.quantity == "hessian":
        return "whether a second derivative is admissible is not known"
    return "whether the claim is admissible is not known"


def _format_slope(value: float) -> str:
    return f"{value:.6g}"
