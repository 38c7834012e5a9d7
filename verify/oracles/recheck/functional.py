"""An entry of a derivative as that of a number by one or two numbers, at zero."""

from __future__ import annotations

from collections.abc import Sequence
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
