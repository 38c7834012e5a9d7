"""Campaign: many cases, in worker processes, each under a time limit.

A case that hangs or takes its process down is UNDECIDED and says so; an interrupt keeps what
was done; the report lists the cases in the order they were asked for, whichever was done first.
"""

from __future__ import annotations

import contextlib
import inspect
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

import symtape
from symtape.errors import NotOnTape, NotTraceable, SymtapeError
from verify.campaign.processes import in_processes
from verify.campaign.tasks import Task
from verify.campaign.versions import versions
from verify.errors import IncompleteInstallation, UsageError
from verify.model.case import Case, claimant
from verify.model.result import Result
from verify.model.source import source_of
from verify.model.verdict import Verdict
from verify.options.budget import as_budget
from verify.oracles.proofs import known
from verify.report.model import Report
from verify.report.reported import reported
from verify.sources import places

BUDGET: Final = 60.0
"""Seconds a case may take, unless told otherwise."""

_EFFORT: Final = 4.0
"""How much more than a call in a test a campaign searches."""

_GRACE: Final = 2.0
"""Seconds past its budget after which a case's process is stopped."""

Judge: TypeAlias = Callable[[Case, float, int], Result]
"""Decides a case within a budget of seconds, with a seed."""


def run(
    tasks: Sequence[Task],
    *,
    title: str = "",
    jobs: int | None = None,
    seed: int = 0,
    budget: float = BUDGET,
    on_result: Callable[[Result], None] | None = None,
    judge: Judge | None = None,
    selftest: str = "",
) -> Report:
    """Verify every case and report.

    Parameters
    ----------
    tasks : sequence of Task
    title : str
        Of the report.
    jobs : int, optional
        Worker processes; by default one a core. 0 runs the cases in this process, where a
        debugger can follow them, and without the hard time limit.
    seed : int
        Of the searches; 0 for those that the cases themselves name.
    budget : float
        Seconds for a case.
    on_result : callable, optional
        Told of every case as it is done.
    judge : callable, optional
        Decides a case; importable by name unless `jobs` is 0.
    selftest : str
        What is known of how good the verifier is, for the report to say.

    Returns
    -------
    Report
        ``interrupted`` if Ctrl-C ended it early; it then holds the cases that were done.

    Raises
    ------
    UsageError
        A point from the command line that its function cannot take.
    IncompleteInstallation
        A file of the package is missing, without which verdicts would be weaker.
    """
    start = time.perf_counter()
    known.check()
    judge = judge or judge_case
    tell = on_result or (lambda case: None)
    given = budget, seed, judge
    decided = _here(tasks, *given) if jobs == 0 else _in_processes(tasks, jobs, *given)
    done: dict[int, Result] = {}
    interrupted = False
    try:
        for index, found in decided:
            done[index] = found
            tell(found)
    except KeyboardInterrupt:
        interrupted = True
        decided.close()
    return Report(
        title=title or "Verification",
        suites=tuple(dict.fromkeys(task.target.name for task in tasks)),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions=versions(),
        seed=seed,
        cases=tuple(done[i] for i in sorted(done)),
        elapsed=time.perf_counter() - start,
        interrupted=interrupted,
        selftest=selftest,
    )


def judge_case(case: Case, budget: float, seed: int) -> Result:
    """Decide a case by :mod:`verify.judging.judge`."""
    from verify.judging.judge import verify_case

    seeded = replace(case, seed=seed) if seed else case
    effort = _EFFORT if case.effort is None else case.effort
    return reported(verify_case(seeded, as_budget(budget), effort))


def _here(tasks: Sequence[Task], *given: Any) -> Generator[tuple[int, Result]]:
    for index, task in enumerate(tasks):
        with contextlib.redirect_stdout(sys.stderr):
            found = _decide(task, *given)
        yield index, found


def _in_processes(
    tasks: Sequence[Task], jobs: int | None, budget: float, seed: int, judge: Judge
) -> Generator[tuple[int, Result]]:
    order = _longest_first(tasks)
    arguments = [(tasks[index], budget, seed, judge) for index in order]
    for place, future in in_processes(_decide, arguments, jobs, budget + _GRACE):
        index = order[place]
        yield index, _outcome(future, tasks[index], budget, seed)


def _longest_first(tasks: Sequence[Task]) -> list[int]:
    """Searches before points: one that comes last would keep a single worker busy."""
    return sorted(range(len(tasks)), key=lambda i: tasks[i].find().over is None)


def _decide(task: Task, budget: float, seed: int, judge: Judge) -> Result:
    case = task.find()
    if task.target.has_points:
        _refuse_unfit_points(case)
    start = time.perf_counter()
    try:
        found = judge(case, budget, seed)
    except (UsageError, NotTraceable) as error:
        if task.target.has_points:
            raise UsageError(f"{case.id}: {error}{_in(case.function)}") from error
        # One unfit function of a file must not keep its others from a verdict.
        found = _undecided(case, f"{error}{_in(case.function)}", time.perf_counter() - start)
    except IncompleteInstallation:
        raise
    except Exception as error:  # noqa: BLE001
        # One case that stops is undecided, and the others go on.
        found = _undecided(case, _stopped(case, error), time.perf_counter() - start)
    return replace(found, replay=task.replayed_with(seed))


def _in(function: Callable[..., Any]) -> str:
    place = places.of_function(function)
    return f" ({place})" if place else ""


def _stopped(case: Case, error: Exception) -> str:
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
            place = places.of_error(error) or places.of_function(case.function)
            raise UsageError(f"{case.id}: {error} ({place})") from error
        except (TypeError, ValueError, IndexError) as error:
            if "domain error" in str(error):
                continue
            place = f" ({found})" if (found := places.of_error(error)) else ""
            shapes = ", ".join(str(np.shape(x)) for x in point)
            raise UsageError(
                f"{case.id} cannot take the point --at {', '.join(map(repr, point))} "
                f"(arguments of shape {shapes}): {type(error).__name__}: {error}{place}. "
                "Give arguments of the shapes that the function expects."
            ) from error
        except Exception:  # noqa: BLE001
            # The judge meets it again, and has a verdict for it.
            continue


def _outcome(future: Future[Result], task: Task, budget: float, seed: int) -> Result:
    from pebble import ProcessExpired

    try:
        return future.result()
    except (UsageError, IncompleteInstallation):
        raise
    except TimeoutError:
        words = f"the time budget of {budget:g} s ran out; give more with --budget"
    except ProcessExpired as error:
        words = f"the process that ran the case died ({_cause(error.exitcode)})"
    except Exception as error:  # noqa: BLE001  # whatever came out of the worker
        words = f"the case came to no result: {type(error).__name__}: {error}"
    return replace(_undecided(task.find(), words, 0.0), replay=task.replayed_with(seed))


def _cause(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        with contextlib.suppress(ValueError):
            return f"by signal {signal.Signals(-exitcode).name}"
    return f"exit status {exitcode}"


def _undecided(case: Case, words: str, seconds: float) -> Result:
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
