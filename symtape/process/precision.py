"""The working precision of Arb, and the length of its series: globals of the whole process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import flint

_LOCK: Final = threading.RLock()

_MORE: Final = (256, 1024)
"""Bits that are added, one after the other. Of what cancels more than these, what is left is less
than the least float, 2**-1074, of terms of size 1."""


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


def refine_ball(ball: Callable[[], Any], bits: int = 2) -> Any:
    """A ball that knows its size, if more bits help: where the terms of a function cancel.

    Parameters
    ----------
    ball : callable
        Computes it, at the precision in force.
    bits : int
        Relative accuracy from which it is known.

    Returns
    -------
    arb
        As the precision in force gives it, where that is known or exactly 0; else with up to 1024
        bits more, as far as these help: of arguments that are wide they do not.

    Examples
    --------
    >>> from flint import arb
    >>> lost = lambda: (arb(1) + arb(2) ** -200) - 1
    >>> with precision(64):
    ...     lost().rel_accuracy_bits() < 2 < refine_ball(lost).rel_accuracy_bits()
    True
    """
    found = ball()
    for more in _MORE:
        if found.is_zero() or found.rel_accuracy_bits() >= bits:
            break
        before = found
        with precision(flint.ctx.prec + more):
            found = ball()
        if before.is_finite() and not found.rad() < before.rad() / 2:
            break
    return found
