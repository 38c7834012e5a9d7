"""Rows: functions that pick one of their inputs, element by element.

Where two inputs tie, the cotangent is shared equally between them, which is the subgradient
of least norm. (JAX and autograd share it so, too.)
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array, Primitive, declare, implements


def _take_first(first: Any, *inputs: Any) -> Any:
    """Flat indices, into the last two of `inputs`, that pick the one where `first` holds."""
    return np.where(first, *_places(tuple(np.shape(x) for x in inputs))[-2:])


@functools.lru_cache(maxsize=32)  # shapes in a program: arrays as large as these
def _places(shapes: tuple[tuple[int, ...], ...]) -> list[Any]:
    """For each input its flat indices into all of them joined, in the shape of the result."""
    sizes = [math.prod(shape) for shape in shapes]
    together = np.broadcast_shapes(*shapes)
    return [
        np.broadcast_to(np.arange(size).reshape(shape) + sum(sizes[:k]), together)
        for k, (shape, size) in enumerate(zip(shapes, sizes, strict=True))
    ]


def _hand_on(g: Array, chosen: Array, tied: Array) -> Array:
    """A cotangent where an input was chosen, and half of it at ties, of which there are few."""
    if (type(tied) is np.bool_ and not tied) or (
        type(tied) is np.ndarray and not np.count_nonzero(tied)
    ):
        return g * chosen
    return np.where(tied, 0.5 * g, g * chosen)


_OF_TWO: Final[dict[str, Any]] = {
    "inputs": "a b",
    "elementwise": True,
    "convention": "1/2 to each at a tie",
    "kinks": lambda a, b: np.equal(a, b),
    "ties": "inputs",
    "over": "a != b",
    "rounding": (0, 0),
    "complex": "holomorphic",
    "source": "ties share equally",
    "example": ([0.75, -2.0], [0.5, 1.0]),
}
"""What holds of the larger and of the smaller of two, with and without NaN."""

MAXIMUM = declare(
    **_OF_TWO,
    evaluate=np.maximum,
    vjp=[
        lambda g, a, b: _hand_on(g, a > b, a == b),
        lambda g, a, b: _hand_on(g, a < b, a == b),
    ],
    select=lambda a, b: _take_first(np.greater_equal(a, b), a, b),
    ball="maximum",
    pieces=lambda kink, a, b: kink.ordered(a, b, above=a, below=b),
    decision="largest",
    of_truths="or",
)
MINIMUM = declare(
    **_OF_TWO,
    evaluate=np.minimum,
    vjp=[
        lambda g, a, b: _hand_on(g, a < b, a == b),
        lambda g, a, b: _hand_on(g, a > b, a == b),
    ],
    select=lambda a, b: _take_first(np.less_equal(a, b), a, b),
    ball="minimum",
    pieces=lambda kink, a, b: kink.ordered(b, a, above=a, below=b),
    decision="smallest",
    of_truths="and",
)
FMAX = declare(
    **_OF_TWO,
    evaluate=np.fmax,
    vjp=[
        lambda g, a, b: _hand_on(g, np.greater(a, b) | np.isnan(b), np.equal(a, b)),
        lambda g, a, b: _hand_on(g, np.less(a, b) | np.isnan(a), np.equal(a, b)),
    ],
    select=lambda a, b: _take_first(np.greater_equal(a, b) | np.isnan(b), a, b),
    ball="maximum",
    pieces=lambda kink, a, b: kink.ordered(a, b, above=a, below=b),
    decision="largest",
)
FMIN = declare(
    **_OF_TWO,
    evaluate=np.fmin,
    vjp=[
        lambda g, a, b: _hand_on(g, np.less(a, b) | np.isnan(b), np.equal(a, b)),
        lambda g, a, b: _hand_on(g, np.greater(a, b) | np.isnan(a), np.equal(a, b)),
    ],
    select=lambda a, b: _take_first(np.less_equal(a, b) | np.isnan(b), a, b),
    ball="minimum",
    pieces=lambda kink, a, b: kink.ordered(b, a, above=a, below=b),
    decision="smallest",
)

_MANY: Final = 2**14
"""Elements of which a processor does not remember how the condition went the last time."""


def _where(condition: Array, a: Array, b: Array) -> Array:
    """As ``np.where``; beside 0 by the bits, without a branch at each element."""
    if type(condition) is np.ndarray and condition.size >= _MANY and condition.dtype == bool:
        if type(b) is int and b == 0 and _is_like(a, condition):
            return _keep(condition, a)
        if type(a) is int and a == 0 and _is_like(b, condition):
            return _keep(~condition, b)
    return np.where(condition, a, b)


def _is_like(x: Array, condition: Array) -> bool:
    return type(x) is np.ndarray and x.dtype == np.float64 and x.shape == condition.shape


def _keep(chosen: Array, x: Array) -> Array:
    bits = chosen.astype(np.int64)
    np.negative(bits, out=bits)
    bits &= x.view(np.int64)
    return bits.view(np.float64)


WHERE: Primitive = declare(
    inputs="condition a b",
    evaluate=_where,
    vjp=[
        None,
        lambda g, condition: WHERE(condition, g, 0),
        lambda g, condition: WHERE(condition, 0, g),
    ],
    elementwise=True,
    select=lambda condition, a, b: _take_first(condition, condition, a, b),
    ball="where",
    rounding=(0, 0),
    decision="condition",
    rational=True,
    complex="holomorphic",
    source="exact",
    example=([True, False], [0.75, -2.0], [0.5, 1.0]),
)


@implements(np.where)
def where(condition: Array, x: Array | None = None, y: Array | None = None) -> Array:
    """As :func:`numpy.where`; without `x` and `y` the indices, as integer tensors."""
    if x is None and y is None:
        return np.nonzero(to_array(condition))
    if x is None or y is None:
        raise ValueError("np.where takes both x and y, or neither of them; got one")
    return WHERE(to_array(condition), to_array(x), to_array(y))


@implements(np.clip)
def _clip(
    a: Array,
    a_min: Array | None = None,
    a_max: Array | None = None,
    out: None = None,
    *,
    min: Array | None = None,  # noqa: A002  # NumPy's names
    max: Array | None = None,  # noqa: A002
) -> Array:
    if out is not None:
        raise TypeError(
            "np.clip(..., out=...) would write into an array, which a tape cannot follow; use "
            "the returned value"
        )
    low = a_min if min is None else min
    high = a_max if max is None else max
    a = to_array(a)
    a = a if low is None else MAXIMUM(a, to_array(low))
    return +a if high is None else MINIMUM(a, to_array(high))


@implements(np.select)
def _select(condlist: Sequence[Array], choicelist: Sequence[Array], default: Array = 0) -> Array:
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"np.select got {len(condlist)} conditions but {len(choicelist)} choices; give one "
            "choice for each condition"
        )
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = where(condition, choice, result)
    return result


@implements(np.choose)
def _choose(a: Array, choices: Sequence[Array], out: None = None, mode: str = "raise") -> Array:
    if out is not None or mode not in ("raise", "clip"):
        raise TypeError(
            f"np.choose(..., out={out!r}, mode={mode!r}): only mode='raise' or 'clip', without "
            "out, can be followed by a tape"
        )
    index = to_array(a)
    if mode == "raise" and bool(np.any((index < 0) | (index >= len(choices)))):
        raise ValueError(
            f"np.choose got an index outside 0..{len(choices) - 1}, the choices there are; "
            "mode='clip' takes the nearest"
        )
    result = to_array(choices[-1])
    for place in range(len(choices) - 2, -1, -1):
        result = where(index <= place, choices[place], result)
    return result


@implements(np.piecewise)
def _piecewise(
    x: Array, condlist: Any, funclist: Sequence[Callable[..., Array] | float], *args: Any, **kw: Any
) -> Array:
    """Each function is called on the elements its condition picks, and on no others."""
    masks = np.atleast_2d(np.asarray(condlist, dtype=bool)).reshape(-1, *np.shape(x))
    if len(funclist) == len(masks) + 1:
        masks = np.concatenate([masks, ~np.any(masks, axis=0, keepdims=True)])
    if len(funclist) != len(masks):
        raise ValueError(
            f"np.piecewise got {len(masks)} conditions but {len(funclist)} functions; give one "
            "for each condition, and at most one more for the rest"
        )
    flat = np.reshape(x, (-1,))
    owner = np.full(flat.shape, -1)
    for k, mask in enumerate(masks):
        owner[mask.reshape(-1)] = k
    pieces, places = [], []
    for k in range(-1, len(funclist)):
        place = np.flatnonzero(owner == k)
        if place.size:
            piece = flat[place]
            function = 0 if k < 0 else funclist[k]
            value = function(piece, *args, **kw) if callable(function) else piece * 0 + function
            pieces.append(value)
            places.append(place)
    order = np.argsort(np.concatenate(places))
    return np.reshape(np.concatenate(pieces)[order], np.shape(x))
