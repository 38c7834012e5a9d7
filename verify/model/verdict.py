"""Verdicts, the rungs of evidence behind them, and the exit status they mean."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from symtape.one_line import OneLineRepr


class Verdict(enum.Enum):
    """What is known of a claim at a point, or of a whole case.

    Ordered by gravity: see ``gravest``.
    """

    CORRECT = "CORRECT"
    """Inside what the exact derivative and honest rounding allow."""
    KINK = "KINK"
    """There is no classical derivative at the point."""
    OUTSIDE = "OUTSIDE"
    """The function itself is undefined, or not finite, there."""
    UNDECIDED = "UNDECIDED"
    """A budget was spent, something is unsupported, or the check has no power; says which."""
    INACCURATE = "INACCURATE"
    """The formula is right, but its float value is off by more than rounding explains."""
    WRONG = "WRONG"
    """What is claimed is not the derivative: the exact value is another one."""

    @property
    def fails(self) -> bool:
        """Whether it is against the claim: WRONG, or INACCURATE.

        Examples
        --------
        >>> [verdict.name for verdict in Verdict if verdict.fails]
        ['INACCURATE', 'WRONG']
        """
        return self in (Verdict.INACCURATE, Verdict.WRONG)


class Rung(enum.Enum):
    """How strong the evidence for a verdict is, strongest first."""

    PROVED = "proved"
    ENCLOSED = "enclosed"
    EXACT = "exact over Q"
    CERTIFIED = "certified"
    SAMPLED = "sampled"


class ExitStatus(enum.IntEnum):
    """Exit status of the command."""

    CORRECT = 0
    WRONG = 1
    USAGE = 2
    UNDECIDED = 3


def live(default: Any) -> Any:
    """Make a field of a dataclass that is not in JSON."""
    return field(default=default, compare=False, metadata={"json": ""})


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Extent:
    """On how much of a region's volume a formula is proved, or its error is enclosed.

    Attributes
    ----------
    share : float
        On how much it is proved; 1 only if nothing of it is left.
    rounded : bool
        Whether it is with constants as numbers that they may have been rounded from.
    enclosed : float
        On how much it is proved, or its error is enclosed at every point.
    enclosed_bits : int
        To how many bits of the largest value of each entry.
    covered : float
        On how much that is so at least wherever the function's operations are defined and smooth.
    conditions : tuple of str
        For each path where they are, unless it is everywhere.
    """

    share: float = live(0.0)
    rounded: bool = live(False)
    enclosed: float = live(0.0)
    enclosed_bits: int = live(0)
    covered: float = live(0.0)
    conditions: tuple[str, ...] = live(())

    @property
    def extent(self) -> dict[str, Any]:
        """These fields by their names."""
        return {each.name: getattr(self, each.name) for each in fields(Extent)}


@dataclass(frozen=True, slots=True, repr=False)
class Evidence(Extent, OneLineRepr):
    """The rung reached, and its extent.

    Attributes
    ----------
    rung : Rung
        The strongest rung; weaker ones are listed after it.
    points, bits : int
        At how many points there were enclosures, or only values, and to how many bits.
    exact : int
        At how many points exact arithmetic over Q agreed.
    open : str
        What a proof leaves open: shapes that were not tested, conditions that it assumes.
    unconfirmed : str
        Which witnesses could not compute the derivative, and where.
    within : str
        The accuracy that the claim states, and was held to; empty for one that is exact.
    rounding : str
        What bounds the rounding at every point of the region; empty for nothing.

    Examples
    --------
    >>> str(Evidence(Rung.CERTIFIED, points=3, bits=300))
    'certified at 3 points to 2⁻³⁰⁰'
    >>> str(Evidence(Rung.PROVED, points=1, bits=300, open=", sum at the tested shapes"))
    'proved, sum at the tested shapes; certified at 1 point to 2⁻³⁰⁰'
    >>> str(Evidence(Rung.PROVED, points=60, bits=300, share=1.0))
    'proved on the whole region; certified at 60 points to 2⁻³⁰⁰'
    >>> str(Evidence(Rung.PROVED, points=60, bits=300, covered=1.0, conditions=("x > 0",)))
    "proved wherever the function's operations are defined and smooth (x > 0); certified at 60 \
points to 2⁻³⁰⁰"
    >>> str(Evidence(Rung.CERTIFIED, points=60, bits=300, share=0.99999))
    'certified at 60 points to 2⁻³⁰⁰; proved on 99.99 % of the region'
    >>> str(Evidence(Rung.ENCLOSED, points=60, bits=300, enclosed=1.0, enclosed_bits=48))
    'enclosed on the whole region to 2⁻⁴⁸; certified at 60 points to 2⁻³⁰⁰'
    """

    rung: Rung
    points: int = 0
    bits: int = 0
    exact: int = 0
    open: str = ""
    unconfirmed: str = ""
    within: str = ""
    rounding: str = ""

    def __str__(self) -> str:
        said = {
            Rung.PROVED: f"proved{self._extent}{self.open}",
            Rung.ENCLOSED: f"enclosed on the whole region{_format_bits(self.enclosed_bits)}",
            Rung.EXACT: f"exact over Q{_format_points(self.exact) if self.exact else ''}",
        }
        parts = [said[self.rung]] if self.rung in said else []
        if self.rung is Rung.PROVED and self.exact:
            parts.append(f"exact over Q{_format_points(self.exact)}")
        if self.rung is Rung.SAMPLED:
            parts.append(f"sampled{_format_points(self.points)}")
        elif self.points or not parts:
            parts.append(f"certified{_format_points(self.points)}{_format_bits(self.bits)}")
        if 0 < self.share < 1:
            parts.append(f"proved on {_format_share(self.share)}")
        if self.rung is not Rung.ENCLOSED and self.share < self.enclosed:
            share, bits = _format_share(self.enclosed), _format_bits(self.enclosed_bits)
            parts.append(f"enclosed on {share}{bits}")
        if self.conditions and self.rung is not Rung.PROVED:
            how = "proved or enclosed" if self.enclosed_bits else "proved"
            share = _format_share(self.covered)
            parts.append(f"{how} on {share} {_format_conditions(self.conditions)}")
        whole = "; ".join([*parts, *filter(None, [self.rounding, self.unconfirmed])])
        return whole + (f", within {self.within}" if self.within else "")

    @property
    def _extent(self) -> str:
        if self.share == 1:
            return " on the whole region"
        return f" {_format_conditions(self.conditions)}" if self.conditions else ""


def _format_conditions(conditions: Sequence[str]) -> str:
    """Where what is said holds."""
    where = " or, on another path, ".join(conditions)
    return f"wherever the function's operations are defined and smooth ({where})"


def _format_bits(bits: int) -> str:
    exponent = str(bits).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f" to 2⁻{exponent}"


def _format_share(share: float) -> str:
    """Rounded down, for a part that is left must not read like none."""
    if share == 1:
        return "the whole region"
    return f"{math.floor(share * 1e4) / 100:g} % of the region"


@dataclass(frozen=True, slots=True, repr=False)
class Sampled(OneLineRepr):
    """What the values of a function alone say of a claim that could not be decided.

    Attributes
    ----------
    verdict : Verdict
        By samples, which certify nothing.
    points : int
        At how many points there were some.
    message : str
        What they could have seen, or what they saw.

    Examples
    --------
    >>> str(Sampled(Verdict.CORRECT, 3))
    'CORRECT (sampled at 3 points)'
    """

    verdict: Verdict
    points: int
    message: str = ""

    def __str__(self) -> str:
        return f"{self.verdict.value} ({Evidence(Rung.SAMPLED, self.points)})"


def _format_points(points: int) -> str:
    return f" at {points} point{'s' * (points != 1)}"


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """The gravest of `verdicts`; CORRECT of none.

    Examples
    --------
    >>> gravest([Verdict.CORRECT, Verdict.WRONG, Verdict.KINK])
    <Verdict.WRONG: 'WRONG'>
    """
    order = list(Verdict)
    return max(verdicts, key=order.index, default=Verdict.CORRECT)


def exit_status(verdicts: Iterable[Verdict]) -> ExitStatus:
    """What the command exits with.

    Examples
    --------
    >>> exit_status([Verdict.CORRECT, Verdict.UNDECIDED])
    <ExitStatus.UNDECIDED: 3>
    """
    match gravest(verdicts):
        case verdict if verdict.fails:
            return ExitStatus.WRONG
        case Verdict.UNDECIDED:
            return ExitStatus.UNDECIDED
        case _:
            return ExitStatus.CORRECT


class ConfirmationStatus(enum.Enum):
    """How an oracle answers."""

    AGREED = "agreed"
    SILENT = "silent"
    """It has no reading of an operation, or too little is known of what it read."""
    CONFLICT = "conflict"
    """Both cannot be right, so that nothing can be said of a claim."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The answer of one oracle at one point.

    Attributes
    ----------
    oracle : str
        In words: ``"Taylor series"``.
    status : ConfirmationStatus
    words : str
        Why it is silent, or what excludes what.
    """

    oracle: str
    status: ConfirmationStatus
    words: str = ""

    def __str__(self) -> str:
        return f"{self.oracle}: {self.words}" if self.words else self.oracle


def conflict_in(found: Iterable[Confirmation]) -> Confirmation | None:
    """The first conflict, if there is one."""
    return next((one for one in found if one.status is ConfirmationStatus.CONFLICT), None)


def silent_among(found: Iterable[Confirmation]) -> tuple[Confirmation, ...]:
    """The oracles that said nothing."""
    return tuple(one for one in found if one.status is ConfirmationStatus.SILENT)


def unconfirmed_by(points: Sequence[Sequence[Confirmation]]) -> str:
    """Who was silent at some of the points, at how many, and why at the first of them.

    Examples
    --------
    >>> status = ConfirmationStatus.SILENT
    >>> silent = Confirmation("Taylor series", status, "betainc has no reading in jets")
    >>> unconfirmed_by([[silent], [silent], []])
    'not confirmed by Taylor series at 2 of 3 points: betainc has no reading in jets'
    """
    said: dict[str, list[str]] = {}
    for silent in points:
        for one in silent:
            said.setdefault(one.oracle, []).append(one.words)
    return "; ".join(
        f"not confirmed by {oracle}{_share(len(words), len(points))}: {words[0]}"
        for oracle, words in said.items()
    )


def _share(some: int, whole: int) -> str:
    return "" if some == whole else f" at {some} of {whole} points"
