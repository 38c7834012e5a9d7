"""Time of the symbolic engine: from plain NumPy code to derivative, beside SymPy's own `diff`.

Run ``python benchmarks/shadow.py``. Each line is the best of three, after one warm-up; the steps
are record, shadow, gradient (and Hessian), enclosure at 300 bits. SymPy's `diff` gets the same
function expanded, where that ends within a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import symtape
from symtape.symbolic.derivative import gradient, hessian
from symtape.symbolic.precise import enclose
from symtape.symbolic.walk import shadow

SEED = np.random.default_rng(0)
MATRIX, VECTOR = SEED.normal(size=(6, 6)), SEED.normal(size=6)


def chain(x, steps=200, sin=np.sin):
    """Two-fold sharing: each step uses the last twice."""
    for _ in range(steps):
        x = sin(x) * x + 0.125
    return x


def solved(a, b):
    return np.sum(np.linalg.solve(a, b))


def helmholtz(x):
    n = len(x)
    a, b = np.ones((n, n)) + np.eye(n), np.linspace(0.1, 0.2, n)
    bx = np.sum(b * x)
    return np.sum(x * np.log(x / (1 - bx))) - x @ a @ x / (8**0.5 * bx) * np.log(1 + bx)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


CASES: dict[str, tuple[Callable[..., Any], list[Any], bool]] = {
    "chain of 200 steps": (chain, [0.5], True),
    "10,000 scalar operations": (lambda x: chain(x, 3334), [0.5], False),
    "solve 6 x 6": (solved, [MATRIX, VECTOR], True),
    "Helmholtz energy, n = 10": (helmholtz, [np.linspace(0.1, 0.2, 10)], True),
    "Rosenbrock, n = 100": (rosenbrock, [np.linspace(-1, 1, 100)], True),
}


def best(function: Callable[[], Any]) -> tuple[float, Any]:
    times = []
    for _ in range(4):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times[1:]), result


def measure(function: Callable[..., Any], point: list[Any], second: bool) -> list[float]:
    recorded, graph = best(lambda: symtape.record(function, *point))
    shadowed, _ = best(lambda: shadow(graph, point))
    made = shadow(graph, point)

    def fresh(derivative: Callable[[Any], Any]) -> float:
        times = []
        for _ in range(3):
            other = shadow(graph, point)
            start = time.perf_counter()
            derivative(other)
            times.append(time.perf_counter() - start)
        return min(times)

    first = fresh(gradient)
    ids = np.concatenate([part.ravel() for part in gradient(made)])
    enclosed, _ = best(lambda: enclose(made.program, ids, point, 300))
    return [recorded, shadowed, first, fresh(hessian) if second else float("nan"), enclosed]


def sympy_diff(steps: int) -> float:
    x = sp.Symbol("x", real=True)
    expression = chain(x, steps, sp.sin)
    start = time.perf_counter()
    sp.diff(expression, x)
    return time.perf_counter() - start


def main() -> None:
    heads = ["record", "shadow", "gradient", "sum", "hessian", "enclose"]
    print(f"{'milliseconds':<26}" + "".join(f"{head:>10}" for head in heads))
    for name, (function, point, second) in CASES.items():
        recorded, shadowed, first, hess, enclosed = measure(function, point, second)
        total = recorded + shadowed + first
        row = [recorded, shadowed, first, total, hess, enclosed]
        print(f"{name:<26}" + "".join(f"{1e3 * t:>10.1f}" if t == t else f"{'-':>10}" for t in row))
    print("\nthe chain against sympy.diff of the expanded expression")
    for steps in (6, 8, 10):
        graph_time = sum(measure(lambda x, n=steps: chain(x, n), [0.5], False)[:3])
        plain = sympy_diff(steps)
        print(
            f"  {steps:>3} steps: {1e3 * plain:>9.1f} ms, {plain / graph_time:>7.0f} times as long"
        )


if __name__ == "__main__":
    main()
