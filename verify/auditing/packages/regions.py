"""Regions of functions that nobody wrote one for: from hints, or found by trying.

A first point is looked for at which everything is finite: the examples that are known, then
numbers of several sizes and signs, in several shapes. Around it each argument gets the widest of a
few intervals in which all that was tried is finite, and no argument is clipped. Points about which
the function is constant are taken only where there are no others: in a branch that returns a
number, any derivative that returns zero is right.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.guards import is_beyond_guard, value_at
from verify.auditing.packages.held import positional
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.silence import silence
from verify.auditing.packages.widths import narrow_to_width
from verify.model.case import argument_names
from verify.regions import Region, as_region, box
from verify.regions.box import Box

Function = Callable[..., Any]
Shape = tuple[int, ...]

_SHAPES: Final[tuple[Shape, ...]] = ((), (3,), (2,), (4,), (3, 3), (1,), (6,), (2, 2))
"""Of arrays, in the order in which they are tried."""

_ROWS: Final = 3

SIZES: Final = (1.0, 0.3, 3.0, 20.0, 300.0, 0.01, 1e5)
"""Of numbers, in the order in which they are tried."""

_TRIES: Final = 8
"""Points for each shape and size."""

_WIDTHS: Final = ((1 / 1.02, 1.02), (1 / 1.25, 1.25), (0.5, 2.0), (1 / 8, 8.0))
"""Intervals around a number, as factors, from the narrowest."""

_NEAR: Final = _WIDTHS[:3]
"""The same around what is known to be of the usual size."""

_ROOM: Final = 1e-3
"""How far inside of known ends, as a part of the width."""

_STEP: Final = 0.01
"""How far beside a point it is seen whether a function varies, of its size."""

_SAMPLES: Final = 12
_MOST_CALLS: Final = 6_000
_LARGEST: Final = 1e100


def region_for(
    function: Function,
    hints: Mapping[str, Hint] | None = None,
    *,
    also: Sequence[Function] = (),
    near: Iterable[Sequence[Any]] = (),
    starts: Iterable[Sequence[Any]] = (),
) -> Region:
    """A region over all arguments of `function`, on which it and others are finite.

    Parameters
    ----------
    function : callable
        Of numbers and arrays given by their place; ``held`` makes it of one that takes more.
    hints : mapping of Hint, optional
        What is known of its arguments, by name.
    also : sequence of callable
        What must be finite there too, such as the claim.
    near : iterable of points
        At which it is known to work; tried first.
    starts : iterable of points
        At which all gave numbers; tried next, and left farther behind.

    Raises
    ------
    NotPosed
        No point was found at which all are finite; says what was tried. Or there are such points,
        and at none of them is anything but zero claimed of a constant.

    Examples
    --------
    >>> region_for(lambda x: np.sqrt(1 - x * x), {"x": Hint(lower=0.0)}).describe()
    'x in [0.0853, 0.853]'
    """
    names = argument_names(function, len(positional(function)))
    known = [(hints or {}).get(name, Hint()) for name in names]
    trial = _Trial((function, *also))
    random = np.random.default_rng(0)
    constant: list[Box] | None = None
    given = ((start, _NEAR) for start in _iterate_given_points(near, known))
    called = ([np.asarray(x, dtype=np.float64) for x in start] for start in starts)
    drawn = ((start, _WIDTHS) for start in itertools.chain(called, _starts(known, random)))
    undeclared = [k for k, hint in enumerate(known) if hint.shape is None]
    for drawn_start, widths in itertools.chain(given, drawn):
        if not trial.is_finite(drawn_start):
            continue
        start = narrow_to_width(function, drawn_start, undeclared, also)
        varies = trial.varies_about(start)
        if (varies or not constant) and (
            found := _find_boxes_around(start, widths, known, trial, random)
        ):
            if varies:
                return as_region(tuple(found), names)
            constant = found
    if constant is None:
        raise NotPosed(_nowhere(names, trial))
    if also and trial.says_zero(constant):
        raise NotPosed(
            "the function is constant, and the claim zero, wherever both were found to be finite"
        )
    return as_region(tuple(constant), names)


class _Trial:
    """Calls of functions, counted, and what was the matter with the first that failed."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self._functions, self.first = functions, functions[0]
        self.calls = 0
        self.shapes: dict[str, None] = {}
        self.matter = ""

    def is_finite(self, point: Sequence[Any]) -> bool:
        """Whether all functions give finite real numbers at a point."""
        if self.calls >= _MOST_CALLS:
            return False
        self.shapes[", ".join(str(np.shape(x)) for x in point)] = None
        return all(self._one(function, point) for function in self._functions)

    def varies_about(self, start: Sequence[Any]) -> bool:
        """Whether the first function has other values beside a point."""
        here = value_at(self.first, start)
        for k, x in enumerate(start):
            moved = [*start[:k], x + _STEP * np.where(x, x, 1.0), *start[k + 1 :]]
            beside = value_at(self.first, moved)
            if beside is not None and not np.array_equal(beside, here):
                return True
        return False

    def says_zero(self, boxes: Sequence[Box]) -> bool:
        """Whether the functions but the first are zero in the middle of a region."""
        middle = [(each.lower + each.upper) / 2 for each in boxes]
        return not any(np.any(value_at(claim, middle)) for claim in self._functions[1:])

    def _one(self, function: Function, point: Sequence[Any]) -> bool:
        self.calls += 1
        try:
            with silence():
                value = function(*(np.array(x)[()] for x in point))
            if np.iscomplexobj(value):
                return self._because("it returned complex numbers")
            array = np.asarray(value, dtype=np.float64)
        except Exception as error:  # noqa: BLE001  # whatever a package raises
            return self._because(f"{type(error).__name__}: {error}")
        if not array.size:
            return self._because("it returned no number")
        if not (np.abs(array) < _LARGEST).all():
            return self._because(f"it returned {np.array2string(array, threshold=6)}")
        return True

    def _because(self, words: str) -> bool:
        """What was the matter first, which says most."""
        self.matter = self.matter or f"{words[:200]}"
        return False


def _iterate_given_points(
    near: Iterable[Sequence[Any]], known: Sequence[Hint]
) -> Iterator[tuple[Any, ...]]:
    for point in near:
        try:
            arrays = tuple(np.asarray(x, dtype=np.float64) for x in point)
        except (TypeError, ValueError):  # Texts, ragged lists, complex numbers.
            continue
        if len(arrays) != len(known) or not all(x.size for x in arrays):
            continue
        said = any(hint.shape for hint in known)
        if any(x.ndim for x in arrays) and not said:  # What is elementwise is judged at numbers.
            yield tuple(x.ravel()[x.size // 2] for x in arrays)
        yield arrays


def _starts(known: Sequence[Hint], random: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    for shapes in layouts(known):
        for size in SIZES:
            for trial in range(_TRIES):
                yield tuple(
                    draw_number(hint, shape, size, trial, random)
                    for hint, shape in zip(known, shapes, strict=True)
                )


def layouts(known: Sequence[Hint]) -> Iterator[tuple[Shape, ...]]:
    """Which shapes the arguments have together; last, several rows where a vector is declared."""
    seen: set[tuple[Shape, ...]] = set()
    for shape in _SHAPES:
        alike = tuple(shape if hint.shape is None else hint.shape for hint in known)
        single = [
            tuple(
                hint.shape if hint.shape is not None else shape if k == place else ()
                for k, hint in enumerate(known)
            )
            for place in (0, *range(len(known) - 1, 0, -1))
        ]
        for layout in (*single[:2], alike, *single[2:]):
            if layout not in seen:
                seen.add(layout)
                yield layout
    rows = tuple((_ROWS, *(hint.shape or ())) for hint in known)
    if any(len(shape) == 2 for shape in rows):
        yield tuple(shape if len(shape) == 2 else shape[1:] for shape in rows)


def draw_number(
    hint: Hint, shape: Shape, size: float, trial: int, random: np.random.Generator
) -> np.ndarray:
    """A value for one argument: positive at first, of either sign and of other sizes later."""
    part = random.uniform(0.3, 0.9, shape)
    if hint.is_bounded:
        return np.asarray(hint.lower + part * (hint.upper - hint.lower))
    if hint.near is not None:
        return np.asarray(hint.near * (0.7 + part * (0.5 + trial / 4)))
    if trial % 4 == 3:
        size *= float(random.choice([0.01, 0.1, 10.0, 100.0]))
    drawn = size * part
    if trial % 2 and hint.lower == -np.inf and hint.upper == np.inf:
        drawn = drawn * random.choice([-1.0, 1.0], shape)
    if hint.lower > -np.inf:
        return np.asarray(hint.lower + drawn)
    return np.asarray(hint.upper - drawn if hint.upper < np.inf else drawn)


@dataclass(slots=True)
class _Interval:
    """Bounds of one argument, of its shape."""

    lower: np.ndarray
    upper: np.ndarray

    def draw(self, random: np.random.Generator) -> np.ndarray:
        part = random.random(np.shape(self.lower))
        return np.asarray(self.lower + part * (self.upper - self.lower))


def _find_boxes_around(
    start: Sequence[Any],
    widths: Sequence[tuple[float, float]],
    known: Sequence[Hint],
    trial: _Trial,
    random: np.random.Generator,
) -> list[Box] | None:
    """A box for each argument, as wide as it may be; None if there is no room about `start`.

    An argument that cannot grow on both sides grows on one, if not to the other side of zero.
    """
    ladders = [list(_intervals(x, hint, widths)) for x, hint in zip(start, known, strict=True)]
    chosen = [ladder.pop(0) for ladder in ladders]
    if not _holds(start, chosen, 0, trial, random):
        return None
    growing = {k for k, ladder in enumerate(ladders) if ladder}
    while growing:
        for k in sorted(growing):
            here, wider = chosen[k], ladders[k].pop(0)
            on_one_side = (
                _Interval(wider.lower, here.upper),
                _Interval(here.lower, wider.upper),
            )
            for each in (wider, *(on_one_side if ladders[k] else ())):
                if _holds(start, [*chosen[:k], each, *chosen[k + 1 :]], k, trial, random):
                    chosen[k] = each
                    break
            if chosen[k] is here or not ladders[k]:
                growing.discard(k)
    return [box(each.lower, each.upper, np.shape(each.lower)) for each in chosen]


def _intervals(
    x: np.ndarray, hint: Hint, widths: Sequence[tuple[float, float]]
) -> Iterator[_Interval]:
    """From narrow to wide, within what is known; round numbers, that a report can show.

    Where both ends are known all but the last stay off them: the ends may be singular.
    """
    x = np.asarray(x, dtype=np.float64)
    inner = hint
    if hint.is_bounded:
        room = _ROOM * (hint.upper - hint.lower)
        inner = replace(hint, lower=hint.lower + room, upper=hint.upper - room)
    for low, high in widths:
        ends = np.minimum(x * low, x * high), np.maximum(x * low, x * high)
        flat = x == 0
        ends = np.where(flat, -high + 1, ends[0]), np.where(flat, high - 1, ends[1])
        yield _make_interval(*ends, inner)
    size = np.max(np.abs(x), initial=0.0) or 1.0
    if hint.is_bounded:
        for each in (inner, hint):
            yield _Interval(np.full(x.shape, each.lower), np.full(x.shape, each.upper))
    elif widths is _NEAR:
        return
    elif hint.lower >= 0 or hint.near is not None:
        every = np.full(x.shape, size)
        yield _make_interval(every / 16, every * 8, hint)
    else:
        every = np.full(x.shape, 4 * size)
        yield _make_interval(-every, every, hint)


def _make_interval(lower: np.ndarray, upper: np.ndarray, hint: Hint) -> _Interval:
    rounded = np.vectorize(lambda x: float(f"{x:.3g}"), otypes=[np.float64])
    low = np.clip(rounded(lower), hint.lower, hint.upper)
    high = np.clip(rounded(upper), hint.lower, hint.upper)
    return _Interval(np.asarray(low), np.asarray(high))


def _holds(
    start: Sequence[Any],
    boxes: Sequence[_Interval],
    k: int,
    trial: _Trial,
    random: np.random.Generator,
) -> bool:
    """Whether all is finite wherever it was tried, at corners too, where nothing may be clipped.

    At a corner all arguments are at their lower ends or at their upper ones, but for the one that
    grew last, `k`, which is at both.
    """
    ends = [[each.lower for each in boxes], [each.upper for each in boxes]]
    corners = [[*at[:k], end[k], *at[k + 1 :]] for at in ends for end in ends]
    inside = [tuple(each.draw(random) for each in boxes) for _ in range(_SAMPLES)]
    finite = all(trial.is_finite(point) for point in (*inside, *corners))
    return finite and not any(is_beyond_guard(trial.first, start, corner) for corner in corners)


def _nowhere(names: Sequence[str], trial: _Trial) -> str:
    shapes = "; ".join(list(trial.shapes)[:8])
    return (
        f"found no region where all is finite: {trial.calls} calls with numbers of sizes from "
        f"{min(SIZES):g} to {max(SIZES):g} and of both signs for {', '.join(names)}, in the "
        f"shapes {shapes}; at the first point: {trial.matter}"
    )
