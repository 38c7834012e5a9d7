"""The bound on the rounding error over a region, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import Final

from symtape.one_line import OneLineRepr

_SHORT: Final = Context(prec=2, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True, repr=False)
class RoundingBound(OneLineRepr):
    """How far floats are from the exact result of the same program, for every float of a region.

    Attributes
    ----------
    absolute : float
        inf where there is no bound.
    ulps : float
        In units in the last place of the exact result; inf where that may be zero.
    reason : str
        Why there is no bound; empty where there is one.

    Examples
    --------
    >>> str(RoundingBound(1.21e-15, 3.11))
    'the rounding error is at most 3.2 ulps'
    >>> str(RoundingBound(1.21e-15, float("inf")))
    'the rounding error is at most 1.3e-15'
    """

    absolute: float
    ulps: float
    reason: str = ""

    def __str__(self) -> str:
        if self.reason:
            return f"no bound on the rounding error: {self.reason}"
        if self.ulps < math.inf:
            return f"the rounding error is at most {_rounded_up(self.ulps)} ulps"
        return f"the rounding error is at most {_rounded_up(self.absolute)}"


def _rounded_up(x: float) -> str:
    return f"{float(_SHORT.plus(Decimal(x))):g}"
