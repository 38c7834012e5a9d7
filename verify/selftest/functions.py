"""Faults planted in derivatives that were written by hand, one function at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.recording.structure import flatten
from verify.selftest.claims import ClaimFault, faults_of_claim
from verify.selftest.outcome import Outcome, Trial, outcome_of, stop_when_refuted, try_each
from verify.selftest.points import generator
from verify.selftest.reasons import (
    are_equivalent,
    balls_of,
    difference,
    explain_source_change,
    watch_cases,
)
from verify.suites import classics as classics
from verify.suites import models as models
from verify.suites import statistics as statistics
from verify.suites.problem import PROBLEMS, Problem

FUNCTIONS: Final = PROBLEMS
"""The functions, by what is claimed of them; the modules above hold them."""

_POINTS = 3


def try_function(name: str, keep: Callable[[str], bool], seed: int) -> list[Outcome]:
    """Plant every fault in the derivative of a function that `keep` says by its id, and verify."""
    problem = FUNCTIONS[name]
    points = problem.points(generator(seed, name), _POINTS)
    return try_each(
        faults_of_claim(problem, points[0]),
        lambda fault: f"{name}: {fault.operator}: {fault.words}",
        keep,
        lambda fault, label: _try_fault(problem, fault, points, label),
    )


def _try_fault(
    problem: Problem, fault: ClaimFault, points: Sequence[tuple[Any, ...]], label: str
) -> Outcome:
    wrong = fault.make()
    # One after the other, by the same callable: some faults are of what it remembers.
    trials = (Trial(problem.case([point], wrong)).judge() for point in points)
    return outcome_of(
        label,
        fault.operator,
        list(stop_when_refuted(trials)),
        lambda: difference(
            [problem.case(points, problem.derivative)],
            lambda case, point: balls_of(replace(case, claimed=fault.make()), point),
        ),
        lambda: _reason(problem, fault, points),
    )


def _reason(problem: Problem, fault: ClaimFault, points: Sequence[tuple[Any, ...]]) -> str:
    if fault.source is None:
        return _reason_of_values(problem, fault, points)

    def watch(derivative: Callable[..., Any]) -> list[tuple[Any, Any]]:
        return watch_cases([problem.case(points, derivative)])

    return explain_source_change(fault.source, problem.derivative, watch)


def _reason_of_values(
    problem: Problem, fault: ClaimFault, points: Sequence[tuple[Any, ...]]
) -> str:
    """What of the right derivative makes the change none; looked for in enclosures."""
    truths = [balls_of(problem.case([p], problem.derivative), p) for p in points]
    if all(are_equivalent(truths[0], truth) for truth in truths[1:]):
        return "the derivative is the same at every point"
    if fault.operator == "transposed":
        return "the derivative is symmetric"
    if fault.operator == "moved point":
        moved = [tuple(x + 0.375 for x in p) for p in points]
        others = [balls_of(problem.case([p], problem.derivative), p) for p in moved]
        if all(are_equivalent(a, b) for a, b in zip(truths, others, strict=True)):
            return "the derivative is the same when all of x is shifted"
    if fault.operator == "float32 cast":
        parts = [part for p in points for part in flatten(problem.derivative(*p))]
        if all(np.array_equal(part, np.float32(part)) for part in parts):
            return "every value is a float32"
    return ""
