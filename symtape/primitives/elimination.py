"""Linear algebra on object arrays: the exact formulas, in ``+ - * /`` and square roots.

Elements have no values, so where a formula has to choose (a pivot, the order of eigenvalues)
it goes by `values`: the same matrix in floats, at the point.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.primitive import is_stand_in

_MINORS_UP_TO = 6
"""Order of matrix up to which minors (n 2^(n-1) products) serve better than elimination."""


def map_over_stack(function: Callable[..., Any], *stacks: Any) -> Any:
    """Apply `function` of matrices along the leading axes, which are broadcast."""
    lead = np.broadcast_shapes(*(stack.shape[:-2] for stack in stacks))
    spread = [np.broadcast_to(stack, lead + stack.shape[-2:]) for stack in stacks]
    results = [_objects(function(*(stack[i] for stack in spread))) for i in np.ndindex(lead)]
    if not results:
        raise Unsupported(f"linear algebra on an empty stack of matrices, of shape {lead}")
    joined = np.empty((len(results), *results[0].shape), dtype=object)
    for k, result in enumerate(results):
        joined[k, ...] = result
    return joined.reshape(lead + results[0].shape)


def _objects(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x
    array = np.empty((), dtype=object)
    array[()] = x
    return array


def _values(values: Any) -> Any:
    return np.asarray(values[0], dtype=np.float64)


def mirror_triangle(a: Any, lower: bool, hermitian: bool = True) -> Any:
    """The symmetric or Hermitian matrix of one triangle, which is all that LAPACK reads of it."""
    mask = np.ones(a.shape[-2:], dtype=bool)
    kept = np.tril(mask) if lower else np.triu(mask)
    if not (hermitian and np.iscomplexobj(a)):
        return np.where(kept, a, np.swapaxes(a, -1, -2))
    diagonal = np.eye(a.shape[-1], dtype=bool)
    return np.where(diagonal, np.real(a), np.where(kept, a, np.conj(np.swapaxes(a, -1, -2))))


def solve(a: Any, b: Any, values: Any) -> Any:
    """The solution of ``a @ x = b``, shapes as in ``numpy.linalg.solve``."""
    if b.ndim == 1:
        return solve(a, b[:, None], values)[..., 0]
    return map_over_stack(_solve, a, b, _values(values))


def _solve(a: Any, b: Any, values: Any) -> Any:
    if len(a) <= 3:
        return _adjugate(a) @ b / _det_by_minors(a)
    work, right = a.copy(), b.copy()
    order = _pivots(values, len(a))
    for k, row in enumerate(order):
        work[[k, row]], right[[k, row]] = work[[row, k]], right[[row, k]]
        for i in range(k + 1, len(work)):
            _eliminate(work, right, k, i)
    for k in reversed(range(len(work))):
        for j in range(k + 1, len(work)):
            _subtract(right, k, work[k, j], right[j])
        right[k] = right[k] / work[k, k]
    return right


def _eliminate(work: Any, right: Any, k: int, i: int) -> None:
    if _is_zero(work[i, k]):
        return
    factor = work[i, k] / work[k, k]
    for j in range(k + 1, len(work)):
        work[i, j] = work[i, j] - factor * work[k, j]
    _subtract(right, i, factor, right[k])


def _subtract(right: Any, i: int, factor: Any, row: Any) -> None:
    for column, x in enumerate(row):
        if not _is_zero(x) and not _is_zero(factor):
            right[i, column] = right[i, column] - factor * x


def _is_zero(x: Any) -> bool:
    return isinstance(x, int | float) and not is_stand_in(x) and x == 0


def _pivots(values: Any, divided: int) -> list[int]:
    """For each step the row that partial pivoting brings up, as in LAPACK's getrf.

    The first `divided` pivots are divided by, so they must not vanish.
    """
    work = values.copy()
    order = []
    for k in range(len(work)):
        row = k + int(np.argmax(np.abs(work[k:, k])))
        if k < divided and not work[row, k]:
            raise Unsupported(
                f"elimination of a singular matrix: no pivot in column {k}; "
                "the formula by pivots does not hold at this point"
            )
        order.append(row)
        work[[k, row]] = work[[row, k]]
        if k < divided:
            work[k + 1 :] -= np.outer(work[k + 1 :, k] / work[k, k], work[k])
    return order


def inv(a: Any, values: Any) -> Any:
    """The inverse."""
    return map_over_stack(lambda one, at: _solve(one, _unit(len(one)), at), a, _values(values))


def _unit(n: int) -> Any:
    return np.array(np.eye(n, dtype=int), dtype=object)


def det(a: Any, values: Any) -> Any:
    """The determinant; a polynomial without a division for small matrices."""
    return map_over_stack(_det, a, _values(values))


def _det(a: Any, values: Any) -> Any:
    if len(a) <= _MINORS_UP_TO:
        return _det_by_minors(a)
    work, right = a.copy(), np.empty((len(a), 0), dtype=object)
    sign = 1
    for k, row in enumerate(_pivots(values, len(a) - 1)):
        sign = sign if row == k else -sign
        work[[k, row]] = work[[row, k]]
        for i in range(k + 1, len(work)):
            _eliminate(work, right, k, i)
    product = functools.reduce(lambda x, y: x * y, np.diagonal(work))
    return product if sign == 1 else -product


def _det_by_minors(a: Any) -> Any:
    """Laplace's expansion, each minor of the last rows computed once."""
    n = len(a)
    if not n:
        return 1
    minors: dict[tuple[int, ...], Any] = {(j,): a[n - 1, j] for j in range(n)}
    for row in range(n - 2, -1, -1):
        size = n - row
        larger: dict[tuple[int, ...], Any] = {}
        for columns in itertools.combinations(range(n), size):
            terms = [
                (a[row, column], minors[columns[:place] + columns[place + 1 :]])
                for place, column in enumerate(columns)
            ]
            larger[columns] = _alternating_sum(terms)
        minors = larger
    return minors[tuple(range(n))]


def _alternating_sum(terms: list[tuple[Any, Any]]) -> Any:
    total: Any = 0
    for place, (x, minor) in enumerate(terms):
        if _is_zero(x) or _is_zero(minor):
            continue
        if place % 2:
            total = -(x * minor) if _is_zero(total) else total - x * minor
        else:
            total = x * minor if _is_zero(total) else total + x * minor
    return total


def cofactor(a: Any) -> Any:
    """The matrix of cofactors, the gradient of the determinant."""
    return map_over_stack(lambda one: _adjugate(one).T, a)


def _adjugate(a: Any) -> Any:
    n = len(a)
    result = np.empty((n, n), dtype=object)
    for i in range(n):
        for j in range(n):
            minor = _det_by_minors(np.delete(np.delete(a, i, 0), j, 1))
            result[j, i] = -minor if (i + j) % 2 else minor
    return result


def slogdet(a: Any, values: Any) -> tuple[Any, Any]:
    """Sign, which is constant about the point, and logarithm of the absolute determinant."""
    points = _values(values)
    determinants = det(a, values)
    signs = np.sign(np.linalg.det(points))
    if not np.all(signs):
        raise Unsupported("slogdet of a singular matrix has no finite logarithm")
    logs = np.empty(determinants.shape, dtype=object)
    for i in np.ndindex(determinants.shape):
        value = determinants[i]
        logs[i] = (value if signs[i] > 0 else -value).log()
    return signs.astype(object), logs


def pinv(a: Any, solver: Callable[..., Any]) -> Any:
    """The pseudo-inverse of matrices of full rank, by `solver` of the normal equations."""
    back = np.swapaxes(a, -1, -2)
    if a.shape[-2] < a.shape[-1]:
        return np.swapaxes(pinv(back, solver), -1, -2)
    return solver(np.matmul(back, a), back)


def cholesky(a: Any) -> Any:
    """The lower triangular factor of a symmetric matrix."""
    return map_over_stack(_cholesky, a)


def _cholesky(a: Any) -> Any:
    n = len(a)
    factor = np.zeros((n, n), dtype=object)
    for j in range(n):
        for i in range(j, n):
            rest = a[i, j]
            for k in range(j):
                rest = rest - factor[i, k] * factor[j, k]
            factor[i, j] = rest.sqrt() if i == j else rest / factor[j, j]
    return factor


def eigh(a: Any, values: Any, UPLO: Literal["L", "U"]) -> tuple[Any, Any]:
    """Eigenvalues, ascending, and eigenvectors of 1 x 1 and 2 x 2 matrices."""
    n = a.shape[-1]
    if n > 2:
        raise Unsupported(
            f"eigh of a {n}x{n} matrix has no closed form here; "
            "the shadow knows matrices up to 2x2, use the rigorous engine for larger ones"
        )
    points = _values(values)
    guide = np.linalg.eigh(points, UPLO=UPLO)[1]
    both = map_over_stack(_eigh, mirror_triangle(a, UPLO == "L"), points, guide)
    return both[..., 0, :], both[..., 1:, :]


def _eigh(a: Any, values: Any, guide: Any) -> Any:
    """The eigenvalues in the first row and the eigenvectors below, signs as in `guide`."""
    vectors = eigenvectors_of_two(a, values, guide)
    if len(a) == 1:
        return np.concatenate([a, vectors])
    half, off = (a[0, 0] - a[1, 1]) / 2, a[1, 0]
    radius = (half * half + off * off).sqrt()
    middle = (a[0, 0] + a[1, 1]) / 2
    return np.concatenate([[[middle - radius, middle + radius]], vectors])


def eigenvectors_of_two(a: Any, values: Any, guide: Any) -> Any:
    """The eigenvectors of a symmetric 1 x 1 or 2 x 2 matrix, eigenvalues ascending.

    Parameters
    ----------
    a : object array
        The matrix.
    values : float array
        The matrix at the point.
    guide : float array
        The eigenvectors at the point, with the signs that are wanted.
    """
    if len(a) == 1:
        return np.array([[int(np.sign(guide[0, 0]))]], dtype=object)
    half, off = (a[0, 0] - a[1, 1]) / 2, a[1, 0]
    radius = (half * half + off * off).sqrt()
    # Of two parallel formulas for a vector, the one that does not vanish at the point.
    if values[0, 0] >= values[1, 1]:
        upper, lower = half + radius, off
    else:
        upper, lower = off, radius - half
    length = (upper * upper + lower * lower).sqrt()
    large = (upper / length, lower / length)
    small = (-large[1], large[0])
    result = np.array([[small[0], large[0]], [small[1], large[1]]], dtype=object)
    for column in range(2):
        at = int(np.argmax(np.abs(guide[:, column])))
        if _sign_at(values, column, at) != np.sign(guide[at, column]):
            result[:, column] = -result[:, column]
    return result


def _sign_at(values: Any, column: int, at: int) -> Any:
    half = (values[0, 0] - values[1, 1]) / 2
    radius = np.hypot(half, values[1, 0])
    large = (half + radius, values[1, 0]) if half >= 0 else (values[1, 0], radius - half)
    return np.sign((-large[1], large[0])[at] if column == 0 else large[at])
