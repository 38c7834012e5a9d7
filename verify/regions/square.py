"""Square matrices at which linear algebra goes wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

_CONDITIONS = (1e3, 1e6, 1e10, 1e14)


def square_kinds(n: int, room: float) -> list[Iterator[np.ndarray]]:
    """Special n×n matrices with entries up to `room` in size, one finite iterator a kind.

    Singular and nearly singular, orthogonal, triangular and defective ones among them.

    Parameters
    ----------
    n : int
        2 or more.
    room : float
        Matrices are scaled down to it by a power of two.

    Returns
    -------
    list of iterators of float64 arrays, shape (n, n)
    """
    kinds = [_plain(n), _singular(n), _orthogonal(n), _triangular(n), _badly_conditioned(n)]
    return [_fit_matrices(kind, room) for kind in kinds]


def symmetric_kinds(n: int, room: float) -> list[Iterator[np.ndarray]]:
    """Special symmetric n×n matrices with entries up to `room` in size.

    Diagonal ones, repeated eigenvalues, singular and nearly singular ones, graded spectra.

    Returns
    -------
    list of iterators of float64 arrays, shape (n, n)
        Exactly symmetric.
    """
    kinds = [_plain(n), _repeated_spectra(n), _rank_one(n), _graded_spectra(n), _indefinite(n)]
    return [_fit_matrices(kind, room) for kind in kinds]


def rotation(n: int) -> np.ndarray:
    """An orthogonal, symmetric n×n matrix without zeros: a reflection (Householder, 1958).

    Examples
    --------
    >>> q = rotation(3)
    >>> bool(np.allclose(q @ q.T, np.eye(3)))
    True
    """
    v = np.arange(1.0, n + 1)
    return np.asarray(np.eye(n) - 2 * np.outer(v, v) / (v @ v))


def matrix_from_spectrum(basis: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
    """The exactly symmetric matrix with those eigenvalues, up to rounding.

    Parameters
    ----------
    basis : array, shape (n, n)
        Orthogonal.
    eigenvalues : array, shape (n,)
    """
    full = (basis * eigenvalues) @ basis.T
    return np.asarray(full / 2 + full.T / 2)


def _fit_matrices(matrices: Iterator[np.ndarray], room: float) -> Iterator[np.ndarray]:
    for matrix in matrices:
        largest = float(np.abs(matrix).max(initial=0.0))
        if largest <= room:
            yield matrix
        elif room > 0:
            yield matrix * np.exp2(np.floor(np.log2(room) - np.log2(largest)))


def _plain(n: int) -> Iterator[np.ndarray]:
    yield np.eye(n)
    yield np.zeros((n, n))
    yield np.diag(np.arange(1.0, n + 1))
    yield -np.eye(n)
    yield np.diag(np.arange(n) + 0.0)
    yield np.diag(np.where(np.arange(n) % 2 == 0, 1.0, -1.0))


def _singular(n: int) -> Iterator[np.ndarray]:
    yield np.ones((n, n))
    counted = np.arange(1.0, n * n + 1).reshape(n, n)
    yield np.outer(counted[0], counted[:, 0]) / n
    yield counted
    for tiny in (1e-3, 1e-8, 2.0**-52, 1e-300):
        yield np.ones((n, n)) + tiny * np.eye(n)
    yield counted - np.diag(np.eye(n)[0])


def _orthogonal(n: int) -> Iterator[np.ndarray]:
    yield np.eye(n)[::-1].copy()
    yield np.roll(np.eye(n), 1, axis=0)
    yield rotation(n)
    turned = np.eye(n)
    turned[:2, :2] = [[0.8, -0.6], [0.6, 0.8]]
    yield turned
    yield np.triu(np.ones((n, n)), 1) - np.tril(np.ones((n, n)), -1)


def _triangular(n: int) -> Iterator[np.ndarray]:
    yield np.tril(np.ones((n, n)))
    yield np.triu(np.ones((n, n)))
    yield np.eye(n) + np.eye(n, k=1)
    yield np.eye(n, k=1)
    yield np.eye(n) - np.triu(np.ones((n, n)), 1)


def _badly_conditioned(n: int) -> Iterator[np.ndarray]:
    rows = np.arange(n)
    yield 1.0 / (1.0 + rows[:, None] + rows)
    for condition in _CONDITIONS:
        yield (rotation(n) * np.geomspace(1.0, 1 / condition, n)) @ rotation(n)[::-1]
    yield np.diag(np.geomspace(1.0, 1e-150, n))
    yield np.vander(np.linspace(-1.0, 1.0, n))


def _repeated_spectra(n: int) -> Iterator[np.ndarray]:
    for values in (np.where(np.arange(n) == 0, 2.0, 1.0), np.where(np.arange(n) < n // 2, 1, -1)):
        yield np.diag(values + 0.0)
        yield matrix_from_spectrum(rotation(n), values + 0.0)
    nearly = 1.0 + 2.0**-52 * np.arange(n)
    yield np.diag(nearly)
    yield matrix_from_spectrum(rotation(n), 1.0 + 1e-8 * np.arange(n))


def _rank_one(n: int) -> Iterator[np.ndarray]:
    ones, counted = np.ones((n, n)), np.outer(np.arange(1.0, n + 1), np.arange(1.0, n + 1))
    for matrix in (ones, counted):
        for tiny in (0.0, 1.0, 1e-3, 1e-8, 2.0**-50):
            yield matrix + tiny * np.eye(n)


def _graded_spectra(n: int) -> Iterator[np.ndarray]:
    for condition in _CONDITIONS:
        values = np.geomspace(1.0, 1 / condition, n)
        yield np.diag(values)
        yield matrix_from_spectrum(rotation(n), values)
    rows = np.arange(n)
    yield 1.0 / (1.0 + rows[:, None] + rows)


def _indefinite(n: int) -> Iterator[np.ndarray]:
    yield np.eye(n)[::-1].copy()
    yield matrix_from_spectrum(rotation(n), np.arange(n) - (n - 1) / 2)
    yield np.ones((n, n)) - np.eye(n)
    yield 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
