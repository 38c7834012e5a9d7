"""A whole report rechecked: each finding, and of each other case the point that fared worst."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.graph import Graph
from symtape.reading.record import record_readable
from verify.auditing.libraries.claimants import CLAIMANTS
from verify.auditing.libraries.work import pose_row
from verify.auditing.rules.work import pose_case
from verify.campaign.load import Target
from verify.campaign.tasks import plan
from verify.commands.refusals import Refusal
from verify.model.case import Case, part_names
from verify.model.outcome import Input
from verify.model.result import KinkFacts, PointOutcome, Result
from verify.model.verdict import Verdict
from verify.oracles.recheck.opinion import (
    Opinion,
    OpinionStatus,
    opinion_on_entry,
    opinion_on_slope,
)
from verify.oracles.recheck.second import Second
from verify.reporting.model import Report

_OPERATIONS = 2_000_000


def second_opinions(report: Report) -> Iterator[Second]:
    """Second opinions on `report`, one after the other."""
    for case in report.cases:
        points = [point for point in case.points if point.verdict.fails]
        others = [point for point in case.points if point.verdict is Verdict.CORRECT]
        chosen = points or others[:1]
        if not chosen:
            continue
        try:
            posed = _restore_case(case)
        except (Refusal, SymtapeError, ImportError, ValueError) as error:
            opinion = Opinion(OpinionStatus.SILENT, f"its function is not found: {error}")
            yield Second(case.id, bool(points), opinion)
            continue
        for number, point in enumerate(chosen):
            yield Second(f"{case.id} #{number + 1}", bool(points), _opinion(posed, point))


def _restore_case(case: Result) -> Case:
    """The case itself, by the shell line that runs it again.

    Raises
    ------
    Refusal
        There is no such line, or no such case any more.
    """
    from verify.commands.verify import verify

    words = shlex.split(case.replay)
    if words[:2] == ["symtape", "audit"] and words[2] in CLAIMANTS:
        return pose_case(case.id) if case.id.endswith(" rule") else pose_row(case.id)
    if words[:2] != ["symtape", "verify"]:
        raise Refusal("the report has no line that runs it again")
    given = verify.make_context("verify", words[2:], resilient_parsing=True).params
    targets = [
        Target(name, given["at"], given["quantity"], given["claimed"], given["over"])
        for name in given["targets"]
    ]
    [task] = plan(targets, (case.id,))
    return task.find()


def _opinion(posed: Case, point: PointOutcome) -> Opinion:
    function = posed.lifted
    # Exact values of measured functions are those at numbers of any format, in float64.
    x = _find_arguments(posed, point, "float64" if posed.suite in CLAIMANTS else "")
    if x is None:
        return Opinion(OpinionStatus.SILENT, "its numbers are not all in the report")
    try:
        graph = record_readable(function, *x, budget=_OPERATIONS)
    except Exception as error:  # noqa: BLE001  # whatever the user's code does
        return Opinion(OpinionStatus.SILENT, f"it is not recorded: {type(error).__name__}: {error}")
    if point.kink is not None:
        return _opinion_on_kink(posed, graph, x, point.kink)
    if point.claimed is None or point.enclosure is None:
        return Opinion(OpinionStatus.SILENT, f"it shows no value: {point.message.splitlines()[0]}")
    return opinion_on_entry(
        graph,
        posed.claimed_quantity,
        x,
        _part(posed, len(x), point.wrt),
        point.entry,
        float.fromhex(point.claimed.hex),
        (point.enclosure.lower, point.enclosure.upper),
        fails=point.verdict.fails,
    )


def _opinion_on_kink(posed: Case, graph: Graph, x: tuple[Any, ...], kink: KinkFacts) -> Opinion:
    for slope in kink.slopes:
        if slope.claimed is None or not slope.lower <= slope.claimed <= slope.upper:
            part = _part(posed, len(x), slope.wrt)
            sides = slope.left, slope.right
            return opinion_on_slope(
                graph, posed.claimed_quantity, x, part, slope.index, slope.claimed, sides
            )
    return Opinion(OpinionStatus.SILENT, "each entry alone is admissible")


def _part(posed: Case, count: int, wrt: str) -> int:
    names = part_names(posed.lifted, count, posed.claimed_quantity)
    return names.index(wrt) if wrt in names else 0


def _find_arguments(posed: Case, point: PointOutcome, dtype: str) -> tuple[Any, ...] | None:
    """The arguments in a dtype, or else in their own; the case's if the report cut them short."""
    for at in posed.at:
        if len(at) == len(point.inputs) and all(map(_is_same, at, point.inputs)):
            pairs = zip(at, point.inputs, strict=True)
            return tuple(np.asarray(x, dtype=given.dtype) for x, given in pairs)
    if any(given.truncated for given in point.inputs):
        return None
    return tuple(_array(given, dtype or given.dtype) for given in point.inputs)


def _is_same(x: Any, given: Input) -> bool:
    array = np.asarray(x)
    first = [float(value).hex() for value in array.ravel()[: len(given.hex)]]
    return array.shape == given.shape and tuple(first) == given.hex


def _array(given: Input, dtype: str) -> Any:
    values = [float.fromhex(text) for text in given.hex]
    return np.array(values, dtype=dtype).reshape(given.shape)[()]
