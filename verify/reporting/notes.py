"""Notes in words: what is wrong at the fringe alone, and so fails nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from verify.model.result import PointOutcome, Result
from verify.reporting import wording
from verify.reporting.legible import one_line

_LONGEST: Final = 160


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
    shown = list(dict.fromkeys(map(_line, case.notes)))
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


def _line(point: PointOutcome) -> str:
    where = "; ".join(wording.input_line(given) for given in point.inputs)
    return one_line(f"{point.verdict.value} at {where}: {point.note}", _LONGEST)
