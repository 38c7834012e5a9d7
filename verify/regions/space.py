"""Space: where one argument may lie."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from symtape.one_line import clip_line
from verify.regions.conditions import Conditional
from verify.regions.shapes import Shape

MANNERS: Final = ("uniform", "ordinal", "mixed", "whole")
"""Ways to draw: evenly by value, evenly by float, either by entry, small wholes and halves."""


class Space(Conditional, ABC):
    """The values that one argument may take: floats, arrays of one shape or of several.

    All methods but :meth:`contains`, :meth:`describe` and :meth:`pick_shape` are for a space of one
    shape.

    Attributes
    ----------
    shapes : tuple of shapes
    dtype : numpy.dtype
        float64, float32 or float16.
    """

    shapes: tuple[Shape, ...]
    dtype: np.dtype[Any]

    @abstractmethod
    def format_call(self) -> str:
        """The call that makes it, without its module."""

    def __repr__(self) -> str:
        return clip_line(self.format_call(), ")")

    @property
    def shape(self) -> Shape:
        """The only shape."""
        (only,) = self.shapes
        return only

    def pick_shape(self, shape: Shape) -> Space:
        """The values of that shape alone."""
        if self.shapes == (shape,):
            return self
        raise ValueError(f"shape={shape}; expected one of {self.shapes}")

    @abstractmethod
    def contains(self, value: Any) -> bool:
        """Whether `value` is of the space, its shape and dtype included."""

    @abstractmethod
    def describe(self, name: str) -> str:
        """A few words for people: ``"x in [-60, 60]"``."""

    def members(self, most: int) -> list[Any] | None:
        """All values, or ``None`` if there are more than `most`."""
        return None

    @abstractmethod
    def kinds(self) -> list[Iterator[Any]]:
        """Special values, one finite iterator a kind, each with the plain ones first."""

    @abstractmethod
    def draw(self, random: np.random.Generator, manner: str) -> Any:
        """One value by chance, in one of the ``MANNERS``."""

    def draw_many(self, random: np.random.Generator, manner: str, count: int) -> list[Any]:
        """So many values by chance."""
        return [self.draw(random, manner) for _ in range(count)]

    @abstractmethod
    def simpler(self, value: Any) -> Iterator[Any]:
        """Proposals that may be simpler than `value`; who asks tests and sorts them."""

    @abstractmethod
    def coordinates(self, value: Any) -> tuple[np.ndarray, list[str]]:
        """The free numbers of `value`, flat, in float64, and what to write after the name."""

    @abstractmethod
    def replace_coordinate(self, value: Any, k: int, number: float) -> Any | None:
        """`value` with free number `k` moved; ``None`` if that leaves the space."""

    @abstractmethod
    def bounds(self, k: int) -> tuple[float, float]:
        """Between which numbers free number `k` may move."""

    def freedom(self) -> int:
        """How many free numbers a value has."""
        return math.prod(self.shape)

    def holds(self, value: Any) -> bool:
        """Whether `value` is of the dtype and of one of the shapes, and finite."""
        array = np.asarray(value)
        return (
            array.dtype == self.dtype
            and array.shape in self.shapes
            and bool(np.isfinite(array).all())
        )
