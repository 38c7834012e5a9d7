"""Batched: an array that carries a leading axis its user does not see.

A Jacobian pulls all its cotangents back at once: VJP rules are run on Batched cotangents, and
each primitive they use carries the axis along: by its ``batch`` reading, or as it is where it
acts element by element, along axes or on stacks of matrices. Any other is run for each entry. A
function that is mapped over an axis is replayed on Batched arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from symtape.primitives import arithmetic
from symtape.primitives.arithmetic import rank, to_array
from symtape.primitives.axes import shift_axes
from symtape.primitives.indexing import add_at
from symtape.primitives.primitive import Array, Params, Primitive
from symtape.primitives.protocol import ArrayStandIn, is_operand

_ALONG_AXES: Final = frozenset(["accumulates", "joins", "mixes", "reduces"])
"""On what rows depend that act along axes of their arguments, and on each of the others alone."""

_ALONG_LAST_AXES: Final = frozenset(["accumulates", "stacks"])
"""Of these, and of stacks of matrices, those that need not be told along which."""


def _operator(primitive: Primitive, reflected: bool = False) -> Callable[[Any, Any], Any]:
    """An operator of arithmetic, whose operands have their axes where broadcasting wants them."""
    function = primitive.evaluate

    def operation(self: Batch, other: Any) -> Any:
        mine = self.value
        if type(other) is Batch:
            its = other.value
            fits = mine.ndim == its.ndim
        else:
            if not is_operand(other):
                return NotImplemented
            its = other = to_array(other)
            fits = rank(its) < mine.ndim
        if not fits:
            return primitive(other, self) if reflected else primitive(self, other)
        return Batch(function(its, mine) if reflected else function(mine, its))

    return operation


class Batch(ArrayStandIn):
    """Many arrays of one shape as one: ``value[k]`` is the k-th of them."""

    __slots__ = ("value",)
    _apply_rank: ClassVar[int] = 2

    def __init__(self, value: Array) -> None:
        self.value = value

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of each of the arrays."""
        found: tuple[int, ...] = self.value.shape[1:]
        return found

    @property
    def ndim(self) -> int:
        """Number of axes of each of the arrays."""
        count: int = self.value.ndim - 1
        return count

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the elements."""
        found: np.dtype[Any] = self.value.dtype
        return found

    @property
    def size(self) -> int:
        """Number of elements of each of the arrays."""
        return math.prod(self.shape)

    def astype(self, dtype: Any) -> Batch:
        """Cast every array."""
        return Batch(self.value.astype(dtype))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("a batched cotangent has no plain value; this is a defect of symtape")

    def __repr__(self) -> str:
        return f"Batched({self.value!r})"

    @classmethod
    def _apply_primitive(cls, primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
        if primitive.elementwise and len(args) == 1:
            return Batch(primitive(args[0].value, **params))
        flags = tuple([isinstance(arg, Batch) for arg in args])
        bare = [arg.value if flag else arg for arg, flag in zip(args, flags, strict=True)]
        result: Any = NotImplemented
        if primitive.elementwise and not _differ_in_order(primitive, flags, bare):
            result = primitive(*_align(bare, flags), **params)
        elif not primitive.elementwise:
            result = _apply_to_all(primitive, flags, bare, params)
        if result is NotImplemented:
            result = _apply_to_each(primitive, flags, bare, params)
        if type(result) is tuple:
            return tuple(Batch(part) for part in result)
        return Batch(result)

    # Most of what rules compute of a cotangent: written out, as on small arrays the time is
    # dispatch.
    __add__, __radd__ = _operator(arithmetic.ADD), _operator(arithmetic.ADD, reflected=True)
    __sub__, __rsub__ = (
        _operator(arithmetic.SUBTRACT),
        _operator(arithmetic.SUBTRACT, reflected=True),
    )
    __mul__, __rmul__ = (
        _operator(arithmetic.MULTIPLY),
        _operator(arithmetic.MULTIPLY, reflected=True),
    )
    __truediv__, __rtruediv__ = (
        _operator(arithmetic.DIVIDE),
        _operator(arithmetic.DIVIDE, reflected=True),
    )

    def __neg__(self) -> Any:
        return Batch(-self.value)


def _differ_in_order(primitive: Primitive, flags: tuple[bool, ...], args: list[Any]) -> bool:
    """Whether whole numbers are batched by which nothing is differentiated, as orders are.

    Functions of them take one order for all elements.
    """
    if primitive.cuts or primitive.variadic or all(primitive.rules):
        return False
    return any(
        flag and rule is None and arg.dtype.kind in "iu"
        for flag, arg, rule in zip(flags, args, primitive.rules, strict=True)
    )


def _align(args: list[Any], flags: tuple[bool, ...]) -> list[Any]:
    """Give all arguments one rank behind the batch axis, so that broadcasting stays right."""
    ranks = [rank(arg) - flag for arg, flag in zip(args, flags, strict=True)]
    most = max(ranks)
    aligned = []
    for arg, flag, own in zip(args, flags, ranks, strict=True):
        if flag and own < most:
            shape = arg.shape
            arg = arg.reshape((shape[0], *(1,) * (most - own), *shape[1:]))
        aligned.append(arg)
    return aligned


def _apply_to_all(
    primitive: Primitive, flags: tuple[bool, ...], args: list[Any], params: Params
) -> Any:
    """One call for all entries; NotImplemented where that is not known to be the same."""
    if primitive.batch is not None:
        return primitive.batch(flags, args, params)
    along = primitive.dependence in _ALONG_AXES and "axis" in params
    if not along and primitive.dependence not in _ALONG_LAST_AXES:
        return NotImplemented
    size = next(np.shape(arg)[0] for arg, flag in zip(args, flags, strict=True) if flag)
    spread = [
        arg if flag else np.broadcast_to(arg, (size, *np.shape(arg)))
        for arg, flag in zip(args, flags, strict=True)
    ]
    return primitive(*spread, **(shift_axes(spread[0], params) if along else params))


def _apply_to_each(
    primitive: Primitive, flags: tuple[bool, ...], args: list[Any], params: Params
) -> Any:
    size = next(np.shape(arg)[0] for arg, flag in zip(args, flags, strict=True) if flag)
    pairs = list(zip(args, flags, strict=True))
    results = [
        primitive(*[arg[k] if flag else arg for arg, flag in pairs], **params) for k in range(size)
    ]
    if type(results[0]) is tuple:
        return tuple(np.stack(parts) for parts in zip(*results, strict=True))
    return np.stack(results)


def add_to(total: Any, index: Any, g: Any) -> bool:
    """As :func:`symtape.primitives.indexing.add_at`, of cotangents that may be batched."""
    if type(g) is not Batch:
        return add_at(total, index, g)
    behind = (slice(None), *index) if type(index) is tuple else (slice(None), index)
    return type(total) is Batch and add_at(total.value, behind, g.value)


def call_per_entry(function: Callable[..., Any], g: Any) -> Any:
    """Call a user's `function` of a cotangent on each entry of a batched one."""
    parts = g if type(g) is tuple else (g,)
    batched = [part for part in parts if isinstance(part, Batch)]
    if not batched:
        return function(g)
    size = len(batched[0].value)
    answers = []
    for k in range(size):
        entry = tuple(part.value[k] if isinstance(part, Batch) else part for part in parts)
        answers.append(function(entry if type(g) is tuple else entry[0]))
    return {
        key: None if answers[0][key] is None else Batch(np.stack([a[key] for a in answers]))
        for key in answers[0]
    }


def unbatch(g: Any, size: int) -> Any:
    """The array behind `g`, its leading axis of length `size` made if it has none."""
    if isinstance(g, Batch):
        return g.value
    return np.broadcast_to(g, (size, *np.shape(g)))


def basis(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """The unit arrays of `shape`, stacked along a leading axis."""
    size = math.prod(shape)
    return np.eye(size, dtype=dtype).reshape((size, *shape))
