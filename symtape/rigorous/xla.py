"""The arithmetic of XLA, by which JAX computes: honest, but not NumPy's.

It takes subnormal numbers for 0, given or computed, and its own functions round more often:
the constants of rows (``xla``) were measured against Arb in float64 and float32 (jax 0.10.2,
x86-64). Integer powers are products there, and a division by a constant is a product with its
reciprocal. The errors of ``log1p`` and ``arctanh``, of a hundred ulps in float64, are no
roundings: they are not excused.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Final

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
