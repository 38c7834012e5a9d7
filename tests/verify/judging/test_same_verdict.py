"""Of the same inputs the same is said, word for word: on any machine, in any order and process."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.verify.verdict_texts import CASES, SUITE_TASKS, texts

ROOT = Path(__file__).parents[3]

SEARCHED = [
    "classics/huber",
    "hardsigmoid below -3, wrong",
    "maximum of equal entries, right",
    "norm at 0, wrong",
    "norm at 0, right",
    "tanh as sinh / cosh, wrong",
    "cosh, right",
]
"""Cases of which a region is searched."""

PICKED = [
    "seeds/layer-jacobian",
    "seeds/branches",
    "classics/helmholtz",
    "primitives/solve.1",
    "primitives/sort",
    *SEARCHED,
    "samples of cosh, wrong",
    "samples of hypot, right",
    "claim: 1 + 1e-12",
    "claim: raises, at its line",
    "claim: in Python's floats",
    "rule: dropped term",
]
"""A few of every kind."""

IN_SUITES = [name for name in PICKED if name in SUITE_TASKS]

BUSY = {"clock": 40.0, "seconds": 0.05}
"""Each first call takes two seconds, and most cases half a minute, by every clock there is.

Not more: formulas of reports, which are left out after a minute, take up to a tenth of a second,
and several times as long on a machine that is busy.
"""


def run(names, hashing="0", **options):
    """The texts, by a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.verify.verdict_texts"],
        input=json.dumps({"names": list(names), **options}),
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hashing},
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def all_at_once(calls):
    """What each of several processes says."""
    with ThreadPoolExecutor(2) as pool:
        waiting = {name: pool.submit(run, *args, **more) for name, (args, more) in calls.items()}
        try:
            return {name: future.result() for name, future in waiting.items()}
        finally:  # of what is interrupted, no further process is started
            pool.shutdown(wait=False, cancel_futures=True)


def differing(one, other):
    """The names of `other` of which they do not say the same."""
    return [name for name in other if one[name] != other[name]]


@pytest.fixture(scope="module")
def said():
    return all_at_once(
        {
            "idle": ((PICKED[::-1], "1"), {}),
            "busy": ((PICKED,), BUSY),
        }
    )


@pytest.mark.long
def test_slow_functions_on_a_busy_machine_in_another_order_with_other_hashes(said):
    """At once, as each takes a process; the campaign below tells them apart."""
    assert set(said["idle"]) == set(PICKED)
    assert differing(said["idle"], said["busy"]) == []


@pytest.mark.campaign
def test_in_any_process(said):
    in_parallel = run(IN_SUITES, jobs=2)
    assert set(in_parallel) == set(IN_SUITES)
    assert differing(said["idle"], in_parallel) == []


def test_what_is_compared_can_tell(said):
    kinds = {text.partition(" ")[0] for text in said["idle"].values()}
    assert {"CORRECT", "WRONG", "KINK"} <= kinds
    assert len(set(said["idle"].values())) == len(PICKED)
    assert differing(said["idle"], texts(["cosh, right"], effort=0.1)) == ["cosh, right"]


@pytest.mark.campaign
@pytest.mark.parametrize("effort", [0.05, 1.0])
def test_all_suites_and_faults(effort):
    names = list(CASES) if effort < 1 else random.Random(0).sample(list(CASES), 150)
    shuffled = random.Random(1).sample(names, len(names))
    alone = random.Random(2).sample(names, 12)
    found = all_at_once(
        {
            "idle": ((names,), {"effort": effort}),
            "again": ((names,), {"effort": effort}),
            "busy": ((names,), {"effort": effort, "clock": 200.0, "seconds": 1e-3}),
            "other hashes": ((names, "1"), {"effort": effort}),
            "reversed": ((names[::-1], "2"), {"effort": effort}),
            "shuffled": ((shuffled,), {"effort": effort}),
            **{name: (([name],), {"effort": effort}) for name in alone},
        }
    )
    idle = found.pop("idle")
    assert {
        way: different for way, other in found.items() if (different := differing(idle, other))
    } == {}


@pytest.mark.campaign
def test_campaigns_of_any_number_of_processes():
    names = list(SUITE_TASKS)
    found = all_at_once({jobs: ((names,), {"jobs": jobs}) for jobs in (0, 1, 2)})
    assert found[0] == found[1] == found[2]
