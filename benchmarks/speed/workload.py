"""What is timed: a derivative of a function that is written once for all NumPy-like namespaces."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import scipy.special

__all__ = ["LOOPS", "SPECIAL", "Transform", "Workload", "logsumexp", "repeat", "special"]

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

    def bind(self, xp: Any, convert: Callable[[Any], Any]) -> tuple[Any, list[Any]]:
        """The function of a namespace, and its arguments in the arrays of that namespace."""
        return functools.partial(self.function, xp), [convert(x) for x in self.args]


LOOPS: dict[str, Callable[..., Any]] = {}
"""Loops of namespaces, by name, which their engines fill in: ``(first, end, body, state)``."""

SPECIAL: dict[str, Any] = {}
"""Modules of special functions of namespaces that have their own, which their engines fill in."""


def repeat(xp: Any, body: Callable[[Any, Any], Any], state: Any, steps: int) -> Any:
    """The state after ``state = body(k, state)`` for each step; by JAX's loop of its own in JAX.

    Unrolled, ``jax.jit`` takes minutes to compile a thousand steps.
    """
    loop = LOOPS.get(xp.__name__)
    if loop is not None:
        return loop(0, steps, body, state)
    for k in range(steps):
        state = body(k, state)
    return state


def special(xp: Any, name: str) -> Callable[..., Any]:
    """A special function, as a namespace's users call it."""
    found: Callable[..., Any] = getattr(SPECIAL.get(xp.__name__, scipy.special), name)
    return found


def logsumexp(xp: Any, x: Any, axis: int) -> Any:
    """``log(sum(exp(x)))`` along an axis."""
    return special(xp, "logsumexp")(x, axis)
