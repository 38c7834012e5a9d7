"""Fidelity: whether a recorded Graph is the function that it was recorded from.

What a recording does not see (other threads, arrays of objects, text, compiled code) it takes for
constant, and where code asks for types it may go another way. Replayed at other points of its path
such a recording gives other values than the function, called on plain arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.graph.graph import Graph, Node
from symtape.recording.structure import flatten
from symtape.recording.tensor import constant

Point = tuple[Any, ...]
Function = Callable[..., Any]
MayReturn = Callable[[Graph, Point, list[Any]], bool]
Program = Callable[..., "tuple[Any, ...] | None"]
"""What computes a graph more quickly than a replay, within rounding; None off its path."""

_SCALES: Final = (4, 9, 16, 26, 36)
"""Points around are off by these powers of one half, relatively, until the path is kept."""

_POINTS: Final = 2
"""Points around at which recording and function are compared."""

_MOVES: Final = 3
"""How often the last digits of inputs are moved, each up or down by chance."""

_EXTREME: Final = 4
"""Powers up to this one are computed with without leaving the range of floats."""

_MIDDLE: Final = 16
"""Numbers with exponents of this part of the range stay far from its ends when computed with."""

TWO_FUNCTIONS: Final = (
    "the function gives another value for Python's floats than for NumPy's: {} "
    "(float, and np.float64); let it depend on values, not on types"
)

_OPAQUE: Final = "OUSV"
"""Kinds of objects and text."""

_MOST_SHOWN: Final = 6

ERRORS_OF_REPLAYS: Final = (ArithmeticError, IndexError, TypeError, ValueError)
"""What a replay raises where arrays inside had other shapes, or beyond a domain."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A point at which a function computes something else than its recording.

    Attributes
    ----------
    x : tuple of arrays
    computed, replayed : str
        What the function returned there, and what the recording gives.
    by_type : bool
        Whether it returns what the recording gives for the same numbers as NumPy's.
    """

    x: Point
    computed: str
    replayed: str
    by_type: bool = False

    def __str__(self) -> str:
        if self.by_type:
            return TWO_FUNCTIONS.format(f"{self.computed} and {self.replayed} at {_quote(self.x)}")
        return (
            f"the recording is not the function: at {_quote(self.x)} it computes {self.computed}, "
            f"the recording {self.replayed}"
        )


def departure(
    function: Function,
    graph: Graph,
    points: Iterable[Point],
    may_return: MayReturn,
    program: Program | None = None,
    digits: float = 0.0,
) -> Departure | None:
    """The first of `points` at which `graph` is not `function`; None if there is none.

    Parameters
    ----------
    function : callable
        Of plain arrays; of tensors, if it does not take these.
    graph : Graph
        Recorded of it.
    points : iterable of tuples of arrays
        Which take the recorded path.
    may_return : callable ``(graph, point, answers) -> bool``
        Whether floats that compute `graph` may return these answers; asked where they are not
        the same to the bit.
    program : callable, optional
        Asked first: where it returns what the function does, the graph is not replayed.
    digits : float
        Last digits by which a program may return something else, as in :func:`returns`.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.rigorous.floats import may_return
    >>> def f(x):
    ...     return x**2 if type(x) is np.float64 else x**3
    >>> print(departure(f, symtape.record(f, 1.5), [(np.float64(1.5),)], may_return))
    the recording is not the function: at 1.5 it computes 2.25, the recording 3.375
    """
    for k, x in enumerate(points):
        given = [x]
        if k == 0 and all(type(arg) is np.float64 for arg in x):
            # Code that is written for Python's numbers asks for these; once shows it.
            given.append(tuple(arg.item() for arg in x))
        found = _departure_at(function, graph, given, may_return, program, digits)
        if found is not None:
            return found
    return None


def _departure_at(
    function: Function,
    graph: Graph,
    given: Sequence[Point],
    may_return: MayReturn,
    program: Program | None,
    digits: float,
) -> Departure | None:
    """At one point, given as numbers of one type or of several."""
    x = given[0]
    replayed: list[Any] | None = None
    agrees = False
    for point in given:
        try:
            answers = _answers(function, point)
        except BudgetSpent:
            raise
        except Exception:  # noqa: BLE001
            # Where it raises there is nothing to compare; of its domain others have words.
            continue
        if program is not None and returns(program, x, answers, digits):
            agrees = True
            continue
        if replayed is None:
            found = graph.evaluate(*x) if program is None else _outputs_on_path(graph, *x)
            if found is None:  # a program may round what a decision is made by
                return None
            replayed = [np.asarray(y) for y in found]
        if [y.shape for y in answers] != [y.shape for y in replayed]:
            return Departure(point, _structure(answers), _structure(replayed), agrees)
        apart = [pair for pair in zip(answers, replayed, strict=True) if not _are_equal(*pair)]
        if apart and not _is_extreme(graph, x) and not may_return(graph, x, answers):
            return Departure(point, *_most_different(*apart[0]), agrees)
        agrees = True
    return None


def opaque(graph: Graph) -> Node | None:
    """The first operation on the way to an output that computes with objects or text.

    A replay follows these, and no derivative does.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> opaque(symtape.record(lambda x: np.sum(x.astype(str).astype(float)), [1.0])).name
    'astype_discrete'
    """
    needed = set(graph.outputs)
    found = None
    for at in range(len(graph) - 1, -1, -1):
        node = graph.nodes[at]
        if at in needed and node.primitive is not None:
            needed.update(node.inputs)
            found = node if node.dtype.kind in _OPAQUE else found
    return found


def points_around(
    graph: Graph, x: Point, seed: int = 0, program: Program | None = None
) -> Iterator[Point]:
    """Points that take the recorded path, at which every number of `x` is another one.

    They are as far off as the path allows; there are none where it is that of `x` alone. With a
    program it says which points these are.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: x * x if x > 1 else x, 1.0)
    >>> [point] = [round(float(x), 3) for (x,) in points_around(graph, (1.0,))][:1]
    >>> point < 1
    True
    """
    random = np.random.default_rng(seed)
    found = 0
    middle = tuple(map(_moderate_numbers, x))
    for scale in _SCALES:
        for move in (_scatter_numbers, _scatter_numbers, _stretch_numbers):
            start = middle if scale == _SCALES[0] else x
            point = tuple(move(np.asarray(arg), 2.0**-scale, random) for arg in start)
            if _keeps_path(graph, point, program):
                yield point
                found += 1
            if found >= _POINTS:
                return


def _moderate_numbers(x: Any) -> Any:
    """`x` with numbers of moderate size in place of very large and very small ones."""
    if np.iscomplexobj(x):
        return _moderate_numbers(np.real(x)) + 1j * _moderate_numbers(np.imag(x))
    mantissas, exponents = np.frexp(np.asarray(x))
    most = np.finfo(mantissas.dtype).maxexp // _MIDDLE
    return np.ldexp(mantissas, np.clip(exponents, -most, most))


def _is_extreme(graph: Graph, x: Point) -> bool:
    """Whether powers of what is computed of `x` may overflow or underflow.

    NumPy's own functions lose there what the operations of a recording need not. What is computed
    of an extreme constant does not count, for that may be what the recording is wrong about.
    """
    excused: set[int] = set()
    for at, (node, value) in enumerate(zip(graph.nodes, graph.values(*x), strict=True)):
        constant = node.primitive is None and at not in graph.inputs
        if not excused.isdisjoint(node.inputs) or (constant and not _is_moderate(value)):
            excused.add(at)
        elif not _is_moderate(value):
            return True
    return False


def _is_moderate(value: Any) -> bool:
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return True
    size, most = np.abs(array), 2.0 ** (np.finfo(array.dtype).maxexp // _EXTREME)
    return bool(np.all((size == 0) | ((1 / most <= size) & (size <= most))))


def _scatter_numbers(x: Any, scale: float, random: np.random.Generator) -> Any:
    """Each number moved by itself; a zero by as much as a one."""
    by = scale * random.uniform(0.5, 1.0, x.shape) * random.choice([-1.0, 1.0], x.shape)
    return np.where(x == 0, by, x * (1 + by)).astype(x.dtype)[()]


def _stretch_numbers(x: Any, scale: float, random: np.random.Generator) -> Any:
    """All numbers by the same factor, which keeps their order and their ties."""
    return (x * (1 + scale * random.uniform(0.5, 1.0))).astype(x.dtype)[()]


def returns(program: Program, x: Point, answers: Sequence[Any], digits: float = 0.0) -> bool:
    """Whether a program returns these answers, to the bit or but for so many last digits.

    Examples
    --------
    >>> returns(lambda x: (x + 1.0,), (1.0,), [np.float64(2.0)])
    True
    """
    found = _computed_outputs(program, x)
    return found is not None and are_near(answers, found, digits)


def are_near(answers: Sequence[Any], others: Sequence[Any], digits: float) -> bool:
    """Whether arrays are the same, or off by so many last digits of the largest number of each.

    Examples
    --------
    >>> are_near([np.array([1.0, 0.0])], [np.array([1.0, 1e-16])], 1.0)
    True
    """
    if len(answers) != len(others):
        return False
    pairs = zip(answers, others, strict=True)
    return all((digits > 0 and _is_near(*pair, digits)) or _are_equal(*pair) for pair in pairs)


def _is_near(one: Any, other: Any, digits: float) -> bool:
    if one.dtype.kind not in "fc" or one.dtype.kind != other.dtype.kind:
        return False
    if one.shape != other.shape or not one.size:
        return False
    with np.errstate(all="ignore"):
        off, largest, last = np.abs(one - other), np.max(np.abs(other)), np.finfo(other.dtype).eps
        if np.all(off <= digits * last * largest) and np.isfinite(largest):
            return True
    # To look for what is not finite takes several times as long.
    largest = np.max(np.abs(other), where=np.isfinite(other), initial=0.0)
    return np.allclose(one, other, 0.0, digits * last * largest, True)


def find_spreads(graph: Graph, x: Sequence[Any], replayed: Sequence[Any]) -> list[float]:
    """How far each output moves, at most, where the last digits of all inputs do.

    Examples
    --------
    >>> import symtape
    >>> find_spreads(symtape.record(lambda x: 2.0**20 * x, 1.0), (1.0,), [2.0**20])
    [2.3283064365386963e-10]
    """
    random = np.random.default_rng(0)
    spreads = [0.0] * len(replayed)
    for _ in range(_MOVES):
        moved = []
        for arg in map(np.asarray, x):
            by = np.finfo(arg.dtype).eps * random.choice([-1.0, 1.0], arg.shape)
            moved.append((arg * (1 + by)).astype(arg.dtype)[()])
        pairs = zip(graph.evaluate(*moved), replayed, strict=True)
        gaps = [float(np.max(np.abs(a - b), initial=0.0)) for a, b in pairs]
        spreads = [*map(max, spreads, gaps)]
    return spreads


def _keeps_path(graph: Graph, x: Point, program: Program | None) -> bool:
    """Whether a recording holds at `x`, and is finite there."""
    found = _computed_outputs(program or functools.partial(_outputs_on_path, graph), x)
    return found is not None and all(bool(np.all(np.isfinite(y))) for y in found)


def _outputs_on_path(graph: Graph, *x: Any) -> tuple[Any, ...] | None:
    values = graph.values_on_path(*x)
    return None if values is None else tuple(values[at] for at in graph.outputs)


def _computed_outputs(program: Program, x: Point) -> list[Any] | None:
    """What a program returns; None off its path, and where it raises."""
    try:
        found = program(*x)
    except ERRORS_OF_REPLAYS:
        return None
    return None if found is None else [np.asarray(y) for y in found]


def _answers(function: Function, x: Point) -> list[Any]:
    """What a function returns for plain copies of its arguments, or else for tensors of them."""
    try:
        returned = function(*map(_copy, x))
    except (AttributeError, TypeError):
        returned = function(*map(constant, x))
    return [_plain(y) for y in flatten(returned)]


def _copy(x: Any) -> Any:
    return x if isinstance(x, float) else np.array(x)[()]


def _plain(y: Any) -> Any:
    array = np.asarray(y)
    return array.astype(np.float64) if array.dtype.kind == "O" else array


def _are_equal(one: Any, other: Any) -> bool:
    # To look for NaN takes five times as long, and there are few.
    return np.array_equal(one, other) or (
        one.dtype.kind in "fc" and np.array_equal(one, other, equal_nan=True)
    )


def _most_different(one: Any, other: Any) -> tuple[str, str]:
    """The entries of two arrays that are farthest apart."""
    with np.errstate(all="ignore"):
        gaps = np.abs(np.subtract(one, other, dtype=np.result_type(one, other, np.float64)))
    alike = (one == other) | (np.isnan(one) & np.isnan(other))
    gaps = np.where(alike, -1.0, np.where(np.isfinite(gaps), gaps, np.inf))
    index = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    place = f" at {[int(k) for k in index]}" if index else ""
    return f"{one[index].item()!r}{place}", repr(other[index].item())


def _structure(arrays: list[Any]) -> str:
    if len(arrays) == 1:
        return f"an array of shape {arrays[0].shape}"
    return f"{len(arrays)} arrays, of shapes {', '.join(str(one.shape) for one in arrays)}"


def _quote(x: Point) -> str:
    shown = ", ".join(
        np.array2string(np.asarray(arg), threshold=_MOST_SHOWN, separator=", ") for arg in x
    )
    return shown if len(x) == 1 else f"({shown})"
