"""What is known of the backward error of a factorisation, for its row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class BackwardError:
    """How a factorisation rounds: what it computes is exact for a matrix nearby.

    Attributes
    ----------
    size : callable ``(backward_error, matrix) -> array``
        The perturbation of the first argument, up to a factor; ``backward_error`` is
        ``symtape.rigorous.backward_error``.
    orthogonal : tuple of int
        Which results are orthogonal, and so rounded as a whole, not entry by entry.
    logs : tuple of int
        Which results add up the logarithms of the pivots.
    determinant : bool
        The result is a determinant, or has one as a factor.
    columns : bool
        Each column of the result has a perturbation of its own.
    triangle : bool
        Of a symmetric matrix one triangle is read.
    vectors : callable ``(matrix) -> matrix``, optional
        As LAPACK finds them, with signs that are its own choice.
    row : Primitive, optional
        The row that it is of the whole matrix, where the first argument stores a part of that.
    matrix : callable ``(first argument, **params) -> matrix``, optional
        The whole matrix then.
    """

    size: Callable[[Any, Any], Any]
    orthogonal: tuple[int, ...] = ()
    logs: tuple[int, ...] = ()
    determinant: bool = False
    columns: bool = False
    triangle: bool = False
    vectors: Callable[[Any], Any] | None = None
    row: Any = None
    matrix: Callable[..., Any] | None = None
