"""Choices that intervals decide all over a box, some of whose ends do not belong to it.

No ball says that x < 1 between 0 and 1 without 1; an interval that is open at 1 does. What is
decided here depends on its arguments by the signs of some differences alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.graph.graph import Node
from symtape.primitives.sorting import SEARCHSORTED
from symtape.primitives.steps import CEIL, FLOOR, RINT, SIGN, TRUNC
from symtape.symbolic.interval import Interval, point
from symtape.symbolic.shadow import Shadow
from verify.oracles.over_region.bounds import Bounds
from verify.oracles.over_region.choices import varying_nodes

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
