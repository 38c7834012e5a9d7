"""Widths: how many numbers an array argument has, of which nobody has said how many.

``x[0]**2 + x[1]`` answers for three numbers as for two, and ``x[0] * x[1] + np.sum(x)`` answers for
three although it is written for two. What is claimed of the third is then no mistake, for nobody
meant the function to be given it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

import numpy as np

from verify.auditing.packages.guards import answer_at

Function = Callable[..., Any]
Point = tuple[Any, ...]

_CHANGES: Final[tuple[Callable[[np.ndarray], np.ndarray], ...]] = (
    np.negative,
    np.zeros_like,
    lambda x: 3 * x + 1,
    lambda x: x / 2 - 1,
)


def narrow_to_width(
    function: Function,
    point: Sequence[Any],
    places: Collection[int],
    claims: Sequence[Function] = (),
) -> Point:
    """A point with shorter arrays, along any axis, where those that it has are too long.

    An array is too long if its last entries are never read; or if fewer do, and with one less there
    would be none for an index that the function has. It keeps its length if a claim does not answer
    for the shorter one, or with as many numbers: the package itself then takes so many.

    Parameters
    ----------
    function : callable
    point : sequence of array_like
    places : collection of int
        Of the arguments whose lengths are nobody's.
    claims : sequence of callable
        Of the same arguments; each returns an array.

    Examples
    --------
    >>> narrow_to_width(lambda x: x[0] ** 2 + x[1], [np.ones(3)], [0])
    (array([1., 1.]),)
    >>> narrow_to_width(lambda x: x[0] * x[1] + np.sum(x), [np.ones(3)], [0])
    (array([1., 1.]),)
    >>> narrow_to_width(lambda x: np.sum(x[1:] * x[:-1]), [np.ones(3)], [0])
    (array([1., 1., 1.]),)
    """
    found = tuple(point)
    for k in places:
        for axis in range(np.ndim(found[k])):
            for shorter in _shorter(function, found, k, axis):
                if all(_answers_less(claim, shorter, found) for claim in claims):
                    found = shorter
                    break
    return found


def _shorter(function: Function, point: Point, k: int, axis: int) -> Iterator[Point]:
    """The points with fewer entries along an axis at which the function is meant, if any."""
    value = answer_at(function, point)
    least = shorter = point
    while np.shape(shorter[k])[axis] > 1:
        shorter = _drop_last(shorter, k, axis)
        answer = answer_at(function, shorter)
        if isinstance(answer, IndexError) and least is not point:
            yield least
        if isinstance(answer, BaseException) or np.shape(answer) != np.shape(value):
            break
        least = shorter
    read = point
    while np.shape(read[k])[axis] > 1 and _ignores_last(function, read, k, axis):
        read = _drop_last(read, k, axis)
    if read is not point:
        yield read


def _drop_last(point: Point, k: int, axis: int) -> Point:
    return (*point[:k], np.delete(point[k], -1, axis), *point[k + 1 :])


def _ignores_last(function: Function, point: Point, k: int, axis: int) -> bool:
    """Whether the value is the same with other numbers in the last entries, and without them."""
    value = answer_at(function, point)
    others = (*_move_widths(point, k, axis), _drop_last(point, k, axis))
    return all(_is_same(answer_at(function, other), value) for other in others)


def _move_widths(point: Point, k: int, axis: int) -> Iterator[Point]:
    for change in _CHANGES:
        moved = np.array(point[k], dtype=np.float64)
        last = np.moveaxis(moved, axis, 0)[-1:]
        last[...] = change(last)
        yield (*point[:k], moved, *point[k + 1 :])


def _answers_less(claim: Function, shorter: Point, point: Point) -> bool:
    one, other = answer_at(claim, shorter), answer_at(claim, point)
    failed = isinstance(one, BaseException) or isinstance(other, BaseException)
    return not failed and np.size(one) < np.size(other)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, BaseException):
        return False
    return np.shape(one) == np.shape(other) and np.array_equal(one, other)
