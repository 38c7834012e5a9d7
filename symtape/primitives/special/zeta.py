"""Rows: Hurwitz's and Riemann's zeta function, with derivatives by both arguments."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any, Final

import numpy as np
from scipy import special
from scipy.special import _ufuncs

from symtape.primitives.arguments import doubles
from symtape.primitives.primitive import Array, Primitive, declare

_TERMS: Final = 12
_BERNOULLI: Final = tuple(float(b) for b in special.bernoulli(24)[2::2])


def _times(p: Sequence[Array], q: Sequence[Array]) -> list[Array]:
    """The product of two polynomials, as far as the first one goes."""
    return [sum(p[i] * q[n - i] for i in range(n + 1) if n - i < len(q)) for n in range(len(p))]


def hurwitz(x: Array, q: Array, order: int = 0) -> Array:
    """The derivative of ``zeta(x, q)`` by `x`; for ``x > 1`` and ``q > 0``, nan elsewhere.

    By the Euler-Maclaurin formula (DLMF 25.11.28), as a polynomial in what `x` is moved by.
    """
    dtype = np.result_type(x, q)
    if not order:
        return special.zeta(x, q)
    x, q = doubles(x, q)
    inside = (x > 1) & (q > 0)
    x, q = np.where(inside, x, 2.0), np.where(inside, q, 1.0)
    total = sum((-np.log(q + k)) ** order * (q + k) ** -x for k in range(_TERMS))
    far = q + _TERMS
    power = [(-np.log(far)) ** n / factorial(n) * far**-x for n in range(order + 1)]
    over = [(-1) ** n / (x - 1) ** (n + 1) for n in range(order + 1)]
    rest = far * _times(power, over)[order] + power[order] / 2
    rising = power
    for k, bernoulli in enumerate(_BERNOULLI, start=1):
        for j in range(max(2 * k - 3, 0), 2 * k - 1):
            rising = _times(rising, [x + j, np.ones_like(x)])
        rest = rest + rising[order] * (bernoulli / factorial(2 * k)) * far ** (1.0 - 2 * k)
    found = np.where(inside, total + factorial(order) * rest, np.nan)
    return found.astype(dtype) if dtype.kind == "f" else found


def _ball(ball: Any, x: Any, q: Any, order: int = 0) -> Any:
    def function(x: Any, q: Any) -> Any:
        if not order:
            return x.zeta(q)
        from flint import acb_series

        return acb_series([x, 1], prec=order + 1).zeta(q)[order] * factorial(order)

    def is_inside_domain(x: Any, q: Any) -> bool:
        return bool(q.real > 0) and bool(x.real > 1)

    return ball.analytic(function, x, q, inside=is_inside_domain)


ZETA: Primitive = declare(
    name="hurwitz_zeta",
    ufunc=_ufuncs._zeta,
    evaluate=hurwitz,
    vjp=[
        lambda g, x, q, order=0: g * ZETA(x, q, order=order + 1),
        lambda g, x, q, order=0: (
            -g * (x * ZETA(x + 1, q, order=order) + order * ZETA(x + 1, q, order=max(order - 1, 0)))
        ),
    ],
    symbolic=lambda sp, x, q, order=0: sp.diff(sp.zeta(x, q), x, order),
    ball=_ball,
    domain="x > 1 and q > 0",
    rounding=(8, 64),
    source="DLMF 25.11.1, 25.11.17",
    example=[(2.5, 0.75), ((3.25, 1.5), {"order": 1})],
)
