"""Workloads in two or more checkouts, in turns: what a change made quicker or slower.

    python -m benchmarks.checkouts ../before . [--only PageRank waves] [--engine auto] [--rounds 9]

Each checkout has a process of its own for each workload, with that checkout's sources and
workloads. CPU time: of a call the median of the rounds, to be ready the median of the starts; both
as ratios to the first checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.speed.__main__ import chosen

CHILD = """
import json, sys, warnings
warnings.simplefilter("ignore")
from benchmarks.speed.worker import mean_seconds, prepare, repeats_for
engine, workload = sys.argv[1:]
prepare(engine, "tiny Hessian")
prepared, ready, _ = prepare(engine, workload)
repeats = repeats_for(prepared.call)
print(json.dumps(ready), flush=True)
for _ in sys.stdin:
    print(json.dumps(mean_seconds(prepared.call, repeats)), flush=True)
"""


class Child:
    """A workload that one checkout has made ready."""

    def __init__(self, checkout: Path, engine: str, workload: str) -> None:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        environment = os.environ | threads | {"PYTHONPATH": str(checkout)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD, engine, workload],
            cwd=checkout,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.ready = self._read()

    def _read(self) -> float:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return float(json.loads(line)) if line else float("nan")

    def time(self) -> float:
        """CPU seconds of a call, the mean of some."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._read()

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


def measure(checkouts: list[Path], workload: str, options: Any) -> str:
    """A line of the table."""
    ready: list[list[float]] = [[] for _ in checkouts]
    calls: list[list[float]] = [[] for _ in checkouts]
    order = list(range(len(checkouts)))
    for start in range(options.starts):
        children = {}
        for k in random.Random(start).sample(order, len(order)):
            children[k] = Child(checkouts[k], options.engine, workload)
            ready[k].append(children[k].ready)
        for number in range(options.rounds):
            for k in random.Random(number).sample(order, len(order)):
                calls[k].append(children[k].time())
        for child in children.values():
            child.end()
    call, start_time = ([statistics.median(x) for x in xs] for xs in (calls, ready))
    cells = [
        f"call {call[k] / call[0]:5.2f}  ready {start_time[k] / start_time[0]:5.2f}"
        for k in order[1:]
    ]
    first = f"{call[0] * 1e6:10.1f} µs {start_time[0]:6.2f} s"
    return f"{workload:34}{first}   " + "   ".join(cells)


def main() -> None:
    """Measure and print, a line a workload."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.checkouts", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--only", nargs="+", default=[], help="words in the names of workloads")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--starts", type=int, default=3)
    options = parser.parse_args()
    checkouts = [one.resolve() for one in options.checkouts]
    for name in chosen(options.only):
        print(measure(checkouts, name, options), flush=True)


if __name__ == "__main__":
    main()
