"""Square matrices of a given kind and a given condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from verify.errors import UsageError
from verify.regions.shapes import to_count
from verify.regions.square import matrix_from_spectrum
from verify.strategies.numbers import Draw, draw_integer, one_of

_MOST: Final = 1e14


def matrices(
    n: int, kind: str = "general", condition: float = 10.0
) -> st.SearchStrategy[np.ndarray]:
    """Square matrices of a kind, as well or as badly conditioned as asked for.

    Parameters
    ----------
    n : int
        From 1 to 32.
    kind : str
        ``"general"``, ``"symmetric"`` (indefinite), ``"positive definite"``, ``"triangular"``
        (upper), ``"orthogonal"`` (of condition 1 whatever is asked for), ``"repeated"`` or
        ``"clustered"``: symmetric with eigenvalues that are equal, or 1e-9 apart relatively,
        before rounding.
    condition : float
        The largest singular value over the smallest, kept up to rounding; from 1 to 1e14.
        Matrices of one row have condition 1.

    Returns
    -------
    strategy of float64 arrays, shape (n, n)
        The largest singular value is from 1/2 to 8. Shrinks to diagonal matrices.

    Raises
    ------
    UsageError
        Another kind, size or condition.

    Examples
    --------
    >>> import numpy as np
    >>> from hypothesis import find
    >>> a = find(matrices(2, condition=1e6), lambda a: True)
    >>> bool(0.9e6 < np.linalg.cond(a) < 1.1e6)
    True
    """
    size = to_count(n, "n", least=1)
    if size > 32:
        raise UsageError(f"n={n!r}; expected at most 32")
    if kind not in _KINDS:
        raise UsageError(f"kind={kind!r}; expected one of {', '.join(map(repr, _KINDS))}")
    if not 1 <= condition <= _MOST:
        raise UsageError(f"condition={condition!r}; expected a number from 1 to {_MOST:g}")

    return _matrices(kind, size, float(condition))


def _basis(draw: Draw, n: int) -> np.ndarray:
    """An orthogonal matrix: a product of up to three reflections (Householder, 1958)."""
    basis = np.eye(n)
    for _ in range(draw_integer(draw, 4)):
        v = np.array([draw_integer(draw, 9) - 4.0 for _ in range(n)])
        if v.any():
            basis = basis - np.outer(basis @ v, 2 * v / (v @ v))
    return basis


def _spectrum(draw: Draw, n: int, condition: float) -> np.ndarray:
    """Values from 1/condition to 1, both of them among these, others between by magnitude."""
    between = [draw_integer(draw, 17) / 16 for _ in range(n - 2)]
    ends = [0.0, 1.0] if n > 1 else [0.0]
    sizes = condition ** -np.array([*ends, *between])
    return np.asarray(sizes * one_of(draw, (1.0, 2.0, 4.0, 0.5)))


def _general(draw: Draw, n: int, condition: float) -> np.ndarray:
    left = _basis(draw, n)
    return np.asarray((left * _spectrum(draw, n, condition)) @ _basis(draw, n).T)


def _symmetric(draw: Draw, n: int, condition: float) -> np.ndarray:
    signs = np.array([1.0 - 2.0 * draw_integer(draw, 2) for _ in range(n)])
    return matrix_from_spectrum(_basis(draw, n), signs * _spectrum(draw, n, condition))


def _positive_definite(draw: Draw, n: int, condition: float) -> np.ndarray:
    return matrix_from_spectrum(_basis(draw, n), _spectrum(draw, n, condition))


def _triangular(draw: Draw, n: int, condition: float) -> np.ndarray:
    return np.asarray(np.triu(np.linalg.qr(_general(draw, n, condition))[1]))


def _draw_grouped(draw: Draw, n: int, condition: float, apart: float) -> np.ndarray:
    values = _spectrum(draw, n, condition)
    copied = [values[draw_integer(draw, min(k + 1, 2))] if k > 1 else values[k] for k in range(n)]
    spread = 1.0 + apart * np.arange(n)
    return matrix_from_spectrum(_basis(draw, n), np.array(copied) * spread)


_KINDS: Final[dict[str, Callable[[Draw, int, float], Any]]] = {
    "general": _general,
    "symmetric": _symmetric,
    "positive definite": _positive_definite,
    "triangular": _triangular,
    "orthogonal": lambda draw, n, condition: _basis(draw, n),
    "repeated": lambda draw, n, condition: _draw_grouped(draw, n, condition, 0.0),
    "clustered": lambda draw, n, condition: _draw_grouped(draw, n, condition, 1e-9),
}
_matrices: Final = st.composite(lambda draw, kind, n, condition: _KINDS[kind](draw, n, condition))
