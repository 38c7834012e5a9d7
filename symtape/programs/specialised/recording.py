"""A function recorded for a program, which stands for it at every later call."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.errors import BudgetSpent, Escaped, NotTraceable
from symtape.graph.fidelity import (
    ERRORS_OF_REPLAYS,
    are_near,
    departure,
    find_spreads,
    points_around,
    returns,
)
from symtape.graph.graph import Graph
from symtape.process.work import suspend_collector
from symtape.programs.compiled.program import Program
from symtape.programs.specialised.arguments import (
    ReturnedStructure,
    TracedFunction,
    taken_apart,
    to_contiguous,
)
from symtape.programs.specialised.observer import observe
from symtape.programs.specialised.reads import Reads
from symtape.reading.functions import code_of
from symtape.reading.record import record
from symtape.recording.for_programs import FOR_PROGRAM
from symtape.recording.stack import STACK
from symtape.recording.structure import flatten, is_number

MOST_OPERATIONS: Final = 2_000_000
"""Operations that a program is made of at most."""

_POINTS_AROUND: Final = 1
"""Points beside the recorded one, at which the function is called to compare."""

_LAST_DIGITS: Final = 32
"""Of the largest number of an array, by which sums in another order differ; where arrays are long,
the root of their length, as far as the errors of as many additions add up."""


class GoesOn(NotTraceable):
    """What is done after an error that the function catches itself is no program."""


class RecordedProgram(NamedTuple):
    """What a program is made of, what it holds for, and what the function returned observed."""

    graph: Graph
    returned: ReturnedStructure
    reads: Reads
    observed: Any


@dataclass(frozen=True, slots=True)
class Call:
    """A function of users', what it is called, and what it is given."""

    function: Callable[..., Any]
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def trace_function(self) -> TracedFunction:
        """The function of the numbers alone."""
        return TracedFunction(self.function, self.args, self.kwargs)

    def __str__(self) -> str:
        code = code_of(getattr(self.function, "__wrapped__", self.function))
        return f"{self.name} ({code.co_filename}:{code.co_firstlineno})" if code else self.name


@suspend_collector
def record_stable(call: Call, backend: str) -> tuple[Program, RecordedProgram]:
    """The program that can stand for a function, and what it is made of.

    Recorded once more where the first time met the outside or changed what is around it: then a
    memory was filled, or a file loaded for good.

    Raises
    ------
    NotTraceable
        It does more than to compute from its arguments and from what is around it; says what, and
        at which line.
    """
    try:
        for _ in range(2):
            found = _record_call(call)
            if isinstance(found, RecordedProgram):
                program = Program(found.graph, call.name, backend)
                _check_faithful(call, found, program)
                return program, found
    except RecursionError as error:
        raise RecursionError(
            f"{call} calls itself more often than Python allows ({error}); let it end sooner, or "
            "write it as a loop"
        ) from None
    except BudgetSpent as error:
        raise BudgetSpent(
            f"{call}: {error}; a program is made of {MOST_OPERATIONS:,} at "
            "most: compile what a loop does in each turn, or call the function as it is"
        ) from None
    assert isinstance(found, NotTraceable)
    raise found


def _record_call(call: Call) -> RecordedProgram | NotTraceable:
    """The recording, or why it is none of a program."""
    traced = call.trace_function()
    if not traced.numbers:
        raise TypeError(
            f"{call} was given no array or number of floats: "
            f"{_format_arguments(call)}; pass 3.0 rather than 3, or x.astype(float)"
        )
    # First, for it comes to an end: what never ends spends the budget of operations.
    failed, graph, failures = None, None, STACK.failures
    try:
        graph = _graph(traced, call)
    except (BudgetSpent, RecursionError):
        raise
    except Exception as error:  # noqa: BLE001  # raised again, if nothing says more
        failed = error
    goes_on = STACK.failures != failures
    reads, is_written, observed = _observe_call(call)
    if reads.refused is not None and not reads.outside:
        raise reads.refused
    if failed is not None and not (reads.outside and isinstance(failed, Escaped)):
        raise failed
    words, kind = "", NotTraceable
    if reads.outside:
        words = f"{reads.outside}, which a program would not do again; {_REMEDY}"
    elif goes_on:
        kind = GoesOn
        words = (
            f"goes on after {STACK.failure}, and a program cannot tell when that comes; decide by "
            "a comparison which way to take"
        )
    elif not reads.is_unchanged():
        words = (
            "changes at each call what it reads from around it, which a program would not do; "
            f"{_REMEDY}"
        )
    elif is_written:
        words = (
            "changes one of its arguments, which a program would not do; let it work on a copy, as "
            "of x.copy(), and return what it makes"
        )
    if words:
        return kind(f"{call} {words}")
    assert graph is not None
    assert traced.returned is not None
    return RecordedProgram(graph, traced.returned, reads, observed)


_REMEDY: Final = "leave it out, give what it reads as an argument, or return what it makes"


def _graph(traced: TracedFunction, call: Call) -> Graph:
    # As the program will have them: NumPy adds in another order where they lie otherwise.
    numbers = [to_contiguous(x) if type(x) is np.ndarray else x for x in traced.numbers]
    before = FOR_PROGRAM.set(True)
    try:
        return record(traced, *numbers, budget=MOST_OPERATIONS)
    except Escaped as error:
        # Nothing can be meant as a constant here, for the next call has other values.
        raise Escaped(error.args[0], code=error.code) from None
    except NotTraceable as error:
        raise type(error)(f"{call}: {error}", code=error.code) from error
    finally:
        FOR_PROGRAM.reset(before)


def _check_faithful(call: Call, recorded: RecordedProgram, program: Program) -> None:
    """Refuse a function that is another one on plain arrays, at its arguments and beside them.

    At its arguments it is enough that it returned the same when it was observed. Numbers of
    Python's are given at one of the points, and NumPy's at the other.
    """
    graph, run, traced = recorded.graph, program.run, call.trace_function()
    digits = _find_last_digits(graph)
    point = tuple(to_contiguous(x) for x in traced.numbers)
    observed = [np.asarray(y) for y in flatten(recorded.observed) if is_number(y)]
    with np.errstate(all="ignore"):
        around = [*itertools.islice(points_around(graph, point, program=run), _POINTS_AROUND)]
        if not around or not returns(run, point, observed, digits):
            points = [_to_python(point), *(around or [point])]
        elif any(type(x) is float for x in traced.numbers):
            points = around
        else:
            points = [*map(_to_python, around)]
        found = departure(traced, graph, points, _may_return, run, digits)
        if found is not None:  # to say more
            found = departure(traced, graph, [point], _may_return, run, digits) or found
    if found is not None:
        raise NotTraceable(
            f"{call} cannot be a program, for {found}; what it looks at beside "
            "the numbers is to be an argument of it"
        )


def _to_python(point: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numbers as Python's own, where there is nothing else."""
    if all(type(x) is np.float64 for x in point):
        return tuple(x.item() for x in point)
    return point


def _may_return(graph: Graph, x: tuple[Any, ...], answers: list[Any]) -> bool:
    """Whether `answers` are off by a few last digits, or by no more than rounding explains."""
    with np.errstate(all="ignore"):
        replayed = [np.asarray(y) for y in graph.evaluate(*x)]
        if are_near(answers, replayed, _find_last_digits(graph)):
            return True
        if _are_explained(graph, x, answers, replayed):
            return True
    from symtape.rigorous.floats import may_return  # slow to import, and in balls

    return may_return(graph, x, answers)


def _are_explained(
    graph: Graph, x: tuple[Any, ...], answers: list[Any], replayed: list[Any]
) -> bool:
    """Whether answers are off by what a few last digits of the inputs make, less than half of all.

    An ill-conditioned system multiplies these.
    """
    if any(y.dtype.kind not in "fc" or not np.isfinite(y).all() for y in replayed):
        return False
    try:
        spreads = find_spreads(graph, x, replayed)
    except ERRORS_OF_REPLAYS:  # off the path
        return False
    sizes = [float(np.max(np.abs(y), initial=0.0)) for y in replayed]
    return all(
        np.max(np.abs(answer - y), initial=0.0)
        <= min(_LAST_DIGITS * spread, math.sqrt(np.finfo(y.dtype).eps) * size)
        for answer, y, spread, size in zip(answers, replayed, spreads, sizes, strict=True)
    )


def _find_last_digits(graph: Graph) -> float:
    longest = max(math.prod(shape) for shape in {node.shape for node in graph.nodes})
    return max(_LAST_DIGITS, math.sqrt(longest))


def _observe_call(call: Call) -> tuple[Reads, bool, Any]:
    """What a function reads from around it, whether it changes its arguments, what it returns."""
    try:
        args, kwargs = given = copy.deepcopy((call.args, call.kwargs))
    except Exception:  # noqa: BLE001  # of users' classes: what cannot be copied is not tried
        reads = Reads()
        reads.meet(call.function, unseen=True)
        return reads, False, None
    for leaf in flatten(given):
        if isinstance(leaf, np.ndarray):
            leaf.flags.writeable = False
    before = taken_apart(args, kwargs)[0]
    with np.errstate(all="ignore"):
        reads, returned = observe(call.function, *args, **kwargs)
    if reads.failed is not None:  # it may take tensors alone
        is_written = isinstance(reads.failed, ValueError) and "read-only" in str(reads.failed)
        return reads, is_written, None
    return reads, taken_apart(args, kwargs)[0] != before, returned


def _format_arguments(call: Call) -> str:
    parts = [repr(x)[:40] for x in call.args]
    parts += [f"{k}={x!r}"[:40] for k, x in call.kwargs.items()]
    return f"({', '.join(parts)})"
