"""Rows: the principal square root and logarithm of matrices, by ``scipy.linalg``."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.backward_error import BackwardError
from symtape.primitives.elimination import map_over_stack
from symtape.primitives.linear_algebra import backward_stable, transpose_matrices
from symtape.primitives.matrix_exponential import push_by_blocks
from symtape.primitives.primitive import Array, Primitive, declare
from symtape.primitives.sylvester import sylvester


def _evaluate_by_matrix(name: str, a: Array) -> Array:
    import scipy.linalg

    if np.iscomplexobj(a):
        raise Unsupported(f"{name} of a complex matrix is not recorded; expected a real one")
    if not np.all(_is_off_the_cut(a)):
        raise Unsupported(
            f"{name} of a matrix with an eigenvalue that is negative or 0: it is complex, or has "
            "no derivative there"
        )
    function: Any = getattr(scipy.linalg, name)
    found = [
        function(one)
        for one in a.reshape(-1, *a.shape[-2:]).astype(np.float64, casting="same_kind")
    ]
    return np.stack([np.real(one) for one in found]).reshape(a.shape).astype(a.dtype)


def _is_off_the_cut(a: Array) -> Any:
    values = np.linalg.eigvals(a)
    return ~np.any((values.imag == 0) & (values.real <= 0), axis=-1)


def _check_small(name: str, a: Any) -> None:
    n = a.shape[-1]
    if n > 2:
        raise Unsupported(
            f"{name} of a {n}x{n} matrix has no closed form here, only that of 1x1 and 2x2 matrices"
        )


def _sqrtm_elements(a: Any) -> Any:
    _check_small("sqrtm", a)
    return map_over_stack(_root, a)


def _root(a: Any) -> Any:
    """By Cayley and Hamilton's theorem: Higham 2008, Functions of Matrices, problem 6.2."""
    if len(a) == 1:
        return np.array([[a[0, 0].sqrt()]], dtype=object)
    root = (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]).sqrt()
    length = (a[0, 0] + a[1, 1] + 2 * root).sqrt()
    found = [[a[0, 0] + root, a[0, 1]], [a[1, 0], a[1, 1] + root]]
    return np.array(found, dtype=object) / length


def _logm_elements(a: Any, values: Any) -> Any:
    _check_small("logm", a)
    return map_over_stack(_log, a, np.asarray(values[0], dtype=np.float64))


def _log(a: Any, values: Any) -> Any:
    """Of eigenvalues m ± r: log(m² - r²)/2 + atanh(r/m)/r (a - m)."""
    if len(a) == 1:
        return np.array([[a[0, 0].log()]], dtype=object)
    middle, half = (a[0, 0] + a[1, 1]) / 2, (a[0, 0] - a[1, 1]) / 2
    square = half * half + a[0, 1] * a[1, 0]
    sign = ((values[0, 0] - values[1, 1]) / 2) ** 2 + values[0, 1] * values[1, 0]
    if sign <= 0:
        raise Unsupported(
            "logm of a 2x2 matrix without two different real eigenvalues has no closed form here"
        )
    root = square.sqrt()
    slope = (((middle + root) / (middle - root)).log() / 2) / root
    mean = (middle * middle - square).log() / 2
    found = [[mean + slope * half, slope * a[0, 1]], [slope * a[1, 0], mean - slope * half]]
    return np.array(found, dtype=object)


_TWO = [[2.0, 0.5], [0.25, 1.5]]
_STACK = [_TWO, [[1.5, -0.75], [-0.5, 2.0]]]

SQRTM: Primitive = declare(
    name="sqrtm",
    evaluate=lambda a: _evaluate_by_matrix("sqrtm", a),
    vjp=[lambda g, y: sylvester(transpose_matrices(y), transpose_matrices(y), g)],
    elements=_sqrtm_elements,
    ball="sqrtm",
    jvp=[lambda t, y: sylvester(y, y, t)],
    batch=lambda flags, args, params: SQRTM(*args),
    domain=_is_off_the_cut,
    rounding=backward_stable,
    backward=BackwardError(lambda errors, a: errors.sqrtm_size(a)),
    source="Higham 2008, Functions of Matrices, eq. 6.2 and section 6.2",
    example=[(_TWO,), (_STACK,), ([[[0.5]], [[1.25]]],)],
)
# What its second derivatives may lose to rounding has no bound yet: it is no row of the suite.
LOGM: Primitive = Primitive(
    name="logm",
    evaluate=lambda a: _evaluate_by_matrix("logm", a),
    vjp=[lambda g, a: push_by_blocks(LOGM, g, transpose_matrices(a))],
    elements=_logm_elements,
    ball="logm",
    batch=lambda flags, args, params: LOGM(*args),
    domain=_is_off_the_cut,
    rounding=backward_stable,
    backward=BackwardError(lambda errors, a: errors.logm_size(a)),
    source="Higham 2008, Functions of Matrices, eq. 3.16 and chapter 11",
    example=[(_TWO,), (_STACK,), ([[[0.5]], [[1.25]]],)],
)
