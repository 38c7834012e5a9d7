"""Jacobians and Hessians in one batched sweep, beside one sweep for each output.

python benchmarks/jacobians.py
"""

from __future__ import annotations

import importlib
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402  # after the thread counts

import symtape  # noqa: E402


def brusselator(xp: Any, state: Any) -> Any:
    """Right-hand side of the Brusselator on 64 points of a ring; 128 outputs."""
    u, v = state[:64], state[64:]
    du = 1.0 + u**2 * v - 4.4 * u + 0.02 * (xp.roll(u, 1) - 2.0 * u + xp.roll(u, -1))
    dv = 3.4 * u - u**2 * v + 0.02 * (xp.roll(v, 1) - 2.0 * v + xp.roll(v, -1))
    return xp.concatenate([du, dv])


def rosenbrock(xp: Any, x: Any) -> Any:
    """Rosenbrock's valley in many dimensions."""
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def looped(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """The Jacobian by one sweep for each output."""

    def jacobian(x: Any) -> Any:
        tensor = symtape.constant(x)
        with symtape.GradientTape() as tape:
            tape.watch(tensor)
            y = function(np, tensor)
        return tape.jacobian(y, tensor, experimental_use_pfor=False).numpy()

    return jacobian


def median_time(call: Callable[[], Any]) -> float:
    """Seconds, the median of five runs."""
    call()
    times = []
    for _ in range(5):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(0)
    state, point = rng.uniform(1, 2, 128), rng.normal(size=100)
    ours = {
        "Brusselator 128x128 Jacobian": lambda: symtape.jacobian(lambda x: brusselator(np, x))(
            state
        ),
        "Rosenbrock n=100 Hessian": lambda: symtape.hessian(lambda x: rosenbrock(np, x))(point),
    }
    peers: dict[str, dict[str, Callable[[], Any]]] = {
        "Brusselator 128x128 Jacobian": {"one sweep each": lambda: looped(brusselator)(state)},
        "Rosenbrock n=100 Hessian": {},
    }
    try:
        autograd, anp = (importlib.import_module(m) for m in ("autograd", "autograd.numpy"))
    except ImportError:
        pass
    else:
        slow_jacobian = autograd.jacobian(lambda x: brusselator(anp, x))
        slow_hessian = autograd.hessian(lambda x: rosenbrock(anp, x))
        peers["Brusselator 128x128 Jacobian"]["autograd"] = lambda: slow_jacobian(state)
        peers["Rosenbrock n=100 Hessian"]["autograd"] = lambda: slow_hessian(point)
    for name, call in ours.items():
        mine = median_time(call)
        others = {peer: median_time(other) / mine for peer, other in peers[name].items()}
        shown = ", ".join(f"{peer} {ratio:.1f} times that" for peer, ratio in others.items())
        print(f"{name}: {mine * 1e3:.2f} ms; {shown}")


if __name__ == "__main__":
    main()
