"""First-order perturbation of factorisations, as matrices of slopes.

Written down forward, ``dY`` for ``dA``, for :mod:`symtape.rigorous.slopes`; the tape's rules go
the other way. Giles, An extended collection of matrix derivative results for forward and reverse
mode algorithmic differentiation, Oxford NA-08/01 (2008), sections 2 and 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

__all__ = ["PERTURBED", "perturbed"]


def _inverse(a: Any) -> Any:
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return np.full(a.shape, np.inf)


def _inv(args: Sequence[Any], place: int) -> Any:
    x = _inverse(args[0])
    return -np.einsum("ik,lj->ijkl", x, x)


def _det(args: Sequence[Any], place: int) -> Any:
    return np.linalg.det(args[0]) * _inverse(args[0]).T


def _slogdet(args: Sequence[Any], place: int) -> Any:
    return np.stack([np.zeros(args[0].shape), _inverse(args[0]).T])


def _cofactor(args: Sequence[Any], place: int) -> Any:
    x, det = _inverse(args[0]), np.linalg.det(args[0])
    return det * (np.einsum("ji,lk->ijkl", x, x) - np.einsum("jk,li->ijkl", x, x))


def _solve(args: Sequence[Any], place: int) -> Any:
    a, b = args
    x = _inverse(a)
    if place:
        return x if b.ndim == 1 else np.einsum("ik,jl->ijkl", x, np.eye(b.shape[1]))
    y = x @ b
    return -np.einsum("ik,l...->i...kl", x, y)


def _eigvalsh(args: Sequence[Any], place: int, UPLO: str = "L") -> Any:
    vectors = np.linalg.eigh(args[0], UPLO=UPLO)[1]  # type: ignore[call-overload]
    read = np.tri(len(vectors)) if UPLO == "L" else np.tri(len(vectors)).T
    return np.einsum("ki,li->ikl", vectors, vectors) * (2 * read - np.eye(len(vectors)))


def _singular_values(args: Sequence[Any], place: int) -> Any:
    u, _, vt = np.linalg.svd(args[0], full_matrices=False)
    return np.einsum("ki,il->ikl", u, vt)


PERTURBED: Final[dict[str, Callable[..., Any]]] = {
    "cofactor": _cofactor,
    "det": _det,
    "eigvalsh": _eigvalsh,
    "inv": _inv,
    "singular_values": _singular_values,
    "slogdet": _slogdet,
    "solve": _solve,
}
"""``(arguments, place, **parameters)`` to slopes of shape result + argument, of single matrices."""


def perturbed(name: str, args: Sequence[Any], place: int, params: Any) -> Any | None:
    """The slopes as a matrix, one row an element of the result; None where there are none here."""
    function = PERTURBED.get(name)
    if function is None or np.ndim(args[0]) != 2 or np.ndim(args[-1]) > 2:
        return None
    with np.errstate(all="ignore"):
        found = function([np.asarray(x, np.float64) for x in args], place, **params)
    if not np.all(np.isfinite(found)):
        return None
    return np.reshape(found, (-1, math.prod(np.shape(args[place]))))
