"""The formulas that a report shows of a case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from symtape.errors import SymtapeError
from verify.limits.limit import time_limit
from verify.model.case import Case
from verify.model.result import ClosedForm, Result
from verify.model.verdict import Verdict

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
