"""QR and singular values on object arrays: exact formulas, in ``+ - * /`` and square roots.

Both leave signs open, and singular values come in order: that goes by `values`, the same matrix
in floats at the point, so that the formulas are those of what NumPy finds.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.elimination import eigenvectors_of_two, map_over_stack


def qr(a: Any, values: Any) -> tuple[Any, Any]:
    """The reduced QR decomposition, by Gram and Schmidt's method."""
    point = np.asarray(values[0], dtype=np.float64)
    rows, rank = a.shape[-2], min(a.shape[-2:])
    signs = np.sign(np.diagonal(np.linalg.qr(point)[1], axis1=-2, axis2=-1))
    both = map_over_stack(_qr, a, np.expand_dims(signs, -2))
    return both[..., :rows, :], np.swapaxes(both[..., rows:, :rank], -1, -2)


def _qr(a: Any, signs: Any) -> Any:
    """Q above the transpose of R."""
    rank = min(a.shape)
    columns: list[Any] = []
    upper = np.zeros((rank, a.shape[1]), dtype=object)
    for j, column in enumerate(a.T):
        rest = column
        for i, unit in enumerate(columns):
            upper[i, j] = unit @ column
            rest = rest - unit * upper[i, j]
        if j < rank:
            length = (rest @ rest).sqrt()
            upper[j, j] = -length if signs[0, j] < 0 else length
            columns.append(rest / upper[j, j])
    return np.concatenate([np.stack(columns, axis=1), upper.T])


def singular_values(a: Any) -> Any:
    """The singular values, descending, of matrices of at most two rows or columns."""
    _check_narrow(a)
    return map_over_stack(_singular_values, a)


def _singular_values(a: Any) -> Any:
    """Of two, the small one from their product, which loses nothing to cancellation."""
    tall = a if a.shape[0] >= a.shape[1] else a.T
    gram = tall.T @ tall
    if len(gram) == 1:
        return np.array([gram[0, 0].sqrt()], dtype=object)
    half, off = (gram[0, 0] - gram[1, 1]) / 2, gram[1, 0]
    middle = (gram[0, 0] + gram[1, 1]) / 2
    large = (middle + (half * half + off * off).sqrt()).sqrt()
    minors = [x[0] * y[1] - x[1] * y[0] for x, y in itertools.combinations(tall, 2)]
    product = np.array([minor * minor for minor in minors], dtype=object).sum().sqrt()
    return np.array([large, product / large], dtype=object)


def svd(a: Any, values: Any) -> tuple[Any, Any, Any]:
    """The reduced decomposition of matrices of at most two rows or columns."""
    _check_narrow(a)
    rows, columns = a.shape[-2:]
    point = np.asarray(values[0], dtype=np.float64)
    left, _, right = np.linalg.svd(point, full_matrices=False)
    guide = np.swapaxes(right, -1, -2) if rows >= columns else left
    all_three = map_over_stack(_svd, a, point, guide)
    vh = np.swapaxes(all_three[..., rows + 1 :, :], -1, -2)
    return all_three[..., :rows, :], all_three[..., rows, :], vh


def _svd(a: Any, point: Any, guide: Any) -> Any:
    """U above the values, above V."""
    wide = a.shape[0] < a.shape[1]
    tall, floats = (a.T, point.T) if wide else (a, point)
    descending = slice(None, None, -1)
    near = eigenvectors_of_two(tall.T @ tall, floats.T @ floats, guide[:, descending])
    near = near[:, descending]
    values = _singular_values(a)
    far = (tall @ near) / values
    left, right = (near, far) if wide else (far, near)
    return np.concatenate([left, values[None, :], right])


def _check_narrow(a: Any) -> None:
    if min(a.shape[-2:]) > 2:
        raise Unsupported(
            f"singular values of a {a.shape[-2]}x{a.shape[-1]} matrix have no closed form here, "
            "only those of up to two rows or columns; write what is wanted without them if "
            "possible, as np.sum(a**2) for the sum of their squares"
        )
