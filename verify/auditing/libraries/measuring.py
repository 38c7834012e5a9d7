"""Measuring one derivative of one function in one format: an entry of an audit."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Final

import mpmath
import numpy as np

from verify.auditing.libraries.claimants import Claimant, claimant
from verify.auditing.libraries.entries import Entry, Stretch, Witness, name_of, rank_of_witness
from verify.auditing.libraries.exact import Truths, truths
from verify.auditing.libraries.formats import FORMATS, Format
from verify.auditing.libraries.functions import Function
from verify.auditing.libraries.judging import KINDS, Judged, judged
from verify.auditing.libraries.points import drawn
from verify.auditing.libraries.recheck import closed_form, rechecked
from verify.auditing.libraries.reproducing import reproduced, shortest
from verify.diagnosis.severity import severity
from verify.model.accuracy import Accuracy
from verify.model.outcome import Float
from verify.model.result import Entry as Compared
from verify.model.result import PointOutcome, Survey
from verify.model.verdict import Verdict

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


class Measurement:
    """Everything about one derivative, before it is put in words."""

    def __init__(
        self, library: Claimant, function: Function, wrt: tuple[int, ...], form: Format
    ) -> None:
        self.library, self.function, self.wrt, self.form = library, function, wrt, form
        self.expression = function.spelled(library.name)
        self.points: list[Any] = []
        self.value: Any = None
        self.claimed: Any = None
        self.truth: Truths
        self.judged: Judged

    def run(self, count: int, seed: int) -> None:
        """Ask the claimant, find what is exact, and judge."""
        self.points = drawn(self.function, self.form, count, seed)
        zeroed = [np.where(np.abs(x) < self.form.least_normal, 0 * x, x) for x in self.points]
        # At once, since some claimants compile anew for each question.
        both = [np.concatenate(pair) for pair in zip(self.points, zeroed, strict=True)]
        value, claimed = self._asked(both)
        size = len(self.points[0])
        self.value, self.claimed, at_zero = value[:size], claimed[:size], claimed[size:]
        self.truth = truths(self.function, self.points, self.wrt)
        self.judged = judged(
            self.function, self.points, self.wrt, self.truth, self.claimed, self.form, at_zero
        )

    def _asked(self, points: Sequence[Any]) -> tuple[Any, Any]:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self.library.answer(self.expression, points, self.wrt, self.form.name)


def measure(
    library: Claimant,
    function: Function,
    wrt: tuple[int, ...],
    format_name: str,
    count: int,
    seed: int,
) -> Entry:
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
    """
    found = Measurement(library, function, wrt, FORMATS[format_name])
    head: dict[str, Any] = {
        "function": function.name,
        "expression": found.expression,
        "derivative": name_of(wrt, function.is_binary),
        "format": format_name,
    }
    try:
        found.run(count, seed)
    except Exception as error:  # noqa: BLE001  # whatever a library raises for what it cannot do
        words = " ".join(str(error).split())
        note = f"not available: {type(error).__name__}: {words[:160]}"
        return Entry(**head, verdict=Verdict.UNDECIDED, note=note)
    return _entry(found, head)


def _entry(found: Measurement, head: dict[str, Any]) -> Entry:
    outcome = found.judged
    inside, bad = outcome.inside, outcome.bad
    ulps = outcome.ulps[inside & (outcome.kinds != "_")]
    facts: dict[str, Any] = {
        "points": len(inside),
        "judged": int(inside.sum()),
        "flushed": int((outcome.kinds == "_").sum()),
        "max_ulps": float(ulps.max(initial=0.0)),
        "median_ulps": float(np.median(ulps)) if len(ulps) else 0.0,
        "closed_form": closed_form(found.function, found.wrt),
    }
    if not inside.any():
        note = "no exact value is known at any point"
        return Entry(**head, **facts, verdict=Verdict.UNDECIDED, note=note)
    if not bad.any():
        return Entry(**head, **facts, verdict=Verdict.CORRECT)
    return _of_faults(found, head, facts)


def _of_faults(found: Measurement, head: dict[str, Any], facts: dict[str, Any]) -> Entry:
    outcome = found.judged
    accuracy = _accuracy(found)
    chosen = _chosen(found)
    worst = _worst_of_segments(found, accuracy)
    asked = dict.fromkeys([*chosen, *(at for at in worst.values() if outcome.bad[at])])
    opinions = {at: _second_opinion(found, at) for at in asked}
    conflicts = [words for words in opinions.values() if words.startswith("oracle conflict")]
    listed = [at for at in chosen if opinions[at] == _AGREES]
    facts["kinds"] = {
        KINDS[sign]: int((outcome.kinds == sign).sum())
        for sign in KINDS
        if (outcome.kinds == sign).any()
    }
    if conflicts or not listed:
        note = conflicts[0] if conflicts else next(iter(opinions.values()))
        return Entry(**head, **facts, verdict=Verdict.UNDECIDED, note=note)
    gross = any(sign in _GROSS for sign in np.unique(outcome.kinds[outcome.bad]))
    witnesses = sorted((_witness(found, at) for at in listed), key=rank_of_witness)
    first, reproducer, printed = reproduced(
        found.library, found.expression, found.wrt, found.form, witnesses
    )
    witnesses = [first, *(it for it in witnesses if it is not first)]
    return Entry(
        **head,
        **facts,
        verdict=Verdict.WRONG if gross else Verdict.INACCURATE,
        severity=max(_severity(found, at) for at in listed),
        witnesses=tuple(witnesses[:_LISTED]),
        reproducer=reproducer,
        printed=printed,
        stretches=tuple(
            _stretch(found, name, at, opinions.get(at, _AGREES)) for (name, _), at in worst.items()
        ),
        accuracy=accuracy,
    )


def _accuracy(found: Measurement) -> Accuracy:
    outcome = found.judged
    kept = outcome.inside & (outcome.kinds != "_")
    with np.errstate(all="ignore"):
        survey = Survey(
            names=found.function.arguments,
            coordinates=np.stack([x[kept] for x in found.points], axis=1),
            ulps=outcome.ulps[kept],
            claimed=found.claimed[kept],
            exact=found.truth.derivative.value[kept],
            dtype=found.form.name,
        )
    made = Accuracy.of(survey)
    assert made is not None
    return made


def _worst_of_segments(found: Measurement, accuracy: Accuracy) -> dict[tuple[str, int], int]:
    """The index of the worst input of each segment of each coordinate."""
    outcome = found.judged
    kept = outcome.inside & (outcome.kinds != "_")
    places: dict[tuple[str, int], int] = {}
    for x, coordinate in zip(found.points, accuracy.coordinates, strict=True):
        for number, segment in enumerate(coordinate.segments):
            here = np.flatnonzero(kept & (x == float.fromhex(segment.worst.hex)))
            ulps = np.nan_to_num(outcome.ulps[here], nan=np.inf, posinf=np.inf)
            places[coordinate.name, number] = int(here[np.argmax(ulps)])
    return places


def _chosen(found: Measurement) -> list[int]:
    """Points worth showing: of each kind the gravest, the simplest and the worst."""
    outcome = found.judged
    picked: list[int] = []
    weights: dict[int, float] = {}
    for sign in KINDS:
        members = np.flatnonzero(outcome.kinds == sign)
        if not len(members):
            continue
        simple = sorted(members, key=lambda at: _length(found, at))[:_CANDIDATES]
        with np.errstate(all="ignore"):
            reach = np.abs(found.claimed - found.truth.derivative.value)[members]
            reach = np.nan_to_num(reach, nan=np.inf) * np.maximum(
                1, np.abs(found.points[0][members])
            )
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
    return severity(PointOutcome.at(x, verdict, worst=entry), found.truth.value.value[at])


_AGREES: Final = "agrees"
_NOTHING: Final = mpmath.ldexp(1, -1200)
"""Below every float."""


def _second_opinion(found: Measurement, at: int) -> str:
    """What mpmath says of the exact value."""
    point = [float(x[at]) for x in found.points]
    second = rechecked(found.function, point, found.wrt)
    where = ", ".join(repr(x) for x in point)
    if second is None:
        return f"not confirmed: mpmath has no value at {where}"
    exact = found.truth.derivative
    with mpmath.workdps(60):
        first = exact.real(at)
        gap = mpmath.inf
        if math.isfinite(found.claimed[at]):
            gap = abs(mpmath.mpf(float(found.claimed[at])) - first)
        near = max(
            abs(first) * mpmath.mpf(2) ** -60, min(abs(first) * mpmath.mpf(2) ** -45, gap / 16)
        )
        if abs(first - second) <= near or max(abs(first), abs(second)) < _NOTHING:
            return _AGREES
        return (
            f"oracle conflict at {where}: balls say {mpmath.nstr(first, 17)}, "
            f"mpmath {mpmath.nstr(second, 17)}; this is a fault of symtape, not a finding"
        )


def _witness(found: Measurement, at: int) -> Witness:
    exact, outcome = found.truth.derivative, found.judged
    value, claimed = float(exact.value[at]), float(found.claimed[at])
    with np.errstate(all="ignore"):
        off = found.truth.value.ulps(found.value, found.form)[at]
    gap = abs(claimed - value)
    return Witness(
        x=tuple(_float(found, x[at]) for x in found.points),
        claimed=_float(found, claimed),
        exact=_digits(found, at),
        kind=KINDS[outcome.kinds[at]],
        ulps=float(outcome.ulps[at]),
        allowed=float(outcome.allowed[at]),
        absolute=gap,
        relative=gap / abs(value) if value else math.inf,
        value_ulps=float(off),
        feasible_ulps=_feasible(found, at),
    )


def _float(found: Measurement, x: float) -> Float:
    return Float(shortest(found.form, x), float(x).hex())


def _digits(found: Measurement, at: int) -> str:
    exact = found.truth.derivative
    with mpmath.workdps(40):
        return str(mpmath.nstr(exact.real(at), 17))


def _feasible(found: Measurement, at: int) -> float:
    """How far off symtape's own rule is there, in the same format."""
    if found.library.name == "symtape":
        return math.nan
    single = "float64" if found.form.name == "float64" else "float32"
    points = [np.asarray(x[at : at + 1]) for x in found.points]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = claimant("symtape")
            _, answer = ours.answer(found.function.spelled("symtape"), points, found.wrt, single)
            answer = found.form.rounded(answer).astype(np.float64)
    except Exception:  # noqa: BLE001  # a rule that symtape lacks is no news here
        return math.nan
    exact = found.truth.derivative
    one = type(exact)(*(part[at : at + 1] for part in (exact.high, exact.low, exact.exponent)))
    return float(one.ulps(answer, found.form)[0])


def _stretch(found: Measurement, name: str, at: int, opinion: str) -> Stretch:
    exact = _digits(found, at)
    if opinion != _AGREES:
        exact += " (by balls alone)"
    return Stretch(name, shortest(found.form, found.claimed[at]), exact)
