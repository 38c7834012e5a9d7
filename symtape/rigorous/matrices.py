"""Object arrays of balls: of floats exactly, and linear algebra on them.

Gaussian elimination written in balls blows up (radius 1e4 at n = 40 where the truth is known to
1e-13), so everything here goes to Arb's matrices, which enclose the solution by a residual.
Arrays of more than two axes are stacks of matrices. Large constants are converted once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import numpy as np
from flint import acb_mat, arb, arb_mat

from symtape.rigorous.choice import sort
from symtape.rigorous.elementary import sqrt
from symtape.rigorous.scalar import UNKNOWN, Ball, to_ball

_LARGE_PRODUCT: Final = 64
"""From so many multiplications on, a product is worth converting to ``arb_mat`` for."""

_ONLY: Final = frozenset([arb])
_WORTH_KEEPING: Final = 64
_MOST_KEPT: Final = 1 << 18
"""Most balls that are remembered: some 40 MB."""

_MOST_MATRICES: Final = 64
"""Of parts of one array; a loop over its rows or columns takes more, each of them once."""

_KEPT: Final[dict[tuple[str, tuple[int, ...], bytes], Any]] = {}


class _Known:
    """What else is known of an array that is kept: its largest size, and matrices of parts."""

    def __init__(self, array: Any) -> None:
        self.size = float(np.max(np.abs(array)))
        self.matrices: dict[tuple[Any, ...], Any] = {}


_KNOWN: Final[dict[int, _Known]] = {}
"""By the id of the owner of the memory, which `_KEPT` keeps alive."""


def fill_array(flat: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """An object array of this shape; what is in it is never looked into."""
    return np.fromiter(flat, dtype=object, count=len(flat)).reshape(shape)


def float_balls(array: Any) -> Any:
    """An array of float16, float32 or float64 as an object array of exact balls.

    Examples
    --------
    >>> import numpy as np
    >>> float_balls(np.array([0.5, 2.0]))[1] == 2
    True
    """
    return fill_array(list(map(arb, array.ravel().tolist())), array.shape)


def midpoints(balls: Any) -> Any:
    """The midpoints of an array of balls, as floats."""
    return np.asarray(np.frompyfunc(lambda ball: float(ball.mid()), 1, 1)(balls), dtype=float)


def kept_balls(array: Any) -> Any:
    """As :func:`float_balls`, of an array that will be asked for again; not to be written to.

    What an exact ball holds does not depend on the precision, so one conversion serves for all.
    """
    if array.size < _WORTH_KEEPING:
        return float_balls(array)
    key = (array.dtype.str, array.shape, array.tobytes())
    found = _KEPT.get(key)
    if found is None:
        found = float_balls(array)
        found.flags.writeable = False
        if sum(balls.size for balls in list(_KEPT.values())) + found.size > _MOST_KEPT:
            _KEPT.clear()
            _KNOWN.clear()
        _KEPT[key] = found
        _KNOWN[id(found.base)] = _Known(array)
    return found


def _find_kept(a: Any) -> _Known | None:
    return None if a.flags.writeable else _KNOWN.get(id(a.base))


def only_balls(a: Any) -> bool:
    """Whether an object array holds nothing but balls."""
    return _find_kept(a) is not None or _ONLY.issuperset(map(type, a.ravel().tolist()))


def kept_size(a: Any) -> float | None:
    """A bound of the absolute values in what is kept, or a part of it; None of any other array."""
    found = _find_kept(a)
    return None if found is None else found.size


def to_matrix(a: Any) -> Any:
    """A matrix of balls as an ``arb_mat``; one of what is kept, or its transpose, is kept too."""
    known = _find_kept(a)
    if known is None:
        return _matrix(a)
    key = (a.shape, a.strides, a.__array_interface__["data"][0])
    found = known.matrices.get(key)
    if found is None:
        if len(known.matrices) >= _MOST_MATRICES:
            known.matrices.clear()
        found = known.matrices[key] = _matrix(a)
    return found


def _matrix(a: Any) -> Any:
    rows, columns = a.shape
    return arb_mat(rows, columns, a.ravel().tolist())


def solve(a: Any, b: Any) -> Any:
    """The solution of ``a @ x = b``, for one right-hand side (1-D) or several (2-D).

    Parameters
    ----------
    a : object array, shape (..., n, n)
    b : object array, shape (n,) or (..., n, k)

    Returns
    -------
    object array
        Balls of unknown value where some matrix in `a` may be singular.
    """
    a, b = objects(a), objects(b)
    if b.ndim == 1:
        return solve(a, b[:, None])[..., 0]
    return _apply_to_stack(_solve, a, b)


def _solve(a: Any, b: Any) -> Any:
    if not b.size:
        return b
    return _array(to_matrix(a).solve(to_matrix(b), nonstop=True))


def inv(a: Any) -> Any:
    """The inverse; balls of unknown value where the matrix may be singular."""
    a = objects(a)
    identity = objects(np.eye(a.shape[-1], dtype=int))
    return _apply_to_stack(_solve, a, identity)


def det(a: Any) -> Any:
    """The determinant, an array without the last two axes of `a`."""
    return _apply_to_stack(lambda one: np.array(_det(one), dtype=object), objects(a))


def _det(a: Any) -> Ball:
    return to_matrix(a).det() if a.size else arb(1)


def cofactor(a: Any) -> Any:
    """The signed minors, the gradient of the determinant; of singular matrices too."""
    return _apply_to_stack(lambda one: signed_minors(one, _det), objects(a))


def signed_minors(a: Any, det: Callable[[Any], Any]) -> Any:
    """The signed minors of one matrix of elements, balls or series."""
    n = len(a)
    result = np.empty((n, n), dtype=object)
    for i, j in np.ndindex(n, n):
        minor = det(np.delete(np.delete(a, i, 0), j, 1))
        result[i, j] = -minor if (i + j) % 2 else minor
    return result


def slogdet(a: Any) -> tuple[Any, Any]:
    """Sign and logarithm of the absolute value of the determinant."""
    found = np.asarray(det(a), dtype=object)
    signs, logs = np.empty_like(found), np.empty_like(found)
    for index in np.ndindex(found.shape):
        value: Ball = found[index]
        signs[index] = value.sgn() if value.is_finite() else UNKNOWN
        logs[index] = abs(value).log() if not value.contains(0) else UNKNOWN
    return signs, logs


def expm(a: Any) -> Any:
    """The matrix exponential."""
    return _apply_to_stack(lambda one: _array(to_matrix(one).exp()), objects(a))


def cholesky(a: Any) -> Any:
    """The lower triangular factor, of the lower triangle of `a` as NumPy reads it."""
    return _apply_to_stack(lambda one: triangular_factor(one, sqrt), objects(a))


def triangular_factor(a: Any, sqrt: Callable[[Any], Any]) -> Any:
    """The Cholesky factor of one matrix of elements, balls or series."""
    n = len(a)
    factor = np.empty((n, n), dtype=object)
    factor[...] = arb(0)
    for j in range(n):
        row = factor[j, :j]
        pivot = sqrt(a[j, j] - sum((x * x for x in row), start=arb(0)))
        factor[j, j] = pivot
        for i in range(j + 1, n):
            inner = sum((x * y for x, y in zip(factor[i, :j], row, strict=True)), start=arb(0))
            factor[i, j] = (a[i, j] - inner) / pivot
    return factor


def eigvalsh(a: Any) -> Any:
    """The eigenvalues, ascending, of the lower triangle of `a`."""
    return eigh(a)[0]


def eigh(a: Any, UPLO: Literal["L", "U"] = "L") -> tuple[Any, Any]:
    """Eigenvalues, ascending, and eigenvectors of the lower triangle of `a`.

    A vector has length 1 and the sign that ``numpy.linalg.eigh`` gives it at the midpoint, where
    that reads the triangle `UPLO`.
    Where eigenvalues cannot be told apart there are no certain vectors: those are unknown, the
    values still enclosed if possible.
    """
    a = objects(a)
    lead, n = a.shape[:-2], a.shape[-1]
    values = np.empty((*lead, n), dtype=object)
    vectors = np.empty((*lead, n, n), dtype=object)
    for index in np.ndindex(lead):
        values[index], vectors[index] = _eigh(a[index], UPLO)
    return values, vectors


def _eigh(a: Any, UPLO: Literal["L", "U"]) -> tuple[Any, Any]:
    n = len(a)
    if not n:
        return np.empty(0, dtype=object), a
    lower = np.tril(np.ones((n, n), dtype=bool))
    symmetric = np.where(lower, a, a.T)
    matrix = acb_mat(to_matrix(symmetric))
    found, columns = matrix.eig(right=True, nonstop=True)
    values = objects([value.real for value in found])
    order = sorted(range(n), key=lambda k: float(values[k].mid()))
    if not all(value.is_finite() for value in values):
        return _overlapping_values(matrix, n), np.full((n, n), UNKNOWN, dtype=object)
    guide = np.linalg.eigh(midpoints(symmetric), UPLO=UPLO)[1]
    vectors = np.empty((n, n), dtype=object)
    for place, k in enumerate(order):
        column = [columns[i, k] for i in range(n)]
        vectors[:, place] = _normalise_column(column, guide[:, place])
    return values[order], vectors


def _overlapping_values(matrix: Any, n: int) -> Any:
    """Eigenvalues that are only isolated in clusters, each as wide as its cluster."""
    try:
        found = [value.real for value in matrix.eig(multiple=True)]
    except ValueError:
        found = []
    if len(found) != n or not all(value.is_finite() for value in found):
        return np.full(n, UNKNOWN, dtype=object)
    return sort(objects(found))


def _normalise_column(column: list[Any], guide: Any) -> Any:
    """A real vector of length 1 that points as `guide` does, of a complex multiple of it."""
    largest = int(np.argmax(np.abs(guide)))
    ratios = [(x / column[largest]).real for x in column]
    length = sqrt(sum((x * x for x in ratios), start=arb(0)))
    sign = -1 if guide[largest] < 0 else 1
    return [sign * x / length for x in ratios]


def eig(a: Any) -> tuple[Any, Any]:
    """Real eigenvalues and eigenvectors of length 1, in the order and with the signs of NumPy.

    Those that are not seen to be real, or not told apart, are unknown.
    """
    values, vectors = stacked_parts(_eig, objects(a))
    return values, vectors


def _eig(a: Any) -> tuple[Any, Any]:
    n = len(a)
    values, vectors = np.full(n, UNKNOWN, dtype=object), np.full((n, n), UNKNOWN, dtype=object)
    near, guide = np.linalg.eig(midpoints(a)) if n else (np.empty(0), a)
    if np.any(np.imag(near)):
        return values, vectors
    guide = np.real(guide)
    found, columns = acb_mat(to_matrix(a)).eig(right=True, nonstop=True)
    # Of a real matrix the conjugate of a value is one too: alone on the real line, it is real.
    if not all(value.real.is_finite() and value.imag.contains(0) for value in found):
        return values, vectors
    by_size = sorted(range(n), key=lambda k: float(found[k].real.mid()))
    for place, k in zip(np.argsort(near), by_size, strict=True):
        values[place] = found[k].real
        vectors[:, place] = _normalise_column([columns[i, k] for i in range(n)], guide[:, place])
    return values, vectors


def matmul(a: Any, b: Any) -> Any:
    """The matrix product of 1-D or 2-D arrays, or of stacks of matrices."""
    a, b = objects(a), objects(b)
    if a.ndim > 2 or b.ndim > 2 or a.size * b.shape[-1] < _LARGE_PRODUCT:
        return np.matmul(a, b)
    left = a if a.ndim == 2 else a[None, :]
    right = b if b.ndim == 2 else b[:, None]
    product = _array(to_matrix(left) * to_matrix(right))
    product = product if a.ndim == 2 else product[0]
    return product if b.ndim == 2 else product[..., 0]


def objects(x: Any) -> Any:
    """An array as an object array of balls."""
    array = np.asarray(x, dtype=object)
    if array.ndim and only_balls(array):
        return array
    converted = np.frompyfunc(to_ball, 1, 1)(array)
    return converted if isinstance(converted, np.ndarray) else np.array(converted, dtype=object)


def _array(matrix: Any) -> Any:
    result = np.empty((matrix.nrows(), matrix.ncols()), dtype=object)
    result.ravel()[:] = matrix.entries()
    return result


def _apply_to_stack(function: Callable[..., Any], *arrays: Any) -> Any:
    """Apply `function` of matrices along the leading axes, which are broadcast."""
    lead = np.broadcast_shapes(*(array.shape[:-2] for array in arrays))
    if not lead:
        return function(*arrays)
    spread = [np.broadcast_to(array, (*lead, *array.shape[-2:])) for array in arrays]
    results = {index: function(*(array[index] for array in spread)) for index in np.ndindex(lead)}
    first = next(iter(results.values()), None)
    result = np.empty((*lead, *(() if first is None else first.shape)), dtype=object)
    for index, value in results.items():
        result[index] = value if value.ndim else value[()]
    return result


def stacked_parts(function: Callable[[Any], tuple[Any, ...]], a: Any) -> list[Any]:
    """Apply `function` of a matrix, which answers several arrays, along the leading axes."""
    a = np.asarray(a, dtype=object)
    lead = a.shape[:-2]
    results = [function(a[index]) for index in np.ndindex(lead)]
    collected = []
    for k in range(len(results[0])):
        whole = np.empty((*lead, *np.shape(results[0][k])), dtype=object)
        for index, result in zip(np.ndindex(lead), results, strict=True):
            whole[index] = result[k]
        collected.append(whole)
    return collected
