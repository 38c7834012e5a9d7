"""The report: one model, from which every rendering is made.

Plain data (text, numbers, tuples), so that a report survives JSON unchanged.  Arrays are flat,
in C order, beside their shape; floats that matter are kept in decimal and in hexadecimal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from verify.report.figures import Plot
from verify.verdict import Verdict, gravest

__all__ = [
    "SCHEMA",
    "Case",
    "ClosedForm",
    "Enclosure",
    "Float",
    "Input",
    "Located",
    "Point",
    "Report",
    "Source",
]

SCHEMA: Final = "symtape.report/1"
"""The schema this version writes and reads."""


@dataclass(frozen=True, slots=True)
class Float:
    """One float, for people (`decimal`, the shortest that reads back) and exactly (`hex`)."""

    decimal: str
    hex: str

    @classmethod
    def of(cls, value: Any) -> Self:
        """From a Python or NumPy float, in the digits of its own dtype.

        Examples
        --------
        >>> Float.of(0.1)
        Float(decimal='0.1', hex='0x1.999999999999ap-4')
        >>> import numpy as np
        >>> Float.of(np.float32(0.1)).decimal
        '0.1'
        """
        return cls(str(value), float(value).hex())


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
    op, origin : str
        The operation to blame and the user's ``file:line``, when known.
    message : str
        What happened, in a sentence or more.
    power : str
        The size of the faults that this point can exclude, when that needs saying.
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
    op: str = ""
    origin: str = ""
    message: str = ""
    power: str = ""


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """A formula that was derived.

    Attributes
    ----------
    name : str
        Of what: ``value``, ``gradient`` ...
    text, latex : str
        The formula; empty when there is none of that kind.
    mathml : str
        Presentation MathML, without the ``<math>`` around it.
    conditions : tuple of str
        Where it holds: the path and the selections, as predicates.
    straight_line : bool
        A program with lets, because the expanded formula would be too large.
    """

    name: str
    text: str
    latex: str = ""
    mathml: str = ""
    conditions: tuple[str, ...] = ()
    straight_line: bool = False


@dataclass(frozen=True, slots=True)
class Located:
    """Words about a line of the user's code: a path predicate, an escape."""

    text: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of the function under test."""

    file: str
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class Case:
    """One claim and what became of it.

    Attributes
    ----------
    id : str
        Unique in the report, ``suite/name``.
    title : str
        For people.
    suite : str
    quantity : str
        ``gradient``, ``jacobian``, ``hessian``, ``vjp``, ``jvp`` or ``hvp``.
    claimant : str
        Whose derivative it is.
    verdict : Verdict
        The gravest of the points.
    evidence : str
        DESIGN's words for the rung reached.
    message : str
        The explanation of the verdict.
    points : tuple of Point
    closed_forms : tuple of ClosedForm
    plots : tuple of Plot
    path, escapes : tuple of Located
    source : Source or None
    seconds : float
    replay : str
        The shell line that runs this case again.
    """

    id: str
    title: str
    suite: str
    quantity: str
    claimant: str
    verdict: Verdict
    evidence: str = ""
    message: str = ""
    points: tuple[Point, ...] = ()
    closed_forms: tuple[ClosedForm, ...] = ()
    plots: tuple[Plot, ...] = ()
    path: tuple[Located, ...] = ()
    escapes: tuple[Located, ...] = ()
    source: Source | None = None
    seconds: float = 0.0
    replay: str = ""

    @property
    def worst(self) -> Point | None:
        """The gravest point; among equals, that with the largest error for what is allowed."""
        order = list(Verdict)
        return max(
            self.points,
            key=lambda point: (order.index(point.verdict), _excess(point), _ulps(point)),
            default=None,
        )

    @property
    def ulps(self) -> float | None:
        """The error at the worst point."""
        return self.worst.ulps if self.worst else None


def _ulps(point: Point) -> float:
    if point.ulps is None:
        return -1.0
    return np.inf if np.isnan(point.ulps) else point.ulps


def _excess(point: Point) -> float:
    if point.ulps is None or not point.allowed_ulps or np.isinf(point.allowed_ulps):
        return _ulps(point)
    return _ulps(point) / point.allowed_ulps


@dataclass(frozen=True, slots=True)
class Report:
    """What a run of the verifier found.

    Attributes
    ----------
    title : str
    suites : tuple of str
        The names of what was run.
    created : str
        ISO 8601.
    versions : dict
        Of symtape, Python and the libraries under it; also the platform.
    seed : int
    cases : tuple of Case
    elapsed : float
        Seconds of wall-clock time.
    interrupted : bool
        Whether it was stopped before the end; the cases are those that were done.
    replay : str
        The shell line that runs all of it again.
    """

    title: str
    suites: tuple[str, ...]
    created: str
    versions: dict[str, str]
    seed: int
    cases: tuple[Case, ...]
    elapsed: float = 0.0
    interrupted: bool = False
    replay: str = ""

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many cases have each verdict, the gravest first; zeros included."""
        found = Counter(case.verdict for case in self.cases)
        return {verdict: found[verdict] for verdict in reversed(Verdict)}

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict."""
        return gravest(case.verdict for case in self.cases)

    @property
    def by_gravity(self) -> Sequence[Case]:
        """The cases, the gravest first and otherwise in order."""
        order = list(Verdict)
        return sorted(self.cases, key=lambda case: -order.index(case.verdict))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data, with its schema."""
        from verify.report.codec import encode

        return {"schema": SCHEMA, **encode(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Report:
        """Back from :meth:`to_dict`.

        Raises
        ------
        BadReport
            An unknown schema, a missing or unknown field, a value of another kind.
        """
        from verify.report.codec import decode, open_envelope

        return decode(cls, open_envelope(data, SCHEMA), "report")
