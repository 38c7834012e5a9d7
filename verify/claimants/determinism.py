"""Whether a function and a claim answer the same when they are asked the same.

A function that does not has no derivative that could be judged: it draws random numbers, counts its
calls, writes into its argument, tells numbers by their type, or keeps values between calls, so that
what it returns was computed from another input. Of a claim that does not, or that knows an array by
its place in memory, the numbers mean nothing.
"""

from __future__ import annotations

import contextlib
import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.graph.fidelity import TWO_FUNCTIONS
from symtape.graph.graph import Graph
from symtape.process.extras import find_loaded
from symtape.reading.record import record_readable
from symtape.recording.refusals import KEPT
from symtape.recording.stack import FINISHED
from symtape.recording.structure import flatten
from symtape.recording.tensor import Tensor
from verify.claimants.claim import Claim
from verify.errors import NotAFunction
from verify.files import places
from verify.model.case import argument_names
from verify.model.foreign import Foreign

_ASIDE: Final = 2.0**-6
"""How far, relatively, another point is that is asked, or held by an array, in between."""

_NOISE: Final = 2.0**-30
"""Values that differ by less, relatively, are taken for noise where noise is measured."""

_TURNS: Final = (1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0)
"""Which of two kinds of numbers is given next: no order of answers of a short period fits it."""

_WRITES: Final = (
    "the function changed its argument {} in place, so a second call gets another point; "
    "let it work on a copy"
)

Function = Callable[..., Any]
Point = tuple[Any, ...]


def unsteady(function: Function, point: Point, budget: int | None = None) -> str:
    """Words for a function that has no single value at `point`; empty if it has.

    It is called on arrays, and recorded at the point, at another, and at the point again.

    Parameters
    ----------
    function : callable
    point : tuple of arrays
    budget : int, optional
        Most operations to record.

    Examples
    --------
    >>> unsteady(np.sin, (0.5,))
    ''
    >>> unsteady(lambda x: x * np.random.rand(), (0.5,))  # doctest: +ELLIPSIS
    'the function depends on the global random state of numpy.random: ...'
    """
    if words := _impure(function, point):
        return words
    before = _random_states()
    graphs = [record_readable(function, *point, budget=budget)]
    drawn = _drawn_states(before)
    graphs.append(record_readable(function, *point, budget=budget))
    with contextlib.suppress(Exception):
        record_readable(function, *_aside(point), budget=budget)
    graphs.append(record_readable(function, *point, budget=budget))
    if words := next(filter(None, map(stale_tensors, graphs)), ""):
        return words
    first, *others = graphs
    return next(
        filter(
            None, (_describe_recording_difference(first, other, point, drawn) for other in others)
        ),
        "",
    )


def unsteady_values(function: Function, point: Point) -> str:
    """As :func:`unsteady`, of a function that is only called; noise is left to be measured.

    Examples
    --------
    >>> state = iter(range(9))
    >>> unsteady_values(lambda x: x + next(state), (0.5,)).partition(";")[0]
    'the function is not deterministic: 1.5 and 2.5 from two calls at the same point'
    """
    written: list[str] = []
    if words := _impure(function, point, written):
        return words
    if written:
        return _WRITES.format(written[0])

    def call_function() -> list[Any]:
        return [np.asarray(y) for y in flatten(function(*map(_copy, point)))]

    words = describe_difference(call_function, _NOISE)
    return f"the function {words}" if words else ""


def stale_tensors(graph: Graph) -> str:
    """Words for a recording into which a tensor of an earlier one came; empty if there is none."""
    origins = [escape.origin for escape in graph.escapes if escape.how == KEPT]
    if not origins:
        return ""
    place = places.relative(places.place_of_origin(origins[0]))
    made = f", made at {place}," if place else ""
    return _describe_cache(f"a tensor of an earlier call{made} came back in this one")


def describe_difference(call: Callable[[], Sequence[Any]], noise: float = 0.0) -> str:
    """How two calls differ, in words without a subject; empty if they do not."""
    before = _random_states()
    first = call()
    drawn = _drawn_states(before)
    return _describe_nondeterminism(_difference(first, call(), noise), drawn)


def _describe_nondeterminism(difference: str, drawn: str) -> str:
    if not difference:
        return ""
    if drawn:
        return (
            f"depends on the global random state of {drawn}: {difference} from two calls at the "
            "same point; pass it a generator with a fixed seed"
        )
    return (
        f"is not deterministic: {difference} from two calls at the same point; pass it what it "
        "draws, counts or reads from outside as an argument"
    )


def _impure(function: Function, point: Point, written: list[str] | None = None) -> str:
    """Words for a function that keeps values, or asks for types; what it writes into is noted."""
    given = [_copy(x) for x in point]
    try:
        returned = flatten(function(*given))
    except Exception:  # noqa: BLE001
        # Of code that takes tensors alone, or is not defined there, others have words.
        return ""
    if any(isinstance(y, Tensor) and FINISHED.has_traced(y) for y in returned):
        return _describe_cache("called on arrays it returned a tensor of an earlier call")
    if written is not None:
        written += _changed_arguments(function, point, given)
    return _describe_type_dependence(function, point, returned)


def written_argument(function: Function, point: Point) -> str:
    """The name of the argument that a function writes into; empty if there is none.

    Examples
    --------
    >>> written_argument(np.sin, (0.5,))
    ''
    """
    given = [_copy(x) for x in point]
    try:
        function(*given)
    except Exception:  # noqa: BLE001  # of what it raises others have words
        return ""
    return next(iter(_changed_arguments(function, point, given)), "")


def _changed_arguments(function: Function, point: Point, given: Sequence[Any]) -> list[str]:
    """Names of the arguments that are not what they were."""
    names = argument_names(function, len(point))
    pairs = zip(names, point, given, strict=True)
    return [n for n, x, after in pairs if not np.array_equal(np.asarray(x), after, equal_nan=True)]


def _describe_type_dependence(function: Function, point: Point, returned: Sequence[Any]) -> str:
    """Words for a function of numbers that computes otherwise of Python's than of NumPy's."""
    if not all(type(x) is np.float64 for x in point):
        return ""
    given = (point, tuple(x.item() for x in point))

    def call_with_kind(kind: int) -> list[Any]:
        return [np.asarray(y) for y in flatten(function(*given[kind]))]

    before = _random_states()
    try:
        known = [[np.asarray(y) for y in returned], call_with_kind(1)]
        each = [y for answers in known for y in answers]
        if not all(y.dtype.kind in "fiu" and np.all(np.isfinite(y)) for y in each):
            return ""
        words = _difference(known[1], known[0], _NOISE)
        # What draws, counts or reads a clock differs of one type as well as of two.
        for kind in _TURNS if words else ():
            if again := _difference(known[kind], call_with_kind(kind)):
                return f"the function {_describe_nondeterminism(again, _drawn_states(before))}"
    except Exception:  # noqa: BLE001
        # Python's numbers raise where NumPy's are infinite.
        return ""
    return TWO_FUNCTIONS.format(f"{words} at the same point") if words else ""


def _describe_recording_difference(first: Graph, second: Graph, point: Point, drawn: str) -> str:
    """Words for two recordings at one point that do not compute alike."""
    values = [[np.asarray(y) for y in graph.evaluate(*point)] for graph in (first, second)]
    if words := _describe_nondeterminism(_difference(values[0], values[1]), drawn):
        return f"the function {words}"
    if first.escapes or second.escapes:
        return ""
    done, again = _operations(first), _operations(second)
    if done == again and _outcomes(first) == _outcomes(second):
        found = _difference(_constants(first), _constants(second))
        words = _describe_nondeterminism(f"constants {found}" if found else "", drawn)
        return f"the function {words}" if words else ""
    how = f"of {len(done)} and of {len(again)}" if len(done) != len(again) else "of different"
    return _describe_cache(f"two recordings at the same point are {how} operations")


def _operations(graph: Graph) -> list[str]:
    return [node.name for node in graph.nodes if node.primitive is not None]


def _outcomes(graph: Graph) -> list[bool]:
    return [step.outcome for step in graph.path]


def _constants(graph: Graph) -> list[Any]:
    return [np.asarray(node.constant) for node in graph.nodes if node.constant is not None]


def _describe_cache(how: str) -> str:
    return (
        f"the function keeps values between calls (a cache): {how}; clear or bypass the cache "
        "while verifying, so that every call computes from its own input, or go by "
        "evidence='sampled'"
    )


def _aside(point: Point) -> Point:
    moved = []
    for x in point:
        array = np.asarray(x)
        other = np.where(array == 0, _ASIDE, array * (1 - _ASIDE))
        moved.append(other.astype(array.dtype if array.dtype.kind == "f" else np.float64)[()])
    return tuple(moved)


def _copy(x: Any) -> Any:
    array = np.array(x)
    return array if array.ndim else array[()]


def _difference(first: Sequence[Any], second: Sequence[Any], noise: float = 0.0) -> str:
    """The first entry in which two answers differ, in words."""
    if len(first) != len(second):
        return f"{len(first)} and {len(second)} arrays"
    for one, other in zip(first, second, strict=True):
        if one.shape != other.shape:
            return f"shapes {one.shape} and {other.shape}"
        if one.dtype.kind not in "fc" or np.array_equal(one, other, equal_nan=True):
            continue
        with np.errstate(all="ignore"):
            alike = np.abs(one - other) <= noise * np.maximum(np.abs(one), np.abs(other))
        apart = ~((one == other) | (np.isnan(one) & np.isnan(other)) | alike)
        if not apart.any():
            continue
        index = tuple(np.argwhere(apart)[0].tolist())
        place = f" at {list(index)}" if index else ""
        return f"{one[index].item()!r} and {other[index].item()!r}{place}"
    return ""


def _drawn_states(before: dict[str, Any]) -> str:
    """The global random states that are not what they were."""
    after = _random_states()
    return " and ".join(name for name in before if after[name] != before[name])


def _random_states() -> dict[str, Any]:
    """The global random states that code may draw from, by name."""
    numpy_state = np.random.get_state(legacy=False)["state"]  # noqa: NPY002 -- it is what is asked for
    states = {
        "numpy.random": (int(numpy_state["pos"]), numpy_state["key"].tobytes()),
        "random": random.getstate(),
    }
    torch = find_loaded("torch")
    if torch is not None:
        states["torch"] = torch.get_rng_state().numpy().tobytes()
    return states


def check_repeatable(claim: Claim, point: tuple[Any, ...], shapes: list[tuple[int, ...]]) -> None:
    """Refuse a claim that answers differently when it is asked again.

    Parameters
    ----------
    claim : Claim
    point : tuple of arrays
    shapes : list of tuple of int
        Of the parts of the derivative.

    Raises
    ------
    NotAFunction
        In words; also what :meth:`Claim.answer` raises.
    """
    if claim.ours:
        return
    words = describe_difference(lambda: claim.answer(point, shapes).parts)
    if not words and not (claim.is_read or isinstance(claim.derivative, Foreign)):
        asked = iter([claim, replace(claim, derivative=_reuse_arrays(claim.derivative))])
        stale = describe_difference(lambda: next(asked).answer(point, shapes).parts, _NOISE)
        words = stale and "answers for what its argument held before it was written into"
    if words:
        raise NotAFunction(
            f"{claim.claimant} {words}; a derivative is a function of its point", point, True
        )


def _reuse_arrays(derivative: Callable[..., Any]) -> Callable[..., Any]:
    """As `derivative`, of arrays for which it was asked before, when they held other numbers."""

    def call_reusing(*given: Any) -> Any:
        arrays = [np.array(x) if np.ndim(x) else x for x in given]
        for array in filter(np.ndim, arrays):
            array[...] = array * (1 + _ASIDE) + _ASIDE
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            derivative(*arrays)
        for array, x in zip(arrays, given, strict=True):
            if np.ndim(array):
                array[...] = x
        return derivative(*arrays)

    return call_reusing


_FIRST: Final = 2
"""Points at which both are asked twice in any case."""

_FAILING: Final = 4
"""Failing points at which they are asked twice besides."""

_ON_A_COPY: Final = (
    "the function changes its argument {0} in place, for its caller as well; it was judged by what "
    "it returns when it works on a copy, as {0} = {0}.copy() gives it"
)


class Repeatability:
    """Counts the points at which function and claim were asked twice.

    Parameters
    ----------
    claim : Claim
    operations : int
        Most to record of the function.
    """

    def __init__(self, claim: Claim, operations: int) -> None:
        self._claim = claim
        self._operations = operations
        self._first = self._failing = 0

    def is_due(self) -> bool:
        """Whether to ask twice at the next point, as one of the first."""
        self._first += 1
        return self._first <= _FIRST

    def is_due_where_it_fails(self) -> bool:
        """Whether to ask twice at the next point that fails."""
        self._failing += 1
        return self._failing <= _FAILING

    def check_function(self, x: tuple[Any, ...]) -> str:
        """Refuse a function without a single value at `x`; words if it writes into it.

        Raises
        ------
        NotAFunction
        """
        with self._claim.calls.limit_call("the function", x, BudgetSpent):
            words = unsteady(self._claim.function, x, self._operations)
            written = "" if words else written_argument(self._claim.function, x)
        if words:
            raise NotAFunction(words, x)
        return _ON_A_COPY.format(written) if written else ""
