"""Calls of scipy.ndimage by its plain names: a function and its arguments for each."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

LINE = np.array([0.5, 2.0, -0.75, 1.25, 0.3, -1.1, 0.9])
IMAGE = np.array(
    [[0.3, -0.5, 1.1, 0.7], [1.3, 0.2, -0.9, 0.4], [0.6, -1.2, 0.8, -0.1], [0.05, 0.9, -0.3, 1.6]]
)
WEIGHTS = np.array([0.5, -1.0, 0.3])
BOX = np.array([[0.5, -1.0], [0.2, 0.7], [0.1, -0.4]])
AT = np.array([[0.51, 1.31, 2.42, -0.69], [0.21, 2.62, 1.93, 3.34]])
LABELS = np.array([[0, 1, 1, 2], [2, 2, 1, 1], [3, 3, 2, 2], [0, 3, 1, 1]])
MODES = ("reflect", "constant", "nearest", "mirror", "wrap")
GRID_MODES = (*MODES, "grid-wrap", "grid-constant", "grid-mirror")

CALLS = {
    **{
        f"correlate1d, {mode}": (
            lambda x, w, mode=mode: ndimage.correlate1d(x, w, mode=mode, cval=0.3, origin=1),
            LINE,
            WEIGHTS,
        )
        for mode in MODES
    },
    **{
        f"correlate, {mode}": (
            lambda x, w, mode=mode: ndimage.correlate(x, w, mode=mode, cval=0.3, origin=(1, 0)),
            IMAGE,
            BOX,
        )
        for mode in MODES
    },
    "convolve1d": (lambda x, w: ndimage.convolve1d(x, w, axis=0), IMAGE, WEIGHTS[:2]),
    "convolve": (ndimage.convolve, IMAGE, BOX),
    "uniform_filter": (lambda x: ndimage.uniform_filter(x, 3, mode="nearest"), IMAGE),
    "uniform_filter1d": (lambda x: ndimage.uniform_filter1d(x, 4, mode="wrap"), LINE),
    "gaussian_filter": (lambda x: ndimage.gaussian_filter(x, 0.7), IMAGE),
    "gaussian_filter1d by sigma": (
        lambda x, s: ndimage.gaussian_filter1d(x, s, mode="constant"),
        LINE,
        np.array(0.6),
    ),
    "gaussian_filter1d, slope": (lambda x: ndimage.gaussian_filter1d(x, 0.6, order=1), LINE),
    "laplace": (ndimage.laplace, IMAGE),
    "gaussian_laplace": (lambda x: ndimage.gaussian_laplace(x, 0.6), IMAGE),
    "gaussian_gradient_magnitude": (
        lambda x: ndimage.gaussian_gradient_magnitude(x, 0.6),
        IMAGE,
    ),
    "generic_gradient_magnitude": (
        lambda x: ndimage.generic_gradient_magnitude(x, ndimage.sobel, mode="wrap"),
        IMAGE,
    ),
    "sobel": (lambda x: ndimage.sobel(x, axis=0), IMAGE),
    "prewitt": (ndimage.prewitt, IMAGE),
    "median_filter": (lambda x: ndimage.median_filter(x, 3, mode="wrap"), IMAGE),
    "median_filter of a line": (lambda x: ndimage.median_filter(x, 3, mode="wrap"), LINE),
    "minimum_filter": (
        lambda x: ndimage.minimum_filter(x, footprint=[[1, 0], [1, 1]], mode="wrap"),
        IMAGE,
    ),
    "maximum_filter": (lambda x: ndimage.maximum_filter(x, 2, mode="wrap"), IMAGE),
    "maximum_filter1d": (lambda x: ndimage.maximum_filter1d(x, 3, mode="wrap"), LINE),
    "minimum_filter1d": (lambda x: ndimage.minimum_filter1d(x, 2, mode="wrap"), LINE),
    "rank_filter": (lambda x: ndimage.rank_filter(x, 2, 3, mode="wrap"), IMAGE),
    "percentile_filter": (lambda x: ndimage.percentile_filter(x, 30, 3, mode="wrap"), IMAGE),
    "grey_dilation": (
        lambda x: ndimage.grey_dilation(x, structure=BOX[:, :1] * 0.3, mode="wrap"),
        IMAGE,
    ),
    "grey_erosion": (
        lambda x: ndimage.grey_erosion(x, structure=BOX[:, :1] * 0.3, mode="wrap"),
        IMAGE,
    ),
    **{
        f"spline_filter, {mode}": (lambda x, mode=mode: ndimage.spline_filter(x, mode=mode), IMAGE)
        for mode in ("mirror", "reflect", "grid-wrap")
    },
    **{
        f"map_coordinates, {mode}": (
            lambda x, at, mode=mode: ndimage.map_coordinates(x, at, order=1, mode=mode, cval=0.3),
            IMAGE,
            AT,
        )
        for mode in GRID_MODES
    },
    **{
        f"map_coordinates of order {order}": (
            lambda x, at, order=order: ndimage.map_coordinates(x, at, order=order, mode="mirror"),
            IMAGE,
            AT,
        )
        for order in (0, 2, 3, 5)
    },
    "map_coordinates of a line": (
        lambda x, at: ndimage.map_coordinates(x, at[None], mode="grid-wrap"),
        LINE,
        np.array([0.3, 4.6, 7.2]),
    ),
    "shift": (lambda x, by: ndimage.shift(x, by), IMAGE, np.array([0.3, -0.6])),
    "zoom": (lambda x: ndimage.zoom(x, 1.3, order=1, mode="nearest"), IMAGE),
    "rotate": (
        lambda x, angle: ndimage.rotate(x, angle, reshape=False, order=1),
        IMAGE,
        np.array(25.0),
    ),
    "affine_transform": (
        lambda x, m, by: ndimage.affine_transform(x, m, by, order=1, mode="mirror"),
        IMAGE,
        np.array([[0.9, 0.1], [-0.2, 1.05]]),
        np.array([0.13, 0.27]),
    ),
    **{
        name: (
            lambda x, name=name: np.asarray(getattr(ndimage, name)(x, LABELS, [1, 2, 3])),
            IMAGE,
        )
        for name in ("sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum")
    },
    "median": (lambda x: np.asarray(ndimage.median(x, LABELS, [2, 3])), IMAGE),
    "center_of_mass": (lambda x: np.array(ndimage.center_of_mass(x)), IMAGE),
}

UNDECIDED: dict[str, str] = {}
"""Calls without a certificate, and why."""
