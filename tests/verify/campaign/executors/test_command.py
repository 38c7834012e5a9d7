"""``symtape verify`` on executors and under limits, as a user meets them."""

from __future__ import annotations

import json
import logging
import socket
import sys
import textwrap

import pytest
from click.testing import CliRunner

from tests.verify.campaign.executors.hostile import Call
from verify.campaign.executors import executor_of
from verify.cli import cli
from verify.reporting import load

FILE = """
    import ctypes
    import numpy as np
    import verify

    @verify.case(at=[0.5, 2.0])
    def square(x):
        return x * x

    def greedy(x):
        np.ones(1 << 31)
        return 2 * x

    @verify.case(at=[0.5], claimed=greedy)
    def asks_for_too_much(x):
        return x * x

    def crash(x):
        ctypes.string_at(0)

    @verify.case(at=[0.5], claimed=crash)
    def ends_its_process(x):
        return x * x
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    (tmp_path / "mine.py").write_text(textwrap.dedent(FILE))
    return tmp_path


def verify(*words, status):
    done = CliRunner().invoke(cli, ["verify", "mine.py", *words], prog_name="symtape")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == status, done.output
    return done


def said(folder):
    """Of each case of the report in a folder, its verdict and its words."""
    cases = load(folder / "out" / "mine.json").cases
    return {case.title: (case.verdict.value, case.message) for case in cases}


CRASHED = "the process of the task was ended by a signal (SIGSEGV: a segmentation fault)"
GREEDY = "the task asked for more memory than the 2 GiB it may have"


@pytest.mark.long
def test_what_asks_for_too_much_memory_or_ends_its_process_is_told(here):
    verify("--jobs", "1", "--memory", "2 GiB", "--out", "out", "--format", "json", status=3)
    found = said(here)
    assert found["square"][0] == "CORRECT"
    assert found["ends_its_process"] == ("UNDECIDED", CRASHED)
    assert found["asks_for_too_much"] == ("UNDECIDED", GREEDY)


@pytest.mark.filterwarnings("ignore")  # Dask's own, of sockets that it leaves to the collector
def test_cases_are_judged_by_the_workers_of_a_scheduler(here):
    distributed = pytest.importorskip("distributed")
    asked = "--out", "out", "--format", "json"
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        on_cluster = "--executor", "dask", "--scheduler", cluster.scheduler_address
        verify(*on_cluster, "--memory", "2 GiB", *asked, status=3)
    found = said(here)
    assert found["square"][0] == "CORRECT"
    assert found["ends_its_process"] == ("UNDECIDED", CRASHED)
    assert found["asks_for_too_much"] == ("UNDECIDED", GREEDY)


def test_a_scheduler_that_is_not_there_is_told(here):
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    refused = verify("--executor", "dask", "--scheduler", address, "--out", "out", status=2)
    assert f"no Dask scheduler answers at '{address}' within 5 s" in refused.stderr
    assert "or run here with the executor 'local'" in refused.stderr
    assert not (here / "out" / "mine.json").exists()


REFUSED = [
    ("--executor dask", "needs the address of a scheduler, as in --scheduler tcp://host:8786"),
    ("--scheduler tcp://a:1", "is for the executors 'dask' and 'ray', and the executor is 'local'"),
    ("--memory much", "memory='much' is not a size; expected a number of bytes, or a text like"),
]


@pytest.mark.parametrize(("line", "words"), REFUSED)
def test_options_that_do_not_fit_are_refused(here, line, words):
    if "dask" in line:
        pytest.importorskip("distributed")
    assert words in verify(*line.split(), status=2).stderr


@pytest.mark.campaign
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_ray_runs_tasks_and_tells_of_those_that_end_their_process():
    ray = pytest.importorskip("ray")
    try:
        works = [Call("segfaults"), *(Call("plain", number) for number in range(3))]
        found = {it.key: it for it in executor_of("ray").outcomes(works, 60.0)}
    finally:
        ray.shutdown()
    assert found["segfaults None"].ended == CRASHED
    assert [json.loads(found[f"plain {number}"].text) for number in range(3)] == [0, 1, 2]
