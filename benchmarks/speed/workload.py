"""What is timed: a derivative of a function that is written once for all NumPy-like namespaces."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Transform", "Workload", "logsumexp", "repeat"]

Transform = Literal["grad", "jacobian", "hessian", "batch_jacobian"]


@dataclass(frozen=True)
class Workload:
    """A derivative of ``function(xp, *args)`` by the arguments ``argnums``.

    ``by_hand(*args)`` gives it in NumPy, one array for each of ``argnums``. ``scalar`` says that it
    is made of few numbers, so that machine code of straight lines is its match; ``overhead``, that
    an eager engine spends its time in Python rather than in arithmetic; ``is_tall``, of a Jacobian,
    that users of an engine with a forward mode ask for it.
    """

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    transform: Transform = "grad"
    argnums: tuple[int, ...] = (0,)
    by_hand: Callable[..., tuple[Any, ...]] | None = None
    scalar: bool = False
    overhead: bool = False
    is_tall: bool = False


def repeat(xp: Any, body: Callable[[Any, Any], Any], state: Any, steps: int) -> Any:
    """The state after ``state = body(k, state)`` for each step; by JAX's loop of its own in JAX.

    Unrolled, ``jax.jit`` takes minutes to compile a thousand steps.
    """
    if xp.__name__ == "jax.numpy":
        return importlib.import_module("jax").lax.fori_loop(0, steps, body, state)
    for k in range(steps):
        state = body(k, state)
    return state


LOGSUMEXP = {
    "numpy": "scipy.special",
    "autograd.numpy": "autograd.scipy.special",
    "jax.numpy": "jax.scipy.special",
    "torch": "torch",
}


def logsumexp(xp: Any, x: Any, axis: int) -> Any:
    """``log(sum(exp(x)))`` by the function that a namespace's users call."""
    return importlib.import_module(LOGSUMEXP[xp.__name__]).logsumexp(x, axis)
