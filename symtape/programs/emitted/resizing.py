"""Arguments of other lengths: which of them belong together, and values to record at."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

Axis = tuple[int, int]
"""The number of an argument, and of its axis."""

_MOST_AXES: Final = 12
"""Of one length, that are tried apart."""

_SMALL: Final = 20
"""Lengths above it are made less, so that recording again is cheap."""


def free_axes(function: Callable[..., Any], args: Sequence[Any]) -> list[frozenset[Axis]]:
    """The axes that can have other lengths, those together that only can together.

    It is found by calling the function at other lengths. Axes of length 1 and 0 stay, for they
    broadcast.
    """
    shapes = [np.shape(arg) for arg in args]
    alike: dict[int, list[Axis]] = {}
    for number, shape in enumerate(shapes):
        for axis, length in enumerate(shape):
            if length > 1:
                alike.setdefault(length, []).append((number, axis))
    wanted = np.shape(_call_if_possible(function, args))
    found: list[frozenset[Axis]] = []
    for length, axes in alike.items():
        other = next(primes(length, [n for shape in shapes for n in shape]))

        def runs(some: frozenset[Axis], other: int = other) -> bool:
            got = _call_if_possible(function, resize_arguments(args, dict.fromkeys(some, other)))
            return got is not None and len(np.shape(got)) == len(wanted)

        found.extend(_group_linked_axes(axes, runs))
    return sorted(found, key=min)


def _group_linked_axes(
    axes: Sequence[Axis], runs: Callable[[frozenset[Axis]], bool]
) -> Iterator[frozenset[Axis]]:
    """The least sets of axes of one length that can be changed."""
    left = frozenset(axes)
    while left and len(axes) <= _MOST_AXES:
        first = min(left)
        if not runs(left):
            left -= {first}
            continue
        kept = left
        for other in sorted(left - {first}):
            if runs(kept - {other}):
                kept -= {other}
        yield kept
        left -= kept


def _call_if_possible(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """What a function returns; None where it raises, whatever it is that it has against `args`."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args)
    except Exception:  # noqa: BLE001  # code of the user at shapes that it is not made for
        return None


def primes(length: int, taken: Sequence[int], at_least: int = 5) -> Iterator[int]:
    """Lengths in place of another that nothing else has.

    Examples
    --------
    >>> list(itertools.islice(primes(5, [5, 7]), 3))
    [11, 13, 17]
    """
    least = max(at_least, min(length, _SMALL) + 1)
    for n in itertools.count(least):
        if n not in taken and all(n % k for k in range(2, n)):
            yield n


def resize_arguments(args: Sequence[Any], lengths: Mapping[Axis, int]) -> list[Any]:
    """Arguments with axes of other lengths, made of the same numbers.

    What is longer repeats its elements; a matrix that is longer both ways gets further numbers on
    its diagonal alone, so that what is positive definite, or triangular, stays so.

    Examples
    --------
    >>> resize_arguments([np.array([1.0, 2.0])], {(0, 0): 3})
    [array([1., 2., 1.])]
    >>> resize_arguments([np.array([[2.0, 1.0], [1.0, 2.0]])], {(0, 0): 3, (0, 1): 3})[0].tolist()
    [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 2.0]]
    """
    made = []
    for number, arg in enumerate(args):
        wanted = {axis: n for (which, axis), n in lengths.items() if which == number}
        if not wanted:
            made.append(arg)
            continue
        before = array = np.asarray(arg)
        for axis, n in wanted.items():
            array = np.take(array, np.arange(n) % before.shape[axis], axis=axis)
        if before.ndim == 2 and before.shape[0] == before.shape[1] and len(wanted) == 2:
            array = _border_with_identity(before, array)
        made.append(array)
    return made


def _border_with_identity(before: Any, array: Any) -> Any:
    size = len(before)
    if array.shape[0] != array.shape[1] or len(array) <= size:
        return array
    array[size:, :] = 0
    array[:, size:] = 0
    rest = np.arange(size, len(array))
    array[rest, rest] = before[rest % size, rest % size]
    return array
