"""The largest rounding error over a box, by branch and bound."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph
from symtape.primitives.arithmetic import MULTIPLY, SQUARE
from symtape.process.precision import precision
from symtape.rigorous.backward_error import is_xla
from symtape.rigorous.box_errors import ResultElement
from symtape.rigorous.rounding import rounding_of
from symtape.rigorous.scalar import Ball, enclose_interval

_BITS: Final = 64
_CLOSE: Final = 1.05
"""So near to a value that is reached the search for the largest ends."""


_UNBOUNDED: Final = "it may overflow, or leave its domain"


@dataclass(frozen=True, slots=True)
class ErrorBound:
    """The largest rounding error, for every float of a box.

    Attributes
    ----------
    absolute : float
        inf where nothing bounds it.
    ulps : float
        The same in units in the last place of the exact value; inf where that may be zero.
    reason : str
        Why there is no bound; empty where there is one.
    boxes : int
        How many boxes were looked at.
    """

    absolute: float
    ulps: float
    reason: str = ""
    boxes: int = 0


def bound_errors(
    graph: Graph,
    lower: Sequence[Any],
    upper: Sequence[Any],
    *,
    rounded_inputs: bool = False,
    most: int = 1000,
) -> list[list[ErrorBound]]:
    """Bound the float error of each output element of `graph`, at every point of a box.

    Parameters
    ----------
    graph : Graph
        A recorded computation.
    lower, upper : sequences of array_like
        The ends of each input, of its shape. Inputs are floats, taken to be exact.
    rounded_inputs : bool

    most : int
        How many boxes to look at, for each element and each unit.

    Returns
    -------
    list of lists
        For each output one bound for each of its elements.

    Raises
    ------
    Unsupported
        Of XLA's arithmetic.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: x * x * x, 3.0)
    >>> [[bound]] = bound_errors(graph, [1.0], [3.0])
    >>> bound.ulps <= 3, bound.absolute < 27 * 2**-52
    (True, True)
    """
    if is_xla():
        raise Unsupported("what XLA loses to subnormal numbers has no bound over a box")
    graph = _name_squares(graph)
    box = _Box(tuple(map(np.asarray, lower)), tuple(map(np.asarray, upper)))
    with precision(_BITS, 2), np.errstate(all="ignore"):
        return [
            [
                _largest_errors(ResultElement(graph, at, element, rounded_inputs), box, most)
                for element in range(math.prod(graph.nodes[at].shape))
            ]
            for at in graph.outputs
        ]


def _name_squares(graph: Graph) -> Graph:
    """The same floats; what is multiplied by itself is squared, which is never negative."""
    return replace(
        graph,
        nodes=tuple(
            replace(node, primitive=SQUARE, inputs=node.inputs[:1])
            if node.primitive is MULTIPLY and node.inputs[0] == node.inputs[1]
            else node
            for node in graph.nodes
        ),
    )


@dataclass(frozen=True, slots=True)
class _Box:
    lower: tuple[Any, ...]
    upper: tuple[Any, ...]

    def balls(self, beside: bool) -> list[Any]:
        """What inputs may be; with numbers `beside` that are rounded to them."""

        def ball(a: float, b: float) -> Ball:
            return enclose_interval(arb(a), arb(b))

        balls = [
            np.asarray(np.frompyfunc(ball, 2, 1)(a.astype(float), b.astype(float)), object)
            if a.dtype.kind == "f"
            else a
            for a, b in zip(self.lower, self.upper, strict=True)
        ]
        if not beside:
            return balls
        return [
            np.asarray(x * rounding_of(a.dtype).factor(1), object) if x.dtype == object else x
            for a, x in zip(self.lower, balls, strict=True)
        ]

    def middle(self) -> _Box:
        middles = tuple(
            (a + (b - a) / 2).astype(a.dtype) for a, b in zip(self.lower, self.upper, strict=True)
        )
        return _Box(middles, middles)

    def halves(self, weights: Sequence[Any]) -> tuple[_Box, _Box] | None:
        """Cut across the side of the largest weight; None where no side can be cut."""
        middles = self.middle().lower
        weighed = [
            np.where((a < at) & (at < b), weight, -1.0)
            for a, at, b, weight in zip(self.lower, middles, self.upper, weights, strict=True)
        ]
        number = max(range(len(weighed)), key=lambda k: np.max(weighed[k], initial=-1.0))
        index = np.unravel_index(np.argmax(weighed[number]), np.shape(weighed[number]))
        if weighed[number][index] < 0:
            return None
        cut = middles[number][index]
        below, above = self.upper[number].copy(), self.lower[number].copy()
        below[index] = above[index] = cut
        return (
            replace(self, upper=(*self.upper[:number], below, *self.upper[number + 1 :])),
            replace(self, lower=(*self.lower[:number], above, *self.lower[number + 1 :])),
        )


def _largest_errors(result: ResultElement, box: _Box, most: int) -> ErrorBound:
    absolute = _Search(result, box, most, lambda value, error: error).run()
    if absolute.reason or absolute.ulps == math.inf:
        return absolute
    dtype = result.graph.nodes[result.output].dtype
    ulps = _Search(result, box, most, lambda value, error: error / _least_ulp(value, dtype)).run()
    return replace(absolute, ulps=ulps.absolute, boxes=absolute.boxes + ulps.boxes)


def _least_ulp(value: Ball, dtype: Any) -> Ball:
    """The least distance of floats at a value; 0 where it may be zero."""
    least = abs(value).lower()
    if not least > 0:
        return arb(0)
    return arb(float(np.spacing(np.dtype(dtype).type(math.nextafter(float(least), 0)))))


class _Search:
    """The search for the largest error over a box, in parts, the worst of them first."""

    def __init__(
        self, result: ResultElement, box: _Box, most: int, measure: Callable[[Ball, Ball], Ball]
    ) -> None:
        self._result, self._box, self._most, self._measure = result, box, most, measure
        self._beside = result.rounded_inputs
        self._reached, self._seen, self._reason = 0.0, 0, ""
        self._signs: set[bool] = set()

    def run(self) -> ErrorBound:
        """The bound; its `ulps` are infinite if the result takes both signs."""
        waiting = [self._look_at(self._box)]
        while self._seen < self._most and -waiting[0][0] > _CLOSE * self._reached:
            _, _, part, weights = waiting[0]
            halves = part.halves(weights)
            if halves is None or self._reached == math.inf:
                break
            heapq.heappop(waiting)
            for half in halves:
                heapq.heappush(waiting, self._look_at(half))
        found = -waiting[0][0]
        reason = (self._reason or _UNBOUNDED) if found == math.inf else ""
        has_ulps = len(self._signs) < 2 and not reason
        return ErrorBound(found, 0.0 if has_ulps else math.inf, reason, self._seen)

    def _look_at(self, box: _Box) -> tuple[float, int, _Box, list[Any]]:
        """The measure over a part of the box, for a heap; that at its middle counts as reached."""
        self._seen += 1
        middle = box.middle().balls(self._beside)
        weights = [np.ones(np.shape(a)) for a in box.lower]
        worst = math.inf
        try:
            value, error, _ = self._result.bound(middle)
            self._signs |= {sign for sign, has in ((True, value >= 0), (False, value <= 0)) if has}
            self._reached = max(self._reached, _float_above(self._measure(value, error)))
            found = self._result.bound(box.balls(self._beside), middle)
            worst = _float_above(self._measure(found.value, found.error))
            weights = self._weigh(found.spreads)
        except BudgetSpent:
            raise
        except Unsupported as error:
            self._reason = str(error)
        return -worst, self._seen, box, weights

    def _weigh(self, spreads: dict[tuple[int, int], float]) -> list[Any]:
        """The weights of the sides of a box."""
        graph = self._result.graph
        return [
            np.reshape(
                [spreads.get((at, k), 0.0) for k in range(math.prod(graph.nodes[at].shape))],
                graph.nodes[at].shape,
            )
            for at in graph.inputs
        ]


def _float_above(x: Ball) -> float:
    if x.is_zero():
        return 0.0
    return math.nextafter(float(x.upper()), math.inf) if x.is_finite() else math.inf
