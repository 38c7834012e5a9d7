"""Proofs that something has one sign on a box, by interval subdivision.

Independent of what is evaluated: an evaluation takes an interval for each name and answers an
interval that holds every value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from symtape.symbolic.interval import EVERYTHING, Interval, point

_BOXES: Final = 400
"""Boxes that are tried before a sign counts as not known."""

Evaluation = Callable[[Mapping[str, Interval]], Interval]


def sign_on(evaluate: Evaluation, box: Mapping[str, Interval], names: Sequence[str]) -> int | None:
    """The sign that a function has all over `box`; None if that is not proven.

    Parameters
    ----------
    evaluate : callable
        Takes an interval for each name, answers one that holds the function's values.
    box : mapping
        An interval for each name that is bounded; the others are the whole line.
    names : sequence of str
        What the function depends on.

    Examples
    --------
    >>> from symtape.symbolic.boxes import boxes
    >>> parabola = lambda given: given["x"] ** 2 + point(1)
    >>> sign_on(parabola, {}, ["x"])
    1
    >>> sign_on(lambda given: given["x"], boxes("-1 <= x <= 1")[0], ["x"]) is None
    True
    """
    whole = {name: box.get(name, EVERYTHING) for name in names}
    expected = evaluate(_middle_box(whole)).sign()
    if expected is None or (expected == 0 and evaluate(whole).sign() != 0):
        return None
    waiting = [whole]
    for _ in range(_BOXES):
        part = waiting.pop()
        found = evaluate(part).sign()
        if found != expected:
            if not names or found is not None:
                return None
            waiting.extend(_halve_box(part))
            if evaluate(_middle_box(waiting[-1])).sign() != expected:
                return None
        if not waiting:
            return expected
    return None


def somewhere(box: Mapping[str, Interval], names: Sequence[str]) -> dict[str, Any]:
    """A point inside `box`, an exact Arb number for each name; different ones where it can."""
    found: dict[str, Any] = {}
    for k, name in enumerate(names):
        inner = box.get(name, EVERYTHING)
        for turn in bin(3 + 5 * k)[2:]:
            inner = inner.halves()[int(turn)]
        found[name] = inner.middle()
    return found


def _middle_box(box: Mapping[str, Interval]) -> dict[str, Interval]:
    return {name: point(interval.middle()) for name, interval in box.items()}


def _halve_box(box: Mapping[str, Interval]) -> list[dict[str, Interval]]:
    """Two boxes that cover `box`, split across its longest side; a side without end is longest."""

    def length(name: str) -> float:
        interval = box[name]
        if interval.width.is_finite():
            return min(float(interval.width), 1e300)
        both = not interval.low.is_finite() and not interval.high.is_finite()
        return float("inf") if both else 1e301 / (1 + abs(float(interval.middle())))

    widest = max(box, key=length)
    return [{**box, widest: half} for half in box[widest].halves()]
