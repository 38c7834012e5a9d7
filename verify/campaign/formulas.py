"""Closed forms of a user's function as text, made in a process that can be stopped."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from symtape.errors import BudgetSpent
from verify.campaign.importing import find_function
from verify.campaign.load import parse_point
from verify.errors import UsageError
from verify.limits.processes import call_in_processes
from verify.model.case import check_arity, to_points

Notation: TypeAlias = Literal["array", "entries"]


def formulas(
    target: str,
    at: str,
    what: Sequence[str],
    language: str,
    budget: float,
    notation: Notation | None = None,
) -> list[str]:
    """One text for each formula.

    Parameters
    ----------
    target : str
        ``FILE.py:function`` or ``module:function``.
    at : str
        The point, as :func:`verify.campaign.load.parse_point` takes it.
    what : sequence of str
        ``value``, ``gradient``, ``jacobian``, ``hessian``; when empty the value and the first
        derivative.
    language : str
        ``text``, ``latex``, ``mathml`` or a language of code.
    budget : float
        Seconds.
    notation : {"array", "entries"}, optional
        As :func:`symtape.derive` takes it.

    Raises
    ------
    UsageError
        Target or point cannot be used.
    BudgetSpent
        Time ran out.
    """
    check_arity(find_function(target), to_points([parse_point(at)])[0])
    given = target, at, tuple(what), language, notation
    [(_, future)] = call_in_processes(_derive, [given], 1, budget)
    try:
        return list(future.result())
    except TimeoutError as error:
        raise BudgetSpent(
            f"deriving {target}: the time budget of {budget:g} s ran out; give more with --budget"
        ) from error


def _derive(
    target: str, at: str, what: tuple[str, ...], language: str, notation: Notation | None
) -> list[str]:
    import symtape

    (point,) = to_points([parse_point(at)])
    function = find_function(target)
    try:
        derivation = symtape.derive(function, *point, notation=notation)
    except (ValueError, TypeError, IndexError) as error:
        raise UsageError(
            f"{target} cannot be derived at {at}: {type(error).__name__}: {error}"
        ) from None
    wanted = what or ("value", "gradient" if _is_scalar(function, point) else "jacobian")
    texts = [_format_formula(name, getattr(derivation, name), language) for name in wanted]
    conditions = [str(condition) for condition in derivation.where]
    if language == "text" and conditions:
        texts.append("where\n" + textwrap.indent("\n".join(conditions), "  ") + "\n")
    return texts


def _is_scalar(function: Any, point: tuple[Any, ...]) -> bool:
    import symtape

    graph = symtape.record(function, *point)
    return len(graph.outputs) == 1 and graph.nodes[graph.outputs[0]].shape == ()


def _format_formula(name: str, form: Any, language: str) -> str:
    match language:
        case "text":
            return f"{name}\n{textwrap.indent(str(form), '  ')}\n"
        case "latex":
            return str(form.latex())
        case "mathml":
            return str(form.mathml())
        case _:
            return str(form.code(language))
