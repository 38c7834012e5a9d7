"""Colourings of a pattern: what has one colour is found in one sweep.

Colours of columns, of rows, or of both together: of a matrix with dense rows and dense columns
neither alone take few products, so that some entries are read off rows, the others off columns.

Source
------
A. Gebremedhin, F. Manne, A. Pothen, "What color is your Jacobian? Graph coloring for computing
derivatives", SIAM Review 47 (2005): partial distance-2 colourings of columns or rows in sections
3.3 and 3.4, star colourings of a symmetric matrix in section 4.3. T. F. Coleman, A. Verma, "The
efficient computation of sparse Jacobian matrices using automatic differentiation", SIAM Journal on
Scientific Computing 19 (1998); as a star colouring of the bipartite graph with colours left out
that nothing is read off, A. Montoison, G. Dalle, A. Gebremedhin, "Revisiting sparse matrix coloring
and bicoloring" (2025), section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np


def star_bicolours(
    rows: Any, columns: Any, shape: tuple[int, int], column_cost: int
) -> tuple[Any, Any, Any]:
    """Colours of rows and columns, and which of the entries are read off rows.

    Parameters
    ----------
    rows, columns : int arrays
        Of each entry.
    shape : (int, int)
        Of the matrix.
    column_cost : int
        What a column costs, in rows.

    Returns
    -------
    row_colours, column_colours : int arrays
        -1 of a line that nothing is read off with.
    by_row : bool array
        Of each entry.

    Examples
    --------
    A row, a column and the diagonal: the first row alone, the other rows together, a column.

    >>> line = np.arange(4)
    >>> rows, columns = np.nonzero(np.eye(4, dtype=bool) | (line == 0) | (line == 0)[:, None])
    >>> row_colours, column_colours, by_row = star_bicolours(rows, columns, (4, 4), 3)
    >>> row_colours.tolist(), column_colours.tolist()
    ([0, 1, 1, 1], [0, -1, -1, -1])
    """
    m, n = shape
    neighbours = lines(rows, columns + m, m) + lines(columns, rows, n)
    colours = np.array(star_colours(neighbours), np.int64)
    of_row, of_column = colours[:m], colours[m:]
    alone_by_row = _is_unique(of_row[rows], columns, n)
    alone_by_column = _is_unique(of_column[columns], rows, m)
    needed_rows = np.unique(of_row[rows][~alone_by_column])
    needed_columns = np.unique(of_column[columns][~alone_by_row])
    free = ~np.isin(of_row[rows], needed_rows) & ~np.isin(of_column[columns], needed_columns)
    more_rows = np.unique(of_row[rows][free])
    more_columns = np.unique(of_column[columns][free])
    if len(more_rows) <= len(more_columns) * column_cost:
        needed_rows = np.union1d(needed_rows, more_rows)
    else:
        needed_columns = np.union1d(needed_columns, more_columns)
    by_row = alone_by_row & np.isin(of_row[rows], needed_rows)
    return _number_colours(of_row, needed_rows), _number_colours(of_column, needed_columns), by_row


def _is_unique(colour: Any, place: Any, width: int) -> Any:
    """Of each entry, whether no other one of its line's colour is at its place."""
    _, which, times = np.unique(colour * width + place, return_inverse=True, return_counts=True)
    return times[which] == 1


def _number_colours(colours: Any, needed: Any) -> Any:
    found = np.searchsorted(needed, colours)
    return np.where(np.isin(colours, needed), found, -1)


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
