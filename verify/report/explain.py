"""A case explained in words: one block of plain text, shared by the renderings."""

from __future__ import annotations

from typing import Final

from verify.report import tables, wording
from verify.report.accuracy import Coordinate, Profile, all_bits, caption
from verify.report.legible import legible, one_line
from verify.report.model import Case, Point
from verify.verdict import Verdict

__all__ = ["at_kink", "explanation", "facts", "searched", "sparks", "summary", "surveyed"]

_BLOCKS: Final = "▁▂▃▄▅▆▇█"


def summary(case: Case) -> str:
    r"""The case on one line.

    Examples
    --------
    >>> summary(Case("s/f", "f", "s", "gradient", "tape", Verdict.WRONG, message="The sign.\nA"))
    'WRONG gradient of s/f: The sign.'
    """
    sentences = (case.message or (case.worst.message if case.worst else "")).strip()
    first = sentences.splitlines()[0] if sentences else wording.MEANINGS[case.verdict]
    return one_line(f"{case.verdict.value} {case.quantity} of {case.id}: {first}", limit=300)


def facts(case: Case, point: Point) -> list[tuple[str, str]]:
    """What is known of a point, as labels and values; values may have several lines."""
    enclosure = "admissible" if point.verdict is Verdict.KINK else "exact"
    relative = point.relative_error
    known = [
        ("at", "\n".join(wording.input_line(given) for given in point.inputs)),
        ("entry", wording.entry(case, point) if point.claimed else ""),
        ("claimed", point.claimed.decimal if point.claimed else ""),
        (enclosure, wording.interval(point.enclosure) if point.enclosure else ""),
        ("error", wording.error(point)),
        ("relative", "" if relative is None else wording.quantity(relative)),
        ("operation", point.op),
        ("line", point.origin),
        ("severity", wording.consequence(point)),
        ("power", point.power),
    ]
    return [(label, legible(value)) for label, value in known if value]


def at_kink(case: Case, point: Point) -> list[tuple[str, str]]:
    """The one-sided derivatives, where there are more than the message tells of."""
    slopes = point.kink.slopes if point.kink else ()
    if len(slopes) < 2:
        return []
    return [("sides", "\n".join(tables.plain(tables.of_kink(case, point))))]


def searched(case: Case) -> list[tuple[str, str]]:
    """How a region was searched."""
    said = wording.coverage(case.coverage).removeprefix("searched ") if case.coverage else ""
    return [("searched", said)] if said else []


def surveyed(case: Case) -> list[str]:
    """How accurate the claim is over a region, by the coordinate over which it is worst."""
    found = case.accuracy
    if found is None or not found.coordinates:
        return []
    worst = max(found.coordinates, key=_largest)
    others = len(found.coordinates) - 1
    more = f"; over {wording.counted(others, 'more coordinate')} in the HTML report"
    lines = ["", f"accuracy over {one_line(worst.name, 40)}{more if others else ''}"]
    lines += tables.plain(tables.of_segments(worst.segments))
    return [*lines, *(f"|{sparks(it, found.dtype)}| {caption(it)}" for it in worst.profiles)]


def _largest(coordinate: Coordinate) -> float:
    """The largest median of the errors in a segment, for the largest of all are much the same."""
    return max((segment.median_ulps for segment in coordinate.segments), default=0.0)


def sparks(profile: Profile, dtype: str) -> str:
    """The largest errors along an axis, as blocks as high as all bits.

    Examples
    --------
    >>> sparks(Profile("values", 0.0, 1.0, (0.0, 16.0, None, 64.0)), "float64")
    '▁▂ █'
    """
    most = all_bits(dtype)
    return "".join(" " if it is None else _BLOCKS[int(7 * it / most)] for it in profile.peaks)


def explanation(case: Case) -> str:
    """Everything a failure has to say: what, where, by how much, whose line, how to replay.

    Examples
    --------
    >>> case = Case("s/f", "f", "s", "gradient", "tape", Verdict.WRONG, replay="symtape verify")
    >>> print(explanation(case))
    WRONG  gradient of s/f, claimed by tape
      replay     symtape verify
    """
    lines = [f"{case.verdict.value}  {case.quantity} of {case.id}, claimed by {case.claimant}"]
    point = case.worst
    for message in dict.fromkeys([case.message, point.message if point else ""]):
        lines += [f"  {line}" for line in message.strip().splitlines()]
    known = facts(case, point) if point else []
    known += at_kink(case, point) if point else []
    known += searched(case)
    known += [("where", predicate.text) for predicate in case.path]
    known += [("escape", f"{it.text} {it.origin}".strip()) for it in case.escapes]
    known += [("evidence", case.evidence), ("replay", case.replay)]
    for label, value in known:
        for at, line in enumerate(value.splitlines()):
            lines.append(f"  {label if at == 0 else '':10} {line}")
    lines += [f"  {line}".rstrip() for line in surveyed(case)]
    return legible("\n".join(lines))
