"""Siblings: methods of a class whose names are those of function and derivative in its siblings.

Where `backward` is the derivative of `forward` in two classes of a base, it is meant for it in a
third, whatever it returns there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from verify.auditing.packages.behaviour.candidates import Candidate, Family
from verify.auditing.packages.behaviour.proposal import Proposal
from verify.auditing.packages.differences import two_differences
from verify.auditing.packages.guards import value_at
from verify.auditing.packages.held import fix_arguments

_ENOUGH: Final = 2
"""Siblings in which it is right."""

_EXACT: Final = 1.0


def siblings_of(found: Sequence[tuple[Family, Sequence[Proposal]]]) -> Iterator[Proposal]:
    """Pairs of methods that were not proposed, and are right in siblings.

    Parameters
    ----------
    found : sequence of (Family, proposals)
        The families of a module, and what was proposed of each.
    """
    right: dict[tuple[type, str, str], list[Proposal]] = defaultdict(list)
    for family, proposals in found:
        for each in proposals:
            if each.sure == _EXACT and not each.element and not each.item:
                for base in _bases(family):
                    right[base, _method(each.function), _method(each.claim)].append(each)
    for family, proposals in found:
        known = {it.name: it for it in family.candidates}
        taken = {_method(each.claim) for each in proposals}
        for (base, function, claim), others in right.items():
            if base not in _bases(family) or claim in taken or len(others) < _ENOUGH:
                continue
            made = _like(others[0], f"{family.owner}.{function}", f"{family.owner}.{claim}", known)
            if made is not None:
                taken.add(claim)
                names = ", ".join(f"`{each.claim}`" for each in others[:_ENOUGH])
                yield replace(
                    made, why=f"{names} agree with differences in classes of the same base"
                )


def _bases(family: Family) -> tuple[type, ...]:
    """The classes that the class of a family is made of, less `object`."""
    owner = next((it.owner for it in family.candidates if it.owner is not None), None)
    return type(owner).__mro__[1:-1]


def _method(name: str) -> str:
    return name.rpartition(".")[2]


def _like(
    other: Proposal, function: str, claim: str, known: Mapping[str, Candidate]
) -> Proposal | None:
    """A proposal of other methods at the same points, if they answer in the same shapes."""
    if function not in known or claim not in known:
        return None
    names = known[function].varied
    if len(names) != len(other.points[0]) or known[claim].varied != names:
        return None
    value, answers = (
        [
            value_at(fix_arguments(known[name].function, names, other.constants), _arrays(point))
            for point in other.points
        ]
        for name in (function, claim)
    )
    at = _arrays(other.points[0])[0]
    plain = [
        np.shape(answer) == np.shape(at) == np.shape(x)
        for answer, x in zip(answers, value, strict=True)
    ]
    if not all(plain):
        return None
    whole = fix_arguments(known[function].function, names, other.constants)
    if not (_says_something(answers, other.points) or _is_right(whole, answers, other.points)):
        return None
    return replace(other, function=function, claim=claim, by=names[:1])


def _is_right(function: Any, answers: Sequence[Any], points: Sequence[Sequence[Any]]) -> bool:
    """Whether answers are the slopes of a function entry by entry, as x is those of x**2 / 2."""
    for answer, point in zip(answers, points, strict=True):
        try:
            made = two_differences(function, [x[()] for x in _arrays(point)], (0,))
        except Exception:  # noqa: BLE001  # theirs, whatever it is
            return False
        slopes, apart = (each.reshape(np.size(answer), -1).diagonal() for each in made)
        if not np.all(np.abs(np.ravel(answer) - slopes) <= 1e-4 * np.abs(slopes) + 3 * apart):
            return False
    return True


def _arrays(point: Sequence[Any]) -> list[np.ndarray]:
    return [np.asarray(x, dtype=np.float64) for x in point]


def _says_something(answers: Sequence[Any], points: Sequence[Sequence[Any]]) -> bool:
    """Whether it neither hands on its argument nor is constant, and leaves the rest to others."""
    told = np.array(answers, dtype=np.float64)
    given = np.array([point[0] for point in points], dtype=np.float64)
    return not np.array_equal(told, given) and bool(np.any(np.ptp(told, axis=0) > 0))
