"""Functions: those of scipy.special that are made of elementary ones."""

from __future__ import annotations

import numpy as np
from scipy import special

from symtape.primitives.primitive import Array, implements
from symtape.primitives.special.elliptic import ELLIPK
from symtape.primitives.special.half_turns import COSPI, SINPI


@implements(special.sindg)
def sindg(x: Array) -> Array:
    """As ``scipy.special.sindg``: the sine of an angle in degrees."""
    return SINPI(x / 180)


@implements(special.cosdg)
def cosdg(x: Array) -> Array:
    """As ``scipy.special.cosdg``: the cosine of an angle in degrees."""
    return COSPI(x / 180)


@implements(special.tandg)
def tandg(x: Array) -> Array:
    """As ``scipy.special.tandg``: the tangent of an angle in degrees."""
    return SINPI(x / 180) / COSPI(x / 180)


@implements(special.cotdg)
def cotdg(x: Array) -> Array:
    """As ``scipy.special.cotdg``: the cotangent of an angle in degrees."""
    return COSPI(x / 180) / SINPI(x / 180)


@implements(special.radian)
def radian(d: Array, m: Array, s: Array) -> Array:
    """As ``scipy.special.radian``: degrees, minutes and seconds in radians."""
    return np.deg2rad(d + m / 60 + s / 3600)


@implements(special.cosm1)
def cosm1(x: Array) -> Array:
    """As ``scipy.special.cosm1``: ``cos(x) - 1``, by the sine of the half (DLMF 4.21.23)."""
    return -2 * np.square(np.sin(x / 2))


@implements(special.powm1)
def powm1(x: Array, y: Array) -> Array:
    """As ``scipy.special.powm1``: ``x**y - 1``, of positive `x`."""
    return np.expm1(y * np.log(x))


@implements(special.pseudo_huber)
def pseudo_huber(delta: Array, r: Array) -> Array:
    """As ``scipy.special.pseudo_huber``, as a quotient that does not cancel for small `r`."""
    return np.square(r) / (1 + np.hypot(1, r / delta))


@implements(special.huber)
def huber(delta: Array, r: Array) -> Array:
    """As ``scipy.special.huber``: a square near 0 and straight beyond `delta`."""
    size = np.abs(r)
    return np.where(size <= delta, np.square(r) / 2, delta * (size - delta / 2))


@implements(special.agm)
def agm(a: Array, b: Array) -> Array:
    """As ``scipy.special.agm``, of positive numbers (DLMF 19.8.5)."""
    total = a + b
    return np.pi / 4 * total / ELLIPK(np.square((a - b) / total))
