"""What an audit finds: an entry for each derivative of each function in each float format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from verify.audit.ranking import rank
from verify.model.outcome import Float
from verify.model.verdict import Verdict
from verify.report.accuracy import Accuracy

__all__ = ["FAULTS", "SCHEMA", "Audit", "Entry", "Stretch", "Witness", "name_of"]

SCHEMA: Final = "symtape-audit-1"

FAULTS: Final = (Verdict.WRONG, Verdict.INACCURATE)

_NAMES: Final = {
    (0,): "∂/∂x",
    (1,): "∂/∂y",
    (0, 0): "∂²/∂x²",
    (0, 1): "∂²/∂x∂y",
    (1, 1): "∂²/∂y²",
}
_OF_ONE: Final = {(0,): "d/dx", (0, 0): "d²/dx²"}


def name_of(wrt: tuple[int, ...], binary: bool) -> str:
    """What a derivative is called.

    Examples
    --------
    >>> name_of((0, 0), False), name_of((1,), True)
    ('d²/dx²', '∂/∂y')
    """
    return (_NAMES if binary else _OF_ONE)[wrt]


@dataclass(frozen=True, slots=True)
class Witness:
    """One input at which a claimed derivative is at fault.

    Attributes
    ----------
    x : tuple of Float
        One an argument.
    claimed : Float
    exact : str
        The exact derivative, to 17 digits.
    kind : str
        What is wrong, see :data:`verify.audit.judging.KINDS`.
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


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is claimed, and what is exact, at the worst input of a segment of a coordinate."""

    coordinate: str
    claimed: str
    exact: str


@dataclass(frozen=True, slots=True)
class Entry:
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
        The one that matters most first, by :mod:`verify.audit.ranking`; each checked once more by
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
        return self.verdict in FAULTS

    @property
    def faults(self) -> int:
        """Points at fault."""
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True)
class Audit:
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
        """The entries, the gravest first: see :mod:`verify.audit.ranking`."""
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
