"""Cost of one operation on balls in a graph, beside a thin dispatch to FLINT, in one run.

    python benchmarks/balls.py [--elements 4000]

A graph of a single operation on an array is enclosed; what enclosing its inputs alone costs is
taken off. Beside it ``numpy.frompyfunc`` makes the same calls on the same balls: the thinnest
dispatch that keeps what it computes. It looks at nothing, and so is wrong on wide balls.
Nanoseconds for one element; figures are medians, and ratios are medians of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import operator
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from flint import arb

import symtape
import symtape.scipy.special
from symtape.process.precision import precision
from symtape.rigorous.enclose import enclose

ROUNDS = 15
OPERATIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], int]] = {
    "add": (np.add, operator.add, 2),
    "multiply": (np.multiply, operator.mul, 2),
    "divide": (np.divide, operator.truediv, 2),
    "sqrt": (np.sqrt, arb.sqrt, 1),
    "absolute": (np.abs, arb.__abs__, 1),
    "maximum": (np.maximum, arb.max, 2),
    "exp": (np.exp, arb.exp, 1),
    "log": (np.log, arb.log, 1),
    "sin": (np.sin, arb.sin, 1),
    "cos": (np.cos, arb.cos, 1),
    "tan": (np.tan, arb.tan, 1),
    "tanh": (np.tanh, arb.tanh, 1),
    "arctan2": (np.arctan2, arb.atan2, 2),
    "hypot": (np.hypot, lambda x, y: (x * x + y * y).sqrt(), 2),
    "logaddexp": (np.logaddexp, lambda x, y: x.max(y) + (-abs(x - y)).exp().log1p(), 2),
    "erf": (scipy.special.erf, arb.erf, 1),
    "gammaln": (scipy.special.gammaln, arb.lgamma, 1),
    "digamma": (scipy.special.digamma, arb.digamma, 1),
    "j0": (scipy.special.j0, lambda x: x.bessel_j(0), 1),
}
"""The NumPy function, what FLINT calls it, and of how many arguments it is."""


def seconds(call: Callable[[], Any]) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def measured(name: str, elements: int, bits: int) -> tuple[float, float, float]:
    """Nanoseconds for an element: ours, the thin dispatch's, and the ratio."""
    function, bare, arity = OPERATIONS[name]
    rng = np.random.default_rng(0)
    inputs = [rng.uniform(0.5, 4, elements) for _ in range(arity)]
    graph = symtape.record(lambda *xs: function(*xs), *inputs)
    alone = symtape.record(lambda *xs: xs, *inputs)
    balls = [np.array([arb(x) for x in column.tolist()], dtype=object) for column in inputs]
    thin = np.frompyfunc(bare, arity, 1)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        with precision(bits):
            whole = seconds(lambda: enclose(graph, inputs, bits))
            ours.append(whole - seconds(lambda: enclose(alone, inputs, bits)))
            theirs.append(seconds(lambda: thin(*balls)))
    each = 1e9 / elements
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    return statistics.median(ours) * each, statistics.median(theirs) * each, ratio


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elements", type=int, default=4000)
    elements = parser.parse_args().elements
    print("             53 bits: ours   thin  ratio    300 bits: ours   thin  ratio")
    for name in OPERATIONS:
        cells = [
            f"{ours:9.0f} {bare:6.0f} {ratio:6.2f}"
            for ours, bare, ratio in (measured(name, elements, bits) for bits in (53, 300))
        ]
        print(f"{name:10s}       " + "            ".join(cells), flush=True)


if __name__ == "__main__":
    main()
