"""What an assertion says that fails, in about ten lines."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from typing import Final

from verify.errors import Misbehaviour
from verify.files import places
from verify.model.case import claimant, name_function
from verify.model.grade import keep_domain
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import wording
from verify.reporting.explain import (
    count_verdicts,
    explain_in_brief,
    kind_lines,
    laid_out,
    left_out,
)
from verify.reporting.legible import legible, one_line
from verify.reporting.reported import add_explanations

_HEADLINES: Final = {
    Verdict.CORRECT: "{claimant} is the {quantity} of {function}",
    Verdict.KINK: "{function} has no {quantity} there; {claimant} may or may not be admissible",
    Verdict.OUTSIDE: "{what} in the domain of {function}",
    Verdict.UNDECIDED: "{claimant} may or may not be the {quantity} of {function}",
    Verdict.INACCURATE: "{claimant} is the {quantity} of {function}, but loses digits",
    Verdict.WRONG: "{claimant} is not the {quantity} of {function}",
}
"""The first line, after the verdict."""

_MISBEHAVIOURS: Final = {
    Misbehaviour.RAISED: "{claimant} raises an error instead of returning the {quantity} of "
    "{function}",
    Misbehaviour.RETURNED_NOTHING: "{claimant} returns None instead of the {quantity} of "
    "{function}",
    Misbehaviour.NO_ARRAY: "{claimant} does not return an array as the {quantity} of {function}",
    Misbehaviour.WRONG_COUNT: "{claimant} returns the wrong number of arrays for the {quantity} of "
    "{function}",
    Misbehaviour.WRONG_SHAPE: "{claimant} returns the wrong shape for the {quantity} of {function}",
    Misbehaviour.CHANGED_ITS_ARGUMENT: "{claimant} changes its argument while it computes the "
    "{quantity} of {function}",
    Misbehaviour.NOT_REPEATABLE: "{claimant} gives two answers at one point, so it is not the "
    "{quantity} of {function}",
}
"""The same of a claim that fails by what it did or returned."""

_REMEDIES: Final = {
    Verdict.KINK: "leave such points out, or pass allow_undecided=True to let them pass",
    Verdict.OUTSIDE: "give points, or a region, where the function is defined and finite",
    Verdict.UNDECIDED: "follow the advice above, or pass allow_undecided=True to let it pass",
}
"""What to do where the claim is not at fault."""

_MORE: Final = "print(error.result.explain())"

_OWN: Final = ("", "points", "evidence", "replay")
"""What an assertion says in its own words, or need not say."""

_LONGEST: Final = 200
_MOST_LINES: Final = 4
_MOST_REASONS: Final = 2


def failure(result: Result, replays: tuple[str, ...] = (), more: str = "") -> str:
    """The verdict, the simplest point, and what helps to fix the claim, in about ten lines.

    Parameters
    ----------
    result : Result
    replays : tuple of str
        Lines that do it again, of which one will do.
    more : str
        Where the rest is to be had; by default from the error that is raised.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def slope(x):
    ...     return -np.cos(x)
    >>> print(failure(verify.gradient(np.sin, claimed=slope, at=[0.0])).splitlines()[0])
    WRONG: slope is not the gradient of sin
    """
    told = keep_domain(result)
    spoken = add_explanations(told)
    known = [it for it in explain_in_brief(spoken) if it[0] not in _OWN]
    known = [(label, _line(told) if label == "line" else text) for label, text in known]
    known += [("points", _points(result)), ("remedy", _REMEDIES.get(told.verdict, ""))]
    known += [("replay", line) for line in replays]
    lines = [
        _headline(told),
        *(f"  {line}" for line in (*kind_lines(spoken), *_iterate_messages(told))),
    ]
    for line in laid_out((label, text) for label, text in known if text):
        lines.append(line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…")
    rest = left_out(spoken, more or _MORE)
    return legible("\n".join([*lines, *([f"  {rest}"] if rest else [])]))


def _line(result: Result) -> str:
    """The line that the failure was traced to, with what is written there."""
    witness = result.witness
    assert witness is not None
    place = _quote_line(witness.origin or "")
    return place or witness.op or ""


def _headline(result: Result) -> str:
    case = result.case
    where = places.place_of_function(case.function)
    theirs = places.place_of_function(case.claimed) if case.claimed is not None else ""
    words = _pattern(result).format(
        claimant=_add_place(claimant(case), theirs if theirs != where else ""),
        quantity=wording.IN_WORDS.get(case.quantity, case.quantity),
        function=_add_place(name_function(case.function), where),
        what=_what(result),
    )
    return f"{result.verdict.value}: {words}"


def _pattern(result: Result) -> str:
    witness = result.witness
    if witness is not None and witness.misbehaviour and result.verdict is Verdict.WRONG:
        return _MISBEHAVIOURS[witness.misbehaviour]
    return _HEADLINES[result.verdict]


def _what(result: Result) -> str:
    if result.coverage is not None:
        return f"no point of {result.coverage.region} is"
    return "the point is not" if len(result.points) == 1 else "none of the points is"


def _add_place(name: str, where: str) -> str:
    told = where and where not in name and not places.is_library(where)
    return f"{name} ({where})" if told else name


def _iterate_messages(result: Result) -> Iterator[str]:
    """The message, and of what is undecided the other reasons as well."""
    witness = result.witness
    message = witness.message.strip() if witness is not None else ""
    lines = message.splitlines()
    shown = lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "..."]
    yield from (one_line(line, 2 * _LONGEST) for line in shown)
    if result.verdict is Verdict.UNDECIDED and result.coverage is not None:
        others = [words for words in result.coverage.reasons if words.strip() != message]
        yield from (f"also: {one_line(words, _LONGEST)}" for words in others[:_MOST_REASONS])
    if result.verdict is not Verdict.WRONG and result.sampled is not None:
        yield f"by samples alone: {result.sampled}"


def _quote_line(origin: str) -> str:
    """A place, and what is written there."""
    file, _, line = origin.rpartition(":")
    if not file or not line.isdigit():
        return places.relative(origin)
    code = linecache.getline(file, int(line)).strip()
    return f"{places.relative(origin)}{f': {code}' if code else ''}"


def _points(result: Result) -> str:
    """How many points there were of each verdict, where a search did not say."""
    several = result.coverage is None and len(result.points) > 1
    return count_verdicts(result) if several else ""
