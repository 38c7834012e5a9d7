"""Row: systems with a banded matrix, by LAPACK through ``scipy.linalg``, imported when first used.

A matrix is stored as SciPy stores it, a row a diagonal: ``ab[above + i - j, j] == a[i, j]``. What
is stored outside of the matrix is read by nobody. Of a definite matrix, which is real and
symmetric, one triangle is stored, so that `below` or `above` is 0.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from symtape.primitives import elimination
from symtape.primitives.backward_error import BackwardError
from symtape.primitives.indexing import SCATTER
from symtape.primitives.linear_algebra import SOLVE, backward_stable, batch_systems
from symtape.primitives.primitive import Array, Primitive, declare

_PRECISIONS: Final = {"f": "s", "d": "d", "g": "d", "F": "c", "D": "z", "G": "z"}
"""By NumPy's letters those of LAPACK."""


def _evaluate(ab: Array, b: Array, below: int, above: int, definite: bool) -> Array:
    """As SciPy does it, without its checks: what is not finite goes on as NaN."""
    from scipy.linalg import lapack

    dtype = np.result_type(ab, b, np.float32)
    letter = _PRECISIONS[dtype.char]
    found: Array
    if not b.size:
        return np.zeros(b.shape, dtype)
    if len(b) == 1 and not definite:
        found = b / ab[above, 0]
        return found
    if definite and below + above == 1 < len(b):
        bands = ab[above], ab[1, :-1] if below else ab[0, 1:]
        *_, found, info = getattr(lapack, f"{letter}ptsv")(*bands, b)
    elif definite:
        _, found, info = getattr(lapack, f"{letter}pbsv")(ab, b, lower=above == 0)
    elif below == above == 1:
        *_, found, info = getattr(lapack, f"{letter}gtsv")(ab[2, :-1], ab[1], ab[0, 1:], b)
    else:
        room = np.zeros((2 * below + above + 1, len(b)), dtype)
        room[below:] = ab
        *_, found, info = getattr(lapack, f"{letter}gbsv")(below, above, room, b)
    if info:
        minor = f"{info}th leading minor not positive definite"
        raise np.linalg.LinAlgError(minor if definite else "singular matrix")
    return found


@functools.lru_cache(maxsize=64)  # sizes of matrices
def _find_places(shape: tuple[int, int], above: int) -> tuple[Array, Array]:
    """Of what is stored its row in the matrix, and whether it is inside of that."""
    bands, size = shape
    row = np.arange(size) + np.arange(bands)[:, None] - above
    inside = (row >= 0) & (row < size)
    row = np.where(inside, row, 0)
    for found in (row, inside):
        found.flags.writeable = False
    return row, inside


def expand_bands(ab: Any, below: int, above: int) -> Any:
    """The square matrix of bands."""
    columns = ab.shape[-1]
    i, j = np.indices((columns, columns))
    inside = (i - j <= below) & (j - i <= above)
    return np.where(inside, ab[np.where(inside, above + i - j, 0), j], 0)


def write_out_matrix(ab: Any, below: int, above: int, definite: bool) -> Any:
    """The square matrix of bands, both triangles of it where one alone is stored."""
    whole = expand_bands(ab, below, above)
    return elimination.mirror_triangle(whole, above == 0) if definite else whole


def _transpose_bands(ab: Array, below: int, above: int) -> Array:
    """The bands of the transposed matrix: the last one first, each moved along."""
    row, _ = _find_places(ab.shape, below)
    return ab[np.arange(below + above, -1, -1)[:, None], row]


def _solve_transposed(ab: Array, g: Array, below: int, above: int, definite: bool) -> Array:
    if definite:
        return SOLVE_BANDED(ab, g, below=below, above=above, definite=True)
    turned = _transpose_bands(ab, below, above)
    return SOLVE_BANDED(turned, g, below=above, above=below, definite=False)


def _pull_back_bands(
    g: Array, ab: Array, y: Array, below: int, above: int, definite: bool
) -> Array:
    right = _solve_transposed(ab, g, below, above, definite)
    row, inside = _find_places(ab.shape, above)
    product = right[row] * y
    if definite:  # what is stored beside the diagonal stands for two elements
        product = product + np.where(_spread(_is_beside(ab.shape, above), y), y[row] * right, 0)
    return np.where(inside, -(product if y.ndim == 1 else np.sum(product, axis=-1)), 0)


def _is_beside(shape: tuple[int, ...], above: int) -> Array:
    """Whether a band is not the diagonal."""
    return np.arange(shape[0])[:, None] != above


def _spread(x: Array, y: Array) -> Array:
    """What is of bands, for each of the columns that a solution has."""
    return x if y.ndim == 1 else np.expand_dims(x, -1)


def _push_bands(t: Array, ab: Array, y: Array, below: int, above: int, definite: bool) -> Array:
    """By the product of the bands that are pushed with the solution."""
    row, inside = _find_places(ab.shape, above)
    read = _spread(np.where(inside, t, 0), y)
    turned = SCATTER(read * y, shape=y.shape, index=(row,))
    if definite:
        mirrored = np.where(_spread(_is_beside(ab.shape, above), y), read * y[row], 0)
        turned = turned + np.sum(mirrored, axis=0)
    return -SOLVE_BANDED(ab, turned, below=below, above=above, definite=definite)


def _is_defined(ab: Array, b: Array, below: int, above: int, definite: bool) -> Any:
    whole = write_out_matrix(ab, below, above, definite)
    if not definite:
        return np.linalg.slogdet(whole)[0] != 0
    return np.all(np.linalg.eigvalsh(whole) > 0)


_TRIDIAGONAL = [[0.0, 0.5, -1.0], [2.0, -0.75, 3.0], [1.5, 0.25, 0.0]]
_DEFINITE = [[0.0, 0.5, -1.0], [2.0, 1.75, 3.0]]

SOLVE_BANDED: Primitive = declare(
    name="solve_banded",
    evaluate=_evaluate,
    vjp=[
        _pull_back_bands,
        lambda g, ab, below, above, definite: _solve_transposed(ab, g, below, above, definite),
    ],
    elements=lambda ab, b, values, **params: elimination.solve(
        write_out_matrix(ab, **params), b, [write_out_matrix(np.asarray(values[0]), **params)]
    ),
    ball=lambda ball, ab, b, **params: ball.solve(write_out_matrix(ab, **params), b),
    jvp=[
        _push_bands,
        lambda t, ab, below, above, definite: SOLVE_BANDED(
            ab, t, below=below, above=above, definite=definite
        ),
    ],
    batch=lambda flags, args, params: batch_systems(SOLVE_BANDED, flags, args, params),
    domain=_is_defined,
    rounding=backward_stable,
    backward=BackwardError(
        lambda errors, a: errors.lu_size(a), columns=True, row=SOLVE, matrix=write_out_matrix
    ),
    complex="holomorphic",
    source="Giles 2008, Collected matrix derivative results, 2.3.1, by the bands",
    example=[
        ((_TRIDIAGONAL, [0.25, -1.0, 0.5]), {"below": 1, "above": 1, "definite": False}),
        (
            (_TRIDIAGONAL[:2], [[0.25, 1.0], [-1.0, 0.5], [0.5, -0.25]]),
            {"below": 0, "above": 1, "definite": False},
        ),
        ((_DEFINITE, [0.25, -1.0, 0.5]), {"below": 0, "above": 1, "definite": True}),
    ],
    smooth="pivots",
)
