"""What a search saw of a region: how much of it, and how accurate the claim is there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any, Final

from symtape.one_line import OneLineRepr
from verify.model.verdict import Extent, Verdict, live


@dataclass(frozen=True, slots=True, repr=False)
class Survey(OneLineRepr):
    """Accuracy of a claim over a region: what the plots and the table of segments are made of.

    Attributes
    ----------
    names : tuple of str
        Of the coordinates: ``"x"``, ``"x[0]"``, ``"y[2, 1]"``; the first few.
    coordinates : float array, points by names
    ulps : float array, one a point
        The largest error of an entry of the claimed derivative there, in its own ulps.
    claimed, exact : float arrays, one a point
        That entry, and the exact value of it rounded to the nearest float.
    dtype : str
        Of the claim.
    """

    names: tuple[str, ...]
    coordinates: Any
    ulps: Any
    claimed: Any
    exact: Any
    dtype: str = "float64"


@dataclass(frozen=True, slots=True, repr=False)
class Coverage(Extent, OneLineRepr):
    """How a region was searched.

    Attributes
    ----------
    region : str
        In words.
    seed : int
    tried : int
        Points at which the claim was evaluated.
    judged : int
        Points that got a verdict, with enclosures.
    outside, undecided, noted : int
        Of the judged ones, those outside the domain, those that could not be decided, and those
        at which the claim fails at the fringe alone, which is noted.
    paths : tuple of int
        Paths of the function that were verified, and paths that were found.
    replayed : int
        Counterexamples of earlier runs that were tried as well.
    stopped : str
        Why the search ended early; empty if it did not.
    lacking : str
        What is missing to call the claim correct, whatever the points say; empty if nothing is.
    certified, bits : int
        At how many points there were enclosures, and to how many bits the weakest of them.
    reasons : tuple of str
        Why points were undecided: oracle conflicts, then the most frequent words first.
    proof : str or None
        What a proof leaves open that holds at every point that was found correct, empty for
        nothing; None without one.
    rounding : RoundingBound or None
        The bound on the rounding error all over the region; None where nobody asked.
    exact : int
        At how many points exact arithmetic over Q agreed.
    counts : tuple of (Verdict, int)
        How many of the judged points have each verdict, the gravest first.
    frequencies : tuple of int
        How many points each of the `reasons` is of.
    conflicts : int
        At how many points two oracles exclude each other.
    unconfirmed : str
        Which witnesses had nothing to say of the points that were found correct, in words.
    """

    region: str
    seed: int
    tried: int
    judged: int
    outside: int = 0
    undecided: int = 0
    paths: tuple[int, int] = (1, 1)
    replayed: int = 0
    stopped: str = ""
    reasons: tuple[str, ...] = ()
    frequencies: tuple[int, ...] = ()
    noted: int = 0
    lacking: str = live("")
    certified: int = live(0)
    bits: int = live(0)
    proof: str | None = live(None)
    rounding: RoundingBound | None = live(None)
    exact: int = live(0)
    counts: tuple[tuple[Verdict, int], ...] = live(())
    conflicts: int = live(0)
    unconfirmed: str = live("")


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
