"""Causes: findings that have one line at fault, or one claim, are one thing to report."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from verify.model.result import Result


def group_by_cause(cases: Iterable[Result]) -> list[tuple[Result, ...]]:
    """The cases that fail, those of one cause together, in the order of the first of each.

    The cause is the line at fault, where one is known, or else the code of the claim, which many
    classes may inherit.
    """
    groups: dict[str, list[Result]] = {}
    for case in cases:
        if case.fails:
            line = case.worst.origin if case.worst is not None else None
            claim = case.claim.place if case.claim is not None else case.id
            groups.setdefault(line or claim, []).append(case)
    return [tuple(group) for group in groups.values()]


def first_of_cause(cases: Iterable[Result]) -> Callable[[Result], Result | None]:
    """What tells the first case of the cause of each case; None of those that are the first."""
    groups = group_by_cause(cases)
    first = {id(case): group[0] for group in groups for case in group[1:]}
    return lambda case: first.get(id(case))
