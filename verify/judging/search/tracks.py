"""Tracks: recordings of a function, used again at every point of one path, and its other pieces.

Pieces that a function shows: cells of a table, whole numbers it steps through, paths of an if. In
each piece the derivative is another one, and a claim may be wrong in one of hundreds. So each that
is met is compared once, whatever else a search has seen, and those between are looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.numeric.batch import Batch
from symtape.process.work import charge
from verify.judging.rounding.programs import NOT_REPLAYED
from verify.judging.search.moves import halfway, steps_between
from verify.regions import Region

_MOST_KEPT: Final = 64
_MOST_NODES: Final = 200_000


class Track:
    """One recording, ready to be replayed on plain arrays, and no farther than is asked for.

    Parameters
    ----------
    graph : Graph
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._inputs = {at: number for number, at in enumerate(graph.inputs)}
        self._signature = [(graph.nodes[at].shape, graph.nodes[at].dtype) for at in graph.inputs]
        self._decided = {step.node: step for step in graph.path}
        self._checkpoints = [*sorted(self._decided), len(graph.nodes) - 1]

    def fits(self, x: tuple[Any, ...]) -> bool:
        """Whether it was recorded at arguments of these shapes and types."""
        return self._signature == [(np.shape(arg), np.asarray(arg).dtype) for arg in x]

    def values(self, x: tuple[Any, ...], last: int | None = None) -> list[Any] | None:
        """The value of every node at `x`, up to node `last`; None where it cannot be replayed."""
        found: list[Any] = []
        try:
            self._replay(found, x, len(self.graph.nodes) - 1 if last is None else last)
        except NOT_REPLAYED:
            return None
        return found

    def follow(self, x: tuple[Any, ...]) -> list[Any] | None:
        """The value of every node at `x`, if it takes the recorded path; None if it does not."""
        found: list[Any] = []
        try:
            for last in self._checkpoints:
                self._replay(found, x, last)
                if last in self._decided and not self._decided[last].holds(found[last]):
                    return None
        except NOT_REPLAYED:
            return None
        return found

    def followed_by_many(
        self, points: Sequence[tuple[Any, ...]]
    ) -> tuple[list[tuple[Any, bool]], Any] | None:
        """The values of every node at many points, and at which of them the path is taken.

        Returns
        -------
        tuple or None
            For each node an array, and whether its first axis is that of the points; a bool
            array. None where it cannot be replayed for all of them together.
        """
        columns = zip(self.graph.inputs, zip(*points, strict=True), strict=True)
        given = [
            Batch(np.array(column, dtype=self.graph.nodes[at].dtype)) for at, column in columns
        ]
        charge(0.01 * len(self.graph.nodes) * len(points))
        try:
            found = self.graph.interpret(
                given,
                constant=lambda node: node.constant,
                apply=lambda node, args: node.row(*args, **node.params),
            )
        except NOT_REPLAYED:
            return None
        taken = np.ones(len(points), dtype=bool)
        for at, step in self._decided.items():
            value = found[at]
            of_each = value.value if isinstance(value, Batch) else [value] * len(points)
            taken &= np.fromiter(map(step.holds, of_each), dtype=bool, count=len(points))
        many = [isinstance(value, Batch) for value in found]
        pairs = zip(found, many, strict=True)
        return [(value.value if flag else value, flag) for value, flag in pairs], taken

    def _replay(self, found: list[Any], x: tuple[Any, ...], last: int) -> None:
        """Extend the values in `found` up to node `last`."""
        nodes = self.graph.nodes
        for at in range(len(found), last + 1):
            node = nodes[at]
            if node.primitive is None:
                found.append(self._read_input(at, x) if at in self._inputs else node.constant)
                continue
            value = node.primitive.evaluate(*[found[i] for i in node.inputs], **node.params)
            found.append(value if node.part is None else value[node.part])

    def _read_input(self, at: int, x: tuple[Any, ...]) -> Any:
        array = np.asarray(x[self._inputs[at]], dtype=self.graph.nodes[at].dtype)
        return array if array.ndim else array[()]


class Tracks:
    """Recordings of one function.

    Parameters
    ----------
    record : callable ``(*point) -> Graph``
        Records the function at a point; what it raises is handed on.

    Attributes
    ----------
    known : list of Track
        Each another path, or of other shapes; the latest used first.
    """

    def __init__(self, record: Callable[..., Graph]) -> None:
        self._record = record
        self.known: list[Track] = []

    def find_recording(self, x: tuple[Any, ...]) -> tuple[Graph, list[Any]]:
        """A recording that holds at `x`, and the value of each of its nodes there."""
        for place, track in enumerate(self.known):
            values = track.follow(x) if track.fits(x) else None
            if values is not None:
                if place:
                    self.known.insert(0, self.known.pop(place))
                return track.graph, values
        graph = self._record(*x)
        if not graph.escapes:
            self._keep(Track(graph))
        return graph, graph.values(*x)

    def longest(self) -> int:
        """The operations of the longest recording."""
        return max((len(track.graph) for track in self.known), default=0)

    def _keep(self, track: Track) -> None:
        self.known.insert(0, track)
        del self.known[_MOST_KEPT:]
        while len(self.known) > 1 and sum(len(one.graph) for one in self.known) > _MOST_NODES:
            del self.known[-1]


Path = tuple[Any, ...]
"""What Python's control flow decided, and what each comparison and choice inside came to."""


def path_of(graph: Graph, values: list[Any]) -> Path:
    """The path that `graph` computes with these values.

    Of an array of comparisons only whether all, some or none hold counts; else there would be
    more paths than points.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: np.sum(np.where(x > 0, x, -x)), [1.0, -2.0])
    >>> path_of(graph, graph.values([1.0, -2.0])) == path_of(graph, graph.values([-3.0, 0.5]))
    True
    >>> path_of(graph, graph.values([1.0, -2.0])) == path_of(graph, graph.values([3.0, 0.5]))
    False
    """
    return paths_of(graph, [(value, False) for value in values], 1)[0]


def paths_of(graph: Graph, values: Sequence[tuple[Any, bool]], count: int) -> list[Path]:
    """The paths at many points, as :func:`path_of` says them of one."""
    python = tuple(step.outcome for step in graph.path)
    steered = {step.node for step in graph.path}
    columns = [
        _outcomes(graph, values, at, count) for at in choosing_nodes(graph) if at not in steered
    ]
    if not columns:
        return [(python, ())] * count
    return [(python, outcomes) for outcomes in zip(*columns, strict=True)]


def _outcomes(
    graph: Graph, values: Sequence[tuple[Any, bool]], at: int, count: int
) -> list[tuple[bool, bool]]:
    node = graph.nodes[at]
    if node.row.compares:
        flags, many = values[at]
    else:
        (left, of_left), (right, of_right) = (values[i] for i in node.inputs[:2])
        many = of_left or of_right
        rank = max(np.ndim(left) - of_left, np.ndim(right) - of_right)
        flags = _raise_to_rank(left, of_left, rank) > _raise_to_rank(right, of_right, rank)
    if not many:
        return [(bool(np.any(flags)), bool(np.all(flags)))] * count
    flat = np.asarray(flags).reshape(count, -1)
    return list(zip(np.any(flat, axis=1).tolist(), np.all(flat, axis=1).tolist(), strict=True))


def _raise_to_rank(array: Any, many: bool, rank: int) -> Any:
    """An array of which all axes but that of the points are of one rank."""
    if not many:
        return array
    shape = np.shape(array)
    return np.reshape(array, (shape[0], *(1,) * (rank + 1 - len(shape)), *shape[1:]))


def choosing_nodes(graph: Graph) -> list[int]:
    """The nodes that compare, or choose element by element between two inputs."""
    return [
        at
        for at, node in enumerate(graph.nodes)
        if node.primitive is not None and node.primitive.ties == "inputs"
    ]


MOST_PIECES: Final = 1_000
"""That are compared, beside all other points."""

_HALVINGS: Final = 64

Piece = tuple[Any, ...]
Point = tuple[Any, ...]


def pieces_of(graph: Graph, values: list[Any]) -> frozenset[Piece]:
    """The path, with the constants that it compares with, and each whole number that is found."""
    compared = [graph.nodes[i] for step in graph.path for i in graph.nodes[step.node].inputs]
    constants = [str(node.constant) for node in compared if node.constant is not None]
    found: set[Piece] = {(*(step.outcome for step in graph.path), *constants)}
    for at in _counting_nodes(graph):
        found.update((at, number) for number in np.unique(values[at]).tolist())
    return frozenset(found)


def _counting_nodes(graph: Graph) -> list[int]:
    """Whole numbers that come of floats: places in a table, floors."""
    whole = [node.dtype.kind in "iu" and node.primitive is not None for node in graph.nodes]
    return [
        at
        for at, node in enumerate(graph.nodes)
        if whole[at] and not any(whole[i] for i in node.inputs)
    ]


def points_between(region: Region, tracks: Tracks, points: Iterable[Point]) -> Iterator[Point]:
    """Points with the whole numbers that lie between those that `points` have."""
    known: dict[Any, dict[int, Point]] = {}
    for x in points:
        graph, values = tracks.find_recording(x)
        for at in _counting_nodes(graph):
            for entry in {0, np.size(values[at]) - 1} if np.size(values[at]) else ():
                number = int(np.ravel(values[at])[entry])
                known.setdefault((at, entry, *map(np.shape, x)), {}).setdefault(number, x)
    for (at, entry, *_), found in known.items():
        for number in range(min(found), max(found)):
            if number in found:
                continue
            above = min(other for other in found if other > number)
            met = _find_crossing(
                region, tracks, found[number - 1], found[above], (at, entry, number)
            )
            found[number] = met or found[number - 1]
            if met is not None:
                yield met


def _find_crossing(
    region: Region, tracks: Tracks, low: Point, high: Point, sought: tuple[int, int, int]
) -> Point | None:
    """A point on the way from one to another, at which an entry of a node is the number sought."""
    at, entry, number = sought

    def read_count(x: Point) -> int:
        graph, values = tracks.find_recording(x)
        known = at < len(values) and np.size(values[at]) > entry
        return (
            int(np.ravel(values[at])[entry])
            if known and at in _counting_nodes(graph)
            else number + 1
        )

    before = low
    for k, after in steps_between(region, low, high):
        if read_count(after) < number:
            before = after
            continue
        here, there = (region.coordinate(x, k) for x in (before, after))
        for _ in range(_HALVINGS):
            if read_count(after) == number:
                return after
            if (half := halfway(region, before, k, here, there)) is None:
                return None
            middle, place = half
            if read_count(middle) < number:
                before, here = middle, place
            else:
                after, there = middle, place
        return None
    return None
