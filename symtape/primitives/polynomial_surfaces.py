"""Functions: polynomials in two variables, of ``numpy.polynomial``, which NumPy loads late."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array, implements


def _evaluate_by_horner(c: Array, places: tuple[Array, ...]) -> Array:
    """Polynomials in as many variables as there are places, lowest power first, by Horner."""
    x, *rest = places
    value: Any = _evaluate_by_horner(c[-1], tuple(rest)) if rest else c[-1]
    for k in range(c.shape[0] - 2, -1, -1):
        value = value * x + (_evaluate_by_horner(c[k], tuple(rest)) if rest else c[k])
    return value


@implements(np.polynomial.polynomial.polyval2d)
def polyval2d(x: Any, y: Any, c: Any) -> Array:
    """As ``numpy.polynomial.polynomial.polyval2d``."""
    x, y, c = to_array(x), to_array(y), to_array(c)
    if np.shape(x) != np.shape(y):
        raise ValueError(f"x and y have shapes {np.shape(x)} and {np.shape(y)}; expected one shape")
    return _evaluate_by_horner(np.reshape(c, (*np.shape(c), *(1,) * np.ndim(x))), (x, y))


@implements(np.polynomial.polynomial.polygrid2d)
def polygrid2d(x: Any, y: Any, c: Any) -> Array:
    """As ``numpy.polynomial.polynomial.polygrid2d``."""
    x, y, c = to_array(x), to_array(y), to_array(c)
    spread = np.reshape(x, (*np.shape(x), *(1,) * np.ndim(y)))
    c = np.reshape(c, (*np.shape(c), *(1,) * (np.ndim(x) + np.ndim(y))))
    return _evaluate_by_horner(c, (spread, y)) * np.ones((*np.shape(x), *np.shape(y)))
