"""Arrays of floats as balls, exactly; large constants are converted once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from flint import arb

__all__ = ["filled", "float_balls", "kept_balls"]

_WORTH_KEEPING: Final = 64
_MOST_KEPT: Final = 1 << 18
"""Most balls that are remembered."""

_KEPT: Final[dict[tuple[str, tuple[int, ...], bytes], Any]] = {}


def filled(flat: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """An object array of this shape; what is in it is never looked into."""
    result = np.empty(len(flat), dtype=object)
    result[:] = flat
    return result.reshape(shape)


def float_balls(array: Any) -> Any:
    """An array of float16, float32 or float64 as an object array of exact balls.

    Examples
    --------
    >>> import numpy as np
    >>> float_balls(np.array([0.5, 2.0]))[1] == 2
    True
    """
    return filled(list(map(arb, array.ravel().tolist())), array.shape)


def kept_balls(array: Any) -> Any:
    """As :func:`float_balls`, of an array that will be asked for again; not to be written to.

    What an exact ball holds does not depend on the precision, so one conversion serves for all.
    """
    if array.size < _WORTH_KEEPING:
        return float_balls(array)
    key = (array.dtype.str, array.shape, array.tobytes())
    found = _KEPT.get(key)
    if found is None:
        found = float_balls(array)
        found.flags.writeable = False
        if sum(balls.size for balls in list(_KEPT.values())) + found.size > _MOST_KEPT:
            _KEPT.clear()
        _KEPT[key] = found
    return found
