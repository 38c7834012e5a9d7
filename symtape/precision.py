"""The working precision of Arb, which is a global of the whole process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import flint

__all__ = ["precision"]

_LOCK: Final = threading.RLock()


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with `bits` bits inside the block; other threads that ask for one wait.

    Parameters
    ----------
    bits : int
        At least 2.

    Raises
    ------
    ValueError
        `bits` is less than 2.

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
    with _LOCK:
        before = flint.ctx.prec
        flint.ctx.prec = bits
        try:
            yield
        finally:
            flint.ctx.prec = before
