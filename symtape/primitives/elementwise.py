"""Rows and meanings: NumPy's elementwise functions that are in no family of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.choice import where
from symtape.primitives.primitive import Array, declare, implements

CONJUGATE = declare(
    evaluate=np.conjugate,
    vjp=[lambda g: np.conjugate(g)],
    symbolic=lambda sp, x: x,
    ball=lambda ball, x: x,
    rounding=(0, 0),
    complex=[lambda g: np.conjugate(g)],
    source="DLMF 1.9.11",
)
REAL = declare(
    evaluate=np.real,
    vjp=[lambda g: g],
    symbolic=lambda sp, x: x,
    ball=lambda ball, x: x,
    rounding=(0, 0),
    complex=[lambda g: g],
    source="DLMF 1.9.2",
)
IMAG = declare(
    name="imag",
    evaluate=lambda x: np.asarray(np.imag(x)),
    vjp=[lambda g: g * 0],
    symbolic=lambda sp, x: sp.S.Zero,
    ball=lambda ball, x: type(x)(0),
    rounding=(0, 0),
    complex=[lambda g: g * -1j],
    source="DLMF 1.9.2",
)


@implements(np.real)
def _real(val: Array) -> Array:
    return REAL(to_array(val))


@implements(np.imag)
def _imag(val: Array) -> Array:
    return IMAG(to_array(val))


@implements(np.nan_to_num)
def _nan_to_num(
    x: Array,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Array:
    if not copy:
        raise TypeError(
            "np.nan_to_num(..., copy=False) would write into its argument, which a tape cannot "
            "follow; use the returned value"
        )
    if x.dtype.kind not in "fc":
        return +x
    if x.dtype.kind == "c":
        parts = (_nan_to_num(part(x), True, nan, posinf, neginf) for part in (np.real, np.imag))
        real, imaginary = parts
        return real + imaginary * 1j
    limits = np.finfo(x.dtype)
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    finite = where(np.isnan(x), nan, x)
    return where(x == np.inf, high, where(x == -np.inf, low, finite))


@implements(np.i0)
def _i0(x: Array) -> Any:
    from symtape.primitives import special  # importing SciPy takes long

    return special.I0(to_array(x))
