"""Gradients and verdicts are those of a fresh process, to the byte, whatever was asked before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, os, random, sys, warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import symtape, verify
from tests.symtape.programs.specialised.deciding import FUNCTIONS, POINTS

warnings.simplefilter("ignore")
np.seterr(all="ignore")


def by(method):
    def function(x):
        return method(x)

    return function


def leaving(x):
    return x[0] * float(np.asarray(x[1]) ** 2)


def text(x):
    return x[0] * 3.0 if "-" in f"{x[1]:.2f}" else x[0] * float(f"{x[1]:.17g}")


def by_type(x):
    return x[0] ** 2 if type(x[0]) is np.float64 else x[0] ** 3


def scipys(x):
    from scipy import special

    return special.logsumexp(x) if x[0] > 1 else float(np.sum(np.asarray(x[:2]))) * x[1]


TABLE = dict(FUNCTIONS) | {f.__name__: f for f in (leaving, text, by_type, scipys)}
TABLE |= {f"by {f.__name__}": by(f) for f in (leaving, text, by_type, scipys)}
COMPILED = {name: symtape.jit(symtape.grad(f)) for name, f in TABLE.items()}
CALLS = {
    "grad": lambda name, x: symtape.grad(TABLE[name])(x),
    "jacobian": lambda name, x: symtape.jacobian(TABLE[name])(x),
    "jit": lambda name, x: COMPILED[name](x),
    "verdict": lambda name, x: str(verify.gradient(TABLE[name], at=[x])),
}


def answer(task):
    call, name, k = task
    try:
        found = CALLS[call](name, POINTS[k])
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return found if isinstance(found, str) else np.asarray(found).tobytes().hex()


names, tasks, order, threads = json.loads(sys.argv[1])
chosen = sorted(TABLE)[:: names] + [name for name in TABLE if name in ("text", "scipys", "by_type")]
tasks = [(call, name, k) for call, ks in tasks for name in dict.fromkeys(chosen) for k in ks]
if threads > 1:
    # SciPy's functions are rows, or read, as other threads have bound their names: the last digit
    # of what the two give may differ.
    tasks = [task for task in tasks if "scipys" not in task[1]]
random.Random(order).shuffle(tasks)
with ThreadPoolExecutor(threads) as pool:
    found = list(pool.map(answer, tasks))
print(json.dumps(sorted(zip(map(repr, tasks), found))))
"""
ROOT = Path(__file__).parents[2]


def answers(tmp_path, names, tasks, order, threads=1):
    """What a process of its own answers, which is asked in this order."""
    file = tmp_path / "asked.py"
    file.write_text(PROGRAM, encoding="utf-8")
    home = tmp_path / f"home of {order} in {threads}"
    done = subprocess.run(
        [sys.executable, file, json.dumps([names, tasks, order, threads])],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {"PYTHONPATH": str(ROOT), "SYMTAPE_HOME": str(home), "PYTHONHASHSEED": "0"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout))


def check(tmp_path, names, tasks, orders):
    first = answers(tmp_path, names, tasks, 0)
    for order, threads in orders:
        found = answers(tmp_path, names, tasks, order, threads)
        other = {task: (first[task], found[task]) for task in found if first[task] != found[task]}
        assert not other


@pytest.mark.long
def test_history_is_nothing_and_threads_are(tmp_path):
    tasks = [("grad", [0, 1, 2]), ("jacobian", [1]), ("jit", [0, 2])]
    check(tmp_path, 8, tasks, [(1, 1), (2, 4)])


@pytest.mark.long
def test_no_verdict_is_another_one_after_others(tmp_path):
    check(tmp_path, 80, [("verdict", [3]), ("grad", [1])], [(1, 1)])


@pytest.mark.campaign
def test_history_is_nothing_for_all_functions(tmp_path):
    tasks = [("grad", range(6)), ("jacobian", [0, 3]), ("jit", range(6)), ("verdict", [0])]
    check(tmp_path, 1, [(call, list(ks)) for call, ks in tasks], [(1, 1), (2, 1), (3, 4)])
