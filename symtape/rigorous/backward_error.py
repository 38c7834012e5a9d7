"""Backward errors: how the roundings of a row act on its arguments, and those of LAPACK, by entry.

The arithmetic of XLA, by which JAX computes, is honest, but not NumPy's. It takes subnormal numbers
for 0, given or computed, and its own functions round more often: the constants of rows (``xla``)
were measured against Arb in float64 and float32 (jax 0.10.2, x86-64). Integer powers are products
there, and a division by a constant is a product with its reciprocal. The errors of ``log1p`` and
``arctanh``, of a hundred ulps in float64, are no roundings: they are not excused.

What a float factorisation computes is exact for a matrix nearby. How near, in each entry, is
known from the factors (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition:
theorems 9.3, 9.4 and 10.3). A bound by the entries themselves would not do: elimination fills
zeros in.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.primitives.backward_error import BackwardError
from symtape.primitives.primitive import Primitive


def lu_size(a: Any) -> Any:
    """``|P| |L| |U|`` of the factors that partial pivoting finds."""
    import scipy.linalg

    permuted, upper = scipy.linalg.lu(a, permute_l=True, check_finite=False)
    return np.maximum(np.abs(permuted) @ np.abs(upper), np.abs(a))


def cholesky_size(a: Any) -> Any:
    """By the roots of the diagonal."""
    root = np.sqrt(np.abs(np.diagonal(a)))
    return np.maximum(np.outer(root, root), np.abs(a))


def eigh_size(a: Any) -> Any:
    """By the norm of the symmetric matrix."""
    return np.full(a.shape, np.linalg.norm(np.tril(a) + np.tril(a, -1).T))


def orthogonal_size(a: Any) -> Any:
    """By the norm, which orthogonal factors keep."""
    return np.full(a.shape, np.linalg.norm(a))


_EXPM: Final = 128
"""SciPy 1.14 was seen to need 1 here, and SciPy 1.17, by another method, 42."""


def expm_size(a: Any) -> Any:
    """By the norm, measured."""
    return np.full(a.shape, _EXPM * max(float(np.linalg.norm(a)), 1.0))


def sqrtm_size(a: Any) -> Any:
    """By the square of the root's norm: Higham 2008, Functions of Matrices, section 6.2."""
    import scipy.linalg

    found: Any = scipy.linalg.sqrtm(a)
    return np.full(a.shape, max(np.linalg.norm(found) ** 2, np.linalg.norm(a)))


def logm_size(a: Any) -> Any:
    """By the norm, as of the exponential."""
    return np.full(a.shape, _EXPM * float(np.linalg.norm(a)))


_FACTOR: Final = 4

_LARGEST_LOG: Final = 750
"""No float but zero has a logarithm beyond."""


_SINGLE: Final = 2.0**-40
"""Between the unit roundoffs of double and of single precision."""


def backward_stable(graph: Graph) -> frozenset[str]:
    """The names of the operations of a graph that are exact for a matrix nearby."""
    rows = (node.primitive for node in graph.nodes)
    return frozenset(row.name for row in rows if row is not None and row.backward is not None)


def perturbation(known: BackwardError, a: Any, unit: float) -> Any:
    """Entrywise bound on how far from `a` the matrix is that was really factorised.

    Parameters
    ----------
    known : BackwardError
        Of the row.
    a : ndarray, shape (..., m, n)
        Values at the point.
    unit : float
        Unit roundoff.

    Returns
    -------
    ndarray, shape of `a`
        ``4 max(m, n) u`` times what the factors say; inf where there are none.
    """
    a = np.asarray(a, dtype=np.float64)
    size = np.full(a.shape, np.inf)
    for index in np.ndindex(a.shape[:-2]):
        if np.all(np.isfinite(a[index])) and a[index].size:
            size[index] = (
                known.size(sys.modules[__name__], a[index]) + _underflow(a[index], unit) / unit
            )
    return _FACTOR * max(a.shape[-2:]) * unit * size


def _underflow(a: Any, unit: float) -> float:
    """What an entry may lose when multipliers or products of entries underflow; mostly 0."""
    sizes = np.abs(a[a != 0])
    limits = np.finfo(np.float64 if unit < _SINGLE else np.float32)
    if not sizes.size:
        return 0.0
    largest, smallest = float(np.max(sizes)), float(np.min(sizes))
    with np.errstate(all="ignore"):
        least = smallest / max(largest, 1.0) * min(smallest, 1.0)
    if least * float(limits.eps) > float(limits.smallest_normal):
        return 0.0
    return float(limits.smallest_subnormal) * max(largest, 1.0)


def error_of_logs(a: Any, unit: float) -> Any:
    """Bound on the error of adding up the logarithms of the pivots.

    NumPy's ``slogdet`` does that, and its ``det`` is the exponential of it.
    """
    import scipy.linalg

    a = np.asarray(a, dtype=np.float64)
    error = np.full(a.shape[:-2], np.inf)
    for index in np.ndindex(a.shape[:-2]):
        if np.all(np.isfinite(a[index])):
            pivots = np.diagonal(scipy.linalg.lu(a[index], check_finite=False)[2])
            with np.errstate(divide="ignore"):
                logs = np.abs(np.log(np.abs(pivots)))
            error[index] = np.sum(np.minimum(logs, _LARGEST_LOG))
    return _FACTOR * a.shape[-1] * unit * error


def error_of_vectors(shape: tuple[int, ...], unit: float) -> float:
    """Bound on the rounding of each entry of a computed orthogonal matrix."""
    return _FACTOR * max(shape[-2:]) * unit


def has_steady_signs(known: BackwardError, a: Any) -> bool:
    """Whether LAPACK's choice of signs for `a` does not hang on the signs of its zeros.

    Inside a float computation a zero is as well -0.0, and then vectors may point the other way.
    """
    if known.vectors is None or not np.all(np.isfinite(a)):
        return True
    found, again = known.vectors(a), known.vectors(np.where(a == 0, -a, a))
    return bool(np.all(np.sum(found * again, axis=-2) > 0.5))


_RELATIVE: Final = frozenset(["products", "relative"])
"""Structures with which no argument need be perturbed."""

_OF_TERMS: Final = frozenset(["multilinear", "linear"])
"""Structures with which roundings in any number act on the terms of sums alone."""


def roundings(
    row: Primitive, shapes: Sequence[tuple[int, ...]], params: Mapping[str, Any]
) -> tuple[float, float]:
    """Perturbation of the arguments, and of the result, in units of roundoff."""
    found: Any = row.rounding
    relative = row.structure in _RELATIVE
    if is_xla() and row.xla is not None:
        found = row.xla
    if callable(found):
        n = float(found(shapes, params))
        return (n, 0.0) if row.structure in _OF_TERMS else (0.0 if relative else n, n)
    k_in, k_out = found
    return (0.0 if relative else float(k_in)), float(k_out)


FLUSHED: Final = 2.0**10
"""By how much a number that was flushed to 0 may be multiplied afterwards, and be tiny still."""


class _Arithmetic(threading.local):
    """Whose arithmetic is judged in this thread."""

    of_xla = False


_arithmetic: Final = _Arithmetic()


def is_xla() -> bool:
    """Whether the code in question computes as XLA does."""
    return _arithmetic.of_xla


@contextlib.contextmanager
def allow_xla_answers(active: bool = True) -> Iterator[None]:
    """Inside, model balls and comparisons hold what XLA may answer.

    Examples
    --------
    >>> import symtape
    >>> from symtape.rigorous.rounding import model
    >>> graph = symtape.record(lambda x: x * 2, 1e-310)
    >>> with allow_xla_answers():
    ...     [value] = model(graph, [1e-310])
    >>> bool(value[()].contains(0))
    True
    """
    before = _arithmetic.of_xla
    _arithmetic.of_xla = active
    try:
        yield
    finally:
        _arithmetic.of_xla = before
