"""Works for tests of campaigns: small, and misbehaving on purpose; importable by workers.

``python -m tests.verify.campaign.works STORE COUNT`` runs a campaign of them, as a driver that can
be killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from verify.campaign import campaign
from verify.campaign.record import CampaignIdentity, Record
from verify.campaign.store import Store
from verify.campaign.work import Outcome
from verify.errors import UsageError


@dataclass(frozen=True)
class Square:
    """The square of a number; what is in the folder of `marks` says how it is to misbehave."""

    number: int
    version: int = 1
    marks: str = ""
    size: int = 0

    @property
    def id(self):
        return f"square/{self.number}"

    @property
    def key(self):
        return f"square of {self.number}, version {self.version}"

    @property
    def packages(self):
        return ()

    def run(self, seconds):
        time.sleep(0.002 if self.marks else 0)
        mark = Path(self.marks, str(self.number))
        if self.marks and mark.exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return json.dumps({"is": self.number**2, "padding": "x" * self.size})

    def describe_end(self, words):
        return json.dumps({"is": None})


class Here:
    """An executor in this process, which ends without an answer what it is told to."""

    def __init__(self, failing=()):
        self.failing = failing
        self.begun = []

    def outcomes(self, works, seconds):
        for work in works:
            self.begun.append(work.number)
            if work.number in self.failing:
                yield Outcome(work.key, work.describe_end("died"), "died", 0.0)
            else:
                yield Outcome(work.key, work.run(seconds), "", 0.001)


def squares(count, **given):
    return [Square(number, **given) for number in range(count)]


def record_in(store, title="Squares"):
    return Record.from_store(store, CampaignIdentity("squares", title), {})


def run(path, works, executor=None, title="Squares", **given):
    """Run a campaign, and tell what is known of it at its end: text and words of each task."""
    with Store(path) as store:
        record = record_in(store, title)
        campaign.run(works, store=record, executor=executor or Here(), seconds=60.0, **given)
        return told(record)


def told(record):
    answers = [record.answer(place) for place in record.places()]
    return [(it.id, it.text, it.ended) for it in answers]


if __name__ == "__main__":
    from verify.campaign.executors import executor_of

    path, count, size, marks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    executor = executor_of(jobs=1) if marks else Here()
    try:
        run(Path(path), squares(count, size=size, marks=marks), executor)
    except UsageError as error:
        sys.exit(str(error))
