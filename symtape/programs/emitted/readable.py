"""Passes for people: what nobody would write is written shorter, the same within rounding.

Constant arrays as what makes them: ones, full of a number, triangles, identities.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.arithmetic import ADD, DIVIDE, MULTIPLY, NEGATIVE
from symtape.primitives.choice import WHERE
from symtape.primitives.comparison import BITWISE_AND, LOGICAL_AND
from symtape.primitives.contraction import MATMUL
from symtape.primitives.diagonals import TRIL, TRIU
from symtape.primitives.indexing import SCATTER
from symtape.primitives.primitive import Primitive
from symtape.primitives.reductions import SUM
from symtape.primitives.shape import BROADCAST_TO, RESHAPE, TRANSPOSE
from symtape.programs.compiled.passes import PASSES, Pass
from symtape.programs.compiled.rewriting import Builder, applies_to, rewritten
from symtape.programs.emitted.arrays import is_ufunc


def generate_constants(graph: Graph) -> Graph:
    """`graph` with operations for constant arrays of few numbers in a pattern."""
    return rewritten(graph, (), _generate_constant)


def _generate_constant(build: Builder, node: Node) -> int:
    array = np.asarray(node.constant)
    at = build.add_constant(node.constant)
    if not array.shape or array.dtype.kind != "f" or array.size < 2 or is_identity(array):
        return at
    if build.uniform(at) is not None:
        return _full(build, array.flat[0], node)
    parts = _triangles(array)
    if parts is None:
        return at
    found: int | None = None
    for part in _terms(build, parts, node):
        found = part if found is None else build.apply(ADD, (found, part), {}, node)
    return at if found is None else found


def _full(build: Builder, number: Any, like: Node) -> int:
    return build.apply(BROADCAST_TO, (build.add_constant(number),), {"shape": like.shape}, like)


def _triangles(array: Any) -> tuple[float, float, float] | None:
    """The numbers below, on and above the diagonal of a matrix that has no others."""
    if array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) < 3:
        return None
    below, on, above = float(array[1, 0]), float(array[0, 0]), float(array[0, 1])
    n = len(array)
    made = below * np.tri(n, n, -1) + on * np.eye(n) + above * np.tri(n, n, -1).T
    return (below, on, above) if np.array_equal(made, array) else None


def _terms(build: Builder, parts: tuple[float, float, float], like: Node) -> list[int]:
    below, on, above = parts
    terms = []
    for number, row, k in ((below, TRIL, -1), (above, TRIU, 1)):
        if number:
            whole = on == number
            terms.append(_triangle(build, number, row, 0 if whole else k, like))
            on = 0.0 if whole else on
    if on:
        diagonal = build.add_constant(np.eye(like.shape[0], dtype=like.dtype))
        terms.append(_times(build, on, diagonal, like))
    return terms


def _triangle(build: Builder, number: float, row: Primitive, k: int, like: Node) -> int:
    ones = _full(build, like.dtype.type(1), like)
    return _times(build, number, build.apply(row, (ones,), {"k": k}, like), like)


def _times(build: Builder, number: float, at: int, like: Node) -> int:
    if number == 1:
        return at
    return build.apply(MULTIPLY, (build.add_constant(like.dtype.type(number)), at), {}, like)


def drop_identity(build: Builder, node: Node) -> int | None:
    """``x`` for ``I @ x`` and ``x @ I``. They differ where an element is not finite."""
    if node.row is not MATMUL:
        return None
    a, b = node.inputs
    for x, other in ((a, b), (b, a)):
        given, one = build.nodes[x], build.nodes[other].constant
        if given.shape == node.shape and given.dtype == node.dtype and is_identity(one):
            return x
    return None


def is_identity(array: Any) -> bool:
    """Whether a constant is an identity matrix of two rows and more."""
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind != "f":
        return False
    return len(array) > 1 and bool(np.array_equal(array, np.eye(len(array))))


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
    *PASSES,
    Pass("drop identities", drop_identity),
    Pass("numbers for arrays", numbers_for_arrays),
    Pass("choice made", choice_made),
    Pass("gather factors", gather_factors),
    Pass("scale afterwards", scale_afterwards),
    Pass("divide once", divide_once),
    Pass("transpose factors", transpose_factors),
    Pass("put as it is", put_as_it_is),
)
"""The passes of programs for people; values are the same within rounding."""
