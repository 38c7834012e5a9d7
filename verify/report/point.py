"""What a report keeps of one point: where, what was claimed, what is exact, and how far off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from verify.errors import Misbehaviour
from verify.model.verdict import Verdict
from verify.report.floats import Float

__all__ = ["Enclosure", "Input", "Kink", "Point", "Slope"]


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Bounds of a real number: decimals rounded outward, from balls of `bits` bits."""

    lower: str
    upper: str
    bits: int = 0


@dataclass(frozen=True, slots=True)
class Input:
    """One argument of the function at a point.

    Attributes
    ----------
    name : str
        The parameter's name.
    dtype : str
    shape : tuple of int
    values, hex : tuple
        The elements in C order, as numbers and exactly; cut short when `truncated`.
    truncated : bool
        Whether elements were left out.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    values: tuple[float, ...]
    hex: tuple[str, ...]
    truncated: bool = False

    @classmethod
    def of(cls, name: str, array: Any, limit: int = 64) -> Self:
        """From an array, keeping the first `limit` elements.

        Examples
        --------
        >>> Input.of("x", [0.5, 2.0])
        Input(name='x', dtype='float64', shape=(2,), values=(0.5, 2.0), \
hex=('0x1.0000000000000p-1', '0x1.0000000000000p+1'), truncated=False)
        """
        array = np.asarray(array)
        kept = [float(value) for value in array.ravel()[:limit]]
        return cls(
            name=name,
            dtype=array.dtype.name,
            shape=array.shape,
            values=tuple(kept),
            hex=tuple(value.hex() for value in kept),
            truncated=array.size > limit,
        )


@dataclass(frozen=True, slots=True)
class Slope:
    """One entry of a derivative at a kink.

    Attributes
    ----------
    wrt : str
        The input, when there are several.
    entry : tuple of int
    left, right : float or None
        The one-sided derivatives; None where there is none, or it is not known.
    lower, upper : float
        The least and the greatest admissible value.
    claimed : float or None
    """

    wrt: str
    entry: tuple[int, ...]
    left: float | None
    right: float | None
    lower: float
    upper: float
    claimed: float | None = None
    admissible: bool | None = None


@dataclass(frozen=True, slots=True)
class Kink:
    """What there is in place of a derivative at a kink.

    Attributes
    ----------
    slopes : tuple of Slope
    admissible : bool or None
        Whether all that is claimed is admissible; None where that is not known.
    convention : str
        What the tape answers there.
    """

    slopes: tuple[Slope, ...] = ()
    admissible: bool | None = None
    convention: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """The outcome at one point, at the entry of the derivative that fared worst.

    Attributes
    ----------
    verdict : Verdict
    inputs : tuple of Input
        Where.
    entry : tuple of int
        Which entry of the derivative; empty for a scalar.
    wrt : str
        The input that the entry belongs to, when there are several.
    claimed : Float or None
        The value under test; None when there is none (it raised).
    enclosure : Enclosure or None
        Of the exact derivative; at a kink, of the admissible set.
    ulps, allowed_ulps, relative_error : float or None
        The error, in ulps of the claim's dtype; what honest rounding may lose; and the error
        relative to the truth.
    exactly : str
        What the claim is in exact arithmetic, where it is this that is off; the errors are its.
    beside : float
        Of what size the unit is the last place, where it is not that of the exact value; else 0.
    op, origin : str
        The operation to blame and the user's ``file:line``, when known.
    message : str
        What happened, in a sentence or more.
    power : str
        The size of the faults that this point can exclude, when that needs saying.
    note : str
        Of what fails, why it is noted only, unless all is judged strictly.
    severity : float
        How much a failure matters, from 0 to 1.
    kink : Kink or None
    recheck : str
        What a third party finds, difference quotients in mpmath.
    misbehaviour : Misbehaviour or None
        What the claim did or returned that is no derivative at all.
    traceback : str
        Of an error inside symtape, which kept the point from a verdict.
    """

    verdict: Verdict
    inputs: tuple[Input, ...] = ()
    entry: tuple[int, ...] = ()
    wrt: str = ""
    claimed: Float | None = None
    enclosure: Enclosure | None = None
    ulps: float | None = None
    allowed_ulps: float | None = None
    relative_error: float | None = None
    exactly: str = ""
    beside: float = 0.0
    op: str = ""
    origin: str = ""
    message: str = ""
    power: str = ""
    severity: float = 0.0
    note: str = ""
    kink: Kink | None = None
    recheck: str = ""
    misbehaviour: Misbehaviour | None = None
    traceback: str = ""
