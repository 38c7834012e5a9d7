"""Faults planted in the rules of the vocabulary, one row at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from symtape.primitives.primitive import PRIMITIVES, Primitive, Rule
from symtape.primitives.vocabulary import vocabulary
from verify.model.case import Case
from verify.selftest.operators import Fault, Mutant, faults_of_rule
from verify.selftest.outcome import Outcome, Trial, outcome_of, stop_when_refuted, try_each
from verify.selftest.points import trials_of
from verify.selftest.reasons import (
    balls_of,
    difference,
    explain_source_change,
    explain_value_change,
    watch_cases,
)


def names() -> list[str]:
    """The rows that have a rule."""
    return [row.name for row in vocabulary()]


def try_row(name: str, keep: Callable[[str], bool], seed: int) -> list[Outcome]:
    """Plant every fault of a row that `keep` says by its id, and verify."""
    vocabulary()
    row = PRIMITIVES[name]
    trials = trials_of(row, seed)

    def name_of(fault: Fault) -> str:
        argument = row.inputs[0 if row.variadic else fault.argnum]
        return f"rule {name} by {argument}: {fault.operator}: {fault.words}"

    return try_each(
        _faults(row, trials),
        name_of,
        keep,
        lambda fault, label: _try_row_fault(row, fault, trials, label),
    )


def _faults(row: Primitive, trials: Sequence[Trial]) -> Iterator[Fault]:
    for argnum, rule in enumerate(row.rules):
        if rule is None or rule.missing:
            continue
        shapes = [np.shape(trial.inputs[argnum]) for trial in trials]
        shape = max(shapes, key=lambda s: (len(s), np.prod(s)))
        yield from faults_of_rule(row, argnum, shape, _threshold(trials, argnum))


def _threshold(trials: Sequence[Trial], argnum: int) -> float:
    """Three quarters of the nearest value of an input that is far out; 0 if none is."""
    values = [abs(float(t.inputs[argnum])) for t in trials if t.far == argnum]
    return 0.75 * min(values, default=0.0)


@contextlib.contextmanager
def plant_rule(row: Primitive, argnum: int, function: Callable[..., Any]) -> Iterator[None]:
    """The rule of one input replaced inside the block."""
    right, cuts = row.rules, row.cuts
    place = 0 if row.variadic else argnum
    wrong = Rule(function, row.inputs, row.outputs)
    row.rules = tuple(wrong if k == place else rule for k, rule in enumerate(right))
    row.cuts = False
    try:
        yield
    finally:
        row.rules, row.cuts = right, cuts


def _try_row_fault(row: Primitive, fault: Fault, trials: Sequence[Trial], label: str) -> Outcome:
    chosen = [trial for trial in trials if trial.scaled or not fault.scaled]
    if fault.threshold:
        chosen.sort(key=lambda trial: trial.far != fault.argnum)
    with plant_rule(row, fault.argnum, fault.function):
        found = list(stop_when_refuted(trial.judge() for trial in chosen))
    cases = [trial.case for trial in chosen]

    def find_wrong_balls(case: Case, point: Sequence[Any]) -> list[Any]:
        with plant_rule(row, fault.argnum, fault.function):
            return balls_of(case, point)

    return outcome_of(
        label,
        fault.operator,
        found,
        lambda: difference(cases, find_wrong_balls),
        lambda: _reason(row, fault, cases),
    )


def _reason(row: Primitive, fault: Fault, cases: Sequence[Case]) -> str:
    def watch(wrong: Callable[..., Any]) -> list[tuple[Any, Any]]:
        with plant_rule(row, fault.argnum, wrong):
            return watch_cases(cases)

    right = row.rule(fault.argnum)
    assert right is not None
    if fault.source is not None:
        return explain_source_change(fault.source, right.function, watch)
    assert isinstance(fault.function, Mutant)
    return explain_value_change(fault.operator, right.function, fault.function, watch)
