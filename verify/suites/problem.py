"""A function that people differentiate, with what is known of its derivative and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.model.case import Case, argument_names
from verify.regions import as_region

__all__ = ["Draw", "Problem", "draw_uniform"]

Draw = Callable[[np.random.Generator], Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """A row of the table: of the suite if it has an id there, of the self-test by a derivative.

    Attributes
    ----------
    name : str
    function : callable
    quantity : str
    derivative : callable or None
        A right one, written by hand in NumPy.
    arguments : tuple of callables ``(generator) -> array``
        Draw one argument each.
    everywhere : bool
        Whether the function takes the name of a library of arrays, ``xp``.
    special : tuple of points
        Where something happens: beside the kinks.
    suite_id, title : str
        In the suite of classics.
    at : tuple of points
    over : region, optional
        Where the suite asks for the derivative.
    """

    name: str
    function: Callable[..., Any]
    quantity: str = "gradient"
    derivative: Any = None
    arguments: tuple[Draw, ...] = ()
    everywhere: bool = False
    special: tuple[tuple[Any, ...], ...] = ()
    suite_id: str = ""
    title: str = ""
    at: tuple[tuple[Any, ...], ...] = ()
    over: Any = None

    @property
    def id(self) -> str:
        """Unique among the functions."""
        return f"{self.quantity} of {self.name}"

    def points(self, generator: np.random.Generator, count: int) -> list[tuple[Any, ...]]:
        """Random points, and the special ones."""
        drawn = [tuple(draw(generator) for draw in self.arguments) for _ in range(count)]
        return [*drawn, *self.special]

    def case(self, points: Sequence[tuple[Any, ...]], claimed: Callable[..., Any] | None) -> Case:
        """The claim at `points`; of symtape's tape where `claimed` is None."""
        return Case(
            id=self.id,
            title=self.id,
            function=self.function,
            at=tuple(points),
            quantity=self.quantity,
            claimed=claimed,
            suite="selftest",
        )

    def case_of_suite(self) -> Case:
        """What the suite of classics asks of symtape's tape."""
        over = self.over
        if over is not None:
            over = as_region(over, argument_names(self.function, 1))
        return Case(
            id=f"classics/{self.suite_id}",
            title=self.title,
            function=self.function,
            at=self.at,
            quantity=self.quantity,
            over=over,
            suite="classics",
        )


def draw_uniform(low: float, high: float, *shape: int) -> Draw:
    """Numbers, or arrays of a shape, from low to high."""

    def draw(generator: np.random.Generator) -> Any:
        value = generator.uniform(low, high, shape)
        return value if shape else value[()]

    return draw
