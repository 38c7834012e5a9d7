"""What suites and self-test hold: programs to verify, and problems with derivatives by hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from verify.model.case import Case, argument_names
from verify.regions import as_region

__all__ = ["PROBLEMS", "Draw", "Problem", "derivative_of", "draw_uniform", "program", "programs_of"]

F = TypeVar("F", bound=Callable[..., Any])

Draw = Callable[[np.random.Generator], Any]

_PROGRAMS: Final[dict[str, list[Case]]] = {}
"""By the module that they are in."""


def program(
    name: str,
    title: str,
    *at: tuple[Any, ...],
    of: Callable[..., Any] | None = None,
    quantity: str = "gradient",
    plots: Callable[[], list[Any]] | None = None,
    over: Any = None,
) -> Callable[[F], F]:
    """Make the function below a case of its suite, or the claim of one.

    Parameters
    ----------
    name, title : str
        Of the case.
    *at : tuple
        Points.
    of : callable, optional
        What the function below is said to be the derivative of; without it symtape's tape claims
        the derivative of the function itself.
    quantity, plots
        As of the case.
    over : region, optional
        Where the derivative is asked for.
    """

    def add(function: F) -> F:
        asked, suite = of or function, function.__module__.split(".")[2]
        region = None if over is None else as_region(over, argument_names(asked, 1))
        claimed = None if of is None else function
        made = Case(f"{suite}/{name}", title, asked, at, quantity, claimed, plots, suite, region)
        _PROGRAMS.setdefault(function.__module__, []).append(made)
        return function

    return add


def programs_of(*modules: str) -> list[Case]:
    """The cases of modules, as they stand in these."""
    return [case for module in modules for case in _PROGRAMS[module]]


@dataclass(frozen=True, slots=True)
class Problem:
    """A function, with a derivative that somebody wrote by hand.

    Attributes
    ----------
    function : callable
    name, quantity : str
    derivative : callable
        A right one, in NumPy.
    arguments : tuple of callables ``(generator) -> array``
        Draw one argument each.
    special : tuple of points
        Where something happens: beside the kinks.
    """

    function: Callable[..., Any]
    name: str
    quantity: str
    derivative: Callable[..., Any]
    arguments: tuple[Draw, ...]
    special: tuple[tuple[Any, ...], ...] = ()

    @property
    def id(self) -> str:
        """Unique among the functions."""
        return f"{self.quantity} of {self.name}"

    @property
    def everywhere(self) -> bool:
        """Whether other libraries can take the first derivative, given the name of theirs, `xp`."""
        return "xp" in inspect.signature(self.function).parameters and self.quantity != "hessian"

    def points(self, generator: np.random.Generator, count: int) -> list[tuple[Any, ...]]:
        """Random points, and the special ones."""
        drawn = [tuple(draw(generator) for draw in self.arguments) for _ in range(count)]
        return [*drawn, *self.special]

    def case(self, points: Sequence[tuple[Any, ...]], claimed: Callable[..., Any] | None) -> Case:
        """The claim at `points`; of symtape's tape where `claimed` is None."""
        return Case(
            self.id, self.id, self.function, tuple(points), self.quantity, claimed, suite="selftest"
        )


PROBLEMS: Final[dict[str, Problem]] = {}
"""What the self-test lies about, by what is claimed."""


def derivative_of(
    function: Callable[..., Any],
    name: str,
    quantity: str,
    *arguments: Draw,
    special: tuple[tuple[Any, ...], ...] = (),
) -> Callable[[F], F]:
    """Make the function below the derivative of another: a problem, with these parts."""

    def add(derivative: F) -> F:
        made = Problem(function, name, quantity, derivative, arguments, special)
        PROBLEMS[made.id] = made
        return derivative

    return add


def draw_uniform(low: float, high: float, *shape: int) -> Draw:
    """Numbers, or arrays of a shape, from low to high."""

    def draw(generator: np.random.Generator) -> Any:
        value = generator.uniform(low, high, shape)
        return value if shape else value[()]

    return draw
