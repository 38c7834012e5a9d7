"""A function of a slice over 1,000 slices: ``symtape.vmap`` beside a loop, and ``jax.vmap``.

    python -m benchmarks.mapping [--slices 1000] [--rounds 5]

CPU time, the least of the rounds, in which the ways take turns; what each gives is held against the
loop's. ``jax`` is looked for, and left out where it is not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import symtape

Function = Callable[[Any], Any]


def distances(np: Any) -> Function:
    """The energy of ten particles on a line."""

    def energy(x: Any) -> Any:
        apart = x[:, None] - x[None, :]
        return np.sum(np.exp(-(apart**2)))

    return energy


def network(np: Any) -> Function:
    """Two layers."""
    first, second = np.ones((10, 16)) / 10, np.ones((16, 4)) / 16

    def loss(x: Any) -> Any:
        return np.sum(np.tanh(np.tanh(x @ first) @ second) ** 2)

    return loss


def solving(np: Any) -> Function:
    """The solution of a system."""
    shift = 20 * np.eye(10)

    def solved(x: Any) -> Any:
        return np.sum(np.linalg.solve(np.outer(x, x) + shift, x))

    return solved


WORKLOADS = {"distances": distances, "network": network, "solve": solving}


def ways(make: Callable[[Any], Function], gradient: bool) -> dict[str, Function]:
    """Callables of the whole stack, by what they are called."""
    function = make(np)
    one = symtape.grad(function) if gradient else function
    found = {
        "loop": lambda xs: np.stack([one(x) for x in xs]),
        "vmap": symtape.vmap(one),
        "jit(vmap)": symtape.jit(symtape.vmap(one)),
    }
    if gradient:
        found["grad(sum(vmap))"] = symtape.grad(lambda xs: np.sum(symtape.vmap(function)(xs)))
    if importlib.util.find_spec("jax") is not None:
        import jax

        jax.config.update("jax_enable_x64", True)
        traced = make(jax.numpy)
        mapped = jax.vmap(jax.grad(traced) if gradient else traced)
        compiled = jax.jit(mapped)
        found["jax.vmap"] = lambda xs: np.asarray(mapped(xs))
        found["jax.jit(vmap)"] = lambda xs: np.asarray(compiled(xs))
    return found


def measured(found: dict[str, Function], xs: Any, rounds: int) -> dict[str, float]:
    """The least CPU time of each way, in seconds."""
    expected = found["loop"](xs)
    for name, way in found.items():
        np.testing.assert_allclose(way(xs), expected, rtol=1e-9, err_msg=name)
    least = dict.fromkeys(found, np.inf)
    for _ in range(rounds):
        for name, way in found.items():
            start = time.process_time()
            way(xs)
            least[name] = min(least[name], time.process_time() - start)
    return least


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slices", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    xs = np.random.default_rng(0).normal(size=(asked.slices, 10))
    for name, make in WORKLOADS.items():
        for gradient in (False, True):
            least = measured(ways(make, gradient), xs, asked.rounds)
            what = "gradient" if gradient else "value"
            shown = ", ".join(
                f"{way} {1e3 * seconds:.2f} ms ({least['loop'] / seconds:.0f} times)"
                for way, seconds in least.items()
            )
            print(f"{name}, {what}: {shown}")


if __name__ == "__main__":
    main()
