"""Linear algebra on object arrays of mpmath's numbers, by mpmath's own matrices.

NumPy reads one triangle of a symmetric matrix, and so do these. Vectors that are determined up to
their sign take the sign that NumPy gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np
from mpmath import mp


def _matrix(a: Any) -> Any:
    return mp.matrix(np.asarray(a, dtype=object).tolist())


def _array(matrix: Any) -> Any:
    return np.array(matrix.tolist(), dtype=object).reshape(matrix.rows, matrix.cols)


def _vector(values: Any) -> Any:
    return np.array([values[i] for i in range(len(values))], dtype=object)


def _map_over_stack(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of each matrix of a stack."""

    def call_on_stack(a: Any, **params: Any) -> Any:
        a = np.asarray(a, dtype=object)
        if a.ndim == 2:
            return function(a, **params)
        found = [function(one, **params) for one in a.reshape(-1, *a.shape[-2:])]
        if isinstance(found[0], tuple):
            return tuple(
                _restack_parts(list(part), a.shape[:-2]) for part in zip(*found, strict=True)
            )
        return _restack_parts(found, a.shape[:-2])

    return call_on_stack


def _restack_parts(parts: list[Any], shape: tuple[int, ...]) -> Any:
    whole = np.array([np.asarray(part, dtype=object) for part in parts], dtype=object)
    return whole.reshape(shape + whole.shape[1:])


def _mirror_triangle(a: Any, lower: bool) -> Any:
    mask = np.tril(np.ones(a.shape, dtype=bool)) if lower else np.triu(np.ones(a.shape, dtype=bool))
    return np.where(mask, a, a.T)


def _floats(a: Any) -> Any:
    return np.array([[float(v) for v in row] for row in a])


def _align_signs(vectors: Any, like: Any) -> Any:
    """The columns with the signs of those of `like`."""
    for k in range(vectors.shape[1]):
        if sum(float(u) * v for u, v in zip(vectors[:, k], like[:, k], strict=True)) < 0:
            vectors[:, k] = -vectors[:, k]
    return vectors


def _det(a: Any) -> Any:
    return mp.det(_matrix(a))


def _slogdet(a: Any) -> Any:
    det = _det(a)
    return mp.sign(det), mp.log(abs(det))


def _cofactor(a: Any) -> Any:
    return np.array(
        [
            [(-1) ** (i + j) * _det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(len(a))]
            for i in range(len(a))
        ],
        dtype=object,
    )


def _inv(a: Any) -> Any:
    return _array(mp.inverse(_matrix(a)))


def _solve(a: Any, b: Any) -> Any:
    a, b = np.asarray(a, dtype=object), np.asarray(b, dtype=object)
    if a.ndim > 2 or b.ndim > 2:
        inverse = _map_over_stack(_inv)(a)
        return inverse @ b if b.ndim > 1 else (inverse @ b[..., None])[..., 0]
    return _inv(a) @ b


def _solve_triangular(a: Any, b: Any, trans: int, lower: bool, unit_diagonal: bool) -> Any:
    size = np.shape(a)[-1]
    mask = np.ones((size, size), dtype=bool)
    a = np.where(np.tril(mask) if lower else np.triu(mask), a, mp.zero)
    a = np.where(np.eye(size, dtype=bool), mp.one, a) if unit_diagonal else a
    return _solve(np.swapaxes(a, -1, -2) if trans else a, b)


def _sparse_solve(data: Any, b: Any, rows: Any, columns: Any) -> Any:
    whole = np.full((len(b), len(b)), mp.zero, dtype=object)
    np.add.at(whole, (rows, columns), np.asarray(data, dtype=object))
    return _solve(whole, b)


def _solve_banded(ab: Any, b: Any, below: int, above: int, definite: bool) -> Any:
    whole = np.full((len(b), len(b)), mp.zero, dtype=object)
    for i, j in np.ndindex(whole.shape):
        if -above <= i - j <= below:
            whole[i, j] = ab[above + i - j][j]
            whole[j, i] = whole[i, j] if definite else whole[j, i]
    return _solve(whole, b)


def _cholesky(a: Any, upper: bool) -> Any:
    factor = _array(mp.cholesky(_matrix(_mirror_triangle(a, lower=not upper))))
    return factor.T if upper else factor


def _eigvalsh(a: Any, UPLO: str = "L") -> Any:
    return _vector(mp.eigsy(_matrix(_mirror_triangle(a, UPLO == "L")), eigvals_only=True))


def _eigh(a: Any, UPLO: Literal["L", "U"] = "L") -> Any:
    values, vectors = mp.eigsy(_matrix(_mirror_triangle(a, UPLO == "L")))
    like = np.linalg.eigh(_floats(_mirror_triangle(a, UPLO == "L")), UPLO=UPLO)[1]
    return _vector(values), _align_signs(_array(vectors), like)


def _eig(a: Any) -> Any:
    found, columns = mp.eig(_matrix(a))
    near, like = np.linalg.eig(_floats(a))
    by_size = sorted(range(len(a)), key=lambda k: mp.re(found[k]))
    values, vectors = np.empty(len(a), dtype=object), np.empty(a.shape, dtype=object)
    for place, k in zip(np.argsort(near), by_size, strict=True):
        column = _array(columns[:, k].apply(mp.re))[:, 0]
        values[place] = mp.re(found[k])
        vectors[:, place] = column / mp.norm(list(column))
    return values, _align_signs(vectors, np.real(like))


def _singular_values(a: Any) -> Any:
    return _vector(mp.svd_r(_matrix(a), compute_uv=False))


def _svd(a: Any) -> Any:
    u, s, vt = mp.svd_r(_matrix(a))
    like = np.linalg.svd(_floats(a), full_matrices=False)
    return _align_signs(_array(u), like[0]), _vector(s), _align_signs(_array(vt).T, like[2].T).T


def _pinv(a: Any, rcond: float, **_: Any) -> Any:
    u, s, vt = mp.svd_r(_matrix(a))
    values = _vector(s)
    # As NumPy: what is small beside the largest counts as zero.
    inverse = [1 / v if v > rcond * max(values) else mp.zero for v in values]
    return (_array(vt).T * np.array(inverse, dtype=object)) @ _array(u).T


def _qr(a: Any) -> Any:
    q, r = (_array(part) for part in mp.qr(_matrix(a), mode="skinny"))
    like = np.diag(np.linalg.qr(_floats(a))[1])
    for k, sign in enumerate(np.sign(like)):
        if mp.sign(r[k, k]) * sign < 0:
            q[:, k], r[k, :] = -q[:, k], -r[k, :]
    return q, r


def _expm(a: Any) -> Any:
    return _array(mp.expm(_matrix(a)))


def _sqrtm(a: Any) -> Any:
    return _real(mp.sqrtm(_matrix(a)))


def _real(matrix: Any) -> Any:
    return _array(matrix.apply(mp.re))


FACTORISATIONS: Final[dict[str, Callable[..., Any]]] = {
    "cholesky": _map_over_stack(_cholesky),
    "cofactor": _map_over_stack(_cofactor),
    "det": _map_over_stack(_det),
    "eig": _map_over_stack(_eig),
    "eigh": _map_over_stack(_eigh),
    "eigvalsh": _map_over_stack(_eigvalsh),
    "expm": _map_over_stack(_expm),
    "inv": _map_over_stack(_inv),
    "pinv": _map_over_stack(_pinv),
    "qr": _map_over_stack(_qr),
    "singular_values": _map_over_stack(_singular_values),
    "slogdet": _map_over_stack(_slogdet),
    "solve": _solve,
    "solve_banded": _solve_banded,
    "solve_triangular": _solve_triangular,
    "sparse_solve": _sparse_solve,
    "sqrtm": _map_over_stack(_sqrtm),
    "svd": _map_over_stack(_svd),
}
"""By name, with the parameters of the operation."""
