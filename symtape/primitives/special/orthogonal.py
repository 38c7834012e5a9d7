"""Rows: orthogonal polynomials of a whole degree; their slopes are polynomials of one degree less.

Those that are others of a moved or scaled argument are compositions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from symtape.primitives.power import ONE
from symtape.primitives.primitive import Array, Primitive, declare, implements
from symtape.primitives.special.orders import whole_order


def _recurrence(n: Any, first: Any, second: Any, step: Callable[[int, Any, Any], Any]) -> Any:
    """The last of n + 1 polynomials, of which ``step(k, now, before)`` makes the k-th."""
    before, now = first, second
    degree = whole_order(n)
    if not degree:
        return first
    for k in range(2, degree + 1):
        before, now = now, step(k, now, before)
    return now


def _gegenbauer(n: Any, a: Any, x: Any) -> Any:
    def step(k: int, now: Any, before: Any) -> Any:
        return (2 * x * (k - 1 + a) * now - (k - 2 + 2 * a) * before) / k

    return _recurrence(n, 1 + 0 * x, 2 * a * x, step)


def _jacobi(n: Any, a: Any, b: Any, x: Any) -> Any:
    """DLMF 18.9.1, 18.9.2."""

    def step(k: int, now: Any, before: Any) -> Any:
        c = 2 * k + a + b
        middle = (c - 1) * (c * (c - 2) * x + a * a - b * b)
        last = 2 * (k + a - 1) * (k + b - 1) * c
        return (middle * now - last * before) / (2 * k * (k + a + b) * (c - 2))

    return _recurrence(n, 1 + 0 * x, (a - b + (a + b + 2) * x) / 2, step)


def _laguerre(n: Any, a: Any, x: Any) -> Any:
    def step(k: int, now: Any, before: Any) -> Any:
        return ((2 * k - 1 + a - x) * now - (k - 1 + a) * before) / k

    return _recurrence(n, 1 + 0 * x, 1 + a - x, step)


def _chebyshev(n: Any, x: Any) -> Any:
    return _recurrence(n, 1 + 0 * x, x, lambda k, now, before: 2 * x * now - before)


def _hermite(n: Any, x: Any) -> Any:
    def step(k: int, now: Any, before: Any) -> Any:
        return 2 * x * now - 2 * (k - 1) * before

    return _recurrence(n, 1 + 0 * x, 2 * x, step)


def _hermitenorm(n: Any, x: Any) -> Any:
    def step(k: int, now: Any, before: Any) -> Any:
        return x * now - (k - 1) * before

    return _recurrence(n, 1 + 0 * x, x, step)


def _lower_degree(n: Array) -> Array:
    """The degree of the slope; that of a constant is multiplied by 0."""
    return np.maximum(n - 1, 0)


def _is_whole_degree(n: Any, *others: Any) -> Any:
    return (n >= 0) & (np.floor(n) == n)


EVAL_GEGENBAUER: Primitive = declare(
    ufunc=special.eval_gegenbauer,
    evaluate=lambda n, alpha, x: special.eval_gegenbauer(n, alpha, x),
    vjp=[
        "missing",
        "missing",
        lambda g, n, alpha, x: (
            g
            * (
                np.minimum(n, 1)
                * (2 * alpha * EVAL_GEGENBAUER(_lower_degree(n), alpha + ONE(x), x))
            )
        ),
    ],
    symbolic=lambda sp, n, alpha, x: sp.gegenbauer(n, alpha, x),
    ball=lambda ball, n, alpha, x: _gegenbauer(n, alpha, x),
    domain=_is_whole_degree,
    rounding=(64, 256),
    source="DLMF 18.9.19",
    example=[(3, 1.25, 0.375), (2, 0.75, 1.5)],
)
EVAL_JACOBI: Primitive = declare(
    ufunc=special.eval_jacobi,
    evaluate=lambda n, alpha, beta, x: special.eval_jacobi(n, alpha, beta, x),
    vjp=[
        "missing",
        "missing",
        "missing",
        lambda g, n, alpha, beta, x: (
            g
            * (
                np.minimum(n, 1)
                * ((n + (alpha + (beta + ONE(x)))) / 2)
                * EVAL_JACOBI(_lower_degree(n), alpha + ONE(x), beta + ONE(x), x)
            )
        ),
    ],
    symbolic=lambda sp, n, alpha, beta, x: sp.jacobi(n, alpha, beta, x),
    ball=lambda ball, n, alpha, beta, x: _jacobi(n, alpha, beta, x),
    domain=_is_whole_degree,
    rounding=(64, 256),
    source="DLMF 18.9.15",
    example=[(3, 1.25, 0.5, 0.375), (2, 0.75, 0.25, 1.5)],
)
EVAL_GENLAGUERRE: Primitive = declare(
    ufunc=special.eval_genlaguerre,
    evaluate=lambda n, alpha, x: special.eval_genlaguerre(n, alpha, x),
    vjp=[
        "missing",
        "missing",
        lambda g, n, alpha, x: (
            -g * (np.minimum(n, 1) * EVAL_GENLAGUERRE(_lower_degree(n), alpha + ONE(x), x))
        ),
    ],
    symbolic=lambda sp, n, alpha, x: sp.assoc_laguerre(n, alpha, x),
    ball=lambda ball, n, alpha, x: _laguerre(n, alpha, x),
    domain=_is_whole_degree,
    rounding=(64, 256),
    source="DLMF 18.9.23",
    example=[(3, 1.25, 0.375), (2, 0.75, 4.5)],
)
EVAL_CHEBYT: Primitive = declare(
    ufunc=special.eval_chebyt,
    evaluate=lambda n, x: special.eval_chebyt(n, x),
    vjp=["missing", lambda g, n, x: g * (n * EVAL_GEGENBAUER(_lower_degree(n), 1.0, x))],
    symbolic=lambda sp, n, x: sp.chebyshevt(n, x),
    ball=lambda ball, n, x: _chebyshev(n, x),
    domain=_is_whole_degree,
    rounding=(64, 256),
    source="DLMF 18.9.21",
    example=[(3, 0.375), (2, 1.5)],
)
EVAL_HERMITE: Primitive = declare(
    ufunc=special.eval_hermite,
    evaluate=lambda n, x: special.eval_hermite(n, x),
    vjp=["missing", lambda g, n, x: g * (2 * n * EVAL_HERMITE(_lower_degree(n), x))],
    symbolic=lambda sp, n, x: sp.hermite(n, x),
    ball=lambda ball, n, x: _hermite(n, x),
    domain=_is_whole_degree,
    rounding=(64, 256),
    source="DLMF 18.9.25",
    example=[(3, 0.375), (2, -1.5)],
)
EVAL_HERMITENORM: Primitive = declare(
    ufunc=special.eval_hermitenorm,
    evaluate=lambda n, x: special.eval_hermitenorm(n, x),
    vjp=["missing", lambda g, n, x: g * (n * EVAL_HERMITENORM(_lower_degree(n), x))],
    symbolic=lambda sp, n, x: sp.hermite_prob(n, x),
    ball=lambda ball, n, x: _hermitenorm(n, x),
    domain=_is_whole_degree,
    rounding=(64, 256),
    source="DLMF 18.9.27",
    example=[(3, 0.375), (2, -1.5)],
)


@implements(special.eval_sh_jacobi)
def eval_sh_jacobi(n: Array, p: Array, q: Array, x: Array) -> Array:
    """As ``scipy.special.eval_sh_jacobi``."""
    scale = special.binom(2 * np.asarray(n) + p - 1, n)
    return EVAL_JACOBI(n, p - q, q - 1, 2 * x - 1) / scale
