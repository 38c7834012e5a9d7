"""Compiled functions under ``scipy.interpolate``, as they are of tensors.

What SciPy's classes do in Python is recorded as it is; these are what they call in the end.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.indexing import getitem
from symtape.reading.dispatch import (
    Substitute,
    put,
    substitute_for_arrays,
    substitute_for_output,
    substitute_for_tensors,
)
from symtape.recording.in_place import lift_tensors
from symtape.recording.inside import call_inside
from symtape.recording.nested import join_nested
from symtape.scipy import piecewise
from symtape.scipy.banded import solve_banded
from symtape.scipy.interpolate import make_interp_spline


def _fix_continuity(c: Any, x: Any, order: int) -> None:
    put(c, piecewise.continuous(join_nested(c), join_nested(x), order))


def _evaluate_ndbspline(
    at: Any,
    knots: Any,
    lengths: Any,
    k: Any,
    nu: Any,
    extrapolate: bool,
    c: Any,
    count: int,
    strides: Any,
    indices: Any,
) -> Any:
    shape = [int(n) - int(d) - 1 for n, d in zip(lengths, k, strict=True)]
    found: Any = np.reshape(c, (1, *shape, count))
    inside: Any = True
    for axis, (length, degree, order) in enumerate(zip(lengths, k, nu, strict=True)):
        t, x, degree = knots[axis, : int(length)], at[:, axis], int(degree)
        basis = piecewise.design(t, degree, x, int(order))
        found = np.sum(np.reshape(basis, (*basis.shape, *[1] * (found.ndim - 2))) * found, axis=1)
        inside = inside & (x >= t[degree]) & (x <= t[-degree - 1])
    return found if extrapolate else np.where(inside[:, None], found, np.nan)


def _make_ndbspl(points: Any, values: Any, k: Any = 3, **how: Any) -> Any:
    from scipy.interpolate import NdBSpline

    c = join_nested(values)
    degrees = [int(d) for d in np.broadcast_to(k, (len(points),))]
    knots = []
    for axis, (x, degree) in enumerate(zip(points, degrees, strict=True)):
        found = make_interp_spline(join_nested(x), np.moveaxis(c, axis, 0), degree)
        c = np.moveaxis(join_nested(call_inside(getattr, found, "c")), 0, axis)
        knots.append(lift_tensors(join_nested(call_inside(getattr, found, "t"))))
    return call_inside(NdBSpline, tuple(knots), lift_tensors(c), tuple(degrees))


def _find_indices(grid: Any, x: Any) -> Any:
    indices, distances = [], []
    for points, at in zip(grid, x, strict=True):
        if points.shape[0] == 1:
            indices.append(0 * piecewise.interval(points, at, 0, 0))
            distances.append(0.0 * at)
            continue
        which = piecewise.interval(points, at, 0, points.shape[0] - 2)
        start, end = getitem(points, which), getitem(points, which + 1)
        indices.append(which)
        distances.append((at - start) / (end - start))
    return np.stack(indices), np.stack(distances)


def _evaluate_linear_2d(values: Any, indices: Any, distances: Any, grid: Any, out: Any) -> Any:
    values = to_array(join_nested(values))
    (i, j), (u, v) = join_nested(indices), join_nested(distances)
    columns = values.shape[1]
    flat = np.reshape(values, (-1,))
    total: Any = 0.0
    for down in range(min(values.shape[0], 2)):
        for right in range(min(columns, 2)):
            element = getitem(flat, (i + down) * columns + j + right)
            total = total + element * (u if down else 1 - u) * (v if right else 1 - v)
    return lift_tensors(total)


def _coordinates(points: Any, ndim: int | None = None) -> Any:
    """Coordinates in the last axis, as the arrays of a tuple or as one array has them."""
    if isinstance(points, tuple) and len(points) > 1:
        return np.stack(np.broadcast_arrays(*[join_nested(part) for part in points]), axis=-1)
    found = join_nested(points[0] if isinstance(points, tuple) else points)
    if np.ndim(found) != 1:
        return found
    return np.reshape(found, (-1, 1 if ndim is None else ndim))


def _kernels(x: Any, y: Any, kernel: str, same: bool) -> Any:
    """A radial function of the distances; those of points from themselves are no distances."""
    from scipy.interpolate import _rbfinterp_xp

    functions: Any = _rbfinterp_xp.NAME_TO_FUNC
    function = functions[kernel]
    squares = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    if not same:
        return function(np.sqrt(squares), np)
    itself = np.eye(x.shape[0], dtype=bool)
    apart = function(np.sqrt(np.where(itself, 1.0, squares)), np)
    with np.errstate(all="ignore"):
        at_zero = function(np.zeros(1), np)
    return np.where(itself, at_zero, apart)


def _monomials(x: Any, powers: Any) -> Any:
    columns: list[Any] = []
    for exponents in np.asarray(powers):
        column: Any = np.ones(x.shape[0])
        for axis, exponent in enumerate(exponents):
            column = column * x[:, axis] ** int(exponent) if exponent else column
        columns.append(column)
    return np.stack(columns, axis=1) if columns else np.zeros((x.shape[0], 0))


def _build_and_solve_system(
    y: Any, d: Any, smoothing: Any, kernel: str, epsilon: Any, powers: Any, *how: Any
) -> Any:
    low, high = np.min(y, axis=0), np.max(y, axis=0)
    shift, scale = (high + low) / 2, (high - low) / 2
    scale = np.where(scale == 0.0, 1.0, scale)
    matrix = _kernels(y * epsilon, y * epsilon, kernel, True) + np.diag(smoothing)
    tail = _monomials((y - shift) / scale, powers)
    count = tail.shape[1]
    above = np.concatenate([matrix, tail], axis=1)
    below = np.concatenate([tail.T, np.zeros((count, count))], axis=1)
    right = np.concatenate([d, np.zeros((count, d.shape[1]))])
    return shift, scale, np.linalg.solve(np.concatenate([above, below]), right)


def _build_evaluation_coefficients(
    x: Any, y: Any, kernel: str, epsilon: Any, powers: Any, shift: Any, scale: Any, *how: Any
) -> Any:
    near = _kernels(x * epsilon, y * epsilon, kernel, False)
    tail = _monomials((x - shift) / scale, powers)
    return np.concatenate([near, tail], axis=1)


SUBSTITUTES: Final[dict[str, dict[str, Substitute]]] = {
    "scipy.interpolate._ppoly": {
        "evaluate": substitute_for_output(piecewise.powers),
        "evaluate_bernstein": substitute_for_output(piecewise.bernstein),
        "fix_continuity": substitute_for_arrays(_fix_continuity),
        "integrate": substitute_for_output(piecewise.integral),
    },
    "scipy.interpolate._dierckx": {
        "evaluate_spline": substitute_for_tensors(piecewise.splines),
        "evaluate_ndbspline": substitute_for_tensors(_evaluate_ndbspline),
    },
    "scipy.interpolate._cubic": {"solve_banded": substitute_for_tensors(solve_banded)},
    "scipy.interpolate._ndbspline": {"make_ndbspl": substitute_for_tensors(_make_ndbspl)},
    "scipy.interpolate._interpnd": {
        "_ndim_coords_from_arrays": substitute_for_tensors(_coordinates)
    },
    "scipy.interpolate._rgi_cython": {
        "find_indices": substitute_for_tensors(_find_indices),
        "evaluate_linear_2d": substitute_for_tensors(_evaluate_linear_2d),
    },
    "scipy.interpolate._rbfinterp_np": {
        "_build_and_solve_system": substitute_for_tensors(_build_and_solve_system),
        "_build_evaluation_coefficients": substitute_for_tensors(_build_evaluation_coefficients),
    },
}
