"""Eigenvalues of two by two matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.graph.cartesian.elementary import plain, refuse, sqrt
from symtape.graph.cartesian.parts import (
    Parts,
    absolute,
    add,
    multiply,
    parts,
    scale_parts,
    square,
    stack_parts,
    subtract,
    take,
)
from symtape.graph.cartesian.readings import reads
from symtape.primitives.primitive import Primitive


@reads("eigvals")
def eigvals(row: Primitive, a: Any) -> Parts:
    """By the quadratic formula, in the order in which they are found."""
    z = parts(a)
    _check(z, "eigvals")
    half = scale_parts(subtract(take(z, (0, 0)), take(z, (1, 1))), 0.5)
    middle = scale_parts(add(take(z, (0, 0)), take(z, (1, 1))), 0.5)
    product = multiply(take(z, (0, 1)), take(z, (1, 0)))
    root = sqrt(add(square(half), product))
    both = add(middle, root), subtract(middle, root)
    first = row.evaluate(np.asarray(plain(z.real)) + 1j * np.asarray(plain(z.imag)))[0]
    apart = [abs(complex(plain(one.real), plain(one.imag)) - first) for one in both]
    one, other = both if apart[0] <= apart[1] else both[::-1]
    return stack_parts((one, other))


@reads("eigvalsh")
def eigvalsh(a: Parts, UPLO: str) -> Any:
    """By the quadratic formula, of the triangle that is read."""
    _check(a, "eigvalsh")
    one, other = a.real[0, 0], a.real[1, 1]
    beside = absolute(take(a, (1, 0) if UPLO == "L" else (0, 1)))
    middle, root = (one + other) / 2, np.hypot((one - other) / 2, beside)
    return np.stack([middle - root, middle + root])


def _check(a: Parts, name: str) -> None:
    if np.shape(a.real) != (2, 2):
        raise refuse(f"{name} of a matrix that is not two by two")
