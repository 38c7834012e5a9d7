"""Run the selftest in worker processes: one task is a row, or a function, with all its faults."""

from __future__ import annotations

import itertools
import re
import reprlib
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

import symtape
from verify import suites
from verify.errors import UsageError
from verify.files.digest import digest
from verify.limits.processes import call_in_processes
from verify.model.verdict import Verdict
from verify.reporting.model import versions
from verify.selftest.outcome import Outcome, Pair
from verify.selftest.score import Finding, Score, Tally

QUICK: Final = 0.1
"""The share of faults and claims that a quick run draws."""

_WORD: Final = re.compile(r"[^\W\d]+|\d{25,}")
_HEXADECIMAL: Final = "xABCDEF"

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
        if self.only and not _fits(self.only, label):
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
    kinds = _kinds(corpus)
    tasks = [
        Task(kind, name, seed, part, only) for kind, (names, *_) in kinds.items() for name in names
    ]
    if named := [task for task in tasks if _is_named(task, only)]:
        return named
    _refuse_unknown(only, (task.name for task in tasks))
    return tasks


Faults = Callable[..., list[Outcome]] | None
Claims = Callable[..., list[Pair] | str] | None


def _kinds(corpus: str = "") -> dict[str, tuple[Iterable[str], Faults, Claims]]:
    """Of each kind the names of its tasks, what plants their faults, what tries right claims."""
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
    from verify.selftest.miscompiled import computations, programs
    from verify.selftest.proof_faults import PLANTS

    names = sorted(rows.names(), key=lambda name: name not in _SLOW)
    return {
        "library": (corpora.LIBRARIES, None, corpora.try_library),
        "row": (names, rows.try_row, alarms.try_row),
        "reading": (names, readings.try_readings, None),
        "recording": (recordings.LOSSES, recordings.try_recording, recordings.claims_about),
        "corner": (corners.CORNERS, corners.try_corner, corners.claims_about),
        "proof": (PLANTS, proofs.try_proof, None),
        "function": (functions.FUNCTIONS, functions.try_function, alarms.try_function),
        "pass": (programs.NAMES, programs.try_pass, None),
        "program": (computations.COMPUTATIONS, programs.try_program, programs.claims_about),
        "corpus": (corpora.names(corpus) if corpus else (), None, corpora.try_corpus),
    }


def _fits(only: str, label: str) -> bool:
    """Whether an id holds a text; or is of the ROW:OPERATOR that the text names.

    Examples
    --------
    >>> _fits("tanh:sign", "rule tanh by x: sign of a term: 1 - y * y → 1 + y * y")
    True
    """
    if only in label:
        return True
    where, colon, operator = only.partition(":")
    place, _, kind = label.partition(": ")
    return bool(colon) and f" {where} " in f" {place} " and kind.startswith(operator.strip())


def _refuse_unknown(only: str, names: Iterable[str]) -> None:
    """Refuse a text with a word that no id can have, before thousands of them are made.

    Ids are made of the names of rows, functions, programs and libraries, and of the sources of what
    is changed.

    Raises
    ------
    UsageError

    Examples
    --------
    >>> _refuse_unknown("tahn:sign", ["tanh"])
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: only='tahn:sign': no fault and no claim has 'tahn' in its id; give a \
row and an operator, as tanh:sign, or what a finding shows as its id; see docs/selftest.md
    """
    changed = Path(symtape.__file__), Path(__file__), Path(suites.__file__)
    files = (path for one in changed for path in one.parent.rglob("*.py"))
    texts = [path.read_text("utf-8") for path in files if path != Path(__file__)]
    known = "\n".join([*names, *texts])
    for word in _WORD.findall(only):
        # Programs call operations of rows as row_NAME, and write floats as hexadecimal numbers.
        if word.removeprefix("row_") not in known and word.strip(_HEXADECIMAL):
            raise UsageError(
                f"only={reprlib.repr(only)}: no fault and no claim has {reprlib.repr(word)} in its "
                "id; give a row and an operator, as tanh:sign, or what a finding shows as its id; "
                "see docs/selftest.md"
            )


def _is_named(task: Task, only: str) -> bool:
    """Whether an id or a part of one says by itself of which task it is."""
    kind, name = task.kind, task.name
    if kind == "library":
        return only == name or f", {name} #" in only
    if kind == "corpus":
        return only.startswith(name)
    if kind in ("row", "function"):
        return only == name or only.startswith(
            (f"rule {name} ", f"{name}:", f"{name}.", f"{name},")
        )
    return only.startswith(tuple(f"{kind}{of} {name}:" for of in (" of", " with", "")))


@np.errstate(all="ignore")
def perform(task: Task) -> Done:
    """Plant the faults of a task and try its right claims."""
    warnings.simplefilter("ignore")
    given = task.name, task.keeps, task.seed
    _, faults, claims = _kinds()[task.kind]
    outcomes = faults(*given) if faults else []
    pairs = claims(*given) if claims else []
    return Done(skipped=pairs) if isinstance(pairs, str) else Done(outcomes, pairs)


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
        for task, result in _perform_each(tasks, jobs, budget):
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


def _perform_safely(task: Task) -> Done:
    try:
        return perform(task)
    except Exception as error:  # noqa: BLE001
        # One trial that stops is a row of the score, and the others go on.
        return _stopped_task(task, error)


def _stopped_task(task: Task, error: BaseException) -> Done:
    words = f"all of this {task.kind} was given up: {type(error).__name__} {error}".strip()
    return Done(stopped=Finding(task.name, words))


def _perform_each(
    tasks: Sequence[Task], jobs: int | None, budget: float | None
) -> Iterator[tuple[Task, Done]]:
    if jobs == 0:
        yield from ((task, _perform_safely(task)) for task in tasks)
        return
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
