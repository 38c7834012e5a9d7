"""Works submitted to a pool: no more in flight than it needs, outcomes as they are done."""

from __future__ import annotations

import itertools
import pickle
import queue
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, Final

from verify.campaign.executors.process import Reply
from verify.campaign.work import Outcome, Work

_LOOK: Final = 1.0
"""Seconds between looks at whether the pool is still there."""

_MOST_WORDS: Final = 1000


def outcomes(
    works: Iterable[Work],
    submit: Callable[[Work, bytes], Any],
    reply: Callable[[Any], Reply],
    in_flight: int,
    check: Callable[[], None] = lambda: None,
    cancel: Callable[[Any], object] = Future.cancel,
) -> Iterator[Outcome]:
    """What came of each work, in the order in which they are done.

    Parameters
    ----------
    works : iterable of Work
        Drawn as places become free.
    submit : callable
        Takes a work, and the work pickled; gives a future.
    reply : callable
        What a future that is done says.
    in_flight : int
        How many works are submitted and not done, at most.
    check : callable
        Raises when the pool is no more; called while nothing arrives.
    cancel : callable
        Takes a future that nobody asks for any more.
    """
    waiting = iter(works)
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    running: dict[Any, Work] = {}
    try:
        while True:
            for work in itertools.islice(waiting, in_flight - len(running)):
                try:
                    payload = pickle.dumps(work)
                except Exception as error:  # noqa: BLE001  # whatever its parts do when pickled
                    yield _outcome(work, Reply("", _not_sent(error), 0.0))
                    continue
                future = submit(work, payload)
                running[future] = work
                future.add_done_callback(done.put)
            if not running:
                return
            future = _wait_for_next(done, check)
            yield _outcome(running.pop(future), reply(future))
    finally:
        for future in running:
            cancel(future)


def _wait_for_next(done: queue.SimpleQueue[Any], check: Callable[[], None]) -> Any:
    while True:
        try:
            return done.get(timeout=_LOOK)
        except queue.Empty:
            check()


def _not_sent(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"[:_MOST_WORDS]
    return f"the task cannot be pickled, so no worker can run it ({text})"


def _outcome(work: Work, reply: Reply) -> Outcome:
    text = work.describe_end(reply.ended) if reply.ended else reply.text
    return Outcome(work.key, text, reply.ended, reply.seconds)
