"""From a result to what a report keeps of it."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from verify.claimants.posing import lifted
from verify.limits.limit import time_limit
from verify.model.case import Case, argument_names, part_names
from verify.model.foreign import Adapted
from verify.model.outcome import Input, KinkFacts, PointOutcome
from verify.model.result import Result
from verify.model.verdict import Evidence, Rung, Verdict
from verify.remedies.trials import remedies
from verify.report import model
from verify.report.call import call_line
from verify.report.explain import explanation
from verify.report.wording import counted
from verify.sources import places

__all__ = [
    "explained_case",
    "in_brief",
    "in_full",
    "in_json",
    "report_case",
    "source_of",
    "spoken_case",
]

_FORM_SECONDS: Final = 60.0
"""Formulas that take longer are left out; the verdict does not need them."""

_FORM_BUDGET: Final = 300_000
"""Statements of the function and its derivative, above which no formula is looked for."""


_FIRST: Final = dict.fromkeys(("jacobian", "vjp", "jvp"), "jacobian")
"""The first derivative that is shown of a function, where that is not the gradient."""

_FORM_STATEMENTS: Final = 400
"""A derivative of more entries or statements than this is not printed in a report."""


def in_brief(result: Result) -> str:
    """What there is to say in about ten lines."""
    return explanation(explained_case(result), more="print(result.explain())")


def in_full(result: Result) -> str:
    """Everything there is to say."""
    return explanation(explained_case(result))


def in_json(result: Result) -> str:
    """The case as JSON, in the schema of the reports."""
    from verify.report.codec import encode  # slow to import, and words need it not

    return json.dumps(encode(report_case(result)), indent=2)


def report_case(result: Result, replay: str = "") -> model.Case:
    """What a report keeps of `result`.

    Parameters
    ----------
    result : Result
    replay : str
        The shell line that runs the case again.
    """
    known: model.Case | None = result._report
    if known is not None:
        return replace(known, replay=replay or known.replay)
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
    known: model.Case | None = result._report
    if known is not None:
        return replace(known, closed_forms=(), plots=(), source=None)
    return replace(spoken_case(result), accuracy=_accuracy(result), remedies=remedies(result))


def _accuracy(result: Result) -> model.Accuracy | None:
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
        points=tuple(_named(case, point) for point in result.points),
        path=tuple(model.Located(text) for text in result.path),
        escapes=tuple(model.Located(text) for text in result.escapes),
        seconds=result.seconds,
        coverage=result.coverage,
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
    if not result.verdict.fails and result.sampled is not None:
        return f"by samples alone: {result.sampled}"
    if witness is None or not result.verdict.fails:
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


def _named(case: Case, point: PointOutcome) -> PointOutcome:
    """The point with the names of its inputs, and its line as it is seen from here."""
    function = lifted(case)
    names = argument_names(function, len(point.x))
    parts = part_names(function, len(names), case.claimed_quantity)
    several = point.worst is not None and len(names) > 1 and len(parts) > point.argument
    return replace(
        point,
        inputs=tuple(Input.of(name, x) for name, x in zip(names, point.x, strict=True)),
        wrt=parts[point.argument] if several else "",
        op=point.op or "",
        origin=places.relative(point.origin or ""),
        kink=None if point.kink is None else _named_slopes(point.kink, parts),
        x=(),
    )


def _named_slopes(kink: KinkFacts, parts: Sequence[str]) -> KinkFacts:
    if len(parts) < 2:
        return kink
    return replace(kink, slopes=tuple(replace(it, wrt=parts[it.argument]) for it in kink.slopes))


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
    from symtape.budget import Budget
    from symtape.derive import derive

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
