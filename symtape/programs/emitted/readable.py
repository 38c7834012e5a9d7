"""Passes for people: what nobody would write is written shorter, the same within rounding."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.arithmetic import ADD, DIVIDE, MULTIPLY, NEGATIVE
from symtape.primitives.choice import WHERE
from symtape.primitives.comparison import BITWISE_AND, LOGICAL_AND
from symtape.primitives.contraction import MATMUL
from symtape.primitives.indexing import SCATTER
from symtape.primitives.reductions import SUM
from symtape.primitives.shape import RESHAPE, TRANSPOSE
from symtape.programs.compiled.passes import PASSES, Pass
from symtape.programs.compiled.rewriting import Builder, applies_to
from symtape.programs.emitted.arrays import is_ufunc
from symtape.programs.emitted.generated import drop_identity


@applies_to(MULTIPLY, DIVIDE)
def gather_factors(build: Builder, node: Node) -> int | None:
    """``200 * x`` for ``100 * (2 * x)``, where a factor is a power of two, so that it is exact."""
    if node.dtype.kind != "f" or node.params:
        return None
    (a, x), (b, y) = (_factor(build, at) for at in node.inputs)
    divides = node.row is DIVIDE
    if a == 1 or b == 1 or not (_is_binary(a) or _is_binary(b)):
        return None
    if (x is None and y is None) or (divides and y is None and not _is_binary(b)):
        return None
    factor = a / b if divides else a * b
    if not math.isfinite(factor) or factor == 0:
        return None
    return _scale_product(build, node, factor, x, y)


def _scale_product(
    build: Builder, node: Node, factor: float, x: int | None, y: int | None
) -> int | None:
    """``factor * x * y``, or ``factor * x / y``."""
    if node.row is DIVIDE and x is None:
        number = build.add_constant(node.dtype.type(factor))
        return build.apply(DIVIDE, (number, y or 0), {}, node)
    if x is None or y is None:
        found = y if x is None else x
    else:
        shape = np.broadcast_shapes(build.nodes[x].shape, build.nodes[y].shape)
        found = build.add(Node(node.row, (x, y), {}, shape, node.dtype, node.origin))
    if found is None or build.nodes[found].shape != node.shape:
        return None
    if factor == 1:
        return found
    if factor == -1:
        return build.apply(NEGATIVE, (found,), {}, node)
    number = build.add_constant(node.dtype.type(factor))
    return build.apply(MULTIPLY, (number, found), {}, node)


def _factor(build: Builder, at: int) -> tuple[float, int | None]:
    """A number, and what it multiplies; None where it is the number alone."""
    node = build.nodes[at]
    number = _number(node)
    if number is not None:
        return number, None
    if node.primitive is NEGATIVE:
        factor, rest = _factor(build, node.inputs[0])
        return -factor, rest
    if node.primitive is ADD and len(set(node.inputs)) == 1:
        return 2.0, node.inputs[0]
    if node.primitive is MULTIPLY:
        for one, other in (node.inputs, node.inputs[::-1]):
            number = _number(build.nodes[one])
            if number is not None and build.nodes[other].shape == node.shape:
                return number, other
    return 1.0, at


def _number(node: Node) -> float | None:
    if node.constant is None or node.shape or node.dtype.kind not in "fiu":
        return None
    return float(node.constant)


def _is_binary(x: float) -> bool:
    return x != 0 and math.isfinite(x) and abs(math.frexp(x)[0]) == 0.5


@applies_to(RESHAPE, SUM)
def scale_afterwards(build: Builder, node: Node) -> int | None:
    """``-np.sum(x)`` for ``np.sum(-x)``; exact, since the factor is a power of two."""
    factor, x = _factor(build, node.inputs[0])
    if x is None or factor == 1 or not _is_binary(factor) or node.dtype.kind != "f":
        return None
    moved = build.apply(node.row, (x,), node.params, node)
    if factor == -1:
        return build.apply(NEGATIVE, (moved,), {}, node)
    return build.apply(MULTIPLY, (build.add_constant(node.dtype.type(factor)), moved), {}, node)


@applies_to(MULTIPLY)
def divide_once(build: Builder, node: Node) -> int | None:
    """``b / a`` for ``1 / a * b``."""
    for one, other in (node.inputs, node.inputs[::-1]):
        inverse = build.nodes[one]
        if inverse.primitive is not DIVIDE or inverse.dtype != node.dtype:
            continue
        if _number(build.nodes[inverse.inputs[0]]) == 1:
            return build.apply(DIVIDE, (other, inverse.inputs[1]), {}, node)
    return None


@applies_to(TRANSPOSE)
def transpose_factors(build: Builder, node: Node) -> int | None:
    """``b.T @ a`` for ``(a.T @ b).T``."""
    product = build.nodes[node.inputs[0]]
    if product.primitive is not MATMUL or len(product.shape) != 2:
        return None
    a, b = product.inputs
    given = [build.nodes[a], build.nodes[b]]
    if any(len(one.shape) != 2 for one in given):
        return None
    if all(one.primitive is not TRANSPOSE for one in given):
        return None
    turned = [
        build.add(Node(TRANSPOSE, (at,), {"axes": (1, 0)}, one.shape[::-1], one.dtype, node.origin))
        for at, one in zip((a, b), given, strict=True)
    ]
    return build.apply(MATMUL, turned[::-1], {}, node)


@applies_to(SCATTER)
def put_as_it_is(build: Builder, node: Node) -> int | None:
    """What is put into all places of zeros, in their order."""
    index = node.params["index"]
    items = index if isinstance(index, tuple) else (index,)
    if node.params.get("based", False) or not all(_is_whole(item) for item in items):
        return None
    if math.prod(build.nodes[node.inputs[0]].shape) != math.prod(node.shape):
        return None
    return build.apply(RESHAPE, node.inputs[:1], {"shape": node.shape}, node)


def _is_whole(item: Any) -> bool:
    return item is None or item is Ellipsis or (isinstance(item, slice) and item == slice(None))


def numbers_for_arrays(build: Builder, node: Node) -> int | None:
    """A number for an array that is full of it, where elements are computed with one of all places.

    Examples
    --------
    ``np.where(a, 1.0, 0.0)`` for ``np.where(a, np.ones(3), 0.0)``.
    """
    elements = is_ufunc(node) or node.name == "where"
    if not elements or not node.shape or node.part is not None:
        return None
    for k, at in enumerate(node.inputs):
        array = build.nodes[at].constant
        if array is None or not build.nodes[at].shape or build.nodes[at].dtype.kind != "f":
            continue
        others = [build.nodes[i].shape for j, i in enumerate(node.inputs) if j != k]
        if build.uniform(at) is None or np.broadcast_shapes(*others) != node.shape:
            continue
        number = build.add_constant(np.asarray(array).flat[0])
        inputs = (*node.inputs[:k], number, *node.inputs[k + 1 :])
        return build.apply(node.row, inputs, node.params, node)
    return None


@applies_to(WHERE)
def choice_made(build: Builder, node: Node) -> int | None:
    """What is chosen everywhere, by a condition that constants decide: ``b`` for ``a & False``."""
    condition, *_, other = node.inputs
    chosen = build.nodes[other]
    if chosen.shape != node.shape or chosen.dtype != node.dtype:
        return None
    return other if _is_never(build, condition) else None


def _is_never(build: Builder, at: int) -> bool:
    node = build.nodes[at]
    if node.constant is not None:
        return not np.any(node.constant)
    return node.primitive in (LOGICAL_AND, BITWISE_AND) and any(
        _is_never(build, one) for one in node.inputs
    )


READABLE: Final = (
    *(one for one in PASSES if one.exact),
    Pass("drop identities", drop_identity, exact=False),
    Pass("numbers for arrays", numbers_for_arrays),
    Pass("choice made", choice_made),
    Pass("gather factors", gather_factors, exact=False),
    Pass("scale afterwards", scale_afterwards),
    Pass("divide once", divide_once, exact=False),
    Pass("transpose factors", transpose_factors, exact=False),
    Pass("put as it is", put_as_it_is),
)
"""The passes of programs for people."""
