"""From a result to what a report keeps of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from symtape.errors import SymtapeError
from verify import places
from verify.cases import Case, argument_names, part_names
from verify.limit import time_limit
from verify.report import model
from verify.result import PointOutcome, Result
from verify.verdict import Verdict

__all__ = ["report_case", "source_of", "spoken_case"]

_FORM_SECONDS: Final = 10.0
"""Formulas that take longer are left out; the verdict does not need them."""

_FORM_STATEMENTS: Final = 400
"""A derivative of more entries or statements than this is not printed in a report."""


def report_case(result: Result, replay: str = "") -> model.Case:
    """What a report keeps of `result`.

    Parameters
    ----------
    result : Result
    replay : str
        The shell line that runs the case again.
    """
    case = result.case
    return replace(
        spoken_case(result),
        closed_forms=tuple(_closed_forms(result)),
        plots=() if case.plots is None else tuple(case.plots()),
        source=source_of(case.function),
        replay=replay,
    )


def spoken_case(result: Result) -> model.Case:
    """The verdict and what explains it, without formulas, plots and source."""
    witness = result.witness
    case = result.case
    return model.Case(
        id=case.id,
        title=case.title,
        suite=case.suite,
        quantity=case.quantity,
        claimant=result.claimant,
        verdict=result.verdict,
        evidence=str(result.evidence) if result.verdict is Verdict.CORRECT else "",
        message="" if witness is None else witness.message,
        points=tuple(_point(case, point) for point in result.points),
        path=tuple(model.Located(text) for text in result.path),
        escapes=tuple(model.Located(text) for text in result.escapes),
        seconds=result.seconds,
    )


def _point(case: Case, point: PointOutcome) -> model.Point:
    names = argument_names(case.function, len(point.x))
    inputs = tuple(model.Input.of(name, x) for name, x in zip(names, point.x, strict=True))
    parts = part_names(case.function, len(names), case.quantity)
    worst = point.worst
    shared: dict[str, Any] = {
        "verdict": point.verdict,
        "inputs": inputs,
        "op": point.op or "",
        "origin": places.relative(point.origin or ""),
        "message": point.message,
        "power": point.power,
    }
    if worst is None:
        return model.Point(**shared)
    return model.Point(
        **shared,
        entry=worst.index,
        wrt=parts[worst.argument] if len(names) > 1 else "",
        claimed=model.Float.of(worst.claimed),
        enclosure=model.Enclosure(worst.lower, worst.upper, point.bits),
        ulps=worst.ulps,
        allowed_ulps=worst.allowed,
        relative_error=worst.relative,
    )


def source_of(function: Callable[..., Any]) -> model.Source | None:
    """The source of `function`, as a report shows it; None where there is none to be had."""
    try:
        lines, first = inspect.getsourcelines(function)
        file = inspect.getsourcefile(function)
    except (OSError, TypeError):
        return None
    return None if file is None else model.Source(places.relative(file), first, "".join(lines))


def _closed_forms(result: Result) -> list[model.ClosedForm]:
    """The value and its first derivative at the first point, where they are short enough."""
    point = result.points[0]
    if point.verdict in (Verdict.OUTSIDE, Verdict.UNDECIDED):
        return []
    try:
        with time_limit(_FORM_SECONDS, _FORM_SECONDS):
            return list(_derived(result.case, point.x))
    except SymtapeError:
        return []


def _derived(case: Case, x: tuple[Any, ...]) -> Iterator[model.ClosedForm]:
    from symtape.derive import derive

    derivation = derive(case.function, *x)
    for name in ("value", "gradient" if case.quantity != "jacobian" else "jacobian"):
        form = getattr(derivation, name)
        if form.size > _FORM_STATEMENTS:
            continue
        yield model.ClosedForm(
            name=name,
            text=str(form),
            latex=form.latex(),
            mathml=form.mathml(),
            conditions=tuple(derivation.where),
            straight_line=form.straight_line,
        )
