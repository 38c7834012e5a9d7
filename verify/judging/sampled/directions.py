"""Along which lines a claim is probed, and what it says of each.

Of first derivatives a claim says how fast the outputs change along a direction. Of second ones it
says how fast the slope along one direction changes along another, which the curvatures along
their sum and their difference tell (polarisation).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.recording.structure import concatenate_entries
from verify.claimants.claim import Claim
from verify.model.case import argument_names
from verify.regions.shapes import coordinate_labels

_EACH: Final = 12
"""So many entries are moved one by one, at most; of more, some."""
_PAIRS: Final = 24
_TOGETHER_NAME: Final = "all entries together"
_TOGETHER: Final = 2
"""Directions in which all entries move."""

Direction = dict[int, Any]


@dataclass(frozen=True, slots=True)
class Probe:
    """A derivative along directions, as it is claimed.

    Attributes
    ----------
    name : str
        Of the directions, for people.
    lines : tuple of (direction, factor)
        The derivative is the sum of those along these, each times its factor.
    order : int
        1, or 2 for curvatures.
    claimed : float64 array, one an output
    size : float64 array, one an output
        The same of the sizes of all entries, whatever their signs.
    unit : float
        The epsilon of the claim's format.
    entry : float
        How large the derivative would be, along these directions, by an entry of size 1.
    """

    name: str
    lines: tuple[tuple[Direction, float], ...]
    order: int
    claimed: np.ndarray
    size: np.ndarray
    unit: float
    entry: float

    @property
    def rounding(self) -> np.ndarray:
        """What a unit in the last place of each entry of the claim amounts to."""
        return 2 * self.unit * self.size


def probes(
    claim: Claim, point: tuple[Any, ...], parts: list[Any], random: np.random.Generator
) -> Iterator[Probe]:
    """What to probe a claim by at a point, directions of all entries first.

    Parameters
    ----------
    claim : Claim
    point : tuple of arrays
    parts : list of arrays
        What it answered there.
    random : numpy.random.Generator
    """
    quantity, count = claim.quantity, len(point)
    if quantity.name == "jvp":
        rows, along = quantity.rows(count), quantity.direction_places(count)
        given = {i: np.asarray(point[at], float) for i, at in zip(rows, along, strict=True)}
        flat = concatenate_entries(parts)
        yield Probe("the tangent", ((given, 1.0),), 1, flat, np.abs(flat), _unit(parts), 1.0)
    elif quantity.name == "hessian":
        yield from _pairs(claim, point, parts, random)
    else:
        yield from _single(claim, point, parts, random)


def _single(
    claim: Claim, point: tuple[Any, ...], parts: list[Any], random: np.random.Generator
) -> Iterator[Probe]:
    """Derivatives by one direction each; of the product of a Hessian by a vector by that, too."""
    quantity, count = claim.quantity, len(point)
    rows, second = quantity.rows(count), quantity.name == "hvp"
    along = zip(rows, quantity.direction_places(count), strict=True) if second else ()
    vector = {i: np.asarray(point[at], float) for i, at in along}
    for name, d in _directions(claim, point, rows, random):
        moved = [(part, d[i]) for part, i in zip(parts, rows, strict=True) if i in d]
        claimed = np.sum([_apply_jacobian(part, step) for part, step in moved], axis=0)
        size = np.sum([_apply_jacobian(np.abs(part), np.abs(step)) for part, step in moved], axis=0)
        lines = _polarise(d, vector) if second else ((d, 1.0),)
        yield Probe(name, lines, 1 + second, claimed, size, _unit(parts), _least(d))


def _pairs(
    claim: Claim, point: tuple[Any, ...], parts: list[Any], random: np.random.Generator
) -> Iterator[Probe]:
    quantity, count = claim.quantity, len(point)
    blocks = dict(zip(quantity.parts(count), parts, strict=True))
    by_row = list(_directions(claim, point, quantity.rows(count), random))
    same = quantity.rows(count) == quantity.columns(count)
    by_column = by_row if same else list(_directions(claim, point, quantity.columns(count), random))
    pairs = [
        (one, other)
        for k, one in enumerate(by_row)
        for other in (by_column[k:] if same else by_column)
        if (one[0] == _TOGETHER_NAME) == (other[0] == _TOGETHER_NAME)
    ]
    stride = max(1, len(pairs) // _PAIRS)
    for (one, d), (other, e) in pairs[::stride]:
        for first, second in ((d, e), (e, d)) if same and d is not e else ((d, e),):
            claimed, size = np.zeros(1), np.zeros(1)
            for (i, j), block in blocks.items():
                if i in first and j in second:
                    claimed = claimed + _apply_block(block, first[i], second[j])
                    size = size + _apply_block(np.abs(block), np.abs(first[i]), np.abs(second[j]))
            name = f"{one} and {other}"
            lines, least = _polarise(first, second), _least(first) * _least(second)
            yield Probe(name, lines, 2, claimed, size, _unit(parts), least)


def _polarise(d: Direction, e: Direction) -> tuple[tuple[Direction, float], ...]:
    """Directions whose curvatures, times factors, add up to the mixed one of `d` and `e`."""
    if d is e:
        return ((d, 1.0),)
    whole, less = _sum(d, e, 1.0), _sum(d, e, -1.0)
    return ((whole, 0.25), (less, -0.25))


def _sum(d: Direction, e: Direction, sign: float) -> Direction:
    return {i: d.get(i, 0.0) + sign * np.asarray(e.get(i, 0.0)) for i in sorted({*d, *e})}


def _directions(
    claim: Claim, point: tuple[Any, ...], rows: tuple[int, ...], random: np.random.Generator
) -> list[tuple[str, Direction]]:
    """All entries at once, and single ones."""
    arrays = {i: np.asarray(point[i], dtype=np.float64) for i in rows}
    units = {i: np.maximum(np.abs(x), 1.0) for i, x in arrays.items()}
    names = argument_names(claim.function, len(point))
    places = [
        (names[i] + label, i, k)
        for i in rows
        for k, label in enumerate(coordinate_labels(arrays[i].shape))
    ]
    found: list[tuple[str, Direction]] = []
    for _ in range(_TOGETHER if len(places) > 1 else 0):
        spread = {i: _spread(random, unit) for i, unit in units.items()}
        found.append((_TOGETHER_NAME, spread))
    stride = max(1, len(places) // _EACH)
    for name, i, k in places[::stride][:_EACH]:
        one = np.zeros(arrays[i].size)
        one[k] = units[i].ravel()[k]
        found.append((name, {i: one.reshape(arrays[i].shape)}))
    return found


def _spread(random: np.random.Generator, unit: np.ndarray) -> np.ndarray:
    """Parts of each unit that no period is likely to divide, of either sign."""
    signs = random.choice([-1.0, 1.0], unit.shape)
    return np.asarray(unit * signs * random.uniform(0.5, 1.0, unit.shape))


def _least(d: Direction) -> float:
    """The smallest step of an entry that moves."""
    steps = np.concatenate([np.abs(np.ravel(step)) for step in d.values()])
    return float(np.min(steps[steps > 0], initial=np.inf))


def _apply_jacobian(part: Any, d: np.ndarray) -> np.ndarray:
    """A part of a Jacobian along a direction, flat."""
    matrix = np.reshape(np.asarray(part, dtype=np.float64), (-1, d.size))
    return np.asarray(matrix @ d.ravel())


def _apply_block(block: Any, d: np.ndarray, e: np.ndarray) -> float:
    matrix = np.reshape(np.asarray(block, dtype=np.float64), (d.size, e.size))
    return float(d.ravel() @ matrix @ e.ravel())


def _unit(parts: list[Any]) -> float:
    return max((float(np.finfo(np.asarray(part).dtype).eps) for part in parts), default=0.0)
