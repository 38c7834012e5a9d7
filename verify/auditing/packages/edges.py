"""Edges: zeros, ties, negative and mixed points of whole arrays that a region leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from verify.auditing.packages.differences import settled_differences
from verify.auditing.packages.guards import is_beyond_guard
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.silence import silence
from verify.regions import Region
from verify.regions.box import Box

_MOST: Final = 6

_PART: Final = 0.6
"""Of the width of a region: in the middle of one about zero all other arguments would be zero."""

_LEAST: Final = 1e-8
"""Slopes below this are none."""

Point = tuple[Any, ...]


def edge_points(
    function: Callable[..., Any],
    claim: Callable[..., Any],
    region: Region,
    hints: Mapping[str, Hint],
) -> tuple[Point, ...]:
    """Such points outside of a region, within hints, at which the function has a derivative.

    None at which an argument is clipped that is not clipped inside of the region.

    Examples
    --------
    >>> from verify.regions import as_region
    >>> points = edge_points(np.sin, np.cos, as_region([0.5, 1.5], ["x"]), {"x": Hint(lower=-2.0)})
    >>> [float(x) for (x,) in points]
    [0.0, -1.1]
    """
    boxes = [each for each in region.arguments if isinstance(each, Box)]
    if len(boxes) < len(region.arguments):
        return ()
    lower, upper = (
        [np.broadcast_to(getattr(each, side), each.shapes[0]) for each in boxes]
        for side in ("lower", "upper")
    )
    inside = [low + _PART * (high - low) for low, high in zip(lower, upper, strict=True)]
    known = [hints.get(name, Hint()) for name in region.names]
    fitting = (
        tuple(x[()] for x in point)
        for point in _candidates(lower, inside, upper)
        if all(map(_is_within, point, known))
        and _has_derivative(function, claim, point)
        and not is_beyond_guard(function, inside, point)
    )
    return tuple(islice(fitting, _MOST))


def _candidates(
    lower: Sequence[np.ndarray], inside: Sequence[np.ndarray], upper: Sequence[np.ndarray]
) -> Iterator[Point]:
    """Each argument in turn, and all of them together."""
    seen: set[bytes] = set()
    for change in _CHANGES:
        changed = [np.asarray(change(x), dtype=np.float64) for x in inside]
        every = [[*inside[:k], changed[k], *inside[k + 1 :]] for k in range(len(inside))]
        for point in (*every, changed):
            told = b"".join(x.tobytes() for x in point)
            known = all(
                bool(np.all((x >= low) & (x <= high)))
                for x, low, high in zip(point, lower, upper, strict=True)
            )
            if not known and told not in seen:
                seen.add(told)
                yield tuple(point)


_CHANGES: Final[tuple[Callable[[np.ndarray], Any], ...]] = (
    np.zeros_like,
    lambda x: np.full(x.shape, np.mean(x)),
    lambda x: -np.abs(x),
    lambda x: np.abs(x) * np.where(np.arange(x.size) % 2, -1.0, 1.0).reshape(x.shape),
)
"""Zeros, ties, negative numbers, and both signs by turns."""


def _is_within(x: np.ndarray, hint: Hint) -> bool:
    """Whether all numbers are inside of the bounds, which may be singular themselves."""
    return bool(np.all((x > hint.lower) & (x < hint.upper)))


def _has_derivative(function: Callable[..., Any], claim: Callable[..., Any], point: Point) -> bool:
    """Whether differences settle, and the claim answers at all."""
    given = tuple(x[()] for x in point)
    try:
        with silence():
            claim(*given)
            if not np.all(np.isfinite(np.asarray(function(*given), dtype=np.float64))):
                return False
            slopes = [settled_differences(function, given, (k,), _LEAST) for k in range(len(given))]
            return all(each is not None for each in slopes)
    except Exception:  # noqa: BLE001  # theirs, whatever it is
        return False
