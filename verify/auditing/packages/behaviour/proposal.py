"""Proposals: claims that behave as derivatives, and those of them that are kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verify.auditing.packages.behaviour.agreement import LEAST, Form
from verify.auditing.packages.behaviour.numbers import Path


@dataclass(frozen=True, slots=True)
class Proposal:
    """A claim that behaves as a derivative.

    Attributes
    ----------
    function, claim : str
        Qualified names.
    item, element : tuple of int
        Which of what each returns.
    by : tuple of str
        The arguments.
    second : bool
    form : str
    shape : tuple of int
        Of the derivative, as it is judged.
    factor : float
        What the claim is multiplied by, of a force that is minus a gradient.
    constants : mapping
    points : tuple of points
        At which both were called.
    why : str
    sure : float
        From 0 to 1, which is of one all of whose entries agree.
    is_meant : bool
        Whether names, or a flag, say that it is a derivative.
    score : tuple of float
        Which of several is the best.
    """

    function: str
    claim: str
    item: Path
    element: Path
    by: tuple[str, ...]
    second: bool
    form: Form
    shape: tuple[int, ...]
    factor: float
    constants: Mapping[str, Any]
    points: tuple[tuple[Any, ...], ...]
    why: str
    sure: float
    is_meant: bool
    score: tuple[float, ...]

    @property
    def is_own(self) -> bool:
        """Whether one function returns both."""
        return self.claim == self.function


def _place(each: Proposal) -> tuple[Any, ...]:
    has_both = each.is_own and each.sure == 1.0  # Values and derivative.
    best_first = tuple(-number for number in each.score)
    return each.claim, not has_both, each.sure < LEAST, len(each.element), each.element, best_first


def drop_repetitions(found: Collection[Proposal]) -> list[Proposal]:
    """Of items within each other the whole, unless only a part of it looks like a derivative.

    Of two that look like the derivative of each other, as a sine and a cosine, the better one; and
    none of an item of a tuple that is itself like a derivative: where the first derivative is
    wrong, the second one is not to blame.
    """
    kept: list[Proposal] = []
    score = {(it.function, it.claim): it.score for it in found if not it.is_own}
    forward = [it for it in found if it.score >= score.get((it.claim, it.function), it.score)]
    derived = {(it.claim, it.element) for it in found if it.is_own}
    for each in sorted(forward, key=_place):
        others = [it for it in kept if it.claim == each.claim]
        if each.is_own and ((each.claim, each.item) in derived or _is_idle(each, others)):
            continue
        elements = (it.element for it in others)
        if not any(it[: len(each.element)] == each.element[: len(it)] for it in elements):
            kept.append(each)
    return kept


def _is_idle(each: Proposal, others: Sequence[Proposal]) -> bool:
    """Whether an item of a tuple says nothing, beside others of it that are derivatives.

    It is none of the first value, and no name says that there are others; or it is at best like a
    derivative that another one is, or that has its place elsewhere: neither right behind its value,
    nor as far behind it as a right one is, nor beside a right one of its value, nor the second to a
    right first one.
    """
    own = [it for it in others if it.is_own]
    if each.sure == 1.0:
        return not (each.is_meant or each.item in ((), (0,)) or own)
    right = [it for it in own if it.sure == 1.0]
    behind = each.element[0] - each.item[0]
    return (
        (each.item, each.by, each.second) in {(it.item, it.by, it.second) for it in own}
        or each.item >= min((it.element for it in right), default=(1,))
        or not (behind == 1 or any(_is_like(it, each) for it in right))
    )


def _is_like(right: Proposal, each: Proposal) -> bool:
    """Whether a right derivative in a tuple shows that another item has its place there."""
    if right.item != each.item:
        return right.element[0] - right.item[0] == each.element[0] - each.item[0]
    beside = abs(right.element[0] - each.element[0]) == 1
    return beside or (each.second and right.by == each.by)
