"""Likeness: whether a claim has anything to do with the derivative, by differences of values.

Where a pair was guessed from names, a claim that is right nowhere may be the derivative of
something else. It is told from a wrong derivative by what the two have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

import numpy as np

from symtape.recording.structure import concatenate_entries, flatten
from verify.auditing.packages.differences import settled_differences
from verify.auditing.packages.silence import silence
from verify.model.case import Case, claimant, part_names

_POINTS: Final = 12
_TRIED: Final = 60
_CLOSE: Final = 1e-3
"""Relative to the size of the derivative."""

_ALIKE: Final = 0.9
"""The least correlation of a claim with the derivative that shows that it is meant for it."""

_FEWEST: Final = 4
"""Numbers that a correlation is read from."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """At how many points a claim is about the derivative, and what it is where it is not.

    Attributes
    ----------
    right, looked_at : int
        Points.
    words : str
        The numbers at the first point at which it is not.
    everywhere : str
        What the claim is of the derivative at all points; empty where they have nothing in common.
    of_value : bool
        Whether it is the derivative where it is given the value of the function, as ``y * (1 - y)``
        of a sigmoid.
    """

    right: int
    looked_at: int
    words: str = ""
    everywhere: str = ""
    of_value: bool = False


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is claimed at a point, and the slopes there, part by part."""

    point: tuple[Any, ...]
    claimed: list[Any]
    slopes: list[Any]


def likeness_of(case: Case) -> Likeness:
    """Compare a claim with central differences at points of its region.

    Examples
    --------
    >>> from verify.regions import as_region
    >>> def likeness(claim):
    ...     over = as_region([0.5, 1.5], ["x"])
    ...     return likeness_of(Case("c", "c", np.sin, (), claimed=claim, over=over))
    >>> found = likeness(lambda x: -2 * np.cos(x))
    >>> found.right, found.looked_at, found.everywhere
    (0, 12, 'the derivative times -2')
    >>> likeness(lambda x: np.cos(40 * x)).everywhere
    ''
    """
    seen: list[_Seen] = []
    for point in _points(case):
        if (found := _seen_at(case, point)) is not None:
            seen.append(found)
        if len(seen) == _POINTS:
            break
    words = [_difference(case, each) for each in seen]
    first = next(filter(None, words), "")
    common = _describe_common(seen) if seen else ""
    of_value = bool(seen) and all(_is_of_value(case, each) for each in seen)
    return Likeness(words.count(""), len(seen), first, common, of_value)


def agrees_at(case: Case, point: tuple[Any, ...]) -> bool:
    """Whether a claim is about right at a point, as far as differences can tell."""
    seen = _seen_at(case, point)
    return seen is not None and not _difference(case, seen)


def _points(case: Case) -> Iterator[tuple[Any, ...]]:
    assert case.over is not None
    random = np.random.default_rng(case.seed)
    for _ in range(_TRIED):
        yield case.over.draw(random, "uniform")


def _seen_at(case: Case, point: tuple[Any, ...]) -> _Seen | None:
    """None where nothing can be said: outside of what the functions take, or of differences."""
    assert case.claimed is not None
    parts = case.claimed_quantity.parts(len(point))
    try:
        with silence():
            answer = case.claimed(*point)
            slopes = [
                it
                for by in parts
                if (it := settled_differences(case.function, point, by)) is not None
            ]
            answers = flatten(answer) if len(parts) > 1 else [answer]
            claimed = [
                np.reshape(np.asarray(part, dtype=np.float64), np.shape(slope))
                for part, slope in zip(answers, slopes, strict=True)
            ]
    except Exception:  # noqa: BLE001  # theirs, whatever it is; or differences do not settle
        return None
    finite = all(bool(np.all(np.isfinite(part))) for part in (*claimed, *slopes))
    return _Seen(point, claimed, slopes) if finite else None


def _is_of_value(case: Case, seen: _Seen) -> bool:
    """Whether a claim by one argument is right where it is given the value in its place."""
    (k, *others), *more = case.claimed_quantity.parts(len(seen.point))
    if others or more:
        return False
    try:
        with silence():
            value = np.asarray(case.function(*seen.point), dtype=np.float64)
            if value.shape != np.shape(seen.point[k]):
                return False
            given = (*seen.point[:k], value[()], *seen.point[k + 1 :])
            answer = np.asarray(case.claimed(*given), dtype=np.float64)  # type: ignore[misc]
            return _close(np.reshape(answer, np.shape(seen.slopes[0])), seen.slopes[0])
    except Exception:  # noqa: BLE001  # theirs, whatever it is
        return False


def _difference(case: Case, seen: _Seen) -> str:
    """The numbers of the entry that is farthest off; empty where the claim is about right."""
    names = part_names(case.function, len(seen.point), case.claimed_quantity)
    slope_by = "second derivative by" if case.claimed_quantity.second else "slope by"
    for name, claimed, slope in zip(names, seen.claimed, seen.slopes, strict=True):
        if not _close(claimed, slope):
            at = int(np.argmax(np.abs(claimed - slope)))
            return (
                f"at {', '.join(np.array2string(np.asarray(x), precision=6) for x in seen.point)} "
                f"the {slope_by} {name} is about {np.ravel(slope)[at]:.6g} and {claimant(case)} "
                f"gives {np.ravel(claimed)[at]:.6g}"
            )
    return ""


def _close(claimed: Any, slope: Any) -> bool:
    size = float(np.max(np.abs(slope), initial=0.0))
    return bool(np.all(np.abs(claimed - slope) <= _CLOSE * max(size, 1e-12)))


def _describe_common(seen: Sequence[_Seen]) -> str:
    """What the claims are of the derivatives, in words; empty where that is nothing."""
    claimed, slopes = (
        [concatenate_entries(parts) for parts in each]
        for each in ([it.claimed for it in seen], [it.slopes for it in seen])
    )
    ours, theirs = np.concatenate(claimed), np.concatenate(slopes)
    factor = float(ours @ theirs) / max(float(theirs @ theirs), np.finfo(float).tiny)
    if all(_close(a, factor * b) for a, b in zip(claimed, slopes, strict=True)):
        return f"the derivative times {factor:.4g}" if np.any(ours) else "zero"
    if all(map(_is_transposed, seen)):
        return "the derivative with its axes exchanged"
    if right := _right_entries(claimed, slopes):
        return f"right in {right} of {claimed[0].size} entries"
    centred = [each - np.mean(each) for each in (ours, theirs)]
    alike = max(_correlation(ours, theirs), _correlation(*centred))
    return f"like the derivative, with a correlation of {alike:.2f}" if alike >= _ALIKE else ""


def _is_transposed(seen: _Seen) -> bool:
    """Whether each part is the derivative with axes in another order."""
    return all(
        any(
            axes != tuple(range(slope.ndim)) and _close(claimed, np.transpose(slope, axes))
            for axes in permutations(range(slope.ndim))
            if np.transpose(slope, axes).shape == claimed.shape
        )
        for claimed, slope in zip(seen.claimed, seen.slopes, strict=True)
    )


def _right_entries(claimed: Sequence[Any], slopes: Sequence[Any]) -> int:
    """How many entries are right at all points, and not zero."""
    if len({part.shape for part in slopes}) != 1:
        return 0
    ours, theirs = np.stack(claimed), np.stack(slopes)
    sizes = np.max(np.abs(theirs), axis=0)
    right = np.all(np.abs(ours - theirs) <= _CLOSE * sizes, axis=0)
    return int(np.count_nonzero(right & (sizes > 1e-9 * np.max(sizes, initial=0.0))))


def _correlation(a: Any, b: Any) -> float:
    sizes = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return abs(float(a @ b)) / sizes if sizes and a.size >= _FEWEST else 0.0
