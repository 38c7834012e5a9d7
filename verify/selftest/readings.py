"""Faults planted in what the verifier itself relies on: readings of rows, constants, proofs.

A row with a lie in it is verified with its right rule, and with the rule that fits the lie. A lie
is refuted where some point says that the readings of the row disagree, and survives where the right
derivative is called wrong, where that of the lie passes, and where nobody notices.

A rounding constant that is too small is a lie only where floats show it; one that is too large
widens what floats may lose, and must hide no fault of a rule.
"""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

import symtape
from symtape.primitives.primitive import PRIMITIVES, Primitive, Rule
from symtape.primitives.vocabulary import examples, moving_inputs, vocabulary
from symtape.rigorous.jets import functions
from verify.model.case import Case
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.proofs.content import fingerprint
from verify.oracles.proofs.known import find_proof
from verify.selftest.operators import Mutant, change_result, faults_of_rule
from verify.selftest.outcome import CAP, Outcome, Trial, try_each
from verify.selftest.points import trials_of
from verify.selftest.rows import plant_rule
from verify.suites.primitives import cases_at

_TRIALS: Final = 6
"""Points of a row; a lie about all values shows at the first that is read."""

_WHERE: Final = (0.0, 1.0, 0.5, -1.0, 2.0)
"""Values at which rows have kinks, and all of them alike, as at ties."""

_TOO_SMALL: Final = 64
_TOO_LARGE: Final = 2**20
_SLIGHT: Final = 1e-12

_UNREAD: Final = "nothing reads it at the points that are tried"
_NOTHING: Final = "it has the same value at the points that are tried"
_ENOUGH: Final = "no float at the points that are tried is off by more"
_SMOOTH: Final = "the row is smooth at the points that are tried"


@dataclass(frozen=True, slots=True)
class ReadingFault:
    """One reading of a row, replaced.

    Attributes
    ----------
    operator : str
        The kind of fault.
    words : str
        What was changed.
    readings : dict
        Attributes of the row.
    fitting : float
        What the rule is multiplied by in the claim that must not pass; 1 if there is none.
    uses : list
        Grows by an element whenever the reading is used; None where that is not known.
    harmless : str
        Why nothing may come of it; empty if that would be a failure.
    """

    operator: str
    words: str
    readings: dict[str, Any]
    fitting: float = 2.0
    uses: list[None] | None = field(default=None, repr=False)
    harmless: str = ""


def try_readings(name: str, keep: Callable[[str], bool], seed: int) -> list[Outcome]:
    """Plant every fault in the readings of a row that `keep` says by its id, and verify."""
    vocabulary()
    row = PRIMITIVES[name]
    found = try_each(
        faults_of_readings(row),
        lambda fault: f"reading of {name}: {fault.operator}: {fault.words}",
        keep,
        lambda fault, label: _try_reading_fault(row, fault, seed, label),
    )
    label = f"reading of {name}: no kinks: kinks → nowhere"
    if row.kinks is not None and keep(label):
        found.append(_try_without_kinks(row, label))
    return [*found, *_proofs(row, keep)]


def faults_of_readings(row: Primitive) -> Iterator[ReadingFault]:
    """The faults of the readings of values and roundings of `row`."""
    for reading in ("symbolic", "ball", "elements"):
        if getattr(row, reading) is not None:
            yield _make_reading_fault(row, reading, "r → 2 r", _double_result)
    if row.elementwise:
        yield from _shifted_faults(row)
    if row.ball is not None:
        yield _make_reading_fault(row, "ball", "r → 2 r of jets", _double_result, jets=True)
    if row.select is not None:
        yield _make_reading_fault(row, "select", "the next element", _next_place)
    if row.rounding != (0, 0):
        yield ReadingFault(
            "rounding too small",
            f"k → k / {_TOO_SMALL}",
            {"rounding": _times(row.rounding, 1 / _TOO_SMALL)},
            fitting=1.0,
            harmless=_ENOUGH,
        )
        yield ReadingFault(
            "rounding too large",
            f"k → {_TOO_LARGE} k, and a rule r (1 + {_SLIGHT})",
            {"rounding": _times(row.rounding, _TOO_LARGE)},
            fitting=1 + _SLIGHT,
        )


_OPERATORS: Final = {
    "symbolic": "lying template",
    "ball": "lying ball",
    "elements": "lying elements",
    "select": "lying choice",
}

Change = Callable[[Any, Sequence[Any]], Any]


def _shifted_faults(row: Primitive) -> Iterator[ReadingFault]:
    """A value that is off by an input that moves, as a term that is missing is."""
    moving = (moving_inputs(row, tuple(map(np.asarray, inputs))) for inputs, _ in examples(row))
    first = min(next(moving, ()), default=0)
    for reading in ("symbolic", "ball"):
        if getattr(row, reading) is not None:
            words = f"r → r + {row.inputs[first]}"
            yield _make_reading_fault(row, reading, words, lambda r, xs: r + xs[first])


def _make_reading_fault(
    row: Primitive, reading: str, words: str, change: Change, jets: bool = False
) -> ReadingFault:
    right = getattr(row, reading)
    leading = reading in ("symbolic", "ball")
    uses: list[None] = []

    @functools.wraps(right)
    def faulty(*args: Any, **params: Any) -> Any:
        result = right(*args, **params)
        if jets and args[0] is not functions:
            return result
        uses.append(None)
        return change(result, args[1:] if leading else args)

    operator = "lying jet" if jets else _OPERATORS[reading]
    return ReadingFault(operator, words, {reading: faulty}, uses=uses)


def _double_result(result: Any, inputs: Sequence[Any]) -> Any:
    if isinstance(result, tuple | list):
        return type(result)(_double_result(part, inputs) for part in result)
    return result * 2


def _next_place(result: Any, inputs: Sequence[Any]) -> Any:
    count = sum(np.size(x) for x in inputs)
    if isinstance(result, tuple | list):
        return type(result)((np.asarray(part) + 1) % count for part in result)
    return (np.asarray(result) + 1) % count


def _times(rounding: Any, factor: float) -> Any:
    if callable(rounding):
        return lambda shapes, params: rounding(shapes, params) * factor
    return tuple(k * factor for k in rounding)


def _try_reading_fault(row: Primitive, fault: ReadingFault, seed: int, label: str) -> Outcome:
    faulty = _copy_row(row, fault.readings)
    trials = _take_trials(faulty, seed)
    outcomes = [point for trial in trials for point in _points(trial.case)]
    accused = next((point for point in outcomes if point.verdict.fails), None)
    if accused is not None:
        words = f"the right rule is called {accused.verdict.value}: {accused.message}"
        return Outcome(label, fault.operator, "survived", words)
    fitting = _copy_row(faulty, {"rules": _scale_rules(row, fault.fitting), "cuts": False})
    for trial in _take_trials(fitting, seed) if fault.fitting != 1 else ():
        if any(point.verdict is Verdict.CORRECT for point in _points(trial.case)) and _moves(trial):
            words = f"the derivative of the lie passes at {trial.case.id}"
            return Outcome(label, fault.operator, "survived", words)
    if fault.fitting == 1 + _SLIGHT or any(_names(point, row) for point in outcomes):
        return Outcome(label, fault.operator, "refuted")
    return _classify_unnoticed(fault, label, trials, outcomes)


def _classify_unnoticed(
    fault: ReadingFault, label: str, trials: Sequence[Trial], outcomes: Sequence[PointOutcome]
) -> Outcome:
    """A fault that no verdict follows and nobody names."""
    if fault.uses == []:
        return Outcome(label, fault.operator, "void", _UNREAD)
    if harmless := fault.harmless or (_NOTHING if _is_zero(trials) else ""):
        return Outcome(label, fault.operator, "equivalent", harmless)
    tally = ", ".join(sorted({point.verdict.value for point in outcomes}))
    return Outcome(label, fault.operator, "survived", f"nobody notices (verdicts {tally})")


def _copy_row(row: Primitive, readings: dict[str, Any]) -> Primitive:
    """A row of its own, so that nothing that is known of the right one is used."""
    changed = copy.copy(row)
    for name, reading in readings.items():
        setattr(changed, name, reading)
    return changed


def _take_trials(row: Primitive, seed: int) -> list[Trial]:
    return list(itertools.islice(trials_of(row, seed), _TRIALS))


def _points(case: Case) -> tuple[PointOutcome, ...]:
    from verify.judging.judge import verify_case

    return verify_case(case, CAP).points


def _names(point: PointOutcome, row: Primitive) -> bool:
    """Whether a point is undecided, and says that it is for this row."""
    return point.verdict is Verdict.UNDECIDED and f"{row.name} at " in point.message


def _moves(trial: Trial) -> bool:
    """Whether the derivative that is claimed is not all 0."""
    (point,) = trial.case.at
    parts = symtape.jacobian(trial.case.function, argnums=tuple(range(len(point))))(*point)
    return any(np.any(part) for part in parts)


def _scale_rules(row: Primitive, factor: float) -> tuple[Rule | None, ...]:
    lie = change_result(lambda result: result * factor)
    return tuple(
        Rule(Mutant(rule.function, rule.needs, lie), row.inputs, row.outputs)
        if rule is not None and not rule.missing
        else rule
        for rule in row.rules
    )


def _is_zero(trials: Sequence[Trial]) -> bool:
    values = [trial.case.function(*x) for trial in trials for x in trial.case.at]
    return not any(np.any(value) for value in values)


def _try_without_kinks(row: Primitive, label: str) -> Outcome:
    """A row that denies its kinks, at its kinks."""
    faulty = _copy_row(row, {"kinks": _nowhere(row)})
    cases = list(itertools.islice(_iterate_kink_cases(row, faulty), _TRIALS))
    verdicts = [(case, point) for case, told in cases for point in _points(told)]
    if not cases:
        return Outcome(label, "no kinks", "void", _SMOOTH)
    for case, point in verdicts:
        if point.verdict.fails:
            words = f"what is admissible is called {point.verdict.value}: {point.message}"
            return Outcome(label, "no kinks", "survived", words)
        honest = [each.verdict for each in _points(case)]
        if point.verdict is Verdict.CORRECT and Verdict.CORRECT not in honest:
            return Outcome(label, "no kinks", "survived", f"CORRECT at a kink, {case.id}")
    if all(point.verdict is Verdict.CORRECT for _, point in verdicts):
        return Outcome(label, "no kinks", "equivalent", _SMOOTH)
    return Outcome(label, "no kinks", "refuted")


def _nowhere(row: Primitive) -> Callable[..., Any]:
    def nowhere(*values: Any, **params: Any) -> Any:
        assert row.kinks is not None
        return np.zeros_like(row.kinks(*values, **params), dtype=bool)

    return nowhere


def _iterate_kink_cases(row: Primitive, faulty: Primitive) -> Iterator[tuple[Case, Case]]:
    """Cases at kinks of `row`, of the row as it is and of the faulty one."""
    assert row.kinks is not None
    for inputs, params in examples(row):
        moving = moving_inputs(row, tuple(np.asarray(x) for x in inputs))
        for value in _WHERE:
            given = [np.full_like(x, value)[()] if k in moving else x for k, x in enumerate(inputs)]
            try:
                at_kink = bool(np.any(row.kinks(*map(np.asarray, given), **params)))
                stem = f"primitives/{row.name} at {value}"
                pairs = [cases_at(each, tuple(given), params, stem) for each in (row, faulty)]
                yield from zip(*pairs, strict=True) if at_kink else ()
            except (ValueError, ArithmeticError, np.linalg.LinAlgError):
                continue


def _proofs(row: Primitive, keep: Callable[[str], bool]) -> Iterator[Outcome]:
    """Whether a rule that is wrong inherits the proof of the right one."""
    proof = find_proof(row)
    if proof is None or not proof.proved:
        return
    kept = fingerprint(row)
    for argnum, rule in enumerate(row.rules):
        if rule is None or rule.missing:
            continue
        for fault in faults_of_rule(row, argnum, (), 0.0):
            words = f"{fault.operator}: {fault.words}"
            label = f"reading of {row.name}: inherited proof by {row.inputs[argnum]}: {words}"
            if keep(label):
                with plant_rule(row, argnum, fault.function):
                    other = find_proof(row)
                    inherits = other is not None and other.proved
                    inherits = inherits or fingerprint(row) == kept
                fate = "survived" if inherits else "refuted"
                said = "the proof is said of the wrong rule" if inherits else ""
                yield Outcome(label, "inherited proof", fate, said)
