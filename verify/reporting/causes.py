"""Causes: findings that have one line at fault, or one claim, are one thing to report."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from verify.model.result import Result


def group_by_cause(cases: Iterable[Result]) -> list[tuple[Result, ...]]:
    """The cases that fail, those of one cause together, in the order of the first of each.

    The cause is the line at fault, where one is known, or else the code of the claim, which many
    classes may inherit.

    Examples
    --------
    >>> from verify.model.source import Source
    >>> from verify.model.verdict import Verdict
    >>> def case(name, line):
    ...     claim = Source("springs.py", line, "")
    ...     return Result(name, name, "", "gradient", "g", Verdict.WRONG, claim=claim)
    >>> groups = group_by_cause([case("a", 1), case("b", 9), case("c", 1)])
    >>> [[each.id for each in group] for group in groups]
    [['a', 'c'], ['b']]
    """
    groups: dict[Hashable, list[Result]] = {}
    for case in cases:
        if case.fails:
            groups.setdefault(_cause(case), []).append(case)
    return [tuple(group) for group in groups.values()]


def _cause(case: Result) -> Hashable:
    if case.worst is not None and case.worst.origin:
        return case.worst.origin
    return case.id if case.claim is None else case.claim.place


def first_of_cause(cases: Iterable[Result]) -> dict[str, Result]:
    """Of each case that is not the first of its cause, by its id, the one that is."""
    groups = group_by_cause(cases)
    return {case.id: group[0] for group in groups for case in group[1:]}
