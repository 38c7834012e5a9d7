"""What was found at one point: the judge writes it, every report renders it.

Each class is its own JSON, its fields in their order, but for the live ones: what the judge has to
know while it works, which no report keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import numpy as np

from symtape.one_line import OneLineRepr
from verify.errors import Misbehaviour
from verify.model.rendering import renderer
from verify.model.verdict import Confirmation, Verdict, live


def json_name(one: Any) -> str:
    """What a field of a dataclass is called in JSON; empty for a live one, which is not there."""
    return str(one.metadata.get("json", one.name))


@dataclass(frozen=True, slots=True)
class Float:
    """One float, for people (`decimal`, the shortest that reads back) and exactly (`hex`)."""

    decimal: str
    hex: str

    @classmethod
    def from_number(cls, value: Any) -> Self:
        """From a Python or NumPy float, in the digits of its own dtype.

        Examples
        --------
        >>> Float.from_number(0.1)
        Float(decimal='0.1', hex='0x1.999999999999ap-4')
        >>> import numpy as np
        >>> Float.from_number(np.float32(0.1)).decimal
        '0.1'
        """
        return cls(str(value), float(value).hex())


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Bounds of a real number: decimals rounded outward, from balls of `bits` bits."""

    lower: str
    upper: str
    bits: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Input(OneLineRepr):
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
    def from_array(cls, name: str, array: Any, limit: int = 64) -> Self:
        """From an array, keeping the first `limit` elements.

        Examples
        --------
        >>> Input.from_array("x", [0.5, 2.0])
        Input(name='x', dtype='float64', shape=(2,), values=(0.5, 2.0), \
hex=('0x1.0000000000000p-1', '0x1.0000000000000p+1'))
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


@dataclass(frozen=True, slots=True, repr=False)
class Entry(OneLineRepr):
    """One entry of a claimed derivative beside the exact one.

    Attributes
    ----------
    argument : int
        By which argument of the function the derivative is; of a Hessian, by which pair.
    index : tuple of int
        Into the derivative by that argument.
    claimed : float
        The value that is claimed.
    lower, upper : str
        Decimal bounds of the exact derivative, outward rounded.
    ulps : float
        Distance of the claim from the enclosure, in units in the last place of the claim's
        dtype at the exact value.
    allowed : float
        What honest rounding may lose, in the same unit.
    relative : float
        The same distance, relative to the exact value.
    exactly : str
        What the claim is in exact arithmetic, where it is this that is off and not the float; the
        distances are those of this value then, and half a unit is allowed.
    beside : float
        Of what size the unit is the last place, where it is not that of the exact value: what an
        entry is measured by that is nothing but rounding; 0 elsewhere.
    """

    argument: int
    index: tuple[int, ...]
    claimed: float
    lower: str
    upper: str
    ulps: float
    allowed: float
    relative: float
    exactly: str = ""
    beside: float = 0.0


@dataclass(frozen=True, slots=True, repr=False)
class Slope(OneLineRepr):
    """One entry of a derivative at a point where there is no classical one.

    Attributes
    ----------
    wrt : str
        The input by which it is, where there are several and a report names them.
    index : tuple of int
        Into the derivative by that argument; its last axes are those of the argument.
    left, right : float or None
        The one-sided derivatives along the argument's own axis, rounded to the nearest float;
        None where the function is not defined on that side, or the limit is not known.
    lower, upper : float
        The least and the greatest value that the entry takes on the admissible set.
    claimed : float or None
        What the claim returned for it.
    admissible : bool or None
        Whether the entry by itself may be that, give and take its rounding; None where that is
        not known.
    argument : int
        By which argument of the function.
    """

    wrt: str
    index: tuple[int, ...] = field(metadata={"json": "entry"})
    left: float | None
    right: float | None
    lower: float
    upper: float
    claimed: float | None = None
    admissible: bool | None = None
    argument: int = live(0)


@dataclass(frozen=True, slots=True, repr=False)
class KinkFacts(OneLineRepr):
    """What there is instead of a derivative at a kink.

    Attributes
    ----------
    slopes : tuple of Slope
        The entries that have no two-sided derivative, the first few of them.
    admissible : bool or None
        Whether the claimed value lies in the admissible set; None where that is not known.
    convention : str
        What the tape does there, from the row of the operation.
    one_sided : bool
        Whether each entry of the claim alone is a one-sided derivative along its own axis.
    """

    slopes: tuple[Slope, ...] = ()
    admissible: bool | None = None
    convention: str = ""
    one_sided: bool = live(False)


@dataclass(frozen=True, slots=True)
class PointOutcome:
    """What was found at one point, of the entry of the derivative that fared worst.

    Attributes
    ----------
    verdict : Verdict
    inputs : tuple of Input
        Where, as a report says it.
    entry : tuple of int
        Which entry of the derivative; empty for a scalar.
    wrt : str
        The input that the entry belongs to, where there are several and a report names them.
    claimed : Float or None
        The value under test; None when there is none (it raised).
    enclosure : Enclosure or None
        Of the exact derivative.
    ulps, allowed_ulps, relative_error : float or None
        The error, in ulps of the claim's dtype; what honest rounding may lose; and the error
        relative to the truth.
    exactly : str
        What the claim is in exact arithmetic, where it is this that is off; the errors are its.
    beside : float
        Of what size the unit is the last place, where it is not that of the exact value; else 0.
    op : str or None
        The operation that a failure was traced to.
    origin : str or None
        The user's ``file:line`` of that operation.
    message : str
        In words; empty when there is nothing to say.
    power : str
        What size of fault the check of the float value excludes.
    severity : float
        How grave the failure is, for ranking: see ``verify.judging.diagnosis.stated``.
    note : str
        Of what fails, why it is noted only: what is at the fringe. See ``verify.model.grade``.
    kink : KinkFacts or None
        What there is in place of a derivative, of a KINK.
    recheck : str
        What difference quotients in mpmath find, where they were asked and confirm the outcome.
    misbehaviour : Misbehaviour or None
        What the claim did or returned that is no derivative at all; None where its numbers count.
    traceback : str
        Of an error inside symtape, which kept the point from a verdict.
    code : str
        Why the function could not be recorded, for programs: one of ``symtape.errors.REASONS``.
    x : tuple
        The arguments.
    argument : int
        That the entry is by; of a Hessian, which pair of them.
    bits : int
        The enclosures hold the exact derivative to about ``2**-bits``, relatively.
    proof : str or None
        What a proof of the derivative leaves open, empty for nothing; None without a proof.
    exact : bool
        Whether exact arithmetic over Q agreed.
    conflict : bool
        Whether two oracles exclude each other there, so that nothing is known of the claim.
    unconfirmed : tuple of Confirmation
        The oracles that had nothing to say of the exact derivative.
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
    op: str | None = ""
    origin: str | None = ""
    message: str = ""
    power: str = ""
    severity: float = 0.0
    note: str = ""
    kink: KinkFacts | None = None
    recheck: str = ""
    misbehaviour: Misbehaviour | None = None
    traceback: str = ""
    code: str = ""
    x: tuple[Any, ...] = live(())
    argument: int = live(0)
    bits: int = live(0)
    proof: str | None = live(None)
    exact: bool = live(False)
    conflict: bool = live(False)
    unconfirmed: tuple[Confirmation, ...] = live(())

    @classmethod
    def from_judgement(
        cls,
        x: tuple[Any, ...],
        verdict: Verdict,
        message: str = "",
        worst: Entry | None = None,
        bits: int = 0,
        **more: Any,
    ) -> Self:
        """As the judge finds it: `worst` is the entry farthest beyond what is allowed."""
        found: dict[str, Any] = {"op": None, "origin": None, **more}
        found |= {"message": message, "x": x, "bits": bits}
        outcome = cls(verdict, **found)
        return outcome if worst is None else outcome.show_entry(worst)

    def show_entry(self, entry: Entry) -> Self:
        """With the numbers of an entry."""
        return replace(
            self,
            entry=entry.index,
            claimed=Float.from_number(entry.claimed),
            enclosure=Enclosure(entry.lower, entry.upper, self.bits),
            ulps=entry.ulps,
            allowed_ulps=entry.allowed,
            relative_error=entry.relative,
            exactly=entry.exactly,
            beside=entry.beside,
            argument=entry.argument,
        )

    def name_parts(self, arguments: Sequence[str], parts: Sequence[str]) -> Self:
        """With the names of the arguments, and of what each part of the derivative is by."""
        kink = self.kink
        if kink is not None and len(parts) > 1:
            slopes = (replace(slope, wrt=parts[slope.argument]) for slope in kink.slopes)
            kink = replace(kink, slopes=tuple(slopes))
        several = self.worst is not None and len(arguments) > 1 and len(parts) > self.argument
        return replace(
            self,
            inputs=tuple(
                Input.from_array(name, x) for name, x in zip(arguments, self.x, strict=True)
            ),
            wrt=parts[self.argument] if several else "",
            kink=kink,
        )

    def __repr__(self) -> str:
        return renderer().render_point_line(self)

    @property
    def worst(self) -> Entry | None:
        """The entry that is shown, in numbers; None where there is none."""
        if self.claimed is None or self.enclosure is None or self.ulps is None:
            return None
        return Entry(
            argument=self.argument,
            index=self.entry,
            claimed=float.fromhex(self.claimed.hex),
            lower=self.enclosure.lower,
            upper=self.enclosure.upper,
            ulps=self.ulps,
            allowed=self.allowed_ulps or 0.0,
            relative=self.relative_error or 0.0,
            exactly=self.exactly,
            beside=self.beside,
        )

    @property
    def excess(self) -> tuple[float, float]:
        """By how much the error exceeds what is allowed, and how large it is; -1 for no error."""
        if self.ulps is None:
            return -1.0, -1.0
        error = math.inf if math.isnan(self.ulps) else self.ulps
        allowed = self.allowed_ulps or 0.0
        return error / allowed if allowed > 0 and math.isfinite(allowed) else error, error


def noted_points(points: Sequence[PointOutcome], strict: bool) -> tuple[PointOutcome, ...]:
    """The points at which a claim fails at the fringe alone; none where that fails."""
    if strict or not any(point.verdict in _RIGHT for point in points) or is_outweighed(points):
        return ()
    return tuple(point for point in points if point.note)


def is_outweighed(points: Sequence[PointOutcome]) -> bool:
    """Whether a claim is right at so few points that WRONG at the others is no note."""
    wrong = sum(point.verdict is Verdict.WRONG and bool(point.note) for point in points)
    return wrong > _NEARLY_ALL * sum(point.verdict in _RIGHT for point in points)


_RIGHT: Final = (Verdict.CORRECT, Verdict.KINK)
_NEARLY_ALL: Final = 4
"""More points that are WRONG and noted for each one that is right are nearly all."""
