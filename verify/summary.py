"""From a result to what a report keeps of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from verify import places
from verify.adapters.foreign import Adapted
from verify.cases import Case, argument_names, part_names
from verify.diagnosis.remedies import remedies
from verify.directions.posing import lifted
from verify.limit import time_limit
from verify.report import model
from verify.report.call import call_line
from verify.report.wording import counted
from verify.result import Coverage, KinkFacts, PointOutcome, Result
from verify.verdict import Evidence, Rung, Verdict

__all__ = ["explained_case", "report_case", "source_of", "spoken_case"]

_FORM_SECONDS: Final = 60.0
"""Formulas that take longer are left out; the verdict does not need them."""

_FORM_BUDGET: Final = 300_000
"""Statements of the function and its derivative, above which no formula is looked for."""

_FAILING: Final = (Verdict.INACCURATE, Verdict.WRONG)

_FIRST: Final = dict.fromkeys(("jacobian", "vjp", "jvp"), "jacobian")
"""The first derivative that is shown of a function, where that is not the gradient."""

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
    if result._report is not None:
        return replace(result._report, replay=replay or result._report.replay)
    case = result.case
    return replace(
        explained_case(result),
        closed_forms=tuple(_closed_forms(result)),
        plots=() if case.plots is None else tuple(case.plots()),
        source=source_of(case.function),
        replay=replay or _replay(result),
    )


def explained_case(result: Result) -> model.Case:
    """What there is to say of `result` in words, without formulas, plots and source."""
    if result._report is not None:
        return replace(result._report, closed_forms=(), plots=(), source=None)
    found = tuple(model.Remedy(it.kind, it.line, it.place) for it in remedies(result))
    return replace(spoken_case(result), accuracy=_accuracy(result), remedies=found)


def _accuracy(result: Result) -> model.Accuracy | None:
    """Of the survey, with the points that fail among those that stay."""
    survey, region = result.survey, result.case.over
    if survey is None:
        return None
    failing = [it for it in result.points if it.worst and it.verdict in _FAILING]
    found = [(region.coordinates(it.x), it.worst) for it in failing] if region else []
    rows = [
        (numbers[: len(survey.names)], worst)
        for (numbers, names), worst in found
        if tuple(names[: len(survey.names)]) == survey.names and worst is not None
    ]
    if not rows:
        return model.Accuracy.of(survey)
    exact = [(float(worst.lower) + float(worst.upper)) / 2 for _, worst in rows]
    more = replace(
        survey,
        coordinates=np.concatenate([survey.coordinates, [numbers for numbers, _ in rows]]),
        ulps=np.concatenate([survey.ulps, [worst.ulps for _, worst in rows]]),
        claimed=np.concatenate([survey.claimed, [worst.claimed for _, worst in rows]]),
        exact=np.concatenate([survey.exact, exact]),
    )
    return model.Accuracy.of(more, len(rows))


def spoken_case(result: Result) -> model.Case:
    """The verdict and its points, which is what takes no time."""
    case = result.case
    return model.Case(
        id=case.id,
        title=case.title,
        suite=case.suite,
        quantity=case.quantity,
        claimant=result.claimant,
        verdict=result.verdict,
        evidence=_evidence(result),
        message=result.message,
        points=tuple(_point(case, point) for point in result.points),
        path=tuple(model.Located(text) for text in result.path),
        escapes=tuple(model.Located(text) for text in result.escapes),
        seconds=result.seconds,
        coverage=_coverage(result.coverage),
        claim=_claim(case),
        sampled=result.sampled,
        replay=_replay(result),
        strict=case.strict,
    )


def _replay(result: Result) -> str:
    """The line that meets an error inside symtape again; empty where there was none."""
    broken = next((point for point in result.points if point.traceback), None)
    return "" if broken is None else call_line(replace(result, points=(broken,), coverage=None))


def _evidence(result: Result) -> str:
    """The rung that was reached; of a claim that fails, what the finding stands on."""
    witness = result.witness
    if result.verdict is Verdict.CORRECT:
        return str(result.evidence)
    if result.verdict not in _FAILING and result.sampled is not None:
        return f"by samples alone: {result.sampled}"
    if witness is None or result.verdict not in _FAILING:
        return ""
    noted = set(map(id, result.notes))
    failing = [it for it in result.points if it.verdict is result.verdict and id(it) not in noted]
    if witness.kink is not None:
        return f"one-sided derivatives at {counted(len(failing), 'point')}"
    if witness.misbehaviour is not None:
        return "what the claim did or returned"
    rung = Rung.CERTIFIED if witness.bits else Rung.SAMPLED
    bits = min(point.bits for point in failing if bool(point.bits) == bool(witness.bits))
    return str(Evidence(rung, len(failing), bits))


def _claim(case: Case) -> model.Source | None:
    """The code that claims the derivative, where that is not the function's, transformed."""
    if case.claimed is None:
        return None
    written = case.claimed.original if isinstance(case.claimed, Adapted) else case.claimed
    found = source_of(written)
    return None if found == source_of(case.function) else found


def _coverage(found: Coverage | None) -> model.Coverage | None:
    if found is None:
        return None
    names = (field.name for field in fields(model.Coverage))
    return model.Coverage(**{name: getattr(found, name) for name in names})


def _kink(found: KinkFacts | None, parts: Sequence[str]) -> model.Kink | None:
    """The facts of a kink, with inputs by name where there are several."""
    if found is None:
        return None
    slopes = (
        model.Slope(
            wrt=parts[slope.argument] if len(parts) > 1 else "",
            entry=slope.index,
            left=slope.left,
            right=slope.right,
            lower=slope.lower,
            upper=slope.upper,
            claimed=slope.claimed,
            admissible=slope.admissible,
        )
        for slope in found.slopes
    )
    return model.Kink(tuple(slopes), found.admissible, found.convention)


def _point(case: Case, point: PointOutcome) -> model.Point:
    function = lifted(case)
    names = argument_names(function, len(point.x))
    inputs = tuple(model.Input.of(name, x) for name, x in zip(names, point.x, strict=True))
    parts = part_names(function, len(names), case.wanted)
    worst = point.worst
    shared: dict[str, Any] = {
        "verdict": point.verdict,
        "inputs": inputs,
        "op": point.op or "",
        "origin": places.relative(point.origin or ""),
        "message": point.message,
        "power": point.power,
        "severity": point.severity,
        "note": point.note,
        "kink": _kink(point.kink, parts),
        "recheck": point.recheck,
        "misbehaviour": point.misbehaviour,
        "traceback": point.traceback,
    }
    if worst is None:
        return model.Point(**shared)
    return model.Point(
        **shared,
        entry=worst.index,
        wrt=parts[worst.argument] if len(names) > 1 and len(parts) > worst.argument else "",
        claimed=model.Float.of(worst.claimed),
        enclosure=model.Enclosure(worst.lower, worst.upper, point.bits),
        ulps=worst.ulps,
        allowed_ulps=worst.allowed,
        relative_error=worst.relative,
        exactly=worst.exactly,
        beside=worst.beside,
    )


def source_of(function: Callable[..., Any]) -> model.Source | None:
    """The source of `function`, as a report shows it; None where there is none to be had.

    A function made inside the verifier, to call a row of the vocabulary, has none of its own.
    """
    if _made_here(function):
        return None
    try:
        function = inspect.unwrap(function)
        lines, first = inspect.getsourcelines(function)
        file = inspect.getsourcefile(function)
    except (OSError, TypeError):
        return None
    return None if file is None else model.Source(places.relative(file), first, "".join(lines))


def _made_here(function: Callable[..., Any]) -> bool:
    module, name = (getattr(function, key, "") for key in ("__module__", "__qualname__"))
    return str(module).startswith("verify.") and "<locals>" in str(name)


def _closed_forms(result: Result) -> list[model.ClosedForm]:
    """The value and its first derivative at the first point, where they are short enough."""
    if not result.points or result.points[0].verdict in (Verdict.OUTSIDE, Verdict.UNDECIDED):
        return []
    if result.sampled is not None:
        return []
    try:
        with time_limit(_FORM_SECONDS, _FORM_SECONDS):
            return list(_derived(result.case, result.points[0].x))
    except SymtapeError:
        return []


def _derived(case: Case, x: tuple[Any, ...]) -> Iterator[model.ClosedForm]:
    from symtape.derive import derive
    from symtape.symbolic.budget import Budget

    given = x[: len(x) - case.directions]
    derivation = derive(case.function, *given, budget=Budget(statements=_FORM_BUDGET))
    for name in ("value", _FIRST.get(case.quantity, "gradient")):
        form = getattr(derivation, name)
        if form.size > _FORM_STATEMENTS:
            continue
        yield model.ClosedForm(
            name=name,
            text=str(form),
            latex=form.latex(),
            mathml=_unframed(form.mathml()),
            conditions=tuple(derivation.where),
            straight_line=form.straight_line,
        )


def _unframed(markup: str) -> str:
    """MathML without the ``<math>`` around it, which the page has, and without names for signs."""
    markup = markup.replace("&InvisibleTimes;", "\u2062").replace("&ApplyFunction;", "\u2061")
    found = re.fullmatch(r"<math\b[^>]*>(.*)</math>", markup.strip(), re.DOTALL)
    return found[1] if found else markup
