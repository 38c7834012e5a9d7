"""Drivers that run at once on one store: each task is done once, and each driver knows of all."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.verify.campaign.works import Here, record_in, run, squares
from verify.campaign import campaign
from verify.campaign.addresses import ChangedOrigin, encode_refusal
from verify.campaign.held_folder import HeldFolder
from verify.campaign.record import CampaignIdentity, Record
from verify.campaign.store import Store
from verify.campaign.work import Outcome

ROOT = Path(__file__).parents[3]
COUNT = 30

DRIVER = """
    import sys, time
    from pathlib import Path
    from tests.verify.campaign.works import Here, Square, run, squares
    from verify.campaign.executors import executor_of

    class Slow(Here):
        def outcomes(self, works, seconds):
            for outcome in super().outcomes(works, seconds):
                time.sleep(0.02)
                yield outcome

    path, jobs, marks, retry, title = sys.argv[1:]
    print("ready", flush=True)
    input()
    told = []
    works = squares({count}, marks=marks)
    executor = executor_of(jobs=int(jobs)) if int(jobs) else Slow()
    known = run(Path(path), works, executor, title, on_outcome=told.append, retry=bool(retry))
    print(len(told), len(known), flush=True)
"""


def driver(path, jobs=0, marks="", retry="", title="Squares"):
    words = [sys.executable, "-c", textwrap.dedent(DRIVER).format(count=COUNT)]
    found = subprocess.Popen(
        [*words, *map(str, (path, jobs, marks, retry, title))],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert found.stdout.readline() == "ready\n"
    return found


def at_once(*drivers):
    """How many tasks each did, of how many it knows."""
    for each in drivers:
        each.stdin.write("\n")
        each.stdin.flush()
    return [tuple(map(int, each.communicate()[0].split())) for each in drivers]


def attempts(path):
    with Store(path, reading=True) as store:
        assert store.one("SELECT count(*) FROM claim") == (0,)
        return store.one("SELECT count(*), sum(attempts) FROM task")


SAME, OTHER = ("Squares", "Squares"), ("First", "Second")
REST = [(0, SAME), (1, SAME), (1, OTHER), (2, OTHER)]


@pytest.mark.parametrize(
    ("jobs", "titles"),
    [
        (0, OTHER),
        pytest.param(2, SAME, marks=pytest.mark.long),
        *(pytest.param(*each, marks=pytest.mark.campaign) for each in REST),
    ],
)
def test_each_task_is_done_once(tmp_path, jobs, titles):
    path = tmp_path / "campaign.sqlite"
    drivers = [driver(path, jobs, str(tmp_path), title=title) for title in titles]
    told = at_once(*drivers)
    assert attempts(path) == (COUNT, COUNT)
    assert sum(done for done, _ in told) == COUNT
    assert [known for _, known in told] == [COUNT, COUNT]


@pytest.mark.long
def test_each_task_is_done_again_once(tmp_path):
    path, works = tmp_path / "campaign.sqlite", squares(COUNT)
    run(path, works, Here(range(COUNT)))
    told = at_once(*(driver(path, retry="yes") for _ in range(2)))
    assert attempts(path) == (COUNT, 2 * COUNT)
    assert sum(done for done, _ in told) == COUNT


@pytest.mark.parametrize("jobs", [0, pytest.param(2, marks=pytest.mark.campaign)])
def test_what_a_killed_driver_had_claimed_is_done_by_another(tmp_path, jobs):
    path = tmp_path / "campaign.sqlite"
    first, second = driver(path, jobs), driver(path, jobs)
    for each in (first, second):
        each.stdin.write("\n")
        each.stdin.flush()
    while first.poll() is None and claims(path) < 2:
        time.sleep(0.001)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert second.communicate()[0].split()[1] == str(COUNT)
    count, tried = attempts(path)
    assert count == COUNT
    assert tried == COUNT


def claims(path):
    if not path.exists():
        return 0
    with Store(path) as store:
        return store.one("SELECT count(*) FROM claim")[0]


def claimed(store, work, driver, until):
    with store.write_together() as connection:
        connection.execute("REPLACE INTO claim VALUES (?, ?, ?)", (work.key, driver, until))


def test_what_another_driver_does_is_waited_for_and_not_done(tmp_path):
    path, works, here = tmp_path / "campaign.sqlite", squares(3), Here()
    other = HeldFolder()
    with Store(path) as store, Store(path) as theirs:
        record, outcome = record_in(theirs), Outcome(works[0].key, works[0].run(1.0), "", 0.1)
        record.begin(works)
        claimed(theirs, works[0], other.name, time.time() + 60)

        def keep(_):
            if len(here.begun) == 2:  # the others were done first
                record.keep(works[0], outcome, 1.0)

        run_here = campaign.run(
            works, store=record_in(store), executor=here, seconds=1.0, on_outcome=keep
        )
        assert run_here
        assert here.begun == [1, 2]
        assert record_in(store).done == 3
    other.close()


@pytest.mark.parametrize("ended", ["killed", "suspended"])
def test_a_claim_ends_with_its_driver_or_its_time(tmp_path, ended):
    path, works, here, other = tmp_path / "campaign.sqlite", squares(3), Here(), HeldFolder()
    with Store(path) as store:
        claimed(store, works[1], other.name, time.time() + (60 if ended == "killed" else -1))
    if ended == "killed":
        other.close()
    run(path, works, here)
    assert here.begun == [0, 1, 2]
    assert attempts(path) == (3, 3)
    if ended == "suspended":
        other.close()


def test_a_task_that_cannot_be_done_here_is_tried_once_by_each_driver(tmp_path):
    class Refusing(Here):
        def outcomes(self, works, seconds):
            for outcome in super().outcomes(works, seconds):
                yield Outcome(outcome.key, encode_refusal(ChangedOrigin("it changed")), "", 0.0)

    executor, said = Refusing(), []
    path = tmp_path / "campaign.sqlite"
    run(path, squares(2), executor, say=said.append)
    assert (executor.begun, said) == ([0, 1], ["it changed"])
    assert attempts(path) == (0, None)  # and nothing is claimed, for which others would wait


def test_an_attempt_counts_though_its_end_is_not_kept():
    [work] = squares(1)
    with Store() as store:
        record = Record.from_store(store, CampaignIdentity("squares", "Squares"), {})
        record.begin([work])
        for ended in ("", "died"):
            record.keep(work, Outcome(work.key, json.dumps(ended), ended, 1.0), 60.0)
        assert store.one("SELECT text, attempts FROM task") == ('""', 2)
