"""Simplex: numbers from 0 to 1 that add up to 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from verify.regions.numbers import FloatRange
from verify.regions.plain import shrunk
from verify.regions.shapes import coordinate_labels, to_count, to_dtype
from verify.regions.space import Space


class Simplex(Space):
    """Numbers from 0 to 1 that add up to 1, up to rounding; made by :func:`simplex`.

    A free number that moves takes its share from the others, in proportion.
    """

    def __init__(self, n: int, dtype: np.dtype[Any]) -> None:
        self.n, self.dtype = n, dtype
        self.shapes = ((n,),)
        self.slack = n * float(np.finfo(dtype).eps)

    def format_call(self) -> str:
        """The call that makes it, without its module."""
        kind = "" if self.dtype == np.float64 else f", dtype='{self.dtype}'"
        return f"simplex({self.n}{kind})"

    def contains(self, value: Any) -> bool:
        """Whether the entries are in [0, 1] and add up to 1 within n units of rounding."""
        if not self.holds(value) or (value < 0).any() or (value > 1).any():
            return False
        return abs(math.fsum(value.tolist()) - 1) <= self.slack

    def describe(self, name: str) -> str:
        """A few words for people."""
        return f"{name}: {self.n} numbers from 0 to 1 that add up to 1"

    def members(self, most: int) -> list[Any] | None:
        """All values if there is only one."""
        return [np.ones(1, dtype=self.dtype)] if self.n == 1 else None

    def kinds(self) -> list[Iterator[Any]]:
        """Centre and faces, vertices, edges, nearly zero entries, sorted ones."""
        made = [
            self._faces(),
            self._vertices(),
            self._edges(),
            self._nearly(),
            self._iterate_sorted(),
        ]
        return [filter(self.contains, map(self.normalise, kind)) for kind in made]

    def normalise(self, weights: np.ndarray) -> np.ndarray:
        """`weights` over their sum, in the dtype."""
        return np.asarray(weights / weights.sum()).astype(self.dtype)

    def _faces(self) -> Iterator[np.ndarray]:
        for count in range(self.n, 0, -1):
            yield np.where(np.arange(self.n) < count, 1.0, 0.0)

    def _vertices(self) -> Iterator[np.ndarray]:
        for k in range(self.n):
            weights = np.zeros(self.n)
            weights[k] = 1.0
            yield weights

    def _edges(self) -> Iterator[np.ndarray]:
        for k in range(self.n - 1):
            for part in (0.5, 0.25, 2.0**-30):
                weights = np.zeros(self.n)
                weights[[k, k + 1]] = part, 1 - part
                yield weights

    def _nearly(self) -> Iterator[np.ndarray]:
        least = float(np.finfo(self.dtype).smallest_subnormal)
        for tiny in (
            float(np.finfo(self.dtype).eps),
            1e-8,
            float(np.finfo(self.dtype).tiny),
            least,
        ):
            for k in {0, self.n - 1}:
                weights = np.full(self.n, tiny)
                weights[k] = 1.0
                yield weights
                weights = np.ones(self.n)
                weights[k] = tiny
                yield weights

    def _iterate_sorted(self) -> Iterator[np.ndarray]:
        for weights in (np.arange(self.n) + 1.0, 0.5 ** np.arange(self.n)):
            yield weights
            yield weights[::-1]

    def draw(self, random: np.random.Generator, manner: str) -> Any:
        """One value by chance: evenly over the simplex, or with weights of all magnitudes."""
        weights: np.ndarray
        if manner == "uniform":
            weights = random.exponential(size=self.n) + 1e-300
        elif manner == "whole":
            weights = random.integers(0, 9, self.n) + 0.0
        else:
            weights = 10.0 ** random.uniform(-16 if manner == "mixed" else -300, 0, self.n)
        if manner == "mixed":
            weights *= random.random(self.n) < 0.7
        if not weights.any():
            weights = np.ones(self.n)
        drawn = self.normalise(weights)
        return drawn if self.contains(drawn) else self.normalise(np.ones(self.n))

    def simpler(self, value: Any) -> Iterator[Any]:
        """Proposals that may be simpler than `value`."""
        simple = itertools.chain(self._vertices(), self._faces(), self._edges())
        yield from map(self.normalise, simple)
        flat = value.astype(np.float64)
        for vector in shrunk(flat, [FloatRange(0.0, 1.0, self.dtype.name)] * self.n):
            rest = 1 - math.fsum(vector)
            if abs(rest) > self.slack:
                for k in {int(np.argmax(vector)), int(np.argmin(vector))}:
                    moved = vector.copy()
                    moved[k] += rest
                    yield moved.astype(self.dtype)
            if vector.any():
                yield self.normalise(vector)

    def coordinates(self, value: Any) -> tuple[np.ndarray, list[str]]:
        """All entries."""
        return value.astype(np.float64), coordinate_labels(self.shape)

    def replace_coordinate(self, value: Any, k: int, number: float) -> Any | None:
        """`value` with entry `k` moved and the others scaled to make up for it."""
        if not 0 <= number <= 1:
            return None
        moved = value.astype(np.float64)
        moved[k] = 0.0
        others = moved.sum()
        if others > 0:
            moved *= (1 - number) / others
        elif self.n > 1:
            moved[:] = (1 - number) / (self.n - 1)
        moved[k] = number
        kept = moved.astype(self.dtype)
        return kept if self.contains(kept) else None

    def bounds(self, k: int) -> tuple[float, float]:
        """From 0 to 1."""
        return 0.0, 1.0


def simplex(n: int, dtype: Any = np.float64) -> Simplex:
    """`n` numbers from 0 to 1 that add up to 1: probabilities.

    Parameters
    ----------
    n : int
    dtype : float64, float32 or float16

    Raises
    ------
    UsageError
        `n` is no whole number from 1.

    Examples
    --------
    >>> simplex(2).contains(np.array([0.25, 0.75])), simplex(2).contains(np.array([0.5, 0.6]))
    (True, False)
    """
    return Simplex(to_count(n, "n", least=1), to_dtype(dtype))
