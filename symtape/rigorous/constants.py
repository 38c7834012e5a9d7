"""How the roundings of a row act, on which arguments and how many, and how those of XLA do.

The arithmetic of XLA, by which JAX computes: honest, but not NumPy's. It takes subnormal numbers
for 0, given or computed, and its own functions round more often: the constants of rows (``xla``)
were measured against Arb in float64 and float32 (jax 0.10.2, x86-64). Integer powers are products
there, and a division by a constant is a product with its reciprocal. The errors of ``log1p`` and
``arctanh``, of a hundred ulps in float64, are no roundings: they are not excused.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from symtape.primitives.primitive import Primitive

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


FLUSHED: Final = 2.0**10
"""By how much a number that was flushed to 0 may be multiplied afterwards, and be tiny still."""


class _Arithmetic(threading.local):
    """Whose arithmetic is judged in this thread."""

    of_xla = False


_arithmetic: Final = _Arithmetic()


def is_xla() -> bool:
    """Whether the code in question computes as XLA does."""
    return _arithmetic.of_xla


@contextlib.contextmanager
def allow_xla_answers(active: bool = True) -> Iterator[None]:
    """Inside, model balls and comparisons hold what XLA may answer.

    Examples
    --------
    >>> import symtape
    >>> from symtape.rigorous.rounding import model
    >>> graph = symtape.record(lambda x: x * 2, 1e-310)
    >>> with allow_xla_answers():
    ...     [value] = model(graph, [1e-310])
    >>> bool(value[()].contains(0))
    True
    """
    before = _arithmetic.of_xla
    _arithmetic.of_xla = active
    try:
        yield
    finally:
        _arithmetic.of_xla = before
