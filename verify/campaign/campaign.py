"""Campaign: units of work, each done once, whatever happens to those who do it.

What came of each is kept as soon as it is there, so that a campaign which is stopped, by Ctrl-C, a
full disk or the end of the machine, goes on where it was: an answer that is kept is not asked for
again. Drivers that run at once on one store claim each task before they do it, and share the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, Final

from verify.campaign.addresses import ChangedOrigin, raise_refused
from verify.campaign.executors import Executor
from verify.campaign.held_folder import HeldFolder
from verify.campaign.record import Record
from verify.campaign.work import Outcome, Work
from verify.errors import LostWorkers

_LOOK: Final = 0.2
"""Seconds between looks at what other drivers do."""


def run(
    works: Sequence[Work],
    *,
    store: Record,
    executor: Executor,
    seconds: float,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
    on_start: Callable[[int], None] = lambda missing: None,
    say: Callable[[str], None] = lambda words: None,
    retry: bool = False,
    urgency: Callable[[Work], Any] | None = None,
) -> bool:
    """Do what is not done yet.

    Parameters
    ----------
    works : sequence of Work
        In the order in which reports list them.
    store : Record
        Of the campaign in its store.
    executor : Executor
    seconds : float
        For each.
    on_outcome : callable
        Told of each outcome, once it is kept.
    on_start : callable
        Told how many are to be done.
    say : callable
        Told in words what keeps work from being done, as sources that changed meanwhile, or
        workers that are no more; it stays to be done.
    retry : bool
        Whether what ended without an answer, or used up its budget, is done again.
    urgency : callable, optional
        By which works are sorted to be begun; in their order if it is not given.

    Returns
    -------
    bool
        Whether it came to its end; false if Ctrl-C, or the loss of all workers, ended it early.

    Raises
    ------
    UsageError
        A unit of work cannot be done as it was asked for, or the store cannot be used. What was
        done is kept.
    IncompleteInstallation
        A file of the package is missing.
    """
    due = [works[place] for place in store.begin(works, retry)]
    on_start(len(due))
    by_key = {work.key: work for work in due}
    ordered = sorted(due, key=urgency) if urgency else due
    obstacles: dict[str, None] = {}
    try:
        with closing(_outcomes(store, executor, ordered, seconds)) as done:
            for outcome in done:
                try:
                    raise_refused(outcome.text)
                except ChangedOrigin as error:
                    obstacles[str(error)] = None  # it has another address now
                    store.release(outcome.key)
                    continue
                store.keep(by_key[outcome.key], outcome, seconds)
                on_outcome(outcome)
        store.end(works)
    except KeyboardInterrupt:
        return False
    except LostWorkers as error:
        obstacles[str(error)] = None
        return False
    finally:
        for words in obstacles:
            say(words)
    return True


def _outcomes(
    store: Record, executor: Executor, works: Sequence[Work], seconds: float
) -> Generator[Outcome]:
    """What came of works that no other driver does, until all are done by this one or another."""
    with closing(HeldFolder()) as driver:
        while works:
            others: list[Work] = []
            drawn = store.draw(works, driver.name, seconds, others)
            if (first := next(drawn, None)) is not None:
                yield from executor.outcomes(chain([first], drawn), seconds)
            elif others:
                time.sleep(_LOOK)
            works = others
