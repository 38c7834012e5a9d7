"""Boundaries: points on both sides of every place where a computation changes, and on it.

Event functions: numbers inside a recording whose sign, or value, says where something changes. A
comparison changes where its sides are equal, a maximum where its inputs are; abs, sqrt, log, a
quotient and a power where what they are given is zero; floor where its value jumps. In between
these places a recorded program is one smooth function; but hand-made derivatives have branches of
their own where the operations are special: where a function is given 0, 1 or -1, or a whole number,
and where terms cancel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from symtape.graph.graph import Graph, Node
from verify.judging.search.moves import Stepper
from verify.judging.search.tracks import Track, Tracks
from verify.regions import Region
from verify.regions.interleave import turns

_MOST_EVENTS: Final = 40
_MOST_CROSSINGS: Final = 4
_MOST_JUMPS: Final = 8
_MOST_POOL: Final = 160
_SWEEPS: Final = 3
_MOST_MOVED: Final = 12

Point = tuple[Any, ...]
Test = Callable[[Point], Any]


class Boundaries:
    """Looks for boundaries among and between given points.

    Parameters
    ----------
    region : Region
    stepper : Stepper
        With the evaluations that there are.
    random : numpy.random.Generator
    """

    def __init__(self, region: Region, stepper: Stepper, random: np.random.Generator) -> None:
        self.region = region
        self.stepper = stepper
        self._random = random
        self._searched: WeakKeyDictionary[Track, set[int]] = WeakKeyDictionary()
        self._sorted: tuple[Sequence[Point], list[Point]] = ((), [])

    def search_test(self, test: Test, pool: Sequence[Point]) -> Iterator[Point]:
        """Where the outcome of `test` changes between points of the pool."""
        yield from self._crossings(test, [(x, test(x)) for x in self._order_pool(pool)])

    def search_tracks(
        self, tracks: Tracks, pool: Sequence[Point], priority: int
    ) -> Iterator[Point]:
        """Where events of one priority change inside the recordings not yet searched for them."""
        ordered = self._order_pool(pool)
        for track in list(tracks.known):
            searched = self._searched.setdefault(track, set())
            if priority in searched or self.stepper.left <= 0:
                continue
            searched.add(priority)
            fitting = [x for x in ordered if track.fits(x)][:_MOST_POOL]
            yield from self._search_track(track, fitting, priority)

    def _order_pool(self, pool: Sequence[Point]) -> list[Point]:
        """By the first coordinate, so that neighbours in the list are neighbours in the region."""
        if self._sorted[0] is not pool:
            self._sorted = (pool, self._sort_by_coordinate(list(pool)))
        return self._sorted[1]

    def _sort_by_coordinate(self, points: list[Point]) -> list[Point]:
        if len(points) > _MOST_POOL:
            stride = len(points) / _MOST_POOL
            points = [points[int(k * stride)] for k in range(_MOST_POOL)]
        return sorted(points, key=lambda x: self.region.coordinates(x)[0][:1].tolist())

    def _search_track(self, track: Track, pool: list[Point], priority: int) -> Iterator[Point]:
        events = [event for event in event_functions(track.graph) if event.priority == priority]
        if events:
            yield from self._search_events(track, pool, events[:_MOST_EVENTS])
        steering = [track.graph.nodes[step.node].primitive for step in track.graph.path]
        compared = all(row is not None and row.compares for row in steering)
        if priority == 0 and not compared:
            yield from self.search_test(lambda x: track.follow(x) is not None, pool)

    def _search_events(
        self, track: Track, pool: list[Point], events: list[EventFunction]
    ) -> Iterator[Point]:
        table = [(x, values) for x in pool if (values := track.values(x)) is not None]
        for event in events:
            if self.stepper.left <= 0:
                return
            test = _test_of(track, event)
            known = [(x, side_of(event, values)) for x, values in table]
            if len({outcome for _, outcome in known if outcome != 2}) > 1:
                most = _MOST_JUMPS if event.jumps else max(1, _MOST_CROSSINGS >> event.priority)
                yield from self._crossings(test, known, most)
            elif event.priority < 2:
                inside = [(x, values) for x, values in table if track.graph.is_followed_by(values)]
                yield from self._other_side(test, event, track, inside or table)

    def _crossings(
        self, test: Test, known: list[tuple[Point, Any]], most: int = _MOST_CROSSINGS
    ) -> Iterator[Point]:
        """Both sides of some of the changes between neighbours in a list, each kind first."""
        kinds: dict[Any, list[tuple[Point, Point]]] = {}
        for (a, before), (b, after) in pairwise(known):
            if before != after and list(map(np.shape, a)) == list(map(np.shape, b)):
                kinds.setdefault((before, after), []).append((a, b))
        for a, b in islice(turns(kinds.values()), 2 * most):
            yield from self.stepper.find_changes(a, b, test)

    def _other_side(
        self,
        test: Test,
        event: EventFunction,
        track: Track,
        table: list[tuple[Point, list[Any]]],
    ) -> Iterator[Point]:
        """Across a boundary that no known point is beyond, by moving numbers towards it."""
        sizes = [(abs(event.evaluate(values)), k) for k, (_, values) in enumerate(table)]
        nearest = sorted((size, k) for size, k in sizes if size == size)[:2]
        for _, k in nearest:
            start = table[k][0]
            beyond = self._descend(start, test, event, track)
            if beyond is not None:
                yield beyond
                yield from self.stepper.find_changes(start, beyond, test)
                return

    def _descend(self, x: Point, test: Test, event: EventFunction, track: Track) -> Point | None:
        """A point where the test comes out otherwise than at `x`; None if none was met."""
        here = test(x)
        size = _size(track, event, x)
        count = len(self.region.coordinates(x)[0])
        for _ in range(_SWEEPS):
            order = self._random.permutation(count)[:_MOST_MOVED].tolist()
            for k in order:
                for moved in self._propose_along(x, k, track, event):
                    if self.stepper.left <= 0:
                        return None
                    self.stepper.left -= 1
                    outcome = test(moved)
                    if outcome not in (here, 2.0, None):
                        return moved
                    nearer = _size(track, event, moved)
                    if nearer < size:
                        x, size = moved, nearer
        return None

    def _propose_along(
        self, x: Point, k: int, track: Track, event: EventFunction
    ) -> Iterator[Point]:
        """`x` with number `k` where a secant leads, at its ends, and somewhere between."""
        low, high = self.region.bounds(k, x)
        now = self.region.coordinate(x, k)
        for value in (*self._secant(x, k, track, event, now), low, high, 0.0, -now):
            if low <= value <= high and value != now:
                moved = self.region.replace_coordinate(x, k, value)
                if moved is not None:
                    yield moved
        for value in self._random.uniform(low / 2, high / 2, size=3) * 2:
            moved = self.region.replace_coordinate(x, k, float(value))
            if moved is not None:
                yield moved

    def _secant(
        self, x: Point, k: int, track: Track, event: EventFunction, now: float
    ) -> tuple[float, ...]:
        """Where the line through the event at `x` and beside it is zero, and a little beyond."""
        beside = self.region.replace_coordinate(x, k, now + 1e-6 * max(abs(now), 1.0))
        if beside is None:
            beside = self.region.replace_coordinate(x, k, now - 1e-6 * max(abs(now), 1.0))
        if beside is None:
            return ()
        first, second = (_event_value(track, event, at) for at in (x, beside))
        step = self.region.coordinate(beside, k) - now
        slope = (second - first) / step if step else 0.0
        if not np.isfinite(slope) or slope == 0 or not np.isfinite(first / slope):
            return ()
        zero = now - first / slope
        return (zero, zero - 1e-3 * first / slope, zero - first / slope)


def _test_of(track: Track, event: EventFunction) -> Test:
    def test(x: Point) -> float:
        values = track.values(x, event.last)
        return 2.0 if values is None else side_of(event, values)

    return test


def _event_value(track: Track, event: EventFunction, x: Point) -> float:
    values = track.values(x, event.last)
    return float("nan") if values is None else event.evaluate(values)


def _size(track: Track, event: EventFunction, x: Point) -> float:
    size = abs(_event_value(track, event, x))
    return size if size == size else float("inf")


_MOST_NODES: Final = 400

_ARITHMETIC: Final = ("+", "-", "*", "/")
"""Operators that nobody writes a branch for, but where their result is zero."""

_ENTRIES: Final = 3
"""Entries of an array that are looked at: the first, the last, the one in the middle."""


@dataclass(frozen=True, slots=True)
class EventFunction:
    """One number inside a recording.

    Attributes
    ----------
    evaluate : callable ``(values of all nodes) -> float``
        Its sign is what matters, or its value if `jumps`.
    last : int
        The values of later nodes do not matter.
    priority : int
        0 what steers, 1 where an operation has a boundary of its own, 2 where it is given 0 or
        its terms cancel, 3 where it is given 1 or -1, 4 where it is given a whole number.
    jumps : bool
        Whether it is a value of a step function.
    """

    evaluate: Callable[[list[Any]], float]
    last: int
    priority: int
    jumps: bool = False


def side_of(event: EventFunction, values: list[Any]) -> float:
    """On which side of it a point is: -1, 0 or 1; 2 if it is not a number; of a step, its value."""
    value = event.evaluate(values)
    if value != value:
        return 2.0
    return value if event.jumps else float(np.sign(value))


def event_functions(graph: Graph) -> list[EventFunction]:
    """The event functions of a recording, by priority."""
    found: list[EventFunction] = []
    for at, node in enumerate(graph.nodes[:_MOST_NODES]):
        if node.primitive is None:
            continue
        for evaluate, priority, jumps in _list_node_functions(graph, at, node):
            size = int(np.prod(node.shape, dtype=int))
            for entry in sorted({0, size // 2, size - 1} if size else ())[:_ENTRIES]:
                found.append(
                    EventFunction(_entry(evaluate, node.shape, entry), at, priority, jumps)
                )
    return sorted(found, key=lambda event: event.priority)


NodeFunction = Callable[[list[Any]], Any]


def _list_node_functions(graph: Graph, at: int, node: Node) -> list[tuple[NodeFunction, int, bool]]:
    row = node.row
    if row.ties == "inputs" and (row.compares or node.dtype.kind == "f"):
        return [(_difference(*node.inputs), 0, False)]
    if node.dtype.kind != "f" or not node.inputs:
        return []
    if row.elementwise and row.symbolic is None and not any(row.rules):
        return [(_value(at), 0, True)]
    moving = [
        i
        for i in node.inputs
        if graph.nodes[i].constant is None and graph.nodes[i].dtype.kind == "f"
    ]
    found = [(_value(at), 2, False)]
    if row.elementwise and (row.kinks is not None or row.domain is not None):
        found = [(_value(i), 1, False) for i in moving]
    if row.elementwise and row.operator not in _ARITHMETIC:
        found += [(_value(i), 2, False) for i in moving]
        found += [
            (_distance_from_target(i, target), 3, False) for i in moving for target in (1.0, -1.0)
        ]
        found += [(_integer_steps(i), 4, True) for i in moving]
    return found


def _value(at: int) -> NodeFunction:
    return lambda values: values[at]


def _distance_from_target(at: int, target: float) -> NodeFunction:
    return lambda values: np.subtract(values[at], target, dtype=float)


def _integer_steps(at: int) -> NodeFunction:
    """Twice the whole number below, and one more between two: it jumps at and beside each."""
    return lambda values: np.floor(values[at]) + np.ceil(values[at])


def _difference(left: int, right: int) -> NodeFunction:
    def find_gap(values: list[Any]) -> Any:
        gap = np.asarray(values[left]) - np.asarray(values[right], dtype=complex)
        return gap.real if not np.any(gap.imag) else np.abs(gap)

    return find_gap


def _entry(
    evaluate: NodeFunction, shape: tuple[int, ...], entry: int
) -> Callable[[list[Any]], float]:
    if not shape:
        return lambda values: float(evaluate(values))

    def one(values: list[Any]) -> float:
        try:
            found = np.asarray(evaluate(values))
            whole = found if found.shape == shape else np.broadcast_to(found, shape)
            return float(whole.flat[entry])
        except ValueError:
            # Of arrays chosen by a mask the shapes depend on the values, and are others here.
            return math.nan

    return one
