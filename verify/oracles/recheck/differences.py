"""Derivatives by difference quotients of high order, at many digits.

Central: the five-point formula of order 4 (Abramowitz & Stegun 25.3.6). One-sided: the five-point
forward formula of order 4 (Fornberg 1988, Math. Comp. 51, table 3). With steps of 1e-30 of the
point and 150 digits the formula is off by some 1e-120, and what cancels leaves 120 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from mpmath import mp

from symtape.graph.graph import Graph
from verify.model.quantity import Quantity
from verify.oracles.recheck.evaluation import (
    NotRechecked,
    evaluate_outputs,
    exactly,
    find_stopped_values,
)

STAGES: Final = ((150, 30), (400, 50), (1000, 200), (2500, 400), (5000, 800))
"""Decimal digits, and the digits of the step, taken until two quotients agree.

With another step each time, since one that is too long for the function agrees with itself."""

_CENTRAL: Final = ((-2, 1), (-1, -8), (1, 8), (2, -1))
"""Steps and weights; the sum is over 12 steps."""

_FORWARD: Final = ((0, -25), (1, 48), (2, -36), (3, 16), (4, -3))
"""As above."""

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Quotient:
    """A difference quotient.

    Attributes
    ----------
    value, error : mpmath.mpf
        And an estimate of its error.
    """

    value: Any
    error: Any


def difference_quotient(function: Function, steps: Sequence[Any], digits: int) -> Quotient:
    """The derivative of `function` of one or two numbers at zero, once by each of them.

    Parameters
    ----------
    function : callable ``(t) -> mpf`` or ``(s, t) -> mpf``
    steps : sequence of mpf
        One for each.
    digits : int
        That the function is evaluated to.

    Examples
    --------
    >>> with mp.workdps(150):
    ...     found = difference_quotient(lambda t: mp.exp(2 * t), [mp.mpf("1e-30")], 150)
    >>> print(mp.nstr(found.value, 20))
    2.0
    """
    first, *rest = steps
    if not rest:
        values = {k: function(k * first) for k, _ in _CENTRAL}
        plain = (values[1] - values[-1]) / (2 * first)
        return _weigh_quotient([(w, values[k]) for k, w in _CENTRAL], first, plain, digits)
    (second,) = rest
    grid = {(j, k): function(j * first, k * second) for j, _ in _CENTRAL for k, _ in _CENTRAL}
    corners = grid[1, 1] - grid[1, -1] - grid[-1, 1] + grid[-1, -1]
    terms = [(v * w, grid[j, k]) for j, v in _CENTRAL for k, w in _CENTRAL]
    return _weigh_quotient(terms, 12 * first * second, corners / (4 * first * second), digits)


def one_sided(function: Function, step: Any, digits: int) -> Quotient:
    """The one-sided derivative at zero, towards the sign of `step`."""
    values = {k: function(k * step) for k, _ in _FORWARD}
    plain = (values[1] - values[0]) / step
    return _weigh_quotient([(w, values[k]) for k, w in _FORWARD], step, plain, digits)


def _weigh_quotient(
    terms: Sequence[tuple[int, Any]], step: Any, plain: Any, digits: int
) -> Quotient:
    """The quotient, beside that of lower order: what they differ by, squared, is still missing."""
    value = mp.fsum(weight * y for weight, y in terms) / (12 * step)
    cancelled = max(abs(weight * y) for weight, y in terms) / abs(12 * step)
    size = max(abs(value), abs(plain))
    missing = (value - plain) ** 2 / size if size else mp.zero
    # A digit or two for each of the operations that led to the terms.
    return Quotient(value, missing + cancelled * mp.mpf(10) ** (8 - digits))


LARGEST: Final = 20_000
"""Most numbers in a graph that is evaluated."""


class Functional:
    """``phi(t)``, or ``phi(s, t)``, whose derivative at 0 is the entry.

    Parameters
    ----------
    graph, quantity, x, argument, index
        As of :func:`verify.oracles.recheck.opinion.opinion_on_entry`.

    Raises
    ------
    NotRechecked
        The graph is too large.
    """

    def __init__(
        self,
        graph: Graph,
        quantity: Quantity,
        x: Sequence[Any],
        argument: int,
        index: tuple[int, ...],
    ) -> None:
        if graph.elements > LARGEST:
            raise NotRechecked(f"its {graph.elements} numbers are more than {LARGEST}")
        self._graph = graph
        self._x = [np.asarray(value) for value in x]
        self._weights = self._weights_of(quantity, argument, index)
        self._directions = self._directions_of(quantity, argument, index)

    def steps(self, relative: Any) -> list[Any]:
        """A step for each number, `relative` to the size of what it moves."""
        return [relative * _size(self._x, direction) for direction in self._directions]

    def __call__(self, *ts: Any) -> Any:
        """The function's number at the point moved by `ts` along the directions."""
        moved = [exactly(value) for value in self._x]
        held = find_stopped_values(self._graph, moved)
        for t, direction in zip(ts, self._directions, strict=True):
            for place, tangent in direction.items():
                moved[place] = moved[place] + exactly(tangent) * t
        outputs = evaluate_outputs(self._graph, moved, held)
        pairs = zip(self._weights, outputs, strict=True)
        total = mp.fsum(v for w, y in pairs for v in np.ravel(np.asarray(y) * exactly(w)))
        if not mp.isfinite(total) or mp.im(total):
            raise NotRechecked("the function is not a finite real number beside the point")
        return mp.re(total)

    def _weights_of(self, quantity: Quantity, argument: int, index: tuple[int, ...]) -> list[Any]:
        """What the outputs are summed with."""
        nodes = [self._graph.nodes[at] for at in self._graph.outputs]
        if quantity.name == "vjp":
            return [self._x[place] for place in quantity.direction_places(len(self._x))]
        weights = [np.zeros(node.shape) for node in nodes]
        if quantity.name == "jvp":
            weights[argument][index] = 1.0
        else:
            weights[0][index[: len(nodes[0].shape)]] = 1.0
        return weights

    def _directions_of(
        self, quantity: Quantity, argument: int, index: tuple[int, ...]
    ) -> list[dict[int, Any]]:
        count = len(self._x)
        given = dict(zip(quantity.rows(count), quantity.direction_places(count), strict=False))
        if quantity.name == "jvp":
            return [{place: self._x[at] for place, at in given.items()}]
        part = quantity.parts(count)[argument]
        inner = index[len(self._graph.nodes[self._graph.outputs[0]].shape) :]
        inner = index if quantity.name == "vjp" else inner
        first = len(self._x[part[0]].shape)
        found = [self._unit(part[0], inner[:first])]
        if quantity.name == "hessian":
            found.append(self._unit(part[1], inner[first:]))
        if quantity.name == "hvp":
            found.append({place: self._x[at] for place, at in given.items()})
        return found

    def _unit(self, place: int, index: tuple[int, ...]) -> dict[int, Any]:
        direction = np.zeros(self._x[place].shape)
        direction[index] = 1.0
        return {place: direction}


def _size(x: Sequence[Any], direction: dict[int, Any]) -> Any:
    """How far along a direction the first coordinate that moves doubles, or 1."""
    found = []
    for place, tangent in direction.items():
        values = np.abs(np.ravel(np.asarray(x[place], float)))
        moves = np.abs(np.ravel(np.asarray(tangent, float)))
        pairs = zip(values.tolist(), moves.tolist(), strict=True)
        found += [mp.mpf(v) / mp.mpf(m) for v, m in pairs if v and m]
    return min(found, default=mp.one)


QUICK: Final = ((40, 8), *STAGES)
"""Stages for what is asked of thousands of functions, most of which are plain."""

BRIEF: Final = QUICK[:2]
"""Stages for functions that take mpmath minutes at more digits, as ``y1(1e100)`` does at 1000."""


_NOTHING: Final = mp.mpf(2) ** -1100
"""What no float shows: zero, found twice to so much, is zero."""

_NO_FLOAT: Final = mp.mpf("1e-330")
"""Below every float: what is known to be smaller is zero, though its roundings do not cancel."""


def settle_quotient(
    functional: Functional,
    claimed: float | None,
    side: int = 0,
    stages: Sequence[tuple[int, int]] = STAGES,
) -> tuple[Quotient, int]:
    """A difference quotient on which two numbers of digits agree, and the larger of these.

    What the function itself loses, as ``1 + exp(-400)`` does at 150 digits, no quotient shows.

    Parameters
    ----------
    functional : Functional
    claimed : float or None
        A value that is to be told apart, for which fewer digits may do.
    side : int
        1 or -1 for the one-sided derivative to the right or to the left.
    stages : sequence of pairs of int
        Digits, and digits of the step.

    Raises
    ------
    NotRechecked
    """
    before: tuple[Quotient, int] | None = None
    for digits, fine in stages:
        with mp.workdps(digits):
            found = _quotient(functional, side, mp.mpf(10) ** -fine, digits)
        if before is not None:
            if found.value == before[0].value == 0 and found.error <= _NOTHING:
                return Quotient(mp.zero, mp.zero), digits
            if abs(found.value) <= found.error <= _NO_FLOAT:
                return Quotient(mp.zero, mp.zero), digits
            found = Quotient(found.value, found.error + abs(found.value - before[0].value))
            if _answers(found, claimed):
                return found, digits
        before = found, digits
    assert before is not None
    return before


def _quotient(functional: Functional, side: int, relative: Any, digits: int) -> Quotient:
    steps = functional.steps(relative)
    try:
        if side:
            return one_sided(functional, side * steps[0], digits)
        return difference_quotient(functional, steps, digits)
    except NotRechecked:
        raise
    except Exception as error:  # noqa: BLE001  # whatever mpmath meets at the edge of a domain
        raise NotRechecked(f"mpmath stopped with {type(error).__name__}: {error}") from None


def _answers(found: Quotient, claimed: float | None) -> bool:
    """Whether a quotient is known to 20 digits, or well enough to be held against `claimed`.

    Zero at few digits is what cancels, not what is exact.
    """
    if not found.value or found.error <= abs(found.value) * mp.mpf(10) ** -20:
        return bool(found.value)
    if claimed is None or not math.isfinite(claimed):
        return False
    return bool(found.error <= mp.mpf(10) ** -6 * abs(found.value - mp.mpf(claimed)))
