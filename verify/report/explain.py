"""A case explained in words: one block of plain text, shared by the renderings."""

from __future__ import annotations

from verify.report import wording
from verify.report.legible import legible, one_line
from verify.report.model import Case, Point
from verify.verdict import Verdict

__all__ = ["explanation", "facts", "summary"]


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
        ("power", point.power),
    ]
    return [(label, legible(value)) for label, value in known if value]


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
    known += [("where", predicate.text) for predicate in case.path]
    known += [("escape", f"{it.text} {it.origin}".strip()) for it in case.escapes]
    known += [("evidence", case.evidence), ("replay", case.replay)]
    for label, value in known:
        for at, line in enumerate(value.splitlines()):
            lines.append(f"  {label if at == 0 else '':10} {line}")
    return legible("\n".join(lines))
