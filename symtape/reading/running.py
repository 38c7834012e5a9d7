"""Running a function for its derivatives: as it stands, or as it is read.

A function may answer from a cache what an earlier call computed, which is a constant to any
recording: it does not depend on the argument, though it was found by it. Most functions never come
to this question. It is asked where a result depends on nothing that is followed, or where what is
followed was found equal to what is not, as ``x == self.last_x``. A function that keeps what it
computes returns, of a second call at a fresh point, what the first one recorded.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.errors import BudgetSpent, Escaped, NotTraceable, Unsupported
from symtape.reading.functions import keep, needs_reading, reads_inside
from symtape.reading.readings import choose_error, readings, same_values, ways_to_run
from symtape.recording.for_programs import is_unfollowed, replace_by_values
from symtape.recording.misfits import misfit
from symtape.recording.nested import join_nested
from symtape.recording.refusals import CACHE, KEPT, code_of, remedy
from symtape.recording.run import LEAVING, Run, is_number_list, positions
from symtape.recording.stack import STACK, Recorder
from symtape.recording.structure import flatten, pack
from symtape.recording.tensor import Tensor

_MOVED: Final = (0.0, 2.0**-5)
"""How far, relatively, the numbers are moved at which both are called."""

_STEP: Final = 1e-3
"""Relative distance of fresh points: beyond the tolerances of keys, and in most domains."""

_GOLDEN: Final = (math.sqrt(5) - 1) / 2

_question_numbers: Final = itertools.count(1)
"""Each question has points of its own: a cache keeps those of the others."""


class _Request(NamedTuple):
    """What is to be run, and how a Run is told to run it."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    how: tuple[Any, ...]
    more: dict[str, Any]

    def run(self, way: Callable[..., Any]) -> Run:
        """A run of one way to run the function."""
        return Run(way, self.args, self.kwargs, *self.how, **self.more)

    def find_unreached(self, ways: list[Callable[..., Any]]) -> Callable[..., Any] | None:
        """The first of `ways` out of which nothing comes back that left."""
        from symtape.reading.reach import find_unreached  # replays graphs, which few gradients need

        keys, defaults = positions(ways[0], self.how[0], self.args, self.kwargs)
        return find_unreached(ways, self.args, self.kwargs | defaults, keys)


def run_of(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *how: Any,
    **more: Any,
) -> Run:
    """A run of `function` as it stands, or as it is read where that is no recording of it.

    Raises
    ------
    Escaped
        A value left it all the same, or came back of a cache.
    """
    asked = _Request(function, args, kwargs, how, more)
    try:
        run = _run(asked)
    except (TypeError, ValueError, OverflowError) as error:
        if STACK.recorders or (told := misfit(error, dict(enumerate(args)) | kwargs)) is error:
            raise
        raise told from error
    if _is_suspect(run) and not reads_inside(function):
        _check_uncached(asked, run)
    return run


def _is_suspect(run: Run) -> bool:
    """Whether a run may have been given what an earlier call computed."""
    if run.returned is None:
        return run.tape.found_equal or run.output._id not in run.tape._ids
    return run.tape.found_equal or not all(_followed_outputs(run))


def _followed_outputs(run: Run) -> list[bool]:
    return [run.tape.traces(output) for output in run.outputs]


def _check_uncached(asked: _Request, run: Run) -> None:
    """Refuse a suspect run, where another one tells that its function keeps what it computes."""
    for sign in (1, -1):
        away = sign * _STEP * (1 + next(_question_numbers) * _GOLDEN % 1)
        args, kwargs = _move_leaves(run.args, away), _move_leaves(run.kwargs, away)
        ways = []
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                for _ in range(2):
                    fresh = _run(asked._replace(args=tuple(args), kwargs=kwargs))
                    ways.append((fresh.tape.found_equal, _followed_outputs(fresh)))
        except BudgetSpent:
            raise
        except Exception as error:  # noqa: BLE001  # of users' code, outside of its domain
            if ways or getattr(error, "code", None) == code_of(KEPT):
                raise _cache_error(asked.function) from None
        else:
            if ways[0] != ways[1]:
                raise _cache_error(asked.function)
            return


def _cache_error(function: Callable[..., Any]) -> Escaped:
    name = getattr(function, "__name__", type(function).__name__)
    return Escaped(
        f"{name} keeps values between calls, and answered from {CACHE}: what it returned is a "
        f"constant, and its part of the derivative would be lost; {remedy(CACHE)}",
        code=code_of(CACHE),
    )


def _move_leaves(given: Any, away: float) -> Any:
    return pack(given, iter([_moved_leaf(leaf, away) for leaf in flatten(given)]))


def _moved_leaf(leaf: Any, away: float) -> Any:
    if not isinstance(leaf, Tensor):
        return leaf.copy() if type(leaf) is np.ndarray else leaf
    value = leaf._value
    if value.dtype.kind not in "fc":
        return value
    # A float that nobody asks for otherwise.
    moved = np.where(value == 0, abs(away), value * (1 + away))
    return moved.astype(value.dtype)[()]


def _run(asked: _Request) -> Run:
    if LEAVING.get():
        # What may leave the function around this one says nothing of this one.
        token = LEAVING.set(False)
        try:
            return _run(asked)
        finally:
            LEAVING.reset(token)
    for arg in (*asked.args, *asked.kwargs.values()):
        if type(arg) is list or type(arg) is tuple:
            return _run_of_lists(asked)
    return _run_of_arrays(asked)


def _run_of_lists(asked: _Request) -> Run:
    """A run in which lists of plain numbers are lists; arrays, where it takes them for arrays."""
    function, args, kwargs, how, _ = asked
    keys, defaults = positions(function, how[0], args, kwargs)
    given: dict[Any, Any] = dict(enumerate(args)) | kwargs | defaults
    decides = is_unfollowed()
    plain = (
        {key: replace_by_values(x) for key, x in given.items()}
        if STACK.recorders and decides
        else given
    )
    lists = [key for key in keys if _may_be_array(plain[key])]
    if not lists:
        return _run_of_arrays(asked)
    arrays = given | {key: join_nested(given[key]) for key in lists}
    if decides:
        outer = _count_escapes()
        try:
            return asked.run(function)
        except BudgetSpent:
            raise
        except Exception:  # noqa: BLE001  # read in another way, or raised again
            _take_back(outer)
        if not _is_alike_of_arrays(function, plain, lists, len(args)):
            return _first(asked)
    else:
        try:
            return _first(asked)
        except BudgetSpent:
            raise
        except Exception:  # noqa: BLE001  # of arrays it may do
            pass
    positional = tuple(arrays.pop(k) for k in range(len(args)))
    return _run_of_arrays(asked._replace(args=positional, kwargs=arrays))


def _is_alike_of_arrays(
    function: Callable[..., Any], given: dict[Any, Any], lists: Sequence[Any], count: int
) -> bool:
    """Whether a function computes of arrays what it computes of lists, if it takes these at all.

    ``(l + [1.0])[-1]`` joins lists, where of an array it would add to each entry. So a function is
    given the list. Only where that is no recording, as in ``weights * l``, is it given an array,
    and only if it computes the same of one.

    Parameters
    ----------
    function : callable
    given : dict
        Its arguments by position, `count` of them, and by keyword.
    lists : sequence
        Which of them are lists of numbers.

    Examples
    --------
    >>> _is_alike_of_arrays(np.sum, {0: [1.0, 2.0]}, [0], 1)
    True
    >>> _is_alike_of_arrays(lambda l: np.sum(l + [1.0]), {0: [1.0, 2.0]}, [0], 1)
    False
    """
    for step in _MOVED:
        moved = given | {key: _move_numbers(given[key], step) for key in lists}
        found = _call_if_possible(function, moved, count)
        if found is None:
            continue
        other = _call_if_possible(
            function, moved | {key: np.asarray(moved[key]) for key in lists}, count
        )
        if other is None or not same_values(other[0], found[0]):
            return False
    return True


def _move_numbers(numbers: Any, step: float) -> Any:
    leaves = [float(x) for x in flatten(numbers)]
    return pack(numbers, iter([x + step * (1 + k) * (1 + abs(x)) for k, x in enumerate(leaves)]))


def _call_if_possible(
    function: Callable[..., Any], given: dict[Any, Any], count: int
) -> tuple[Any] | None:
    named = dict(given)
    positional = [named.pop(k) for k in range(count)]
    try:
        return (function(*positional, **named),)
    except Exception:  # noqa: BLE001  # users' code, asked whether it takes lists
        return None


def _may_be_array(x: Any) -> bool:
    """Whether an argument is a list of plain numbers, an empty one included, that is an array."""
    if type(x) is list and not x:
        return True
    return is_number_list(x) and _is_rectangular(x)


def _is_rectangular(numbers: Any) -> bool:
    try:
        np.asarray(pack(numbers, itertools.repeat(0.0)))
    except ValueError:
        return False
    return True


def _run_of_arrays(asked: _Request) -> Run:
    stopped: Exception | None = None
    if not STACK.recorders and not needs_reading(asked.function):
        try:
            run = asked.run(asked.function)
        except BudgetSpent:
            raise
        except Exception as error:  # noqa: BLE001  # raised again, where nothing helps
            stopped = error
        else:
            if not run.tape.wrote or asked.find_unreached([asked.function]):
                return run
    return _first(asked, stopped)


def _first(asked: _Request, stopped: Exception | None = None) -> Run:
    """The first run that nothing leaves, of ways to run one function; else what the first gave.

    A function may catch what others that record were told: they will say so. Of one that was
    `stopped`, as it stands, by an error, the other ways are run.
    """
    outer = _count_escapes()
    first: Run | None = None
    failed = stopped
    refused = stopped if isinstance(stopped, Unsupported) else None
    told: list[list[Any]] | None = None
    function = asked.function
    tried = [] if stopped is None else [function]
    for way in ways_to_run(function) if stopped is None else readings(function):
        tried.append(way)
        try:
            run = asked.run(way)
        except BudgetSpent:
            raise
        except Exception as error:  # of users' code: raised again where no way helps
            if getattr(way, "own_error", None) is error:
                raise
            if first is None:
                failed = choose_error(failed, error)
            if isinstance(error, Unsupported):
                refused = refused or error
        else:
            text = run.tape.wrote and not asked.find_unreached([way])
            if text and not failed:
                failed = run.tape.wrote
            if not text and all(len(one.escaped()) == count for one, count in outer):
                if way is not function:
                    keep(function)
                return run
            first = first if failed else first or run
        told = told or [one.escaped()[count:] for one, count in outer]
        _take_back(outer)
    if isinstance(failed, Escaped) and (found := asked.find_unreached(tried)):
        return _make_leaving_run(asked, found)
    for (one, _), of_it in zip(outer, told or (), strict=False):
        one.escaped().extend(of_it)
    if first is None:
        # What SciPy's function was asked for says more than that its arguments left.
        raise refused or failed or NotTraceable("there is no way to run the function")
    return first


def _make_leaving_run(asked: _Request, way: Callable[..., Any]) -> Run:
    """A run that values leave, of which it is known that they do not come back."""
    outer = _count_escapes()
    token = LEAVING.set(True)
    try:
        return asked.run(way)
    finally:
        LEAVING.reset(token)
        _take_back(outer)


def _count_escapes() -> list[tuple[Recorder, int]]:
    """Who records around a run, and of how many values it was told that they left."""
    return [(one, len(one.escaped())) for one in STACK.recorders] if STACK.recorders else []


def _take_back(outer: list[tuple[Recorder, int]]) -> None:
    """Untell it of what left since."""
    for one, count in outer:
        del one.escaped()[count:]
