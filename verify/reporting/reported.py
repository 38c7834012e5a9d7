"""What is added to a result where it is told: what takes time, and nobody else asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from verify.errors import UsageError
from verify.files import places
from verify.limits.limit import time_limit
from verify.model.accuracy import Accuracy
from verify.model.case import Case, name_function
from verify.model.foreign import AdaptedCallable
from verify.model.result import ClosedForm, Remedy, Result
from verify.model.source import Source, source_of
from verify.model.verdict import Verdict
from verify.reporting.call import call_line


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


_SECONDS: Final = 60.0
"""Formulas that take longer are left out; the verdict does not need them."""

_BUDGET: Final = 300_000
"""Statements of the function and its derivative, above which no formula is looked for."""

_FIRST: Final = dict.fromkeys(("jacobian", "vjp", "jvp"), "jacobian")
"""The first derivative that is shown of a function, where that is not the gradient."""

_STATEMENTS: Final = 400
"""A derivative of more entries or statements than this is not printed in a report."""


def closed_forms(result: Result) -> tuple[ClosedForm, ...]:
    """The value and its first derivative at the first point, where they are short enough."""
    if not result.points or result.points[0].verdict in (Verdict.OUTSIDE, Verdict.UNDECIDED):
        return ()
    if result.sampled is not None:
        return ()
    try:
        with time_limit(_SECONDS, _SECONDS):
            return tuple(_derive_forms(result.case, result.points[0].x))
    except SymtapeError:
        return ()


def _derive_forms(case: Case, x: tuple[Any, ...]) -> Iterator[ClosedForm]:
    from symtape.deriving import derive
    from symtape.process.budget import Budget

    given = x[: len(x) - case.directions]
    derivation = derive(
        case.function, *given, budget=Budget(statements=_BUDGET), notation="entries"
    )
    for name in ("value", _FIRST.get(case.quantity, "gradient")):
        form = getattr(derivation, name)
        if form.size > _STATEMENTS:
            continue
        yield ClosedForm(
            name=name,
            text=str(form),
            latex=form.latex(),
            mathml=_strip_math_element(form.mathml()),
            conditions=tuple(derivation.where),
            straight_line=form.straight_line,
        )


def _strip_math_element(markup: str) -> str:
    """MathML without the ``<math>`` around it, which the page has, and without names for signs."""
    markup = markup.replace("&InvisibleTimes;", "\u2062").replace("&ApplyFunction;", "\u2061")
    found = re.fullmatch(r"<math\b[^>]*>(.*)</math>", markup.strip(), re.DOTALL)
    return found[1] if found else markup


class StandInFunction:
    """A function that stayed behind.

    Attributes
    ----------
    source : Source or None
        Its code, and where it is from.

    Examples
    --------
    >>> import numpy as np, pickle, verify
    >>> r = verify.gradient(lambda x: np.sin(x), at=[0.5])
    >>> again = pickle.loads(pickle.dumps(r))
    >>> again.to_json() == r.to_json(), again.case.function.source.code.strip()
    (True, 'r = verify.gradient(lambda x: np.sin(x), at=[0.5])')
    """

    def __init__(self, name: str, source: Source | None) -> None:
        self.__name__ = self.__qualname__ = name
        self.source = source

    @classmethod
    def describe_function(cls, function: Callable[..., Any]) -> StandInFunction:
        """What is known of a function."""
        return (
            function
            if isinstance(function, cls)
            else cls(name_function(function), source_of(function))
        )

    def __call__(self, *args: Any) -> Any:
        """Refuse: there is no function to call.

        Raises
        ------
        UsageError
        """
        raise UsageError(
            f"{self.__name__} is not part of the pickled result, which has its source alone; "
            "verify again where it is defined"
        )

    def __repr__(self) -> str:
        return f"<{self.__name__}, described>"


def describe_case(case: Case) -> Case:
    """A case without its functions."""
    return replace(
        case,
        function=StandInFunction.describe_function(case.function),
        claimed=None if case.claimed is None else StandInFunction.describe_function(case.claimed),
        modes={
            name: StandInFunction.describe_function(claim) for name, claim in case.modes.items()
        },
        plots=None,
        over=None,  # its predicates are functions; the words are in the coverage
    )
