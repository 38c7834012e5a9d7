"""Cost of certifying a gradient at ten points, beside checks by finite differences, in one run.

    python benchmarks/certify.py [--rounds 3] [--sizes 10 100 1000]

The same function and points for all. Ours encloses the exact gradient to about 100 digits; the
peers compare it with finite differences, to 3 digits or so: ``torch.autograd.gradcheck`` in its
slow mode, one function evaluation for each input or more, and in its fast mode, one random
direction; ``jax.test_util.check_grads``, random directions. Each round asks every checker once,
in a new random order; figures are medians. A slow check is skipped, with words, where one round
would take more than the limit.
"""

from __future__ import annotations

import argparse
import importlib
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

import verify  # noqa: E402

POINTS = 10
ROWS = 20
Check = Callable[[], int]
"""Checks every point, and says how many right gradients it refused."""


def rosenbrock(xp: Any, x: Any, data: Any) -> Any:
    """Rosenbrock's valley in many dimensions."""
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def logistic(xp: Any, x: Any, data: Any) -> Any:
    """Loss of a logistic regression on twenty samples, with weights to regularise."""
    return xp.sum(xp.log1p(xp.exp(-xp.matmul(data, x)))) + 0.5 * xp.sum(x * x)


def log_sum_exp(xp: Any, x: Any, data: Any) -> Any:
    """Logarithm of a sum of exponentials, shifted by the largest."""
    top = xp.max(x)
    return top + xp.log(xp.sum(xp.exp(x - top)))


@dataclass(frozen=True)
class Workload:
    """A function at some points."""

    function: Callable[..., Any]
    points: list[Any]
    data: Any

    def ours(self) -> Check:
        """Certify symtape's gradient."""

        def check() -> int:
            found = verify.gradient(lambda x: self.function(np, x, self.data), at=self.points)
            return sum(point.verdict is not verify.Verdict.CORRECT for point in found.points)

        return check

    def torch(self, fast: bool) -> Check:
        """Check torch's gradient by torch."""
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        data = torch.tensor(self.data)

        def check() -> int:
            xs = [torch.tensor(point, requires_grad=True) for point in self.points]
            return sum(
                not torch.autograd.gradcheck(
                    lambda x: self.function(torch, x, data),
                    (x,),
                    fast_mode=fast,
                    raise_exception=False,
                )
                for x in xs
            )

        return check

    def jax(self) -> Check:
        """Check JAX's gradient by JAX."""
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        jnp = importlib.import_module("jax.numpy")
        check_grads = importlib.import_module("jax.test_util").check_grads
        data = jnp.asarray(self.data)

        def check() -> int:
            refused = 0
            for point in self.points:
                x = jnp.asarray(point)
                try:
                    check_grads(lambda x: self.function(jnp, x, data), (x,), order=1)
                except AssertionError:
                    refused += 1
            return refused

        return check


def workload(function: Callable[..., Any], size: int) -> Workload:
    """`function` of `size` numbers at ten points."""
    rng = np.random.default_rng(size)
    points = [rng.normal(size=size) for _ in range(POINTS)]
    return Workload(function, points, rng.normal(size=(ROWS, size)) / np.sqrt(size))


def checkers(work: Workload) -> dict[str, Check]:
    """Every checker that is installed."""
    found: dict[str, Check] = {"symtape": work.ours()}
    makers: dict[str, Callable[[], Check]] = {
        "gradcheck slow": lambda: work.torch(fast=False),
        "gradcheck fast": lambda: work.torch(fast=True),
        "check_grads": work.jax,
    }
    for name, make in makers.items():
        try:
            found[name] = make()
        except ImportError as error:
            print(f"  {name} is left out: {error}")
    return found


def measured(
    checks: dict[str, Check], rounds: int, limit: float
) -> tuple[dict[str, float], dict[str, int]]:
    """Median seconds of each, and what it refused; over `limit` seconds, it is run once."""
    refused: dict[str, int] = {}
    times: dict[str, list[float]] = {name: [] for name in checks}
    order = random.Random(0)
    for number in range(rounds):
        names = [n for n in checks if not number or max(times[n]) < limit]
        order.shuffle(names)
        for name in names:
            started = time.perf_counter()
            refused[name] = checks[name]()
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(spent) for name, spent in times.items()}, refused


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for a second round")
    options = parser.parse_args()
    for function in (rosenbrock, logistic, log_sum_exp):
        print(function.__name__)
        before: dict[str, float] = {}
        for size in options.sizes:
            work = workload(function, size)
            checks = checkers(work)
            workload(function, 3).ours()()  # SymPy is imported, and templates are derived.
            spent, refused = measured(checks, options.rounds, options.limit)
            mine = spent["symtape"]
            shown = [f"symtape {mine / POINTS * 1e3:8.2f} ms a point"]
            shown += [f"{n} {s / mine:7.2f} times that" for n, s in spent.items() if n != "symtape"]
            grown = {n: s / before[n] for n, s in spent.items() if n in before}
            if grown:
                shown.append("grown by " + ", ".join(f"{n} {g:.1f}" for n, g in grown.items()))
            shown += [
                f"{n} refuses {r} of {POINTS} right gradients" for n, r in refused.items() if r
            ]
            print(f"  n = {size:5d}: " + "; ".join(shown), flush=True)
            before = spent


if __name__ == "__main__":
    main()
