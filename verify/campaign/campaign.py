"""Campaign: many cases, in worker processes, each under a time limit.

A case that hangs or takes its process down is UNDECIDED and says so; an interrupt keeps what
was done; the report lists the cases in the order they were asked for, whichever was done first.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import inspect
import multiprocessing
import os
import platform
import shlex
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

import symtape
from symtape.errors import NotOnTape, NotTraceable, SymtapeError
from verify.campaign.load import Target
from verify.errors import IncompleteInstallation, UsageError
from verify.model.case import Case, claimant
from verify.model.verdict import Verdict
from verify.options.budget import as_budget
from verify.oracles.proofs import known
from verify.report import model
from verify.report.summary import report_case, source_of
from verify.sources import places

__all__ = ["BUDGET", "Judge", "Task", "plan", "prepare_worker", "run", "versions"]

BUDGET: Final = 60.0
"""Seconds a case may take, unless told otherwise."""

_EFFORT: Final = 4.0
"""How much more than a call in a test a campaign searches."""

_GRACE: Final = 2.0
"""Seconds past its budget after which a case's process is stopped."""

Judge: TypeAlias = Callable[[Case, float, int], model.Case]
"""Decides a case within a budget of seconds, with a seed."""


@dataclass(frozen=True, slots=True)
class Task:
    """A case by its place; all that crosses to a worker process.

    Attributes
    ----------
    target : Target
        Where the case is from.
    case : str
        Its id.
    effort : float, optional
        Of its search, whatever it says itself.
    strict : bool
        Whether what is noted fails, whatever it says itself.
    """

    target: Target
    case: str
    effort: float | None = None
    strict: bool = False

    def find(self) -> Case:
        """The case itself."""
        found = _cases(self.target)[self.case]
        effort = found.effort if self.effort is None else self.effort
        return replace(found, effort=effort, strict=found.strict or self.strict)

    @property
    def replay(self) -> str:
        """The shell line that runs this case again."""
        target = self.target
        words = ["symtape", "verify", target.name if target.is_suite else self._function]
        if target.is_suite or "#" in self.case:
            words += ["--case", self.case]
        for text in target.at:
            words += ["--at", text]
        if target.over:
            words += ["--over", target.over]
        if target.quantity:
            words += ["--quantity", target.quantity]
        if target.claimed:
            words += ["--claimed", target.claimed]
        if self.effort is not None:
            words += ["--effort", f"{self.effort:g}"]
        if self.strict:
            words.append("--strict")
        return shlex.join(words)

    def replayed_with(self, seed: int) -> str:
        """The same line for a run with another seed than 0."""
        return f"{self.replay} --seed {seed}" if seed else self.replay

    @property
    def _function(self) -> str:
        return self.case.partition("#")[0]


@functools.lru_cache(maxsize=1024)  # what a command names
def _cases(target: Target) -> dict[str, Case]:
    return {case.id: case for case in target.cases()}


def plan(
    targets: Iterable[Target],
    only: Sequence[str] = (),
    effort: float | None = None,
    strict: bool = False,
) -> list[Task]:
    """One task for each case of `targets`, or for those whose ids are in `only`.

    Raises
    ------
    UsageError
        A target that cannot be loaded, or an id that none has.
    """
    tasks = {
        name: Task(target, name, effort, strict) for target in targets for name in _cases(target)
    }
    for wanted in only:
        if wanted not in tasks:
            raise UsageError(_no_such_case(wanted, list(tasks)))
    return [tasks[name] for name in only] if only else list(tasks.values())


def _no_such_case(wanted: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(wanted, known, n=3, cutoff=0.4)
    shown = ", ".join(close or known[:8])
    return (
        f"--case {wanted!r}: there is no such case; {'close ones' if close else 'some'}: {shown}."
    )


def run(
    tasks: Sequence[Task],
    *,
    title: str = "",
    jobs: int | None = None,
    seed: int = 0,
    budget: float = BUDGET,
    on_result: Callable[[model.Case], None] | None = None,
    judge: Judge | None = None,
    selftest: str = "",
) -> model.Report:
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
    collector = _run_here if jobs == 0 else functools.partial(_run_in_processes, jobs=jobs)
    done: dict[int, model.Case] = {}
    interrupted = collector(tasks, budget, seed, judge, done, tell)
    return model.Report(
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


def judge_case(case: Case, budget: float, seed: int) -> model.Case:
    """Decide a case by :mod:`verify.judging.judge`."""
    from verify.judging.judge import verify_case

    seeded = replace(case, seed=seed) if seed else case
    effort = _EFFORT if case.effort is None else case.effort
    return report_case(verify_case(seeded, as_budget(budget), effort))


def _run_here(
    tasks: Sequence[Task],
    budget: float,
    seed: int,
    judge: Judge,
    done: dict[int, model.Case],
    tell: Callable[[model.Case], None],
) -> bool:
    try:
        for index, task in enumerate(tasks):
            with contextlib.redirect_stdout(sys.stderr):
                done[index] = _decide(task, budget, seed, judge)
            tell(done[index])
    except KeyboardInterrupt:
        return True
    return False


def _run_in_processes(
    tasks: Sequence[Task],
    budget: float,
    seed: int,
    judge: Judge,
    done: dict[int, model.Case],
    tell: Callable[[model.Case], None],
    jobs: int | None,
) -> bool:
    from pebble import ProcessPool

    pool = ProcessPool(
        max_workers=max(1, min(jobs or os.cpu_count() or 1, len(tasks))),
        initializer=prepare_worker,
        context=multiprocessing.get_context("spawn"),
    )
    try:
        waiting: dict[Future[model.Case], int] = {
            pool.schedule(_decide, args=(task, budget, seed, judge), timeout=budget + _GRACE): i
            for i, task in enumerate(tasks)
        }
        for future in as_completed(waiting):
            index = waiting[future]
            done[index] = _outcome(future, tasks[index], budget, seed)
            tell(done[index])
    except KeyboardInterrupt:
        return True
    finally:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()
    return False


def prepare_worker() -> None:
    """Silence a worker: what user code prints must not mix with the output."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(null, 1)
    os.dup2(null, 2)
    warnings.simplefilter("ignore")


def _decide(task: Task, budget: float, seed: int, judge: Judge) -> model.Case:
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


def _outcome(future: Future[model.Case], task: Task, budget: float, seed: int) -> model.Case:
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


def _undecided(case: Case, words: str, seconds: float) -> model.Case:
    return model.Case(
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


def versions() -> dict[str, str]:
    """Of symtape, Python and the libraries under it; also the platform."""
    found = {"symtape": symtape.__version__, "Python": platform.python_version()}
    for name in ("numpy", "scipy", "sympy", "python-flint"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    known = (platform.system(), platform.machine(), _vector_extension())
    return found | {"platform": " ".join(word for word in known if word)}


def _vector_extension() -> str:
    """The processor's newest extension that NumPy computes with: last digits depend on it."""
    with contextlib.suppress(ImportError, AttributeError):
        numpy_core: Any = importlib.import_module("numpy._core._multiarray_umath")
        present = numpy_core.__cpu_features__
        return next((name for name in numpy_core.__cpu_dispatch__[::-1] if present[name]), "")
    return ""
