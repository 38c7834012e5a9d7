"""Deciding one case, whatever it does: what cannot be judged is UNDECIDED and says why."""

from __future__ import annotations

import contextlib
import inspect
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

import symtape
from symtape.errors import NotOnTape, NotTraceable, SymtapeError
from verify.errors import IncompleteInstallation, UsageError
from verify.files import places
from verify.model.case import Case, claimant
from verify.model.result import Result
from verify.model.source import source_of
from verify.model.verdict import Verdict
from verify.options.signatures import to_budget
from verify.reporting.reported import prepare_report

_EFFORT: Final = 4.0
"""How much more than a call in a test a campaign searches."""

Judge: TypeAlias = Callable[[Case, float, int], Result]
"""Decides a case within a budget of seconds, with a seed."""


def judge_case(case: Case, budget: float, seed: int) -> Result:
    """Decide a case by :mod:`verify.judging.judge`."""
    from verify.judging.judge import verify_case

    seeded = replace(case, seed=seed) if seed else case
    effort = _EFFORT if case.effort is None else case.effort
    return prepare_report(verify_case(seeded, to_budget(budget), effort))


def decide(case: Case, budget: float, seed: int, judge: Judge, has_points: bool) -> Result:
    """The verdict on a case.

    A `seed` of 0 is the case's own; `has_points` are from the command line.

    Raises
    ------
    UsageError
        A point from the command line that its function cannot take.
    IncompleteInstallation
        A file of the package is missing, without which verdicts would be weaker.
    MemoryError
        It needs more than there is.
    """
    if has_points:
        _refuse_unfit_points(case)
    start = time.perf_counter()
    try:
        return judge(case, budget, seed)
    except (UsageError, NotTraceable) as error:
        if has_points:
            raise UsageError(f"{case.id}: {error}{_format_place(case.function)}") from error
        # One unfit function of a file must not keep its others from a verdict.
        words = f"{error}{_format_place(case.function)}"
    except (IncompleteInstallation, MemoryError):
        raise  # Whoever runs the task says how much memory it may have.
    except Exception as error:  # noqa: BLE001
        # One case that stops is undecided, and the others go on.
        words = _describe_stop(case, error)
    return undecided_result(case, words, time.perf_counter() - start)


def undecided_result(case: Case, words: str, seconds: float = 0.0) -> Result:
    """What stands for the verdict on a case where there is none, for the reason in `words`."""
    return Result(
        id=case.id,
        title=case.title,
        suite=case.suite,
        quantity=case.quantity,
        claimant=claimant(case),
        verdict=Verdict.UNDECIDED,
        message=words,
        source=source_of(case.function),
        seconds=seconds,
    )


def _format_place(function: Callable[..., Any]) -> str:
    place = places.place_of_function(function)
    return f" ({place})" if place else ""


def _describe_stop(case: Case, error: Exception) -> str:
    """What ended a case: the code that it verifies, or the verifier itself."""
    theirs = {_file(f) for f in (case.function, case.claimed) if f is not None}
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename in theirs]
    what = f"{type(error).__name__}: {error}"
    if frames and isinstance(error, SymtapeError):
        return f"{error} ({places.relative(f'{frames[-1].filename}:{frames[-1].lineno}')})"
    if frames:
        place = places.relative(f"{frames[-1].filename}:{frames[-1].lineno}")
        return f"the function raised {what} at {place}"
    return f"the verifier itself stopped with {what}{_place(error)}; please report this as a bug"


def _file(function: Callable[..., Any]) -> str:
    with contextlib.suppress(TypeError):
        return inspect.getfile(inspect.unwrap(function))
    return ""


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


def _refuse_unfit_points(case: Case) -> None:
    """A point from the command line that the function cannot take is a mistake of usage."""
    for point in case.at:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                symtape.record(case.function, *point, escapes="constant")
        except (NotTraceable, NotOnTape) as error:
            place = places.place_of_error(error) or places.place_of_function(case.function)
            raise UsageError(f"{case.id}: {error} ({place})") from error
        except (TypeError, ValueError, IndexError) as error:
            if "domain error" in str(error):
                continue
            place = f" ({found})" if (found := places.place_of_error(error)) else ""
            shapes = ", ".join(str(np.shape(x)) for x in point)
            raise UsageError(
                f"{case.id} cannot take the point --at {', '.join(map(repr, point))} "
                f"(arguments of shape {shapes}): {type(error).__name__}: {error}{place}. "
                "Give arguments of the shapes that the function expects."
            ) from error
        except Exception:  # noqa: BLE001
            # The judge meets it again, and has a verdict for it.
            continue
