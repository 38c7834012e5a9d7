"""Why points of a case were undecided, counted."""

from __future__ import annotations

from collections import Counter
from typing import Final

from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting.legible import one_line
from verify.reporting.wording import count_noun

_LONGEST: Final = 400


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
        f"{count_noun(number, 'point')}: {one_line(words, _LONGEST)}" if number else words
        for words, number in reasons.items()
        if words.strip()
        and words.strip() != case.message.strip()
        and words.startswith("oracle conflict") == conflicts
    ]
