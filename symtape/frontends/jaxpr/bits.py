"""The bits of a number, of which only the one that is its sign can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.frontends.jaxpr.table import Call, reads

BITS_REFUSED: Final = "it works on the bits of numbers, which are no functions of real numbers"

ASK_BITS: Final = frozenset(["shift_right_arithmetic", "shift_right_logical"])
"""What may be asked of bits."""


@dataclass(frozen=True, slots=True)
class Bits:
    """An integer of the bits of floats."""

    of: Any
    refuse: Callable[[str], Exception]

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.of.dtype.itemsize) * 8


@reads("bitcast_convert_type")
def _bits(call: Call, x: Any) -> Any:
    if x.dtype.kind != "f" or call.dtype.itemsize != x.dtype.itemsize:
        raise call.refuse(BITS_REFUSED)
    return Bits(x, call.refuse)


@reads(*ASK_BITS)
def _shift_right(call: Call, x: Any, by: Any) -> Any:
    if not isinstance(x, Bits) or not np.all(np.asarray(by) == x.count - 1):
        raise call.refuse(BITS_REFUSED)
    sign = np.signbit(x.of).astype(call.dtype)
    return sign if call.name == "shift_right_logical" else -sign
