"""Compiled functions under ``scipy.ndimage`` and ``scipy.signal``, as they are of tensors.

What SciPy's filters do in Python is recorded as it is; these are what they call in
the end. Results are written into arrays that are handed over, as the compiled functions do it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.reading.dispatch import (
    Substitute,
    put,
    substitute_for_arrays,
    substitute_for_output,
    substitute_for_tensors,
)
from symtape.recording.nested import join_nested
from symtape.scipy import grid_splines, windows


def _correlate1d(x: Any, weights: Any, axis: int, mode: int, cval: Any, origin: int) -> Any:
    found = windows.axis_windows(x, axis, len(weights), origin, mode, cval)
    return np.moveaxis(found @ weights, -1, axis)


def _correlate(x: Any, weights: Any, mode: int, cval: Any, origins: Any) -> Any:
    found = windows.box_windows(x, np.ones(weights.shape), origins, mode, cval)
    return found @ np.ravel(weights)


def _uniform_filter1d(x: Any, size: int, axis: int, mode: int, cval: Any, origin: int) -> Any:
    found = windows.axis_windows(x, axis, size, origin, mode, cval)
    return np.moveaxis(np.sum(found, axis=-1) / size, -1, axis)


def _min_or_max_filter1d(
    x: Any, size: int, axis: int, mode: int, cval: Any, origin: int, minimum: int
) -> Any:
    found = windows.axis_windows(x, axis, size, origin, mode, cval)
    return np.moveaxis((np.min if minimum else np.max)(found, axis=-1), -1, axis)


def _min_or_max_filter(
    x: Any, footprint: Any, structure: Any, mode: int, cval: Any, origins: Any, minimum: int
) -> Any:
    found = windows.box_windows(x, footprint, origins, mode, cval)
    if structure is not None:
        height = structure[np.nonzero(footprint)]
        found = found - height if minimum else found + height
    return (np.min if minimum else np.max)(found, axis=-1)


def _rank_filter(x: Any, rank: int, footprint: Any, mode: int, cval: Any, origins: Any) -> Any:
    return np.sort(windows.box_windows(x, footprint, origins, mode, cval), axis=-1)[..., rank]


def _rank_filter_1d(x: Any, rank: int, size: int, mode: int, cval: Any, origin: int) -> Any:
    return _rank_filter(x, rank, np.ones(size), mode, cval, (origin,))


def _indices(output: Any) -> list[Any]:
    return list(np.indices(np.shape(output), sparse=True, dtype=float))


def _geometric_transform(
    x: Any,
    mapping: Any,
    coordinates: Any,
    matrix: Any,
    offset: Any,
    output: Any,
    order: int,
    mode: int,
    cval: Any,
    padded: int,
    arguments: Any,
    keywords: Any,
) -> None:
    if mapping is not None:
        raise Unsupported(
            "scipy.ndimage.geometric_transform of tensors; give the coordinates themselves to "
            "map_coordinates"
        )
    if coordinates is not None:
        at = list(join_nested(coordinates))
    else:
        matrix, offset = join_nested(matrix), join_nested(offset)
        at = []
        for row, start in zip(matrix, offset, strict=True):
            total: Any = start
            for k, index in enumerate(_indices(output)):
                total = total + index * row[k]
            at.append(total)
    found = grid_splines.evaluate_at(join_nested(x), at, order, mode, join_nested(cval), padded)
    put(output, found)


def _zoom_shift(
    x: Any,
    zoom: Any,
    shift: Any,
    output: Any,
    order: int,
    mode: int,
    cval: Any,
    padded: int,
    of_cells: bool,
) -> None:
    at = _indices(output)
    if shift is not None:
        at = [index + by for index, by in zip(at, join_nested(shift), strict=True)]
    if zoom is not None:
        half = 0.5 if of_cells else 0.0
        at = [(index + half) * by - half for index, by in zip(at, join_nested(zoom), strict=True)]
    found = grid_splines.evaluate_at(join_nested(x), at, order, mode, join_nested(cval), padded)
    put(output, found)


def _local_maxima(x: Any) -> Any:
    """The peaks of a line, which are decided by what is larger than its neighbour."""
    from scipy.signal._peak_finding_utils import _local_maxima_1d

    x = join_nested(x)
    rises, falls = np.asarray(x[1:] > x[:-1]), np.asarray(x[1:] < x[:-1])
    steps = rises.astype(float) - falls
    return _local_maxima_1d(np.concatenate([np.zeros(1), np.cumsum(steps)]))


def _validated_sos(sos: Any) -> Any:
    sos = join_nested(sos)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError(f"sos has shape {sos.shape}; expected rows of six coefficients")
    return sos, sos.shape[0]


def _lstsq(a: Any, b: Any, xp: Any = None, rcond: Any = None) -> Any:
    a = join_nested(a)
    limit = np.finfo(a.dtype).eps * max(a.shape[-2:]) if rcond is None else rcond
    return np.linalg.lstsq(a, join_nested(b), limit)


SUBSTITUTES: Final[dict[str, dict[str, Substitute]]] = {
    "scipy.signal._peak_finding_utils": {"_local_maxima_1d": substitute_for_tensors(_local_maxima)},
    "scipy.signal._filter_design": {"_validate_sos": substitute_for_tensors(_validated_sos)},
    "scipy.signal._polyutils": {"_lstsq": substitute_for_tensors(_lstsq)},
    "scipy.ndimage._nd_image": {
        "correlate1d": substitute_for_output(_correlate1d, 3),
        "correlate": substitute_for_output(_correlate, 2),
        "uniform_filter1d": substitute_for_output(_uniform_filter1d, 3),
        "min_or_max_filter1d": substitute_for_output(_min_or_max_filter1d, 3),
        "min_or_max_filter": substitute_for_output(_min_or_max_filter, 3),
        "rank_filter": substitute_for_output(_rank_filter, 3),
        "spline_filter1d": substitute_for_output(grid_splines.coefficients, 3),
        "geometric_transform": substitute_for_arrays(_geometric_transform),
        "zoom_shift": substitute_for_arrays(_zoom_shift),
    },
    "scipy.ndimage._rank_filter_1d": {"rank_filter": substitute_for_output(_rank_filter_1d, 3)},
}
