"""The working precision of Arb, and the length of its series: globals of the whole process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import flint

__all__ = ["precision"]

_LOCK: Final = threading.RLock()


@contextmanager
def precision(bits: int, terms: int | None = None) -> Iterator[None]:
    """Compute with `bits` bits inside the block; other threads that ask for one wait.

    Parameters
    ----------
    bits : int
        At least 2.
    terms : int, optional
        How many coefficients of power series are kept, at least 1; as before if not given.

    Raises
    ------
    ValueError
        `bits` is less than 2, or `terms` less than 1.

    Examples
    --------
    >>> from flint import arb
    >>> with precision(200):
    ...     third = arb(1) / 3
    >>> third.rel_accuracy_bits() > 190
    True
    """
    if bits < 2:
        raise ValueError(f"precision({bits}): expected at least 2 bits, such as 53 or 300")
    if terms is not None and terms < 1:
        raise ValueError(f"precision({bits}, terms={terms}): expected at least 1 term, such as 2")
    with _LOCK:
        before = flint.ctx.prec, flint.ctx.cap
        flint.ctx.prec = bits
        if terms is not None:
            flint.ctx.cap = terms
        try:
            yield
        finally:
            flint.ctx.prec, flint.ctx.cap = before
