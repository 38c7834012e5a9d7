"""Whether two ways to compute a derivative have the same exact values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import SymtapeError
from symtape.process.precision import precision
from symtape.rigorous.enclose import enclose
from verify.claimants.claim import claim_of, fresh
from verify.model.case import Case

BITS: Final = 600
_AGREED: Final = -250
_OPERATIONS: Final = 2_000_000


def difference(cases: Sequence[Case], wrong: Callable[[], AbstractContextManager[Any]]) -> str:
    """Where the derivatives with and without a fault differ; empty if they are equal everywhere.

    Both recorded programs are enclosed at 600 bits. They count as equal where the enclosures of
    every entry agree to ``2**-250``, relatively to the largest entry.

    Raises
    ------
    SymtapeError
        The faulty derivative refuses to be computed.
    """
    for case in cases:
        for point in case.at:
            right = balls_of(case, point)
            with wrong():
                try:
                    other = balls_of(case, point)
                except SymtapeError:
                    raise
                except Exception as error:  # noqa: BLE001
                    # A planted fault may raise anything, and is found by it.
                    return f"it raises {type(error).__name__}: {error} at {_format_point(point)}"
            if not are_equivalent(right, other):
                return f"the derivative differs at {_format_point(point)} of {case.id}"
    return ""


def balls_of(case: Case, point: Sequence[Any]) -> list[Any]:
    """The claimed derivative at `point`, enclosed at 600 bits; one object array for each part."""
    given = tuple(fresh(x) for x in point)
    with np.errstate(all="ignore"):
        program = claim_of(case).program(given, _OPERATIONS)
    return enclose(program, given, BITS)


def are_equivalent(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Whether the enclosures agree to ``2**-250`` of the largest entry."""
    if [np.shape(a) for a in first] != [np.shape(b) for b in second]:
        return False
    with precision(BITS):
        return all(_equal(a, b) for a, b in zip(first, second, strict=True))


def _equal(first: Any, second: Any) -> bool:
    pairs = list(zip(np.ravel(first), np.ravel(second), strict=True))
    size = max((abs(x).upper() for pair in pairs for x in pair), default=arb(0))
    return all(bool(abs(x - y).upper() <= size * arb((1, _AGREED))) for x, y in pairs)


def _format_point(point: Sequence[Any]) -> str:
    return ", ".join(" ".join(repr(np.asarray(x).tolist()).split())[:60] for x in point)
