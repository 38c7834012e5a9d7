"""From a result to what a report keeps of it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from typing import Any, Final

from symtape.errors import SymtapeError
from verify.report import model
from verify.result import PointOutcome, Result
from verify.verdict import Verdict

__all__ = ["report_case"]

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
        points=tuple(_point(case.function, point) for point in result.points),
        closed_forms=tuple(_closed_forms(result)),
        plots=() if case.plots is None else tuple(case.plots()),
        path=tuple(model.Located(text) for text in result.path),
        escapes=tuple(model.Located(text) for text in result.escapes),
        source=_source(case.function),
        seconds=result.seconds,
        replay=replay,
    )


def _point(function: Callable[..., Any], point: PointOutcome) -> model.Point:
    names = _names(function, len(point.x))
    inputs = tuple(model.Input.of(name, x) for name, x in zip(names, point.x, strict=True))
    worst = point.worst
    shared: dict[str, Any] = {
        "verdict": point.verdict,
        "inputs": inputs,
        "op": point.op or "",
        "origin": _relative(point.origin or ""),
        "message": point.message,
        "power": point.power,
    }
    if worst is None:
        return model.Point(**shared)
    return model.Point(
        **shared,
        entry=worst.index,
        wrt=names[worst.argument % len(names)] if len(names) > 1 else "",
        claimed=model.Float.of(worst.claimed),
        enclosure=model.Enclosure(worst.lower, worst.upper, point.bits),
        ulps=worst.ulps,
        allowed_ulps=worst.allowed,
        relative_error=worst.relative,
    )


def _names(function: Callable[..., Any], count: int) -> list[str]:
    try:
        given = [
            name
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        given = []
    return given[:count] if len(given) >= count else [f"x{k}" for k in range(count)]


def _relative(origin: str) -> str:
    """An origin as a path from here, so that a report reads the same on every machine."""
    file, _, line = origin.rpartition(":")
    here = os.getcwd() + os.sep
    return f"{file.removeprefix(here)}:{line}" if file else origin


def _source(function: Callable[..., Any]) -> model.Source | None:
    try:
        lines, first = inspect.getsourcelines(function)
        file = inspect.getsourcefile(function)
    except (OSError, TypeError):
        return None
    return None if file is None else model.Source(_relative(f"{file}:0")[:-2], first, "".join(lines))


def _closed_forms(result: Result) -> Iterator[model.ClosedForm]:
    """The value and its first derivative at the first point, where they are short enough."""
    from symtape.derive import derive

    point = result.points[0]
    if point.verdict in (Verdict.OUTSIDE, Verdict.UNDECIDED):
        return
    try:
        derivation = derive(result.case.function, *point.x)
        first = "gradient" if result.case.quantity != "jacobian" else "jacobian"
        for name in ("value", first):
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
    except SymtapeError:
        return
