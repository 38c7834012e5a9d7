"""What errors in a computation cost its results, to first order.

A computation is a sequence of variables, each with an error of its own and slopes by earlier ones.
The cost of a result is the sum over all of them of the error times the absolute adjoint: what the
result changes by, a unit of the variable. The adjoints are the solution of a sparse triangular
system, for all results at once.

Of the programs of the closed forms this is the conditioning of a problem, and of a recorded
graph the rounding of that one program: they bring slopes and errors of their own.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_MOST: Final = 5_000_000
"""Adjoints that are held at once."""

_FEW: Final = 128
"""Entries of a system that takes less time to solve by substitution than by a call of SciPy."""


def cost(errors: Any, rows: Any, columns: Any, slopes: Any, wanted: Any) -> Any:
    """First-order bound on what the errors of all variables cost each of the `wanted`.

    Parameters
    ----------
    errors : float array
        Of each variable, absolute.
    rows, columns, slopes : arrays
        The slope of variable ``rows[k]`` by the earlier one ``columns[k]``; those of the same
        two are added.
    wanted : int array
        Variables.

    Returns
    -------
    float array
        In the shape of `wanted`; infinite where an error or a slope on the way is not finite.

    Source
    ------
    Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed. (2002), section 3.8, by
    the adjoint method of Linnainmaa, BIT 16 (1976).

    Examples
    --------
    >>> square_of_two = [1, 1], [0, 0], [2.0, 2.0]
    >>> cost([0.5, 0.25], *square_of_two, [0, 1]).tolist()
    [0.5, 2.25]
    """
    errors, wanted = np.asarray(errors, np.float64), np.asarray(wanted, np.int64)
    rows, columns = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
    slopes = np.asarray(slopes, np.float64)
    finite, used = np.isfinite(slopes), slopes != 0
    lost = ~np.isfinite(errors)
    lost[rows[~finite]] = True
    entries = np.where(finite, slopes, 1.0)[used], rows[used], columns[used]
    costs = _costs(entries, np.where(lost, 0.0, errors), wanted.ravel())
    if np.any(lost):
        costs[_find_dependent(entries, lost)[wanted.ravel()]] = np.inf
    return np.where(np.isnan(costs), np.inf, costs).reshape(wanted.shape)


def _costs(entries: tuple[Any, Any, Any], errors: Any, wanted: Any) -> Any:
    slopes, rows, columns = entries
    found = np.zeros(len(wanted))
    most = max(1, _MOST // max(len(errors), 1))
    for start in range(0, len(wanted), most):
        part = wanted[start : start + most]
        seeds = np.zeros((len(errors), len(part)))
        seeds[part, np.arange(len(part))] = 1.0
        adjoints = solve_triangular((slopes, columns, rows), seeds, lower=False)
        # Not by a product of matrices, whose last digit is another on another machine.
        found[start : start + most] = np.sum(errors[:, None] * np.abs(adjoints), axis=0)
    return found


def _find_dependent(entries: tuple[Any, Any, Any], chosen: Any) -> Any:
    """Which variables are among the `chosen` ones or depend on one of them."""
    slopes, rows, columns = entries
    paths = np.ones_like(slopes), rows, columns
    return solve_triangular(paths, chosen.astype(np.float64), lower=True) > 0


def solve_triangular(entries: tuple[Any, Any, Any], right: Any, *, lower: bool) -> Any:
    """The solution of ``(1 - matrix) x = right``, for a matrix that is strictly triangular."""
    if len(entries[0]) <= _FEW:
        return _substitute_each(entries, right, lower)
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import spsolve_triangular

    values, rows, columns = entries
    size = len(right)
    # Indices of C's int: SciPy 1.17.0 solves with no others.
    diagonal = np.arange(size, dtype=np.intc)
    rows, columns = rows.astype(np.intc), columns.astype(np.intc)
    whole = csc_array(
        (
            np.concatenate([-values, np.ones(size)]),
            (np.concatenate([rows, diagonal]), np.concatenate([columns, diagonal])),
        ),
        shape=(size, size),
    )
    return spsolve_triangular(whole, right, lower=lower, overwrite_A=True, unit_diagonal=True)


def _substitute_each(entries: tuple[Any, Any, Any], right: Any, lower: bool) -> Any:
    columns = entries[2]
    order = np.argsort(columns if lower else -columns, kind="stable")
    found = np.array(right, dtype=np.float64)
    for value, row, column in zip(*(part[order].tolist() for part in entries), strict=True):
        found[row] += value * found[column]
    return found
