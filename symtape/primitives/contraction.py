"""Rows and meanings: products of arrays that sum over a shared axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symtape.primitives.arguments import shape_of
from symtape.primitives.arithmetic import MULTIPLY, rank, to_array
from symtape.primitives.broadcasting import align_batch, sum_to
from symtape.primitives.primitive import Array, Primitive, declare, implements


def _pull_back_left(g: Array, b: Array, a_shape: tuple[int, ...]) -> Array:
    if b.ndim == 2:
        if len(a_shape) <= 2:
            return g @ b.T
        # One product of matrices is faster than a stack of small ones.
        return (g.reshape((math.prod(a_shape[:-1]), b.shape[1])) @ b.T).reshape(a_shape)
    if b.ndim == 1:
        return g * b if len(a_shape) == 1 else g.reshape((*g.shape, 1)) * b
    if len(a_shape) == 1:
        row = g.reshape((*g.shape[:-1], 1, g.shape[-1]))
        return sum_to(row @ b.swapaxes(-1, -2), (1, *a_shape)).reshape(a_shape)
    if len(a_shape) == 2:
        stack = tuple(range(b.ndim - 2))
        return tensordot(g, b, ((*stack, -1), (*stack, -1)))
    return sum_to(g @ b.swapaxes(-1, -2), a_shape)


def _pull_back_right(g: Array, a: Array, b_shape: tuple[int, ...]) -> Array:
    if a.ndim == 2:
        return g @ a if len(b_shape) == 1 else a.T @ g
    if a.ndim == 1:
        if len(b_shape) == 1:
            return g * a
        return g.reshape((*g.shape[:-1], 1, g.shape[-1])) * a.reshape((-1, 1))
    if len(b_shape) <= 2:
        rows = math.prod(a.shape[:-1])
        return a.reshape((rows, a.shape[-1])).T @ g.reshape((rows, *b_shape[1:]))
    return sum_to(a.swapaxes(-1, -2) @ g, b_shape)


def _product(a: Array, b: Array) -> Array:
    # The same BLAS calls; dot is quicker to reach them.
    if type(a) is type(b) is np.ndarray and a.ndim <= 2 and b.ndim <= 2:
        return np.dot(a, b)
    return np.matmul(a, b)


def _matmul_batch(flags: Sequence[bool], args: Sequence[Array], params: Any) -> Array:
    a, b = args
    left, right = flags
    a_rank, b_rank = np.ndim(a) - left, np.ndim(b) - right
    if left and not right and b_rank <= 2:
        if a_rank == 1:
            return a @ b
        rows = a.reshape((math.prod(a.shape[:-1]), a.shape[-1]))
        return (rows @ b).reshape((*a.shape[:-1], *b.shape[1:]))
    if right and not left and a_rank <= 2:
        if b_rank == 1:
            return b @ a.T
        if a_rank == 2 and b_rank == 2:
            size, inner, columns = b.shape
            product = a @ b.swapaxes(0, 1).reshape((inner, size * columns))
            return product.reshape((a.shape[0], size, columns)).swapaxes(0, 1)
    if a_rank == 1:
        a = a.reshape((*a.shape[:-1], 1, a.shape[-1]))
    if b_rank == 1:
        b = b.reshape((*b.shape, 1))
    rank = max(a_rank, b_rank, 2)
    product = align_batch(a, left, rank) @ align_batch(b, right, rank)
    *stack, rows, columns = product.shape
    kept = (() if a_rank == 1 else (rows,)) + (() if b_rank == 1 else (columns,))
    return product.reshape((*stack, *kept))


def _outer_batch(flags: Sequence[bool], args: Sequence[Array], params: Any) -> Array:
    a, b = args
    return MULTIPLY(np.expand_dims(a, -1), np.expand_dims(b, -2))


def _cross_batch(flags: Sequence[bool], args: Sequence[Array], params: Any) -> Array:
    rank = max(np.ndim(arg) - flag for arg, flag in zip(args, flags, strict=True))
    a, b = (align_batch(arg, flag, rank) for arg, flag in zip(args, flags, strict=True))
    return CROSS(a, b)


MATMUL: Primitive = declare(
    ufunc=np.matmul,
    evaluate=_product,
    vjp=[_pull_back_left, _pull_back_right],
    elements=np.matmul,
    operator="@",
    jvp="multilinear",
    batch=_matmul_batch,
    rounding=lambda shapes, params: shapes[0][-1],
    structure="multilinear",
    complex="holomorphic",
    dependence="products",
    source="Giles 2008, Collected matrix derivative results, 2.2.2",
    example=[
        ([[0.5, -1.25], [2.0, 0.75]], [[1.5, 0.25, -0.5], [-0.75, 1.0, 2.0]]),
        ([0.5, -1.25], [1.5, 0.25]),
        ([0.5, -1.25], [[[1.5], [0.25]], [[-0.5], [2.0]]]),
    ],
)
OUTER: Primitive = declare(
    inputs="a b",
    evaluate=np.outer,
    vjp=[lambda g, b: g @ b, lambda g, a: a @ g],
    elements=np.outer,
    jvp="multilinear",
    batch=_outer_batch,
    rounding=(0, 1),
    structure="linear",
    complex="holomorphic",
    dependence="products",
    source="linear in each argument",
    example=([0.5, -1.25], [1.5, 0.25, -0.75]),
)
CROSS: Primitive = declare(
    inputs="a b",
    evaluate=np.cross,
    vjp=[
        lambda g, b, a_shape: sum_to(CROSS(b, g), a_shape),
        lambda g, a, b_shape: sum_to(CROSS(g, a), b_shape),
    ],
    elements=np.cross,
    jvp="multilinear",
    batch=_cross_batch,
    rounding=lambda shapes, params: 2,
    structure="multilinear",
    complex="holomorphic",
    dependence="rows",
    source="the triple product is invariant under cyclic shifts",
    example=([0.5, -1.25, 2.0], [1.5, 0.25, -0.75]),
)


@implements(np.matmul, np.linalg.matmul)
def matmul(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """As ``numpy.matmul``."""
    product = MATMUL(to_array(x1), to_array(x2))
    return product if dtype is None else product.astype(dtype)


@implements(np.dot)
def dot(a: Any, b: Any) -> Any:
    """As ``numpy.dot``."""
    try:
        a_rank, b_rank = a.ndim, b.ndim
    except AttributeError:
        a, b = to_array(a), to_array(b)
        a_rank, b_rank = rank(a), rank(b)
    if not a_rank or not b_rank:
        return MULTIPLY(a, b)
    if b_rank <= 2 or a_rank == 1:
        return MATMUL(a, b)
    return tensordot(a, b, (-1, -2))


@implements(np.vdot)
def vdot(a: Any, b: Any) -> Any:
    """As ``numpy.vdot``."""
    a, b = np.ravel(to_array(a)), np.ravel(to_array(b))
    return MATMUL(conjugate_complex(a), b)


def conjugate_complex(x: Array) -> Array:
    """The conjugate of complex numbers; real ones as they are."""
    return np.conj(x) if x.dtype.kind == "c" else x


@implements(np.inner)
def inner(a: Any, b: Any) -> Any:
    """As ``numpy.inner``."""
    a, b = to_array(a), to_array(b)
    a_rank, b_rank = rank(a), rank(b)
    if not a_rank or not b_rank:
        return MULTIPLY(a, b)
    if b_rank == 1:
        return MATMUL(a, b)
    return MATMUL(a, b.T) if b_rank == 2 else tensordot(a, b, (-1, -1))


@implements(np.outer)
def outer(a: Any, b: Any) -> Any:
    """As ``numpy.outer``."""
    return OUTER(*(x if np.ndim(x) == 1 else np.ravel(x) for x in (to_array(a), to_array(b))))


@implements(np.linalg.outer)
def outer_of_vectors(x1: Any, x2: Any, /) -> Any:
    """As ``numpy.linalg.outer``."""
    x1, x2 = to_array(x1), to_array(x2)
    if np.ndim(x1) != 1 or np.ndim(x2) != 1:
        raise ValueError(
            "np.linalg.outer takes two vectors; got shapes "
            f"{np.shape(x1)} and {np.shape(x2)}; np.outer ravels arrays first"
        )
    return outer(x1, x2)


@implements(np.tensordot, np.linalg.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """As ``numpy.tensordot``."""
    a, b = to_array(a), to_array(b)
    a_shape, b_shape = shape_of(a), shape_of(b)
    left, right = _find_contracted_axes(axes, len(a_shape), len(b_shape))
    lengths = [a_shape[i] for i in left]
    if lengths != [b_shape[i] for i in right]:
        raise ValueError(
            f"tensordot sums over axes {left} of shape {a_shape} and {right} of shape {b_shape}, "
            "whose lengths differ; pair axes of equal length"
        )
    a_kept = [i for i in range(len(a_shape)) if i not in left]
    b_kept = [i for i in range(len(b_shape)) if i not in right]
    a_rest, b_rest = [a_shape[i] for i in a_kept], [b_shape[i] for i in b_kept]
    size = math.prod(lengths)
    rows = _arrange_axes(a, [*a_kept, *left], (math.prod(a_rest), size))
    columns = _arrange_axes(b, [*right, *b_kept], (size, math.prod(b_rest)))
    product, shape = MATMUL(rows, columns), (*a_rest, *b_rest)
    return product if shape_of(product) == shape else product.reshape(shape)


def _find_contracted_axes(axes: Any, a_rank: int, b_rank: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, int | np.integer):
        count = int(axes)
        return list(range(a_rank - count, a_rank)), list(range(count))
    left, right = ([axis] if isinstance(axis, int | np.integer) else list(axis) for axis in axes)
    if len(left) != len(right):
        raise ValueError(
            f"tensordot: axes={axes!r} names {len(left)} axes of the first argument and "
            f"{len(right)} of the second; expected as many of each"
        )
    return [int(i) % a_rank for i in left], [int(i) % b_rank for i in right]


def _arrange_axes(x: Array, order: list[int], shape: tuple[int, int]) -> Array:
    if order != sorted(order):
        x = x.transpose(order)
    return x if shape_of(x) == shape else x.reshape(shape)


@implements(np.kron)
def kron(a: Any, b: Any) -> Any:
    """As ``numpy.kron``."""
    a, b = to_array(a), to_array(b)
    rank = max(np.ndim(a), np.ndim(b))
    a_shape = (1,) * (rank - np.ndim(a)) + np.shape(a)
    b_shape = (1,) * (rank - np.ndim(b)) + np.shape(b)
    spread = np.reshape(a, [n for length in a_shape for n in (length, 1)])
    packed = np.reshape(b, [n for length in b_shape for n in (1, length)])
    shape = [n * m for n, m in zip(a_shape, b_shape, strict=True)]
    return np.reshape(MULTIPLY(spread, packed), shape)


@implements(np.cross)
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """As ``numpy.cross``."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(to_array(a), axisa, -1), np.moveaxis(to_array(b), axisb, -1)
    lengths = (a.shape[-1], b.shape[-1])
    if lengths == (2, 2):
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if not {2, 3}.issuperset(lengths):
        raise ValueError(f"cross takes vectors of length 2 or 3; got lengths {lengths}")
    product = CROSS(_extend_to_three_entries(a), _extend_to_three_entries(b))
    return product if axisc == -1 else np.moveaxis(product, -1, axisc)


def _extend_to_three_entries(x: Array) -> Array:
    if x.shape[-1] == 3:
        return x
    return np.concatenate([x, np.zeros((*x.shape[:-1], 1), x.dtype)], axis=-1)


@implements(np.linalg.cross)
def cross_of_three(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """As ``numpy.linalg.cross``."""
    x1, x2 = to_array(x1), to_array(x2)
    lengths = (x1.shape[axis], x2.shape[axis])
    if lengths != (3, 3):
        raise ValueError(f"np.linalg.cross takes vectors of length 3; got lengths {lengths}")
    return cross(x1, x2, axis=axis)


@implements(np.vecdot, np.linalg.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """As ``numpy.vecdot``."""
    x1, x2 = to_array(x1), to_array(x2)
    if axis != -1:
        x1, x2 = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    x1 = conjugate_complex(x1)
    if x1.ndim == x2.ndim == 1:
        return MATMUL(x1, x2)
    product = MATMUL(np.expand_dims(x1, -2), np.expand_dims(x2, -1))
    return product.reshape(product.shape[:-2])


@implements("matvec")
def matvec(x1: Any, x2: Any, /) -> Any:
    """As ``numpy.matvec``."""
    product = MATMUL(to_array(x1), np.expand_dims(to_array(x2), -1))
    return product.reshape(product.shape[:-1])


@implements("vecmat")
def vecmat(x1: Any, x2: Any, /) -> Any:
    """As ``numpy.vecmat``."""
    product = MATMUL(np.expand_dims(conjugate_complex(to_array(x1)), -2), to_array(x2))
    return product.reshape((*product.shape[:-2], product.shape[-1]))


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Sequence[Any]) -> Any:
    """As ``numpy.linalg.multi_dot``: the order of products that needs fewest operations."""
    factors = [to_array(array) for array in arrays]
    if len(factors) < 2:
        raise ValueError(f"multi_dot takes at least two arrays; got {len(factors)}")
    first, last = factors[0].ndim == 1, factors[-1].ndim == 1
    if first:
        factors[0] = factors[0].reshape((1, -1))
    if last:
        factors[-1] = factors[-1].reshape((-1, 1))
    product = _multiply_by_split(factors, _splits(factors), 0, len(factors) - 1)
    shape = product.shape[first : 2 - last]
    return product if len(shape) == 2 else product.reshape(shape)


def _splits(factors: list[Array]) -> Mapping[tuple[int, int], int]:
    """Where to split each run of factors: Cormen et al., Introduction to Algorithms, 15.2."""
    sides = [factor.shape[0] for factor in factors] + [factors[-1].shape[1]]
    cost = {(i, i): 0 for i in range(len(factors))}
    split: dict[tuple[int, int], int] = {}
    for width in range(1, len(factors)):
        for i in range(len(factors) - width):
            j = i + width
            prices = {
                k: cost[i, k] + cost[k + 1, j] + sides[i] * sides[k + 1] * sides[j + 1]
                for k in range(i, j)
            }
            split[i, j] = min(prices, key=lambda k: prices[k])
            cost[i, j] = prices[split[i, j]]
    return split


def _multiply_by_split(
    factors: list[Array], split: Mapping[tuple[int, int], int], i: int, j: int
) -> Array:
    if i == j:
        return factors[i]
    k = split[i, j]
    return MATMUL(
        _multiply_by_split(factors, split, i, k), _multiply_by_split(factors, split, k + 1, j)
    )
