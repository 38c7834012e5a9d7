"""Whether all that a path computes is defined in a box, by intervals or by formulas."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from flint import arb

from symtape.process.precision import precision
from symtape.rigorous.scalar import enclose_interval
from symtape.symbolic.interval import Interval
from symtape.symbolic.precise import Plan
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.trees import Tree
from verify.oracles.over_region.bounds import Bounds
from verify.oracles.over_region.choices import BITS
from verify.oracles.over_region.constants import number_meant
from verify.oracles.over_region.domain import Domain, find_domain
from verify.oracles.over_region.settled import settled_nodes

_DOMAIN_BITS: Final = 128


class Definedness:
    """Where function, claim and derivative are defined and smooth, on one path.

    Parameters
    ----------
    shadows : tuple of Shadow
        Of the function and of the claim, in one program.
    plan : Plan
        Of the statements of derivative and claim.
    """

    def __init__(self, shadows: tuple[Shadow, Shadow], plan: Plan) -> None:
        self.shadows, self._plan, self._program = shadows, plan, shadows[0].program

    def is_defined(
        self,
        bounds: Sequence[tuple[float, float]],
        doubtful: Sequence[Sequence[int]],
        taken: Sequence[Sequence[Interval]] = (),
    ) -> bool:
        """Whether function, claim and derivative are defined and smooth all over a box.

        That holds for each of their statements, so that a proof need not look at it again.

        Parameters
        ----------
        bounds : sequence of tuples (float, float)
        doubtful : sequence of sequences of int
            The nodes of function and claim that balls leave it open of.
        taken : sequence of sequences of Interval
            The numbers of the box at which function and claim take this path; `bounds` if empty.
        """
        with precision(BITS):
            boxes: Sequence[Any] = taken or (bounds, bounds)
            intervals = Bounds(self._program, bounds)
            return all(map(self._finite_over(bounds, intervals), self._plan.order)) and all(
                self._is_regular(made, at, Bounds(self._program, box))
                for made, nodes, box in zip(self.shadows, doubtful, boxes, strict=True)
                for at in nodes
            )

    def _finite_over(
        self, bounds: Sequence[tuple[float, float]], intervals: Bounds
    ) -> Callable[[int], bool]:
        """What says of a statement whether it is finite all over a box."""
        values = self._plan.run([enclose_interval(arb(low), arb(high)) for low, high in bounds])

        def is_finite(at: int) -> bool:
            if at in self._planned and (
                # What is inside of a matrix product has no value of its own.
                values[at] is None or values[at].is_finite()
            ):
                return True
            return intervals.is_bounded(at)

        return is_finite

    @functools.cached_property
    def _planned(self) -> frozenset[int]:
        return frozenset(self._plan.order)

    def find_domain(
        self,
        bounds: Sequence[tuple[float, float]],
        doubtful: Sequence[Sequence[int]],
        meaning: Callable[[Fraction], Tree] | None = None,
        assumes: bool = False,
        taken: Sequence[Sequence[Interval]] = (),
    ) -> Domain:
        """Where in a box function, claim and derivative are defined.

        Parameters
        ----------
        bounds, doubtful : sequences
            As for :meth:`is_defined`.
        meaning : callable, optional
            The number that a constant stands for.
        assumes : bool
            Whether that may be a part of the box, or else has to be all of it.
        taken : sequence of sequences of Interval
            As for :meth:`is_defined`.

        Raises
        ------
        Undefined
            That is not known.
        Kink
            It would be known of a box that is cut there.
        """
        with precision(BITS):
            is_finite = self._finite_over(bounds, Bounds(self._program, bounds))
        if meaning is not None:
            is_finite = Bounds(self._program, bounds, meaning).is_bounded
        with precision(_DOMAIN_BITS):
            return find_domain(
                self._program,
                self.shadows,
                self._plan.order,
                doubtful,
                is_finite,
                name_intervals(_join_intervals(taken) if taken else to_intervals(bounds)),
                meaning,
                assumes,
            )

    def settled_nodes(self, taken: Sequence[Sequence[Interval]]) -> list[frozenset[int]]:
        """The nodes of function and claim that choose one thing where each takes this path."""
        with precision(BITS):
            return [
                settled_nodes(made, Bounds(self._program, box))
                for made, box in zip(self.shadows, taken, strict=True)
            ]

    def is_defined_as_meant(self, bounds: Sequence[tuple[float, float]]) -> bool:
        """Whether all is defined with constants as numbers that they may have been rounded from."""
        with precision(BITS):
            intervals = Bounds(self._program, bounds, number_meant)
            return all(map(intervals.is_bounded, self._plan.order))

    def _is_regular(self, made: Shadow, at: int, intervals: Bounds) -> bool:
        node = made.graph.nodes[at]
        if made.ids[at] is None:
            return False
        return intervals.are_regular(node, made.ids[at], list(map(made.statements, node.inputs)))


def name_intervals(intervals: Sequence[Interval]) -> dict[str, Interval]:
    """Intervals of the inputs by their names, ``x0``, ``x1`` ..."""
    return {f"x{k}": interval for k, interval in enumerate(intervals)}


def to_intervals(bounds: Sequence[tuple[float, float]]) -> list[Interval]:
    """Intervals with these ends."""
    return [Interval(arb(low), arb(high)) for low, high in bounds]


def _join_intervals(taken: Sequence[Sequence[Interval]]) -> list[Interval]:
    """Where function or claim take their path."""
    return [
        Interval(a.low, a.high, a.low_open and b.low_open, a.high_open and b.high_open)
        for a, b in zip(*taken, strict=True)
    ]
