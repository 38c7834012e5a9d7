"""Claims about functions of which NumPy reads one triangle of a symmetric matrix.

By the elements of the other triangle the derivative is 0, and those that are read off the diagonal
count twice. Along symmetric matrices that is the same as the symmetric matrix of slopes which
papers and other libraries give (Murray 2016; ``torch.linalg.cholesky``), so at a symmetric matrix
both are admitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.precision import precision
from verify.claimants.claim import Answer
from verify.model.quantity import Quantity
from verify.rounding.comparison import Comparison, compare
from verify.rounding.float_value import Allowance
from verify.rounding.programs import Point

_FIRST: Final = ("gradient", "jacobian", "vjp")


def is_read_by_triangle(quantity: Quantity, point: Point) -> bool:
    """Whether an argument is a symmetric matrix of which NumPy may read one triangle."""
    rows = (node.primitive for node in point.graph.nodes)
    known = (row.backward for row in rows if row is not None)
    triangular = any(backward is not None and backward.triangle for backward in known)
    if quantity.name not in _FIRST or not triangular:
        return False
    return any(_symmetric(quantity, point))


def along_symmetric(
    quantity: Quantity, point: Point, answer: Answer, allowed: Allowance
) -> Comparison:
    """Compare the symmetric parts by the arguments that are symmetric matrices."""
    symmetric = _symmetric(quantity, point)
    with precision(max(point.exact.bits, 113)):
        truth = replace(point.exact, parts=_each(point.exact.parts, symmetric))
    bounds = Allowance(_each(allowed.parts, symmetric), allowed.conditioned)
    # Shown is an entry that is the same either way.
    shown = [
        np.broadcast_to(np.eye(np.shape(part)[-1], dtype=bool) if shared else True, np.shape(part))
        for part, shared in zip(answer.parts, symmetric, strict=True)
    ]
    return compare(_each(answer.parts, symmetric), truth, bounds, shown)


def _symmetric(quantity: Quantity, point: Point) -> list[bool]:
    return [_is_symmetric(point.x[place]) for (place,) in quantity.parts(len(point.x))]


def _is_symmetric(x: Any) -> bool:
    array = np.asarray(x)
    square = array.ndim >= 2 and array.shape[-1] == array.shape[-2] > 1
    return square and bool(np.array_equal(array, np.swapaxes(array, -1, -2)))


def _each(parts: Sequence[Any], symmetric: Sequence[bool]) -> list[Any]:
    return [
        (part + np.swapaxes(part, -1, -2)) / 2 if shared else part
        for part, shared in zip(parts, symmetric, strict=True)
    ]
