"""Arrays of floats as balls, exactly; large constants are converted once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from flint import arb, arb_mat

_ONLY: Final = frozenset([arb])
_WORTH_KEEPING: Final = 64
_MOST_KEPT: Final = 1 << 18
"""Most balls that are remembered: some 40 MB."""

_MOST_MATRICES: Final = 64
"""Of parts of one array; a loop over its rows or columns takes more, each of them once."""

_KEPT: Final[dict[tuple[str, tuple[int, ...], bytes], Any]] = {}


class _Known:
    """What else is known of an array that is kept: its largest size, and matrices of parts."""

    def __init__(self, array: Any) -> None:
        self.size = float(np.max(np.abs(array)))
        self.matrices: dict[tuple[Any, ...], Any] = {}


_KNOWN: Final[dict[int, _Known]] = {}
"""By the id of the owner of the memory, which `_KEPT` keeps alive."""


def fill_array(flat: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """An object array of this shape; what is in it is never looked into."""
    return np.fromiter(flat, dtype=object, count=len(flat)).reshape(shape)


def float_balls(array: Any) -> Any:
    """An array of float16, float32 or float64 as an object array of exact balls.

    Examples
    --------
    >>> import numpy as np
    >>> float_balls(np.array([0.5, 2.0]))[1] == 2
    True
    """
    return fill_array(list(map(arb, array.ravel().tolist())), array.shape)


def midpoints(balls: Any) -> Any:
    """The midpoints of an array of balls, as floats."""
    return np.asarray(np.frompyfunc(lambda ball: float(ball.mid()), 1, 1)(balls), dtype=float)


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
            _KNOWN.clear()
        _KEPT[key] = found
        _KNOWN[id(found.base)] = _Known(array)
    return found


def _find_kept(a: Any) -> _Known | None:
    return None if a.flags.writeable else _KNOWN.get(id(a.base))


def only_balls(a: Any) -> bool:
    """Whether an object array holds nothing but balls."""
    return _find_kept(a) is not None or _ONLY.issuperset(map(type, a.ravel().tolist()))


def kept_size(a: Any) -> float | None:
    """A bound of the absolute values in what is kept, or a part of it; None of any other array."""
    found = _find_kept(a)
    return None if found is None else found.size


def to_matrix(a: Any) -> Any:
    """A matrix of balls as an ``arb_mat``; one of what is kept, or its transpose, is kept too."""
    known = _find_kept(a)
    if known is None:
        return _matrix(a)
    key = (a.shape, a.strides, a.__array_interface__["data"][0])
    found = known.matrices.get(key)
    if found is None:
        if len(known.matrices) >= _MOST_MATRICES:
            known.matrices.clear()
        found = known.matrices[key] = _matrix(a)
    return found


def _matrix(a: Any) -> Any:
    rows, columns = a.shape
    return arb_mat(rows, columns, a.ravel().tolist())
