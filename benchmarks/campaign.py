"""What a campaign costs beside its tasks: ``python benchmarks/campaign.py [--tasks N]``.

Trivial tasks show what it costs to send one to a process and to keep its answer; tasks that sleep,
as a task on another machine seems to from here, show how many workers a driver keeps busy. The
times are those of the clock, so of a machine that has nothing else to do.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from verify.campaign import campaign
from verify.campaign.executors.local import LocalExecutor
from verify.campaign.limits import Setup
from verify.campaign.record import CampaignIdentity, Record
from verify.campaign.store import Store

SLEEP = 0.02
"""Seconds of a task that sleeps."""

WORKERS = (1, 2)
SLEEPERS = (1, 2, 8)


@dataclass(frozen=True)
class Task:
    """A task that sleeps, and answers with its number."""

    number: int
    sleep: float = 0.0
    packages: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Of messages."""
        return str(self.number)

    @property
    def key(self) -> str:
        """Its address."""
        return f"{self.sleep} {self.number}"

    def run(self, seconds: float) -> str:
        """Its number as JSON."""
        time.sleep(self.sleep)
        return json.dumps(self.number)

    def ended(self, words: str) -> str:
        """What is kept of one that came to no answer."""
        return json.dumps(words)


def main() -> None:
    """Measure, and print a line for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=10_000, metavar="N", help="trivial tasks")
    count = parser.parse_args().tasks
    print(f"{count:,} trivial tasks on {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}")
    print("workers   ms a task   with a store   MB of the driver at 10 % and at the end")
    for workers in WORKERS:
        plain, few, many = _dispatched(workers, count)
        kept = _kept(workers, count)
        print(f"{workers:7} {plain:11.2f} {kept:14.2f}   {few:.1f}, {many:.1f}", flush=True)
    some = max(count // 10, 8)
    print(f"\n{some:,} tasks of {1000 * SLEEP:g} ms")
    print("workers   tasks a second   of what so many workers can do")
    for workers in SLEEPERS:
        rate = _rate(workers, some)
        print(f"{workers:7} {rate:16.1f} {rate * SLEEP / workers:12.0%}", flush=True)


def _begun(workers: int, sleep: float = 0.0):
    """The outcomes of endless tasks on processes that have all started."""
    tasks = (Task(number, sleep) for number in itertools.count())
    outcomes = LocalExecutor(workers, Setup(imports=())).outcomes(tasks, 60.0)
    _drawn(outcomes, 20 * workers)
    return outcomes


def _drawn(outcomes, count: int) -> None:
    for outcome in itertools.islice(outcomes, count):
        if outcome.ended:
            raise RuntimeError(outcome.ended)


def _dispatched(workers: int, count: int) -> tuple[float, float, float]:
    """Milliseconds a task, and the memory of this process after a tenth of them and after all."""
    outcomes = _begun(workers)
    start = time.perf_counter()
    _drawn(outcomes, count // 10)
    few = _resident()
    _drawn(outcomes, count - count // 10)
    spent = time.perf_counter() - start
    many = _resident()
    outcomes.close()
    return 1000 * spent / count, few, many


def _kept(workers: int, count: int) -> float:
    """Milliseconds a task of a campaign whose answers are kept, its planning and start included."""
    tasks = [Task(number) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "kept.sqlite")) as store:
        record = Record.from_store(store, CampaignIdentity("numbers", "Trivial tasks"), {})
        start = time.perf_counter()
        executor = LocalExecutor(workers, Setup(imports=()))
        campaign.run(tasks, store=record, executor=executor, seconds=60.0)
        spent = time.perf_counter() - start
        if record.ended:
            raise RuntimeError(f"{record.ended} tasks came to no answer")
        return 1000 * spent / count


def _rate(workers: int, count: int) -> float:
    """Tasks a second of those that sleep."""
    outcomes = _begun(workers, SLEEP)
    start = time.perf_counter()
    _drawn(outcomes, count)
    spent = time.perf_counter() - start
    outcomes.close()
    return count / spent


def _resident() -> float:
    """MB that this process holds; as the system has it, so on Linux."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    # Workers find tasks by the name of their module, and `__main__` is another one there.
    from benchmarks import campaign as importable

    importable.main()
