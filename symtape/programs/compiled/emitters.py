"""How rows are written as NumPy source; those that are not here call the row's own ``evaluate``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.comparison import ALL, ANY
from symtape.primitives.contraction import MATMUL
from symtape.primitives.indexing import GETITEM, SCATTER
from symtape.primitives.primitive import Primitive
from symtape.primitives.reductions import SUM
from symtape.primitives.shape import RESHAPE, TRANSPOSE
from symtape.programs.compiled.loop import loop_of
from symtape.programs.compiled.slices import SUM_OF_SLICES

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
    at = node.params["index"]
    items = at if isinstance(at, tuple) else (at,)
    if not items or any(isinstance(item, np.ndarray | list) for item in items):
        return None
    return f"{{0}}[{index(at, str)}]"


def index(item: Any, array: Callable[[Any], str]) -> str:
    """An index of integers, slices, arrays, None and Ellipsis, as Python writes it.

    Examples
    --------
    >>> index((slice(1, None), None, -1), str), index(..., str), index((2,), str)
    ('1:, None, -1', '...', '2')
    """
    if isinstance(item, tuple):
        if len(item) == 1 and isinstance(item[0], int | np.integer | slice):
            return index(item[0], array)
        inside = ", ".join(index(part, array) for part in item)
        return f"{inside}," if len(item) == 1 else inside or "()"
    if item is Ellipsis:
        return "..."
    if item is None or isinstance(item, bool | np.bool_):
        return repr(None if item is None else bool(item))
    if isinstance(item, int | np.integer):
        return _integer(item)
    if isinstance(item, slice):
        ends = ["" if end is None else _integer(end) for end in (item.start, item.stop)]
        return ":".join(ends if item.step is None else [*ends, _integer(item.step)])
    return array(item)


def _integer(item: Any) -> str:
    """An integer, or the formula by which it is written."""
    return repr(item) if isinstance(item, int) else str(int(item))


def _make_reduction_emitter(function: str) -> Callable[[Node, Values], str | None]:
    """Of an array; NumPy's ``all`` and ``any`` take longer to come to the same call."""

    def write_reduction(node: Node, given: Values) -> str | None:
        if type(given[0]) is not np.ndarray:
            return None
        axis, keepdims = node.params["axis"], node.params["keepdims"]
        return f"np.{function}.reduce({{0}}, {axis!r}, keepdims={keepdims!r})"

    return write_reduction


EMITTERS: Final[dict[Primitive, Callable[[Node, Values], str | None]]] = {
    MATMUL: _dot,
    GETITEM: _item,
    RESHAPE: lambda node, given: f"{{0}}.reshape({node.params['shape']!r})",
    ALL: _make_reduction_emitter("logical_and"),
    ANY: _make_reduction_emitter("logical_or"),
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


AS_UFUNC: Final = frozenset((operator.pow, operator.floordiv, operator.mod))
"""Operators that do for one float what their ufuncs do, but warn and choose in other ways."""


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
