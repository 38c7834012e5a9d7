"""Acyclic colourings of a symmetric pattern, and how entries are found by substitution.

Two colours of an acyclic colouring induce a forest. A leaf's entry is read off a product as it is;
each further one takes away what its children have: fewer colours than a star colouring needs, at
the price that the rounding of a whole branch meets in the entries near its root.

Source
------
A. Gebremedhin, A. Tarafdar, F. Manne, A. Pothen, "New acyclic and star coloring algorithms with
application to computing Hessians", SIAM Journal on Scientific Computing 29 (2007), algorithm 3.1;
A. Gebremedhin, A. Tarafdar, A. Pothen, A. Walther, "Efficient computation of sparse Hessians using
coloring and automatic differentiation", INFORMS Journal on Computing 21 (2009), section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def acyclic_colours(neighbours: Sequence[Sequence[int]]) -> list[int]:
    """Colours of the vertices of a graph, three at least on each cycle.

    Parameters
    ----------
    neighbours : sequence of sequences of int
        Of each vertex; itself is left out.

    Examples
    --------
    >>> acyclic_colours([[1], [0, 2], [1, 3], [2]])
    [0, 1, 0, 1]
    """
    colours = [-1] * len(neighbours)
    forests = _Forests()
    for vertex, near in enumerate(neighbours):
        coloured = [other for other in near if colours[other] >= 0]
        taken = {colours[other] for other in coloured}
        taken |= _closing_colours(coloured, neighbours, colours, taken, forests)
        colour = 0
        while colour in taken:
            colour += 1
        colours[vertex] = colour
        for other in coloured:
            forests.join((vertex, colours[other]), (other, colour))
    return colours


def _closing_colours(
    coloured: Sequence[int],
    neighbours: Sequence[Sequence[int]],
    colours: Sequence[int],
    taken: set[int],
    forests: _Forests,
) -> set[int]:
    """Colours that would close a cycle of two: two neighbours are already in one tree with them."""
    first: dict[tuple[int, int], int] = {}
    closing: set[int] = set()
    for other in coloured:
        for beyond in {colours[far] for far in neighbours[other]} - taken - closing - {-1}:
            tree = forests.root((other, beyond))
            if first.setdefault(tree, other) != other:
                closing.add(beyond)
    return closing


class _Forests:
    """The trees that each two colours induce: disjoint sets of a vertex and the other colour."""

    def __init__(self) -> None:
        self._parents: dict[tuple[int, int], tuple[int, int]] = {}

    def root(self, node: tuple[int, int]) -> tuple[int, int]:
        """What stands for the tree of `node`."""
        parents = self._parents
        above = parents.setdefault(node, node)
        while above != node:
            parents[node] = node = parents[above]
            above = parents[node]
        return node

    def join(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        """Put two neighbours of two colours in one tree."""
        self._parents[self.root(one)] = self.root(other)


def substitution(rows: Any, columns: Any, colours: Any) -> tuple[Any, Any, Any, Any]:
    """The order in which the entries at `rows` and `columns`, each pair once, are found.

    Parameters
    ----------
    rows, columns : int arrays
        Of the entries on one side of the diagonal.
    colours : int array
        An acyclic colouring of the pattern.

    Returns
    -------
    edges : int array
        Which of the entries is found, first those that depend on no other.
    places : int array
        In the answers of all colours, flat, where the number stands that it is taken from.
    later, earlier : int arrays
        Pairs of what is found, by its place in `edges`, and what is taken away from it.

    Examples
    --------
    The matrix of a path takes two colours; its middle entry is found last.

    >>> found = substitution(np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([0, 1, 0, 1]))
    >>> [part.tolist() for part in found]
    [[0, 2, 1], [4, 3, 1], [2], [0]]
    """
    width = int(colours.max(initial=-1)) + 1
    sides = np.concatenate([rows * width + colours[columns], columns * width + colours[rows]])
    nodes, node = np.unique(sides, return_inverse=True)
    edge = np.tile(np.arange(len(rows)), 2)
    edges, leaves = _peel_forest(node.reshape(2, -1), edge, len(nodes))
    order = np.empty(len(rows), np.int64)
    order[edges] = np.arange(len(rows))
    owner = np.full(len(nodes), -1)
    owner[leaves] = edges
    others = (owner[node] >= 0) & (owner[node] != edge)
    place, sweep = np.divmod(nodes[leaves], max(width, 1))
    places = sweep * len(colours) + place
    return edges, places, order[owner[node][others]], order[edge[others]]


def _peel_forest(ends: Any, edge: Any, count: int) -> tuple[Any, Any]:
    """The edges of a forest, each when one of its ends is a leaf of what is left, and that end."""
    degree = np.bincount(ends.ravel(), minlength=count)
    last = np.zeros(count, np.int64)
    # Of a leaf the one edge left: the others have been taken out again.
    np.bitwise_xor.at(last, ends.ravel(), edge)
    both, left, last_edge = (ends[0] ^ ends[1]).tolist(), degree.tolist(), last.tolist()
    leaves = [node for node in range(count) if left[node] == 1]
    edges, found = [], []
    for node in leaves:
        if not left[node]:
            continue
        one = last_edge[node]
        edges.append(one)
        found.append(node)
        other = both[one] ^ node
        last_edge[other] ^= one
        left[other] -= 1
        if left[other] == 1:
            leaves.append(other)
    return np.array(edges, np.int64), np.array(found, np.int64)
