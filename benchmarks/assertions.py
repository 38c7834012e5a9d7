"""Cost of assertions in tests: the plugin's start, one assertion, and a suite of 200.

    python benchmarks/assertions.py [--rounds 5] [--workers 2] [--values 20]

The start is that of the plugin alone, in fresh processes that have imported pytest. The suite is
ten small functions and their derivatives, right ones, at twenty values of a parameter each, over
regions, at the default effort, run by ``pytest -n`` in a folder of its own.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {
    **os.environ,
    "OMP_NUM_THREADS": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTHONPATH": str(ROOT),
}

PLUGINS = ("-p", "verify.pytest_plugin", "-p", "xdist", "-p", "no:cacheprovider")

START = """
import time, pytest
start = time.process_time()
import verify.pytest_plugin
print(time.process_time() - start)
"""

FUNCTIONS = """
import numpy as np


def damped(a):
    return (
        "gradient",
        lambda x: np.exp(-a * x) * np.sin(x),
        lambda x: np.exp(-a * x) * (np.cos(x) - a * np.sin(x)),
        [-3, 3],
    )


def logistic(a):
    return (
        "gradient",
        lambda x: 1 / (1 + np.exp(-a * x)),
        lambda x: a / (2 * np.cosh(a * x / 2)) ** 2,
        [-20, 20],
    )


def softplus(a):
    return (
        "gradient",
        lambda x: np.logaddexp(0, a * x),
        lambda x: a * np.exp(-np.logaddexp(0, -a * x)),
        [-20, 20],
    )


def huber(a):
    return (
        "gradient",
        lambda x: np.where(np.abs(x) < a, x * x / 2, a * (np.abs(x) - a / 2)),
        lambda x: np.clip(x, -a, a),
        [-30, 30],
    )


def rosenbrock(a):
    def gradient(x):
        inner = x[1] - x[0] ** 2
        return np.stack([-4 * a * x[0] * inner - 2 * (1 - x[0]), 2 * a * inner])

    return (
        "gradient",
        lambda x: a * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
        gradient,
        (-2, 2, 2),
    )


def log_sum_exp(a):
    def softmax(x):
        shifted = np.exp(a * x - np.max(a * x))
        return a * shifted / np.sum(shifted)

    return "gradient", lambda x: np.log(np.sum(np.exp(a * x))), softmax, (-5, 5, 4)


def quadratic(a):
    matrix = np.array([[a, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 3.0]])
    return "gradient", lambda x: x @ matrix @ x / 2, lambda x: matrix @ x, (-5, 5, 3)


def polar(a):
    def jacobian(x):
        sine, cosine = np.sin(x[1]), np.cos(x[1])
        return a * np.stack([np.stack([cosine, -x[0] * sine]), np.stack([sine, x[0] * cosine])])

    return (
        "jacobian",
        lambda x: a * x[0] * np.stack([np.cos(x[1]), np.sin(x[1])]),
        jacobian,
        (-3, 3, 2),
    )


def powers(a):
    return (
        "hessian",
        lambda x: np.sum(x**3) + a * x[0] * x[1],
        lambda x: 6 * np.diag(x) + a * np.array([[0.0, 1.0], [1.0, 0.0]]),
        (-3, 3, 2),
    )


def gaussian(a):
    return (
        "gradient",
        lambda x: np.exp(-np.sum(x * x) / a),
        lambda x: -2 * x / a * np.exp(-np.sum(x * x) / a),
        (-3, 3, 3),
    )


MADE = (
    damped, logistic, softplus, huber, rosenbrock, log_sum_exp, quadratic, polar, powers, gaussian
)
"""

SUITE = """
import pytest
import verify
from functions import MADE


@pytest.mark.parametrize("k", range(VALUES))
@pytest.mark.parametrize("make", MADE)
def test_derivative(make, k):
    quantity, function, claimed, over = make(0.5 + k / 8)
    if isinstance(over, tuple):
        over = verify.box(over[0], over[1], shape=(over[2],))
    getattr(verify, f"assert_{quantity}")(function, claimed, over=over)
"""


def started() -> float:
    """Seconds of the processor that importing the plugin takes, in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", START], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def suite(folder: Path, values: int, *words: str) -> tuple[float, str]:
    """Seconds of a run, and what it printed."""
    (folder / "functions.py").write_text(FUNCTIONS)
    (folder / "test_suite.py").write_text(SUITE.replace("VALUES", str(values)))
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    begun = time.perf_counter()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            *PLUGINS,
            "--durations=400",
            "--durations-min=0",
            *words,
        ],
        env=ENVIRONMENT,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return time.perf_counter() - begun, done.stdout


def calls(output: str) -> list[float]:
    """The seconds of each test."""
    lines = (line.split() for line in output.splitlines() if " call " in line)
    return [float(words[0].rstrip("s")) for words in lines]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--values", type=int, default=20, help="of the parameter; 20 for 200 tests")
    given = parser.parse_args()
    starts = [started() for _ in range(given.rounds)]
    print(f"start of the plugin   {statistics.median(starts) * 1e3:8.1f} ms, median")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        seconds, output = suite(Path(folder), given.values, "-n", str(given.workers))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime
    taken = calls(output)
    first = sorted(taken)[-given.workers :]
    rest = sorted(taken)[: -given.workers]
    print(f"first in each worker  {statistics.median(first):8.2f} s, with all imports")
    print(
        f"one assertion         {statistics.median(rest):8.2f} s, median; {max(rest):.2f} s at most"
    )
    print(
        f"{len(taken)} tests, -n {given.workers}       {seconds:8.1f} s, {busy:.1f} s of processor"
    )
    print(
        "\n".join(line for line in output.splitlines() if " passed" in line or "symtape:" in line)
    )


if __name__ == "__main__":
    main()
