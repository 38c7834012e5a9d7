"""The local executor: lazily drawn, in the order of being done, ended when nobody asks."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import pytest

from tests.verify.campaign.executors.hostile import Call
from verify.campaign.executors import executor_of, workers
from verify.campaign.executors.child import IDLE_STATUS
from verify.campaign.executors.local import InThisProcess, LocalExecutor
from verify.campaign.executors.process import Process
from verify.campaign.limits import Setup
from verify.errors import UsageError

COLD = Setup(imports=())


def wait_until(holds):
    while not holds():
        time.sleep(0.01)


def is_gone(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_works_are_drawn_as_there_is_room_for_them():
    drawn = []
    endless = (drawn.append(n) or Call("plain", n) for n in itertools.count())
    found = LocalExecutor(2, COLD).outcomes(endless, 60.0)
    for count, _ in enumerate(itertools.islice(found, 20)):
        assert len(drawn) <= count + 4
    found.close()


def test_outcomes_come_as_they_are_done():
    works = [Call("sleep", 600), *(Call("plain", n) for n in range(3))]
    found = LocalExecutor(2, COLD).outcomes(works, 600.0)
    assert [next(found).text for _ in range(3)] == ["0", "1", "2"]
    found.close()


def test_one_process_serves_many_tasks_and_is_ended_with_the_campaign():
    found = LocalExecutor(1, COLD).outcomes((Call("place", n) for n in itertools.count()), 60.0)
    places = {json.loads(next(found).text) for _ in range(20)}
    found.close()
    assert len(places) == 1
    assert is_gone(places.pop())


def test_no_folder_stays_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    works = [Call("leaves_files"), Call("leaves_with_0"), Call("leaves_files", 2)]
    assert len(list(LocalExecutor(1, COLD).outcomes(works, 60.0))) == 3
    assert list(tmp_path.iterdir()) == []


def test_a_process_killed_from_outside_is_replaced_and_its_task_done_again():
    found = LocalExecutor(1, COLD).outcomes(
        [Call("place"), Call("sleep", 0.5), Call("place", 2)], 60
    )
    os.kill(json.loads(next(found).text), signal.SIGKILL)
    assert [outcome.ended for outcome in found] == ["", ""]


def test_an_idle_process_ends_and_the_next_task_has_another():
    process = Process(Setup(imports=(), idle=0.2))
    first = json.loads(process.answer(pickle.dumps(Call("place")), 60.0).text)
    wait_until(lambda: is_gone(first))
    assert process._running.popen.wait() == IDLE_STATUS
    second = json.loads(process.answer(pickle.dumps(Call("place")), 60.0).text)
    assert first != second
    process.close()


def test_a_task_that_comes_after_the_end_of_its_campaign_is_not_begun():
    workers.end("over")
    reply = workers.perform(pickle.dumps(Call("place")), 60.0, COLD, "over", {})
    assert (reply.text, bool(reply.ended)) == ("", True)


PROGRAM = """
    import sys
    from tests.verify.campaign.executors.hostile import Call
    from verify.campaign.executors.local import LocalExecutor
    from verify.campaign.limits import Setup

    works = [Call("place"), Call(sys.argv[1]), Call(sys.argv[1], 2)]
    try:
        for outcome in LocalExecutor(1, Setup(imports=())).outcomes(works, 600):
            print(outcome.text, flush=True)
    except KeyboardInterrupt:
        sys.exit("interrupted")
"""


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status", "said"),
    [(signal.SIGINT, 1, "interrupted\n"), (signal.SIGKILL, -signal.SIGKILL, "")],
)
@pytest.mark.parametrize("task", ["hangs", "hangs_in_c"])
def test_no_process_outlives_the_campaign(task, number, status, said):
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), task],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[4],
    ) as program:
        worker = int(program.stdout.readline())
        program.send_signal(number)
        assert (program.wait(), program.stderr.read()) == (status, said)
    wait_until(lambda: is_gone(worker))


STARTING = """
    import os, signal, time
    from verify.campaign.executors import process
    from verify.campaign.limits import Setup

    def halt(running, seconds):
        os.kill(running.popen.pid, signal.SIGSTOP)
        print(running.popen.pid, flush=True)
        time.sleep(seconds)

    process._is_there = halt
    process.Process(Setup(imports=())).answer(b"", 60.0)
"""


@pytest.mark.long
def test_no_process_that_still_imports_outlives_who_asked_for_it():
    """It is halted there, so that it can see to nothing itself."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(STARTING)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[4],
    ) as program:
        worker = int(program.stdout.readline())
        program.kill()
    wait_until(lambda: is_gone(worker))


def test_in_this_process_a_task_that_raises_is_told():
    found = list(InThisProcess().outcomes([Call("raises"), Call("plain", 3)], 60.0))
    assert [outcome.ended for outcome in found] == ["the task raised ValueError: planted", ""]
    assert found[1].text == "3"


MISUSES = [
    ({"name": "locally"}, "executor='locally' is unknown; expected one of local, dask, ray, or a "),
    ({"name": 3}, "executor=3 is not an executor; expected one of local, dask, ray, a concurrent"),
    (
        {"memory": "much"},
        "memory='much' is not a size; expected a number of bytes, or a text like",
    ),
    ({"output": "0"}, "output='0' is not a size"),
    ({"jobs": -1}, "jobs=-1; expected a number of processes, or 0 for this process"),
    ({"scheduler": "tcp://here:1"}, "scheduler='tcp://here:1' is for the executors 'dask' and"),
    ({"name": "dask", "jobs": 2}, "jobs=2 is for the executor 'local'"),
]


@pytest.mark.parametrize(("given", "words"), MISUSES, ids=lambda x: str(x)[:30])
def test_what_cannot_be_meant_is_told(given, words):
    with pytest.raises(UsageError) as error:
        executor_of(**given)
    assert words in str(error.value)


def test_an_executor_is_one_already():
    executor = LocalExecutor(1, COLD)
    assert executor_of(executor) is executor
    assert isinstance(executor_of(jobs=0), InThisProcess)


class Dying(Process):
    """A process that somebody ends while it starts, so many times."""

    def __init__(self, times: int, number: int) -> None:
        super().__init__(Setup(imports=("math",)))
        self.left, self.number = times, number

    def _start_process(self):
        before = subprocess.Popen

        def popen(*args, **given):
            found = before(*args, **given)
            if self.left:
                self.left -= 1
                os.killpg(found.pid, self.number)
                found.wait()
            return found

        subprocess.Popen = popen
        try:
            return super()._start_process()
        finally:
            subprocess.Popen = before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_is_killed_while_it_starts_is_started_again(number):
    process = Dying(1, number)
    try:
        reply = process.answer(pickle.dumps(Call("plain", 7)), 60.0)
    finally:
        process.close()
    assert (reply.text, reply.ended) == ("7", "")


def test_a_process_that_is_killed_at_each_start_ends_its_task_alone():
    process = Dying(2, signal.SIGKILL)
    try:
        first = process.answer(pickle.dumps(Call("plain", 7)), 60.0)
        second = process.answer(pickle.dumps(Call("plain", 8)), 60.0)
    finally:
        process.close()
    assert first.ended.startswith("the process of the task was ended by a signal, twice (SIGKILL")
    assert (second.text, second.ended) == ("8", "")


def test_a_process_that_cannot_start_says_why():
    process = Process(Setup(imports=("no_such_module_at_all",)))
    with pytest.raises(UsageError, match=r"(?s)did not start \(status 1\).*no_such_module_at_all"):
        process.answer(pickle.dumps(Call("plain", 7)), 60.0)
    process.close()
