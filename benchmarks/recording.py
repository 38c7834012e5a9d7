"""What it costs to record SciPy's Python code: seconds for an operation, beside the plain run.

    python benchmarks/recording.py [--rounds 15] [--json FILE]

Each function is run plain, and read, as the Python code of libraries is. The plain run is taken
per operation that was recorded of it, which leaves out the calls of NumPy that record nothing; so
a ratio says what each recorded operation costs beside its own part of the plain run. Medians over
the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize
import scipy.spatial.distance
import scipy.stats

import symtape
from symtape.reading.readings import readings

X = np.array([0.5, 2.0, 0.75, 1.25])
Y = np.array([1.0, -0.5, 0.3, 2.2])

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "norm.logpdf": lambda x: np.sum(scipy.stats.norm.logpdf(x, 0.3, 1.7)),
    "gamma.logpdf": lambda x: np.sum(scipy.stats.gamma.logpdf(x, 2.0)),
    "genpareto.logpdf": lambda x: np.sum(scipy.stats.genpareto.logpdf(x, 0.1)),
    "skew": scipy.stats.skew,
    "zscore": lambda x: np.sum(scipy.stats.zscore(x) ** 3),
    "linregress": lambda x: scipy.stats.linregress(Y, x).slope,
    "gaussian_kde": lambda x: np.sum(scipy.stats.gaussian_kde(Y)(x)),
    "multivariate_normal": lambda x: scipy.stats.multivariate_normal.logpdf(x, Y, np.eye(4)),
    "rosen": scipy.optimize.rosen,
    "minkowski": lambda x: scipy.spatial.distance.minkowski(x, Y, 3),
}


def way_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The way to read it that records it, which is found once."""
    for way in (function, *readings(function)):
        try:
            graph = symtape.graph.freeze.record(way, X)
        except Exception:  # noqa: BLE001  # it is another way
            continue
        if not graph.escapes:
            return way
    raise RuntimeError("nothing records it")


def seconds(call: Callable[[], Any], rounds: int) -> float:
    """The median of some rounds, of several calls each."""
    call()
    found = []
    for _ in range(rounds):
        begun = time.process_time()
        for _ in range(5):
            call()
        found.append((time.process_time() - begun) / 5)
    return statistics.median(found)


def measured(function: Callable[..., Any], rounds: int) -> dict[str, float]:
    """Seconds of the plain run, of a recording and of a gradient; operations; the ratio."""
    graph = symtape.record(function, X)
    operations = sum(node.primitive is not None for node in graph.nodes)
    way = way_of(function)
    plain = seconds(lambda: function(X.copy()), rounds)
    recorded = seconds(lambda: symtape.graph.freeze.record(way, X), rounds)
    gradient = seconds(lambda: symtape.grad(function)(X), rounds)
    return {
        "plain": plain,
        "recorded": recorded,
        "gradient": gradient,
        "operations": operations,
        "ratio": recorded / plain,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = {name: measured(function, given.rounds) for name, function in FUNCTIONS.items()}
    print(f"{'':22}{'plain':>10}{'recorded':>10}{'gradient':>10}{'ops':>6}{'ratio':>7}")
    for name, one in found.items():
        times = "".join(f"{one[k] * 1e6:8.0f}us" for k in ("plain", "recorded", "gradient"))
        print(f"{name:22}{times}{one['operations']:6.0f}{one['ratio']:7.1f}")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
