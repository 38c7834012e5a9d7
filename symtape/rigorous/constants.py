"""How the roundings of a row act: on which arguments, and how many of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from symtape.primitives.primitive import Primitive
from symtape.rigorous.xla import is_xla

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
