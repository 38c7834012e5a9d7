"""Samples of a function: a few points at which it is finite, with its values and differences."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from verify.auditing.packages.behaviour.candidates import Candidate, hints_for
from verify.auditing.packages.behaviour.numbers import Layout, are_alike, numbers_of
from verify.auditing.packages.differences import two_differences
from verify.auditing.packages.examples import example_calls
from verify.auditing.packages.held import fix_arguments, parameters_of
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.names import flags_of
from verify.auditing.packages.regions import SIZES, draw_number, layouts
from verify.auditing.packages.widths import narrow_to_width

POINTS: Final = 5
_LEAST: Final = 3
_DRAWN: Final = 12
_MOST_SAMPLES: Final = 4

_COUNTS: Final = re.compile(r"\b\d{1,2}\b")
_MOST_ENTRIES: Final = 20

Function = Callable[..., Any]
Point = tuple[Any, ...]
Shape = tuple[int, ...]


class TooSlow(BaseException):
    """A call that took too long; passes through code that catches whatever functions raise."""


@dataclass(slots=True)
class Calls:
    """Calls of a family, counted, so that the work is bounded and the same everywhere."""

    left: int
    counts: dict[int, None] = field(default_factory=dict)
    """Numbers in the words of errors: of how many entries something should have been."""

    def value(self, function: Function, point: Point) -> tuple[np.ndarray, Layout] | None:
        """The numbers that a function returns; None where it returns none.

        Raises
        ------
        TooSlow
        """
        if self.left <= 0:
            return None
        self.left -= 1
        try:
            answer = function(*(np.array(x)[()] for x in point))
            return numbers_of(answer, split=not any(map(np.shape, point)))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # theirs, whatever it is
            told = [*map(int, _COUNTS.findall(str(error)[:300]))]
            more = [count + 1 for count in told[:1] if isinstance(error, IndexError)]
            self.counts |= {count: None for count in (*more, *told) if 1 < count <= _MOST_ENTRIES}
            return None


@dataclass(slots=True)
class Sample:
    """A function at a few points.

    Attributes
    ----------
    names : tuple of str
    constants : mapping
        Of its parameters that are held.
    function : callable
        Of the arguments called so.
    points : list of points
    values : array
        A row for each point.
    layout : Layout
    slopes : dict
        The differences that are known already.
    is_too_wide : bool
        Whether its arrays are longer than the function takes; for claims that take no others.
    leading : int
        Behind how many items are the derivatives that a flag has asked for; else 0.
    """

    names: tuple[str, ...]
    constants: Mapping[str, Any]
    function: Function
    points: list[Point]
    values: np.ndarray
    layout: Layout
    slopes: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    is_too_wide: bool = False
    leading: int = 0

    def differentiate(self, calls: Calls, by: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Differences by arguments, one after the other, and their errors; else NaN."""

        def vector(*arguments: Any) -> np.ndarray:
            found = calls.value(self.function, arguments)
            if found is None or found[0].size != self.values.shape[1]:
                return np.full(self.values.shape[1], np.nan)
            return found[0]

        known = self.slopes.get(tuple(by))
        if known is None:
            made = [two_differences(vector, point, by) for point in self.points]
            known = np.stack([each[0] for each in made]), np.stack([each[1] for each in made])
            self.slopes[tuple(by)] = known
        return known

    def is_linear(self, calls: Calls, k: int) -> bool:
        """Whether the values are linear in an argument: its coefficients are then no derivative."""
        point = self.points[0]
        ends = [
            calls.value(self.function, (*point[:k], point[k] * scale, *point[k + 1 :]))
            for scale in (0.98, 1.0, 1.02)
        ]
        values = [each[0] for each in ends if each is not None]
        if len(values) < 3 or len({each.size for each in values}) > 1:
            return False
        bend = np.abs(values[0] - 2 * values[1] + values[2])
        return not np.any(bend > 1e-8 * np.max(np.abs(values[1])))


def samples_of(candidate: Candidate, calls: Calls) -> list[Sample]:
    """Samples in a few shapes; none of what is constant, not finite or by chance.

    Raises
    ------
    TooSlow
    """
    names = candidate.varied
    hints = hints_for(candidate)
    known = [hints.get(name, Hint()) for name in names]
    undeclared = [k for k, hint in enumerate(known) if hint.shape is None]
    found: dict[tuple[int, ...], list[Sample]] = {}
    for constants in itertools.islice(_constants(candidate), 4):
        function = fix_arguments(candidate.function, names, constants)
        for points in _point_sets(candidate, known, function, calls):
            dims = tuple(np.ndim(x) for x in points[0])
            if dims in found:
                continue
            sample = _sample(names, constants, function, points, calls)
            if sample is not None:
                narrower = list(_narrow(sample, undeclared, calls))
                sample.is_too_wide = bool(narrower)
                found[dims] = [*narrower, sample]
            if len(found) == _MOST_SAMPLES:
                break
        if found:
            break
    plain = [sample for samples in found.values() for sample in samples]
    return [*plain, *_ask_for_derivatives(candidate.function, plain, calls)]


def _ask_for_derivatives(
    function: Function, samples: Sequence[Sample], calls: Calls
) -> Iterator[Sample]:
    """The same points with each flag for which derivatives stand behind the values."""
    for flag, plain in itertools.product(flags_of(parameters_of(function)), samples):
        constants = {**plain.constants, flag: True}
        asked = fix_arguments(function, plain.names, constants)
        made = _sample(plain.names, constants, asked, plain.points, calls)
        count = plain.values.shape[1]
        if made is not None and np.array_equal(made.values[:, :count], plain.values):
            items = {path[0]: at for path, at in made.layout.items() if len(path) == 1}
            made.leading = min((k for k, at in items.items() if np.all(at >= count)), default=0)
            made.is_too_wide = plain.is_too_wide
            yield made


def _constants(candidate: Candidate) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*(each.choices for each in candidate.held)):
        yield {each.name: value for each, value in zip(candidate.held, values, strict=True)}


def _point_sets(
    candidate: Candidate, known: Sequence[Hint], function: Function, calls: Calls
) -> Iterator[list[Point]]:
    random = np.random.default_rng(0)
    for call in itertools.islice(example_calls(candidate.function), 3):
        if not {*candidate.varied} <= {*call}:
            continue
        try:
            start = [np.asarray(call[name], dtype=np.float64) for name in candidate.varied]
        except (TypeError, ValueError):
            continue
        if all(0 < x.size <= 20 for x in start):
            yield [
                tuple(x * random.uniform(0.9, 1.1, x.shape) for x in start) for _ in range(_DRAWN)
            ]
    tried = list(layouts(known))
    calls.counts.clear()
    for shapes in itertools.chain(tried, _guess_shapes(tried[0], calls)):
        for size in SIZES:
            drawn = [_draw(known, shapes, size, trial, random) for trial in range(_DRAWN)]
            yield drawn
            if not any(calls.value(function, point) for point in drawn[:2]):
                break


def _guess_shapes(first: Sequence[Shape], calls: Calls) -> Iterator[tuple[Shape, ...]]:
    """Shapes of the sizes that errors have named, for the first argument and for all of them."""
    taken: set[int] = set()
    while left := [count for count in calls.counts if count not in taken]:
        taken.add(left[0])
        for shape in ((left[0],), (3, left[0])):
            yield (shape, *first[1:])
            if len(first) > 1:
                yield (shape,) * len(first)


def _draw(
    known: Sequence[Hint],
    shapes: Sequence[Shape],
    size: float,
    trial: int,
    random: np.random.Generator,
) -> Point:
    """Positive at first, of either sign later."""
    turn = 1 if trial % 3 == 2 else 0
    return tuple(
        draw_number(hint, shape, size, turn, random)
        for hint, shape in zip(known, shapes, strict=True)
    )


def _sample(
    names: tuple[str, ...],
    constants: Mapping[str, Any],
    function: Function,
    points: Sequence[Point],
    calls: Calls,
) -> Sample | None:
    kept: list[Point] = []
    values: list[np.ndarray] = []
    layout: Layout | None = None
    for place, point in enumerate(points):
        if place == 2 and not kept:
            return None
        found = calls.value(function, point)
        if found is None or not (np.abs(found[0]) < 1e100).all():
            continue
        if layout is not None and not are_alike(layout, found[1]):
            continue
        layout = found[1]
        kept.append(point)
        values.append(found[0])
        if len(kept) == POINTS:
            break
    if layout is None or len(kept) < _LEAST or not np.any(np.ptp(np.stack(values), axis=0) > 0):
        return None
    again = calls.value(function, kept[0])
    if again is None or not np.array_equal(again[0], values[0]):
        return None
    return Sample(names, constants, function, kept, np.stack(values), layout)


def _narrow(sample: Sample, undeclared: Sequence[int], calls: Calls) -> Iterator[Sample]:
    """A sample of shorter arrays, where those of one are longer than the function takes.

    Some claims take the longer ones alone.
    """

    def vector(*arguments: Any) -> Any:
        found = numbers_of(sample.function(*arguments), split=False)
        return None if found is None else found[0]

    points = [narrow_to_width(vector, point, undeclared) for point in sample.points]
    sizes = {tuple(map(np.shape, point)) for point in points}
    if len(sizes) == 1 and sizes != {tuple(map(np.shape, sample.points[0]))}:
        made = _sample(sample.names, sample.constants, sample.function, points, calls)
        yield from () if made is None else (made,)
