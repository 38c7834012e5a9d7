"""Whether all that a path computes is defined in a box, by intervals or by formulas.

Choices that intervals decide all over a box, some of whose ends do not belong to it. No ball says
that x < 1 between 0 and 1 without 1; an interval that is open at 1 does. What is decided here
depends on its arguments by the signs of some differences alone.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.graph.graph import Node
from symtape.primitives.sorting import SEARCHSORTED
from symtape.primitives.steps import CEIL, FLOOR, RINT, SIGN, TRUNC
from symtape.process.precision import precision
from symtape.rigorous.scalar import enclose_interval
from symtape.symbolic.interval import Interval, point
from symtape.symbolic.precise import Plan
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.trees import Tree
from verify.oracles.over_region.bounds import Bounds
from verify.oracles.over_region.choices import BITS, varying_nodes
from verify.oracles.over_region.constants import number_meant
from verify.oracles.over_region.domain import Domain, find_domain

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


Signs = frozenset[int]

_POSITIVE: Final = frozenset({1})
_NEGATIVE: Final = frozenset({-1})


def settled_nodes(made: Shadow, bounds: Bounds) -> frozenset[int]:
    """The nodes that choose the same wherever `bounds` hold as at the point of a shadow.

    That holds if those that they depend on choose the same, too.
    """
    return frozenset(
        at for at in varying_nodes(made.graph) if _is_settled(made, made.graph.nodes[at], bounds)
    )


def _is_settled(made: Shadow, node: Node, bounds: Bounds) -> bool:
    at_point = [np.asarray(made.values[i]) for i in node.inputs]
    if any(x.dtype.kind not in "fiub" for x in at_point):
        return False
    if node.row is SEARCHSORTED:
        return _is_place_settled(made, node, bounds)
    if not node.row.elementwise:
        return False
    entries = zip(
        *[np.broadcast_to(_intervals(made, i, bounds), node.shape).ravel() for i in node.inputs],
        strict=True,
    )
    floats = zip(*[np.broadcast_to(x, node.shape).ravel().tolist() for x in at_point], strict=True)
    return all(_is_element_settled(node, args, x) for args, x in zip(entries, floats, strict=True))


def _is_element_settled(node: Node, args: Sequence[Interval], x: Sequence[float]) -> bool:
    row = node.row
    if row.compares:
        outcomes = {row.evaluate(sign, 0) for sign in (args[0] - args[1]).signs()}
        return outcomes == {row.evaluate(*x)}
    if row.decision in ("largest", "smallest"):
        # Where both are equal, each is the value.
        return x[0] != x[1] and (args[0] - args[1]).signs() <= {0, 1 if x[0] > x[1] else -1}
    if row is SIGN:
        return args[0].signs() == {int(np.sign(x[0]))}
    step = _STEPS.get(row)
    return step is not None and step(args[0], int(row.evaluate(x[0])))


def _is_place_settled(made: Shadow, node: Node, bounds: Bounds) -> bool:
    """Whether every comparison that a search in a table may make has one outcome."""
    compare = operator.lt if node.params["side"] == "left" else operator.le
    table, numbers = (_intervals(made, i, bounds).ravel() for i in node.inputs)
    return all(
        len({compare(sign, 0) for sign in (entry - number).signs()}) == 1
        for entry in table
        for number in numbers
    )


def _intervals(made: Shadow, at: int, bounds: Bounds) -> Any:
    """What the numbers of a node may be."""
    ids = made.ids[at]
    if ids is None:
        flat = [point(arb(x)) for x in np.ravel(made.values[at]).tolist()]
    else:
        flat = [bounds.enclose(one) for one in ids.ravel().tolist()]
    found = np.empty(len(flat), dtype=object)
    found[:] = flat
    return found.reshape(np.shape(made.values[at]))


def _signs(x: Interval, number: Any) -> Signs:
    return (x - point(arb(number))).signs()


def _rounds_down(x: Interval, to: int) -> bool:
    return -1 not in _signs(x, to) and _signs(x, to + 1) == _NEGATIVE


def _rounds_to_zero(x: Interval, to: int) -> bool:
    if to:
        return _rounds_down(x if to > 0 else -x, abs(to))
    return _signs(x, 1) == _NEGATIVE and _signs(x, -1) == _POSITIVE


def _rounds_to_nearest(x: Interval, to: int) -> bool:
    tie = frozenset({0} if to % 2 == 0 else ())
    return _signs(x, to + 0.5) <= _NEGATIVE | tie and _signs(x, to - 0.5) <= _POSITIVE | tie


_STEPS: Final[dict[Any, Callable[[Interval, int], bool]]] = {
    FLOOR: _rounds_down,
    CEIL: lambda x, to: _rounds_down(-x, -to),
    TRUNC: _rounds_to_zero,
    RINT: _rounds_to_nearest,
}
