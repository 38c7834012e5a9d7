"""Conditions on real numbers, proved, assumed or excepted on thin sets, and the domains of rows."""

from __future__ import annotations

import enum
import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Primitive
from symtape.prover.reader import Reader
from symtape.prover.ring import NotReadable, Quotient
from symtape.symbolic.boxes import boxes, lie_inside
from symtape.symbolic.interval import EVERYTHING, Interval
from verify.oracles.over_region.needs import Need, Undefined, to_fraction

_NEVER_ZERO: Final = ("exp", "gamma", "i", "pi")
"""Kernels without zeros where they are defined."""

_ANALYTIC: Final = ("atan", "asinh", "erf", "erfi", "exp")
"""Kernels that are analytic at every real number."""


class Leave(enum.Enum):
    """What may be done where a condition is not proved."""

    NOTHING = enum.auto()
    ASSUME = enum.auto()
    """It becomes a condition of the proof."""
    EXCEPT = enum.auto()
    """It may fail on a thin set: without inner points, and met by almost all lines in few."""


class Conditions:
    """What is known to hold wherever all that was told so far holds.

    Parameters
    ----------
    reader : Reader
        Whose signs are those of the box; what is told is added to them.

    Attributes
    ----------
    told : dict
        The words of what was assumed, in the order met.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.told: dict[str, None] = {}
        self._nonzero: set[str] = set()
        self._off_poles: set[tuple[str, str]] = set()
        self._has_exceptions = False

    def require(self, need: Need, leave: Leave) -> None:
        """See that a condition holds, or may be assumed, or fails on a thin set alone.

        Raises
        ------
        Undefined
        """
        if self.holds(need):
            return
        if leave is Leave.EXCEPT and self._fails_on_thin_set(need):
            self._has_exceptions = True
            return
        if leave is not Leave.ASSUME:
            raise Undefined(f"it is not known that {need.words} where the function is defined")
        self.told[need.words] = None
        self._note(need)

    def holds(self, need: Need) -> bool:
        """Whether a condition is proved."""
        x, signs = need.of, self.reader.signs
        if self._has_exceptions and not (self._is_finite(x.top) and self._is_finite(x.below)):
            return False
        if need.kind == "nonzero":
            return not x.is_zero and all(map(self._is_nonzero, self._factors(x.top)))
        if not (self.reader.ring.is_real(x.top) and self.reader.ring.is_real(x.below)):
            return False
        if signs.find_quotient_sign(x) == 1 or self._is_product_positive(x):
            return True
        return need.kind == "off poles" and x.key in self._off_poles

    def _fails_on_thin_set(self, need: Need) -> bool:
        """Whether a condition fails where an analytic function is 0, which is not 0 everywhere.

        It is one all over the box, so that it is not 0 all over a part of it either.
        """
        x = need.of
        return need.kind == "nonzero" and not x.is_zero and self._is_somewhere_nonzero(x.top)

    def _is_finite(self, polynomial: Any) -> bool:
        """Whether no function in it is of what is divided by 0 on a thin set."""
        ring = self.reader.ring
        return all(
            all(map(self._is_nonzero, self._factors(x.below)))
            and self._is_finite(x.top)
            and self._is_finite(x.below)
            for at in ring.used(polynomial)
            for x in ring.kernels[at].arguments
        )

    def _is_somewhere_nonzero(self, polynomial: Any) -> bool:
        if self._is_rational(polynomial):
            return True
        if not (self.reader.ring.is_real(polynomial) and self._is_analytic(polynomial)):
            return False
        try:
            return self.reader.signs.guess(polynomial) != 0
        except NotReadable:
            return False

    def _is_rational(self, polynomial: Any) -> bool:
        """Whether it is one in inputs, and in pi, which is no root of any."""
        ring = self.reader.ring
        return all(ring.kernels[at].name in ("symbol", "pi") for at in ring.used(polynomial))

    def _is_analytic(self, polynomial: Any) -> bool:
        ring = self.reader.ring
        return all(
            kernel.name in ("symbol", "pi")
            or (kernel.name == "root" and kernel.value.is_constant())
            or (
                all(x.below.is_constant() and self._is_analytic(x.top) for x in kernel.arguments)
                and (
                    kernel.name in _ANALYTIC
                    or (kernel.name == "log" and self._is_above_zero(*kernel.arguments))
                )
            )
            for kernel in (ring.kernels[at] for at in ring.used(polynomial))
        )

    def _is_above_zero(self, x: Quotient) -> bool:
        """Whether it is above 0 all over the box, which is connected as its other parts are not."""
        signs = self.reader.signs
        top, below = (signs.enclose(part, signs.box).sign() for part in (x.top, x.below))
        return bool(top and below) and top == below

    def _note(self, need: Need) -> None:
        top, below = need.of.top, need.of.below
        for part in (top, below):
            self._nonzero.update(map(str, self._factors(part)))
        if need.kind == "off poles":
            self._off_poles.add(need.of.key)
        if need.kind == "positive":
            self._note_positive(top, below)

    def _note_positive(self, top: Any, below: Any) -> None:
        """Take a quotient for positive from now on."""
        signs = self.reader.signs
        sign = signs.find_sign(below)
        if not sign or not self.reader.ring.is_real(top):
            raise Undefined("the sign of a quotient depends on both its parts")
        signs.note(top * sign, 1)
        lead = top.leading_coefficient()
        # A bound of a single number is one of the box.
        signs.suppose(top / lead, frozenset({sign if lead > 0 else -sign}))
        signs.note(top * sign, 1)
        self.check_reading()

    def _is_nonzero(self, factor: Any) -> bool:
        if str(factor) in self._nonzero or str(-factor) in self._nonzero:
            return True
        return self.reader.ring.is_real(factor) and bool(self.reader.signs.find_sign(factor))

    def _is_product_positive(self, x: Quotient) -> bool:
        """Whether the factors of `x` say that it is positive."""
        sign = 1
        for part in (x.top, x.below):
            if part == 0:
                return False
            constant, factors = self.reader.ring.factors(part)
            sign = -sign if constant < 0 else sign
            for factor, times in factors:
                if times % 2 == 0:
                    if not self._is_nonzero(factor):
                        return False
                    continue
                known = 1 if self._is_root(factor) else self.reader.signs.find_sign(factor)
                if not known:
                    return False
                sign *= known
        return sign > 0

    def _is_root(self, factor: Any) -> bool:
        """Whether it is a root or a power of what has to be positive, and so is positive."""
        found = self.reader.ring.find(factor)
        return found is not None and found[1].name in ("power", "root")

    def _factors(self, polynomial: Any) -> list[Any]:
        if polynomial == 0 or polynomial.is_constant():
            return []
        factors = [factor for factor, _ in self.reader.ring.factors(polynomial)[1]]
        return [it for it in factors if not self._is_never_zero(it)]

    def _is_never_zero(self, factor: Any) -> bool:
        found = self.reader.ring.find(factor)
        return found is not None and found[1].name in _NEVER_ZERO

    def check_reading(self) -> None:
        """See that nothing was assumed where a formula was read.

        Raises
        ------
        Undefined
        """
        needs = self.reader.needs
        if needs.assumed or needs.conditions:
            raise Undefined(", ".join((*needs.assumed, *needs.conditions)))


_PROBES: Final = (0, 2.0**-30, 0.25, 0.5, 1, 1.5, 2, 3, 40)
"""Distances from 0, and from each end of the boxes of a row, at which it is asked."""

_BESIDE: Final = 2.0**-35
"""So far beside a gap a number is in the boxes."""

Gap = tuple[str, Fraction]
"""The name of an argument, and a number."""


@dataclass(frozen=True, slots=True)
class Hull:
    """The boxes of a row as one, without some numbers of single arguments.

    Attributes
    ----------
    box : mapping
    gaps : tuple of Gap
    """

    box: Mapping[str, Interval]
    gaps: tuple[Gap, ...]


@functools.cache  # of texts in rows
def find_hull(over: str) -> Hull | None:
    """The boxes of a row as one box; None if they are none that gaps divide.

    Examples
    --------
    >>> find_hull("x != 0 and b > 0").gaps
    (('x', Fraction(0, 1)),)
    >>> find_hull("a != 0 or b != 0") is None
    True
    """
    parts = boxes(over)
    names = list(parts[0])
    if any(list(part) != names for part in parts):
        return None
    sides = {name: _distinct(part[name] for part in parts) for name in names}
    if len(parts) != len(list(itertools.product(*sides.values()))):
        return None
    box: dict[str, Interval] = {}
    gaps: list[Gap] = []
    for name, pieces in sides.items():
        for below, above in itertools.pairwise(pieces):
            if below.high != above.low or " - " in name:
                return None
            gaps.append((name, to_fraction(above.low)))
        whole = Interval(pieces[0].low, pieces[-1].high, pieces[0].low_open, pieces[-1].high_open)
        if whole != EVERYTHING:
            box[name] = whole
    return Hull(box, tuple(gaps))


@functools.cache  # of texts in rows
def find_corner(over: str) -> tuple[Gap, ...]:
    """The point that the boxes of a row leave out, and nothing else; empty if it is none.

    Examples
    --------
    >>> find_corner("a != 0 or b != 0")
    (('a', Fraction(0, 1)), ('b', Fraction(0, 1)))
    """
    parts = boxes(over)
    if any(len(part) != 1 for part in parts):
        return ()
    sides: dict[str, list[Interval]] = {}
    for part in parts:
        for name, side in part.items():
            sides.setdefault(name, []).append(side)
    if any(" - " in name or len(pair) != 2 for name, pair in sides.items()):
        return ()
    found: list[Gap] = []
    for name, pair in sides.items():
        below, above = _distinct(pair)
        if below.low.is_finite() or above.high.is_finite() or below.high != above.low:
            return ()
        found.append((name, to_fraction(above.low)))
    return tuple(found) if len(found) > 1 else ()


def _distinct(intervals: Any) -> list[Interval]:
    found: list[Interval] = []
    for interval in sorted(intervals, key=lambda it: float(it.low)):
        if interval not in found:
            found.append(interval)
    return found


@functools.cache  # of rows in the vocabulary
def removable_gaps(row: Primitive) -> tuple[Gap, ...]:
    """The gaps at which a row is defined and smooth by what it says, though no formula of it is.

    Examples
    --------
    >>> import symtape
    >>> from symtape.primitives.primitive import PRIMITIVES
    >>> [len(removable_gaps(PRIMITIVES[name])) for name in ("sinc", "reciprocal", "cbrt")]
    [1, 0, 0]
    """
    hull = find_hull(row.over)
    if hull is None or row.kinks is not None:
        return ()
    return tuple(gap for gap in hull.gaps if _is_removable(row, gap))


def _is_removable(row: Primitive, gap: Gap) -> bool:
    points = _points_of(row, (None,) * len(row.inputs))
    excluded = _find_excluded(row, points)
    place, at = row.inputs.index(gap[0]), float(gap[1])
    beside = [x + _BESIDE if k == place else x for k, x in enumerate(points)]
    at_gap = (points[place] == at) & lie_inside(row.over, row.inputs, beside)
    return excluded is not None and bool(np.any(at_gap)) and not np.any(excluded[at_gap])


@functools.lru_cache(maxsize=1024)  # rows and constants in programs
def is_whole_domain(row: Primitive, constants: tuple[Any, ...]) -> bool:
    """Whether a row is undefined, or has a kink, wherever it is not proved, but for such gaps.

    The row itself is asked, at numbers around the ends of where it is proved; arguments that are
    constants are these.

    Examples
    --------
    >>> import symtape
    >>> from symtape.primitives.primitive import PRIMITIVES
    >>> [is_whole_domain(PRIMITIVES[name], (None,)) for name in ("log", "arcsin", "sinc")]
    [True, True, True]
    >>> is_whole_domain(PRIMITIVES["power"], (None, None))
    False
    """
    points = _points_of(row, constants)
    excluded = _find_excluded(row, points)
    if excluded is None:
        return False
    for name, at in removable_gaps(row):
        place = row.inputs.index(name)
        points[place] = np.where(points[place] == float(at), float(at) + _BESIDE, points[place])
    return bool(np.all(excluded[~lie_inside(row.over, row.inputs, points)]))


def _points_of(row: Primitive, constants: tuple[Any, ...]) -> list[Any]:
    """For each argument a column of numbers, all combinations of those that matter."""
    ends = {0.0}
    for box in boxes(row.over):
        for side in box.values():
            ends |= {float(end) for end in (side.low, side.high) if end.is_finite()}
    near = sorted({end + sign * x for end in ends for x in _PROBES for sign in (1, -1)})
    choices = [near if value is None else [float(value)] for value in constants]
    return [np.array(column) for column in zip(*itertools.product(*choices), strict=True)]


def _find_excluded(row: Primitive, points: Sequence[Any]) -> Any:
    """Where a row says that it is undefined, or has a kink; None if that depends on parameters."""
    excluded = np.zeros(points[0].shape, dtype=bool)
    with np.errstate(all="ignore"):
        try:
            if row.domain is not None:
                excluded |= ~np.asarray(row.domain(*points), dtype=bool)
            if row.kinks is not None:
                excluded |= np.asarray(row.kinks(*points), dtype=bool)
        except TypeError:
            return None
    return excluded
