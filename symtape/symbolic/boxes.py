"""Regions that a row declares in words, as boxes: ``"x > 0"``, ``"a > 0 or a < 0"``."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from flint import arb, fmpq

from symtape.symbolic.interval import EVERYTHING, Interval

Box = Mapping[str, Interval]
"""An interval for each name that is bounded; ``"b - a"`` is the name of a difference."""

_FORM: Final = (
    "expected comparisons of a name with numbers, or with a name, joined by 'and' and 'or', such "
    "as 'x > 0', 'a < b' or '-1 < x < 1 and n > 0'"
)


@functools.cache  # of texts in rows
def boxes(over: str) -> tuple[Box, ...]:
    """The boxes whose union `over` describes; one without bounds for an empty text.

    Raises
    ------
    ValueError
        `over` is not of that form.

    Examples
    --------
    >>> [sorted(box) for box in boxes("a > 0 and 0 < b < 1 or a < 0")]
    [['a', 'b'], ['a']]
    """
    if not over:
        return ({},)
    try:
        tree = ast.parse(over, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"over={over!r}: {_FORM}") from error
    return tuple(_boxes(tree, over))


def _boxes(tree: ast.expr, over: str) -> list[Box]:
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or):
        return [box for part in tree.values for box in _boxes(part, over)]
    if isinstance(tree, ast.BoolOp):
        parts = [_boxes(part, over) for part in tree.values]
        return [functools.reduce(_intersect_boxes, choice) for choice in itertools.product(*parts)]
    if not isinstance(tree, ast.Compare):
        raise ValueError(f"over={over!r}: {_FORM}")
    terms = [tree.left, *tree.comparators]
    found: list[Box] = [{}]
    for left, op, right in zip(terms, tree.ops, terms[1:], strict=False):
        found = [_intersect_boxes(a, b) for a in found for b in _comparison(left, op, right, over)]
    return found


def _comparison(left: ast.expr, op: ast.cmpop, right: ast.expr, over: str) -> list[Box]:
    if isinstance(right, ast.Name) and isinstance(left, ast.Name):
        gap = f"{right.id} - {left.id}"
        above = Interval(arb(0), EVERYTHING.high, not isinstance(op, ast.LtE), True)
        below = Interval(EVERYTHING.low, arb(0), True, not isinstance(op, ast.GtE))
        sides = {ast.Lt: [above], ast.LtE: [above], ast.Gt: [below], ast.GtE: [below]}
        return [{gap: side} for side in sides.get(type(op), [above, below])]
    if isinstance(right, ast.Name):
        turned = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
        left, op, right = right, turned.get(type(op), type(op))(), left
    if not isinstance(left, ast.Name):
        raise ValueError(f"over={over!r}: {_FORM}")
    try:
        number = ast.literal_eval(right)
        value = arb(fmpq(*number.as_integer_ratio()))
    except (ValueError, AttributeError) as error:
        raise ValueError(f"over={over!r}: {_FORM}") from error
    below = Interval(EVERYTHING.low, value, True, isinstance(op, ast.Lt | ast.NotEq))
    above = Interval(value, EVERYTHING.high, isinstance(op, ast.Gt | ast.NotEq), True)
    if isinstance(op, ast.NotEq):
        return [{left.id: below}, {left.id: above}]
    if isinstance(op, ast.Lt | ast.LtE):
        return [{left.id: below}]
    if isinstance(op, ast.Gt | ast.GtE):
        return [{left.id: above}]
    raise ValueError(f"over={over!r}: {_FORM}")


def _intersect_boxes(a: Box, b: Box) -> Box:
    """The intersection."""
    met = dict(a)
    for name, interval in b.items():
        met[name] = _meet(met[name], interval) if name in met else interval
    return met


def _meet(a: Interval, b: Interval) -> Interval:
    low = max((a.low, a.low_open), (b.low, b.low_open), key=lambda end: (float(end[0]), end[1]))
    high = min(
        (a.high, a.high_open), (b.high, b.high_open), key=lambda end: (float(end[0]), not end[1])
    )
    return Interval(low[0], high[0], low[1], high[1])


def lie_inside(over: str, names: Sequence[str], values: Sequence[Any]) -> Any:
    """Where `values`, arrays of the inputs called `names`, lie in the region; a bool array.

    Examples
    --------
    >>> lie_inside("x > 0", ["x"], [np.array([-1.0, 0.0, 2.0])])
    array([False, False,  True])
    """
    shape = np.broadcast_shapes(*(np.shape(value) for value in values))
    found = np.zeros(shape, dtype=bool)
    given = dict(zip(names, values, strict=True))
    for box in boxes(over):
        within = np.ones(shape, dtype=bool)
        for name, interval in box.items():
            more, _, less = name.partition(" - ")
            value = np.asarray(given[more])
            within = within & _lie_in_interval(interval, value - given[less] if less else value)
        found = found | within
    return found


def _lie_in_interval(interval: Interval, x: Any) -> Any:
    low, high = float(interval.low), float(interval.high)
    above = x > low if interval.low_open else x >= low
    below = x < high if interval.high_open else x <= high
    return above & below
