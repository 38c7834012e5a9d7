"""Row: the matrix exponential, by ``scipy.linalg``, which is imported when first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.backward_error import BackwardError
from symtape.primitives.elimination import map_over_stack
from symtape.primitives.linear_algebra import backward_stable, transpose_matrices
from symtape.primitives.primitive import Array, Primitive, declare


def _evaluate(a: Array) -> Array:
    from scipy.linalg import expm

    result: Array = expm(a)
    return result


def join_blocks(first: Array, second: Array, third: Array, fourth: Array) -> Array:
    """Matrices of four blocks, two above and two below."""
    above = np.concatenate([first, second], axis=-1)
    return np.concatenate([above, np.concatenate([third, fourth], axis=-1)], axis=-2)


def push_by_blocks(function: Callable[[Array], Array], t: Array, a: Array) -> Array:
    """The Frechet derivative of a matrix function along `t`: a corner of it, of a block matrix."""
    n = a.shape[-1]
    return function(join_blocks(a, t, np.zeros_like(a), a))[..., :n, n:]


def _elements(a: Any, values: Any) -> Any:
    n = a.shape[-1]
    if n > 2:
        raise Unsupported(
            f"the exponential of a {n}x{n} matrix has no closed form here, only that of 1x1 and "
            "2x2 matrices"
        )
    return map_over_stack(_expm, a, np.asarray(values[0], dtype=np.float64))


def _expm(a: Any, values: Any) -> Any:
    """With m half the trace and q = -det(a - m): exp(m) (cosh(r) + sinh(r)/r (a - m)), r² = q."""
    if len(a) == 1:
        return np.array([[a[0, 0].exp()]], dtype=object)
    middle, half = (a[0, 0] + a[1, 1]) / 2, (a[0, 0] - a[1, 1]) / 2
    square = half * half + a[0, 1] * a[1, 0]
    sign = ((values[0, 0] - values[1, 1]) / 2) ** 2 + values[0, 1] * values[1, 0]
    even, odd = _even_and_odd(square, sign)
    product = [[even + odd * half, odd * a[0, 1]], [odd * a[1, 0], even - odd * half]]
    return np.array(product, dtype=object) * middle.exp()


def _even_and_odd(square: Any, sign: float) -> tuple[Any, Any]:
    """``cosh(r)`` and ``sinh(r) / r`` of ``r * r == square``, which are entire in the square."""
    if sign > 0:
        root = square.sqrt()
        above, below = root.exp(), (-root).exp()
        return (above + below) / 2, (above - below) / (2 * root)
    if sign < 0:
        root = (-square).sqrt()
        return root.cos(), root.sin() / root
    return (square / 4).hypergeometric(1, 2), (square / 4).hypergeometric(3, 2)


EXPM: Primitive = declare(
    name="expm",
    evaluate=_evaluate,
    vjp=[lambda g, a: push_by_blocks(EXPM, g, transpose_matrices(a))],
    elements=_elements,
    ball="expm",
    rounding=backward_stable,
    backward=BackwardError(lambda errors, a: errors.expm_size(a)),
    complex="holomorphic",
    dependence="stacks",
    source="Higham 2008, Functions of Matrices, eq. 3.16",
    example=[
        ([[0.5, 1.25], [0.75, -0.25]],),
        ([[0.5, 1.25], [-0.75, 0.25]],),
        ([[0.5, 1.25], [0.0, 0.5]],),
        ([[[0.5]], [[-1.25]]],),
    ],
)
