"""Rows: discrete cosine and sine transforms, of types 1 to 4, as ``scipy.fft`` defines them.

They are without norms here. By the matrices of their definitions types 1 and 4 are symmetric, and
type 3 is the transpose of type 2, but for factors of 2 at the ends.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Array, Primitive, declare

_TRANSPOSES: Final = {1: 1, 2: 3, 3: 2, 4: 4}


def _evaluate(name: str, x: Array, *, type: int, axis: int) -> Array:  # noqa: A002 -- SciPy's
    import scipy.fft

    found: Array = getattr(scipy.fft, name)(x, type=type, axis=axis)
    return found


def scaled_ends(x: Array, axis: int, first: float = 1, last: float = 1) -> Array:
    """`x` with its first and its last element along an axis multiplied."""
    if first == last == 1:
        return x
    weights = np.ones(x.shape[axis], np.real(x).dtype)
    weights[0] *= first
    weights[-1] *= last
    return x * weights.reshape((-1, *(1,) * (x.ndim - axis - 1)))


def _dct_rule(g: Array, type: int, axis: int) -> Array:  # noqa: A002
    if type == 1:
        return scaled_ends(DCT(scaled_ends(g, axis, 2, 2), type=1, axis=axis), axis, 0.5, 0.5)
    if type == 2:
        return DCT(scaled_ends(g, axis, 2), type=3, axis=axis)
    back = DCT(g, type=_TRANSPOSES[type], axis=axis)
    return scaled_ends(back, axis, 0.5) if type == 3 else back


def _dst_rule(g: Array, type: int, axis: int) -> Array:  # noqa: A002
    if type == 2:
        return DST(scaled_ends(g, axis, last=2), type=3, axis=axis)
    back = DST(g, type=_TRANSPOSES[type], axis=axis)
    return scaled_ends(back, axis, last=0.5) if type == 3 else back


def _row(name: str, rule: Any) -> Primitive:
    return declare(
        name=name,
        inputs="x",
        evaluate=functools.partial(_evaluate, name),
        vjp=[rule],
        jvp="linear",
        rounding=lambda shapes, params: 8 * shapes[0][params["axis"]],
        complex="holomorphic",
        by_parts=True,
        dependence="mixes",
        source="SciPy, scipy.fft; Strang 1999, The discrete cosine transform",
        example=[(([0.5, -1.25, 2.0],), {"type": kind, "axis": 0}) for kind in sorted(_TRANSPOSES)],
    )


DCT: Primitive = _row("dct", _dct_rule)
DST: Primitive = _row("dst", _dst_rule)
