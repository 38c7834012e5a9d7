"""The inverses of trigonometric and hyperbolic functions, with the cuts that NumPy has.

Kahan 1987, Branch cuts for complex elementary functions; DLMF 4.23(ii), 4.37(ii).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.graph.cartesian.elementary import slacken, sqrt
from symtape.graph.cartesian.exact import pi_times
from symtape.graph.cartesian.parts import (
    Parts,
    add,
    conjugate,
    multiply,
    squared_size,
    subtract,
    times_i,
)
from symtape.graph.cartesian.readings import reads_parts

_ONE = Parts(1.0, None)


@reads_parts("arcsin")
def arcsin(z: Parts) -> Parts:
    """Cut along the real numbers beyond -1 and 1."""
    if z.im is None:
        return Parts(_extend_inverse(np.arcsin, z.re), z.side * _arccosh_beyond(z.re))
    left, right = sqrt(subtract(_ONE, z)), sqrt(add(_ONE, z))
    re = np.arctan2(z.real, multiply(left, right).real)
    return slacken(Parts(re, np.arcsinh(multiply(conjugate(left), right).imag)))


@reads_parts("arccos")
def arccos(z: Parts) -> Parts:
    """Cut along the real numbers beyond -1 and 1."""
    if z.im is None:
        return Parts(_extend_inverse(np.arccos, z.re), -z.side * _arccosh_beyond(z.re))
    left, right = sqrt(subtract(_ONE, z)), sqrt(add(_ONE, z))
    re = 2 * np.arctan2(left.real, right.real)
    return slacken(Parts(re, np.arcsinh(multiply(conjugate(right), left).imag)))


@reads_parts("arccosh")
def arccosh(z: Parts) -> Parts:
    """Cut along the real numbers below 1."""
    if z.im is None:
        return Parts(_arccosh_beyond(z.re), z.side * _extend_inverse(np.arccos, z.re))
    left, right = sqrt(subtract(z, _ONE)), sqrt(add(z, _ONE))
    im = 2 * np.arctan2(left.imag, right.real)
    return slacken(Parts(np.arcsinh(multiply(conjugate(left), right).real), im))


@reads_parts("arcsinh")
def arcsinh(z: Parts) -> Parts:
    """Cut along the imaginary numbers beyond -i and i."""
    if z.im is None:
        return Parts(np.arcsinh(z.re), None)
    turned = arcsin(times_i(z))
    return Parts(turned.imag, -turned.real)


@reads_parts("arctanh")
def arctanh(z: Parts) -> Parts:
    """Cut along the real numbers beyond -1 and 1."""
    x, outside = z.real, squared_size(subtract(_ONE, z))
    re = np.log1p(4 * x / outside) / 4 if z.re is not None else x
    if z.im is None:
        half = z.side * pi_times(0.5, x.dtype)
        return Parts(re, np.where(np.abs(z.re) > 1, half, 0.0))
    if z.re is None:
        return Parts(None, np.arctan(z.im))
    im = np.arctan2(2 * z.im, (1 - x) * (1 + x) - np.square(z.im)) / 2
    return slacken(Parts(re, im))


@reads_parts("arctan")
def arctan(z: Parts) -> Parts:
    """Cut along the imaginary numbers beyond -i and i."""
    if z.im is None:
        return Parts(np.arctan(z.re), None)
    turned = arctanh(times_i(z))
    return Parts(turned.imag, -turned.real)


def _extend_inverse(function: Any, x: Any) -> Any:
    """An inverse of sine or cosine between -1 and 1, and what it is there beyond them."""
    beyond = np.abs(x) > 1
    at_1, at_minus_1 = (0.5, -0.5) if function is np.arcsin else (0.0, 1.0)
    ends = np.where(x > 0, pi_times(at_1, x.dtype), pi_times(at_minus_1, x.dtype))
    return np.where(beyond, ends, function(np.where(beyond, 0.0, x)))


def _arccosh_beyond(x: Any) -> Any:
    """``arccosh(abs(x))`` beyond 1, and 0 inside."""
    size = np.abs(x)
    return np.where(size > 1, np.arccosh(np.where(size > 1, size, 2.0)), 0.0)
