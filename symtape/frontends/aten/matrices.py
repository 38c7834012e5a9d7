"""What readings of linear algebra share: transposes and systems of equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.scipy import linalg


def adjoint(a: Any) -> Any:
    """Each matrix transposed."""
    return np.swapaxes(a, -1, -2)


def success_codes(a: Any) -> Any:
    """What LAPACK says of each matrix when nothing went wrong."""
    return np.zeros(np.shape(a)[:-2], np.int32)


def solve_system(a: Any, b: Any, left: bool = True) -> Any:
    """``a^-1 b`` or ``b a^-1``; `b` may be vectors."""
    if not left:
        return adjoint(solve_system(adjoint(a), adjoint(b)))
    if np.ndim(b) == np.ndim(a) - 1 and np.shape(b) == np.shape(a)[:-1]:
        return np.linalg.solve(a, b[..., None])[..., 0]
    return np.linalg.solve(a, b)


def triangular(a: Any, b: Any, lower: bool, unit: bool = False) -> Any:
    """``a^-1 b`` of one triangle of `a`."""
    shape = np.broadcast_shapes(np.shape(a)[:-2], np.shape(b)[:-2])
    a = a if np.shape(a)[:-2] == shape else np.broadcast_to(a, (*shape, *np.shape(a)[-2:]))
    b = b if np.shape(b)[:-2] == shape else np.broadcast_to(b, (*shape, *np.shape(b)[-2:]))
    return linalg.solve_triangular(a, b, lower=lower, unit_diagonal=unit)
