"""Sylvester's equation as one linear system, by operations that there are rows for."""

from __future__ import annotations

import numpy as np

from symtape.primitives.linear_algebra import SOLVE, transpose_matrices
from symtape.primitives.primitive import Array


def sylvester(a: Array, b: Array, q: Array) -> Array:
    """The solution of ``a @ x + x @ b = q``, or a stack of them."""
    rows, columns = a.shape[-1], b.shape[-1]
    first = np.expand_dims(a, (-3, -1)) * np.eye(columns, dtype=a.dtype)[:, None, :]
    across = np.expand_dims(transpose_matrices(b), (-4, -2))
    second = across * np.eye(rows, dtype=b.dtype)[:, None, :, None]
    whole = first + second
    size = rows * columns
    matrix = np.reshape(whole, (*whole.shape[:-4], size, size))
    solved = SOLVE(matrix, np.reshape(q, (*q.shape[:-2], size, 1)))
    return np.reshape(solved, (*solved.shape[:-2], rows, columns))
