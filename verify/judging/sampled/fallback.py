"""Sampled evidence behind a case that could not be decided, unasked.

That is UNDECIDED, and at a point that was given a kink of which it is not known what may be
claimed, which samples do not decide.

What cannot be recorded, has no closed form or exceeds a budget still has values. They certify
nothing, so a case that they confirm stays UNDECIDED, and says what they say; but a claim that they
exclude by far is WRONG, by samples.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from symtape.process.budget import Budget
from verify.model.case import Case
from verify.model.grade import lacks_verdict
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Sampled, Verdict

_SECONDS: Final = 5.0
_SHARE: Final = 1 / 12
"""Of the seconds of a case, no more than either is spent on evidence that nobody asked for."""

_POINTS: Final = 4
"""Of those that were given, so many are sampled."""

_GROSS: Final = 1e-2
"""What is off by less of itself, though beyond the noise, is not held against a claim unasked."""


def add_samples(result: Result, budget: Budget) -> Result:
    """The result, with what samples say of it where it is UNDECIDED.

    Parameters
    ----------
    result : Result
    budget : Budget
        Of the case.

    Examples
    --------
    >>> import struct, verify
    >>> def f(x):
    ...     return x * struct.unpack("d", struct.pack("d", x))[0]
    >>> result = verify.gradient(f, lambda x: 2 * x, at=[0.5])
    >>> print(result.verdict.value, result.sampled)
    UNDECIDED CORRECT (sampled at 1 point)
    """
    if not _is_open(result) or _claims_nothing(result):
        return result
    found = _sample_case(_open(result), budget)
    if found is None:
        return result
    gross = [point for point in found.points if _is_gross(point)]
    if result.verdict is Verdict.KINK or _is_disputed(result):
        # A function may have no derivative where its samples have one: by a lone value, or late.
        # And where symtape is at fault, nothing is held against a claim.
        gross = []
    decided = [point for point in found.points if point.verdict is not Verdict.OUTSIDE]
    witness = found.witness
    told = Sampled(
        found.verdict, len(decided), "" if witness is None else witness.power or witness.message
    )
    if result.verdict is Verdict.KINK and told.verdict not in (Verdict.CORRECT, Verdict.WRONG):
        return result
    if not decided or told.message in (point.message for point in result.points):
        return result
    gross = [_explain_point(point, result) for point in gross]
    return replace(result, points=(*gross, *result.points), sampled=told)


def _is_open(result: Result) -> bool:
    """Whether a verdict is missing: of the case, or of a point that was given."""
    if result.verdict is Verdict.KINK:
        return any(map(lacks_verdict, result.points[: len(result.case.at)]))
    return result.verdict is Verdict.UNDECIDED


def _is_disputed(result: Result) -> bool:
    """Whether symtape contradicts itself, at a point or in what a search left undecided."""
    searched = result.coverage is not None and result.coverage.conflicts
    return bool(searched) or any(point.conflict for point in result.points)


def _claims_nothing(result: Result) -> bool:
    """Whether the claim is that of the tape, which has none where a value left it."""
    return result.case.claimed is None and bool(result.escapes)


def _explain_point(point: PointOutcome, result: Result) -> PointOutcome:
    """A point with why there is no better evidence, where it is one of numbers."""
    if point.misbehaviour is not None:
        return point
    return replace(point, message=f"{point.message}; there is no certificate, for {result.message}")


def _open(result: Result) -> Case:
    """What is left to be decided of a case: points that were given, and its region.

    Where the exact derivative is known and rounding hides it, values know less.
    """
    case = result.case
    given = zip(case.at, result.points, strict=False)
    undecided = tuple(x for x, point in given if lacks_verdict(point) and not point.bits)
    over = case.over if result.verdict is Verdict.UNDECIDED else None
    return replace(case, at=undecided[:_POINTS], over=over)


def _sample_case(case: Case, budget: Budget) -> Result | None:
    """What samples say; None where there is no taking any."""
    from verify.judging.sampled.judging import judge_by_samples

    try:
        return judge_by_samples(case, Budget(seconds=min(_SECONDS, budget.seconds * _SHARE)))
    except Exception:  # noqa: BLE001
        # Whatever keeps the function from being sampled, the case is no less undecided for it.
        return None


def _is_gross(point: PointOutcome) -> bool:
    return point.verdict is Verdict.WRONG and point.severity >= _GROSS
