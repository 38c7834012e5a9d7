"""The numbers that decide verdicts and are not computed, each with where it comes from.

All else follows from enclosures and from the constants of the rows (``rounding``), which
``symtape calibrate`` measures. What is measured here is so by ``symtape calibrate --tolerances``:
in float64 and float32, near zero and in tails, at 32 points of each function under three seeds. A
test holds the table in ``docs/evidence.md`` against this module.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "CANCELS",
    "CERTAIN_BITS",
    "DECIDED_BITS",
    "FEW",
    "HALF",
    "LEAST_POWER",
    "LIMIT",
    "LINEAR",
    "LITTLE",
    "NARROW",
    "ORDERS",
    "RESEMBLING",
    "SEVERAL",
    "SIDES",
    "SUMMED",
    "TIGHT",
    "UNSEEN",
]

HALF: Final = 0.5
"""Units in the last place by which a rule may be off. Derived: two reals that are no farther apart
round to the same float, or to neighbours, so that no float tells them apart."""

CERTAIN_BITS: Final = 64
"""Agreement from which a rule counts as right. Derived: 2⁻⁶⁴ is less than half a unit of float64,
2⁻⁵³, for any entry, with 11 bits to spare."""

DECIDED_BITS: Final = 140
"""Bits of an enclosure at which its precision is not doubled any more. Derived: more than twice
the 53 of float64, so that products of two roundings show too."""

NARROW: Final = 2.0**-30
"""Relative radius up to which a model ball is trusted to be tight. Derived: its second-order terms
are then below 2⁻⁶⁰, less than a rounding."""

TIGHT: Final = 2.0**12
"""Roundings of an entry that a model ball may hold and be trusted, in float32 and float16, where
`NARROW` is less than a rounding. Derived: the second-order terms of as many are 2²⁴ u², one
rounding of float32."""

LINEAR: Final = 1 / 8
"""Relative cost up to which a first-order bound says anything. Derived: what it leaves out, its
square, is then less than an eighth of it."""

ORDERS: Final = 4.0
"""How much more than the closed form an honest program may lose, if its own balls allow it, as sums
in another order do. Measured: derivatives written by hand lose up to 2.3 times as much."""

SEVERAL: Final = 256.0
"""Roundings that one honest program may make more than another of the same derivative, where its
conditioning explains them. Measured: derivatives written by hand make up to 249."""

UNSEEN: Final = 2.0**12
"""Roundings of the largest entry that numbers may have lost which a claim holds and somebody else
computed. Derived: the sine of an angle of 4,000 that was rounded once has lost as many."""

FEW: Final = 64.0
"""Roundings that code may make of a result, or of terms that cancel in it, for which nobody can
tell where it rounds. Measured: derivatives written by hand make up to 18."""

CANCELS: Final = 16.0
"""How much larger than an entry terms are of which one says that they cancel. Derived: four bits
are then lost, more than sums of a few terms of one sign lose."""

LITTLE: Final = 4.0
"""By how much code that cannot be followed may exceed an allowance of up to `SEVERAL` roundings and
be `INACCURATE`, not `WRONG`. Measured: derivatives written by hand exceed it 1.1 times."""

SIDES: Final = 8.0
"""Roundings for each that the closed form of a piece costs, at a kink. Derived: `ORDERS`, of each
of the two pieces that a value may mix."""

LIMIT: Final = 0.5
"""The power of the unit roundoff that a derivative may lose where it exists as a limit only, as of
``sin(x) / x`` at 0. Derived: of a quotient whose parts vanish half of the digits are lost at the
step that balances rounding and truncation (Higham 2002, section 1.14)."""

LEAST_POWER: Final = 2.0**-10
"""A check of values that allows more than this, relatively, says too little. Chosen: a fault of a
thousandth is the least that counts as one of interesting size; `UNDECIDED` rests on it, no other
verdict."""

SUMMED: Final = 1 + 2.0**-40
"""What rounding may have taken from a bound of rounding. Derived: such bounds are sums of at most
2¹² floats of one sign, each off by 2⁻⁵³."""

RESEMBLING: Final = 2.0**-8
"""How far what a framework computed may be from what its program says, replayed by NumPy, to be
that program. Derived: bfloat16, the least precise format that a framework may compute in, has eight
bits."""
