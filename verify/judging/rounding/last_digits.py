"""The long constants of programs, and by how much their last digits may be off."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node

_NEAR_ONE: Final = 1 / 4
_MOST_OF_OWN: Final = 64
"""Units in the last place of 1 that count as one of a smaller constant that was computed, as the
logarithm of a quotient near 1 and what is left of 1 are, and how many of its own these may be."""

_NEIGHBOURS: Final = 16
_MOST_BESIDE: Final = 512
"""Units in the last place of the largest constant in its row and in its column that count as one of
a constant that was computed in an array, and how many of its own these may be."""

_RESIDUE: Final = (2.0**-8, 64.0)
"""Units of the largest between which a constant may be what is left of 0: in floats the cosine of a
right angle is 6e-17."""

LEAST: Final = 2
"""Units in the last place by which constants are moved at least."""


def long_constants(graph: Graph, digits: bool = False) -> tuple[float, ...]:
    """The long constants of a graph, or their digits alone in order."""
    found: list[float] = []
    for array in _constants(graph):
        some = is_long(array)
        found += (digits_of(array) if digits else array)[some].tolist()
    return tuple(sorted(set(found))) if digits else tuple(dict.fromkeys(found))


def _constants(graph: Graph) -> Iterator[Any]:
    yield from (np.asarray(node.constant) for node in float_constants(graph))
    for node in graph.nodes:
        yield from (np.asarray(value) for value in node.params.values() if type(value) is float)


def float_constants(graph: Graph) -> Iterator[Node]:
    """The constants of a graph that are floats."""
    for node in graph.nodes:
        if node.constant is not None and np.asarray(node.constant).dtype.kind == "f":
            yield node


def is_long(array: Any) -> Any:
    """Which floats fill more than half of the digits that there are: few such are meant."""
    room = np.ldexp(digits_of(array), np.finfo(array.dtype).nmant // 2)
    return np.isfinite(array) & (room != np.floor(room))


def digits_of(array: Any) -> Any:
    """The digits of floats, as numbers from 0.5 to 1."""
    return np.abs(np.frexp(array.astype(np.float64))[0])


def units_of(array: Any, of_both: Any) -> Any:
    """By what a step moves each constant: a unit in its last place, or what computing it costs."""
    sizes = np.where(np.isfinite(array), np.abs(array), 0)
    own, limits = np.spacing(sizes), np.finfo(array.dtype)
    if not _is_computed(array):
        return own
    costs = np.maximum(own, np.minimum(_NEAR_ONE * limits.eps, _MOST_OF_OWN * own))
    if array.ndim:
        beside = _NEIGHBOURS * _neighbouring_unit(sizes, np.minimum)
        costs = np.maximum(costs, np.minimum(beside, _MOST_BESIDE * own))
    around = _neighbouring_unit(sizes, of_both)
    return np.where(_is_left(sizes, around), np.maximum(around, sizes / LEAST), costs)


def _neighbouring_unit(sizes: Any, of_both: Any) -> Any:
    """A unit in the last place of the largest constant in the row and column of each.

    Beside one that stands alone, in a product with the cosine of an angle, may be any or a 1.
    """
    largest = [np.max(sizes, axis, keepdims=True, initial=0) for axis in range(sizes.ndim)]
    largest = largest or [sizes, np.ones_like(sizes)]
    return np.spacing(functools.reduce(of_both, largest))


def _is_left(sizes: Any, around: Any) -> Any:
    """Which constants may be what is left of 0."""
    least, most = (units * around for units in _RESIDUE)
    return (least <= sizes) & (sizes <= most)


def has_residues(program: Graph) -> bool:
    """Whether constants may be what is left of 0 beside the larger of row and column."""
    arrays = (np.abs(np.asarray(node.constant)) for node in float_constants(program))
    return any(np.any(_is_left(array, _neighbouring_unit(array, np.maximum))) for array in arrays)


def _is_computed(array: Any) -> bool:
    """Whether no decimal gives most of its long floats, of as many digits as are kept of any."""
    digits, kind = np.finfo(array.dtype).precision - 1, array.dtype.type
    long = array[is_long(array)].tolist()
    missed = [value for value in long if float(kind(f"{value:.{digits}e}")) != value]
    return 2 * len(missed) > len(long)
