"""Arrays of sets of indices: for each element, of which elements of a result it is a part.

An array says of each element where its set is in a table, so that what moves elements moves
numbers and makes no sets. Rules of derivatives run on these arrays as they run on cotangents; each
primitive that they use says here how its result depends on its arguments. What nothing is said of
depends on everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, ClassVar, Final

import numpy as np

from symtape.primitives.arithmetic import MULTIPLY
from symtape.primitives.broadcasting import sum_to
from symtape.primitives.cumulative import CUMSUM
from symtape.primitives.indexing import _fill_index
from symtape.primitives.primitive import Array, Params, Primitive
from symtape.primitives.protocol import ArrayStandIn
from symtape.transforms.sparsity.probing import dependences_by_axes
from symtape.transforms.sparsity.tables import Table, distinct, singles

MOST: Final = 2**25
"""Members of all sets of an array, above which each element has the union of all of them."""


class IndexSets(ArrayStandIn):
    """An array of sets of indices, those of ``table`` that ``places`` says.

    Examples
    --------
    >>> both = IndexSets.units((2,), 2).sum()
    >>> [part.tolist() for part in both.members()]
    [[0, 0], [0, 1]]
    """

    __slots__ = ("places", "table")
    _apply_rank: ClassVar[int] = 3

    def __init__(self, table: Any, places: Array) -> None:
        self.table: Table = table
        self.places = places

    @classmethod
    def units(cls, shape: tuple[int, ...], widest: int) -> IndexSets:
        """In element k the set of k alone; `widest` is the size of the largest array to come."""
        size = prod(shape)
        return cls(singles(size, widest), np.arange(1, size + 1).reshape(shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        found: tuple[int, ...] = self.places.shape
        return found

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the cotangents that it stands for, or one alike."""
        return np.dtype(np.float64)

    def astype(self, dtype: Any) -> IndexSets:
        """The same sets."""
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("sets of indices have no plain value; this is a defect of symtape")

    def __repr__(self) -> str:
        return f"IndexSets(shape={self.shape})"

    def members(self) -> tuple[Array, Array]:
        """The elements, taken flat, and the indices in their sets: one of each for each member."""
        return self.table.members(self.places.ravel())

    def to_shape(self, shape: tuple[int, ...]) -> IndexSets:
        """Brought back to `shape`, which was broadcast to that of this array."""
        found = self if self.shape == shape else sum_to(self, shape)
        assert isinstance(found, IndexSets)
        return found

    def none(self, shape: tuple[int, ...]) -> IndexSets:
        """An array of empty sets."""
        return IndexSets(self.table, np.zeros(shape, np.int64))

    def __or__(self, other: Any) -> IndexSets:
        """The union, element by element, of arrays of one shape."""
        if self.table is other.table and np.array_equal(self.places, other.places):
            return self
        rows, others = self.places.ravel(), other.places.ravel()
        if self.table.total(rows) + other.table.total(others) > MOST:
            return everywhere([self, other], self.shape)
        found = self.table.union(rows, other.table, others)
        return IndexSets(found, np.arange(1, self.size + 1).reshape(self.shape))

    def unite_groups(self, groups: Array, shape: tuple[int, ...]) -> IndexSets:
        """An array of unions: of element k the sets whose place in `groups`, as flat, is k."""
        rows, groups = self.places.ravel(), groups.ravel()
        if self.size > len(self.table):
            # Many elements have one set, as those of what was broadcast.
            groups, rows = np.divmod(distinct(groups * len(self.table) + rows), len(self.table))
        if self.table.total(rows) > MOST:
            return everywhere([self], shape)
        found = self.table.unite_groups(rows, groups, prod(shape))
        return IndexSets(found, np.arange(1, prod(shape) + 1).reshape(shape))

    @classmethod
    def _apply_primitive(cls, primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
        if primitive.elementwise:
            return _elementwise(primitive, args)
        if primitive.moves:
            return _move_sets(primitive, args, params)
        return _READINGS[primitive.dependence](primitive, args, params)


def everywhere(parts: Sequence[IndexSets], shape: tuple[int, ...]) -> IndexSets:
    """The union of all sets of `parts` for all elements of an array of `shape`."""
    joined = _share_table(parts)
    rows = np.unique(np.concatenate([places.ravel() for _, places in joined]))
    table = joined[0][0].unite_groups(rows, np.zeros(len(rows), np.int64), 1)
    return IndexSets(table, np.ones(shape, np.int64))


def stack_parts(parts: Sequence[IndexSets], shape: tuple[int, ...]) -> IndexSets:
    """For all elements of a matrix of a stack of `shape` what `parts` have at its place."""
    stack = shape[:-2]
    if not stack or any(part.shape[: len(stack)] != stack for part in parts):
        return everywhere(parts, shape)
    kept = (*stack, *(1,) * (len(shape) - len(stack)))
    found = None
    for part in parts:
        inner = part.ndim - len(stack)
        union = _unite_over(part, (*stack, *(1,) * inner))
        union = IndexSets(union.table, union.places.reshape(kept))
        found = union if found is None else found | union
    assert found is not None
    return IndexSets(found.table, np.broadcast_to(found.places, shape))


def _share_table(parts: Sequence[IndexSets]) -> list[tuple[Table, Array]]:
    """Each of `parts` by places in one table."""
    tables = list({id(part.table): part.table for part in parts}.values())
    if len(tables) == 1:
        return [(tables[0], part.places) for part in parts]
    whole = tables[0].stack(tables)
    starts = np.cumsum([0, *[len(table) for table in tables]])
    first = {id(table): start for table, start in zip(tables, starts, strict=False)}
    return [(whole, part.places + first[id(part.table)]) for part in parts]


def _elementwise(primitive: Primitive, args: Sequence[Any]) -> IndexSets:
    shape = np.broadcast_shapes(*[np.shape(arg) for arg in args])
    parts = [
        IndexSets(arg.table, np.broadcast_to(arg.places, shape))
        for arg in args
        if isinstance(arg, IndexSets)
    ]
    found = parts[0]
    for part in parts[1:]:
        found = found | part
    if primitive is MULTIPLY:
        # A rule that runs on sets has no factor of which it matters what it happens to be.
        for arg in args:
            if not isinstance(arg, IndexSets) and np.ndim(arg):
                found = IndexSets(found.table, np.where(np.not_equal(arg, 0), found.places, 0))
    return found


def _move_sets(primitive: Primitive, args: Sequence[Any], params: Params) -> IndexSets:
    """What hands elements on, whatever they are: the places of their sets are moved.

    What it fills with is taken for 0, where the empty set is.
    """
    joined = iter(_share_table([arg for arg in args if isinstance(arg, IndexSets)]))
    table: Any = None
    given = []
    for arg in args:
        if isinstance(arg, IndexSets):
            table, places = next(joined)
            given.append(places)
        elif primitive.dependence == "picks":
            given.append(arg)
        else:
            given.append(np.zeros(np.shape(arg), np.int64))
    return IndexSets(table, np.asarray(primitive.evaluate(*given, **params)))


def _reduce_sets(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    (x,) = args
    axes = _axes(params["axis"], x.ndim)
    kept = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
    found = _unite_over(x, kept)
    if params["keepdims"]:
        return found
    shape = tuple(n for k, n in enumerate(x.shape) if k not in axes)
    return IndexSets(found.table, found.places.reshape(shape))


def _unite_over(x: IndexSets, kept: tuple[int, ...]) -> IndexSets:
    """The unions along the axes that have length 1 in `kept`."""
    groups = np.arange(prod(kept)).reshape(kept)
    return x.unite_groups(np.broadcast_to(groups, x.shape), kept)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple(k % ndim for k in (axis if isinstance(axis, tuple | list) else (axis,)))


def unite_along(x: IndexSets, axis: Any, shape: tuple[int, ...]) -> IndexSets:
    """Each element of an array of `shape` the union of all along `axis`."""
    axes = _axes(axis, x.ndim)
    found = _unite_over(x, tuple(1 if k in axes else n for k, n in enumerate(x.shape)))
    return IndexSets(found.table, np.broadcast_to(found.places, shape))


def _mix_along(primitive: Primitive, args: Sequence[Any], params: Params) -> IndexSets:
    return unite_along(args[0], params["axis"], np.shape(_evaluate_ones(primitive, args, params)))


def _scatter_sets(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    g, *arrays = args
    if not isinstance(g, IndexSets):
        return _unite_all(primitive, args, params)
    shape = params["shape"]
    index = params["index"] if "index" in params else _fill_index(params["template"], tuple(arrays))
    places = np.arange(prod(shape)).reshape(shape)[index]
    given = np.broadcast_to(g.places, places.shape)
    if np.bincount(places.ravel(), minlength=1).max() <= 1:
        moved = np.zeros(shape, np.int64)
        moved.reshape(-1)[places] = given
        return IndexSets(g.table, moved)
    return IndexSets(g.table, given).unite_groups(places, shape)


def _probe_dependencies(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    """Sums of products of one element of each argument, asked what they depend on.

    Asked of slices across each axis: what depends on an element depends on all slices through it.
    """
    flags = tuple(isinstance(arg, IndexSets) for arg in args)
    if sum(flags) > 1:
        return _unite_all(primitive, args, params)
    assert primitive.batch is not None
    batch = primitive.batch
    masks = [arg if flag else np.not_equal(arg, 0).astype(np.float32)
             for arg, flag in zip(args, flags, strict=True)]  # fmt: skip
    (x,) = (arg for arg in args if isinstance(arg, IndexSets))
    shape: list[tuple[int, ...]] = []

    def linear(vectors: Array) -> Array:
        given = np.broadcast_to(vectors, (len(vectors), *x.shape))
        found = batch(flags, [given if arg is x else arg for arg in masks], params)
        shape[:] = [np.shape(found)[1:]]
        return np.reshape(found, (len(vectors), prod(shape[0])))

    found = dependences_by_axes(linear, x.shape, MOST)
    if found is None:
        return everywhere([x], shape[0])
    groups, group, result = found
    of_groups = x.unite_groups(groups, (int(groups.max(initial=-1)) + 1,))
    return IndexSets(of_groups.table, of_groups.places[group]).unite_groups(result, shape[0])


def _accumulate_sets(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    """Of the last argument, along the axis, or the last one, each and all before it."""
    x = args[-1]
    if not isinstance(x, IndexSets) or any(isinstance(arg, IndexSets) for arg in args[:-1]):
        return _unite_all(primitive, args, params)
    return CUMSUM(x, axis=params.get("axis", x.ndim - 1))


def _solve_dependencies(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    """By the inverse of a matrix, a polynomial in it: what is reached by steps of its entries."""
    a, b = args
    if isinstance(a, IndexSets):
        return _unite_all(primitive, args, params)
    if "lower" in params:
        a = np.tril(a) if params["lower"] else np.triu(a)
    if params.get("trans"):
        a = np.swapaxes(a, -1, -2)
    return np.matmul(_find_reachable(np.not_equal(a, 0)), b)


def _find_reachable(steps: Array) -> Array:
    """1 where there is a path in the graph of a matrix, or one for each of a stack."""
    size = steps.shape[-1]
    found = (steps | np.eye(size, dtype=bool)).astype(np.float32)
    for _ in range(size.bit_length()):
        further = np.not_equal(found @ found, 0).astype(np.float32)
        if np.array_equal(further, found):
            break
        found = further
    return found


def _unite_all(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    """Every element of the result a part of all that any argument is a part of."""
    parts = [arg for arg in args if isinstance(arg, IndexSets)]
    found = _evaluate_ones(primitive, args, params)
    if type(found) is tuple:
        return tuple(everywhere(parts, np.shape(part)) for part in found)
    return everywhere(parts, np.shape(found))


def _evaluate_ones(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    """What a row makes of arguments that are 1, which has the shapes of the results."""
    plain = [np.ones(arg.shape) if isinstance(arg, IndexSets) else arg for arg in args]
    return primitive.evaluate(*plain, **params)


_READINGS: Final[dict[str, Callable[[Primitive, Sequence[Any], Params], Any]]] = {
    "": _unite_all,
    "accumulates": _accumulate_sets,
    "joins": _move_sets,
    "mixes": _mix_along,
    "picks": _move_sets,
    "products": _probe_dependencies,
    "puts": _scatter_sets,
    "reduces": _reduce_sets,
    "rows": _unite_all,
    "solves": _solve_dependencies,
    "stacks": _unite_all,
}
"""How the result of a primitive depends on its arguments, by what its row says of it."""
