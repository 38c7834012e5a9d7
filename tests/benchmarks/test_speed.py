"""The table of speeds: workloads that agree, engines that are held to it, and what is printed."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from benchmarks.speed import __main__ as command
from benchmarks.speed import worker
from benchmarks.speed.engines import ENGINES, REFERENCE, Engine, NotHad, Prepared
from benchmarks.speed.engines import casadi_ as by_symbols
from benchmarks.speed.figures import Figure, Run
from benchmarks.speed.goals import GOALS, Goal
from benchmarks.speed.rounds import Rounds, disagreement
from benchmarks.speed.table import as_markdown, as_text, between_markers, number
from benchmarks.speed.trees import leaves, map_leaves
from benchmarks.speed.workload import repeat
from benchmarks.speed.workloads import WORKLOADS
from benchmarks.speed.workloads.as_written import AsWritten

BY_HAND = [work for work in WORKLOADS.values() if work.by_hand]
AS_WRITTEN = [work for work in WORKLOADS.values() if isinstance(work, AsWritten)]


def results(engine, work):
    prepared = ENGINES[engine].prepare(work)
    return prepared.arrays(prepared.call())


@pytest.mark.parametrize("work", BY_HAND, ids=lambda work: work.name)
def test_the_tape_gives_what_was_written_by_hand(work):
    assert disagreement(results("hand", work), results(REFERENCE, work)) == ""


@pytest.mark.parametrize("name", ["tiny", "tiny Hessian", "Burgers Jacobian 256"])
def test_programs_give_what_the_tape_gives(name):
    assert (
        disagreement(results("numpy", WORKLOADS[name]), results(REFERENCE, WORKLOADS[name])) == ""
    )


@pytest.fixture(scope="module", params=["jax.jit", "torch"])
def process(request):
    """An engine in a process of its own, since it keeps to one core and to float64."""
    pytest.importorskip(request.param.partition(".")[0])
    started = worker.Worker(request.param, 60.0)
    yield started
    started.stop()


@pytest.mark.parametrize("work", AS_WRITTEN, ids=lambda work: work.name)
def test_spellings_of_one_workload_agree(work, process):
    _, found = process.ask("prepare", work.name)
    assert disagreement(found, results(REFERENCE, work)) == ""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes have no sessions here")
def test_what_a_process_started_ends_with_it():
    """A compiler that is still at work would take time from all later rows."""
    command = ["sh", "-c", "sleep 60 & echo $!; wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as leader:
        started = int(leader.stdout.readline())
        worker.kill_session(leader.pid)
    for _ in range(200):
        if not is_running(started):
            break
        time.sleep(0.01)
    assert not is_running(started)
    worker.kill_session(leader.pid)  # of a session that is no more


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # What has ended and was not waited for is there still.
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


@pytest.mark.parametrize("engine", ["autograd", "CasADi", "hand"])
def test_what_is_written_for_three_libraries_is_not_had_of_others(engine):
    if engine != "hand":
        pytest.importorskip(engine.lower())
    with pytest.raises(NotHad, match="not written"):
        results(engine, AS_WRITTEN[0])


def test_leaves_of_a_tree_are_in_the_order_of_its_keys():
    tree = {"b": [1, (2,)], "a": 3}
    assert leaves(tree) == [3, 1, 2]
    assert map_leaves(lambda x: -x, tree) == {"b": [-1, (-2,)], "a": -3}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda y: y * (1 + 1e-9), "wrong by 1e-09"),
        (lambda y: y * np.nan, "wrong by nan"),
        (lambda y: y[:-1], "wrong: shapes"),
        (lambda y: y * (1 + 1e-13), ""),
    ],
)
def test_a_result_is_held_against_the_reference(change, word):
    exact = np.arange(1.0, 4.0)
    assert disagreement([change(exact)], [exact])[: len(word) or None] == word


class Played:
    """A worker whose answers are given; it remembers what it was asked."""

    answers: ClassVar = {
        "eager": [np.ones(3)],
        "auto": [np.ones(3)],
        "jax.jit": [np.ones(3) * 1.5],
        "torch": NotHad("torch is not installed"),
    }
    asked: ClassVar = []

    def __init__(self, engine, limit):
        self.engine = engine

    def ask(self, task, workload):
        self.asked.append((self.engine, task))
        arrays = self.answers[self.engine]
        if isinstance(arrays, NotHad):
            raise arrays
        return {"prepare": (0.5, arrays), "time": 2.0, "peak": 100}[task]

    def stop(self):
        pass


@pytest.fixture
def played(monkeypatch):
    monkeypatch.setattr(Played, "asked", [])
    return Rounds(("auto", "jax.jit", "torch"), rounds=4, limit=1.0, seed=0, worker=Played)


def test_what_is_wrong_is_reported_and_not_timed(played):
    found = played.measure("tiny")
    assert found["jax.jit"].note == "wrong by 5e-01"
    assert found["jax.jit"].seconds == []
    assert ("jax.jit", "time") not in Played.asked
    assert found["torch"].note == "torch is not installed"
    assert found["auto"] == Figure([2.0] * 4, 0.5, 100)


def test_engines_take_turns_in_an_order_that_changes_and_can_be_had_again(played):
    played.measure("tiny")
    timed = [engine for engine, task in Played.asked if task == "time"]
    turns = [tuple(timed[k : k + 2]) for k in range(0, len(timed), 2)]
    assert all(set(turn) == {"eager", "auto"} for turn in turns)
    assert len(set(turns)) == 2
    first = list(Played.asked)
    Played.asked.clear()
    played.measure("tiny")
    assert Played.asked == first


def test_without_a_reference_nothing_is_timed(played, monkeypatch):
    monkeypatch.setitem(Played.answers, "eager", NotHad("failed: ValueError"))
    found = played.measure("tiny")
    assert not any(figure.seconds for figure in found.values())


class Told:
    """A connection to a parent that asks some things of a workload, and closes."""

    def __init__(self, tasks):
        self.tasks, self.answers = [*tasks], []

    def recv(self):
        if not self.tasks:
            raise EOFError
        return self.tasks.pop(0), "tiny"

    def send(self, answer):
        self.answers.append(answer)


@pytest.fixture
def served(monkeypatch):
    """Ask a worker's loop, in this process, of an engine that is given."""

    def ask(engine, *tasks):
        monkeypatch.setitem(ENGINES, "eager", engine)
        monkeypatch.setattr(worker, "ROUND", 1e-5)
        told = Told(tasks)
        worker.serve(told, "eager")
        return told.answers

    return ask


class Given(Engine):
    """An engine that prepares what is given."""

    def __new__(cls, call):
        self = object.__new__(cls)
        object.__setattr__(self, "call", call)
        return self

    def __init__(self, call):
        pass

    def prepare(self, work):
        return Prepared(self.call)


def test_a_worker_prepares_times_and_weighs(served):
    (ready, arrays), seconds, peak = served(
        Given(lambda: np.zeros(1000) + 1.0), "prepare", "time", "peak"
    )
    assert ready > 0
    assert seconds > 0
    assert np.array_equal(arrays[0], np.ones(1000))
    assert 8000 <= peak <= 30000


def test_an_engine_that_raises_is_a_note(served):
    answers = served(Given(lambda: 1 / 0), "prepare", "time")
    assert all(isinstance(answer, NotHad) for answer in answers)
    assert str(answers[0]) == "failed: ZeroDivisionError: division by zero"


def test_numbers_of_a_symbolic_engine_mix_with_arrays():
    class Said:
        """An expression that says what was done to it."""

        def __init__(self, text):
            self.text = text

        def __mul__(self, other):
            return Said(f"({self.text}*{getattr(other, 'text', other)})")

        def __rmul__(self, other):
            return Said(f"({other}*{self.text})")

        def sin(self):
            return Said(f"sin({self.text})")

    x, y = (by_symbols.Number(Said(name)) for name in "xy")
    assert [one.of.text for one in np.sin(np.array([x, y]) * 2.0)] == [
        "sin((x*2.0))",
        "sin((y*2.0))",
    ]
    assert [one.of.text for one in np.array([2.0, 3.0]) * x] == ["(2.0*x)", "(3.0*x)"]
    assert (x * y).of.text == "(x*y)"


ROW = {
    "eager": Figure([30e-6, 20e-6], 1e-3, 2000),
    "auto": Figure([3e-6, 2e-6, 4e-6], 50e-3, 4000),
    "autograd": Figure([50e-6]),
    "jax.jit": Figure([1e-6]),
    "CasADi gcc": Figure([], None, None, "over 60 s"),
    "torch": Figure([], 1e-3, None, "wrong by 5e-01"),
}
RUN = Run({"processor": "one", "Python": "3"}, {"Helmholtz 10": ROW, "GP 100": ROW})


def test_goals_that_are_missed_are_told_with_their_ratio():
    said = as_text(RUN)
    assert (
        "eager at most 0.2 × the time of a call of autograd, overhead rows: 0 of 1; "
        "missed by Helmholtz 10 0.4." in said
    )
    assert (
        "auto at most 1 × the memory of eager: 0 of 2; missed by Helmholtz 10 2, GP 100 2." in said
    )
    assert "of torch.func" not in said


def test_goals_that_are_reached_are_counted():
    reached, missed = Goal("auto", "eager", 1.0).judged(RUN)
    assert reached == {"Helmholtz 10": pytest.approx(0.1), "GP 100": pytest.approx(0.1)}
    assert missed == {}


def test_tables_show_the_least_time_what_is_wrong_and_what_is_not_had():
    lines = as_markdown(RUN).splitlines()
    assert "| µs | eager | auto | autograd | jax.jit |" in lines
    assert "| Helmholtz 10 | 20 | 2 | 50 | 1 |" in lines
    assert "- CasADi gcc, over 60 s: everywhere." in lines
    assert "- torch, wrong by 5e-01: everywhere." in lines


def test_one_that_is_wrong_on_one_row_is_wrong_in_the_table():
    run = Run({}, {"tiny": ROW, "GP 100": ROW | {"torch": Figure([1e-6])}})
    assert "| tiny | 20 | 2 | 50 | 1 | wrong |" in as_markdown(run)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (1234567.4, "1,234,567"), (3.14159, "3.14"), (0.0978, "0.0978")],
)
def test_numbers_have_as_many_digits_as_say_something(value, shown):
    assert number(value, 1.0) == shown


def test_figures_survive_json():
    assert Run.from_dict(json.loads(json.dumps(RUN.to_dict()))) == RUN


def test_a_page_is_written_between_its_markers():
    page = "before\n<!-- measured -->\nold\n<!-- end of measured -->\nafter\n"
    once = between_markers(page, "new")
    assert once == "before\n<!-- measured -->\nnew\n\n<!-- end of measured -->\nafter\n"
    assert between_markers(once, "new") == once
    with pytest.raises(ValueError, match="no lines <!-- measured -->"):
        between_markers("no markers", "new")


def test_figures_are_read_and_written_into_a_page(tmp_path, monkeypatch, capsys):
    figures, page = tmp_path / "figures.json", tmp_path / "page.md"
    figures.write_text(json.dumps(RUN.to_dict()))
    page.write_text(command.PAGE.read_text())
    words = ["speed", "--read", str(figures), "--markdown", str(page)]
    monkeypatch.setattr("sys.argv", words)
    command.main()
    assert "| Helmholtz 10 | 20 | 2 | 50 | 1 |" in page.read_text()
    assert "Least CPU time" in capsys.readouterr().out


def test_workloads_are_chosen_by_words():
    assert command.chosen(["hmm", "kalman 2"]) == [
        *("Kalman 200", "HMM 100x8", "HMM in logs 100x8", "Poisson HMM 200")
    ]
    assert command.chosen([]) == [*WORKLOADS]
    with pytest.raises(SystemExit, match="no such workload"):
        command.chosen(["nothing"])


def test_goals_and_quotients_name_engines_that_there_are():
    assert {name for goal in GOALS for name in (goal.ours, goal.theirs)} <= {*ENGINES}


def test_steps_are_repeated_with_their_number():
    assert repeat(np, lambda k, state: (*state, k), (), 3) == (0, 1, 2)
