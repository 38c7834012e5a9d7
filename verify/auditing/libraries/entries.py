"""What an audit finds: an entry for each derivative of each function in each float format."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

from symtape.one_line import OneLineRepr
from verify.auditing.libraries.formats import HALVES
from verify.model.accuracy import Accuracy
from verify.model.outcome import Float
from verify.model.verdict import Verdict

SCHEMA: Final = "symtape-audit-1"


_NAMES: Final = {
    (0,): "∂/∂x",
    (1,): "∂/∂y",
    (0, 0): "∂²/∂x²",
    (0, 1): "∂²/∂x∂y",
    (1, 1): "∂²/∂y²",
}
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

_OF_ONE: Final = {(0,): "d/dx", (0, 0): "d²/dx²"}


def name_of(wrt: tuple[int, ...], binary: bool) -> str:
    """What a derivative is called.

    Examples
    --------
    >>> name_of((0, 0), False), name_of((1,), True)
    ('d²/dx²', '∂/∂y')
    """
    return (_NAMES if binary else _OF_ONE)[wrt]


@dataclass(frozen=True, slots=True, repr=False)
class Witness(OneLineRepr):
    """One input at which a claimed derivative is at fault.

    Attributes
    ----------
    x : tuple of Float
        One an argument.
    claimed : Float
    exact : str
        The exact derivative, to 17 digits.
    kind : str
        What is wrong, see :data:`verify.auditing.libraries.judging.KINDS`.
    ulps, allowed : float
        The error, and what conditioning and rounding explain of it.
    absolute, relative : float
        The error.
    value_ulps : float
        The error of the function's own value there, as the claimant computes it.
    feasible_ulps : float
        The error of symtape's rule for the same function at the same input; nan where it is not
        asked.
    """

    x: tuple[Float, ...]
    claimed: Float
    exact: str
    kind: str
    ulps: float
    allowed: float
    absolute: float
    relative: float
    value_ulps: float
    feasible_ulps: float


@dataclass(frozen=True, slots=True, repr=False)
class Stretch(OneLineRepr):
    """What is claimed, and what is exact, at the worst input of a segment of a coordinate."""

    coordinate: str
    claimed: str
    exact: str


@dataclass(frozen=True, slots=True, repr=False)
class Entry(OneLineRepr):
    """One derivative of one function in one format.

    Attributes
    ----------
    function, expression : str
        The row's name, and the claimant's spelling.
    derivative : str
        ``"d/dx"``.
    format : str
    verdict : Verdict
        UNDECIDED where the claimant has no such derivative, or oracles disagree; see `note`.
    points, judged, flushed : int
        Tried; compared with an exact value; lost below the normal numbers.
    kinds : dict of str to int
        How many points are at fault, by what is wrong.
    max_ulps, median_ulps : float
    severity : float
        From 0 to 1, see :func:`verify.diagnosis.severity.severity`.
    closed_form : str
        The exact derivative as a formula.
    witnesses : tuple of Witness
        The one that matters most first, by :func:`rank_of_witness`; each checked once more by
        mpmath.
    reproducer, printed : str
        A program for the first of them alone, and what it printed.
    note : str
    stretches : tuple of Stretch
        One for each segment of each coordinate of `accuracy`.
    accuracy : Accuracy or None
        Where errors lie; of faults only.
    """

    function: str
    expression: str
    derivative: str
    format: str
    verdict: Verdict
    points: int = 0
    judged: int = 0
    flushed: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    max_ulps: float = 0.0
    median_ulps: float = 0.0
    severity: float = 0.0
    closed_form: str = ""
    witnesses: tuple[Witness, ...] = ()
    reproducer: str = ""
    printed: str = ""
    note: str = ""
    stretches: tuple[Stretch, ...] = ()
    accuracy: Accuracy | None = None

    @property
    def is_fault(self) -> bool:
        """Whether something is wrong or inaccurate."""
        return self.verdict.fails

    @property
    def faults(self) -> int:
        """Points at fault."""
        return sum(self.kinds.values())


def rank_of_witness(witness: Witness) -> tuple[bool, bool]:
    """Whether its input is extreme, and whether it is but lost digits; the least comes first.

    Examples
    --------
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


@dataclass(frozen=True, slots=True, repr=False)
class Audit(OneLineRepr):
    """The derivatives of one claimant.

    Attributes
    ----------
    claimant : str
    versions : dict of str to str
        Of everything that took part.
    created : str
    seed, points : int
    seconds : float
    entries : tuple of Entry
    interrupted : bool
    command : str
        Which line runs it again.
    """

    claimant: str
    versions: dict[str, str]
    created: str
    seed: int
    points: int
    seconds: float
    entries: tuple[Entry, ...]
    interrupted: bool = False
    command: str = ""

    @property
    def ranked(self) -> list[Entry]:
        """The entries, the gravest first: see :func:`rank`."""
        return sorted(self.entries, key=rank)

    @property
    def functions(self) -> dict[str, list[Entry]]:
        """The entries of each function; the gravest entries and functions first."""
        found: dict[str, list[Entry]] = {}
        for entry in self.ranked:
            found.setdefault(entry.function, []).append(entry)
        return found

    @property
    def counts(self) -> dict[Verdict, int]:
        """Entries by verdict."""
        return {v: sum(it.verdict is v for it in self.entries) for v in Verdict}
