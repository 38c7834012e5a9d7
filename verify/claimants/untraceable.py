"""What to say of a function that runs on arrays, and cannot be recorded."""

from __future__ import annotations

import functools
import traceback
from itertools import islice
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, NotOnTape, NotTraceable, SymtapeError
from verify.claimants.claim import fresh
from verify.errors import UsageError
from verify.files import places
from verify.limits.limit import Calls
from verify.model.case import Case, argument_names, name_function
from verify.model.foreign import shorten_error
from verify.model.internal_errors import (
    describe_error,
    format_traceback,
    is_internal,
    is_of_a_reading,
    raised_inside,
)
from verify.model.result import Coverage, PointOutcome, Result
from verify.model.verdict import Verdict

_TRIED: Final = 8

_OFFER: Final = "evidence='sampled' judges it by its values alone"


def or_sampled(error: NotTraceable | NotOnTape) -> str:
    """What still can be done where recording failed; empty where that is no help."""
    words = str(error)
    if any(said in words for said in ("evidence=", "the function returned", "verify.adapters.")):
        return ""
    return f". To verify it as it is: {_OFFER}"


def unrecorded_result(case: Case, error: Exception) -> Result | None:
    """The result of a case that an error ended before there were any verdicts.

    Parameters
    ----------
    case : Case
    error : Exception

    Returns
    -------
    Result or None
        UNDECIDED; None where the error is to be raised: the function's own, one of usage, or one
        that leaves no derivative to be sampled, for it is the tape's.
    """
    if is_internal(error):
        return _undecided_result(case, describe_error(error), format_traceback(error))
    if case.claimed is None:
        return None
    if isinstance(error, NotOnTape) and not _runs(case):
        return None
    if not isinstance(error, NotTraceable | NotOnTape):
        found = not_recorded(case, error)
        if not isinstance(found, NotTraceable):
            return None
        return _undecided_result(case, str(found), code=found.code)
    words = or_sampled(error)
    return _undecided_result(case, f"{error}{words}", code=error.code) if words else None


def _undecided_result(case: Case, words: str, traceback: str = "", code: str = "") -> Result:
    undecided = functools.partial(PointOutcome.from_judgement, traceback=traceback, code=code)
    points = [undecided(tuple(map(np.asarray, x)), Verdict.UNDECIDED, words) for x in case.at]
    coverage = None
    if case.over is not None:
        coverage = Coverage(case.over.describe(), case.seed, 0, 0, lacking=words, reasons=(words,))
    return Result.from_points(case, points, coverage=coverage)


def not_recorded(case: Case, error: Exception) -> NotTraceable | UsageError | None:
    """The error to raise in place of one that the function raises, or raises when it is recorded.

    Parameters
    ----------
    case : Case
    error : Exception
        What came of recording.

    Returns
    -------
    NotTraceable, UsageError or None
        None where a line of the user's own raised, or it was refused in words already.
    """
    if isinstance(error, SymtapeError | UsageError):
        return None
    if not _runs(case):
        return _unfit(case, error)
    if words := _describe_numba(case, error):
        return NotTraceable(f"{words}, or verify it as it is: {_OFFER}", code="jit:numba")
    place = places.place_of_error(error)
    if is_of_a_reading(error):
        return NotTraceable(
            f"an operation of {name_function(case.function)} that is not symtape's own raised "
            f"{type(error).__name__}: {shorten_error(error)}, at {place}, when it was asked for "
            f"more than its value. Fix it there, or verify the function as it is: {_OFFER}"
        )
    if inside := raised_inside(error):
        return NotTraceable(
            f"{name_function(case.function)} runs on arrays, and symtape fails to record it: "
            f"{type(error).__name__} in {inside}: {shorten_error(error)}"
            f"{f', called at {place}' if place else ''}. Write that another way, or verify it as "
            f"it is: {_OFFER}"
        )
    return NotTraceable(
        f"{name_function(case.function)} runs on arrays, and cannot be recorded: it raised "
        f"{type(error).__name__}: {shorten_error(error)}{f', at {place}' if place else ''}. Write "
        f"that with np.* functions, or verify it as it is: {_OFFER}"
    )


def _describe_numba(case: Case, error: Exception) -> str:
    """Words for a function that numba compiled, or that calls one; empty of any other."""
    frames = traceback.walk_tb(error.__traceback__)
    modules = [str(frame.f_globals.get("__name__")) for frame, _ in frames]
    if not any(module.partition(".")[0] == "numba" for module in modules):
        return ""
    name = name_function(case.function)
    if hasattr(case.function, "py_func"):
        return (
            f"{name} is compiled by numba, and machine code cannot be recorded; verify "
            f"{name}.py_func, the function in Python that it is compiled from"
        )
    place = places.place_of_error(error)
    return (
        f"{name} calls what numba compiled{f', at {place}' if place else ''}, and machine code "
        "cannot be recorded; call its .py_func there, the function in Python that it is compiled "
        "from"
    )


def _unfit(case: Case, error: Exception) -> UsageError | None:
    """Words for what NumPy or a framework raised inside the function, as of shapes that misfit."""
    frames, place = traceback.extract_tb(error.__traceback__), places.place_of_error(error)
    if not place or places.relative(f"{frames[-1].filename}:{frames[-1].lineno}") == place:
        return None
    words = shorten_error(error).rstrip(".")
    points = iter(case.at) if case.over is None else case.over.points(case.seed)
    point = next(points)
    arguments = point[: len(point) - case.directions]
    names = argument_names(case.function, len(arguments))
    given = (f"{name} of shape {np.shape(x)}" for name, x in zip(names, arguments, strict=True))
    return UsageError(
        f"{name_function(case.function)} raised {type(error).__name__}: {words}, at {place}, "
        f"given {', '.join(given)}; give points, or a region, that it can be called with"
    )


def _runs(case: Case) -> bool:
    """Whether the function takes arrays at a point of the case."""
    points = list(case.at[:_TRIED])
    if case.over is not None:
        points += islice(case.over.points(case.seed), _TRIED)
    calls = Calls()
    return any(_returns(case, point[: len(point) - case.directions], calls) for point in points)


def _returns(case: Case, point: Any, calls: Calls) -> bool:
    try:
        with np.errstate(all="ignore"), calls.limit_call("the function", point, BudgetSpent):
            # A copy: the function may write into what it is given.
            case.function(*(fresh(x) for x in point))
    except Exception:  # noqa: BLE001  # users' code, asked whether it returns at all
        return False
    return True
