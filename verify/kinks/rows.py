"""What operations that reduce or order rows may be taken for where elements are tied."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.extrema import as_rows
from symtape.symbolic.shadow import Shadow
from verify.kinks.alternatives import Alternative, Choice, Sides, Statement, cross, gap_of

__all__ = ["WHOLE", "Rows"]


_MOST_TIED: Final = 4
"""Of more elements in one tie, the orders that a sort may put them in are not gone through."""


class Rows:
    """A node that reduces or orders rows of its only input."""

    def __init__(self, graph: Graph, form: Shadow, at: int) -> None:
        self.node: Node = graph.nodes[at]
        self.at, self.form = at, form
        self.source = self.node.inputs[0]
        self.x: Any = np.asarray(form.values[self.source])
        ids = form.ids[self.source]
        self.ids = None if ids is None else np.ravel(ids)

    def reduced(self, axis: Any) -> Any:
        """Flat positions into the input, a row for each output element."""
        places = np.arange(self.x.size).reshape(self.x.shape)
        return as_rows(places, axis).reshape(-1, as_rows(places, axis).shape[-1])

    def along(self, axis: int) -> Any:
        """The same of the output of an operation along one axis."""
        places = np.arange(self.x.size).reshape(self.x.shape)
        moved = np.moveaxis(places, axis, -1)
        return moved.reshape(-1, moved.shape[-1])

    def sides(self, order: Sequence[int], sign: int = -1) -> Sides:
        """That each of some elements is smaller (or larger) than the one after it in `order`."""
        found = []
        for i, j in itertools.pairwise(order):
            a, b = (self._statement(k) for k in (i, j))
            if a != b:
                gap, turned = gap_of(self.form.program, a, b)
                found.append((gap, sign * turned))
        return tuple(found)

    def against(self, pick: int, others: Sequence[int], sign: int) -> Sides:
        """That one element is larger (or smaller) than others."""
        return tuple(side for k in others if k != pick for side in self.sides((pick, k), sign))

    def distinct(self, places: Sequence[int]) -> list[int]:
        """Of some elements, one for each statement."""
        return list({self._statement(k): k for k in reversed(places)}.values())[::-1]

    def _statement(self, place: int) -> int:
        if self.ids is None:
            return self.form.program.constant(self.x.ravel()[place])
        return int(self.ids[place])


def _extreme(largest: bool) -> Callable[[Rows], Iterator[Choice]]:
    best, sign = (np.max, 1) if largest else (np.min, -1)

    def choices(rows: Rows) -> Iterator[Choice]:
        flat = rows.x.ravel()
        for at, row in enumerate(rows.reduced(rows.node.params["axis"])):
            tied = rows.distinct(row[flat[row] == best(flat[row])].tolist())
            if len(tied) > 1:
                alternatives = [
                    Alternative(rows.against(k, tied, sign), {at: _taking(k)}) for k in tied
                ]
                yield Choice(rows.at, (at,), alternatives)

    return choices


def _place_of_extreme(largest: bool) -> Callable[[Rows], Iterator[Choice]]:
    best, sign = (np.max, 1) if largest else (np.min, -1)

    def choices(rows: Rows) -> Iterator[Choice]:
        flat, axis = rows.x.ravel(), rows.node.params["axis"]
        for at, row in enumerate(rows.reduced(axis if axis is None else (axis,))):
            tied = row[flat[row] == best(flat[row])].tolist()
            alternatives = [
                Alternative(
                    rows.against(k, tied, sign), values={at: int(np.flatnonzero(row == k)[0])}
                )
                for k in tied
            ]
            if len(tied) > 1:
                yield Choice(rows.at, (at,), alternatives)

    return choices


def _taking(place: int) -> Statement:
    return lambda program, own, given: given[place]


def _ties(rows: Rows) -> Iterator[tuple[Any, Any, list[int]]]:
    """Rows of positions, in which order they come, and where in that order a tie is."""
    flat = rows.x.ravel()
    for row in rows.along(rows.node.params["axis"]):
        order = row[np.argsort(flat[row], kind="stable")]
        for _, group in itertools.groupby(range(len(order)), key=lambda k: flat[order[k]]):
            places = list(group)
            if len(places) > 1:
                yield row, order, places


def _sort(rows: Rows) -> Iterator[Choice] | None:
    found = list(_ties(rows))
    if any(len(places) > _MOST_TIED for _, _, places in found):
        return None
    return (
        Choice(
            rows.at,
            tuple(places),
            [
                Alternative(
                    rows.sides(picks),
                    {int(row[k]): _taking(i) for k, i in zip(places, picks, strict=True)},
                )
                for picks in itertools.permutations(order[places].tolist())
            ],
        )
        for row, order, places in found
    )


def _argsort(rows: Rows) -> Iterator[Choice] | None:
    found = list(_ties(rows))
    if any(len(places) > _MOST_TIED for _, _, places in found):
        return None
    return (
        Choice(
            rows.at,
            (int(row[0]), *places),
            [
                Alternative(
                    rows.sides(picks),
                    values={
                        int(row[k]): int(np.flatnonzero(row == i)[0])
                        for k, i in zip(places, picks, strict=True)
                    },
                )
                for picks in itertools.permutations(order[places].tolist())
            ],
        )
        for row, order, places in found
    )


def _norm(rows: Rows) -> Iterator[Choice] | None:
    flat = rows.x.ravel()
    axis, p = rows.node.params["axis"], rows.node.params.get("p", 2.0)
    if p < 1:
        return None
    return (
        Choice(
            rows.at,
            (at,),
            [Alternative(statements={at: line}) for line in cross(row.tolist(), 1.0)],
            loose=True,
        )
        for at, row in enumerate(rows.reduced(axis))
        if not np.any(flat[row])
    )


def _deviation(rows: Rows) -> Iterator[Choice] | None:
    flat, params = rows.x.ravel(), rows.node.params
    found = rows.reduced(params["axis"])
    count = found.shape[-1] - params["ddof"]
    if count <= 0 or any(np.ptp(flat[row]) for row in found if not np.std(flat[row])):
        return None
    radius = (1 + 2.0**-40) / math.sqrt(count)
    return (
        Choice(
            rows.at,
            (at,),
            [Alternative(statements={at: line}) for line in cross(row.tolist(), radius)],
            loose=True,
        )
        for at, row in enumerate(found)
        if np.ptp(flat[row]) == 0
    )


WHOLE: Final[dict[str, Callable[[Rows], Iterator[Choice] | None]]] = {
    "max": _extreme(largest=True),
    "min": _extreme(largest=False),
    "argmax": _place_of_extreme(largest=True),
    "argmin": _place_of_extreme(largest=False),
    "sort": _sort,
    "argsort": _argsort,
    "euclidean_norm": _norm,
    "power_norm": _norm,
    "std": _deviation,
}
