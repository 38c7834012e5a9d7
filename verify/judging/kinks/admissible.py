"""What a derivative may be at a point where there is no classical one.

Clarke's generalized gradient of a function is in the convex hull of the gradients of the pieces
that meet at the point. So is what a chain of rules returns if each rule answers, at its kink, a
mean of its own slopes: the product is linear in each of them. A value outside of the hull is
therefore no derivative by any convention. Where all pieces agree, the function is differentiable
there, whatever its operations are.

Source
------
Clarke, *Optimization and Nonsmooth Analysis* (1983), sections 2.3 and 2.5; Bolte & Pauwels,
"Conservative set valued fields", Math. Programming 188 (2021).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import Unsupported
from symtape.symbolic.precise import Plan
from symtape.symbolic.program import Program
from verify.judging.kinks.alternatives import ActivePieces, Gap, Problem
from verify.judging.kinks.crossings import blend_pieces, cross_gap
from verify.judging.kinks.directional import find_common_derivative
from verify.judging.kinks.domain import defined_beside
from verify.judging.kinks.germs import neighbours, one_sided
from verify.judging.kinks.hull import agreement, part_ways, separation
from verify.judging.kinks.independent import explore_apart
from verify.judging.kinks.pieces import MANY, explore
from verify.judging.kinks.slopes import (
    PieceSlopes,
    SlopeEvaluator,
    coordinates_of,
    gap_ids,
    leaves_piece,
    may_be_equal,
    merge_families,
    to_float,
)
from verify.judging.rounding.tolerances import FEW, SIDES
from verify.model.stated_accuracy import StatedAccuracy
from verify.oracles.closed_form import Truth

_BITS: Final = (300, 1200)


_MOST_SIDED: Final = 64
"""Entries whose one-sided derivatives are asked for one by one."""


_UNBOUNDED: Final = "a piece that meets here has no finite derivative"


@dataclass(frozen=True, slots=True)
class KinkPieces:
    """What meets at a kink.

    Attributes
    ----------
    slopes : list of PieceSlopes
        One for each piece.
    lost : str
        Why some are missing.
    jumps : bool
        Whether pieces that meet have different values.
    edge, loose : bool
        As of the :class:`~verify.judging.kinks.alternatives.ActivePieces`.
    coordinates : int array
        For each entry, by which coordinate of the point it is.
    defined : bool array, shape (n, 2)
        Whether the function is finite a little to the left and to the right along each axis.
    quantity : str
    along : callable
        By coordinate and sign, the one-sided derivatives of all outputs, or None: asked where
        the pieces do not say.
    beside : callable
        Some of the pieces, asked where it is not known that `slopes` are all of them.
    """

    slopes: list[PieceSlopes]
    lost: str
    jumps: bool
    edge: bool
    loose: bool
    coordinates: Any
    defined: Any
    quantity: str
    along: Callable[[int, int], Any]
    beside: Callable[[], list[PieceSlopes]]

    def excludes(
        self, claimed: Any, unit: float, accuracy: StatedAccuracy | None = None
    ) -> bool | None:
        """Whether no convention gives the `claimed` entries; None where that is not known.

        Parameters
        ----------
        claimed : float array
        unit : float
            Unit roundoff of what computed them.
        accuracy : StatedAccuracy, optional
            What they are said to be near to.
        """
        if self.jumps:
            return False if self._is_of_a_neighbour(claimed, unit) else None
        if self.lost or not self.slopes:
            if self._is_undefined_claim(claimed):
                return True
            return False if self._is_known(claimed, unit) else None
        if self.quantity == "hessian":
            return True if np.any(np.isnan(claimed)) and self._is_bounded() else None
        if np.any(np.isnan(claimed)):
            return True
        slack = self.slack(unit) if accuracy is None else self.find_allowance(accuracy)
        if not np.all(self._are_entries_within(claimed, slack)):
            return True
        finite = self._kind(lambda entry: isinstance(entry, arb))
        parts = [part[:, finite] for part in self.parts()]
        if separation(parts[0], claimed[finite], slack[finite], *parts[1:]) is not None:
            return True
        known = self._kind(lambda entry: entry is not None)
        if np.all(known) and np.all(np.isfinite(slack[finite])):
            return False
        return False if self._is_known(claimed, unit) else None

    def one_sided(self, claimed: Any, unit: float) -> bool:
        """Whether each of the `claimed` entries alone is a one-sided derivative along its axis."""
        if self.jumps or not self.slopes or self.quantity == "hessian":
            return False
        if not np.all(np.isfinite(claimed)) or claimed.size > _MOST_SIDED:
            return False
        slack = self.slack(unit)
        return all(
            any(
                side is not None and abs(value - side) <= slack[entry]
                for side in (self.side(entry, sign) for sign in (-1, 1))
            )
            for entry, value in enumerate(claimed.tolist())
        )

    def _is_undefined_claim(self, claimed: Any) -> bool:
        """Whether the claim is no number, though only the value of a branch is not known here."""
        return bool(self.slopes) and self.lost == _UNBOUNDED and bool(np.any(np.isnan(claimed)))

    def _is_known(self, claimed: Any, unit: float) -> bool:
        """Whether the claim is admissible, whatever else meets here."""
        return self._is_mean_of_slopes(claimed) or self._is_of_a_neighbour(claimed, unit)

    def _is_of_a_neighbour(self, claimed: Any, unit: float) -> bool:
        """Whether the claim is the derivative of one piece that certainly meets here."""
        if self.quantity == "hessian" or not np.all(np.isfinite(claimed)):
            return False
        for one in self.beside():
            slack = replace(self, slopes=[one]).slack(unit)
            off = np.abs(np.array([to_float(entry) for entry in one.entries]) - claimed)
            if np.all(np.isfinite(slack) & (off <= slack)):
                return True
        return False

    def _is_mean_of_slopes(self, claimed: Any) -> bool:
        """Whether the claim is a mean of the slopes to both sides, of a function of one number.

        Where the function ends, to its own side.
        """
        if claimed.size != 1 or self.quantity == "hessian":
            return False
        signs = [sign for sign in (-1, 1) if not self._ends(0, sign)]
        slopes = [slope for sign in signs if (slope := self.side(0, sign)) is not None]
        if not slopes or len(slopes) < len(signs):
            return False
        return bool(min(slopes) <= claimed[0] <= max(slopes))

    def _is_bounded(self) -> bool:
        return bool(np.all(self._kind(lambda entry: isinstance(entry, arb))))

    def _kind(self, test: Callable[[Any], bool]) -> Any:
        flags = [[test(entry) for entry in one.entries] for one in self.slopes]
        return np.all(np.array(flags, dtype=bool).reshape(len(flags), -1), axis=0)

    def fits(self, claimed: Any, unit: float) -> Any:
        """Of each entry of a claim whether it may be one by itself, as a mask."""
        return ~np.isnan(claimed) & self._are_entries_within(claimed, self.slack(unit))

    def _are_entries_within(self, claimed: Any, slack: Any) -> Any:
        """Of each entry whether it is not certainly beyond those of all pieces."""
        low, high = self.bounds()
        unknown = np.isnan(low) | np.isnan(high)
        # An infinite slope has an infinite slack, and their difference is no number.
        above = (low - slack <= claimed) | (low <= claimed)
        within = above & ((claimed <= high + slack) | (claimed <= high))
        return unknown | within

    def bounds(self) -> tuple[Any, Any]:
        """The least and the greatest that each entry may be; NaN for what is not known."""
        parts = self.parts()
        low = np.sum([np.min(part, axis=0) for part in parts], axis=0)
        high = np.sum([np.max(part, axis=0) for part in parts], axis=0)
        return low, high

    def parts(self) -> list[Any]:
        """Derivatives of pieces as floats, a row for each: the hull is the sum of those of parts.

        Of independent groups the others are differences to the first piece of all. NaN stands
        for what is not known.
        """
        groups: dict[int, list[Any]] = {}
        for one in self.slopes:
            entries = [to_float(entry) for entry in one.entries]
            groups.setdefault(one.piece.group, []).append(entries)
        first, *others = (np.array(group) for group in groups.values())
        return [first, *[other - first[0] for other in others]]

    def slack(self, unit: float) -> Any:
        """How far honest floats may be from the hull, entry by entry."""
        sizes = np.abs(self.bounds())
        for one in self.slopes:
            sizes = np.maximum(sizes, [[abs(to_float(entry)) for entry in one.entries]])
        largest = float(np.max(np.where(np.isfinite(sizes), sizes, 0.0), initial=0.0))
        costs = SIDES * unit * self._costs()
        least = np.finfo(float).smallest_normal
        return np.maximum(np.maximum(costs, FEW * unit * largest), least)

    def find_allowance(self, accuracy: StatedAccuracy) -> Any:
        """How far from the hull a claim of this accuracy may be, entry by entry."""
        largest = np.max(np.abs(self.bounds()), axis=0)
        return accuracy.atol + accuracy.rtol * np.where(np.isfinite(largest), largest, 0.0)

    def _costs(self) -> Any:
        """What rounding may cost an entry of any piece."""
        first = self.slopes[0].cost
        groups: dict[int, Any] = {}
        for one in self.slopes:
            before = groups.get(one.piece.group, first)
            groups[one.piece.group] = np.maximum(before, one.cost)
        with np.errstate(invalid="ignore"):
            more = sum(np.nan_to_num(cost - first, nan=np.inf) for cost in groups.values())
        return np.where(np.isfinite(first), first + more, np.inf)

    def _ends(self, coordinate: int, sign: int) -> bool:
        """Whether the function is not defined on a side of the point."""
        return self.edge and not self.defined[coordinate, (1 + sign) // 2]

    def side(self, entry: int, sign: int) -> float | None:
        """The one-sided derivative of an entry along its own axis; None where not known."""
        at = int(self.coordinates[entry])
        if self._ends(at, sign):
            return None
        found = [
            one.entries[entry]
            for one in self.slopes
            if one.piece.real and not leaves_piece(one.gap_slopes, at, sign)
        ]
        known = found and not (self.loose or self.lost or any(e is None for e in found))
        if known and all(may_be_equal(found[0], e) for e in found):
            return to_float(found[0])
        slopes = self.along(at, sign)
        output = int(np.count_nonzero(self.coordinates[:entry] == at))
        return None if slopes is None else to_float(slopes.flat[output])


def find_pieces(problem: Problem, exact: Truth) -> KinkPieces | Truth:
    """The pieces that meet at a point; the one derivative of them all where they agree.

    Parameters
    ----------
    problem : Problem
    exact : Truth
        The closed form of the reading that the point itself takes.

    Returns
    -------
    Truth
        The function is differentiable at the point.
    Kinked
        It is not, or that is not known.
    """
    try:
        found = explore_apart(problem) or explore(problem)
    except Unsupported as error:
        found = ActivePieces(lost=str(error))
    if found.lost == MANY and (mixed := blend_pieces(problem)):
        evaluator = SlopeEvaluator(problem.point, _BITS[0], second=False)
        slopes = [evaluator.evaluate(piece) for piece in mixed.pieces]
        if (agreed := agreement(mixed, slopes, problem, exact, _BITS[0])) is not None:
            return agreed
    for side in found.crossings:
        slope = _gap_slope(problem.form.program, side[0], problem.point)
        other = cross_gap(problem, side, slope)
        if other is None:
            found.lost = found.lost or "another path of the function that begins here was not found"
            break
        _join(found, other)
    for bits in _BITS:
        evaluator = SlopeEvaluator(problem.point, bits, problem.is_second)
        slopes = merge_families([evaluator.evaluate(piece) for piece in found.pieces])
        agreed = agreement(found, slopes, problem, exact, bits)
        if agreed is not None:
            return agreed
        if part_ways(slopes, bits):
            break
    unknown = found.lost or found.edge or found.loose or not part_ways(slopes, bits)
    # Of one number both sides are known, whatever else the pieces are that no neighbour follows.
    unknown = unknown or sum(map(np.size, problem.point)) == 1
    if unknown and (common := find_common_derivative(problem)):
        return common

    @functools.cache  # of the coordinates, in this call
    def slope_on_side(coordinate: int, sign: int) -> Any:
        return one_sided(problem, coordinate, sign)

    @functools.cache  # in this call
    def pieces_beside() -> list[PieceSlopes]:
        return neighbours(problem)

    return _gather_pieces(found, slopes, problem, slope_on_side, pieces_beside)


def _join(found: ActivePieces, other: ActivePieces) -> None:
    found.pieces += other.pieces
    found.edge |= other.edge
    found.loose |= other.loose
    found.vertical |= other.vertical


def _gap_slope(program: Program, gap: Gap, point: Sequence[Any]) -> Any:
    ids = gap_ids(program, gap)
    (balls,) = Plan(program, [ids]).enclose(point, _BITS[0])
    return np.array([float(ball.mid()) if ball.is_finite() else np.nan for ball in balls])


def _gather_pieces(
    found: ActivePieces,
    slopes: list[PieceSlopes],
    problem: Problem,
    along: Callable[[int, int], Any],
    beside: Callable[[], list[PieceSlopes]],
) -> KinkPieces:
    lost = found.lost
    real = [one for one in slopes if one.piece.real]
    jumps = not all(
        may_be_equal(a, b)
        for one in real[1:]
        for a, b in zip(real[0].values, one.values, strict=True)
    )
    finite = all(ball.is_finite() for one in real for ball in one.values)
    if not lost and any(entry is None for one in slopes for entry in one.entries):
        lost = "" if found.vertical and finite else _UNBOUNDED
    graph, point = problem.graph, problem.point
    shape = graph.nodes[graph.outputs[0]].shape
    coordinates = coordinates_of(point, problem.quantity, shape)
    return KinkPieces(
        slopes,
        lost,
        jumps and finite,
        found.edge,
        found.loose,
        coordinates,
        defined_beside(graph, point) if found.edge else None,
        problem.quantity,
        along,
        beside,
    )
