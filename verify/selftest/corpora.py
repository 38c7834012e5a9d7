"""Right claims by others: gradients of JAX, PyTorch and autograd; and a corpus written by hand."""

from __future__ import annotations

import functools
import importlib
import os
import reprlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from verify.campaign.importing import see
from verify.errors import UsageError
from verify.model.case import Case, region_of, to_points
from verify.regions import Region
from verify.selftest.alarms import try_claim
from verify.selftest.functions import FUNCTIONS
from verify.selftest.outcome import Pair
from verify.selftest.points import generator
from verify.suites.problem import Problem

_POINTS: Final = 8
_GROUP: Final = "by hand, corpus"
_QUANTITIES: Final = ("gradient", "jacobian", "hessian")
"""Those that there is a reference for."""


def names(module: str) -> list[str]:
    """The exact claims of a module, which has ``rows()``: entries by their names.

    An entry says ``function``, ``derivative``, ``quantity``, ``over`` or ``at``, and whether it is
    ``approximate``.

    Raises
    ------
    UsageError
        There is no such module, or it has no rows.

    Examples
    --------
    >>> names("math")
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: corpus='math' has no function rows(); expected a module with one, \
which gives entries by their names
    """
    return [
        f"{module}: {name}"
        for name, row in _rows(module).items()
        if row.quantity in _QUANTITIES and not row.approximate
    ]


@functools.cache  # of modules, which stay as long
def _rows(module: str) -> Mapping[str, Any]:
    folder = os.getcwd()
    see(folder)
    told = f"corpus={reprlib.repr(module)}"
    try:
        loaded = importlib.import_module(module)
        rows = loaded.rows() if hasattr(loaded, "rows") else None
    except Exception as error:  # whatever a module raises, it is told in words
        raise UsageError(
            f"{told}: {error}; expected a module that can be imported in {folder}"
        ) from error
    if isinstance(rows, Mapping) and all(hasattr(row, "derivative") for row in rows.values()):
        return rows
    raise UsageError(
        f"{told} has no function rows(); expected a module with one, which gives entries by their "
        "names"
    )


def try_corpus(name: str, keep: Callable[[str], bool], seed: int) -> list[Pair]:
    """One claim of a corpus, of :func:`names`, at points of its region."""
    module, _, key = name.partition(": ")
    row = _rows(module)[key]
    return [
        try_claim(_case(row, key, point), _GROUP, label=label)
        for number, point in enumerate(_points(row, seed, name))
        if keep(label := f"{name} #{number}")
    ]


def _points(row: Any, seed: int, name: str) -> Iterator[tuple[Any, ...]]:
    if row.over is None:
        yield from to_points(row.at)
        return
    region: Region = region_of(row.function, row.over)
    draw = generator(seed, f"corpus {name}")
    for turn in range(_POINTS):
        yield region.draw(draw, "mixed" if turn % 2 else "uniform", turn)


def _case(row: Any, key: str, point: tuple[Any, ...]) -> Case:
    return Case(key, key, row.function, (point,), row.quantity, row.derivative, suite="selftest")


_LIBRARY_POINTS: Final = 10


LIBRARIES: Final = {"jax": "jax.numpy", "torch": "torch", "autograd": "autograd.numpy"}
"""The libraries that may be installed, and the functions of arrays in each."""


def _derivative(name: str, problem: Problem) -> Callable[..., Any]:
    """What a library claims of a function; numbers alone, for its code is not to be read."""
    functions: Any = importlib.import_module(LIBRARIES[name])
    adapter: Any = importlib.import_module(f"verify.adapters.{name}")

    def function(*xs: Any) -> Any:
        return problem.function(*xs, xp=functions)

    derivative, *_ = adapter.derivatives(function, problem.quantity).values()

    def derive_by_library(*xs: Any) -> Any:
        return derivative(*map(_plain, xs))

    return derive_by_library


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
        claim = _derivative(name, problem)
        points = problem.points(generator(seed, f"{name} {problem.id}"), _LIBRARY_POINTS)
        for number, point in enumerate(points):
            label = f"{problem.id}, {name} #{number}"
            if keep(label):
                case = problem.case([point], claim)
                found.append(try_claim(case, name, label=label))
    return found
