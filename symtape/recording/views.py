"""Which of NumPy's functions look at the memory of their argument, and which write into it."""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = ["VALUE_OF", "VIEWING", "VIEWS", "WRITERS"]

VIEWS: Final = frozenset(
    getattr(np, name)
    for name in (
        "array_split",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "broadcast_to",
        "diagonal",
        "dsplit",
        "expand_dims",
        "flip",
        "fliplr",
        "flipud",
        "hsplit",
        "matrix_transpose",
        "moveaxis",
        "permute_dims",
        "ravel",
        "real",
        "reshape",
        "rollaxis",
        "rot90",
        "split",
        "squeeze",
        "swapaxes",
        "transpose",
        "unstack",
        "vsplit",
    )
    if hasattr(np, name)
)
"""Functions whose result may look at the same memory as their first argument."""

VIEWING: Final = ("diagonal", "ravel", "reshape", "squeeze", "swapaxes", "transpose")
"""Methods of which the same is true."""

WRITERS: Final = frozenset(
    (np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask)
)
"""Functions that write into their first argument."""

VALUE_OF: Final = {np.copyto: 1, np.fill_diagonal: 1, np.put_along_axis: 2}
"""The position of what they write, where it is not the third."""
