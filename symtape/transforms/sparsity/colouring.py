"""Colourings of a pattern: what has one colour is found in one sweep.

Source
------
A. Gebremedhin, F. Manne, A. Pothen, "What color is your Jacobian? Graph coloring for computing
derivatives", SIAM Review 47 (2005): partial distance-2 colourings of columns or rows in sections
3.3 and 3.4, star colourings of a symmetric matrix in section 4.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np

_MOST: Final = 2**19
"""Pairs of neighbours, above which a second order of the vertices is not tried."""


def lines(along: Any, across: Any, count: int) -> list[list[int]]:
    """For each of `count` lines of a matrix the places of its entries across it."""
    places = across[np.argsort(along, kind="stable")].tolist()
    ends = np.cumsum(np.bincount(along, minlength=count)[:count]).tolist()
    return [places[start:end] for start, end in pairwise([0, *ends])]


def orthogonal_colours(places: Sequence[Sequence[int]], across: int) -> list[int]:
    """A colour for each line of a matrix; two that share a place have different ones.

    Parameters
    ----------
    places : sequence of sequences of int
        For each line where its entries are: rows of columns, or columns of rows.
    across : int
        How many places there are.

    Examples
    --------
    >>> orthogonal_colours([[0, 1], [1, 2], [2, 3], [3, 4]], 5)
    [0, 1, 0, 1]
    """
    as_they_come = range(len(places))
    found = _greedy(places, across, as_they_come)
    if count_of(found) <= _most_at_a_place(places, across):
        return found
    longest_first = sorted(as_they_come, key=lambda line: -len(places[line]))
    return min([found, _greedy(places, across, longest_first)], key=count_of)


def _most_at_a_place(places: Sequence[Sequence[int]], across: int) -> int:
    met = np.bincount(np.fromiter(chain.from_iterable(places), np.int64), minlength=across)
    return int(met.max(initial=0))


def count_of(colours: Sequence[int]) -> int:
    """How many colours there are."""
    return max(colours, default=-1) + 1


def _greedy(places: Sequence[Sequence[int]], across: int, order: Sequence[int]) -> list[int]:
    # The colours that have met at a place are the bits of one integer.
    met = [0] * across
    colours = [0] * len(places)
    for line in order:
        taken = 0
        for place in places[line]:
            taken |= met[place]
        free = ~taken & (taken + 1)
        colours[line] = free.bit_length() - 1
        for place in places[line]:
            met[place] |= free
    return colours


def star_colours(neighbours: Sequence[Sequence[int]]) -> list[int]:
    """Colours of the vertices of a graph, three at least on each path of four vertices.

    Each entry of a symmetric matrix of this graph, the diagonal included, can then be read off a
    sum of columns of one colour.

    Parameters
    ----------
    neighbours : sequence of sequences of int
        Of each vertex; itself is left out.

    Examples
    --------
    >>> star_colours([[1, 2, 3, 4], [0], [0], [0], [0]])
    [0, 1, 1, 1, 1]
    """
    vertices = range(len(neighbours))
    most_first = sorted(vertices, key=lambda vertex: -len(neighbours[vertex]))
    found = _star(neighbours, most_first)
    if sum(map(len, neighbours)) > _MOST:
        return found
    return min([_star(neighbours, vertices), found], key=count_of)


def _star(neighbours: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    """Greedily, as in algorithm 4.1 of the source, with what it looks for kept as bits."""
    count = len(neighbours)
    colours = [0] * count
    # Of a vertex the bit of its colour, 0 before it has one.
    own = [0] * count
    # What a vertex forbids its neighbours: before it is coloured the colours of the others, then
    # its own and those of neighbours that have another neighbour like it.
    forbidden = [0] * count
    first: dict[int, int] = {}
    for vertex in order:
        near = neighbours[vertex]
        taken = 0
        for other in near:
            taken |= forbidden[other]
        free = ~taken & (taken + 1)
        colour = colours[vertex] = free.bit_length() - 1
        own[vertex] = forbidden[vertex] = free
        start = colour * count
        for other in near:
            # No two neighbours of a vertex without a colour are alike.
            if not own[other]:
                forbidden[other] |= free
            one = first.setdefault(start + other, vertex)
            if one != vertex:
                forbidden[one] |= own[other]
                forbidden[vertex] |= own[other]
    return colours
