"""Findings: what there is to say of a claim that failed at a point.

The verdict stands before any of this is asked. An explanation costs more than a verdict, so a
search leaves it out until it knows which points it will show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, SymtapeError
from symtape.graph.graph import Graph
from symtape.primitives.broadcasting import sum_to
from symtape.rigorous.matrices import midpoints
from verify.adapters.dense import dense
from verify.claimants.claim import Answer, Claim, fresh, parts_of
from verify.claimants.complex_arguments import describe_conjugation
from verify.errors import Misbehaviour, NotADerivative
from verify.files import places
from verify.judging.diagnosis.blame import Blame, blame, nonfinite_derivative
from verify.judging.diagnosis.causes import Cause, describe_misdirection, likely_cause
from verify.judging.diagnosis.mistakes import Observation, mistake
from verify.judging.diagnosis.own_rule import (
    FaultyRule,
    computed_at,
    describe_rule_line,
    faulty_rule,
)
from verify.judging.diagnosis.stated import describe_both, severity
from verify.judging.diagnosis.wrong_entries import (
    factor_of_wrong_entries,
    lines_at_fault,
    lines_of_wrong_entries,
    name_nodes,
)
from verify.judging.rounding.comparison import Comparison
from verify.judging.rounding.programs import Point
from verify.model.case import argument_names, part_names
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.closed_form import shape_of

_MOST_LINES: Final = 3
"""Lines of a claim of which one is at fault: more of them say nothing."""


_ONE_OF: Final = "one of these lines is off by a factor"
_ON_LINES: Final = "the wrong entries are computed on these lines"

_RIGHT: Final = "the formula is right in exact arithmetic, but "


def unfit(claim: Claim, point: Point, error: NotADerivative, explain: bool = True) -> PointOutcome:
    """What the claim did or returned is no derivative at all."""
    found = blame(claim, point.graph, point.values) if explain and claim.ours else None
    words = f"{found.words}, where the derivative exists" if found else str(error)
    if explain and error.misbehaviour is Misbehaviour.WRONG_SHAPE:
        words = "; ".join(filter(None, [words, shape_in_words(claim, point)]))
    outcome = PointOutcome.from_judgement(
        point.x,
        Verdict.WRONG,
        words,
        bits=point.exact.bits,
        severity=1.0,
        misbehaviour=error.misbehaviour,
    )
    return _add_blame(outcome, found)


def wrong(
    claim: Claim,
    point: Point,
    answer: Answer,
    compared: Comparison,
    remark: str = "",
    explain: bool = True,
) -> PointOutcome:
    """What is claimed is not the derivative.

    The `remark` is said where nothing better is known.
    """
    words = _describe_claim(claim, point, compared)
    outcome = _outcome(point, Verdict.WRONG, compared, words)
    if not explain:
        return outcome
    if (rule := faulty_rule(claim, point)) is not None:
        return _blame_rule(outcome, rule)
    cause, found = _explain_mistake(claim, point, answer)
    own = describe_rule_line(claim, point, compared.worst)
    said = [words, cause, found.words if found else remark * (not cause), own]
    return _add_blame(replace(outcome, message="; ".join(filter(None, said))), found)


def _blame_rule(outcome: PointOutcome, rule: FaultyRule) -> PointOutcome:
    """A failure that comes from one rule, with the mistake that was made in that."""
    cause, found = _explain_mistake(rule.claim, rule.point, rule.answer)
    why = "; ".join(filter(None, [cause, found.words if found else ""]))
    own = f"the rule of {rule.name} is wrong{f': {why}' if why else ''}"
    place = places.place_of_origin(rule.origin)
    written = f"the rule begins at {places.relative(place)}" if place else ""
    where = computed_at(rule.origin) if rule.op else written
    said = "; ".join(filter(None, [outcome.message, own, where]))
    return replace(outcome, message=said, op=rule.op or None, origin=place or None)


def inaccurate(
    claim: Claim,
    point: Point,
    compared: Comparison,
    explain: bool = True,
    right: bool = True,
    lost: Blame | None = None,
    remark: str = "",
) -> PointOutcome:
    """The float value is off; the rule is `right`, or cannot be told to be.

    The rule is not `right` where it cannot be told to be; `lost` is the operation of the claim's
    program that overflows, underflows or cancels; a `remark` stands in place of what is said of
    every such value.
    """
    looked = explain and claim.ours
    found = blame(claim, point.graph, point.values, wrong=False) if looked else None
    off = f"{_RIGHT if right else ''}the float value is off by more than rounding explains"
    seen = [blamed.words for blamed in (lost, found) if blamed]
    words = "; ".join([_describe_claim(claim, point, compared), remark or off, *seen])
    return _add_blame(_outcome(point, Verdict.INACCURATE, compared, words), found or lost)


def _describe_claim(claim: Claim, point: Point, compared: Comparison) -> str:
    """What is claimed and what is exact; a wrong formula may well return the right float."""
    worst = compared.worst
    if worst is None:
        return f"the {claim.quantity.name} that is claimed is not the exact one"
    by = ""
    if len(point.x) > 1:
        by = part_names(claim.function, len(point.x), claim.quantity)[worst.argument]
    return describe_both(claim.quantity.name, worst, by)


def _explain_mistake(claim: Claim, point: Point, answer: Answer) -> tuple[str, Blame | None]:
    """The mistake in words, and the operation that it was made at."""
    values = point.values
    found = blame(claim, point.graph, values) if claim.ours else None
    if found is None and claim.ours and not answer.finite:
        found = nonfinite_derivative(point.graph, values)
    here = Observation(point.x, answer.parts, [midpoints(part) for part in point.exact.parts])
    others = list(_observations(claim, point))
    names = part_names(claim.function, len(point.x), claim.quantity)
    pairs = [(seen.claimed, seen.exact) for seen in others]
    words = describe_misdirection(claim, [here, *others]) if answer.finite else ""
    if not words and hasattr(claim.derivative, "by_parts"):
        words = describe_conjugation(claim.derivative, here.claimed, here.exact)
    words = words or _describe_steps(point.graph)
    cause = Cause(words) if words else likely_cause(here.claimed, here.exact, names, pairs)
    if cause.of_a_part:
        cause = _everywhere(cause, others, names)
    of_a_part = cause.of_a_part
    of_the_whole = cause.words and not of_a_part
    if found is None and not claim.ours and answer.finite and not of_the_whole:
        arguments = argument_names(claim.function, len(point.x))
        known = name_nodes(point.graph, arguments, claim.function)
        found = mistake(point.graph, claim.quantity, [here, *others], known)
        by_a_value = found is not None and found.by_a_value
        without_factor = cause.of_a_part and not cause.factor
        of_this_point = without_factor or (cause.of_a_part and not cause.by_one and by_a_value)
        if found is not None and (of_this_point or "broadcast" in found.words):
            cause = Cause()
        elif found is not None and cause.words:
            found = replace(found, words="")
        elif found is None and of_a_part and not cause.factor:
            factor = factor_of_wrong_entries(point.graph, [here, *others], known)
            cause = replace(cause, factor=factor)
    if claim.ours or claim.is_read or not answer.finite:
        return str(cause), found
    lines, several = lines_at_fault(claim, [here, *others]), _ONE_OF
    if of_a_part and not lines:
        lines, several = lines_of_wrong_entries(claim, [here, *others]), _ON_LINES
    return str(cause), _locate_in_claim(found, lines, several)


def _describe_steps(graph: Graph) -> str:
    """That nothing is computed from the arguments, as in a bisection; empty if something is."""
    if not graph.path or graph.is_computed(graph.outputs[0]):
        return ""
    return (
        "the result depends on the arguments through comparisons alone, so it is constant "
        "between jumps"
    )


def _locate_in_claim(found: Blame | None, lines: dict[str, str], several: str) -> Blame | None:
    """A mistake of a claim that somebody wrote: at its own line, if one can be known.

    Where the function has the operation is told in words, and so are `several` lines.
    """
    said = []
    if found is not None and found.words:
        place = places.relative(found.origin)
        said.append(f"{found.words}{f' ({found.op} is at {place})' if place else ''}")
    if len(lines) == 1:
        ((line, op),) = lines.items()
        return Blame(op, line, "; ".join(said))
    if 1 < len(lines) <= _MOST_LINES:
        each = ", ".join(map(places.relative, lines))
        said.append(f"{several}: {each}")
    op = "" if found is None else found.op
    return Blame(op, "", "; ".join(said)) if op or said else None


def _everywhere(cause: Cause, others: Sequence[Observation], names: Sequence[str]) -> Cause:
    """What a cause that speaks of one point becomes where other points show more, or deny it."""
    said = {likely_cause(seen.claimed, seen.exact, names) for seen in others} - {Cause()}
    if len(said) == 1 and len(others) > 1 and all(it.by_one for it in said):
        return said.pop()
    denied = cause.by_one and said and cause not in said
    return replace(cause, factor="") if denied else cause


def _observations(claim: Claim, point: Point) -> Iterator[Observation]:
    """What is claimed at other points, beside the tape's derivative there."""
    shapes = shape_of(point.graph, claim.quantity)
    tape = claim.tape(len(point.x))
    for x in points_beside(point.x):
        try:
            claimed = claim.answer(x, shapes).parts
            exact = tape.answer(x, shapes).parts
        except (SymtapeError, LookupError):
            continue
        if all(np.all(np.isfinite(part)) for part in (*claimed, *exact)):
            yield Observation(x, claimed, exact)


def _outcome(point: Point, verdict: Verdict, compared: Comparison, words: str) -> PointOutcome:
    outcome = point.outcome(verdict, compared, words)
    value = point.values[point.graph.outputs[0]]
    return replace(outcome, severity=severity(outcome, value))


def _add_blame(outcome: PointOutcome, found: Blame | None) -> PointOutcome:
    if found is None:
        return outcome
    return replace(outcome, op=found.op or None, origin=found.origin or None)


_CLOSE: Final = 1e-9
_LEAST: Final = 2
"""Points at which the numbers have to fit: at one that is zero everything does."""

Reading = Callable[[Any, Any], tuple[Any, Any]]
"""What has to be the same, of an array that is claimed and the one that is exact."""


def shape_in_words(claim: Claim, point: Point) -> str:
    """What the first array of a wrong shape would be; empty if it is nothing that is known."""
    shapes = shape_of(point.graph, claim.quantity)
    tape = claim.tape(len(point.x))
    pairs: list[list[tuple[Any, Any]]] = []
    for x in (point.x, *points_beside(point.x)):
        try:
            with np.errstate(all="ignore"), claim.calls.limit_call("the claim", x, BudgetSpent):
                found = parts_of(claim.derivative(*map(fresh, x)), shapes)
                arrays = [np.asarray(dense(part), dtype=float) for part in found]
                pairs.append(list(zip(arrays, tape.answer(x, shapes).parts, strict=True)))
        except Exception:  # noqa: BLE001  # users' code, at points of nobody's choice
            continue
    for each in zip(*pairs, strict=True):
        (ours, theirs), *_ = each
        if ours.shape != theirs.shape and len(each) >= _LEAST:
            readings = _readings(claim.quantity.name, ours.shape, theirs.shape)
            return next((words for words, reading in readings if _fit(each, reading)), "")
    return ""


def _fit(pairs: tuple[tuple[Any, Any], ...], reading: Reading) -> bool:
    """Whether what has to be the same is, at points that are not all zero."""
    try:
        made = [reading(ours, theirs) for ours, theirs in pairs]
    except ValueError:
        return False
    telling = any(np.any(theirs) for _, theirs in made)
    return telling and all(
        ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=_CLOSE, atol=1e-12)
        for ours, theirs in made
    )


def _readings(
    quantity: str, given: tuple[int, ...], shape: tuple[int, ...]
) -> Iterator[tuple[str, Reading]]:
    """What arrays of a shape may be where another shape is right, in words."""
    if len(shape) > 1 and given == shape[::-1]:
        yield "is it transposed?", lambda ours, theirs: (ours.T, theirs)
    if int(np.prod(given)) == int(np.prod(shape)):
        words = f"return np.reshape(..., {shape}) of it, which has the same entries"
        yield words, lambda ours, theirs: (ours.reshape(theirs.shape), theirs)
    if given + given == shape:
        size = int(np.prod(given))
        yield (
            "is it the diagonal alone?",
            lambda ours, theirs: (ours.ravel(), np.diag(theirs.reshape(size, size))),
        )
    over = tuple(range(len(shape) - len(given)))
    if quantity == "jacobian" and given == shape[len(over) :]:
        words = "is it the gradient of the sum of the outputs, instead of the Jacobian?"
        yield words, lambda ours, theirs: (ours, np.sum(theirs, axis=over))
    if quantity in ("gradient", "vjp", "hvp"):
        words = "is the sum over the axes missing along which the argument was broadcast?"
        yield words, lambda ours, theirs: (_sum_to_shape(ours, theirs.shape), theirs)


def _sum_to_shape(array: Any, shape: tuple[int, ...]) -> Any:
    """An array summed to a shape that can be broadcast to its own.

    Raises
    ------
    ValueError
        It cannot.
    """
    np.broadcast_to(np.zeros(shape), array.shape)
    return sum_to(array, shape)


_STEPS: Final = ((0.75, 0.125), (1.25, -0.0625), (-0.75, 0.5), (0.03125, 0.375))
"""``scale * x + shift``: some near enough for the same branch and far enough to tell a factor from
an accident, one of the other sign, one near 1 to tell what fails in a tail alone."""

_GOLDEN: Final = 0.6180339887498949


def points_beside(x: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Points made of one, with other entries each, so that no tie of entries stays.

    Of a symmetric matrix they are symmetric.

    Examples
    --------
    >>> next(points_beside((np.zeros(2), 1.0)))
    (array([0.125     , 0.20225425]), np.float64(0.875))
    """
    arrays = [np.asarray(part) for part in x]
    for scale, shift in _STEPS:
        yield tuple(
            (scale * it + shift * _distinct_numbers(it.shape)).astype(it.dtype)[()] for it in arrays
        )


def _distinct_numbers(shape: tuple[int, ...]) -> Any:
    """Numbers from 1 on that differ, the same whichever axis of equal length comes first."""
    return 1 + sum((grid * _GOLDEN % 1 for grid in np.indices(shape)), np.zeros(shape))
