"""Box: every entry between its own bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from verify.errors import UsageError
from verify.regions.numbers import FloatRange, special
from verify.regions.ordinals import from_ordinal, neighbour, ordinal
from verify.regions.patterns import Entries, patterns
from verify.regions.plain import shrunk
from verify.regions.shapes import Shape, coordinate_labels, to_dtype, to_shapes
from verify.regions.space import Space
from verify.regions.square import square_kinds
from verify.regions.words import describe_entries, short


class Box(Space):
    """Every entry between its own bounds, which are included; made by :func:`box` and its like.

    Attributes
    ----------
    lower, upper : arrays of the dtype
        Broadcast to each of the shapes. Always finite.
    whole : bool
        Whether only whole numbers count.
    """

    def __init__(
        self,
        lower: np.ndarray,
        upper: np.ndarray,
        shapes: tuple[Shape, ...],
        dtype: np.dtype[Any],
        whole: bool = False,
    ) -> None:
        self.lower, self.upper = lower, upper
        self.shapes, self.dtype, self.whole = shapes, dtype, whole

    def pick_shape(self, shape: Shape) -> Box:
        """The values of that shape alone."""
        if shape not in self.shapes:
            raise ValueError(f"shape={shape}; expected one of {self.shapes}")
        return Box(self.lower, self.upper, (shape,), self.dtype, self.whole)

    def replace_shapes(self, shapes: tuple[Shape, ...]) -> Box:
        """The same bounds for other shapes."""
        for shape in shapes:
            _check_broadcast(self.lower, shape)
            _check_broadcast(self.upper, shape)
        return Box(self.lower, self.upper, shapes, self.dtype, self.whole)

    def format_call(self) -> str:
        """The call that makes it, without its module."""
        shape = self.shapes[0] if len(self.shapes) == 1 else list(self.shapes)
        rest = f", shape={shape}" if self.shapes != ((),) else ""
        if self.whole:
            return f"integers({_number(self.lower)}, {_number(self.upper)}{rest})"
        if self.dtype != np.float64:
            rest += f", dtype='{self.dtype}'"
        format_ = np.finfo(self.dtype)
        if self.lower.shape == () and self.lower == format_.smallest_subnormal:
            rest = "".join(
                (f", upper={_number(self.upper)}" * bool((self.upper != format_.max).any()), rest)
            )
            return f"positive({rest.removeprefix(', ')})"
        return f"box({_number(self.lower)}, {_number(self.upper)}{rest})"

    def contains(self, value: Any) -> bool:
        """Whether `value` is of the space, its shape and dtype included."""
        if not self.holds(value):
            return False
        array = np.asarray(value)
        if self.whole and (array != np.floor(array)).any():
            return False
        return bool(((self.lower <= array) & (array <= self.upper)).all())

    def describe(self, name: str) -> str:
        """A few words for people."""
        kind = "" if self.dtype == np.float64 else f" ({self.dtype})"
        words = describe_entries(name, self.lower, self.upper, self.shapes, self.whole)
        return words if "any finite" in words else words + kind

    @cached_property
    def intervals(self) -> tuple[FloatRange, ...]:
        """What each entry may be, in C order."""
        lower, upper = (
            np.broadcast_to(x, self.shape).astype(np.float64).ravel().tolist()
            for x in (self.lower, self.upper)
        )
        return tuple(
            FloatRange(low, high, self.dtype.name, self.whole)
            for low, high in zip(lower, upper, strict=True)
        )

    def members(self, most: int) -> list[Any] | None:
        """All values, or ``None`` if there are more than `most`."""
        count = 1
        for interval in self.intervals:
            count *= interval.count()
            if count > most:
                return None
        rows: list[tuple[float, ...]] = [()]
        for interval in self.intervals:
            rows = [(*row, number) for row in rows for number in interval.iterate()]
        return [self.value(np.array(row)) for row in rows]

    def value(self, flat: np.ndarray) -> Any:
        """The value whose entries are `flat`; a scalar of the dtype if the shape is ()."""
        with np.errstate(over="ignore", under="ignore"):
            kept = np.asarray(flat, dtype=np.float64).astype(self.dtype)
        return kept.reshape(self.shape)[()]

    def kinds(self) -> list[Iterator[Any]]:
        """Special values, one finite iterator a kind."""
        if not self.intervals:
            return [iter([self.value(np.empty(0))])]
        flat = [map(self.value, vectors) for vectors in patterns(Entries(self.intervals))]
        return [*flat, *self.matrix_kinds()]

    def matrix_kinds(self) -> list[Iterator[Any]]:
        """Special square matrices that are in the box, if it holds square matrices."""
        shape = self.shape
        if len(shape) < 2 or shape[-1] != shape[-2] or shape[-1] < 2 or 0 in shape:
            return []
        room = float(max(np.abs(self.lower).max(), np.abs(self.upper).max()))
        return [
            filter(self.contains, (np.broadcast_to(a, shape).astype(self.dtype) for a in kind))
            for kind in square_kinds(shape[-1], room)
        ]

    def draw(self, random: np.random.Generator, manner: str) -> Any:
        """One value by chance."""
        return self.draw_many(random, manner, 1)[0]

    def draw_many(self, random: np.random.Generator, manner: str, count: int) -> list[Any]:
        """So many values by chance."""
        if manner == "uniform":
            drawn = self._evenly(random, self.lower, self.upper, count)
        elif manner == "ordinal":
            drawn = self._draw_by_ordinal(random, count)
        elif manner == "whole":
            low, high = np.clip(self.lower, -8, 8), np.clip(self.upper, -8, 8)
            drawn = np.rint(2 * self._evenly(random, low, high, count)) / 2
        else:
            evenly = self._evenly(random, self.lower, self.upper, count)
            by_value = random.random(evenly.shape) < 0.5
            either = np.where(by_value, evenly, self._draw_by_ordinal(random, count))
            drawn = np.array([self._sprinkle_specials(random, array) for array in either])
        return list(self._nearest_each(drawn))

    def nearest(self, array: np.ndarray) -> Any:
        """The value of the box that is nearest to `array`, entry by entry."""
        return self._nearest_each(np.asarray(array).reshape(1, *self.shape))[0]

    def _nearest_each(self, arrays: np.ndarray) -> np.ndarray:
        if self.whole:
            arrays = np.rint(arrays)
        kept = np.clip(arrays, self.lower.astype(np.float64), self.upper.astype(np.float64))
        return np.asarray(np.clip(kept.astype(self.dtype), self.lower, self.upper))

    def _evenly(
        self, random: np.random.Generator, lower: np.ndarray, upper: np.ndarray, count: int
    ) -> np.ndarray:
        part = random.random((count, *self.shape))
        return np.asarray((1 - part) * lower.astype(np.float64) + part * upper.astype(np.float64))

    def _draw_by_ordinal(self, random: np.random.Generator, count: int) -> np.ndarray:
        shape = (count, *self.shape)
        if self.whole:
            most = np.maximum(np.abs(self.lower), np.abs(self.upper))
            sizes = np.exp2(random.random(shape) * np.log2(most + 1))
            return np.asarray(sizes * random.choice([-1.0, 1.0], shape))
        low, high = (np.asarray(ordinal(x)) for x in (self.lower, self.upper))
        numbers = random.integers(low, high, size=shape, endpoint=True)
        return np.asarray(from_ordinal(numbers, self.dtype), dtype=np.float64)

    def _sprinkle_specials(self, random: np.random.Generator, drawn: np.ndarray) -> np.ndarray:
        """`drawn` with about one entry in four replaced by a special number."""
        flat = np.array(drawn, dtype=np.float64).ravel()
        for k, lucky in enumerate(random.random(flat.size) < 0.25):
            if lucky:
                numbers = special(self.intervals[k])
                flat[k] = numbers[int(random.integers(len(numbers)))]
        return flat.reshape(self.shape)

    def simpler(self, value: Any) -> Iterator[Any]:
        """Proposals that may be simpler than `value`."""
        flat = np.asarray(value, dtype=np.float64).ravel()
        for vector in shrunk(flat, self.intervals):
            yield self.value(vector)

    def coordinates(self, value: Any) -> tuple[np.ndarray, list[str]]:
        """All entries."""
        return np.asarray(value, dtype=np.float64).ravel(), coordinate_labels(self.shape)

    def replace_coordinate(self, value: Any, k: int, number: float) -> Any | None:
        """`value` with entry `k` moved."""
        with np.errstate(over="ignore"):
            near = float(self.dtype.type(number))
        if near not in self.intervals[k]:
            return None
        flat = np.array(value, dtype=self.dtype).ravel()
        flat[k] = near
        return flat.reshape(self.shape)[()]

    def bounds(self, k: int) -> tuple[float, float]:
        """The bounds of entry `k`."""
        return self.intervals[k].lower, self.intervals[k].upper


def box(
    lower: Any,
    upper: Any,
    shape: Shape | int | Sequence[Shape] = (),
    dtype: Any = np.float64,
) -> Box:
    """Every entry from `lower` to `upper`, both included.

    Parameters
    ----------
    lower, upper : number or nested list or array
        Broadcast to `shape`; if it is not given, theirs is the shape. Infinite: as far as finite
        floats go.
    shape : shape, or list of shapes
        A list allows several: ``[(3,), (0,), (1, 3)]``.
    dtype : float64, float32 or float16
        Bounds between two floats are moved inwards.

    Raises
    ------
    UsageError
        Bounds that are not numbers, or nan, or in the wrong order, or with no float between them.

    Examples
    --------
    >>> box(-1, 1).contains(np.float64(0.5)), box(-1, 1, shape=3).describe("x")
    (True, 'x in [-1, 1]^3')
    """
    kind = to_dtype(dtype)
    what = f"box({short(lower)}, {short(upper)})"
    low, high = _parse_bound(lower, "lower", what), _parse_bound(upper, "upper", what)
    _check_order(low, high, what)
    if (low == np.inf).any() or (high == -np.inf).any():
        raise UsageError(
            f"{what} holds no finite number; expected lower below inf, upper above -inf"
        )
    shapes = to_shapes(shape)
    if shapes == ((),):
        shapes = to_shapes(np.broadcast_shapes(low.shape, high.shape))
    inner = _inward(low, kind, +1, what), _inward(high, kind, -1, what)
    if (inner[0] > inner[1]).any():
        raise UsageError(f"{what} holds no {kind}; give bounds with a {kind} between them")
    return Box(*inner, shapes, kind).replace_shapes(shapes)


def integers(lower: Any, upper: Any, shape: Shape | int | Sequence[Shape] = ()) -> Box:
    """Whole numbers from `lower` to `upper`, both included, as float64.

    Functions are differentiated by floats, so whole numbers are handed over as floats too.

    Parameters
    ----------
    lower, upper : number or nested list or array
        Within ±2^53.
    shape : shape, or list of shapes
        As for :func:`box`.

    Raises
    ------
    UsageError
        Bounds as for :func:`box`, or infinite ones, or no whole number between them.

    Examples
    --------
    >>> integers(0, 3).contains(np.float64(2.0)), integers(0, 3).contains(np.float64(2.5))
    (True, False)
    """
    what = f"integers({short(lower)}, {short(upper)})"
    low, high = _parse_bound(lower, "lower", what), _parse_bound(upper, "upper", what)
    _check_order(low, high, what)
    if not (np.abs(low) <= 2.0**53).all() or not (np.abs(high) <= 2.0**53).all():
        raise UsageError(
            f"{what} is not bounded by ±2^53, up to where floats hold every whole number; "
            "give bounds within that, such as integers(-1000, 1000)"
        )
    low, high = np.ceil(low) + 0.0, np.floor(high) + 0.0
    if (low > high).any():
        raise UsageError(f"{what} holds no whole number; give a lower bound that is not above")
    shapes = to_shapes(shape)
    if shapes == ((),):
        shapes = to_shapes(np.broadcast_shapes(low.shape, high.shape))
    return Box(low, high, shapes, np.dtype(np.float64), whole=True).replace_shapes(shapes)


def positive(
    shape: Shape | int | Sequence[Shape] = (), upper: Any = np.inf, dtype: Any = np.float64
) -> Box:
    """Floats above zero, from the smallest subnormal to `upper`.

    Parameters
    ----------
    shape : shape, or list of shapes
        As for :func:`box`.
    upper : number or nested list or array
    dtype : float64, float32 or float16

    Raises
    ------
    UsageError
        As for :func:`box`, or an `upper` that is not above zero.

    Examples
    --------
    >>> positive().describe("y"), positive(upper=10).describe("y")
    ('y > 0', '0 < y <= 10')
    """
    kind = to_dtype(dtype)
    least = float(np.finfo(kind).smallest_subnormal)
    if not (_parse_bound(upper, "upper", f"positive(upper={short(upper)})") >= least).all():
        raise UsageError(f"upper={short(upper)}; expected a number above 0 that {kind} can hold")
    return box(least, upper, shape, kind)


def _parse_bound(given: Any, which: str, what: str) -> np.ndarray:
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise UsageError(
            f"{what}: {which}={short(given)} is not a rectangular array of numbers"
        ) from error
    if array.dtype.kind not in "iuf":
        raise UsageError(f"{what}: {which}={short(given)}; expected a number or an array of them")
    if np.isnan(array).any():
        raise UsageError(f"{what}: {which}={short(given)} holds a nan, which bounds nothing")
    return array.astype(np.float64)


def _check_order(low: np.ndarray, high: np.ndarray, what: str) -> None:
    try:
        wrong = low > high
    except ValueError as error:
        raise UsageError(
            f"{what}: lower of shape {low.shape} and upper of shape {high.shape} "
            "do not broadcast; give them one shape"
        ) from error
    if wrong.any():
        raise UsageError(f"{what} is empty: lower is above upper; give the smaller one first")


def _inward(bound: np.ndarray, kind: np.dtype[Any], sign: int, what: str) -> np.ndarray:
    """The float of `kind` at `bound`, or the next one above (`sign` 1) or below (-1)."""
    most = np.finfo(kind).max
    if (np.isfinite(bound) & (np.abs(bound) > most)).any():
        raise UsageError(
            f"{what}: {kind} holds no more than {float(most):g}; give smaller bounds, "
            "np.inf for 'as far as it goes', or dtype='float64'"
        )
    limit = np.clip(bound, -float(most), float(most))
    with np.errstate(under="ignore"):
        near = np.asarray(limit.astype(kind))
    outside = sign * near.astype(np.float64) < sign * limit
    return np.asarray(np.where(outside, neighbour(near, sign), near))


def _check_broadcast(bound: np.ndarray, shape: Shape) -> None:
    try:
        fits = np.broadcast_shapes(bound.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise UsageError(
            f"bounds of shape {bound.shape} do not broadcast to shape={shape}; "
            "give one bound for all entries, or one an entry"
        )


def _number(bound: np.ndarray) -> str:
    return repr(bound.tolist())
