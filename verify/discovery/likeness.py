"""Likeness: whether a claim has anything to do with the derivative, by differences of values.

Where a pair was guessed from names, a claim that is right nowhere is more probably the derivative
of something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from verify.discovery.silence import silence
from verify.model.case import Case, claimant, part_names

_POINTS: Final = 12
_TRIED: Final = 60
_CLOSE: Final = 1e-3
"""Relative to the size of the derivative."""

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Likeness:
    """At how many points a claim is about the derivative.

    Attributes
    ----------
    right, looked_at : int
        Points.
    words : str
        The numbers at the first point at which it is not.
    """

    right: int
    looked_at: int
    words: str = ""


def likeness_of(case: Case) -> Likeness:
    """Compare a claim with central differences at points of its region.

    Examples
    --------
    >>> from verify.regions import as_region
    >>> case = Case("c", "c", np.sin, (), claimed=np.exp, over=as_region([0.5, 1.5], ["x"]))
    >>> found = likeness_of(case)
    >>> found.right, found.looked_at
    (0, 12)
    """
    right = looked_at = 0
    words = ""
    for point in _points(case):
        compared = _compared(case, point)
        if compared is None:
            continue
        looked_at += 1
        if not compared:
            right += 1
        words = words or compared
        if looked_at == _POINTS:
            break
    return Likeness(right, looked_at, words)


def agrees_at(case: Case, point: tuple[Any, ...]) -> bool:
    """Whether a claim is about right at a point, as far as differences can tell."""
    return _compared(case, point) == ""


def _points(case: Case) -> Iterator[tuple[Any, ...]]:
    assert case.over is not None
    random = np.random.default_rng(case.seed)
    for _ in range(_TRIED):
        yield case.over.draw(random, "uniform")


def _compared(case: Case, point: tuple[Any, ...]) -> str | None:
    """Empty where the claim is about right; None where nothing can be said."""
    try:
        with silence():
            parts = _parts(case, point)
            each = [_differences(case, point, k) for k in _rows(case, len(point))]
    except Exception:  # noqa: BLE001  # outside of what the functions take
        return None
    names = part_names(case.function, len(point), case.claimed_quantity)
    for name, claimed, slope in zip(names, parts, each, strict=False):
        if slope is None:
            return None
        size = float(np.max(np.abs(slope), initial=0.0))
        off = np.abs(np.reshape(claimed, slope.shape) - slope)
        if not (off <= _CLOSE * max(size, 1e-12)).all():
            at = int(np.argmax(off))
            return (
                f"at {', '.join(np.array2string(np.asarray(x), precision=6) for x in point)} the "
                f"slope by {name} is about {np.ravel(slope)[at]:.6g} and {claimant(case)} "
                f"gives {np.ravel(claimed)[at]:.6g}"
            )
    return ""


def _rows(case: Case, count: int) -> tuple[int, ...]:
    return case.claimed_quantity.rows(count)


def _parts(case: Case, point: tuple[Any, ...]) -> list[np.ndarray]:
    assert case.claimed is not None
    answer = case.claimed(*point)
    several = len(_rows(case, len(point))) > 1
    return [np.asarray(part, dtype=np.float64) for part in (answer if several else (answer,))]


def _differences(case: Case, point: tuple[Any, ...], k: int) -> np.ndarray | None:
    """The Jacobian by argument `k`, by central differences; None where they do not settle."""
    assert case.function is not None
    x = np.asarray(point[k], dtype=np.float64)
    columns = []
    for place in np.ndindex(x.shape):
        step = 1e-5 * max(abs(float(x[place])), 1e-2)
        wide, narrow = (_slope(case, point, k, place, h) for h in (2 * step, step))
        size = max(float(np.max(np.abs(narrow), initial=0.0)), 1e-12)
        if not (np.abs(wide - narrow) <= 1e-4 * size).all():
            return None
        columns.append(narrow)
    return np.stack(columns, axis=-1).reshape(columns[0].shape + x.shape)


def _slope(
    case: Case, point: tuple[Any, ...], k: int, place: tuple[int, ...], step: float
) -> np.ndarray:
    ends = []
    for sign in (1, -1):
        moved = np.array(point[k], dtype=np.float64)
        moved[place] += sign * step
        given = [*point[:k], moved[()], *point[k + 1 :]]
        ends.append(np.asarray(case.function(*given), dtype=np.float64))
    return np.asarray((ends[0] - ends[1]) / (2 * step))
