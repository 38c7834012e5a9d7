"""Line: a black box along a straight line through a point, its noise, and its derivatives there.

The slope of an analytic function by a step into the complex plane, which cancels nothing. Code that
takes complex numbers need not compute an analytic function of them. So the step is compared with
Cauchy's integral around the point, which differs for anything that is not: the difference is the
bar. (Squire & Trapp, SIAM Review 40, 1998; Lyness & Moler, SIAM J. Numer. Anal. 4, 1967.)

How much of a function's value is noise: rounding, or a tolerance inside of it. The differences of
high order of neighbouring values vanish for what is smooth; what is left of them is noise. They are
taken at several spacings, from a few floats to a small part of the scale, since a solver's noise
may be coarser than that of rounding. (Moré & Wild, *Estimating computational noise*, SIAM J. Sci.
Comput. 33, 2011.)

Derivatives at the middle of a line, from polynomials through ever smaller windows of it. A window
is sampled at zero and at steps that halve towards it, so that it shows what happens at every scale
below its own. The bar of a derivative is what the noise, and what the polynomial leaves over, can
do to it at worst; a kink, a jump or a wiggle leaves much over. A window counts only if it agrees
with every smaller one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent

Values = np.ndarray


class Line:
    """The outputs of a function at ``x + t d``, flat, for real or complex `t`; each asked for once.

    Parameters
    ----------
    function : callable ``(*arguments) -> array``
    point : tuple of arrays
    direction : dict of arrays, by the number of the argument that moves
    inside : callable ``(arguments) -> bool``
        Where the function may be called.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        point: tuple[Any, ...],
        direction: dict[int, Any],
        inside: Callable[[tuple[Any, ...]], bool] = lambda point: True,
    ) -> None:
        self.function, self.point, self.direction = function, point, direction
        self.inside = inside
        self._known: dict[float, Values | None] = {}
        self.size = 0

    @property
    def numbers(self) -> int:
        """How many numbers the function was asked for."""
        return len(self._known) * self.size

    def evaluate(self, t: float) -> Values | None:
        """The outputs at a real `t`, in float64; None where there is no finite value."""
        if t not in self._known:
            self._known[t] = self._value(t)
        return self._known[t]

    def _value(self, t: float) -> Values | None:
        moved = self._move_point(t)
        if not self.inside(moved):
            return None
        found = _call_function(self.function, moved)
        if found is None or found.dtype.kind not in "fiub":
            return None
        flat = found.astype(np.float64).ravel()
        self.size = self.size or flat.size
        return flat if flat.size == self.size and np.isfinite(flat).all() else None

    def evaluate_complex(self, z: complex) -> Values | None:
        """The outputs at a complex `z`; None where the function does not answer in kind."""
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            found = _call_function(self.function, self._move_point(z))
        if found is None or found.dtype.kind != "c" or not np.isfinite(found).all():
            return None
        return found.astype(np.complex128).ravel()

    def _move_point(self, t: complex) -> tuple[Any, ...]:
        moved = list(self.point)
        for at, d in self.direction.items():
            x = np.asarray(self.point[at])
            wide = x.astype(np.complex128 if isinstance(t, complex) else np.float64) + t * d
            # A copy each time: what the function does to it is no concern of the next call.
            moved[at] = wide.astype(_complex(x.dtype) if isinstance(t, complex) else x.dtype)[()]
        return tuple(np.copy(x)[()] if k not in self.direction else x for k, x in enumerate(moved))


def _complex(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.result_type(dtype, np.complex64)


def _call_function(function: Callable[..., Any], arguments: tuple[Any, ...]) -> np.ndarray | None:
    """What a function returns, as one array; None where it raises."""
    try:
        with np.errstate(all="ignore"):
            returned = function(*arguments)
            parts = returned if isinstance(returned, tuple | list) else (returned,)
            arrays = [np.asarray(part) for part in parts]
        if not arrays or any(array.dtype.kind not in "fiubc" for array in arrays):
            return None
        return np.concatenate([np.atleast_1d(array).ravel() for array in arrays])
    except BudgetSpent:
        raise
    except Exception:  # noqa: BLE001
        # Beside the point a black box may refuse its arguments in any way it likes.
        return None


_STEPS: Final = (2.0**-60, 2.0**-90)
_RADII: Final = (2.0**-2, 2.0**-4, 2.0**-7, 2.0**-10)
_NODES: Final = 12
_ROUNDINGS: Final = 16.0
_SEPARATION: Final = 4.0


def complex_slope(
    line: Line, noise: np.ndarray, epsilon: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The slope of each output at zero and its bar; None where the function is not analytic.

    Parameters
    ----------
    line : Line
    noise : float64 array, one an output
    epsilon : float
        Of the coarsest format in the way.

    Examples
    --------
    >>> import numpy as np
    >>> half, noise = (np.float64(0.5),), np.array([1e-16])
    >>> slope, bar = complex_slope(Line(np.exp, half, {0: 1.0}), noise, 2.0**-52)
    >>> bool(abs(slope[0] - np.exp(0.5)) <= bar[0] < 1e-13)
    True
    >>> complex_slope(Line(np.abs, half, {0: 1.0}), noise, 2.0**-52)
    """
    real = line.evaluate(0.0)
    steps = [line.evaluate_complex(1j * h) for h in _STEPS]
    if real is None or any(step is None for step in steps):
        return None
    slopes = [step.imag / h for step, h in zip(steps, _STEPS, strict=True) if step is not None]
    first = steps[0]
    if first is None or np.any(np.abs(first.real - real) > noise + epsilon * np.abs(real)):
        return None
    apart = np.abs(slopes[0] - slopes[1])
    bar = _SEPARATION * np.maximum(_compare_with_circles(line, slopes[0], noise), apart)
    return slopes[0], bar + _ROUNDINGS * epsilon * np.abs(slopes[0])


def _compare_with_circles(line: Line, slope: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """How far from Cauchy's integral a slope is, and that may be by noise, for the best circle."""
    best = np.full(noise.shape, np.inf)
    turns = np.exp(2j * np.pi * (np.arange(_NODES) + 0.25) / _NODES)
    for radius in _RADII:
        around = [line.evaluate_complex(radius * complex(turn)) for turn in turns]
        if any(value is None for value in around):
            continue
        integral = np.mean(np.array(around) / turns[:, None], axis=0) / radius
        best = np.minimum(best, np.abs(integral - slope) + noise / radius)
    return best


_SAMPLES: Final = 9
_ORDERS: Final = (3, 4, 5, 6)
FINEST: Final = (0.85,)
FINE: Final = (0.85, 0.7, 0.55, 0.4)
WIDE: Final = (0.85, 0.7, 0.55, 0.4, 0.25, 0.15)
"""Spacings, as powers of the format's epsilon. Wide ones see the steps of a value that is rounded
coarsely, and take a quick wiggle for noise."""

_SIGMAS: Final = 4.0


def noise_of(
    at: Callable[[float], Any], epsilon: float, spacings: tuple[float, ...] = FINE
) -> np.ndarray | None:
    """A bound of the noise of each output near ``t = 0``.

    Parameters
    ----------
    at : callable ``(t) -> float64 array or None``
        The outputs along a line; None where there are none.
    epsilon : float
        Of the coarsest format in the way.
    spacings : tuple of float

    Returns
    -------
    float64 array, one an output, or None
        Four standard deviations, and no less than half a unit in the last place. None where the
        function has no values on either side.

    Examples
    --------
    >>> import numpy as np
    >>> quiet = noise_of(lambda t: np.array([np.exp(t)]), 2.0**-52)
    >>> coarse = noise_of(lambda t: np.array([np.round(np.exp(t), 6)]), 2.0**-52)
    >>> bool(quiet[0] < 1e-14), bool(1e-7 < coarse[0] < 1e-5)
    (True, True)
    """
    centre = at(0.0)
    if centre is None:
        return None
    found = []
    for power in spacings:
        for sign in (1.0, -1.0):
            row = [at(sign * k * epsilon**power) for k in range(_SAMPLES)]
            if all(value is not None for value in row):
                found.append(_deviation(np.array(row)))
                break
    if not found:
        return None
    least = 0.5 * epsilon * np.abs(centre)
    return np.asarray(_SIGMAS * np.max(found, axis=0) + least)


def _deviation(values: np.ndarray) -> np.ndarray:
    """The standard deviation of noise in each column of equally spaced values."""
    differences, by_order = values, []
    for order in range(1, max(_ORDERS) + 1):
        differences = np.diff(differences, axis=0)
        if order in _ORDERS:
            weight = factorial(order) ** 2 / factorial(2 * order)
            by_order.append(np.sqrt(weight * np.mean(differences**2, axis=0)))
    return np.asarray(np.min(by_order, axis=0))


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
