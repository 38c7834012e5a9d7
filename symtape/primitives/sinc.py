"""Rows: sinc, and the family of functions that its derivatives are made of.

With ``j_k`` the spherical Bessel functions,

    F_k(x) = (2k+1)!! j_k(pi x) / (pi x)^k,      F_0 = sinc,
    F_k'(x) = -pi^2 x / (2k+3) F_{k+1}(x)        (DLMF 10.51.3)

so that derivatives of every order are right at 0, where the closed forms are 0/0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.arithmetic import as_array
from symtape.primitives.primitive import Array, Primitive, implements, table
from symtape.primitives.trigonometric import TIMES_PI

_TERMS = 30


def _series(z: Array, order: int) -> Array:
    """The Taylor series of F_order at pi x = z."""
    quarter = z * z / 4
    total = np.ones_like(z)
    for m in range(_TERMS, 0, -1):
        total = 1 - quarter / (m * (m + order + 0.5)) * total
    return total


def _recurrence(x: Array, order: int) -> Array:
    """F_order away from 0, upwards from the sine and the cosine (DLMF 10.51.1)."""
    z = np.pi * x
    turn = np.pi * (x - 2 * np.rint(x / 2))
    sine, cosine = np.sin(turn), np.cos(turn)
    before, now = sine / z, (sine / z - cosine) / z
    scale = 3 / z
    for k in range(1, order):
        before, now = now, (2 * k + 1) / z * now - before
        scale = scale * (2 * k + 3) / z
    return now * scale


def sinc_kernel(x: Array, order: int) -> Array:
    """F_order at `x`, for positive `order`."""
    x = np.asarray(x)
    near = np.abs(np.pi * x) <= 2 + order
    inside = _series(np.pi * np.where(near, x, 0), order)
    return np.where(near, inside, _recurrence(np.where(near, 2 + order, x), order))


def _symbolic(sp: Any, x: Any, order: Any) -> Any:
    z = sp.pi * x
    before, now = sp.sin(z) / z, (sp.sin(z) / z - sp.cos(z)) / z
    scale = 3 / z
    for k in range(1, int(order)):
        before, now = now, (2 * k + 1) / z * now - before
        scale = scale * (2 * k + 3) / z
    return sp.expand(now * scale)


def _ball(ball: Any, x: Any, order: Any) -> Any:
    z = x * type(x).pi()
    return (-z * z / 4).hypgeom_0f1(order + type(x)(3) / 2)


def _by_x(g: Array, x: Array, order: int) -> Array:
    step = g * (x * SINC_KERNEL(x, order + 1))
    return -TIMES_PI(TIMES_PI(step)) / (2 * order + 3)


SINC, SINC_KERNEL = table(
    Primitive(
        name="sinc",
        inputs="x",
        evaluate=np.sinc,
        vjp=[lambda g, x: _by_x(g, x, 0)],
        elementwise=True,
        symbolic=lambda sp, x: sp.sinc(sp.pi * x),
        ball=lambda ball, x: ball.sinc(x),
        over="x != 0",
        rounding=(2, 4),
        source="DLMF 10.51.3",
        example=(0.75,),
    ),
    Primitive(
        name="sinc_kernel",
        inputs="x order",
        evaluate=sinc_kernel,
        vjp=[_by_x, None],
        elementwise=True,
        symbolic=_symbolic,
        ball=_ball,
        over="x != 0",
        rounding=(2, 16),
        source="DLMF 10.51.3",
        example=[(0.75, 1), (3.25, 2)],
    ),
)


@implements(np.sinc)
def _sinc(x: Array) -> Array:
    return SINC(as_array(x))
