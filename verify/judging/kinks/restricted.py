"""Kinks of a function by some of its arguments, or along directions: the rest held still.

What a product is by moves on its own: ``np.sum(g * f(x))`` with x, ``f(x + s * t)`` with s. At a
kink of f that is the function of which the pieces are looked into; where they are no others, as
along a tangent of zeros, it is smooth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb

from symtape.errors import Unsupported
from symtape.process.budget import Budget
from symtape.process.precision import precision
from symtape.reading.record import record_readable
from symtape.recording.structure import concatenate_entries, flatten, separate_entries
from symtape.symbolic.precise import Plan
from symtape.symbolic.program import ZERO
from verify.judging.kinks.admissible import KinkPieces
from verify.judging.kinks.slopes import PieceSlopes
from verify.model.quantity import Quantity
from verify.oracles.closed_form import ClosedForms, Truth


@dataclass(frozen=True, slots=True)
class ReducedProblem:
    """A function of what moves alone.

    Attributes
    ----------
    function : callable
    point : list of arrays
    reduced : str
        The quantity of `function`: ``gradient``, ``jacobian`` or ``hessian``.
    exact : Truth
        The closed form of that.
    given : callable
        What `function` takes of a point of the whole.
    quantity : Quantity
        Of the whole.
    whole : tuple of arrays
        The point of the whole.
    """

    function: Callable[..., Any]
    point: list[Any]
    reduced: str
    exact: Truth
    given: Callable[[Sequence[Any]], Sequence[Any]]
    quantity: Quantity
    whole: Sequence[Any]

    def truth(self, found: Truth) -> Truth:
        """A derivative of `function` as that of the whole."""
        if not self.quantity.second:
            return replace(found, given=self.given)
        with precision(found.precision):
            parts = self._second(found.parts, _weighted_sum)
        costs = None if found.costs is None else self._costs(found.costs)
        if not found.ids:
            return replace(found, parts=parts, costs=costs, given=self.given)
        program = found.shadow.program

        def total(ids: Any, vector: Any) -> int:
            sums = ZERO
            for at, v in zip(ids.tolist(), vector.tolist(), strict=True):
                sums = program.add(sums, program.multiply(at, program.constant(v)))
            return sums

        ids = [np.asarray(part, dtype=np.int64) for part in self._second(found.ids, total)]
        plan = Plan(program, ids)
        return replace(
            found,
            parts=parts,
            ids=ids,
            plan=plan,
            statements=[],
            costs=costs,
            given=self.given,
        )

    def _costs(self, blocks: list[Any]) -> list[Any]:
        joined = self._second(blocks, lambda row, v: float(np.sum(row * np.abs(v))))
        return [np.asarray(part, dtype=float) for part in joined]

    def meeting(self, found: KinkPieces) -> KinkPieces:
        """What meets at a kink of `function`, in the entries of the whole."""
        if not self.quantity.second:
            return found
        coordinates = self._entries(list(found.coordinates[:, 0]), lambda row, v: row[0])
        slopes = [self._slopes(one) for one in found.slopes]
        return replace(found, slopes=slopes, coordinates=np.asarray(coordinates))

    def _slopes(self, one: PieceSlopes) -> PieceSlopes:
        entries = self._entries(one.entries, _product_if_known)
        cost = self._entries(list(one.cost), lambda row, v: float(np.sum(row * np.abs(v))))
        return replace(one, entries=entries, cost=np.asarray(cost, dtype=float))

    def _entries(self, flat: Sequence[Any], join: Callable[[Any, Any], Any]) -> list[Any]:
        """A flat list of the entries of all blocks, as one of those of `quantity`."""
        shapes = [np.shape(x) for x in self.point]
        blocks = [first + second for first in shapes for second in shapes]
        parts = self._second(separate_entries(np.array(flat, dtype=object), blocks), join)
        return [entry for part in parts for entry in np.ravel(part).tolist()]

    def _second(self, blocks: Sequence[Any], join: Callable[[Any, Any], Any]) -> list[Any]:
        """Of all blocks of a second derivative, those of `quantity`, or their products."""
        count = len(self.whole)
        moving = self.quantity.moving(count)
        of = {
            (i, j): blocks[len(moving) * a + b]
            for a, i in enumerate(moving)
            for b, j in enumerate(moving)
        }
        if self.quantity.name == "hessian":
            return [of[i, j] for i, j in self.quantity.parts(count)]
        along = self.quantity.direction_places(count)
        vector = concatenate_entries([self.whole[at] for at in along])
        parts = []
        for i in moving:
            shape = np.shape(self.whole[i])
            size = int(np.prod(shape))
            rows = np.concatenate([of[i, j].reshape(size, -1) for j in moving], axis=1)
            part = np.empty(size, dtype=object)
            part[:] = [join(row, vector) for row in rows]
            parts.append(part.reshape(shape))
        return parts


def _weighted_sum(row: Any, vector: Any) -> Any:
    return sum((x * arb(v) for x, v in zip(row.tolist(), vector.tolist(), strict=True)), arb(0))


def _product_if_known(row: Any, vector: Any) -> Any:
    """The product of a row, if it is known; 0 times an infinite entry is not."""
    if not all(isinstance(x, arb) for x in row):
        return None
    return _weighted_sum(row, vector)


def reduced_problem(
    function: Callable[..., Any], point: Sequence[Any], quantity: Quantity, budget: Budget
) -> ReducedProblem:
    """The function of what moves alone, at a point of the whole.

    Raises
    ------
    Unsupported, BudgetSpent
        It has no closed form.
    """
    moved, start, reduced, given = _problem(function, point, quantity)
    graph = record_readable(moved, *start)
    if len(graph.outputs) != 1:
        raise Unsupported("at a kink of a function with several outputs the pieces are not known")
    exact = ClosedForms(reduced).evaluate(graph, start, budget)
    return ReducedProblem(moved, list(start), reduced, exact, given, quantity, point)


def _problem(
    function: Callable[..., Any], point: Sequence[Any], quantity: Quantity
) -> tuple[Callable[..., Any], list[Any], str, Callable[[Sequence[Any]], list[Any]]]:
    count = len(point)
    if quantity.name == "jvp":
        return (
            _restrict_to_line(function, point, quantity),
            [_zero(point)],
            "jacobian",
            lambda x: [_zero(x)],
        )
    moving = quantity.moving(count)

    def evaluate_reduced(*xs: Any) -> Any:
        whole = list(point)
        for at, x in zip(moving, xs, strict=True):
            whole[at] = x
        found = function(*whole)
        if quantity.name != "vjp":
            return found
        pairs = zip(quantity.direction_places(count), flatten(found), strict=True)
        sums = [np.sum(point[at] * y) for at, y in pairs]
        return sums[0] if len(sums) == 1 else sum(sums)

    reduced = {"vjp": "gradient", "hvp": "hessian"}.get(quantity.name, quantity.name)
    return (
        evaluate_reduced,
        [point[at] for at in moving],
        reduced,
        lambda x: [x[at] for at in moving],
    )


def _restrict_to_line(
    function: Callable[..., Any], point: Sequence[Any], quantity: Quantity
) -> Callable[..., Any]:
    count = len(point)

    def evaluate_on_line(s: Any) -> Any:
        whole = list(point)
        for at, t in zip(quantity.rows(count), quantity.direction_places(count), strict=True):
            if np.any(point[t]):
                whole[at] = point[at] + s * point[t]
        return function(*whole)

    return evaluate_on_line


def _zero(point: Sequence[Any]) -> Any:
    """A zero that does not make anything more precise."""
    dtypes = [np.asarray(x).dtype for x in point]
    return min(dtypes, key=lambda dtype: dtype.itemsize).type(0)
