"""Right claims by others: gradients that JAX, PyTorch and autograd compute."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from verify.model.foreign import one_or_all
from verify.selftest.alarms import try_claim
from verify.selftest.functions import FUNCTIONS
from verify.selftest.outcome import Pair
from verify.selftest.points import generator
from verify.suites.problem import Problem

_POINTS: Final = 10


def _jax(problem: Problem) -> Callable[..., Any]:
    jax: Any = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)

    def function(*xs: Any) -> Any:
        return problem.function(*xs, xp=jax.numpy)

    places = tuple(range(len(problem.arguments)))
    transform = jax.jacrev if problem.quantity == "jacobian" else jax.grad
    derivative = transform(function, argnums=places)

    def derive_by_jax(*xs: Any) -> Any:
        return one_or_all([np.asarray(part) for part in derivative(*map(_plain, xs))])

    return derive_by_jax


def _torch(problem: Problem) -> Callable[..., Any]:
    torch: Any = importlib.import_module("torch")

    def derive_by_torch(*xs: Any) -> Any:
        given = tuple(torch.tensor(_plain(x)) for x in xs)

        def function(*ts: Any) -> Any:
            return problem.function(*ts, xp=torch)

        found = torch.autograd.functional.jacobian(function, given)
        return one_or_all([part.numpy() for part in found])

    return derive_by_torch


def _autograd(problem: Problem) -> Callable[..., Any]:
    autograd: Any = importlib.import_module("autograd")
    numpy: Any = importlib.import_module("autograd.numpy")

    def function(*xs: Any) -> Any:
        return problem.function(*xs, xp=numpy)

    transform = autograd.jacobian if problem.quantity == "jacobian" else autograd.grad
    derivatives = [transform(function, place) for place in range(len(problem.arguments))]

    def derive_by_autograd(*xs: Any) -> Any:
        return one_or_all([np.asarray(derive(*map(_plain, xs))) for derive in derivatives])

    return derive_by_autograd


LIBRARIES: Final = {"jax": _jax, "torch": _torch, "autograd": _autograd}
"""How each library that may be installed makes a claim of a function."""


def _plain(x: Any) -> Any:
    """A bare array; a recorder's stand-in is refused, as compiled code would."""
    if not isinstance(x, np.ndarray | np.generic | float):
        raise TypeError(f"expected an array of NumPy, got {type(x).__name__}")
    return np.array(x)


def try_library(name: str, keep: Callable[[str], bool], seed: int) -> list[Pair] | str:
    """The gradients that a library computes of every function it can run; words without it."""
    try:
        importlib.import_module(name)
    except ImportError:
        return f"{name} is not installed, so none of its gradients were tried"
    found = []
    for problem in (each for each in FUNCTIONS.values() if each.everywhere):
        claim = LIBRARIES[name](problem)
        points = problem.points(generator(seed, f"{name} {problem.id}"), _POINTS)
        for number, point in enumerate(points):
            label = f"{problem.id}, {name} #{number}"
            if keep(label):
                case = problem.case([point], claim)
                found.append(try_claim(case, name, label=label))
    return found
