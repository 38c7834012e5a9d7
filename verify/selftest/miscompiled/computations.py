"""Functions whose compiled derivatives have all that passes and back ends are for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from verify.model.case import Case

Array = Any

_LEFT: Final = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0], [1.5, 0.5, 1.0]])
_RIGHT: Final = np.array([[0.5, -1.5], [2.0, 0.75], [-0.25, 1.25]])
_WEIGHTS: Final = np.array([0.3, -1.1, 0.7, 2.0])


@dataclass(frozen=True, slots=True)
class Computation:
    """A function, which derivative of it is compiled, and points on each of its paths.

    The program that is changed is that of the first point.
    """

    name: str
    function: Callable[..., Any]
    points: tuple[tuple[Any, ...], ...]
    quantity: str = "gradient"

    def case(self, claimed: Callable[..., Any], at: tuple[tuple[Any, ...], ...]) -> Case:
        """The claim that `claimed` is the derivative, at some points."""
        name = f"program of {self.name}"
        return Case(name, name, self.function, at, self.quantity, claimed, suite="selftest")


COMPUTATIONS: Final[dict[str, Computation]] = {}
"""By name."""

F = TypeVar("F", bound=Callable[..., Any])


def computation(
    name: str, *points: tuple[Any, ...], quantity: str = "gradient"
) -> Callable[[F], F]:
    """Make the function below one of :data:`COMPUTATIONS`."""

    def add(function: F) -> F:
        given = tuple(tuple(map(np.array, point)) for point in points)
        COMPUTATIONS[name] = Computation(name, function, given, quantity)
        return function

    return add


_FOUR: Final = (([0.5, -1.25, 0.75, 2.5],), ([1.5, 0.25, -0.5, 0.125],))
_THREE: Final = (([0.625, 1.5, 2.25],), ([1.125, 0.375, 0.875],))
_MATRICES: Final = (
    ([[0.5, -0.25, 1.5], [0.75, 1.25, -0.5]],),
    ([[1.0, 0.5, 0.25], [-0.75, 2.0, 0.5]],),
)
_PAIRS: Final = (([1.5, 0.25, -0.75], [0.75, 1.25, 0.5]), ([0.25, 1.75, 1.5], [1.5, 0.875, 0.25]))
_DRAW: Final = np.random.default_rng(4)
_WIDE: Final = [(_DRAW.normal(size=(2, 18)), _DRAW.normal(size=18)) for _ in range(2)]
# After the first, each turns off at another decision, which no later one would notice.
_TURNS: Final = (([0.5, 1.25, 8.0],), ([1.5, 0.25, 2.0],), ([2.5, 1.5, 8.0],), ([0.5, 1.25, 1.0],))


@computation("slices", *_FOUR)
def slices(x: Array) -> Array:
    """Values that are needed in several places of an array."""
    return np.sum(x[1:] * x[:-1] ** 2) + x[0] * x[2] + np.sum(np.sin(x[::2]) * x[1::2])


@computation("products", *_THREE)
def products(x: Array) -> Array:
    """Matrices of which none is symmetric."""
    hidden = np.tanh(_LEFT @ x)
    return np.sum((hidden @ _RIGHT) ** 2) + hidden @ (_LEFT @ hidden)


@computation("turns of a plane", *_THREE)
def turns_of_a_plane(x: Array) -> Array:
    """A matrix of numbers, one of which is known, and is a whole one."""
    turn = np.array([[0, -x[0]], [x[0], np.cos(x[1])]])
    return np.sum((turn @ x[1:]) ** 2)


@computation("transposes", *_MATRICES)
def transposes(x: Array) -> Array:
    """Axes that are moved, reduced and broadcast again."""
    gram = x.T @ np.exp(x)
    centred = gram - np.mean(gram, axis=0, keepdims=True)
    return np.sum(centred**2 * np.arange(9.0).reshape(3, 3)) + np.sum(x.reshape(3, 2)[1] ** 3)


@computation("branches", *_TURNS)
def branches(x: Array) -> Array:
    """A path at each of its steps."""
    total = x[0] * x[1]
    for k in range(3):
        below = total < x[k]
        total = total * x[k] + np.sin(x[k]) if below else total - x[k] / (1.0 + x[k] ** 2)
    return total


@computation("recurrence", ([0.5, 1.25],), ([1.75, -0.625],))
def recurrence(x: Array) -> Array:
    """A block of operations, again and again."""
    q, p = x[0], x[1]
    for _ in range(8):
        p = p - 0.1 * np.sin(q)
        q = q + 0.1 * p * q
    return q * p - q


@computation("constants", *_THREE)
def constants(x: Array) -> Array:
    """What is known before the argument is, neutral, or a sign for nothing."""
    scale = np.ones_like(x) * 3.0 + 2.0
    kept = x * 1.0 - np.zeros_like(x) + np.negative(-x) / 1.0
    return np.sum(scale * kept * -1.0 * np.exp(-x * 0.5)) * (np.pi / 7.0)


@computation("two arguments", *_PAIRS)
def two_arguments(x: Array, w: Array) -> Array:
    """Derivatives by both, and a choice by element."""
    margin = x * w - 0.5
    return np.sum(np.where(margin > 0, margin**2, np.exp(margin))) / (1.0 + w @ w)


@computation("outputs", *_THREE, quantity="jacobian")
def outputs(x: Array) -> Array:
    """Of a Jacobian: rows that are not each other's."""
    return np.stack([x[0] * x[1], np.sin(x[1]) - x[2], x[0] / x[2]])


@computation("bends", *_THREE, quantity="hessian")
def bends(x: Array) -> Array:
    """Of a Hessian."""
    return np.sum(np.exp(x[:2] * x[1:]) * _WEIGHTS[:2]) - np.log(x[0]) * x[2]


@computation("normalised", *_FOUR)
def normalise_sums(x: Array) -> Array:
    """Sums that are broadcast back."""
    shifted = np.exp(x - np.max(x))
    return np.sum(_WEIGHTS * np.log(shifted / np.sum(shifted))) + np.sum(x * x) ** 2


@computation("nests", *_WIDE)
def nests(x: Array, w: Array) -> Array:
    """Loops over arrays: by eight elements and by one, with sums along each of them."""
    apart = (x * w - 0.5) * x
    ends = np.sum(apart * w, 1) + 0.25 * x[:, 0]
    return np.sum(apart * np.sin(ends)[:, None] / (1.0 + x * x)) - np.sum(np.sum(apart, 0) ** 3)


@computation("systems", *_THREE)
def systems(x: Array) -> Array:
    """Of few equations, with pivots that are not where they are to be."""
    matrix = np.concatenate([x[1:3], x[:2]]).reshape(2, 2)
    solution = np.linalg.solve(matrix, x[1:] * x[0])
    return np.sum(solution * np.sin(x[1:])) + np.sum(np.linalg.inv(matrix) @ solution)
