"""Tables in words, which every rendering shows in its own markup, and GitHub's Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from verify.model.result import PointOutcome, Result, Slope
from verify.model.segments import Segment
from verify.reporting import wording
from verify.reporting.legible import legible, one_line
from verify.reporting.model import NotJudged, RowRung

_SEGMENTS: Final = (
    "Segment",
    "Count",
    "Max ULP",
    "Median ULP",
    "ULP ≤ 1",
    "Wrong zeros",
    "Wrong signs",
    "Worst input",
)
_LOST: Final = "Not finite"
_EXACTLY: Final = "Exactly"
_NEAR: Final = "Worst near"
_SHORT: Final = {"Median ULP": "Median", "Wrong zeros": "Zeros", "Wrong signs": "Signs"}
_COUNTED: Final = ("Wrong zeros", "Wrong signs", _LOST)
"""Columns that say nothing where all of them are 0."""
_LEFT_OUT: Final = (*_COUNTED, "ULP ≤ 1", "Count", "Median ULP", _NEAR)
"""What is left out of a table that has no room, in this order."""
_KINK: Final = ("Entry", "Left", "Right", "Admissible", "Claimed", "")
_RUNGS: Final = ("Operation", "Rung", "Where")
_SUSPECTS: Final = ("Name", "What it is")
_NOT_JUDGED: Final = ("Name", "Met by", "Why not")


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text; `numbers` says which columns are of numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[bool, ...]


def segment_table(found: Sequence[Segment], exactly: bool = False) -> Table:
    """Accuracy along a coordinate; what is not finite has a column where there is any.

    Where it says `exactly`, the worst inputs have all digits.
    """
    lost = any(segment.lost for segment in found)
    last = (_SEGMENTS[-1], _EXACTLY) if exactly else (_NEAR,)
    header = (*_SEGMENTS[:-1], *([_LOST] if lost else []), *last)
    rows = []
    for it in found:
        counts = [it.zeros, it.signs, *([it.lost] if lost else [])]
        rows.append(
            (
                label(it),
                f"{it.count:,}",
                _ulps(it.max_ulps),
                _ulps(it.median_ulps),
                share(it.within_one, it.count),
                *(f"{number:,}" for number in counts),
                *([it.worst.decimal, it.worst.hex] if exactly else [_format_nearest(it)]),
            )
        )
    return Table(header, tuple(rows), (False, *(True for _ in header[1:])))


def _format_nearest(segment: Segment) -> str:
    return f"{float.fromhex(segment.worst.hex):.6g}"


def _ulps(number: float) -> str:
    return "<0.001" if 0 < number < 1e-3 else wording.quantity(number)


def label(segment: Segment) -> str:
    """The segment as an interval.

    Examples
    --------
    >>> from verify.model.outcome import Float
    >>> label(Segment(-60.0, -20.0, False, 1, 0.0, 0.0, 1, 0, 0, 0, Float.from_number(-40.0)))
    '[-60, -20)'
    """
    return f"[{_short(segment.low)}, {_short(segment.high)}{']' if segment.closed else ')'}"


def _short(number: float) -> str:
    if number == 0:
        return "0"
    mantissa, mark, exponent = f"{number:.4g}".partition("e")
    return f"{mantissa}{mark}{int(exponent)}" if mark else mantissa


def share(part: int, whole: int) -> str:
    """`part` of `whole` in percent; 100 and 0 only where that is all and none.

    Examples
    --------
    >>> share(1, 3), share(9999, 10000), share(1, 10000), share(0, 5)
    ('33%', '99.9%', '0.1%', '0%')
    """
    percent = 100 * part / whole if whole else 0.0
    if part in (0, whole) or 1.0 <= percent < 99.0:
        return f"{percent:.0f}%"
    return f"{min(max(percent, 0.1), 99.9):.1f}%"


def kink_table(case: Result, point: PointOutcome) -> Table:
    """The one-sided derivatives at a kink, and where the claim lies among what is admissible."""
    slopes = point.kink.slopes if point.kink else ()
    known = point.kink is not None and point.kink.admissible is not None
    rows = tuple(
        (
            wording.entry(case, PointOutcome(point.verdict, entry=slope.index, wrt=slope.wrt)),
            _side(slope.left),
            _side(slope.right),
            f"[{_number(slope.lower)}, {_number(slope.upper)}]",
            "–" if slope.claimed is None else _number(slope.claimed),
            _admissible(slope, known),
        )
        for slope in slopes
    )
    return Table(_KINK, rows, (False, True, True, True, True, False))


def _side(slope: float | None) -> str:
    return "not known" if slope is None else _number(slope)


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _admissible(slope: Slope, known: bool) -> str:
    if slope.claimed is None:
        return ""
    if slope.admissible is None and not known:
        return "not known"
    within = slope.lower <= slope.claimed <= slope.upper
    fits = within if slope.admissible is None else slope.admissible
    return "admissible" if fits else "not admissible"


def not_judged_table(found: Sequence[NotJudged]) -> Table:
    """What an audit met and did not judge."""
    rows = tuple((each.id, each.kind, each.reason) for each in found)
    return Table(_NOT_JUDGED, rows, (False, False, False))


def suspect_table(cases: Sequence[Result]) -> Table:
    """What was paired by name or behaviour, and is wrong wherever it was compared."""
    rows = tuple((case.id, case.suspect) for case in cases if case.suspect)
    return Table(_SUSPECTS, rows, (False, False))


def rung_table(found: Sequence[RowRung]) -> Table:
    """What is known of the rows' rules."""
    rows = tuple((it.op, it.rung, it.domain or it.reason) for it in found)
    return Table(_RUNGS, rows, (False, False, False))


def plain(table: Table, width: int = 0) -> list[str]:
    r"""The table as lines of text, its columns aligned.

    Parameters
    ----------
    table : Table
    width : int
        Of the lines; columns are left out until they fit. 0 for any.

    Examples
    --------
    >>> found = Table(("a", "Count"), (("x", "1"), ("long", "12")), (False, True))
    >>> print("\n".join(plain(found)))
    a     Count
    x         1
    long     12
    >>> plain(found, width=8)
    ['a', 'x', 'long']
    """
    lines = _align_columns(table)
    while width and max(map(len, lines)) > width and (less := _narrower(table)) is not None:
        table, lines = less, _align_columns(less)
    return lines


def _narrower(table: Table) -> Table | None:
    """The table without the column that is missed least; None if there is none."""
    for name in _LEFT_OUT:
        if name not in table.header:
            continue
        at = table.header.index(name)
        if name not in _COUNTED or all(row[at] == "0" for row in table.rows):
            rows = tuple((*row[:at], *row[at + 1 :]) for row in table.rows)
            header = (*table.header[:at], *table.header[at + 1 :])
            return Table(header, rows, (*table.numbers[:at], *table.numbers[at + 1 :]))
    return None


def _align_columns(table: Table) -> list[str]:
    lines = [tuple(_SHORT.get(cell, cell) for cell in table.header), *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(_cells(line, widths, table.numbers)).rstrip() for line in lines]


def _cells(line: Sequence[str], widths: Sequence[int], numbers: Sequence[bool]) -> list[str]:
    return [
        cell.rjust(width) if number else cell.ljust(width)
        for cell, width, number in zip(line, widths, numbers, strict=True)
    ]


_BAR: Final = r"\|"
"""A bar that does not end a table's cell."""

_BLOCK: Final = 4_000


def code(text: str, limit: int = 120) -> str:
    """`text` as a code span.

    Examples
    --------
    >>> code("a | `b`")
    '`` a | `b` ``'
    """
    text = one_line(text, limit)
    if not text:
        return ""
    fence = "`" * (_longest_run(text) + 1)
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def block(text: str) -> str:
    """`text` as a code block that nothing in it can close.

    Examples
    --------
    >>> print(block("1 < 2"))
    ```text
    1 < 2
    ```
    """
    text = legible(text)
    if len(text) > _BLOCK:
        text = f"{text[:_BLOCK]}\n… {len(text) - _BLOCK:,} more characters"
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def table(cells: Table, of_words: Callable[[str], str] = str) -> str:
    r"""A table; the cells of columns that are not numbers go through `of_words`.

    Examples
    --------
    >>> print(table(Table(("a", "n"), (("|", "1"),), (False, True)), code))
    | a | n |
    |:-|-:|
    | `\|` | 1 |
    """
    rule = "|".join("-:" if number else ":-" for number in cells.numbers)
    lines = [table_row(cells.header), f"|{rule}|"]
    for row in cells.rows:
        pairs = zip(row, cells.numbers, strict=True)
        lines.append(table_row([cell if number else of_words(cell) for cell, number in pairs]))
    return "\n".join(lines)


def table_row(cells: Sequence[str]) -> str:
    """A row of a table, in which no bar ends a cell."""
    return f"| {' | '.join(one_line(cell).replace('|', _BAR) for cell in cells)} |"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
