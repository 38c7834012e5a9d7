"""What the page's template asks of a case, so that nothing is left to it but markup."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from verify.files import places
from verify.model.accuracy import MARKS, Accuracy, Coordinate, Profile
from verify.model.figures import Plot
from verify.model.outcome import Float
from verify.model.result import ClosedForm, PointOutcome, Result
from verify.model.source import Source
from verify.reporting import accuracy_plot, mathml, plots, wording
from verify.reporting.explain import messages_of
from verify.reporting.model import rank

LONGEST: Final = 8_000
"""Characters of a formula that are shown."""

_POINTS: Final = 40
_MATHML: Final = 24_000
_DECIMAL: Final = re.compile(r"-?\d+\.\d+")
_DECADES: Final = 20
"""The meter's reach: an error of 10 to this many ulps fills it."""


@dataclass(frozen=True, slots=True)
class Meter:
    """The error beside what is allowed, as shares of a logarithmic scale."""

    error: float
    allowed: float
    ticks: tuple[tuple[float, str], ...]
    exceeded: bool


def messages(case: Result) -> list[str]:
    """What is said of the case, and of its worst point."""
    return [text for _, text in messages_of(case)]


def rank_points(case: Result) -> list[PointOutcome]:
    """The gravest points, where there are several."""
    return sorted(case.points, key=rank)[:_POINTS] if len(case.points) > 1 else []


def split_digits(point: PointOutcome) -> tuple[str, str, str, str]:
    """The claimed value and the exact one, each as the digits that agree and those that do not."""
    exact = wording.interval(point.enclosure) if point.enclosure else ""
    claimed = _align_digits(point.claimed, exact) if point.claimed else ""
    if claimed.startswith("-") != exact.startswith("-") and not exact.startswith("["):
        claimed, exact = _pad_sign(claimed), _pad_sign(exact)
    shared = _agreement(claimed, exact)
    return claimed[:shared], claimed[shared:], exact[:shared], exact[shared:]


def _align_digits(claimed: Float, exact: str) -> str:
    """`claimed` in as many digits as `exact`, at its scale, where that makes them comparable."""
    mantissa, _, exponent = exact.removesuffix("…").partition("e")
    mantissa = mantissa.removesuffix("…")
    if not _DECIMAL.fullmatch(mantissa):
        return claimed.decimal
    try:
        with decimal.localcontext(prec=1200, rounding=decimal.ROUND_DOWN):
            value = decimal.Decimal(float.fromhex(claimed.hex)).scaleb(-int(exponent or 0))
            digits = f"{value:.{len(mantissa.partition('.')[2])}f}"
    except (ValueError, OverflowError, decimal.DecimalException):
        return claimed.decimal
    if len(digits) > len(mantissa) + 3:
        return claimed.decimal
    return f"{digits}{'…' if '…' in exact else ''}{'e' if exponent else ''}{exponent}"


def _pad_sign(number: str) -> str:
    """`number` with room for a sign, to stand digit under digit."""
    return number if number.startswith("-") or not number else f"\u2007{number}"


def _agreement(claimed: str, exact: str) -> int:
    """How many leading characters are the same number, when they can be compared at all."""
    (mine, _, exponent), (theirs, _, other) = claimed.partition("e"), exact.partition("e")
    if exponent != other or mine.find(".") != theirs.find("."):
        return 0
    return len(wording.shared_start(mine, theirs))


def meter(point: PointOutcome) -> Meter | None:
    """The error beside what is allowed; None where one of them is not known.

    Nor is there one of what is wrong in exact arithmetic alone, of which floats say nothing.
    """
    if point.ulps is None or point.allowed_ulps is None:
        return None
    if math.isnan(point.ulps) or math.isnan(point.allowed_ulps):
        return None
    if point.exactly:
        return None
    reach = max(_decades(point.ulps), _decades(point.allowed_ulps), 2.0)
    decades = math.ceil(min(_DECADES, reach * 1.05))
    step = max(1, math.ceil(decades / 5))
    ticks = tuple(
        (100 * _decades(10.0**power) / decades, wording.power_of_ten(10.0**power))
        for power in range(0, decades, step)
        if _decades(10.0**power) <= 0.97 * decades
    )
    return Meter(
        error=min(100.0, 100 * _decades(point.ulps) / decades),
        allowed=min(100.0, 100 * _decades(point.allowed_ulps) / decades),
        ticks=ticks,
        exceeded=point.ulps > point.allowed_ulps,
    )


def _decades(ulps: float) -> float:
    """Where an error stands on a scale that begins at 0 and has a decade for each unit."""
    return _DECADES if math.isinf(ulps) else math.log10(1.0 + 9.0 * abs(ulps))


def markup_of(form: ClosedForm) -> Any:
    """The formula as markup that is safe; None when there is none to show."""
    from markupsafe import Markup

    known = mathml.safe(form.mathml) if 0 < len(form.mathml) <= _MATHML else None
    return Markup(known) if known else None


def accuracy_of(found: Accuracy, coordinate: Coordinate, profile: Profile, prefix: str) -> Any:
    """The plot of the accuracy over a coordinate."""
    from markupsafe import Markup

    return Markup(accuracy_plot.svg(found, coordinate, profile, f"{prefix}-{profile.scale}"))


def marks(found: Accuracy) -> list[str]:
    """What is wrong with some of the values beyond their size."""
    return [words for sign, words in MARKS.items() if sign in found.marks]


def draw_plot(plot: Plot, prefix: str) -> Any:
    """The plot."""
    from markupsafe import Markup

    return Markup(plots.svg(plot, prefix))


def note(plot: Plot) -> str:
    """What is to be known of a map."""
    if plot.kind != "heat map":
        return ""
    rows, columns = len(plot.rows), len(plot.rows[0]) if plot.rows else 0
    blocks = (
        "; each cell shows the largest of its block" if max(rows, columns) > plots.CELLS else ""
    )
    return f"{rows} × {columns}, zero is blank{blocks}"


def legend(plot: Plot) -> Iterator[tuple[int, str, str]]:
    """Of each series the colour, the stroke and the name."""
    dashes = ("", "5 2", "1.5 1.5", "5 2 1.5 2")
    for at, series in enumerate(() if plot.kind == "heat map" else plot.series):
        yield at % 6 + 1, dashes[at % 4] if plot.kind == "lines" else "", series.name


def sources(case: Result) -> Iterator[tuple[str, Source, Sequence[tuple[int, str, bool]]]]:
    """The function, and what claims to be its derivative, by lines of which one is to blame."""
    for title, source in (("The function", case.source), ("The claim", case.claim)):
        if source is not None:
            yield title, source, list(_lines(source, case.worst))


def _lines(source: Source, worst: PointOutcome | None) -> Iterator[tuple[int, str, bool]]:
    place = places.parts_of(worst.origin) if worst and worst.origin else None
    blamed = place[1] if place and _are_same_file(place[0], source.file) else -1
    for number, text in enumerate(source.code.rstrip().split("\n"), start=source.line):
        yield number, text, number == blamed


def _are_same_file(file: str, other: str) -> bool:
    return PurePath(file).name == PurePath(other).name
