"""Numbers and outcomes in words that every rendering shares."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from verify.judging.diagnosis.stated import entry_name
from verify.model.outcome import Enclosure, Input
from verify.model.result import Coverage, PointOutcome, Remedy, Result
from verify.model.verdict import Verdict
from verify.reporting.model import Report, RowRung

GLYPHS: Final = {
    Verdict.CORRECT: "✓",
    Verdict.KINK: "∧",
    Verdict.OUTSIDE: "∅",
    Verdict.UNDECIDED: "?",
    Verdict.INACCURATE: "≈",
    Verdict.WRONG: "✗",
}
"""One sign for each verdict, so that none is told by colour alone."""

MEANINGS: Final = {
    Verdict.CORRECT: "inside what an exact derivative and honest rounding allow",
    Verdict.KINK: "no classical derivative at the point",
    Verdict.OUTSIDE: "the function is undefined, or not finite, there",
    Verdict.UNDECIDED: "a budget was spent, or the check could not decide",
    Verdict.INACCURATE: "the formula is right, but its float value is off by more than rounding "
    "explains",
    Verdict.WRONG: "the claim is not the derivative: the exact value is another one",
}
"""What each verdict says."""

IN_WORDS: Final = {
    "jacobian": "Jacobian",
    "hessian": "Hessian",
    "vjp": "VJP",
    "jvp": "JVP",
    "hvp": "HVP",
}
"""Quantities whose names in sentences are not those in code."""

NOT_PASSING: Final = (Verdict.UNDECIDED, Verdict.INACCURATE, Verdict.WRONG)
"""Verdicts with which the command does not end as a success."""

_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def count_noun(number: int, noun: str) -> str:
    """`number` and `noun`, in the plural where it needs one.

    Examples
    --------
    >>> count_noun(1, "case"), count_noun(2, "case")
    ('1 case', '2 cases')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def quantity(number: float) -> str:
    """A magnitude, to three digits.

    Examples
    --------
    >>> [quantity(x) for x in (0.0, 0.4567, 12.0, 1978.4, 3.2e15, float("inf"))]
    ['0', '0.457', '12', '1,978', '3.2 × 10¹⁵', '∞']
    """
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    size = abs(number)
    if size == 0:
        return "0"
    if 1e-3 <= size < 999.5:
        return f"{number:.3g}"
    if size < 99999.5 and size > 1:
        return f"{number:,.0f}"
    mantissa, exponent = f"{number:.2e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def not_judged(report: Report) -> str:
    """How many things an audit met that it did not judge.

    Examples
    --------
    >>> not_judged(Report("", (), "", {}, 0, ()))
    ''
    """
    count = len(report.not_judged)
    return f"Not judged: {count:,}, each with its reason" if count else ""


def suspects(report: Report) -> str:
    """How many claims were paired by their names alone, and are wrong; empty for none."""
    count = sum(bool(case.suspect) for case in report.cases)
    return (
        f"Suspects: {count:,}, paired by name or behaviour; right nowhere, but like the derivative"
        if count
        else ""
    )


def count_notes(report: Report) -> str:
    """How many cases do not fail, and have notes; empty for none.

    Examples
    --------
    >>> note = PointOutcome(Verdict.WRONG, note="the point contains 1e-320")
    >>> points = (PointOutcome(Verdict.CORRECT), note)
    >>> case = Result("a", "", "", "", "", Verdict.CORRECT, points=points, strict=False)
    >>> count_notes(Report("r", (), "", {}, 0, (case,)))
    '1 with notes'
    """
    count = sum(bool(case.notes) and not case.fails for case in report.cases)
    return f"{count:,} with notes" if count else ""


def power_of_ten(number: float) -> str:
    """A tick on a logarithmic axis.

    Examples
    --------
    >>> power_of_ten(1000.0), power_of_ten(-0.01), power_of_ten(0.0), power_of_ten(1.0)
    ('10³', '-10⁻²', '0', '1')
    """
    if number == 0 or abs(number) == 1:
        return f"{number:.0f}"
    exponent = str(round(math.log10(abs(number)))).translate(_SUPERSCRIPTS)
    return f"{'-' if number < 0 else ''}10{exponent}"


def ulps(number: float | None) -> str:
    """An error in ulps, to three digits; a dash where there is none."""
    return "–" if number is None else quantity(number)


def time(seconds: float) -> str:
    """A duration.

    Examples
    --------
    >>> time(0.00042), time(0.25), time(3.14159), time(75.0)
    ('0.4 ms', '250 ms', '3.1 s', '1 min 15 s')
    """
    if not math.isfinite(seconds):
        return "–"
    if seconds < 0.0095:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def headline(report: Report) -> str:
    """The outcome in one sentence.

    Examples
    --------
    >>> headline(Report("r", (), "", {}, 0, ()))
    'No cases were run.'
    """
    total = len(report.cases)
    if not total:
        return "No cases were run."
    correct = report.counts[Verdict.CORRECT]
    if correct == total:
        return "The one case is correct." if total == 1 else f"All {total:,} cases are correct."
    bad = [
        f"{count:,} {verdict.value.lower()}"
        for verdict in (Verdict.WRONG, Verdict.INACCURATE)
        if (count := report.counts[verdict])
    ]
    if bad and total == 1:
        return f"The one case is {report.verdict.value.lower()}."
    if bad:
        return f"{' and '.join(bad)} among {count_noun(total, 'case')}."
    undecided = report.counts[Verdict.UNDECIDED]
    if undecided:
        return f"Nothing wrong was found; {undecided:,} of {count_noun(total, 'case')} undecided."
    special = total - correct
    return f"{correct:,} of {count_noun(total, 'case')} correct, {special:,} without a derivative."


def extent(report: Report) -> str:
    """How much the verdicts rest on: points and paths, of all cases together.

    Examples
    --------
    >>> found = Coverage("x in [0, 1]", 0, 3412, 16, paths=(2, 3))
    >>> case = Result("a", "", "", "", "", Verdict.CORRECT, coverage=found)
    >>> extent(Report("r", (), "", {}, 0, (case,)))
    '3,412 points tried, 16 judged; paths: 2 of 3.'
    """
    searched = [case.coverage for case in report.cases if case.coverage]
    given = sum(len(case.points) for case in report.cases if not case.coverage)
    tried = given + sum(found.tried for found in searched)
    judged = given + sum(found.judged for found in searched)
    taken, known = (sum(found.paths[k] for found in searched) for k in (0, 1))
    said = f"{count_noun(tried, 'point')} tried, {judged:,} judged" if tried else ""
    return f"{said}{f'; paths: {taken:,} of {known:,}' if known else ''}." if said else ""


def environment(report: Report) -> list[tuple[str, str]]:
    """Under what the report was made, as names and values."""
    seconds = time(report.elapsed)
    facts = [*report.versions.items(), ("seed", str(report.seed)), ("judging took", seconds)]
    return [*facts, ("created", report.created)]


def entry(case: Result, point: PointOutcome) -> str:
    """Which entry of the derivative a point is about.

    Examples
    --------
    >>> case = Result("a", "", "", "hessian", "", Verdict.WRONG)
    >>> entry(case, PointOutcome(Verdict.WRONG, entry=(0, 2), wrt="w"))
    'hessian[0, 2] with respect to w'
    """
    return entry_name(case.quantity, point.entry, point.wrt)


def claim(case: Result) -> str:
    """What is claimed, by what, and where that is written.

    Examples
    --------
    >>> from verify.model.source import Source
    >>> mine = Source("waves.py", 3, "")
    >>> claim(Result("waves.py:wave", "", "", "gradient", "g", Verdict.WRONG, claim=mine))
    'gradient of waves.py:wave, claimed by g (waves.py:3)'
    """
    return f"{case.quantity} of {case.id}, claimed by {claimant(case)}"


def claimant(case: Result) -> str:
    """What claims the derivative, and where that is written."""
    place = case.claim.place if case.claim else ""
    return f"{case.claimant} ({place})" if place and place not in case.claimant else case.claimant


def describe_blame(point: PointOutcome) -> str:
    """The line that a failure was traced to, and the operation in it.

    Examples
    --------
    >>> describe_blame(PointOutcome(Verdict.WRONG, op="cos", origin="waves.py:3"))
    'waves.py:3, in cos'
    """
    return ", in ".join(filter(None, [point.origin, point.op]))


def error(point: PointOutcome) -> str:
    """The error in ulps, beside what is allowed.

    Examples
    --------
    >>> error(PointOutcome(Verdict.WRONG, ulps=2e9, allowed_ulps=4.0))
    '2 × 10⁹ ulps; 4 allowed'
    >>> from verify.model.outcome import Float
    >>> zero = Enclosure("0", "0")
    >>> claimed = Float.from_number(-1.5)
    >>> error(PointOutcome(Verdict.WRONG, claimed=claimed, enclosure=zero, ulps=math.inf))
    '1.5, where the exact value is 0'
    >>> error(PointOutcome(Verdict.WRONG, ulps=9.0, allowed_ulps=0.5, exactly="3.000000000000004"))
    '9 ulps in exact arithmetic; 0.5 allowed'
    >>> error(PointOutcome(Verdict.CORRECT, ulps=0.5, allowed_ulps=4.0, beside=2.0))
    '0.5 ulps beside 2; 4 allowed'
    """
    if point.ulps is None:
        return ""
    beside = f" beside {quantity(point.beside)}" if point.beside else ""
    if point.ulps and _is_zero(point.enclosure) and point.claimed:
        error = abs(float(point.exactly or point.claimed.decimal))
        return f"{quantity(error)}, where the exact value is 0{beside}"
    noun = "ulp" if point.ulps == 1 else "ulps"
    where = " in exact arithmetic" if point.exactly else beside
    if point.allowed_ulps is None:
        return f"{quantity(point.ulps)} {noun}{where}"
    return f"{quantity(point.ulps)} {noun}{where}; {quantity(point.allowed_ulps)} allowed"


def _is_zero(enclosure: Enclosure | None) -> bool:
    return enclosure is not None and enclosure.lower == enclosure.upper == "0"


def coverage(found: Coverage) -> str:
    """How a region was searched, in a line.

    Examples
    --------
    >>> coverage(Coverage("x in [0, 1]", 0, 3412, 214, 3, 0, (5, 5), 2)).split(": ", 1)[1]
    '3,412 points tried, 214 judged, 3 outside; paths: 5 of 5; \
2 earlier counterexamples tried as well'
    """
    counts = f"{count_noun(found.tried, 'point')} tried, {found.judged:,} judged"
    counts += f", {found.outside:,} outside" if found.outside else ""
    counts += f", {found.undecided:,} undecided" if found.undecided else ""
    counts += f", {found.noted:,} noted" if found.noted else ""
    said = [f"searched {found.region} (seed {found.seed}): {counts}"]
    said += [f"paths: {found.paths[0]:,} of {found.paths[1]:,}"] if found.paths[1] else []
    if found.replayed:
        said.append(f"{count_noun(found.replayed, 'earlier counterexample')} tried as well")
    if found.stopped:
        said.append(f"stopped early: {found.stopped}")
    return "; ".join(said)


def rungs(found: Sequence[RowRung]) -> str:
    """How many operations there are of each rung.

    Examples
    --------
    >>> rungs([RowRung("sin", "proved", "all reals"), RowRung("erf", "certified", "")])
    '2 operations: 1 proved, 1 certified'
    """
    counts = Counter(row.rung.partition(",")[0] for row in found)
    words = ", ".join(f"{count:,} {rung}" for rung, count in counts.most_common())
    return f"{count_noun(len(found), 'operation')}: {words}" if found else ""


def shared_start(one: str, other: str) -> str:
    """Return the characters with which both begin.

    Examples
    --------
    >>> shared_start("1.25", "1.3")
    '1.'
    """
    pairs = enumerate(zip(one, other, strict=False))
    end = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    return one[:end]


def shorten_number(number: str, digits: int = 40) -> str:
    """A decimal of at most about `digits` digits, its exponent kept.

    Examples
    --------
    >>> shorten_number("0.123456789e-30", digits=6)
    '0.1234…e-30'
    """
    mantissa, mark, exponent = number.partition("e")
    if len(mantissa) <= digits:
        return number
    return f"{mantissa[:digits]}…{mark}{exponent}"


def interval(enclosure: Enclosure) -> str:
    """The digits that both bounds share if there are many, otherwise both bounds.

    Examples
    --------
    >>> interval(Enclosure("1.9", "2.1"))
    '[1.9, 2.1]'
    >>> interval(Enclosure("0.41997434161402606939495567", "0.41997434161402606939495568"))
    '0.4199743416140260693949556…'
    """
    lower, upper = enclosure.lower, enclosure.upper
    if lower == upper:
        return shorten_number(lower)
    (low, _, exponent), (high, _, other) = lower.partition("e"), upper.partition("e")
    shared = shared_start(low, high)
    if exponent == other and len(shared) >= 24:
        return f"{shared[:40]}…{'e' if exponent else ''}{exponent}"
    return f"[{shorten_number(lower, 24)}, {shorten_number(upper, 24)}]"


def input_line(given: Input, limit: int = 8) -> str:
    """An argument on one line, in decimals.

    Examples
    --------
    >>> input_line(Input.from_array("x", [[0.5, 1.0]]))
    'x = [0.5, 1.0]  shape (1, 2)'
    >>> input_line(Input.from_array("scale", np.float32(0.1)))
    'scale = 0.1'
    """
    digits = [_digits(value, given.dtype) for value in given.values[:limit]]
    if not given.shape:
        return f"{given.name} = {digits[0]}" if digits else given.name
    shown = ", ".join(digits)
    more = ", …" if given.truncated or len(given.values) > limit else ""
    shape = f"  shape {given.shape}" if len(given.shape) > 1 or more else ""
    return f"{given.name} = [{shown}{more}]{shape}"


def exactly(given: Input, limit: int) -> str:
    """The numbers of an argument in hexadecimal."""
    more = ", …" if given.truncated or len(given.hex) > limit else ""
    shown = ", ".join(given.hex[:limit]) + more
    return shown if not given.shape else f"[{shown}]"


def _digits(value: float, dtype: str) -> str:
    """The shortest decimal that reads back in `dtype`."""
    narrow = {"float16": np.float16, "float32": np.float32}.get(dtype)
    return repr(value) if narrow is None else str(narrow(value))


def remedy(it: Remedy) -> str:
    """What a remedy is good for.

    Examples
    --------
    >>> remedy(Remedy("fix", "claimed=symtape.grad(f)"))
    'To fix'
    """
    if it.kind == "replace":
        return "To use in place of the claim; it is correct at the worst point"
    if it.kind == "upstream":
        return "Known upstream"
    return f"To {it.kind}"
