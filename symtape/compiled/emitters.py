"""How rows are written as NumPy source; those that are not here call the row's own ``evaluate``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from symtape.compiled.loop import loop_of
from symtape.compiled.slices import SUM_OF_SLICES
from symtape.graph.graph import Node
from symtape.primitives.contraction import MATMUL
from symtape.primitives.indexing import GETITEM, SCATTER
from symtape.primitives.primitive import Primitive
from symtape.primitives.reductions import SUM
from symtape.primitives.shape import RESHAPE, TRANSPOSE

Values = list[Any]
"""What the arguments were where the program was recorded."""

OPERATORS: Final[Mapping[Any, str]] = {
    operator.add: "{0} + {1}",
    operator.sub: "{0} - {1}",
    operator.mul: "{0} * {1}",
    operator.truediv: "{0} / {1}",
    operator.neg: "-{0}",
    operator.pos: "+{0}",
    operator.abs: "abs({0})",
}


def _dot(node: Node, given: Values) -> str:
    plain = all(type(x) is np.ndarray and x.ndim <= 2 for x in given)
    return "np.dot({0}, {1})" if plain else "np.matmul({0}, {1})"


def _item(node: Node, given: Values) -> str | None:
    index = node.params["index"]
    items = index if type(index) is tuple else (index,)
    written = [_written(item) for item in items]
    if not items or None in written:
        return None
    return "{0}[" + ", ".join(map(str, written)) + ("," if type(index) is tuple else "") + "]"


def _written(item: Any) -> str | None:
    if type(item) is int:
        return str(item)
    if item is Ellipsis:
        return "..."
    if type(item) is slice and all(
        end is None or type(end) is int for end in (item.start, item.stop, item.step)
    ):
        ends = ["" if end is None else str(end) for end in (item.start, item.stop)]
        return ":".join(ends if item.step is None else [*ends, str(item.step)])
    return None


EMITTERS: Final[dict[Primitive, Callable[[Node, Values], str | None]]] = {
    MATMUL: _dot,
    GETITEM: _item,
    RESHAPE: lambda node, given: f"{{0}}.reshape({node.params['shape']!r})",
    TRANSPOSE: lambda node, given: f"{{0}}.transpose({node.params['axes']!r})",
    SUM: lambda node, given: (
        f"np.add.reduce({{0}}, {node.params['axis']!r}, keepdims={node.params['keepdims']!r})"
    ),
}
"""The expression of a row, with its arguments in braces by number; None to call ``evaluate``."""

FRESH: Final = frozenset((MATMUL, SUM, SCATTER, SUM_OF_SLICES))
"""Rows beside ufuncs whose result never lies in the memory of an argument."""


def function_of(row: Primitive) -> np.ufunc | None:
    """The ufunc that computes exactly what a row does; None where there is none."""
    if isinstance(row.evaluate, np.ufunc):
        return row.evaluate
    return row.ufunc if row.evaluate in OPERATORS else None


def is_fresh(node: Node) -> bool:
    """Whether the result never lies in the memory of an argument."""
    return function_of(node.row) is not None or node.row in FRESH or loop_of(node) is not None


def takes_out(node: Node) -> bool:
    """Whether it can be written into an array that is there."""
    if loop_of(node):
        return True
    if node.part is not None or node.params:
        return False
    return function_of(node.row) is not None
