"""Pieces that a function shows: cells of a table, whole numbers it steps through, paths of an if.

In each piece the derivative is another one, and a claim may be wrong in one of hundreds. So each
that is met is compared once, whatever else a search has seen, and those between are looked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from verify.judging.search.moves import halfway, steps_between
from verify.judging.search.tracks import Tracks
from verify.regions import Region

MOST_PIECES: Final = 1_000
"""That are compared, beside all other points."""

_HALVINGS: Final = 64

Piece = tuple[Any, ...]
Point = tuple[Any, ...]


def pieces_of(graph: Graph, values: list[Any]) -> frozenset[Piece]:
    """The path, with the constants that it compares with, and each whole number that is found."""
    compared = [graph.nodes[i] for step in graph.path for i in graph.nodes[step.node].inputs]
    constants = [str(node.constant) for node in compared if node.constant is not None]
    found: set[Piece] = {(*(step.outcome for step in graph.path), *constants)}
    for at in _counting_nodes(graph):
        found.update((at, number) for number in np.unique(values[at]).tolist())
    return frozenset(found)


def _counting_nodes(graph: Graph) -> list[int]:
    """Whole numbers that come of floats: places in a table, floors."""
    whole = [node.dtype.kind in "iu" and node.primitive is not None for node in graph.nodes]
    return [
        at
        for at, node in enumerate(graph.nodes)
        if whole[at] and not any(whole[i] for i in node.inputs)
    ]


def points_between(region: Region, tracks: Tracks, points: Iterable[Point]) -> Iterator[Point]:
    """Points with the whole numbers that lie between those that `points` have."""
    known: dict[Any, dict[int, Point]] = {}
    for x in points:
        graph, values = tracks.find_recording(x)
        for at in _counting_nodes(graph):
            for entry in {0, np.size(values[at]) - 1} if np.size(values[at]) else ():
                number = int(np.ravel(values[at])[entry])
                known.setdefault((at, entry, *map(np.shape, x)), {}).setdefault(number, x)
    for (at, entry, *_), found in known.items():
        for number in range(min(found), max(found)):
            if number in found:
                continue
            above = min(other for other in found if other > number)
            met = _find_crossing(
                region, tracks, found[number - 1], found[above], (at, entry, number)
            )
            found[number] = met or found[number - 1]
            if met is not None:
                yield met


def _find_crossing(
    region: Region, tracks: Tracks, low: Point, high: Point, sought: tuple[int, int, int]
) -> Point | None:
    """A point on the way from one to another, at which an entry of a node is the number sought."""
    at, entry, number = sought

    def read_count(x: Point) -> int:
        graph, values = tracks.find_recording(x)
        known = at < len(values) and np.size(values[at]) > entry
        return (
            int(np.ravel(values[at])[entry])
            if known and at in _counting_nodes(graph)
            else number + 1
        )

    before = low
    for k, after in steps_between(region, low, high):
        if read_count(after) < number:
            before = after
            continue
        here, there = (region.coordinate(x, k) for x in (before, after))
        for _ in range(_HALVINGS):
            if read_count(after) == number:
                return after
            if (half := halfway(region, before, k, here, there)) is None:
                return None
            middle, place = half
            if read_count(middle) < number:
                before, here = middle, place
            else:
                after, there = middle, place
        return None
    return None
