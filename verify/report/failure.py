"""What an assertion says that fails: the whole of it on less than a screen."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from verify import places
from verify.cases import called, claimant
from verify.passing import inside
from verify.report import wording
from verify.report.legible import legible, one_line
from verify.report.model import Case as Spoken
from verify.report.model import Point
from verify.result import PointOutcome, Result
from verify.summary import spoken_case
from verify.verdict import Verdict

__all__ = ["failure"]

_HEADLINES: Final = {
    Verdict.CORRECT: "{claimant} is the {quantity} of {function}",
    Verdict.KINK: "{function} has no {quantity} there, and what {claimant} may claim is not known",
    Verdict.OUTSIDE: "{what} in the domain of {function}",
    Verdict.UNDECIDED: "whether {claimant} is the {quantity} of {function} is not known",
    Verdict.INACCURATE: "{claimant} is the {quantity} of {function}, but loses digits",
    Verdict.WRONG: "{claimant} is not the {quantity} of {function}",
}
"""The first line, after the verdict."""

_REMEDIES: Final = {
    Verdict.KINK: "leave such points out, or pass allow_undecided=True to let them pass",
    Verdict.OUTSIDE: "give points, or a region, where the function is defined and finite",
    Verdict.UNDECIDED: "do what is said above, or pass allow_undecided=True to let it pass",
}
"""What to do where the claim is not at fault."""

_LONGEST: Final = 200
_MOST_LINES: Final = 4
_MOST_ARGUMENTS: Final = 4
_MOST_REASONS: Final = 2


def failure(result: Result, replays: tuple[str, ...] = ()) -> str:
    """The verdict, the simplest point, and all that helps to mend the claim.

    Parameters
    ----------
    result : Result
    replays : tuple of str
        Lines that do it again, of which one will do.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def slope(x):
    ...     return -np.cos(x)
    >>> print(failure(verify.gradient(np.sin, claimed=slope, at=[0.0])).splitlines()[0])
    WRONG: slope is not the gradient of sin
    """
    told = inside(result)
    spoken = spoken_case(told)
    witness = told.witness
    point = _spoken(told, spoken, witness)
    lines = [_headline(told), *(f"  {line}" for line in _said(told, witness))]
    known: list[tuple[str, str]] = []
    if witness is not None and point is not None:
        known += _facts(spoken, point, witness)
    known += [("points", _points(result))]
    known += [("left out", it.text) for it in spoken.escapes[:1]]
    known += [("to do", _REMEDIES.get(told.verdict, ""))]
    known += [("replay", line) for line in replays]
    for label, value in known:
        for at, line in enumerate(value.splitlines()):
            lines.append(f"  {label if at == 0 else '':10} {one_line(line, _LONGEST)}")
    return legible("\n".join(lines))


def _spoken(result: Result, spoken: Spoken, witness: PointOutcome | None) -> Point | None:
    """The same point in a report's words."""
    pairs = zip(result.points, spoken.points, strict=True)
    return next((point for outcome, point in pairs if outcome is witness), None)


def _headline(result: Result) -> str:
    case = result.case
    where = places.of_function(case.function)
    theirs = places.of_function(case.claimed) if case.claimed is not None else ""
    words = _HEADLINES[result.verdict].format(
        claimant=_placed(claimant(case), theirs if theirs != where else ""),
        quantity=case.quantity,
        function=_placed(called(case.function), where),
        what=_what(result),
    )
    return f"{result.verdict.value}: {words}"


def _what(result: Result) -> str:
    if result.coverage is not None:
        return f"no point of {result.coverage.region} is"
    return "the point is not" if len(result.points) == 1 else "none of the points is"


def _placed(name: str, where: str) -> str:
    told = where and where not in name and not places.is_library(where)
    return f"{name} ({where})" if told else name


def _said(result: Result, witness: PointOutcome | None) -> Iterator[str]:
    """The message, and of what is undecided the other reasons as well."""
    message = witness.message.strip() if witness is not None else ""
    lines = message.splitlines()
    shown = lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "..."]
    yield from (one_line(line, 2 * _LONGEST) for line in shown)
    if result.verdict is Verdict.UNDECIDED and result.coverage is not None:
        others = [words for words in result.coverage.reasons if words.strip() != message]
        yield from (f"also: {one_line(words, _LONGEST)}" for words in others[:_MOST_REASONS])


def _facts(spoken: Spoken, point: Point, witness: PointOutcome) -> list[tuple[str, str]]:
    given = [wording.input_line(each) for each in point.inputs]
    if len(given) > _MOST_ARGUMENTS:
        more = len(given) - _MOST_ARGUMENTS + 1
        given[_MOST_ARGUMENTS - 1 :] = [f"and {more} other arguments"]
    relative = point.relative_error
    return [
        ("at", "\n".join(given)),
        ("entry", wording.entry(spoken, point) if point.claimed else ""),
        ("claimed", point.claimed.decimal if point.claimed else ""),
        ("exact", wording.interval(point.enclosure) if point.enclosure else ""),
        ("error", wording.error(point)),
        ("relative", "" if relative is None else wording.quantity(relative)),
        ("operation", point.op),
        ("line", _with_code(witness.origin or "")),
        ("severity", wording.consequence(point)),
    ]


def _with_code(origin: str) -> str:
    """A place, and what is written there."""
    file, _, line = origin.rpartition(":")
    if not file or not line.isdigit():
        return places.relative(origin)
    code = linecache.getline(file, int(line)).strip()
    return f"{places.relative(origin)}{f': {code}' if code else ''}"


def _points(result: Result) -> str:
    """How many points there were, and the verdicts on them."""
    found = result.coverage
    if found is None:
        counts = Counter(point.verdict for point in result.points)
        pairs = [(verdict, counts[verdict]) for verdict in reversed(Verdict) if counts[verdict]]
        return _tally(pairs) if len(result.points) > 1 else ""
    lines = [f"{_tally(found.counts)}: {found.judged:,} judged of {found.tried:,} tried"]
    lines.append(f"over {found.region} (seed {found.seed})")
    if found.stopped:
        lines.append(f"stopped early: {found.stopped}")
    if found.replayed:
        times = wording.counted(found.replayed, "counterexample")
        lines.append(f"{times} of an earlier run tried first")
    return "\n".join(lines)


def _tally(counts: Sequence[tuple[Verdict, int]]) -> str:
    return ", ".join(f"{count:,} {verdict.value}" for verdict, count in counts)
