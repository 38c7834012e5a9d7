"""Arguments of SciPy's functions as arrays of floats, tensors among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array
from symtape.recording.in_place import join_nested


def floats(x: Any) -> Array:
    """An array or a tensor as it is, if it is of floats; else an array of floats."""
    x = join_nested(x) if isinstance(x, list | tuple) else to_array(x)
    if not hasattr(x, "dtype"):
        return np.asarray(x, dtype=np.float64)
    return x.astype(np.float64) if x.dtype.kind in "biu" else x
