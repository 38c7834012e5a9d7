"""Rules: what moves elements and computes nothing is done once, late and on little."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node, replace_inputs
from symtape.primitives.arithmetic import ADD, DIVIDE, MULTIPLY, NEGATIVE, SQUARE, SUBTRACT
from symtape.primitives.contraction import MATMUL
from symtape.primitives.indexing import GETITEM
from symtape.primitives.joining import STACK_UP
from symtape.primitives.reductions import SUM
from symtape.primitives.shape import BROADCAST_TO, RESHAPE, TRANSPOSE
from symtape.programs.compiled.rewriting import Builder, applies_to

_EXACT: Final = frozenset((ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATIVE, SQUARE))
"""Rounded as IEEE 754 says, so that an element is the same in an array and alone."""


@applies_to(TRANSPOSE, RESHAPE, BROADCAST_TO, GETITEM)
def join_moves(build: Builder, node: Node) -> int | None:
    """One transpose for two, one reshape for two, one broadcast for two; none for none."""
    row = node.row
    (at,) = node.inputs
    before = build.nodes[at]
    if row is GETITEM:
        index = node.params["index"]
        skips = type(index) is tuple and any(item is Ellipsis for item in index)
        if skips and not node.shape:
            return _take_number(build, node, [item for item in index if item is not Ellipsis])
        return at if skips and len(index) == 1 else None
    if row is TRANSPOSE:
        axes = node.params["axes"]
        if tuple(axes) == tuple(range(len(axes))):
            return at
        if before.primitive is TRANSPOSE:
            inner = before.params["axes"]
            both = tuple(inner[k] for k in axes)
            return build.apply(TRANSPOSE, before.inputs, {"axes": both}, node)
        return None
    if before.shape == node.shape:
        return at
    if before.primitive is row:
        return build.apply(row, before.inputs, {"shape": node.shape}, node)
    if row is RESHAPE and before.primitive is BROADCAST_TO:
        return _reshape_of_number(build, node, before)
    if row is RESHAPE and before.primitive is SUM and before.params["keepdims"]:
        return _sum_without_axes(build, node, before)
    return _reshape_one_element(build, node, before) if row is RESHAPE else None


def _take_number(build: Builder, node: Node, index: list[Any]) -> int | None:
    """An element as a number of NumPy's, where by an ellipsis it is an array without axes."""
    if not index or any(type(item) is not int for item in index):
        return None
    return build.apply(GETITEM, node.inputs, {"index": tuple(index)}, node)


def _reshape_one_element(build: Builder, node: Node, before: Node) -> int | None:
    """The only element of an array as a number of NumPy's; the array itself for that in an array.

    A reshape to no axes is an array still, which no loop reads.
    """
    if before.shape and not node.shape:
        return build.apply(GETITEM, node.inputs, {"index": (0,) * len(before.shape)}, node)
    if before.primitive is GETITEM and math.prod(build.nodes[before.inputs[0]].shape) == 1:
        return build.apply(RESHAPE, before.inputs, {"shape": node.shape}, node)
    return None


def _reshape_of_number(build: Builder, node: Node, before: Node) -> int | None:
    """A number that is broadcast to an array, and reshaped, is broadcast to another."""
    (source,) = before.inputs
    if build.nodes[source].shape:
        return None
    return build.apply(BROADCAST_TO, (source,), {"shape": node.shape}, node)


def _sum_without_axes(build: Builder, node: Node, before: Node) -> int | None:
    axis = before.params["axis"]
    reduced = range(len(before.shape)) if axis is None else axis
    kept = tuple(n for k, n in enumerate(before.shape) if k not in reduced)
    if kept != node.shape or (isinstance(axis, tuple) and min(axis, default=0) < 0):
        return None
    return build.apply(SUM, before.inputs, {**before.params, "keepdims": False}, node)


@applies_to(STACK_UP, of=(None,))
def stack_floats(build: Builder, node: Node) -> int | None:
    """Known numbers among others in an array as floats, as they are in it."""
    if node.dtype != np.float64:
        return None
    inputs = tuple([_find_float(build, i) for i in node.inputs])
    return None if inputs == node.inputs else build.add(replace_inputs(node, inputs))


def _find_float(build: Builder, at: int) -> int:
    """A number that is known, in an array without axes or of integers, as one of NumPy's floats."""
    number = build.nodes[at].constant
    if number is None or np.ndim(number) or type(number) is np.float64:
        return at
    is_float = np.asarray(number).dtype.kind in "iuf"
    return build.add_constant(np.float64(number)) if is_float else at


@applies_to(*_EXACT, of=(BROADCAST_TO, None))
def broadcast_late(build: Builder, node: Node) -> int | None:
    """Arithmetic on what is yet to be broadcast, where it was on what has been."""
    if not node.shape:
        return None
    inputs = tuple([_find_broadcast_source(build, i) for i in node.inputs])
    if inputs == node.inputs:
        return None
    shape = np.broadcast_shapes(*(build.nodes[i].shape for i in inputs))
    small = Node(node.row, inputs, node.params, shape, node.dtype, node.origin)
    found = build.add(small)
    if shape == node.shape:
        return found
    return build.apply(BROADCAST_TO, (found,), {"shape": node.shape}, node)


def _find_broadcast_source(build: Builder, at: int) -> int:
    """What an input is a broadcast of: of a constant array, the number that is all over it."""
    given = build.nodes[at]
    if given.primitive is BROADCAST_TO:
        source = build.nodes[given.inputs[0]]
        return given.inputs[0] if source.dtype == given.dtype else at
    array = given.constant
    if not isinstance(array, np.ndarray) or array.size < 2 or array.dtype.kind != "f":
        return at
    return at if build.uniform(at) is None else build.add_constant(array.flat[0])


@applies_to(MATMUL, of=(None,))
def choose_rows(build: Builder, node: Node) -> int | None:
    """Rows of a matrix for its product with rows of the unit matrix, as seeds of Jacobians are.

    What is not finite stays in its row: zero times infinity has no part in it.
    """
    a, b = (build.nodes[i] for i in node.inputs)
    units = a.constant
    if not isinstance(units, np.ndarray) or len(a.shape) != 2 or len(b.shape) != 2:
        return None
    if not units.size or b.dtype != node.dtype:
        return None
    rows = units.argmax(axis=1)
    if not np.array_equal(units, np.eye(a.shape[1])[rows]):
        return None
    return build.apply(GETITEM, (node.inputs[1],), {"index": rows}, node)
