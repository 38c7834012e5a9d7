"""Derivatives at the middle of a line, from polynomials through ever smaller windows of it.

A window is sampled at zero and at steps that halve towards it, so that it shows what happens at
every scale below its own. The bar of a derivative is what the noise, and what the polynomial
leaves over, can do to it at worst; a kink, a jump or a wiggle leaves much over. A window counts
only if it agrees with every smaller one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

_LARGEST: Final = 0.9137
"""The first step, a number that no period is likely to divide."""

_LEVELS: Final = 5
_DEGREE: Final = 6
_SIDE_LEVELS: Final = 8
_SIDE_DEGREE: Final = 4

_HALVINGS: Final = 46
_WORSE: Final = 100.0
"""Once noise makes the bars so much longer than the shortest one, smaller steps tell nothing."""

_LEFT_OVER: Final = 3.0
_RESOLVED: Final = 30.0
"""A polynomial that leaves more over than so many times the noise is no picture of the function."""
_CANCELLED: Final = 2.0**-48
"""What taking the fit from the values may leave of them by itself."""


@dataclass(frozen=True, slots=True)
class Window:
    """A derivative of each output, as one window has it.

    Attributes
    ----------
    step : float
        Half its width.
    value, bar : float64 arrays
        The derivative is within `bar` of `value`.
    """

    step: float
    value: np.ndarray
    bar: np.ndarray


@dataclass(frozen=True, slots=True)
class Estimate:
    """A derivative of one output, with the windows that agree on it.

    Attributes
    ----------
    value, bar : float
        Of the window with the shortest bar.
    agreeing : tuple of (value, bar)
        All windows that agree, the smallest first.
    stepped : bool
        Whether nothing changes in small windows, and large ones show no polynomial: so looks a
        value that moves in steps.
    """

    value: float
    bar: float
    agreeing: tuple[tuple[float, float], ...]
    stepped: bool = False

    def excludes(self, claimed: float, bars: float, windows: int) -> bool:
        """Whether a value is `bars` bars off, and so many windows say that it is off."""
        off = sum(abs(claimed - value) > 2 * bar for value, bar in self.agreeing)
        return abs(claimed - self.value) > bars * self.bar and off >= windows


def two_sided(at: Callable[[float], Any], noise: np.ndarray, order: int) -> list[Estimate]:
    """The derivative of `order` 1 or 2 at zero, of each output.

    Parameters
    ----------
    at : callable ``(t) -> float64 array or None``
    noise : float64 array, one an output
    order : int

    Examples
    --------
    >>> import numpy as np
    >>> (found,) = two_sided(lambda t: np.array([np.sin(t)]), np.array([1e-16]), 1)
    >>> bool(abs(found.value - 1) <= found.bar < 1e-12)
    True
    """
    steps = tuple(sign * 0.5**j for j in range(_LEVELS) for sign in (1.0, -1.0))
    return _estimates(at, noise, (0.0, *steps), _DEGREE, order)


def one_sided(at: Callable[[float], Any], noise: np.ndarray, sign: float) -> list[Estimate]:
    """The slope at zero on one side, of each output; `sign` says which side."""
    steps = tuple(sign * 0.5**j for j in range(_SIDE_LEVELS))
    return _estimates(at, noise, (0.0, *steps), _SIDE_DEGREE, 1)


def _estimates(
    at: Callable[[float], Any], noise: np.ndarray, nodes: tuple[float, ...], degree: int, order: int
) -> list[Estimate]:
    windows: list[Window] = []
    shortest = np.full(noise.shape, np.inf)
    amplified = np.abs(_weights(nodes, degree, order)[0]).sum()
    for k in range(_HALVINGS):
        step = _LARGEST * 0.5**k
        found = _window(at, noise, nodes, degree, order, step)
        if found is None:
            continue
        windows.append(found)
        shortest = np.minimum(shortest, found.bar)
        if np.all(amplified * noise / step**order > _WORSE * shortest):
            break
    return [_find_agreement(windows[::-1], output) for output in range(noise.size)]


def _window(
    at: Callable[[float], Any],
    noise: np.ndarray,
    nodes: tuple[float, ...],
    degree: int,
    order: int,
    step: float,
) -> Window | None:
    values = [at(step * node) for node in nodes]
    if any(value is None for value in values):
        return None
    rows = np.array(values)
    rows = rows - rows[0]
    weights, left = _weights(nodes, degree, order)
    over = np.abs(left @ rows).max(axis=0)
    bar = np.abs(weights).sum() * (noise + _LEFT_OVER * over) / step**order
    tolerable = _RESOLVED * noise + _CANCELLED * np.abs(rows).max(axis=0)
    return Window(step, weights @ rows / step**order, np.where(over > tolerable, np.inf, bar))


@lru_cache(maxsize=16)  # stencils
def _weights(nodes: tuple[float, ...], degree: int, order: int) -> tuple[np.ndarray, np.ndarray]:
    """What makes a derivative of values at the nodes, and what makes the rest of the fit."""
    powers = np.vander(np.array(nodes), degree + 1, increasing=True)
    inverse = np.linalg.pinv(powers)
    return order * inverse[order], np.eye(len(nodes)) - powers @ inverse


def _find_agreement(windows: Sequence[Window], output: int) -> Estimate:
    """What windows agree on, from the smallest up, for one output."""
    low, high = -np.inf, np.inf
    agreeing: list[tuple[float, float]] = []
    for window in windows:
        value, bar = float(window.value[output]), float(window.bar[output])
        if bar == np.inf:
            continue
        if value - bar > high or value + bar < low:
            break
        low, high = max(low, value - bar), min(high, value + bar)
        agreeing.append((value, bar))
    if not agreeing:
        return Estimate(0.0, np.inf, ())
    value, bar = min(agreeing, key=lambda pair: pair[1])
    unlike = any(window.bar[output] == np.inf for window in windows)
    stepped = unlike and not any(value for value, _ in agreeing)
    return Estimate(value, bar, tuple(agreeing), stepped)
