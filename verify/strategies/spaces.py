"""Values of the spaces that one argument may lie in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from verify.regions.box import Box
from verify.regions.matrices import PositiveDefinite, Symmetric
from verify.regions.numbers import FloatRange
from verify.regions.simplex import Simplex
from verify.regions.space import MANNERS, Space
from verify.strategies.numbers import Draw, branch, draw_integer, number, one_of, plain_number

_MANY: Final = 24
"""Entries that are drawn one by one; the others of a long array repeat them."""

_SEEDS: Final = 2**16


def value(draw: Draw, space: Space) -> Any:
    """A value of a space of one shape.

    Parameters
    ----------
    draw : callable
        Of a composite strategy.
    space : Space
    """
    for kind, drawn in _DRAWN.items():
        if isinstance(space, kind):
            return drawn(draw, space)
    return _draw_by_chance(draw, space)


def _draw_by_chance(draw: Draw, space: Space) -> Any:
    manner = one_of(draw, MANNERS[::-1])
    return space.draw(np.random.default_rng(draw_integer(draw, _SEEDS)), manner)


def _box(draw: Draw, space: Box) -> Any:
    manners = (_draw_distinct, _draw_distinct, _draw_numbers, _draw_numbers, _draw_with_ties)
    drawn = manners[branch(draw, len(manners))](draw, space.intervals[:_MANY])
    if len(space.intervals) <= _MANY:
        return space.value(np.array(drawn))
    return space.nearest(np.resize(drawn, space.shape).astype(np.float64))


def _draw_distinct(draw: Draw, intervals: tuple[FloatRange, ...]) -> list[float]:
    """Plain numbers, different ones as far as there are enough."""
    found: list[float] = []
    for interval in intervals:
        found.append(plain_number(draw, interval, found))
    return found


def _draw_numbers(draw: Draw, intervals: tuple[FloatRange, ...]) -> list[float]:
    return [number(draw, interval) for interval in intervals]


def _draw_with_ties(draw: Draw, intervals: tuple[FloatRange, ...]) -> list[float]:
    """Few numbers, each of them in several places."""
    found: list[float] = []
    for interval in intervals:
        again = [x for x in dict.fromkeys(found) if x in interval]
        if again and draw_integer(draw, 4):
            found.append(one_of(draw, again))
        else:
            found.append(number(draw, interval))
    return found


def _positive_definite(draw: Draw, space: PositiveDefinite) -> Any:
    """Diagonal and plain with different eigenvalues, or by chance with eigenvalues far apart."""
    chance = _now_and_then(draw, space)
    sizes = _draw_permutation(draw, 8, min(space.n, 8))
    built = np.diag(np.resize(sizes, space.n) * min(space.scale, 8.0) / 8).astype(space.dtype)
    return built if chance is None and space.contains(built) else _default_draw(chance, space)


def _simplex(draw: Draw, space: Simplex) -> Any:
    """Weights that are different wholes, or equal or zero, or of all magnitudes."""
    chance = _now_and_then(draw, space)
    manner = draw_integer(draw, 4)
    weights = _draw_permutation(draw, 8, min(space.n, 8))
    if manner == 2:
        weights = np.minimum(weights, 3.0)
    if manner == 3:
        weights = np.maximum(weights - 2.0, 0.0)
    full = np.resize(weights, space.n)
    built = space.normalise(full if full.any() else full + 1.0)
    return built if chance is None and space.contains(built) else _default_draw(chance, space)


def _now_and_then(draw: Draw, space: Space) -> Any:
    """A value by chance, one time in three; None otherwise.

    What is drawn after it is drawn in any case, so that a value by chance takes more choices and
    is the less simple.
    """
    return _draw_by_chance(draw, space) if draw_integer(draw, 3) == 2 else None


def _default_draw(chance: Any, space: Space) -> Any:
    return space.draw(np.random.default_rng(0), "whole") if chance is None else chance


def _draw_permutation(draw: Draw, most: int, count: int) -> np.ndarray:
    """`count` different whole numbers from 1 to `most`."""
    left = list(range(1, most + 1))
    return np.array(
        [left.pop(draw_integer(draw, len(left))) for _ in range(count)], dtype=np.float64
    )


_DRAWN: Final[dict[type[Space], Callable[[Draw, Any], Any]]] = {
    Box: _box,
    PositiveDefinite: _positive_definite,
    Symmetric: lambda draw, space: space.full(_box(draw, space.triangle)),
    Simplex: _simplex,
}
