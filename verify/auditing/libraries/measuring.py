"""Measuring one derivative of one function in one format: a case of a report."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.graph.freeze import record
from verify.auditing.libraries.claimants import Claimant, claimant
from verify.auditing.libraries.closed_forms import closed_form
from verify.auditing.libraries.exact import ENOUGH_BITS, Truths, truths
from verify.auditing.libraries.formats import FORMATS, Format
from verify.auditing.libraries.functions import Function
from verify.auditing.libraries.judging import KINDS, JudgedPoints, judge_values
from verify.auditing.libraries.points import draw_points
from verify.auditing.libraries.reproducing import agrees, reproduce, shortest
from verify.auditing.libraries.spelling import compile_formula
from verify.auditing.packages.convention import NotPosed
from verify.judging.diagnosis.stated import severity
from verify.limits.limit import limit_time
from verify.model.accuracy import Accuracy
from verify.model.outcome import Enclosure, Float, Input
from verify.model.quantity import Quantity
from verify.model.result import ClosedForm, Coverage, PointOutcome, Remedy, Result, Survey
from verify.model.result import Entry as Compared
from verify.model.verdict import Evidence, Rung, Verdict
from verify.oracles.recheck.opinion import Opinion, OpinionStatus, opinion_on_entry
from verify.reporting.wording import count_noun, quantity

_GROSS: Final = frozenset("-!0fn")
_CANDIDATES: Final = 12
_HUGE: Final = 1e306
_LISTED: Final = 6
_RIM: Final = 1e-3
_BELOW: Final = 1e-9
_WIDE: Final = -126
"""From this exponent of the least normal number on, squares that underflow are out of the way."""
_AS_GRAVE: Final = 0.7
"""A simpler input is shown instead of the gravest if it is this grave."""
_MODERATE: Final = (1e-3, 1e3)
_LARGE: Final = 1e-3
_GRAVE: Final = ("not finite", "wrong sign")
_FEW_ULPS: Final = 16
"""A value of the function that is off by no more is right."""
_SECONDS: Final = 10.0
"""For a second opinion on one point."""
_FEASIBLE: Final = 64
"""A rule that is off by no more is worth telling of."""


class Measurement:
    """Everything about one derivative, before it is put in words."""

    def __init__(
        self, library: Claimant, function: Function, wrt: tuple[int, ...], form: Format
    ) -> None:
        self.library, self.function, self.wrt, self.form = library, function, wrt, form
        self.expression = function.spell_for(library.name)
        self.points: list[Any] = []
        self.value: Any = None
        self.claimed: Any = None
        self.truth: Truths
        self.judged: JudgedPoints

    def run(self, count: int, seed: int) -> None:
        """Ask the claimant, find what is exact, and judge."""
        self.points = draw_points(self.function, self.form, count, seed)
        zeroed = [np.where(np.abs(x) < self.form.least_normal, 0 * x, x) for x in self.points]
        # At once, since some claimants compile anew for each question.
        both = [np.concatenate(pair) for pair in zip(self.points, zeroed, strict=True)]
        value, claimed = self._ask_library(both)
        size = len(self.points[0])
        self.value, self.claimed, at_zero = value[:size], claimed[:size], claimed[size:]
        self.truth = truths(self.function, self.points, self.wrt)
        self.judged = judge_values(
            self.function, self.points, self.wrt, self.truth, self.claimed, self.form, at_zero
        )

    def _ask_library(self, points: Sequence[Any]) -> tuple[Any, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.library.answer(self.expression, points, self.wrt, self.form.name)


@np.errstate(all="ignore")
def measure(
    library: Claimant,
    function: Function,
    wrt: tuple[int, ...],
    format_name: str,
    count: int,
    seed: int,
) -> Result:
    """Measure one derivative of one function in one format.

    Parameters
    ----------
    library : Claimant
    function : Function
    wrt : tuple of int
        By which arguments, in turn.
    format_name : str
    count, seed : int
        Of the points.

    Raises
    ------
    NotPosed
        The library has no such derivative, or no exact value is known.
    """
    found = Measurement(library, function, wrt, FORMATS[format_name])
    try:
        found.run(count, seed)
    except Exception as error:  # of the library, which may lack the derivative
        words = " ".join(str(error).split())
        raise NotPosed(f"not available: {type(error).__name__}: {words[:160]}") from error
    if not found.judged.inside.any():
        raise NotPosed("no exact value is known at any point")
    result = _right_result(found, seed)
    return _add_faults(found, result) if found.judged.bad.any() else result


def _right_result(found: Measurement, seed: int) -> Result:
    """The case of a derivative with which nothing is wrong, and the point of its largest error."""
    library, function, outcome = found.library.name, found.function, found.judged
    count = int(outcome.inside.sum())
    ulps = np.where(outcome.inside & (outcome.kinds != "_"), outcome.ulps, -1.0)
    formula = closed_form(function, found.wrt)
    return Result(
        id=case_id(library, function, found.wrt, found.form.name),
        title=found.expression,
        suite=library,
        quantity=quantity_of(found.wrt),
        claimant=library,
        verdict=Verdict.CORRECT,
        basis=str(Evidence(Rung.CERTIFIED, count, ENOUGH_BITS)),
        points=(_outcome(found, int(np.argmax(ulps)), Verdict.CORRECT),),
        closed_forms=(ClosedForm(quantity_of(found.wrt), formula),) if formula else (),
        coverage=Coverage(function.region, seed, len(outcome.inside), count),
    )


def case_id(library: str, function: Function, wrt: tuple[int, ...], form: str) -> str:
    """What the case of a measured derivative is called.

    Examples
    --------
    >>> from verify.auditing.libraries.functions import FUNCTIONS
    >>> case_id("jax", FUNCTIONS["tanh"], (0, 0), "float32")
    'jax:tanh d²/dx² float32'
    """
    return f"{library}:{function.name} {function.derivative_name(wrt)} {form}"


def quantity_of(wrt: tuple[int, ...]) -> str:
    """What a derivative by these arguments is an entry of."""
    return "gradient" if len(wrt) == 1 else "hessian"


def _add_faults(found: Measurement, result: Result) -> Result:
    outcome = found.judged
    chosen = _choose_shown_points(found)
    opinions = {at: _second_opinion(found, at) for at in chosen}
    for at, opinion in opinions.items():
        if opinion.status is OpinionStatus.CONTRADICTED:
            where = ", ".join(repr(float(x[at])) for x in found.points)
            message = f"oracle conflict at {where}: the recheck finds {opinion.words}"
            message = f"{message}; this is a fault of symtape, not a finding"
            bare = replace(result, points=(), closed_forms=(), basis="", message=message)
            return replace(bare, verdict=Verdict.UNDECIDED)
    listed = sorted(chosen, key=lambda at: _rank(found, at))
    gross = any(sign in _GROSS for sign in np.unique(outcome.kinds[outcome.bad]))
    verdict = Verdict.WRONG if gross else Verdict.INACCURATE
    points = {at: replace(_outcome(found, at, verdict), recheck=str(opinions[at])) for at in listed}
    leading = [points[at] for at in listed if _rank(found, at) == _rank(found, listed[0])]
    first, program, printed = reproduce(
        found.library, found.expression, found.wrt, found.form, leading
    )
    others = [point for point in points.values() if point is not first]
    return replace(
        result,
        verdict=verdict,
        basis=str(Evidence(Rung.CERTIFIED, int(outcome.bad.sum()), ENOUGH_BITS)),
        message=_count_kinds(found),
        points=(first, *others[: _LISTED - 1]),
        accuracy=_accuracy(found),
        remedies=(Remedy("reproduce", f"{program}\n{_comment(found, first, printed)}"),),
    )


def _count_kinds(found: Measurement) -> str:
    """What is wrong at how many points, and what is not counted."""
    kinds = found.judged.kinds
    told = [f"{KINDS[sign]} ×{(kinds == sign).sum():,}" for sign in KINDS if (kinds == sign).any()]
    flushed = int((kinds == "_").sum())
    more = f"; not counted: {count_noun(flushed, 'value')} flushed to zero below the normal numbers"
    return ", ".join(told) + (more if flushed else "")


def _comment(found: Measurement, point: PointOutcome, printed: str) -> str:
    """What the program prints, and where many numbers at once have another one."""
    assert point.claimed is not None
    [said, *_] = printed.splitlines() or [""]
    if agrees(printed, point.claimed, found.form):
        return f"# prints {said}"
    measured = point.claimed.decimal
    return f"# prints {said}; among many numbers at once, as it was measured, it is {measured}"


def _rank(found: Measurement, at: int) -> tuple[bool, bool]:
    """Whether an input is extreme, and whether it is but lost digits; the least comes first."""
    sizes = [abs(float(x[at])) for x in found.points]
    low, high = _MODERATE
    moderate = all(size == 0 or low <= size <= high for size in sizes)
    gap = abs(float(found.claimed[at]) - float(found.truth.derivative.value[at]))
    slight = gap * max([1.0, *sizes]) < _LARGE
    return not moderate, slight and KINDS[found.judged.kinds[at]] not in _GRAVE


def _accuracy(found: Measurement) -> Accuracy:
    outcome = found.judged
    kept = outcome.inside & (outcome.kinds != "_")
    survey = Survey(
        names=found.function.arguments,
        coordinates=np.stack([x[kept] for x in found.points], axis=1),
        ulps=outcome.ulps[kept],
        claimed=found.claimed[kept],
        exact=found.truth.derivative.value[kept],
        dtype=found.form.name,
    )
    made = Accuracy.from_survey(survey)
    assert made is not None
    return made


def _choose_shown_points(found: Measurement) -> list[int]:
    """Points worth showing: of each kind the gravest, the simplest and the worst."""
    outcome = found.judged
    picked: list[int] = []
    weights: dict[int, float] = {}
    for sign in KINDS:
        members = np.flatnonzero(outcome.kinds == sign)
        if not len(members):
            continue
        simple = sorted(members, key=lambda at: _length(found, at))[:_CANDIDATES]
        reach = np.abs(found.claimed - found.truth.derivative.value)[members]
        reach = np.nan_to_num(reach, nan=np.inf) * np.maximum(1, np.abs(found.points[0][members]))
        far = members[np.argsort(-np.nan_to_num(reach), kind="stable")][:_CANDIDATES]
        worst = int(members[np.argmax(np.nan_to_num(outcome.ulps[members], posinf=1e308))])
        for at in (*simple, *far, worst):
            weights[int(at)] = _severity(found, int(at))
        candidates = [int(at) for at in (*simple, *far)]
        enough = _AS_GRAVE * max(weights[at] for at in candidates)
        gravest = min(
            (at for at in candidates if weights[at] >= enough), key=lambda at: _length(found, at)
        )
        middling = members[np.argmin(np.abs(np.log(np.abs(found.points[0][members]) + 1e-300)))]
        weights[int(middling)] = _severity(found, int(middling))
        picked += [gravest, int(simple[0]), worst, int(middling)]
    picked = list(dict.fromkeys(picked))
    return sorted(picked, key=lambda at: -round(weights[at], 2))


def _length(found: Measurement, at: Any) -> float:
    """How long an input is to write down, and how far out it lies."""
    sizes = [abs(math.log10(abs(x[at]) or 1.0)) for x in found.points]
    return sum(len(shortest(found.form, x[at])) for x in found.points) + sum(sizes) / 8


def _severity(found: Measurement, at: int) -> float:
    return _practical(found, at) * _consequence(found, at)


def _practical(found: Measurement, at: int) -> float:
    """How much an input counts: little where squares underflow or overflow, less below that."""
    form = found.form
    sizes = [abs(float(x[at])) for x in found.points if x[at]]
    if any(size < form.least_normal for size in sizes):
        return _BELOW
    small, large = math.sqrt(form.least_normal), math.sqrt(form.greatest)
    wide = form.least_exponent <= _WIDE
    return _RIM if wide and any(not small <= size <= large for size in sizes) else 1.0


def _consequence(found: Measurement, at: int) -> float:
    outcome = found.judged
    exact, claimed = found.truth.derivative, float(found.claimed[at])
    value = float(exact.value[at])
    if not math.isfinite(value):
        return 0.5
    if abs(value) > _HUGE:
        claimed, value = claimed / 16, value / 16
    gap = abs(claimed - value)
    relative = gap / abs(value) if value else math.inf
    verdict = Verdict.WRONG if outcome.kinds[at] in _GROSS else Verdict.INACCURATE
    shown = repr(value)
    ulps, allowed = float(outcome.ulps[at]), float(outcome.allowed[at])
    entry = Compared(0, (), claimed, shown, shown, ulps, allowed, relative)
    x = tuple(np.float64(part[at]) for part in found.points)
    return severity(
        PointOutcome.from_judgement(x, verdict, worst=entry), found.truth.value.value[at]
    )


def _second_opinion(found: Measurement, at: int) -> Opinion:
    """What difference quotients in mpmath say of the exact value, and of the claim beside it."""
    function, wrt = found.function, found.wrt
    second = Quantity("hessian", (wrt[:1], wrt[1:]))
    x = tuple(np.float64(column[at]) for column in found.points)
    claimed, bounds = float(found.claimed[at]), found.truth.derivative.bounds(at)
    try:
        with limit_time(_SECONDS, lambda _: BudgetSpent(f"{_SECONDS:g} s were not enough")):
            graph = record(compile_formula(function.formula, function.arguments), *x)
            quantity = Quantity("gradient", wrt) if len(wrt) == 1 else second
            return opinion_on_entry(graph, quantity, x, 0, (), claimed, bounds, fails=True)
    except Exception as error:  # noqa: BLE001  # the finding stands without
        return Opinion(OpinionStatus.SILENT, str(error))


def _outcome(found: Measurement, at: int, verdict: Verdict) -> PointOutcome:
    """What was found at one point, in the terms of reports."""
    exact, outcome, names = found.truth.derivative, found.judged, found.function.arguments
    value, claimed = float(exact.value[at]), float(found.claimed[at])
    gap = abs(claimed - value)
    return PointOutcome(
        verdict,
        inputs=tuple(
            Input(name, found.form.carrier, (), (float(x[at]),), (float(x[at]).hex(),))
            for name, x in zip(names, found.points, strict=True)
        ),
        wrt=", ".join(names[k] for k in found.wrt) if len(names) > 1 else "",
        claimed=Float(shortest(found.form, claimed), claimed.hex()),
        enclosure=Enclosure(*exact.bounds(at), ENOUGH_BITS),
        ulps=float(outcome.ulps[at]),
        allowed_ulps=float(outcome.allowed[at]),
        relative_error=gap / abs(value) if value else math.inf if gap else 0.0,
        message=_message(found, at) if verdict.fails else "",
        severity=_severity(found, at) if verdict.fails else 0.0,
    )


def _message(found: Measurement, at: int) -> str:
    """What is wrong, and whether the function is right there and a rule that is exists."""
    off = float(found.truth.value.ulps(found.value, found.form)[at])
    if off <= _FEW_ULPS:
        value = f"the function itself is right there, to {quantity(off)} ulps"
    elif math.isfinite(off):
        value = f"the function itself is off there, too, by {quantity(off)} ulps"
    else:
        value = "the function itself is not finite there, either"
    ours = _feasible(found, at)
    rule = f"a rule that reaches {quantity(ours)} ulps at the same input exists (symtape's)"
    told = [KINDS[found.judged.kinds[at]], value, *([rule] if ours <= _FEASIBLE else [])]
    return "; ".join(told)


def _feasible(found: Measurement, at: int) -> float:
    """How far off symtape's own rule is there, in the same format."""
    if found.library.name == "symtape":
        return math.nan
    single = "float64" if found.form.name == "float64" else "float32"
    points = [np.asarray(x[at : at + 1]) for x in found.points]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = claimant("symtape")
            _, answer = ours.answer(found.function.spell_for("symtape"), points, found.wrt, single)
            answer = found.form.round_numbers(answer).astype(np.float64)
    except Exception:  # noqa: BLE001  # a rule that symtape lacks is no news here
        return math.nan
    exact = found.truth.derivative
    one = type(exact)(*(part[at : at + 1] for part in (exact.high, exact.low, exact.exponent)))
    return float(one.ulps(answer, found.form)[0])
