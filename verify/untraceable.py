"""What to say of a function that runs on arrays, and cannot be recorded."""

from __future__ import annotations

import traceback
from itertools import islice
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, NotTraceable, SymtapeError
from verify import places
from verify.adapters.foreign import shortened
from verify.calls import Calls
from verify.cases import Case, argument_names, called
from verify.errors import UsageError

__all__ = ["not_recorded", "or_sampled"]

_TRIED: Final = 8

_OFFER: Final = "evidence='sampled' goes by its values alone"


def or_sampled(error: NotTraceable) -> str:
    """What still can be done where recording failed; empty where that is no help."""
    words = str(error)
    if any(said in words for said in ("evidence=", "the function returned", "verify.adapters.")):
        return ""
    return f". To verify it as it is: {_OFFER}"


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
    place = places.of_error(error)
    return NotTraceable(
        f"{called(case.function)} runs on arrays, and cannot be recorded: it raised "
        f"{type(error).__name__}: {shortened(error)}{f', at {place}' if place else ''}. Write that "
        f"with np.* functions, or verify it as it is: {_OFFER}"
    )


def _unfit(case: Case, error: Exception) -> UsageError | None:
    """Words for what NumPy or a framework raised inside the function, as of shapes that misfit."""
    frames, place = traceback.extract_tb(error.__traceback__), places.of_error(error)
    if not place or places.relative(f"{frames[-1].filename}:{frames[-1].lineno}") == place:
        return None
    words = shortened(error).rstrip(".")
    points = iter(case.at) if case.over is None else case.over.points(case.seed)
    point = next(points)
    arguments = point[: len(point) - case.directions]
    names = argument_names(case.function, len(arguments))
    given = (f"{name} of shape {np.shape(x)}" for name, x in zip(names, arguments, strict=True))
    return UsageError(
        f"{called(case.function)} raised {type(error).__name__}: {words}, at {place}, "
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
        with np.errstate(all="ignore"), calls.limited("the function", point, BudgetSpent):
            case.function(*(np.asarray(x, dtype=_floating(x))[()] for x in point))
    except Exception:
        return False
    return True


def _floating(x: Any) -> Any:
    dtype = np.asarray(x).dtype
    return dtype if dtype.kind == "f" else np.float64
