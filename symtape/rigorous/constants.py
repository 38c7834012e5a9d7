"""How the roundings of a row act: on which arguments, and how many of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from symtape.primitives.primitive import Primitive
from symtape.rigorous.xla import ROUNDINGS, is_xla

__all__ = ["MULTILINEAR", "PRODUCTS", "roundings"]

MULTILINEAR: Final = frozenset(
    [
        "sum",
        "mean",
        "cumsum",
        "scatter",
        "scatter_by",
        "matmul",
        "einsum",
        "cross",
        "convolve",
        "correlate",
        "dot",
    ]
)
"""Sums of products of one element of each argument: n roundings, in any order, are n
perturbations of one factor of each term (Higham 2002, section 3.1)."""

PRODUCTS: Final = frozenset(["cumprod", "prod"])
"""Products of many factors, which may overflow or underflow on the way."""

_RELATIVE: Final = frozenset(
    ["cumprod", "euclidean_norm", "power", "power_norm", "prod", "share_of_extreme"]
)
"""Rows whose result has a small relative error, so that no argument need be perturbed."""


def roundings(
    row: Primitive, shapes: Sequence[tuple[int, ...]], params: Mapping[str, Any]
) -> tuple[float, float]:
    """Perturbation of the arguments, and of the result, in units of roundoff."""
    found: Any = row.rounding
    if is_xla():
        found = ROUNDINGS.get(row.name, found)
    if callable(found):
        n = float(found(shapes, params))
        return (n, 0.0) if row.name in MULTILINEAR else (0.0 if row.name in _RELATIVE else n, n)
    k_in, k_out = found
    return (0.0 if row.name in _RELATIVE else float(k_in)), float(k_out)
