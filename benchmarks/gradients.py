"""Time of one gradient call of the eager tape, beside its peers, in one run.

    python benchmarks/gradients.py [--rounds 15] [--json FILE]

Single-threaded, float64, no compiling anywhere. Each round asks every engine of a workload once
(in a new random order), so that all share the same noise; the figures are medians over the
rounds, and ratios are medians of the rounds' ratios. Peers that are not installed are left out:
``pip install autograd torch==2.13.0`` brings them.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402  # after the thread counts

import symtape  # noqa: E402


@dataclass(frozen=True)
class Workload:
    """A scalar function of arrays, written against a NumPy-like namespace."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: tuple[int, ...]
    by_hand: Callable[..., Any] | None = None


def helmholtz(xp: Any, x: Any, a: Any, b: Any) -> Any:
    """Helmholtz free energy of a mixed fluid (Griewank & Walther)."""
    bx = xp.dot(b, x)
    root = 2**0.5
    ratio = (1 + (1 + root) * bx) / (1 + (1 - root) * bx)
    ideal = xp.sum(x * xp.log(x / (1 - bx)))
    return ideal - xp.dot(x, xp.matmul(a, x)) / (8**0.5 * bx) * xp.log(ratio)


def rosenbrock(xp: Any, x: Any) -> Any:
    """Rosenbrock's valley in many dimensions."""
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def van_der_pol(xp: Any, x: Any, v: Any, mu: Any) -> Any:
    """1,000 explicit Euler steps of Van der Pol's oscillator, on scalars."""
    for _ in range(1000):
        x, v = x + 0.01 * v, v + 0.01 * (mu * (1.0 - x * x) * v - x)
    return x


def tiny(xp: Any, x: Any, y: Any) -> Any:
    """A scalar function of five operations."""
    return xp.sin(x * y) + xp.exp(x) / y


def mlp(xp: Any, w1: Any, b1: Any, w2: Any, b2: Any, x: Any, targets: Any) -> Any:
    """Cross-entropy of a 784-256-10 network on a batch of 128, targets one-hot."""
    hidden = xp.tanh(xp.matmul(x, w1) + b1)
    logits = xp.matmul(hidden, w2) + b2
    log_total = xp.log(xp.sum(xp.exp(logits), 1))
    return xp.sum(log_total - xp.sum(logits * targets, 1)) / 128.0


def mlp_by_hand(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, targets: Any) -> Any:
    """The gradient of :func:`mlp`, written by hand."""
    hidden = np.tanh(x @ w1 + b1)
    logits = hidden @ w2 + b2
    odds = np.exp(logits)
    g_logits = (odds / np.sum(odds, 1, keepdims=True) - targets) / 128.0
    g_hidden = (g_logits @ w2.T) * (1.0 - hidden * hidden)
    return x.T @ g_hidden, g_hidden.sum(0), hidden.T @ g_logits, g_logits.sum(0)


def workloads() -> list[Workload]:
    """The workloads of the project's speed goals."""
    rng = np.random.default_rng(0)
    x10 = rng.uniform(0.01, 0.05, 10)
    a, b = rng.uniform(0, 1, (10, 10)), rng.uniform(0.1, 1, 10)
    weights = (rng.normal(size=(784, 256)) / 28, np.zeros(256))
    weights += (rng.normal(size=(256, 10)) / 16, np.zeros(10))
    batch = rng.normal(size=(128, 784))
    targets = np.eye(10)[rng.integers(0, 10, 128)]
    return [
        Workload("helmholtz n=10", helmholtz, (x10, a + a.T, b), (0,)),
        Workload("rosenbrock n=100", rosenbrock, (rng.normal(size=100),), (0,)),
        Workload("van der pol 1000", van_der_pol, (2.0, 0.0, 1.0), (0, 1, 2)),
        Workload("tiny scalar", tiny, (1.3, 0.7), (0, 1)),
        Workload("mlp 784-256-10", mlp, (*weights, batch, targets), (0, 1, 2, 3), mlp_by_hand),
    ]


def symtape_engine(work: Workload) -> Callable[[], Any]:
    """Symtape's eager tape."""
    args = [np.float64(x) if np.ndim(x) == 0 else x for x in work.args]
    if work.argnums == (0,):
        one = symtape.grad(functools.partial(work.function, np))
        return lambda: (one(*args),)
    several = symtape.grad(functools.partial(work.function, np), work.argnums)
    return lambda: several(*args)


def autograd_engine(work: Workload) -> Callable[[], Any]:
    """HIPS autograd."""
    anp = importlib.import_module("autograd.numpy")
    autograd = importlib.import_module("autograd")
    gradient = autograd.grad(functools.partial(work.function, anp), work.argnums)
    return lambda: gradient(*work.args)


def torch_engine(work: Workload) -> Callable[[], Any]:
    """PyTorch, eager, from leaves that are made at each call."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    bare = [torch.tensor(x, dtype=torch.float64) for x in work.args]

    def gradient() -> Any:
        leaves = [
            t.detach().requires_grad_() if k in work.argnums else t for k, t in enumerate(bare)
        ]
        wanted = [leaves[k] for k in work.argnums]
        return torch.autograd.grad(work.function(torch, *leaves), wanted)

    return gradient


def hand_engine(work: Workload) -> Callable[[], Any]:
    """NumPy written by hand, where the workload has it."""
    if work.by_hand is None:
        raise ImportError("no gradient by hand")
    by_hand = work.by_hand
    return lambda: by_hand(*work.args)


ENGINES = {
    "symtape": symtape_engine,
    "autograd": autograd_engine,
    "torch": torch_engine,
    "hand NumPy": hand_engine,
}


def measure(work: Workload, rounds: int) -> dict[str, list[float]]:
    """Seconds a call for each engine, one figure a round."""
    calls: dict[str, Callable[[], Any]] = {}
    for name, engine in ENGINES.items():
        try:
            calls[name] = engine(work)
        except ImportError:
            continue
    check_agreement(work, calls)
    repeats = {name: repeats_for(call) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds):
        for name in random.Random(number).sample(list(calls), len(calls)):
            started = time.perf_counter()
            for _ in range(repeats[name]):
                calls[name]()
            times[name].append((time.perf_counter() - started) / repeats[name])
    return times


def repeats_for(call: Callable[[], Any]) -> int:
    """So many that a round takes about 50 ms."""
    call()
    started = time.perf_counter()
    call()
    return max(1, int(0.05 / (time.perf_counter() - started)))


def check_agreement(work: Workload, calls: dict[str, Callable[[], Any]]) -> None:
    """Every engine computes the same derivative, or the times mean nothing."""
    ours = calls["symtape"]()
    for name, call in calls.items():
        for mine, theirs in zip(ours, call(), strict=True):
            error = np.max(np.abs(mine - np.asarray(theirs))) / np.max(np.abs(mine))
            if error > 1e-9:
                raise AssertionError(f"{name} disagrees on {work.name}: {error:.1e}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", help="also write the figures to this file")
    options = parser.parse_args()
    figures = {}
    print(f"{'workload':20}{'symtape':>12}" + "".join(f"{n + ' /':>14}" for n in list(ENGINES)[1:]))
    for work in workloads():
        times = measure(work, options.rounds)
        ours = times["symtape"]
        ratios = {
            name: statistics.median(t / o for t, o in zip(theirs, ours, strict=True))
            for name, theirs in times.items()
        }
        figures[work.name] = {"seconds": statistics.median(ours), "ratios": ratios}
        cells = [f"{ratios[name]:.2f}" if name in ratios else "-" for name in list(ENGINES)[1:]]
        print(
            f"{work.name:20}{statistics.median(ours) * 1e6:>9.1f} us"
            + "".join(f"{cell:>14}" for cell in cells)
        )
    if options.json:
        with open(options.json, "w") as file:
            json.dump(figures, file, indent=2)


if __name__ == "__main__":
    main()
