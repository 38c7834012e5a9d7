"""Rows: powers."""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Array, declare, is_stand_in
from symtape.primitives.steps import is_integer

# A rule that computes with constants alone would fold them to a rounded float; computing
# with ONE(x) instead keeps the operation in the recorded graph, where it is exact.
ONE = declare(
    name="one",
    evaluate=np.ones_like,
    vjp=None,
    symbolic=lambda sp, x: sp.S.One,
    ball=lambda ball, x: type(x)(1),
    rounding=(0, 0),
    decision="shape",
    rational=True,
    source="exact",
    example=(0.75,),
)


def _pull_to_base(g: Array, a: Array, b: Array) -> Array:
    if is_stand_in(b) or not isinstance(b, (int, float, np.generic)):
        return g * (b * a ** np.where((a == 0) & (b == 0), 1, b - ONE(a)))
    if b == 0:
        return g * 0
    if b == 2:
        return g * (a + a)
    if b == 4:
        return g * (b * (a * a * a))  # NumPy takes fifty times as long for a power
    less: Array = b - 1  # type: ignore[operator]  # np.generic stands for NumPy's numbers here
    return g * (b * a ** (less if less + 1 == b else b - ONE(a)))


def _pull_to_exponent(g: Array, y: Array, a: Array) -> Array:
    is_plain = type(y) is np.ndarray and y.dtype == np.float64 and isinstance(a, (int, float))
    base = a if is_plain else a * ONE(y)
    return g * (y * np.log(np.where(base == 0, 1, base)))


def _is_defined(a: Any, b: Any) -> Any:
    return (a > 0) | ((a == 0) & (b >= 0)) | ((a < 0) & is_integer(b))


def _pieces(kink: Any, a: Any, b: Any) -> Any:
    """At base 0 a vertical tangent, or the slope 0."""
    if a.value != 0 or not b.value > 0:
        return None
    if b.value < 1:
        return kink.vertical(a, 1, 0.0)
    return kink.flat_in(a, bent=b.value < 2)


_OF_POWERS: Final[dict[str, Any]] = {
    "vjp": [_pull_to_base, _pull_to_exponent],
    "symbolic": lambda sp, a, b: a**b,
    "ball": "power",
    "domain": _is_defined,
    "convention": "inf at 0 to a power below 1, 0 above",
    "kinks": lambda a, b: (a == 0) & ~is_integer(b),
    "pieces": _pieces,
    "puiseux": True,
    "over": "a > 0",
    "smooth": "over",
    "rounding": (1, 2),
    "rational": True,
    "power": True,
    "complex": "holomorphic",
    "source": "DLMF 4.2.26; derivative by the exponent at base 0 taken as 0",
}
"""What both powers of NumPy share."""

POWER = declare(
    **_OF_POWERS,
    ufunc=np.power,
    evaluate=operator.pow,
    operator="**",
    structure="relative",
    xla=(0, 32),
    example=[(1.5, 3), (2.5, -0.75), ([0.5, 2.0, 1.25], [1.5, -0.5, 3.0])],
)
FLOAT_POWER = declare(
    **_OF_POWERS, evaluate=np.float_power, example=([0.5, 2.0, 1.25], [1.5, -0.5, 3.0])
)
