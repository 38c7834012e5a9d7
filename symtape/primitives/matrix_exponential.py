"""Row: the matrix exponential, by ``scipy.linalg``, which is imported when first used."""

from __future__ import annotations

import numpy as np

from symtape.primitives.linear_algebra import backward_stable, transposed
from symtape.primitives.primitive import Array, Primitive, table

__all__ = ["EXPM"]


def _evaluate(a: Array) -> Array:
    from scipy.linalg import expm

    result: Array = expm(a)
    return result


def _pull_back(g: Array, a: Array) -> Array:
    """The Frechet derivative at the transpose: a corner of the exponential of a block matrix."""
    n = a.shape[-1]
    back = transposed(a)
    above = np.concatenate([back, g], axis=-1)
    below = np.concatenate([np.zeros_like(back), back], axis=-1)
    return EXPM(np.concatenate([above, below], axis=-2))[..., :n, n:]


EXPM: Primitive

(EXPM,) = table(
    Primitive(
        name="expm",
        inputs="a",
        evaluate=_evaluate,
        vjp=[_pull_back],
        ball=lambda ball, a: ball.expm(a),
        batch=lambda flags, args, params: EXPM(*args),
        rounding=backward_stable,
        source="Higham 2008, Functions of Matrices, eq. 3.16",
    ),
)
