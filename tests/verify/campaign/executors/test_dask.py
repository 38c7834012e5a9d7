"""Dask: workers that are lost or differ, schedulers that are not there or go away."""

from __future__ import annotations

import collections
import itertools
import json
import logging
import signal
import socket

import numpy as np
import pytest

from tests.verify.campaign.executors.hostile import Call
from verify.campaign.executors import executor_of, workers
from verify.campaign.executors.dask import DaskExecutor
from verify.campaign.limits import Setup
from verify.errors import LostWorkers, UsageError

distributed = pytest.importorskip("distributed")

COLD = Setup(imports=())

pytestmark = [
    # Dask's own: sockets and event loops that it leaves to the collector when peers die.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture
def cluster():
    """Two workers in processes of their own; of those that die not all come back under load."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=120)
        yield client


def pretend(version):
    """A worker that has another NumPy, as far as it says."""
    workers.version_of = lambda name: version if name == "numpy" else real(name)


def real(name):
    import importlib.metadata

    return importlib.metadata.version(name)


def test_hazards_are_told_and_the_others_answer(client):
    names = ["exits", "segfaults", "leaves_with_0", "patches_modules", "changes_environment"]
    works = [Call(name) for name in names] + [Call("state", n) for n in range(6)]
    found = {o.key: o for o in DaskExecutor(client, COLD).outcomes(works, 60.0)}
    assert {key: found[key].ended for key in ("exits None", "segfaults None")} == {
        "exits None": "the task called sys.exit(3)",
        "segfaults None": "the process of the task was ended by a signal "
        "(SIGSEGV: a segmentation fault)",
    }
    states = [json.loads(found[f"state {n}"].text) for n in range(6)]
    assert [it.pop("answer") for it in states] == [float(np.cos(n)) for n in range(6)]
    assert [it | {"environment": None} for it in states] == [states[0] | {"environment": None}] * 6
    assert client.status == "running"  # whoever made it keeps it


def test_by_the_address_of_a_scheduler(cluster):
    executor = executor_of("dask", scheduler=cluster.scheduler_address)
    executor._setup = COLD
    found = executor.outcomes((Call("plain", n) for n in itertools.count()), 60.0)
    assert {next(found).text for _ in range(5)} <= {str(n) for n in range(80)}
    found.close()


def test_the_tasks_of_a_lost_worker_are_done_by_others(client):
    works = [Call("sleep", 0.02 + n / 1e6) for n in range(100)]
    done = []
    for outcome in DaskExecutor(client, COLD).outcomes(works, 60.0):
        if not done:
            process = next(iter(client.run(workers.os.getpid).values()))
            workers.os.kill(process, signal.SIGKILL)
        done.append(outcome)
    assert sorted(o.key for o in done) == sorted(work.key for work in works)
    assert {o.text for o in done} == {'"slept"'}


def test_a_worker_of_other_versions_is_named_before_anything_runs(client):
    address = sorted(client.nthreads())[0]
    client.run(pretend, "1.0", workers=[address])
    drawn = []
    works = (drawn.append(n) or Call("plain", n) for n in range(10))
    with pytest.raises(UsageError) as error:
        list(DaskExecutor(client, COLD).outcomes(works, 60.0))
    assert f"  {address}: numpy 1.0, expected {real('numpy')}" in str(error.value)
    assert drawn == []


def test_packages_of_works_are_compared_too(client):
    client.run(pretend, "1.0")
    with pytest.raises(UsageError, match=r"numpy 1\.0, expected"):
        list(DaskExecutor(client, COLD).outcomes([Call("plain", 1, ("numpy",))], 60.0))


def test_a_worker_that_comes_later_is_compared_as_well(client):
    found = DaskExecutor(client, COLD).outcomes((Call("plain", n) for n in itertools.count()), 60.0)
    next(found)
    client.run(pretend, "1.0")
    with pytest.raises(UsageError, match=r"process .*: numpy 1\.0, expected"):
        collections.deque(itertools.islice(found, 500), maxlen=0)


def test_a_scheduler_that_is_not_there_is_told():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(UsageError, match=f"no Dask scheduler answers at '{address}' within 5 s"):
        next(executor_of("dask", scheduler=address).outcomes([Call("plain")], 60.0))


@pytest.mark.campaign
def test_a_scheduler_that_goes_away_is_told_and_what_was_done_is_kept():
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as cluster:
        works = (Call("sleep", 0.01 + n / 1e6) for n in itertools.count())
        found = DaskExecutor(cluster.scheduler_address, COLD).outcomes(works, 60.0)
        kept = [next(found) for _ in range(3)]
        cluster.close()
        with pytest.raises(LostWorkers, match=r"connection to the Dask scheduler .* was lost"):
            kept.extend(found)
    assert {outcome.text for outcome in kept} == {'"slept"'}


def test_without_an_address_the_way_to_one_is_told():
    with pytest.raises(UsageError, match="needs the address of a scheduler"):
        executor_of("dask")
