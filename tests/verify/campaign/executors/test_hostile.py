"""Whatever a task does, it is told in words, and its neighbours answer as if it were not there."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.verify.campaign.executors import hostile
from tests.verify.campaign.executors.hostile import Call
from verify.campaign.executors.local import FuturesExecutor, LocalExecutor
from verify.campaign.limits import Limits, Setup

SETUP = Setup(Limits(memory=1 << 30, output=32 << 20, grace=0.5), imports=())
SECONDS = 4.0

ANSWER = [
    "sets_errstate",
    "changes_folder",
    "changes_environment",
    "filters_warnings",
    "seeds",
    "handles_signals",
    "changes_interpreter",
    "changes_the_process",
    "patches_modules",
    "patches_a_class",
    "leaves_files",
    "leaves_open_files",
    "leaves_a_thread",
    "leaves_processes",
    "forks_and_returns",
    "prints_much",
    "reads_the_keyboard",
]
"""Tasks that change what others might see, and answer."""

SIGNAL = "the process of the task was ended by a signal"
RUNNING = (
    "the task was still running after 4.5 s (its budget of 4 s, and 0.5 s of grace), "
    "and was ended; give more with --budget"
)
MEMORY = "the task asked for more memory than the 1 GiB it may have"
STATUS = "the task ended its process before it answered (exit status {})"

ENDED = {
    "raises": "the task raised ValueError: planted",
    "raises_what_has_no_text": "the task raised Unspeakable: (its text cannot be had)",
    "exits": "the task called sys.exit(3)",
    "interrupts": "the task raised KeyboardInterrupt",
    "signals_an_interrupt": "the task raised KeyboardInterrupt",
    "asks_for_memory": MEMORY,
    "leaks_memory": MEMORY,
    "writes_much": "the task wrote a file of more than 32 MiB",
    "answers_much": "the answer of the task is larger than 32 MiB",
    "recurses": "the task raised RecursionError: maximum recursion depth exceeded",
    "leaves_with_0": STATUS.format(0),
    "leaves_with_7": STATUS.format(7),
    "leaves_with_75": STATUS.format(75),
    "leaves_a_fork_that_holds_the_line": STATUS.format(4),
    "segfaults": f"{SIGNAL} (SIGSEGV: a segmentation fault)",
    "aborts": f"{SIGNAL} (SIGABRT: an abort)",
    "kills_itself": f"{SIGNAL}, twice (SIGKILL: somebody ended it, or memory ran out)",
    "hangs": RUNNING,
    "hangs_in_c": RUNNING,
    "closes_all_files": STATUS.format("74, as after closing all files"),
    "writes_into_all_files": "the task wrote into the connection of its process",
}
"""Tasks that end without an answer, and what is said of each."""

SPECIAL = {
    hostile.NoText(
        "plain"
    ): "the task raised TypeError: the answer is a int; expected JSON as text",
    hostile.Unpicklable("plain"): "the task cannot be pickled, so no worker can run it "
    "(TypeError: planted)",
    hostile.Unreadable("plain"): "the task raised ImportError: planted",
}

QUICK = ["raises", "exits", "leaves_with_0", "segfaults", "patches_modules", "changes_environment"]
"""Those that are tried on other executors too: the rest is the same process below the worker."""


def outcomes_with_neighbours(executor, names):
    """What came of each task, and of a well-behaved one before the first and after each."""
    works = [Call("state", 0)]
    for number, name in enumerate(names):
        hostile_one = name if isinstance(name, Call) else Call(name)
        works += [hostile_one, Call("state", number + 1)]
    return {outcome.key: outcome for outcome in executor.outcomes(iter(works), SECONDS)}


def answers_of_neighbours(found, count):
    return [json.loads(found[f"state {number}"].text) for number in range(count + 1)]


def alone(count):
    """The answers of well-behaved tasks which have no other neighbours."""
    executor = LocalExecutor(1, SETUP)
    works = (Call("state", number) for number in range(count + 1))
    return [without_folder(json.loads(o.text)) for o in executor.outcomes(works, SECONDS)]


def without_folder(state):
    """A state but for the names of the folder and of the test, and what readline exports."""
    others = ("TMPDIR", "PYTEST_CURRENT_TEST", "COLUMNS", "LINES")
    environment = [pair for pair in state["environment"] if pair[0] not in others]
    return state | {"environment": environment}


@pytest.fixture(scope="module")
def local():
    return outcomes_with_neighbours(LocalExecutor(1, SETUP), [*ANSWER, *ENDED])


@pytest.mark.long
def test_a_task_that_changes_its_process_answers(local):
    assert {name: local[f"{name} None"].ended for name in ANSWER} == dict.fromkeys(ANSWER, "")


def test_a_task_that_comes_to_no_answer_is_told_in_words(local):
    outcomes = {name: local[f"{name} None"] for name in ENDED}
    assert {name: outcome.ended for name, outcome in outcomes.items()} == ENDED
    for outcome in outcomes.values():
        assert json.loads(outcome.text) == {"ended": outcome.ended}


def test_what_is_no_task_is_told_in_words():
    for work, words in SPECIAL.items():
        (outcome,) = LocalExecutor(1, SETUP).outcomes([work], SECONDS)
        assert outcome.ended == words


def test_no_task_is_seen_by_its_neighbours(local):
    count = len(ANSWER) + len(ENDED)
    names = [*ANSWER, *ENDED]
    seen = [without_folder(state) for state in answers_of_neighbours(local, count)]
    for name, before_it, there in zip(["(nothing)", *names], alone(count), seen, strict=True):
        assert there == before_it, f"after {name}"


def test_processes_that_a_task_left_are_ended(local):
    left = json.loads(local["leaves_processes None"].text)
    assert len(left) == 30
    assert not any(runs(process) for process in left)


def runs(process):
    """Whether a process is there and no zombie, which nobody may have waited for here."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.long
@pytest.mark.parametrize(
    "pool",
    [ThreadPoolExecutor, pytest.param(ProcessPoolExecutor, marks=pytest.mark.campaign)],
)
def test_on_any_pool_the_same_holds(pool):
    context = {"mp_context": get_context("spawn")} if pool is ProcessPoolExecutor else {}
    with pool(1, **context) as workers:
        found = outcomes_with_neighbours(FuturesExecutor(workers, SETUP), QUICK)
    for name in QUICK:
        assert found[f"{name} None"].ended == ENDED.get(name, "")
    seen = [without_folder(state) for state in answers_of_neighbours(found, len(QUICK))]
    assert seen == alone(len(QUICK))
