"""Ranking: which finding is told first, which is the one that people meet most in practice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from verify.audit.formats import HALVES
from verify.model.verdict import Verdict

if TYPE_CHECKING:
    from verify.audit.entries import Entry, Witness

__all__ = ["WORDS", "rank", "rank_of_witness"]

WORDS: Final = (
    "Findings are ranked by what people meet in practice: first derivatives before second ones; "
    "float64 and float32 before the halves; inputs that are 0 or between 1e-3 and 1e3 in size "
    "before extreme ones; values that are not finite, of the wrong sign, or off by a thousandth "
    "and more before lost digits; then by severity, and by name. Off by: the error of the "
    "derivative, times the input where that is above 1."
)
"""The order in words, for the pages."""

_MODERATE: Final = (1e-3, 1e3)
_LARGE: Final = 1e-3
_GRAVE: Final = ("not finite", "wrong sign")
_VERDICTS: Final = list(Verdict)


def rank_of_witness(witness: Witness) -> tuple[bool, bool]:
    """Whether its input is extreme, and whether it is but lost digits; the least comes first.

    Examples
    --------
    >>> from verify.audit.entries import Witness
    >>> from verify.model.outcome import Float
    >>> def off(x, error):
    ...     one = Float.of(x), Float.of(0.0)
    ...     return Witness((one[0],), one[1], "1.0", "inaccurate", 9.0, 1.0, error, error, 0.0, 0.0)
    >>> rank_of_witness(off(0.0, 0.5)), rank_of_witness(off(1e9, 1e-20))
    ((False, False), (True, True))
    """
    sizes = [abs(float.fromhex(x.hex)) for x in witness.x]
    low, high = _MODERATE
    moderate = all(size == 0 or low <= size <= high for size in sizes)
    slight = witness.absolute * max([1.0, *sizes]) < _LARGE
    return not moderate, slight and witness.kind not in _GRAVE


def rank(entry: Entry) -> tuple[Any, ...]:
    """What entries are sorted by: no two of an audit have the same.

    An entry at fault is ranked by the witness that it shows first. What is not known goes before
    what is right.
    """
    shown = rank_of_witness(entry.witnesses[0]) if entry.witnesses else (True, True)
    return (
        not entry.is_fault,
        0 if entry.is_fault else -_VERDICTS.index(entry.verdict),
        "²" in entry.derivative,
        entry.format in HALVES,
        *shown,
        math.inf if math.isnan(entry.severity) else -entry.severity,
        entry.function,
        entry.derivative,
        entry.format,
    )
