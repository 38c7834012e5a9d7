"""A case as the page's template wants it: everything decided, nothing left but markup."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from verify.model.accuracy import MARKS, Accuracy, Coordinate, caption
from verify.model.figures import Plot
from verify.model.outcome import Float, Input
from verify.model.result import ClosedForm, PointOutcome, Result
from verify.model.source import Source
from verify.model.verdict import Verdict
from verify.report import accuracy_plot, as_issue, mathml, plots, tables, wording
from verify.report.kinds import kind_lines
from verify.report.model import FAILING, rank
from verify.report.notes import note_lines

__all__ = ["CaseView", "view"]

_POINTS: Final = 40
_MATHML: Final = 24_000
_TEXT: Final = 8_000
_DECIMAL: Final = re.compile(r"-?\d+\.\d+")
_DECADES: Final = 20
"""The meter's reach: an error of 10 to this many ulps fills it."""


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case, with what the template shows of it."""

    case: Result
    anchor: str
    number: int
    worst: PointView | None
    rest: tuple[PointView, ...]
    points_left_out: int
    forms: tuple[FormView, ...]
    figures: tuple[FigureView, ...]
    messages: tuple[str, ...]
    notes: tuple[str, ...]
    sources: tuple[SourceView, ...]
    accuracy: tuple[CoordinateView, ...]
    coverage: str
    issue: str


@dataclass(frozen=True, slots=True)
class PointView:
    """A point: the digits that agree apart from those that do not, and the meter."""

    point: PointOutcome
    entry: str
    inputs: tuple[tuple[Input, str, str], ...]
    agreeing: str
    differing: str
    exact_label: str
    exact_agreeing: str
    exact_differing: str
    error: str
    fails: bool
    meter: MeterView | None
    kink: tables.Table | None
    severity: str


@dataclass(frozen=True, slots=True)
class MeterView:
    """The error beside what is allowed, as shares of a logarithmic scale."""

    error: float
    allowed: float
    ticks: tuple[tuple[float, str], ...]
    exceeded: bool


@dataclass(frozen=True, slots=True)
class SourceView:
    """Code by its lines: number, text, and whether it is the line that a failure comes from."""

    title: str
    place: str
    lines: tuple[tuple[int, str, bool], ...]


@dataclass(frozen=True, slots=True)
class CoordinateView:
    """Accuracy over one coordinate: plots with what their scales are, and the table."""

    name: str
    plots: tuple[tuple[str, Any], ...]
    table: tables.Table
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FormView:
    """A formula; `mathml` is safe markup, or None when there is none to show."""

    form: ClosedForm
    mathml: Any
    text: str
    latex: str
    left_out: int


@dataclass(frozen=True, slots=True)
class FigureView:
    """A plot, drawn, with its legend."""

    plot: Plot
    svg: Any
    legend: tuple[tuple[int, str, str], ...]
    note: str


def view(case: Result, anchor: str, number: int) -> CaseView:
    """The `number`-th case of the page, to stand at `anchor`."""
    worst = case.worst
    said = [*kind_lines(case), case.message, worst.message if worst else ""]
    many = case.points if len(case.points) > 1 else ()
    return CaseView(
        case=case,
        anchor=anchor,
        number=number,
        worst=_point(case, worst) if worst else None,
        rest=tuple(_point(case, point) for point in sorted(many, key=rank)[:_POINTS]),
        points_left_out=max(0, len(many) - _POINTS),
        forms=tuple(_form(form) for form in case.closed_forms),
        figures=tuple(
            _figure(plot, f"plot-{number}-{at}") for at, plot in enumerate(case.plots, start=1)
        ),
        notes=tuple(note_lines(case)),
        messages=tuple(dict.fromkeys(text.strip() for text in said if text.strip())),
        sources=tuple(_sources(case, worst)),
        accuracy=tuple(_accuracy(case.accuracy, f"accuracy-{number}")) if case.accuracy else (),
        coverage=wording.coverage(case.coverage) if case.coverage else "",
        issue=as_issue.issue(case) if case.fails else "",
    )


def _accuracy(found: Accuracy, prefix: str) -> Iterator[CoordinateView]:
    for at, coordinate in enumerate(found.coordinates, start=1):
        yield _coordinate(found, coordinate, f"{prefix}-{at}")


def _coordinate(found: Accuracy, coordinate: Coordinate, prefix: str) -> CoordinateView:
    from markupsafe import Markup

    drawn = (
        (
            caption(profile),
            Markup(accuracy_plot.svg(found, coordinate, profile, f"{prefix}-{profile.scale}")),
        )
        for profile in coordinate.profiles
    )
    return CoordinateView(
        name=coordinate.name,
        plots=tuple(drawn),
        table=tables.of_segments(coordinate.segments, exactly=True),
        marks=tuple(words for sign, words in MARKS.items() if sign in found.marks),
    )


def _point(case: Result, point: PointOutcome) -> PointView:
    exact = wording.interval(point.enclosure) if point.enclosure else ""
    claimed = _aligned(point.claimed, exact) if point.claimed else ""
    if claimed.startswith("-") != exact.startswith("-") and not exact.startswith("["):
        claimed, exact = _signed(claimed), _signed(exact)
    shared = _agreement(claimed, exact)
    return PointView(
        point=point,
        entry=wording.entry(case, point),
        inputs=tuple((it, wording.input_line(it, limit=32), _hex(it)) for it in point.inputs),
        agreeing=claimed[:shared],
        differing=claimed[shared:],
        exact_label="admissible" if point.verdict is Verdict.KINK else "exact",
        exact_agreeing=exact[:shared],
        exact_differing=exact[shared:],
        error=wording.error(point),
        fails=point.verdict in FAILING,
        meter=_meter(point),
        kink=tables.of_kink(case, point) if point.kink and point.kink.slopes else None,
        severity=wording.consequence(point),
    )


def _aligned(claimed: Float, exact: str) -> str:
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


def _signed(number: str) -> str:
    """`number` with room for a sign, to stand digit under digit."""
    return number if number.startswith("-") or not number else f"\u2007{number}"


def _agreement(claimed: str, exact: str) -> int:
    """How many leading characters are the same number, when they can be compared at all."""
    (mine, _, exponent), (theirs, _, other) = claimed.partition("e"), exact.partition("e")
    if exponent != other or mine.find(".") != theirs.find("."):
        return 0
    return len(wording.shared_start(mine, theirs))


def _hex(given: Input) -> str:
    shown = ", ".join(given.hex[:32])
    more = ", …" if given.truncated or len(given.hex) > 32 else ""
    return f"{shown}{more}" if not given.shape else f"[{shown}{more}]"


def _meter(point: PointOutcome) -> MeterView | None:
    """None as well for what is wrong in exact arithmetic alone, of which floats say nothing."""
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
    return MeterView(
        error=min(100.0, 100 * _decades(point.ulps) / decades),
        allowed=min(100.0, 100 * _decades(point.allowed_ulps) / decades),
        ticks=ticks,
        exceeded=point.ulps > point.allowed_ulps,
    )


def _decades(ulps: float) -> float:
    """Where an error stands on a scale that begins at 0 and has a decade for each unit."""
    return _DECADES if math.isinf(ulps) else math.log10(1.0 + 9.0 * abs(ulps))


def _form(form: ClosedForm) -> FormView:
    from markupsafe import Markup

    known = mathml.safe(form.mathml) if 0 < len(form.mathml) <= _MATHML else None
    return FormView(
        form=form,
        mathml=Markup(known) if known else None,
        text=form.text[:_TEXT],
        latex=form.latex if len(form.latex) <= _TEXT else "",
        left_out=max(0, len(form.text) - _TEXT),
    )


def _figure(plot: Plot, prefix: str) -> FigureView:
    from markupsafe import Markup

    drawn = Markup(plots.svg(plot, prefix))
    if plot.kind == "heat map":
        rows, columns = len(plot.rows), len(plot.rows[0]) if plot.rows else 0
        note = f"{rows} × {columns}, zero is blank"
        if max(rows, columns) > plots.CELLS:
            note += "; each cell shows the largest of its block"
        return FigureView(plot, drawn, (), note)
    dashes = ("", "5 2", "1.5 1.5", "5 2 1.5 2")
    legend = tuple(
        (at % 6 + 1, dashes[at % 4] if plot.kind == "lines" else "", series.name)
        for at, series in enumerate(plot.series)
    )
    return FigureView(plot, drawn, legend, "")


def _sources(case: Result, worst: PointOutcome | None) -> Iterator[SourceView]:
    """The function, and what claims to be its derivative."""
    for title, source in (("The function", case.source), ("The claim", case.claim)):
        if source is not None:
            place = f"{source.file}:{source.line}"
            yield SourceView(title, place, tuple(_lines(source, worst)))


def _lines(source: Source, worst: PointOutcome | None) -> Iterator[tuple[int, str, bool]]:
    file, _, line = worst.origin.rpartition(":") if worst and worst.origin else ("", "", "")
    blamed = int(line) if line.isdigit() and file and _same(file, source.file) else -1
    for number, text in enumerate(source.code.rstrip().split("\n"), start=source.line):
        yield number, text, number == blamed


def _same(file: str, other: str) -> bool:
    return PurePath(file).name == PurePath(other).name
