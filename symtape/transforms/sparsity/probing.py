"""Which elements of its argument each element of a linear map's result depends on, by asking it.

Groups of elements that have no result in common are asked about together, and each group that has
an answer is halved, until it is one element.

Source
------
A. Griewank, C. Mitev, "Detecting Jacobian sparsity patterns by Bayesian probing", Mathematical
Programming 93 (2002).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Final

import numpy as np

from symtape.primitives.primitive import Array
from symtape.transforms.sparsity.colouring import lines, orthogonal_colours

_FIRST: Final = 6
"""Of which power of 2 there are groups to begin with, at most."""

_AT_ONCE: Final = 2**24
"""Numbers that are asked about at a time."""

_MOST: Final = 2**25
"""Pairs, above which groups are left as they are: a result depends on all of one or on none."""

Linear = Callable[[Array], Array]


def dependences(linear: Linear, size: int, largest: int = 0) -> tuple[Array, Array, Array]:
    """Pairs of a group of elements, and an element of the result that may depend on them.

    Parameters
    ----------
    linear : callable ``(k, size) -> (k, n)``
        Of no negative coefficients, on `k` vectors at once.
    size : int
        Of the argument.
    largest : int, optional
        Numbers of the largest array that `linear` makes of one vector, if not of its result.

    Returns
    -------
    groups : int array, shape (size,)
        Of which group each element is: of one of its own, where there is room for all pairs.
    group, result : int arrays
        The pairs.

    Examples
    --------
    >>> groups, group, result = dependences(lambda x: x[:, 1:] + x[:, :-1], 3)
    >>> groups.tolist(), sorted(zip(group.tolist(), result.tolist()))
    ([0, 1, 2], [(0, 0), (1, 0), (1, 1), (2, 1)])
    """
    shift = max(0, (size - 1).bit_length() - _FIRST)
    count = linear(np.zeros((1, size), np.float32)).shape[1]
    largest = max(largest, size, count, 1)
    groups = _groups(size, shift)
    group, result = _probe_groups(linear, size, shift, groups, largest)
    while shift and len(group) <= _MOST:
        if len(group) * 2 > groups * count:
            # So many have results in common that nothing is gained by asking of several together.
            if size * count > _MOST:
                break
            shift = 0
            group, result = _probe_groups(linear, size, shift, size, largest)
            break
        colours = np.array(orthogonal_colours(lines(group, result, groups), count), np.int64)
        shift -= 1
        groups = _groups(size, shift)
        halves = np.concatenate([group * 2, group * 2 + 1])
        colours = np.add.outer(colours * 2, np.arange(2)).ravel()[:groups]
        known = halves < groups
        group, result = halves[known], np.tile(result, 2)[known]
        met = _probe_pairs(linear, size, shift, colours, group, result, largest)
        group, result = group[met], result[met]
    return np.arange(size) >> shift, group, result


def dependences_by_axes(
    linear: Linear, shape: tuple[int, ...], most: int
) -> tuple[Array, Array, Array] | None:
    """As :func:`dependences`, of an argument of `shape`, asked about slices across each axis.

    A result may depend on what lies in all the slices that it depends on.

    Parameters
    ----------
    linear : callable ``(k, *slices) -> (k, n)``
        Of arrays that are broadcast to `shape`.
    shape : tuple of int
    most : int
        Pairs, above which the answer is None.

    Examples
    --------
    >>> def product(x):
    ...     return np.broadcast_to(x, (len(x), 2, 2)) @ np.eye(2)[0]
    >>> groups, group, result = dependences_by_axes(product, (2, 2), 100)
    >>> groups.tolist(), group.tolist(), result.tolist()
    ([[0, 1], [2, 3]], [0, 2], [0, 1])
    """
    groups = np.zeros((), np.int64)
    group, result = np.zeros(1, np.int64), None
    for axis, size in enumerate(shape):
        behind = (1,) * (len(shape) - 1 - axis)

        def of_slices(x: Array, before: int = axis, behind: tuple[int, ...] = behind) -> Array:
            return linear(x.reshape(len(x), *(1,) * before, x.shape[1], *behind))

        slices, part, other = dependences(of_slices, size, prod(shape))
        count = int(slices.max(initial=-1)) + 1
        groups = groups[..., None] * count + slices
        if result is None:
            group, result = part, other
            continue
        joined = _join_by_result(group * count, result, part, other, most)
        if joined is None:
            return None
        group, result = joined
    if result is None:
        result = np.flatnonzero(linear(np.ones((1,), np.float32))[0])
        group = np.zeros(len(result), np.int64)
    return groups, group, result


def _join_by_result(
    group: Array, result: Array, part: Array, other: Array, most: int
) -> tuple[Array, Array] | None:
    """Each of `group` plus each of `part` of the same result."""
    order = np.argsort(other, kind="stable")
    part, other = part[order], other[order]
    first = np.searchsorted(other, result)
    counts = np.searchsorted(other, result, side="right") - first
    if counts.sum() > most:
        return None
    place = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
    return np.repeat(group, counts) + part[place], np.repeat(result, counts)


def _groups(size: int, shift: int) -> int:
    return -(-size >> shift) if size else 0


def _parts(colours: int, largest: int) -> Iterator[tuple[int, int]]:
    step = max(1, _AT_ONCE // largest)
    for start in range(0, colours, step):
        yield start, min(start + step, colours)


def _answers(linear: Linear, size: int, of_element: Array, start: int, stop: int) -> Array:
    """Which results are not 0, for each colour of elements from `start` to `stop`."""
    seeds = np.zeros((stop - start, size), np.float32)
    elements = np.flatnonzero((of_element >= start) & (of_element < stop))
    seeds[of_element[elements] - start, elements] = 1
    return np.not_equal(linear(seeds), 0)


def _probe_groups(
    linear: Linear, size: int, shift: int, groups: int, largest: int
) -> tuple[Array, Array]:
    """The results of each group, asked about alone."""
    of_element = np.arange(size) >> shift
    found = [
        (start + part, result)
        for start, stop in _parts(groups, largest)
        for part, result in [np.nonzero(_answers(linear, size, of_element, start, stop))]
    ]
    none = (np.zeros(0, np.int64),) * 2
    group, result = (np.concatenate(parts) for parts in zip(none, *found, strict=True))
    return group, result


def _probe_pairs(
    linear: Linear,
    size: int,
    shift: int,
    colours: Array,
    group: Array,
    result: Array,
    largest: int,
) -> Array:
    """Of pairs of a group and a result, whether the answer to the group's colour has the result."""
    of_element, asked = colours[np.arange(size) >> shift], colours[group]
    met = np.zeros(len(group), bool)
    for start, stop in _parts(int(colours.max(initial=-1)) + 1, largest):
        answers = _answers(linear, size, of_element, start, stop)
        here = np.flatnonzero((asked >= start) & (asked < stop))
        met[here] = answers[asked[here] - start, result[here]]
    return met
