"""Functions: angles, of real numbers, and their continuation over jumps."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import one_axis
from symtape.primitives.primitive import Array, implements


@implements(np.angle)
def angle(z: Any, deg: bool = False) -> Array:
    """As ``numpy.angle``; of what is real 0 if it is positive, and a half turn if not."""
    z = to_array(z)
    if np.iscomplexobj(z):
        turned = np.arctan2(np.imag(z), np.real(z))
        return turned * (180 / np.pi) if deg else turned
    turned = np.where(np.signbit(z), 180.0 if deg else np.pi, 0.0).astype(z.dtype)
    return np.where(np.isnan(z), z, turned)


@implements(np.real_if_close)
def real_if_close(a: Any, tol: float = 100) -> Array:
    """As ``numpy.real_if_close``; that the imaginary part is small is a decision."""
    a = to_array(a)
    if not np.iscomplexobj(a):
        return a
    limit = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return np.real(a) if np.all(np.abs(np.imag(a)) < limit) else a


@implements(np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Array:
    """As ``numpy.unwrap``; the jumps that it takes out are constant."""
    p = to_array(p)
    axis = one_axis(axis, p.ndim)
    steps = np.diff(p, axis=axis)
    half = period / 2
    folded = np.mod(steps + half, period) - half
    folded = np.where((folded == -half) & (steps > 0), half, folded)
    kept = np.abs(steps) < (half if discont is None else discont)
    turns = np.rint((folded - steps) / period)
    correction = np.cumsum(np.where(kept, 0, turns * period), axis=axis)
    first = p[(*(slice(None),) * axis, slice(0, 1))]
    rest = p[(*(slice(None),) * axis, slice(1, None))]
    return np.concatenate([first, rest + correction], axis)
