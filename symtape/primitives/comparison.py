"""Rows: comparisons, logic, and what is asked about a whole array. None is differentiable.

They have rows so that a recording can replay them on other inputs, and read them on balls,
where a comparison is True, False or None, undecided.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arguments import refuse_out
from symtape.primitives.arithmetic import rank, to_array
from symtape.primitives.axes import axes_or_all, one_axis
from symtape.primitives.primitive import Array, Primitive, declare, implements


def _comparison(ufunc: np.ufunc, evaluate: Callable[[Any, Any], Any], sign: str) -> Primitive:
    return declare(
        name=ufunc.__name__,
        inputs="a b",
        ufunc=ufunc,
        evaluate=evaluate,
        vjp=None,
        elementwise=True,
        ball=ufunc.__name__,
        convention="constant across a tie",
        kinks=np.equal,
        ties="inputs",
        rounding=(0, 0),
        decision=sign,
        rational=True,
        source="IEEE 754",
        example=(0.75, -2.0),
    )


LESS = _comparison(np.less, operator.lt, "<")
LESS_EQUAL = _comparison(np.less_equal, operator.le, "<=")
GREATER = _comparison(np.greater, operator.gt, ">")
GREATER_EQUAL = _comparison(np.greater_equal, operator.ge, ">=")
EQUAL = _comparison(np.equal, operator.eq, "==")
NOT_EQUAL = _comparison(np.not_equal, operator.ne, "!=")


def _unequal(ball: Any, a: Any, b: Any) -> Any:
    return None if a is None or b is None else bool(a) != bool(b)


def _logic(ufunc: np.ufunc, ball: Callable[..., Any] | str, decision: str = "") -> Primitive:
    """A row on truth values; the bitwise ones work on integers, too."""
    return declare(
        name=ufunc.__name__,
        inputs="a b" if ufunc.nin == 2 else "a",
        evaluate=ufunc,
        vjp=None,
        elementwise=True,
        ball=ball,
        rounding=(0, 0),
        decision=decision,
        source="Boolean algebra",
        example=(True, False)[: ufunc.nin],
    )


LOGICAL_AND = _logic(np.logical_and, "logical_and", "and")
LOGICAL_OR = _logic(np.logical_or, "logical_or", "or")
LOGICAL_XOR = _logic(np.logical_xor, _unequal)
LOGICAL_NOT = _logic(np.logical_not, "logical_not", "not")
BITWISE_AND = _logic(np.bitwise_and, "logical_and", "and")
BITWISE_OR = _logic(np.bitwise_or, "logical_or", "or")
BITWISE_XOR = _logic(np.bitwise_xor, _unequal)
INVERT = _logic(np.invert, "logical_not", "not")


def _map_lanes(
    find: Callable[[list[Any]], Any], x: Any, axis: tuple[int, ...], keepdims: bool
) -> Any:
    """What `find` finds in each lane of an object array along some axes."""
    front = np.moveaxis(x, axis, tuple(range(len(axis))))
    lanes = front.reshape((-1, *front.shape[len(axis) :]))
    result = np.empty(lanes.shape[1:], dtype=object)
    for place in np.ndindex(result.shape):
        result[place] = find([lanes[k, *place] for k in range(len(lanes))])
    return np.expand_dims(result, axis) if keepdims else result


def _place_of_first(surely: Callable[[Any, Any], Any], name: str, lane: list[Any]) -> int:
    """The place of the element that is `surely` before every other one."""
    for k, value in enumerate(lane):
        if all(surely(value, other) is True for j, other in enumerate(lane) if j != k):
            return k
    raise Unsupported(f"undecided {name}: the balls of the largest elements overlap")


def _quantifier(name: str, combine: str, start: bool, decision: str) -> Primitive:
    """Whether all or any elements are true."""
    quantify: Any = getattr(np, name)
    return declare(
        name=name,
        inputs="x",
        evaluate=lambda x, *, axis, keepdims: quantify(x, axis=axis, keepdims=keepdims),
        vjp=None,
        ball=lambda ball, x, axis, keepdims: _map_lanes(
            lambda lane: functools.reduce(getattr(ball, combine), lane, start), x, axis, keepdims
        ),
        rounding=(0, 0),
        decision=decision,
        source="Boolean algebra",
        example=(([True, False, True],), {"axis": (0,), "keepdims": False}),
    )


ANY = _quantifier("any", "logical_or", False, "some")
ALL = _quantifier("all", "logical_and", True, "every")
COUNT_NONZERO = declare(
    name="count_nonzero",
    evaluate=lambda x, *, axis, keepdims: np.count_nonzero(x, axis=axis, keepdims=keepdims),
    vjp=None,
    convention="constant across a jump",
    kinks=lambda x, axis, keepdims: np.equal(x, 0),
    rounding=(0, 0),
    decision="signs",
    source="constant between its jumps",
    example=(([0.75, -2.0, 1.5],), {"axis": (0,), "keepdims": False}),
)


def _place_of_extreme(name: str, beats: str, extreme: Any, pieces: Any) -> Primitive:
    """Where the element is that `beats` all others."""
    place: Any = getattr(np, name)
    return declare(
        name=name,
        inputs="x",
        evaluate=lambda x, *, axis, keepdims: place(x, axis=axis, keepdims=keepdims),
        vjp=None,
        ball=lambda ball, x, axis, keepdims: _map_lanes(
            lambda lane: _place_of_first(getattr(ball, beats), name, lane), x, (axis,), keepdims
        ),
        convention="constant across a jump",
        kinks=lambda x, axis, keepdims: (
            np.count_nonzero(x == extreme(x, axis=axis, keepdims=True), axis=axis) > 1
        ),
        pieces=pieces,
        ties="elements",
        rounding=(0, 0),
        decision="order",
        source="constant between its jumps",
        example=(([0.75, -2.0, 1.5],), {"axis": 0, "keepdims": False}),
    )


ARGMAX = _place_of_extreme(
    "argmax", "greater", np.max, lambda kink, axis, keepdims: kink.place_of_largest(axis)
)
ARGMIN = _place_of_extreme(
    "argmin", "less", np.min, lambda kink, axis, keepdims: kink.place_of_smallest(axis)
)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    found = axes_or_all(axis, ndim)
    return tuple(range(ndim)) if found is None else found


def _quantify(
    row: Primitive,
    a: Array,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Array = True,
) -> Array:
    """As ``numpy.any`` or ``numpy.all``."""
    refuse_out(row.name, out)
    a = to_array(a)
    if where is not True:
        a = np.where(where, a != 0, row is ALL)
    return row(a, axis=_axes(axis, rank(a)), keepdims=bool(keepdims))


implements(np.any)(functools.partial(_quantify, ANY))
implements(np.all)(functools.partial(_quantify, ALL))


@implements(np.count_nonzero)
def _count_nonzero(a: Array, axis: Any = None, *, keepdims: bool = False) -> Array:
    a = to_array(a)
    return COUNT_NONZERO(a, axis=_axes(axis, rank(a)), keepdims=bool(keepdims))


def _argument(
    row: Primitive, a: Array, axis: int | None = None, out: None = None, *, keepdims: bool = False
) -> Array:
    """As ``numpy.argmax`` or ``numpy.argmin``."""
    refuse_out(row.name, out)
    a = to_array(a)
    if axis is not None and (np.ndim(a) or axis not in (0, -1)):
        return row(a, axis=one_axis(axis, np.ndim(a)), keepdims=bool(keepdims))
    found = row(np.reshape(a, (-1,)), axis=0, keepdims=False)
    return np.reshape(found, (1,) * np.ndim(a)) if keepdims else found


implements(np.argmax)(functools.partial(_argument, ARGMAX))
implements(np.argmin)(functools.partial(_argument, ARGMIN))


@implements(np.isclose)
def _isclose(
    a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    a, b = to_array(a), to_array(b)
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= atol + rtol * np.abs(b)
    close = (near & np.isfinite(b)) | np.equal(a, b)
    return close | (np.isnan(a) & np.isnan(b)) if equal_nan else close


@implements(np.allclose)
def _allclose(
    a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    return bool(np.all(_isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)))


@implements(np.array_equal)
def _array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> bool:
    a, b = to_array(a1), to_array(a2)
    if np.shape(a) != np.shape(b):
        return False
    same = np.equal(a, b)
    return bool(np.all(same | (np.isnan(a) & np.isnan(b)) if equal_nan else same))
