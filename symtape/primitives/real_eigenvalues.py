"""Row: eigenvalues and eigenvectors of a general matrix all of whose eigenvalues are real."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives import elimination
from symtape.primitives.arithmetic import as_array
from symtape.primitives.backward_error import BackwardError
from symtape.primitives.factorisations import has_equal, on_diagonal, one_over_differences
from symtape.primitives.linear_algebra import SOLVE, backward_stable, transposed
from symtape.primitives.primitive import Array, Primitive, declare, implements


class EigResult(NamedTuple):
    """What ``np.linalg.eig`` returns."""

    eigenvalues: Any
    eigenvectors: Any


def _evaluate(a: Array) -> tuple[Array, Array]:
    values, vectors = np.linalg.eig(a)
    if np.iscomplexobj(values):
        raise Unsupported(
            "eig of a real matrix with complex eigenvalues; expected real ones. Of a symmetric "
            "matrix np.linalg.eigh finds them real"
        )
    return values, vectors


def _pull_back(g: Any, y: Any, a_dtype: Any) -> Array:
    (g_values, g_vectors), (values, vectors) = g, y
    back = transposed(vectors)
    # Vectors keep their length, so that what points along them has no effect.
    along = np.sum(vectors * g_vectors, axis=-2)
    across = back @ (g_vectors - vectors * np.expand_dims(along, -2))
    inner = one_over_differences(values) * across + on_diagonal(g_values, a_dtype)
    return SOLVE(back, inner @ back)


def _elements(a: Any, values: Any) -> tuple[Any, Any]:
    n = a.shape[-1]
    if n > 2:
        raise Unsupported(
            f"eig of a {n}x{n} matrix has no closed form here, only that of 1x1 and 2x2 matrices"
        )
    points = np.asarray(values[0], dtype=np.float64)
    both = elimination.over_stack(_both, a, points, np.linalg.eig(points)[1])
    return both[..., 0, :], both[..., 1:, :]


def _both(a: Any, values: Any, guide: Any) -> Any:
    """The eigenvalues in the first row and the eigenvectors below, as in `guide`."""
    if len(a) == 1:
        return np.array([[a[0, 0]], [int(np.sign(guide[0, 0]))]], dtype=object)
    half = (a[0, 0] - a[1, 1]) / 2
    radius = (half * half + a[0, 1] * a[1, 0]).sqrt()
    middle = (a[0, 0] + a[1, 1]) / 2
    found, centre = np.linalg.eig(values)[0], (values[0, 0] + values[1, 1]) / 2
    result = np.empty((3, 2), dtype=object)
    for column in range(2):
        value = middle + radius if found[column] > centre else middle - radius
        # Of two parallel formulas for a vector, the one that does not vanish at the point.
        first = abs(found[column] - values[0, 0]) + abs(values[0, 1])
        second = abs(found[column] - values[1, 1]) + abs(values[1, 0])
        upper, lower = (a[0, 1], value - a[0, 0]) if first >= second else (value - a[1, 1], a[1, 0])
        at_point = (
            (values[0, 1], found[column] - values[0, 0])
            if first >= second
            else (found[column] - values[1, 1], values[1, 0])
        )
        length = (upper * upper + lower * lower).sqrt()
        sign = 1 if np.dot(at_point, guide[:, column]) >= 0 else -1
        result[:, column] = value, sign * upper / length, sign * lower / length
    return result


_TWO = [[2.0, 0.5], [0.75, 1.25]]
_STACK = [_TWO, [[1.5, -0.75], [-0.5, 2.0]]]

EIG: Primitive = declare(
    name="eig",
    evaluate=_evaluate,
    vjp=[_pull_back],
    elements=_elements,
    ball="eig",
    batch=lambda flags, args, params: EIG(*args),
    convention="none between vectors of equal eigenvalues",
    kinks=lambda a: has_equal(np.sort(np.real(np.linalg.eigvals(a)), axis=-1)),
    rounding=backward_stable,
    outputs=2,
    backward=BackwardError(
        lambda errors, a: errors.of_orthogonal(a),
        orthogonal=(1,),
        vectors=lambda a: np.real(np.linalg.eig(a)[1]),
    ),
    source="Giles 2008, Collected matrix derivative results, 3.1",
    example=[(_TWO,), (_STACK,)],
)


@implements(np.linalg.eig)
def eig(a: Any) -> EigResult:
    """As ``numpy.linalg.eig``, of matrices with real eigenvalues."""
    return EigResult(*EIG(as_array(a)))


@implements(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """As ``numpy.linalg.eigvals``, of matrices with real eigenvalues."""
    return EIG(as_array(a))[0]
