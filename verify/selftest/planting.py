"""Planting: each fault that is asked for, by its id, put to the verifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

from verify.selftest.outcome import Outcome

F = TypeVar("F")


def try_each(
    faults: Iterable[F],
    name_of: Callable[[F], str],
    keep: Callable[[str], bool],
    tried: Callable[[F, str], Outcome],
) -> list[Outcome]:
    """What becomes of the faults that `keep` says by their ids.

    An id is what `name_of` says, with a number behind it where several have the same.

    Examples
    --------
    >>> try_each([1, 2, 3], lambda k: "odd" if k % 2 else "even", lambda label: "odd" in label,
    ...          lambda k, label: Outcome(label, str(k), "refuted"))[1].id
    'odd (#2)'
    """
    found = []
    counted: Counter[str] = Counter()
    for fault in faults:
        name = name_of(fault)
        counted[name] += 1
        label = name if counted[name] == 1 else f"{name} (#{counted[name]})"
        if keep(label):
            found.append(tried(fault, label))
    return found
