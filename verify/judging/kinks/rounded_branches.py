"""Branches that rounding picks: points so near to a boundary that floats cannot tell the side.

``max(.1 * w - 1, 0)`` has its kink at 10 for whoever wrote it; in exact arithmetic, where 0.1 is
the float that it is, that lies a third of a unit in the last place below. Honest code may find
itself on either side, and the derivative of each is as good as the other. Which these are is
asked of the exact derivatives a few units in the last place away: rounding in a stable program is
worth as much as such a move of its inputs. See N. J. Higham, Accuracy and Stability of Numerical
Algorithms, 2nd ed., 1.5, on backward errors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.graph import Graph
from symtape.process.budget import Budget
from symtape.recording.structure import concatenate_entries, separate_entries
from symtape.rigorous.matrices import midpoints
from verify.claimants.claim import Claim
from verify.errors import NotADerivative
from verify.judging.kinks.at_kink import find_smooth_derivative
from verify.judging.kinks.hull import separation
from verify.judging.rounding.tolerances import FEW, LEAST_POWER
from verify.model.result import KinkFacts, PointOutcome, Slope
from verify.model.stated_accuracy import StatedAccuracy
from verify.model.verdict import Verdict
from verify.oracles.closed_form import ClosedForms, shape_of

_NEAR, _FAR, _FARTHER = 1, 4, 64
"""By how many units in the last place the inputs are moved."""

_GROWTH: Final = 4
"""What changes by as much more, from `_FAR` to `_FARTHER`, is passing through 0 smoothly."""

_MOST_COORDINATES: Final = 8
"""Of more they are moved together only."""

_TOGETHER: Final = 4
"""Ways to move all of them together, each there and back."""

_JUMP: Final = 2.0**-20
"""A derivative that changes by this part of itself over a few units has another branch there."""

_SLACK: Final = 2.0**-40
"""How far beyond the sides a claim may be: some roundings of each."""

_OF_EACH: Final = 3
"""Points of a side at which the exact derivative is found."""

_TRIED: Final = 8
"""Points of a side at which it is asked for, where oracles disagree at the first of them."""

_LOSSES: Final = 4
"""A claim may lose some times what the tape does, and is not excluded by that."""

_MOST_SIDES: Final = 6
_SHOWN: Final = 8
_OPERATIONS: Final = 250_000

Point = tuple[Any, ...]
Shape = tuple[int, ...]
One = TypeVar("One")


@dataclass(frozen=True, slots=True)
class Sides:
    """The exact derivatives of the branches near a point.

    Attributes
    ----------
    rows : float array, points by entries
    owners : list of (int, tuple)
        Of which part each entry is, and its index there.
    broken : bool
        Whether the function itself jumps, so that there is nothing between its sides.
    single : bool
        Whether one number alone can be at a boundary, so that there are two sides.
    complete : bool
        Whether the exact derivative is known of every side that floats take near the point.
    lost : float array
        How far the tape is from each entry near the point: what floats may lose on the way to it.
    """

    rows: Any
    owners: list[tuple[int, tuple[int, ...]]]
    broken: bool
    single: bool
    complete: bool
    lost: Any

    @property
    def differ(self) -> bool:
        """Whether they are not one derivative, as far as rounding can tell."""
        return _jumps(self.rows)

    def admit(self, claimed: Any, unit: float, accuracy: StatedAccuracy | None = None) -> bool:
        """Whether a claim is the derivative of a side, or a mean of them.

        Where they differ, a few roundings in floats of this unit roundoff make it no other.
        """
        if not np.all(np.isfinite(claimed)):
            return False
        slack = self._slack(accuracy)
        if self.differ:
            sizes = np.max(np.abs(self.rows), axis=0, initial=0.0)
            largest = np.max(sizes, initial=0.0)
            slack = slack + FEW * unit * np.maximum(sizes, LEAST_POWER * largest)
        return self._reach(claimed, slack)

    def _reach(self, claimed: Any, slack: Any) -> bool:
        groups = _group_by_side(self.rows) if self.broken else [self.rows]
        return any(separation(np.array(rows), claimed, slack) is None for rows in groups)

    def exclude(self, claimed: Any, accuracy: StatedAccuracy | None = None) -> bool:
        """Whether no convention gives a claim, also where several numbers are at boundaries."""
        if not np.all(np.isfinite(claimed)):
            return True
        if not self.complete:
            return False
        slack = self._slack(accuracy) + _LOSSES * self.lost
        if self.single:
            return not self._reach(claimed, slack)
        low, high = np.min(self.rows, axis=0), np.max(self.rows, axis=0)
        room = high - low + slack
        return bool(np.any((claimed < low - room) | (claimed > high + room)))

    def _slack(self, accuracy: StatedAccuracy | None) -> Any:
        sizes = np.max(np.abs(self.rows), axis=0, initial=0.0)
        slack = _SLACK * np.maximum(sizes, _SLACK * np.max(sizes, initial=0.0))
        slack = np.maximum(slack, np.finfo(float).smallest_normal)
        return slack if accuracy is None else slack + accuracy.atol + accuracy.rtol * sizes

    def slopes(self, claimed: Any) -> tuple[Slope, ...]:
        """The entries in which the sides differ, the first few of them."""
        low, high = np.min(self.rows, axis=0), np.max(self.rows, axis=0)
        differ = np.flatnonzero(high - low > _JUMP * np.maximum(np.abs(low), np.abs(high)))
        return tuple(
            Slope("", index, None, None, float(low[at]), float(high[at]), claim, argument=k)
            for at in differ[:_SHOWN].tolist()
            for (k, index), claim in [(self.owners[at], float(claimed[at]))]
        )


def sides_at(
    claim: Claim, forms: ClosedForms, graph: Graph, x: Point, budget: Budget, wrong_branch: bool
) -> Sides | None:
    """The branches between which rounding picks at `x`; None where it picks none.

    Parameters
    ----------
    claim : Claim
    forms : ClosedForms
    graph : Graph
        The function, recorded at `x`.
    x : tuple of arrays
    budget : Budget
        For closed forms that are not known yet.
    wrong_branch : bool
        Whether floats are known to be on another side than exact arithmetic.
    """
    boundaries = _boundaries(graph)
    shapes = shape_of(graph, claim.quantity)
    # Where the branch is the wrong one, what holds still may have been rounded as well.
    every = tuple(set(range(len(x))) - set(claim.quantity.direction_places(len(x))))
    for moving in (claim.quantity.moving(len(x)), every)[: 1 + wrong_branch]:
        groups = _groups_beside(claim, x, moving, shapes, wrong_branch)
        known = [_find_exact_sides(claim, forms, points, budget) for points in groups[:_MOST_SIDES]]
        if any(known):
            break
    found = [one for side in known for one in side]
    if len(found) < 2:
        return None
    owners = [(k, index) for k, shape in enumerate(shapes) for index in np.ndindex(shape)]
    values = [one.value for one in found]
    largest = max(one.largest for one in found)
    broken = bool(np.any(np.ptp(values, axis=0) > _JUMP * largest))
    lost = np.max([abs(one.slopes - one.by_tape) for one in found], axis=0)
    rows = np.array([one.slopes for one in found])
    complete = all(known) and len(groups) <= _MOST_SIDES
    return Sides(rows, owners, broken, boundaries == 1, complete, lost)


def _groups_beside(
    claim: Claim, x: Point, moving: Sequence[int], shapes: list[Shape], wrong_branch: bool
) -> list[list[tuple[Point, Any]]]:
    """Points beside `x` with what the tape says there, those of each side together."""
    far = list(_iterate_tape_derivatives(claim, x, _FAR, moving, shapes))
    if not wrong_branch:
        slopes = [slopes for _, slopes in far]
        if not _jumps(slopes):
            return []
        farther = _iterate_tape_derivatives(claim, x, _FARTHER, moving, shapes)
        if _grows(slopes, [slopes for _, slopes in farther]):
            return []
    there = [*far, *_iterate_tape_derivatives(claim, x, _NEAR, moving, shapes)]
    if wrong_branch:
        # Floats may be on the wrong side of all that is nearer.
        there += _iterate_tape_derivatives(claim, x, _FARTHER, moving, shapes)
    return _group_by_side(there, lambda one: one[1])


def judge_on_sides(
    claim: Claim, sides: Sides, outcome: PointOutcome, parts: Sequence[Any], wrong_branch: bool
) -> PointOutcome | None:
    """What becomes of a claim where rounding picks the branch; None: nothing that is new.

    Parameters
    ----------
    claim : Claim
    sides : Sides
    outcome : PointOutcome
        What is to be said of the side that exact arithmetic is on.
    parts : sequence of float arrays
        What is claimed.
    wrong_branch : bool
        As of :func:`sides_at`.
    """
    claimed = concatenate_entries(parts)
    unit = max((float(np.finfo(part.dtype).eps) / 2 for part in parts), default=0.0)
    if sides.admit(claimed, unit, claim.accuracy):
        return (
            _admit_claim(claim, sides, outcome, claimed) if sides.differ or wrong_branch else None
        )
    if not (wrong_branch and sides.exclude(claimed, claim.accuracy)):
        return None
    words = f"{_PICKS}{_ranges(claim, sides, claimed)}; the claim is neither, nor between"
    facts = KinkFacts(sides.slopes(claimed), False)
    return replace(outcome, verdict=Verdict.WRONG, message=words, kink=facts, severity=1.0)


def _admit_claim(claim: Claim, sides: Sides, outcome: PointOutcome, claimed: Any) -> PointOutcome:
    cleared = replace(outcome, ulps=None, claimed=None, enclosure=None, severity=0.0)
    if not sides.differ:
        return replace(cleared, verdict=Verdict.CORRECT, message=_SAME, power=_POWER)
    words = f"{_PICKS}{_ranges(claim, sides, claimed)}; so is the claim"
    facts = KinkFacts(sides.slopes(claimed), True)
    return replace(cleared, verdict=Verdict.KINK, message=words, kink=facts)


def _ranges(claim: Claim, sides: Sides, claimed: Any) -> str:
    first, *_ = sides.slopes(claimed) or [None]
    if first is None:
        return f", {_EITHER}"
    index = f"[{', '.join(map(str, first.index))}]" if first.index else ""
    name = f"{claim.quantity.name}{index}" if index else f"the {claim.quantity.name}"
    return f": {name} goes from {first.lower:.6g} to {first.upper:.6g}, {_EITHER}"


_PICKS: Final = (
    "rounding picks the branch here, whose boundary is within a few units in the last place"
)
_EITHER: Final = "and the derivative of either side is admissible"
_SAME: Final = "rounding picks the branch here, and both sides have the same derivative"
_POWER: Final = "excludes faults above 9.1e-13 of the value"


def _boundaries(graph: Graph) -> int:
    """How many numbers inside of a function can be at the boundary of a branch."""
    found = len(graph.path)
    for node in graph.nodes:
        row = node.primitive
        if row is not None and row.kinks is not None:
            found += math.prod(graph.nodes[node.inputs[0]].shape) if not row.elementwise else 0
            found += math.prod(node.shape) if row.elementwise else 0
    return found


def _iterate_nearby_points(x: Point, units: int, moving: Sequence[int]) -> Iterator[Point]:
    """Points that are `units` away: along each of a few coordinates, and along all of them."""
    total = sum(np.size(x[i]) for i in moving)
    axes = list(np.eye(total)) if total <= _MOST_COORDINATES else []
    rng = np.random.default_rng(total)
    axes += [rng.choice((-1.0, 1.0), total) for _ in range(_TOGETHER)] if total > 1 else []
    for axis, sign in itertools.product(axes, (1, -1)):
        moved = list(x)
        steps = separate_entries(sign * units * axis, [np.shape(x[i]) for i in moving])
        for i, step in zip(moving, steps, strict=True):
            array = np.asarray(x[i])
            # No rounding takes a number to zero, or zero to another.
            gaps = np.spacing(np.abs(array))
            gaps = np.where(np.abs(array) <= _FAR * gaps, 0.0, gaps)
            moved[i] = (array + step * gaps).astype(array.dtype)[()]
        if any(not np.array_equal(a, b) for a, b in zip(moved, x, strict=True)):
            yield tuple(moved)


def _iterate_tape_derivatives(
    claim: Claim, x: Point, units: int, moving: Sequence[int], shapes: list[Shape]
) -> Iterator[tuple[Point, Any]]:
    """Points beside `x`, and what the tape's derivative is there: where to look for branches."""
    tape = claim.tape(len(x))
    for beside in _iterate_nearby_points(x, units, moving):
        try:
            slopes = concatenate_entries(tape.answer(beside, shapes).parts)
        except (NotADerivative, SymtapeError, LookupError, ArithmeticError, ValueError):
            continue
        if np.all(np.isfinite(slopes)):
            yield beside, slopes


def _find_exact_sides(
    claim: Claim, forms: ClosedForms, points: Iterable[tuple[Point, Any]], budget: Budget
) -> list[_Exact]:
    """What is exact at a few points of a side at which that is known."""
    tried = (_exact(claim, forms, *one, budget) for one in itertools.islice(points, _TRIED))
    return list(itertools.islice(filter(None, tried), _OF_EACH))


def _jumps(rows: Any) -> bool:
    """Whether derivatives at points that are as good as one differ by more than rounding."""
    if len(rows) < 2:
        return False
    spread = np.ptp(rows, axis=0)
    return bool(np.any(spread > _JUMP * np.max(np.abs(rows), initial=0.0)))


def _grows(rows: Any, farther: Any) -> bool:
    """Whether what changes between derivatives near a point changes the more, the farther off."""
    if len(rows) < 2 or len(farther) < 2:
        return False
    spread = np.ptp(rows, axis=0)
    jumps = spread > _JUMP * np.max(np.abs(rows), initial=0.0)
    return bool(np.all(np.ptp(farther, axis=0)[jumps] > _GROWTH * spread[jumps]))


def _group_by_side(
    ones: Iterable[One], slopes: Callable[[One], Any] = lambda one: one
) -> list[list[One]]:
    """What there is in groups, each of one side: of derivatives that do not jump."""
    groups: list[list[One]] = []
    for one in ones:
        home = next((g for g in groups if not _jumps([slopes(g[0]), slopes(one)])), None)
        if home is None:
            groups.append([one])
        else:
            home.append(one)
    return groups


@dataclass(frozen=True, slots=True)
class _Exact:
    """What is known on a branch.

    Attributes
    ----------
    slopes, by_tape : float arrays
        The exact derivative, and what the tape says.
    value : float array
        Of the function.
    largest : float
        Of all numbers on the way to it.
    """

    slopes: Any
    by_tape: Any
    value: Any
    largest: float


def _exact(
    claim: Claim, forms: ClosedForms, x: Point, by_tape: Any, budget: Budget
) -> _Exact | None:
    """What is known at `x`; None on a kink, or where the derivative is not known."""
    try:
        graph = claim.record(x, _OPERATIONS)
        exact = find_smooth_derivative(claim.function, forms, graph, x, budget)
    except (SymtapeError, LookupError, ArithmeticError, ValueError):
        return None
    if exact is None:
        return None
    values = graph.values(*x)
    floats = [np.abs(value) for value in values if np.asarray(value).dtype.kind == "f"]
    largest = max(float(np.max(size[np.isfinite(size)], initial=0.0)) for size in floats)
    value = concatenate_entries([values[at] for at in graph.outputs])
    slopes = concatenate_entries([midpoints(part) for part in exact.parts])
    return _Exact(slopes, by_tape, value, largest)
