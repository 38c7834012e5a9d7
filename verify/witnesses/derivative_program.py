"""The derivative's own program as a witness of whether its rule is right, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.rigorous.enclose import enclose
from symtape.symbolic.collector import uncollected
from verify.witnesses.closed_form import BELOW_FLOATS, MOST_BITS, Truth, good_bits

__all__ = ["Rule", "apart", "examine", "excluded"]

_ENOUGH: Final = 140
"""Bits at which two balls that meet show that no fault of 1e-40 is there."""

_CERTAIN: Final = 64
"""Bits from which a rule counts as right: beyond anything that floats could show."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What exact arithmetic says of a program.

    Attributes
    ----------
    excluded : list of bool arrays
        Where its enclosure excludes the exact derivative, one array a part. A True is a
        certainty, whatever the conditioning: two balls that do not meet.
    bits : int
        Elsewhere the two agree to ``2**-bits``, relatively.
    """

    excluded: list[Any]
    bits: int

    @property
    def wrong(self) -> bool:
        """Whether an entry is excluded."""
        return any(bool(flags.any()) for flags in self.excluded)

    @property
    def certain(self) -> bool:
        """Whether the rule is right, farther than any float shows."""
        return not self.wrong and self.bits >= _CERTAIN


@uncollected
def examine(program: Graph, point: Sequence[Any], truth: Truth) -> Rule:
    """Set a program beside the exact derivative, at more and more bits until that decides.

    The precision starts at that of `truth` and doubles, up to 4,800 bits, while an entry of
    the program is known to less than 140 bits and not excluded.
    """
    precision, exact = truth.precision, truth.parts
    while True:
        balls = enclose(program, point, precision)
        missed = [
            np.asarray(np.frompyfunc(apart, 2, 1)(ball, part), dtype=bool)
            for ball, part in zip(balls, exact, strict=True)
        ]
        bits = min(
            (
                good_bits(ball, precision)
                for part, flags in zip(balls, missed, strict=True)
                for ball, flag in zip(part.ravel().tolist(), flags.ravel().tolist(), strict=True)
                if not flag
            ),
            default=precision,
        )
        found = Rule(missed, min(bits, truth.bits))
        if found.wrong or bits >= _ENOUGH or precision >= MOST_BITS:
            return found
        precision *= 2
        exact = truth.enclose(point, precision)


def excluded(program: Graph, point: Sequence[Any], truth: Truth) -> list[Any]:
    """Where the program's enclosure excludes the exact derivative; see :class:`Rule`."""
    return examine(program, point, truth).excluded


def apart(ball: Any, exact: Any) -> bool:
    """Whether two finite balls do not meet, and are farther apart than floats can show.

    ``exp(-1e9)``, left where a masked entry has no derivative at all, is no fault.
    """
    if not (ball.is_finite() and exact.is_finite()) or ball.overlaps(exact):
        return False
    return not bool(abs(ball - exact) < BELOW_FLOATS)
