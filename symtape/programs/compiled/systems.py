"""Small linear systems as operations on floats, by elimination with LAPACK's choice of pivots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

Add: TypeAlias = "Callable[[str, tuple[int, ...]], int]"
"""Adds an operation of some code on others, and says where it is."""

Rows: TypeAlias = "list[list[int]]"


def solve_system(add: Add, check: Callable[[int], None], a: Rows, b: Rows) -> Rows:
    """The solutions of ``a x = b``, one for each column of `b`.

    Gaussian elimination with partial pivoting (Golub and Van Loan 2013, algorithm 3.4.1). The
    pivot is the first of the largest elements in its column, as in LAPACK's ``idamax``; which row
    that is, is not known before, so that each row is chosen element by element.

    Parameters
    ----------
    add : callable ``(code, operations) -> operation``
        Comparisons that it is asked for are those of pivots.
    check : callable ``(operation)``
        Is given each pivot: of a singular matrix one is 0.
    a, b : list of list of int
        Operations, by rows.
    """
    size = len(a)
    rows = [[*left, *right] for left, right in zip(a, b, strict=True)]
    for k in range(size):
        rows[k:] = _move_pivot_first(add, rows[k:], k)
        check(rows[k][k])
        for i in range(k + 1, size):
            factor = add("fdiv", (rows[i][k], rows[k][k]))
            rows[i][k + 1 :] = [
                add("fsub", (x, add("fmul", (factor, y))))
                for x, y in zip(rows[i][k + 1 :], rows[k][k + 1 :], strict=True)
            ]
    return _substitute_back(add, rows, size)


def _substitute_back(add: Add, rows: Rows, size: int) -> Rows:
    found = [row[size:] for row in rows]
    for k in reversed(range(size)):
        for j in range(k + 1, size):
            found[k] = [
                add("fsub", (x, add("fmul", (rows[k][j], y))))
                for x, y in zip(found[k], found[j], strict=True)
            ]
        found[k] = [add("fdiv", (x, rows[k][k])) for x in found[k]]
    return found


def _move_pivot_first(add: Add, rows: Rows, column: int) -> Rows:
    """The first row exchanged with that of the pivot."""
    largest = add("call fabs", (rows[0][column],))
    larger: list[int] = []
    for row in rows[1:]:
        size = add("call fabs", (row[column],))
        larger.append(add("fcmp ogt", (size, largest)))
        largest = add("select", (larger[-1], size, largest))
    places = range(column, len(rows[0]))
    found = [list(row) for row in rows]
    for at in places:
        first = rows[0][at]
        for is_larger, row in zip(larger, rows[1:], strict=True):
            first = add("select", (is_larger, row[at], first))
        found[0][at] = first
        for i in range(1, len(rows)):
            found[i][at] = _exchange_row_entry(add, larger[i - 1 :], rows[i][at], rows[0][at])
    return found


def _exchange_row_entry(add: Add, larger: Sequence[int], own: int, first: int) -> int:
    """What is left in a row: its own, unless it was larger and none that follows is."""
    found = add("select", (larger[0], first, own))
    for is_larger in larger[1:]:
        found = add("select", (is_larger, own, found))
    return found
