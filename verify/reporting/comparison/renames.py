"""Renames: cases that are gone and cases that are new which may be the same. Suggestions only."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

from verify.model.change import Change, Kind
from verify.model.result import Result
from verify.reporting.comparison.model import Rename
from verify.reporting.model import Report

_CLOSE: Final = 0.8
"""How similar two ids are that are taken for a misspelling of each other."""

_FEW: Final = 200
"""Of more ids than this, which ones are similar is not asked: each is compared with each."""


def renames(before: Report, after: Report, found: Sequence[Change]) -> Iterator[Rename]:
    """Pairs of cases of which one is gone and the other new, each case in at most one pair."""
    gone_ids = {change.id for change in found if change.kind is Kind.GONE}
    new_ids = {change.id for change in found if change.kind is Kind.NEW}
    gone = {case.id: case for case in before.cases if case.id in gone_ids}
    new = {case.id: case for case in after.cases if case.id in new_ids}
    for key, reason in _KEYS:
        for old, now in _sharing(gone, new, key):
            del gone[old], new[now]
            yield Rename(old, now, reason)
    if len(gone) <= _FEW and len(new) <= _FEW:
        for old in list(gone):
            close = difflib.get_close_matches(old, new, n=1, cutoff=_CLOSE)
            if close and new[close[0]].quantity == gone[old].quantity:
                del new[close[0]]
                yield Rename(old, close[0], "similar names")


def _code(case: Result) -> Hashable:
    """The code of the function and of the claim, where it is known."""
    written = tuple(it.code for it in (case.source, case.claim) if it is not None)
    return (written, case.quantity) if written else None


def _last_name(case: Result) -> Hashable:
    """What is left of the id without the module."""
    module, mark, rest = case.id.rpartition(":")
    return (rest, case.quantity) if mark and module else None


_KEYS: Final = ((_code, "the same code"), (_last_name, "the same name in another module"))


def _sharing(
    gone: dict[str, Result], new: dict[str, Result], key: Callable[[Result], Hashable]
) -> list[tuple[str, str]]:
    """Pairs that alone have a key in common."""
    old, now = _group_by_key(gone, key), _group_by_key(new, key)
    return [(old[it][0], now[it][0]) for it in old if len(old[it]) == len(now.get(it, ())) == 1]


def _group_by_key(
    cases: dict[str, Result], key: Callable[[Result], Hashable]
) -> dict[Hashable, list[str]]:
    found: dict[Hashable, list[str]] = defaultdict(list)
    for name, case in cases.items():
        if (value := key(case)) is not None:
            found[value].append(name)
    return dict(found)
