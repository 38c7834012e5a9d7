"""Colours of rows and of columns together: some entries are read off rows, the others off columns.

Of a matrix with dense rows and dense columns neither rows nor columns alone take few products.

Source
------
T. F. Coleman, A. Verma, "The efficient computation of sparse Jacobian matrices using automatic
differentiation", SIAM Journal on Scientific Computing 19 (1998); as a star colouring of the
bipartite graph with colours left out that nothing is read off, A. Montoison, G. Dalle,
A. Gebremedhin, "Revisiting sparse matrix coloring and bicoloring" (2025), section 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.transforms.sparsity.colouring import lines, star_colours


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
