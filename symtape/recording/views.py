"""Functions of NumPy that look at the memory of their argument; what others write into it."""

from __future__ import annotations

from typing import Final

import numpy as np

VIEWS: Final = frozenset(
    (
        np.array_split,
        np.atleast_1d,
        np.atleast_2d,
        np.atleast_3d,
        np.broadcast_to,
        np.diagonal,
        np.dsplit,
        np.expand_dims,
        np.flip,
        np.fliplr,
        np.flipud,
        np.hsplit,
        np.matrix_transpose,
        np.moveaxis,
        np.permute_dims,
        np.ravel,
        np.real,
        np.reshape,
        np.rollaxis,
        np.rot90,
        np.split,
        np.squeeze,
        np.swapaxes,
        np.transpose,
        np.vsplit,
        np.unstack,
    )
)
"""Functions whose result may look at the same memory as their first argument."""

VIEWING: Final = tuple(
    method.__name__
    for method in (
        np.ndarray.diagonal,
        np.ndarray.ravel,
        np.ndarray.reshape,
        np.ndarray.squeeze,
        np.ndarray.swapaxes,
        np.ndarray.transpose,
    )
)
"""Methods of which the same is true."""

VALUE_OF: Final = {np.copyto: 1, np.fill_diagonal: 1, np.put_along_axis: 2}
"""The position of what they write, where it is not the third."""
