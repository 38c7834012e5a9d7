"""What is added to a result where it is told: what takes time, and nobody else asks for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verify.files import places
from verify.model.accuracy import Accuracy
from verify.model.case import Case
from verify.model.described import StandInFunction, describe_case
from verify.model.foreign import AdaptedCallable
from verify.model.result import Remedy, Result
from verify.model.source import Source, source_of
from verify.reporting.call import call_line
from verify.reporting.closed_forms import closed_forms


def prepare_report(result: Result) -> Result:
    """The result with all that a report has, which needs the functions no more."""
    if _is_described(result):
        return result
    case = result.case
    return replace(
        add_explanations(result),
        closed_forms=closed_forms(result),
        plots=() if case.plots is None else tuple(case.plots()),
        source=source_of(case.function),
        case=describe_case(case),
    )


def add_explanations(result: Result) -> Result:
    """The result with what its words tell: remedies, places as they are seen from here."""
    if _is_described(result):
        return replace(result, closed_forms=())
    points = (
        replace(point, op=point.op or "", origin=places.relative(point.origin or ""))
        for point in result.points
    )
    return replace(
        result,
        points=tuple(points),
        accuracy=_accuracy(result),
        claim=_claim(result.case),
        replay=_replay(result),
        remedies=_find_remedies(result),
    )


def _find_remedies(result: Result) -> tuple[Remedy, ...]:
    if not result.verdict.fails:
        return ()
    from verify.reporting.remedies.trials import remedies  # loads what writes programs

    return remedies(result)


def _is_described(result: Result) -> bool:
    """Whether the functions stayed where it was found, so that nothing can be added."""
    return result.case is None or isinstance(result.case.function, StandInFunction)


def _accuracy(result: Result) -> Accuracy | None:
    """Of the survey, with the points that fail among those that stay."""
    survey, region = result.survey, result.case.over
    if survey is None:
        return None
    failing = [it for it in result.points if it.worst and it.verdict.fails]
    found = [(region.coordinates(it.x), it.worst) for it in failing] if region else []
    rows = [
        (numbers[: len(survey.names)], worst)
        for (numbers, names), worst in found
        if tuple(names[: len(survey.names)]) == survey.names and worst is not None
    ]
    if not rows:
        return Accuracy.from_survey(survey)
    exact = [(float(worst.lower) + float(worst.upper)) / 2 for _, worst in rows]
    more = replace(
        survey,
        coordinates=np.concatenate([survey.coordinates, [numbers for numbers, _ in rows]]),
        ulps=np.concatenate([survey.ulps, [worst.ulps for _, worst in rows]]),
        claimed=np.concatenate([survey.claimed, [worst.claimed for _, worst in rows]]),
        exact=np.concatenate([survey.exact, exact]),
    )
    return Accuracy.from_survey(more, len(rows))


def _replay(result: Result) -> str:
    """The line that meets an error inside symtape again; empty where there was none."""
    broken = next((point for point in result.points if point.traceback), None)
    return "" if broken is None else call_line(replace(result, points=(broken,), coverage=None))


def _claim(case: Case) -> Source | None:
    """The code that claims the derivative, where that is not the function's, transformed."""
    if case.claimed is None:
        return None
    written = case.claimed.original if isinstance(case.claimed, AdaptedCallable) else case.claimed
    found = source_of(written)
    return None if found == source_of(case.function) else found
