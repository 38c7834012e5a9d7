"""A case explained in words, in brief and in full, for the renderings that are plain text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from verify.model.accuracy import Coordinate, Profile, all_bits, caption
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict
from verify.reporting import tables, wording
from verify.reporting.legible import legible, one_line
from verify.reporting.model import rank
from verify.reporting.wording import count_noun

Told: TypeAlias = tuple[str, str]
"""A label, empty for a sentence, and text, which may have several lines."""

WIDTH: Final = 80
"""Columns of text that is not made for a terminal of known width."""

_INDENT: Final = 2
_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_FEW_SLOPES: Final = 3
_FEW_ESCAPES: Final = 1
_FEW_NOTES: Final = 2
_FEW_ARGUMENTS: Final = 4
_LONGEST_FORM: Final = 2_000
"""Characters of a formula; a longer one is in the JSON and HTML reports alone."""


def summary(case: Result) -> str:
    r"""The case on one line.

    Examples
    --------
    >>> summary(Result("s/f", "f", "s", "gradient", "tape", Verdict.WRONG, message="The sign.\nA"))
    'WRONG gradient of s/f: The sign.'
    """
    sentences = (case.message or (case.worst.message if case.worst else "")).strip()
    first = sentences.splitlines()[0] if sentences else wording.MEANINGS[case.verdict]
    if case.sampled is not None and not case.fails:
        first = f"{first}; by samples alone: {case.sampled}"
    return one_line(f"{case.verdict.value} {case.quantity} of {case.id}: {first}", limit=300)


def explanation(case: Result, more: str = "") -> str:
    """What a case has to say: what, where, by how much, whose line, how to replay.

    Parameters
    ----------
    case : Result
    more : str
        Where the rest of it is, so that about ten lines are enough.

    Examples
    --------
    >>> case = Result("s/f", "f", "s", "gradient", "tape", Verdict.WRONG, replay="symtape verify")
    >>> print(explanation(case))
    WRONG  gradient of s/f, claimed by tape
      replay     symtape verify
    """
    told = explain_in_brief(case) if more else explain_in_full(case)
    rest = left_out(case, more) if more else ""
    told += [("", rest)] if rest else []
    return legible("\n".join([f"{case.verdict.value}  {wording.claim(case)}", *laid_out(told)]))


def explain_in_brief(case: Result) -> list[Told]:
    """What there is to say in about ten lines; all of it, if that is but a line more."""
    told, full = _tell(case, brief=True), explain_in_full(case)
    return told if len(_find_other_lines(full, told)) > 1 else full


def explain_in_full(case: Result, width: int = WIDTH) -> list[Told]:
    """Everything, with tables of at most `width` columns."""
    told = _tell(case, brief=False)
    short = [form for form in case.closed_forms if 0 < len(form.text) <= _LONGEST_FORM]
    told += [(one_line(it.name, 10), f"{it.text}{_holds(it.conditions)}") for it in short]
    return [*told, *(("", text) for text in _describe_survey(case, width - _INDENT))]


def _tell(case: Result, brief: bool) -> list[Told]:
    told = [*messages_of(case), *_describe_blame(case), ("suspect", case.suspect)]
    if (point := case.worst) is not None:
        given = [wording.input_line(each) for each in point.inputs]
        if brief and len(given) > _FEW_ARGUMENTS:
            more = len(given) - _FEW_ARGUMENTS + 1
            given[_FEW_ARGUMENTS - 1 :] = [f"and {more} other arguments"]
        told += [("at", "\n".join(given)), *_compare_values(case, point)]
        told += [("power", "" if brief and case.fails else point.power)]
        told += _sides(case, point, _FEW_SLOPES if brief else 0)
        told += [("recheck", "" if brief and not case.fails else point.recheck)]
    if not (brief and case.fails):  # of what fails, notes tell no more than how far it goes
        told += [("noted", text) for text in note_lines(case, _FEW_NOTES if brief else None)]
    told += [("escape", text) for text in _escapes(case)[: _FEW_ESCAPES if brief else None]]
    if not brief:
        told += [("reason", it.code) for it in case.points if it.code][:1]
        told += [("traceback", it.traceback) for it in case.points if it.traceback][:1]
        told += [("samples", case.sampled.message)] if case.sampled else []
        told += [("where", it.text) for it in case.path]
    told += [*_points(case), ("conflict", "\n".join(describe_undecided(case, conflicts=True)))]
    told += [] if brief else [("undecided", "\n".join(describe_undecided(case)[1:]))]
    told += [("evidence", case.basis), *(_remedies_in_brief if brief else _remedies)(case)]
    return [(label, text) for label, text in [*told, ("replay", case.replay)] if text]


def laid_out(told: Iterable[Told]) -> Iterator[str]:
    """Lines of text: sentences as they are, the rest behind their labels."""
    for label, text in told:
        for at, line in enumerate(text.splitlines() or [""]):
            shown = f"{label if at == 0 else '':10} {line}" if label else line
            yield f"{' ' * _INDENT}{shown}".rstrip()


def left_out(case: Result, where: str) -> str:
    """How many lines there are in full that are not in brief, and `where`; empty for none.

    Examples
    --------
    >>> from verify.model.source import Located
    >>> path = tuple(Located(f"if x > {k}: was True at waves.py:{k}") for k in range(3))
    >>> left_out(Result("s/f", "f", "s", "gradient", "tape", Verdict.WRONG, path=path), "-v")
    '... 3 more lines: -v'
    """
    more = len(_find_other_lines(explain_in_full(case), explain_in_brief(case)))
    return f"... {wording.count_noun(more, 'more line')}: {where}" if more else ""


def _find_other_lines(full: Iterable[Told], told: Iterable[Told]) -> list[str]:
    """The lines in full that `told` has not."""
    shown = set(laid_out(told))
    return [line for line in laid_out(full) if line and line not in shown]


def messages_of(case: Result) -> list[Told]:
    """What is said of the case, and of its worst point."""
    said = [*kind_lines(case), case.message, case.worst.message if case.worst else ""]
    return [("", text) for text in dict.fromkeys(each.strip() for each in said) if text]


def _describe_blame(case: Result) -> list[Told]:
    """The line of the claim that is at fault, or else the operation."""
    point = case.worst
    if point is None or (not point.origin and re.search(rf"\b{point.op}\b", point.message)):
        return []
    return [("line" if point.origin else "operation", wording.describe_blame(point))]


def _compare_values(case: Result, point: PointOutcome) -> list[Told]:
    """What is claimed beside what is exact, and where the difference comes from."""
    exact = "admissible" if point.verdict is Verdict.KINK else "exact"
    entry = wording.entry(case, point) if point.claimed else ""
    relative = math.inf if point.relative_error is None else point.relative_error
    share = f"; relative {wording.quantity(relative)}" if math.isfinite(relative) else ""
    return [
        ("entry", "" if entry in point.message else entry),
        ("claimed", point.claimed.decimal if point.claimed else ""),
        (exact, wording.interval(point.enclosure) if point.enclosure else ""),
        ("error", f"{wording.error(point)}{share}".removeprefix("; ")),
        ("severity", point.note),
    ]


def _sides(case: Result, point: PointOutcome, most: int = 0) -> list[Told]:
    """The one-sided derivatives, where there are more than the message tells of."""
    kink = point.kink
    if kink is None or len(kink.slopes) < 2:
        return []
    if most and len(kink.slopes) > most:
        point = replace(point, kink=replace(kink, slopes=kink.slopes[:most]))
    return [("sides", "\n".join(tables.plain(tables.kink_table(case, point))))]


def _remedies(case: Result) -> list[Told]:
    """What to do, and where; code without its blank lines."""
    return [(it.kind, re.sub(r"\n\n+", "\n", str(it))) for it in case.remedies]


def _remedies_in_brief(case: Result) -> list[Told]:
    """What to do, a line each; a script to reproduce it is for the full report."""
    told = [(kind, text) for kind, text in _remedies(case) if kind != "reproduce"]
    return [(kind, _fit_one_line(kind, text)) for kind, text in told]


def _fit_one_line(kind: str, text: str) -> str:
    if "\n" not in text:
        return text
    what = "NumPy code that are correct at this point" if kind == "replace" else "code"
    return f"with {len(text.splitlines())} lines of {what}: see the full report"


def _escapes(case: Result) -> list[str]:
    return [f"{it.text} {it.origin}".strip() for it in case.escapes]


def _points(case: Result) -> list[Told]:
    """How a region was searched, or how many of the points that were given have which verdict.

    With the most frequent reason why points were undecided.
    """
    why = "".join(f"; undecided: {words}" for words in describe_undecided(case)[:1])
    if case.coverage is not None:
        searched = wording.coverage(case.coverage).removeprefix("searched ")
        return [("searched", f"{searched}{why}")]
    return [("points", f"{count_verdicts(case)}{why}")] if len(case.points) > 1 else []


def count_verdicts(case: Result) -> str:
    """How many points there are of each verdict, the gravest first."""
    counts = Counter(point.verdict for point in case.points)
    return ", ".join(f"{counts[it]:,} {it.value}" for it in reversed(Verdict) if counts[it])


def _holds(conditions: Sequence[str]) -> str:
    return f"\nwhere {', '.join(conditions)}" if conditions else ""


def _describe_survey(case: Result, width: int) -> list[str]:
    """How accurate the claim is over a region, by the coordinate over which it is worst."""
    found = case.accuracy
    if found is None or not found.coordinates:
        return []
    worst = max(found.coordinates, key=_largest)
    others = len(found.coordinates) - 1
    more = f"; over {wording.count_noun(others, 'more coordinate')} in the HTML report"
    lines = ["", f"accuracy over {one_line(worst.name, 40)}{more if others else ''}"]
    lines += tables.plain(tables.segment_table(worst.segments), width)
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


_LONGEST_FINDING: Final = 160


def note_lines(case: Result, most: int | None = None) -> Iterator[str]:
    """A line for each note that is kept, the first `most`, and how many more there are.

    Examples
    --------
    >>> from verify.model.outcome import Input
    >>> from verify.model.verdict import Verdict
    >>> at = (Input.from_array("x", 1e-320),)
    >>> note = PointOutcome(Verdict.WRONG, inputs=at, note="the point contains 1e-320")
    >>> points = (PointOutcome(Verdict.CORRECT), note)
    >>> case = Result("f", "f", "", "gradient", "g", Verdict.CORRECT, points=points, strict=False)
    >>> list(note_lines(case))
    ['WRONG at x = 1e-320: the point contains 1e-320']
    """
    shown = list(dict.fromkeys(_describe_finding(it, it.note) for it in case.notes))
    total = max(case.coverage.noted if case.coverage else 0, len(shown))
    shown = shown[:most]
    yield from shown
    if total > len(shown):
        yield f"and {wording.count_noun(total - len(shown), 'more point')} like these"


def noted_line(case: Result) -> str:
    """All notes of a case in a sentence, with the way to have them fail."""
    first, *others = note_lines(case, 1)
    more = f", {others[0]}" if others else ""
    words = f"{wording.claim(case)}: noted: {first}{more}"
    return f"{words}; with strict=True it fails"


def _describe_finding(point: PointOutcome, words: str, kink: str = "") -> str:
    """One finding in a line: its verdict, where, and what is said of it."""
    where = "; ".join(wording.input_line(given) for given in point.inputs)
    return one_line(f"{point.verdict.value} at {kink}{where}: {words}", _LONGEST_FINDING)


_NO_NUMBERS: Final = ("nan", "inf", "-inf")


def kind_lines(case: Result) -> list[str]:
    """A line for each kind of finding, the gross one first; none where there is but one kind.

    Examples
    --------
    >>> from verify.model.outcome import Float
    >>> from verify.model.outcome import Input
    >>> from verify.model.result import KinkFacts
    >>> from verify.model.verdict import Verdict
    >>> off = Float.from_number(2.0)
    >>> at = [(Input.from_array("x", x),) for x in (0.5, 0.0)]
    >>> points = (
    ...     PointOutcome(Verdict.WRONG, inputs=at[0], message="the gradient is 2.0", claimed=off),
    ...     PointOutcome(Verdict.WRONG, at[1], message="none; the claim is nan", kink=KinkFacts()),
    ... )
    >>> case = Result("f", "f", "", "gradient", "g", Verdict.WRONG, points=points)
    >>> for line in kind_lines(case):
    ...     print(line)
    WRONG at x = 0.5: the gradient is 2.0
    WRONG at a kink, x = 0.0: the claim is nan
    """
    if not case.fails:
        return []
    found: dict[Hashable, PointOutcome] = {}
    worst = case.worst
    for point in sorted(case.failing, key=lambda it: (it is not worst, *rank(it))):
        found.setdefault(_kind(point), point)
    return [_describe_kind(point) for point in found.values()] if len(found) > 1 else []


def _kind(point: PointOutcome) -> Hashable:
    """What findings of one kind have in common: verdict, kink or not, and what was returned."""
    number = None if point.claimed is None else point.claimed.hex not in _NO_NUMBERS
    return point.verdict, point.kink is not None, None if point.kink else number


def _describe_kind(point: PointOutcome) -> str:
    clauses = point.message.strip().split("; ")
    said = [it for it in clauses if it.startswith("the claim")] if point.kink else clauses[:2]
    return _describe_finding(point, "; ".join(said or clauses[:1]), "a kink, " * bool(point.kink))


_LONGEST_REASON: Final = 400


def describe_undecided(case: Result, conflicts: bool = False) -> list[str]:
    """Why some points were undecided, and how many, where the message does not say it already.

    Conflicts of oracles apart from all other reasons.

    Examples
    --------
    >>> from verify.model.result import Coverage
    >>> found = Coverage("x in [0, 1]", 0, 90, 40, undecided=3, reasons=("no power",),
    ...                  frequencies=(3,))
    >>> case = Result("s/f", "f", "s", "gradient", "tape", Verdict.CORRECT, coverage=found)
    >>> describe_undecided(case)
    ['3 points: no power']
    """
    found = case.coverage
    if found is not None:
        numbers = found.frequencies or (0,) * len(found.reasons)
        reasons = dict(zip(found.reasons, numbers, strict=True))
    else:
        reasons = dict(
            Counter(point.message for point in case.points if point.verdict is Verdict.UNDECIDED)
        )
    return [
        f"{count_noun(number, 'point')}: {one_line(words, _LONGEST_REASON)}" if number else words
        for words, number in reasons.items()
        if words.strip()
        and words.strip() != case.message.strip()
        and words.startswith("oracle conflict") == conflicts
    ]
