"""Verification: a campaign whose tasks are cases, and the report of it."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, cast, overload

from verify.campaign import campaign
from verify.campaign.record import CampaignIdentity, Record
from verify.campaign.store import Store
from verify.campaign.tasks import Task
from verify.campaign.work import Outcome
from verify.model.result import Result
from verify.oracles.proofs import known
from verify.reporting.codec import decode
from verify.reporting.model import Report, versions

BUDGET: Final = 60.0
"""Seconds a case may take, unless told otherwise."""

KIND: Final = "cases"
"""Of campaigns whose answers are cases."""


def verify_tasks(
    tasks: Sequence[Task],
    *,
    store: Store,
    title: str = "",
    seed: int = 0,
    budget: float = BUDGET,
    options: Mapping[str, Any] = MappingProxyType({}),
    selftest: str = "",
    on_result: Callable[[Result], None] | None = None,
    **running: Any,
) -> Report:
    """Verify every case that the store has no answer to, and report on all of them.

    Parameters
    ----------
    tasks : sequence of Task
    store : Store
        Stays open for as long as the cases of the report are read.
    title : str
        Of the report.
    seed : int
        Of the searches; 0 for those that the cases themselves name.
    budget : float
        Seconds for a case.
    options : mapping of JSON
        What tells the campaign from others of the store, beside its title, targets and seed.
    selftest : str
        What is known of how good the verifier is, for the report to say.
    on_result : callable, optional
        Told of every case as it is done.
    **running
        As :func:`verify.campaign.campaign.run` takes it: `executor`, `retry`, `on_start`, `say`.

    Returns
    -------
    Report
        ``interrupted`` if not all was done, as after Ctrl-C; it then holds the cases that were.

    Raises
    ------
    UsageError
        A point from the command line that its function cannot take; a store that cannot be used.
    IncompleteInstallation
        A file of the package is missing, without which verdicts would be weaker.
    """
    known.check()
    targets = tuple(dict.fromkeys(task.target.name for task in tasks))
    about = CampaignIdentity(KIND, title or "Verification", seed, targets, options)
    record = Record.from_store(store, about, versions(), selftest)
    # What earlier runs found is no part of an address, so what is kept goes without it.
    memory = store.path is None
    works = [replace(task, seed=seed, memory=memory).add_address() for task in tasks]

    def tell(outcome: Outcome) -> None:
        if on_result is not None:
            on_result(result_of(outcome.text, "case"))

    campaign.run(
        works,
        store=record,
        seconds=budget,
        on_outcome=tell,
        urgency=_searches_first,
        **running,
    )
    return report_of(record)


def report_of(record: Record) -> Report:
    """What is known so far of a campaign whose tasks are cases; unfinished, it is interrupted.

    Parameters
    ----------
    record : Record
        Its store stays open for as long as the cases are read.
    """
    cases = KeptCases(record)
    # It reads as the tuple does that reports of one run hold.
    return make_report(record, cast("tuple[Result, ...]", cases), len(cases))


def make_report(record: Record, cases: tuple[Result, ...], done: int, **more: Any) -> Report:
    """A report of what a record says, and of these cases; unfinished, it is interrupted."""
    about = record.identity
    return Report(
        title=about.title,
        suites=about.suites,
        created=record.created,
        versions=record.versions,
        seed=about.seed,
        cases=cases,
        elapsed=record.elapsed,
        interrupted=done < record.planned_count,
        selftest=record.selftest,
        **more,
    )


def _searches_first(task: Any) -> bool:
    """Searches before points: one that comes last would keep a single worker busy."""
    return task.find().over is None


_HELD: Final = 1000
"""So many stay in memory once they were read."""


class KeptCases(Sequence[Result]):
    """What came of the tasks of a campaign that are done, in their order.

    Parameters
    ----------
    record : Record
        Of a campaign whose answers are cases; its store stays open for as long as they are read.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._places = record.places()
        self._read = functools.lru_cache(maxsize=_HELD)(self._result)  # of cases

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> Result: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Result]: ...
    def __getitem__(self, at: int | slice) -> Result | Sequence[Result]:
        found = self._places[at]
        return self._read(found) if isinstance(found, int) else tuple(map(self._read, found))

    def __iter__(self) -> Iterator[Result]:
        return map(self._read, self._places)

    def _result(self, place: int) -> Result:
        answer = self._record.answer(place)
        return result_of(answer.text, answer.id)


def result_of(text: str, name: str) -> Result:
    """A case from the JSON of a task's answer; `name` is what messages call it."""
    return decode(Result, json.loads(text), name)
