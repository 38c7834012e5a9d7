"""Run the selftest in worker processes: one task is a row, or a function, with all its faults."""

from __future__ import annotations

import itertools
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

import numpy as np

import symtape
from verify.files.digest import digest
from verify.limits.processes import call_in_processes
from verify.model.verdict import Verdict
from verify.reporting.versions import versions
from verify.selftest.ids import fits, refuse_unknown
from verify.selftest.outcome import Outcome, Pair
from verify.selftest.score import Finding, Score, Tally

QUICK: Final = 0.1
"""The share of faults and claims that a quick run draws."""

_LONGEST: Final = 600.0
"""Seconds after which a task is given up."""


_SLOW: Final = frozenset(
    {"expm", "float_power", "logm", "matmul", "power", "solve_triangular", "sqrtm", "svd"}
)
"""Rows that take many times as long as others."""


@dataclass(frozen=True, slots=True)
class Task:
    """A row, its readings, a recording, a corner, a proof, a function or what else, by name.

    Attributes
    ----------
    kind : str
        ``row``, ``reading``, ``recording``, ``corner``, ``proof``, ``function``, ``pass`` or
        ``program`` of compiled derivatives, ``library`` or ``corpus``.
    name : str
    seed : int
    part : float
        The share of its faults and claims to try.
    only : str
        Try those whose id holds this; or ``ROW:OPERATOR``.
    """

    kind: str
    name: str
    seed: int = 0
    part: float = 1.0
    only: str = ""

    def keeps(self, label: str) -> bool:
        """Whether a fault or claim of this id is drawn; the same in every process."""
        if self.only and not fits(self.only, label):
            return False
        return zlib.crc32(f"{self.seed} {label}".encode()) < self.part * 2**32


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a task.

    Attributes
    ----------
    outcomes, pairs : list
    skipped : str
        Why it was not begun: a library is absent.
    stopped : Finding or None
        Why it has no outcomes: an exception, or it took too long.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    skipped: str = ""
    stopped: Finding | None = None


def plan(seed: int = 0, part: float = 1.0, only: str = "", corpus: str = "") -> list[Task]:
    """Every task; the slow ones come first, so that no worker is left alone with one.

    Parameters
    ----------
    seed, part, only
        Of the tasks.
    corpus : str
        A module with more right claims: see ``verify.selftest.corpora``.

    Raises
    ------
    UsageError
        A word of `only` is in no id, or `corpus` is no such module.
    """
    from verify.selftest import corpora
    from verify.selftest.corners import CORNERS
    from verify.selftest.functions import FUNCTIONS
    from verify.selftest.libraries import LIBRARIES
    from verify.selftest.miscompiled import computations, passes
    from verify.selftest.proof_faults import PLANTS
    from verify.selftest.recordings import LOSSES
    from verify.selftest.rows import names

    rows = sorted(names(), key=lambda name: name not in _SLOW)
    kinds: dict[str, Iterable[str]] = {
        "library": LIBRARIES,
        "row": rows,
        "reading": rows,
        "recording": LOSSES,
        "corner": CORNERS,
        "proof": PLANTS,
        "function": FUNCTIONS,
        "pass": passes.NAMES,
        "program": computations.COMPUTATIONS,
    }
    if corpus:
        kinds["corpus"] = corpora.names(corpus)
    tasks = [Task(kind, name, seed, part, only) for kind, many in kinds.items() for name in many]
    if named := [task for task in tasks if _is_named(task, only)]:
        return named
    refuse_unknown(only, (task.name for task in tasks))
    return tasks


def _is_named(task: Task, only: str) -> bool:
    """Whether an id or a part of one says by itself of which task it is."""
    if task.kind == "library":
        return only == task.name or f", {task.name} #" in only
    if task.kind == "corpus":
        return only.startswith(task.name)
    if task.kind in ("reading", "recording", "corner"):
        return only.startswith(f"{task.kind} of {task.name}:")
    if task.kind == "proof":
        return only.startswith(f"proof with {task.name}:")
    if task.kind in ("pass", "program"):
        return only.startswith((f"pass {task.name}:", f"program of {task.name}:"))
    names = (f"rule {task.name} ", f"{task.name}:", f"{task.name}.", f"{task.name},")
    return only == task.name or only.startswith(names)


@np.errstate(all="ignore")
def perform(task: Task) -> Done:
    """Plant the faults of a task and try its right claims."""
    from verify.selftest import libraries

    warnings.simplefilter("ignore")
    given = task.name, task.keeps, task.seed
    if task.kind == "library":
        found = libraries.try_library(*given)
        return Done(skipped=found) if isinstance(found, str) else Done(pairs=found)
    faults, claims = _trials()[task.kind]
    return Done(faults(*given) if faults else [], claims(*given) if claims else [])


def _trials() -> dict[
    str, tuple[Callable[..., list[Outcome]] | None, Callable[..., list[Pair]] | None]
]:
    """What plants the faults of a kind of task, and what tries its right claims."""
    from verify.selftest import (
        alarms,
        corners,
        corpora,
        functions,
        proofs,
        readings,
        recordings,
        rows,
    )
    from verify.selftest.miscompiled import passes, programs

    return {
        "row": (rows.try_row, alarms.try_row),
        "reading": (readings.try_readings, None),
        "recording": (recordings.try_recording, recordings.claims_about),
        "corner": (corners.try_corner, corners.claims_about),
        "proof": (proofs.try_proof, None),
        "function": (functions.try_function, alarms.try_function),
        "pass": (passes.try_pass, None),
        "program": (programs.try_program, programs.claims_about),
        "corpus": (None, corpora.try_corpus),
    }


def run(
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    budget: float | None = None,
    on_done: Callable[[Task], None] | None = None,
) -> Score:
    """Perform every task and add up.

    Parameters
    ----------
    tasks : sequence of Task
    jobs : int, optional
        Worker processes; by default one a core. 0 performs the tasks in this process.
    budget : float, optional
        Seconds for all of it; what is not done by then is left out, and the score says so.
    on_done : callable, optional
        Told of every task as it is done.

    Returns
    -------
    Score
        ``interrupted`` if Ctrl-C or the budget ended it early; it then holds what was done.
    """
    start = time.perf_counter()
    done: dict[Task, Done] = {}
    tell = on_done or (lambda task: None)
    whole = True
    try:
        performed = (
            _perform_here(tasks) if jobs == 0 else _perform_in_processes(tasks, jobs, budget)
        )
        for task, result in performed:
            done[task] = result
            tell(task)
            if budget is not None and time.perf_counter() - start > budget:
                break
    except (KeyboardInterrupt, TimeoutError):
        whole = False
    whole = whole and len(done) == len(tasks)
    ordered = [done[task] for task in tasks if task in done]
    first = tasks[0] if tasks else Task("row", "")
    return add_up_score(
        ordered,
        seed=first.seed,
        part=0.0 if first.only else first.part,
        seconds=time.perf_counter() - start,
        interrupted=not whole,
    )


def _perform_here(tasks: Sequence[Task]) -> Iterable[tuple[Task, Done]]:
    for task in tasks:
        yield task, _perform_safely(task)


def _perform_safely(task: Task) -> Done:
    try:
        return perform(task)
    except Exception as error:  # noqa: BLE001
        # One trial that stops is a row of the score, and the others go on.
        return _stopped_task(task, error)


def _stopped_task(task: Task, error: BaseException) -> Done:
    words = f"all of this {task.kind} was given up: {type(error).__name__} {error}".strip()
    return Done(stopped=Finding(task.name, words))


def _perform_in_processes(
    tasks: Sequence[Task], jobs: int | None, budget: float | None
) -> Iterable[tuple[Task, Done]]:
    arguments = [(task,) for task in tasks]
    for number, future in call_in_processes(_perform_safely, arguments, jobs, _LONGEST, budget):
        try:
            yield tasks[number], future.result()
        except Exception as error:  # noqa: BLE001
            # As above, and what pebble raises for a worker that died.
            yield tasks[number], _stopped_task(tasks[number], error)


def add_up_score(
    done: Iterable[Done],
    *,
    seed: int = 0,
    part: float = 1.0,
    seconds: float = 0.0,
    interrupted: bool = False,
) -> Score:
    """Add up what tasks found."""
    done = list(done)
    outcomes = list(itertools.chain.from_iterable(each.outcomes for each in done))
    pairs = list(itertools.chain.from_iterable(each.pairs for each in done))
    return Score(
        version=symtape.__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=seed,
        seconds=round(seconds, 1),
        versions=versions(),
        faults=_tally_by_operator(outcomes),
        claims=_tally_by_group(pairs),
        equivalents=_findings(outcomes, "equivalent"),
        survivors=_findings(outcomes, "survived"),
        alarms=tuple(Finding(p.id, f"{p.verdict}: {p.words}") for p in pairs if _alarms(p)),
        not_judged=tuple(_not_judged(done)),
        skipped=tuple(each.skipped for each in done if each.skipped),
        part=part,
        interrupted=interrupted,
        sources=digest(),
    )


def _not_judged(done: Iterable[Done]) -> Iterator[Finding]:
    """Tasks, faults and claims of which the verifier or the selftest itself raised something."""
    for each in done:
        if each.stopped is not None:
            yield each.stopped
        for outcome in each.outcomes:
            if outcome.errors:
                yield Finding(outcome.id, "; ".join(dict.fromkeys(outcome.errors)))
        for pair in each.pairs:
            if pair.error:
                yield Finding(pair.id, pair.error)


def _findings(outcomes: Sequence[Outcome], fate: str) -> tuple[Finding, ...]:
    return tuple(Finding(each.id, each.words) for each in outcomes if each.fate == fate)


def _tally_by_operator(outcomes: Sequence[Outcome]) -> dict[str, Tally]:
    counts = Counter((each.operator, each.fate) for each in outcomes)
    return {
        operator: Tally(
            tried=sum(counts[operator, fate] for fate in ("refuted", "equivalent", "survived")),
            caught=counts[operator, "refuted"],
            equivalent=counts[operator, "equivalent"],
            left_out=counts[operator, "void"],
        )
        for operator in sorted({each.operator for each in outcomes})
    }


def _tally_by_group(pairs: Sequence[Pair]) -> dict[str, Tally]:
    total: dict[str, Tally] = {}
    for pair in pairs:
        one = Tally(
            tried=int(bool(pair.verdict)),
            caught=int(_alarms(pair)),
            undecided=int(pair.verdict == Verdict.UNDECIDED.value),
            left_out=int(not pair.verdict),
        )
        total[pair.group] = total.get(pair.group, Tally()) + one
    return dict(sorted(total.items()))


def _alarms(pair: Pair) -> bool:
    return bool(pair.verdict) and Verdict(pair.verdict).fails
