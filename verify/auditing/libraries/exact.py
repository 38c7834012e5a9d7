"""Exact values of functions and their derivatives at many points: jets in balls.

Nothing here knows a rule of anybody's tape: a function is recorded, and its Taylor series computed
in balls, at all points at once. Bits double where a value is not known far below an ulp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import mpmath
import numpy as np
from flint import arb

from symtape.graph.freeze import record
from symtape.process.precision import precision
from symtape.rigorous import jets
from verify.auditing.libraries.formats import Format
from verify.auditing.libraries.functions import Function
from verify.auditing.libraries.spelling import compile_formula

_FIRST_BITS: Final = 144
_MOST_BITS: Final = 4608
ENOUGH_BITS: Final = 90
"""Bits to which a value is known before it is compared: far below an ulp of any format."""

_DIGITS: Final = 32
_RADIUS: Final = mpmath.mpf(2) ** (1 - ENOUGH_BITS)

_NOTHING: Final = arb((1, -1200))
"""Below every float, whatever is divided by it."""

_UNKNOWN: Final = arb("nan")
_SOME: Final = 8
_CONDITION_BITS: Final = 1152
_HELD: Final = 96
_RANGE: Final = 1 << 20
_PIECE: Final = 1024


Found = tuple[Any, Any, Any, Any]
"""Of each point the value and the derivative, as balls, and what an ulp of the point costs."""


@dataclass(frozen=True, slots=True)
class Exact:
    """Real numbers, each ``(high + low) * 2**exponent`` with high from 0.5 to 1, or 0.

    Attributes
    ----------
    high, low : (n,) float arrays
        Of a number that is not known `high` is nan.
    exponent : (n,) int array
    """

    high: Any
    low: Any
    exponent: Any

    @classmethod
    def take_middles(cls, balls: Any) -> Self:
        """The middles of balls; unknown of those that are too wide.

        Examples
        --------
        >>> Exact.take_middles([arb(3), arb("nan")]).value
        array([ 3., nan])
        """
        parts = [_parts(ball) for ball in balls]
        high, low, exponent = zip(*parts, strict=True) if parts else ((), (), ())
        return cls(np.array(high), np.array(low), np.array(exponent, dtype=np.int64))

    @property
    def are_known(self) -> Any:
        """Which of them are known."""
        return ~np.isnan(self.high)

    @property
    def value(self) -> Any:
        """The nearest float64; infinite beyond the largest."""
        return np.ldexp(self.high + self.low, np.clip(self.exponent, -5000, 5000))

    def real(self, at: int) -> Any:
        """One of them for mpmath, in as many digits as it works with."""
        high, low = mpmath.mpf(float(self.high[at])), mpmath.mpf(float(self.low[at]))
        return mpmath.ldexp(high + low, int(self.exponent[at]))

    def bounds(self, at: int) -> tuple[str, str]:
        """Decimals between which one of them lies.

        Examples
        --------
        >>> Exact.take_middles([arb(1) / 4]).bounds(0)
        ('0.25', '0.25')
        """
        with mpmath.workdps(_DIGITS):
            middle = self.real(at)
            radius = 0 if middle == mpmath.mpf(float(middle)) else abs(middle) * _RADIUS
            return str(middle - radius), str(middle + radius)

    def is_beyond(self, form: Format) -> Any:
        """Which of them round to infinity."""
        top = np.frexp(form.greatest)[1] - form.digits
        ulps = np.abs(np.ldexp(self.high, np.clip(self.exponent - top, -3000, 1000)))
        return ulps >= 2.0**form.digits * (1 - 2.0 ** (-form.digits - 1))

    def ulps(self, claimed: Any, form: Format) -> Any:
        """How far claimed values are off, in units in the last place of the exact number.

        Below the normal numbers the unit is the least positive float. A claim that is not finite
        is infinitely far off, but for an infinity of the right sign where the exact number rounds
        to it; of a number that is not known the distance is nan.

        Parameters
        ----------
        claimed : (n,) float array
        form : Format

        Examples
        --------
        >>> from verify.auditing.libraries.formats import FORMATS
        >>> Exact.take_middles([arb(3), arb(3)]).ulps(np.array([3.0, 3.5]), FORMATS["bfloat16"])
        array([ 0., 32.])
        """
        place = np.maximum(self.exponent - form.digits, form.last_place)
        near = np.ldexp(np.asarray(claimed, dtype=float), np.clip(-place, -3000, 3000))
        near = np.where(np.isinf(near) & np.isfinite(claimed), np.sign(claimed) * 1e300, near)
        shift = np.clip(self.exponent - place, -3000, 1000)
        gap = (near - np.ldexp(self.high, shift)) - np.ldexp(self.low, shift)
        ulps = np.abs(gap)
        ulps = np.where(np.isfinite(claimed), ulps, np.inf)
        agreed = np.isinf(claimed) & (np.sign(claimed) == np.sign(self.high)) & self.is_beyond(form)
        return np.where(self.are_known, np.where(agreed, 0.0, ulps), np.nan)


def _parts(ball: Any) -> tuple[float, float, int]:
    if not ball.is_finite():
        return float("nan"), 0.0, 0
    if ball.rel_accuracy_bits() < ENOUGH_BITS and not ball.is_exact():
        small = abs(ball) < _NOTHING
        return (0.0, 0.0, 0) if small else (float("nan"), 0.0, 0)
    mantissa, exponent = (int(part) for part in ball.mid().man_exp())
    if not mantissa:
        return 0.0, 0.0, 0
    size = mantissa.bit_length()
    if size > _HELD:
        mantissa >>= size - _HELD
        exponent += size - _HELD
        size = _HELD
    if abs(exponent) > _RANGE:
        return (0.0, 0.0, 0) if exponent < 0 else (float("inf"), 0.0, 5000)
    drop = max(size - 53, 0)
    top = (mantissa >> drop) << drop
    return top / (1 << size), (mantissa - top) / (1 << size), exponent + size


@dataclass(frozen=True, slots=True)
class Truths:
    """What a function and a derivative of it exactly are at points.

    Attributes
    ----------
    value, derivative : Exact
        The function; the derivative that is asked about.
    condition : (n,) float array
        ``|x d'(x)| + |y d'(y)|`` beside ``|d|``: how many ulps of the derivative an ulp of the
        arguments is worth. Infinite where it is not known.
    curvature : (n,) float array
        ``|x² d''(x) / 2|`` beside ``|d|``, of one argument: what the same means to second order.
    """

    value: Exact
    derivative: Exact
    condition: Any
    curvature: Any


@np.errstate(all="ignore")
def truths(function: Function, points: Sequence[Any], wrt: tuple[int, ...]) -> Truths:
    """The exact values of a function and of one of its derivatives.

    Parameters
    ----------
    function : Function
    points : sequence of (n,) float arrays
        One an argument; exactly these numbers are meant.
    wrt : tuple of int
        By which arguments, in turn: ``(0,)``, ``(0, 0)``, ``(0, 1)``.

    Examples
    --------
    >>> from verify.auditing.libraries.functions import FUNCTIONS
    >>> found = truths(FUNCTIONS["square"], [np.array([3.0])], (0,))
    >>> found.value.value, found.derivative.value
    (array([9.]), array([6.]))
    """
    points = [np.asarray(x, dtype=np.float64) for x in points]
    parts = [
        _resolve_derivative(function, [x[at : at + _PIECE] for x in points], wrt)
        for at in range(0, len(points[0]), _PIECE)
    ]
    value, derivative, *costs = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Truths(
        Exact.take_middles(value),
        Exact.take_middles(derivative),
        *(each.astype(float) for each in costs),
    )


def _resolve_derivative(function: Function, points: list[Any], wrt: tuple[int, ...]) -> Found:
    size = len(points[0])
    value, derivative = np.full(size, _UNKNOWN, dtype=object), np.full(size, _UNKNOWN, dtype=object)
    condition, curved = np.full(size, np.inf), np.full(size, np.inf)
    open_, bits = ~_is_outside(function, points), _FIRST_BITS
    while open_.any() and bits <= _MOST_BITS:
        found = _evaluate_at_precision(function, [x[open_] for x in points], wrt, bits)
        value[open_], derivative[open_], condition[open_], curved[open_] = found
        missing = [
            _is_open(d) or _is_open(v) or (np.isinf(s) and bits < _CONDITION_BITS)
            for v, d, s, _ in zip(*found, strict=True)
        ]
        open_[open_] = missing
        bits *= 2
    return value, derivative, condition, curved


def _is_outside(function: Function, points: list[Any]) -> Any:
    """Where NumPy finds that the function overflows, or is not defined: nothing is asked there."""
    value = compile_formula(function.formula, function.arguments)(*points)
    return ~np.isfinite(value)


def _is_open(ball: Any) -> bool:
    """Whether more bits may tell more: not of what is exact, or certainly nothing."""
    if not ball.is_finite():
        return True
    return bool(
        ball.rel_accuracy_bits() < ENOUGH_BITS and not ball.is_exact() and not abs(ball) < _NOTHING
    )


def _evaluate_at_precision(
    function: Function, points: list[Any], wrt: tuple[int, ...], bits: int
) -> Found:
    """The value, the derivative, its condition and curvature, at `bits` bits."""
    order = len(wrt) + (1 if function.is_binary else 2)
    graph = record(compile_formula(function.formula, function.arguments), *points)
    ones, none = np.ones_like(points[0]), np.zeros_like(points[0])

    def expand_along(*steps: int) -> Any:
        line = [ones * step if step else none for step in steps]
        return jets.taylor(graph, points, line, bits, order)[0]

    with precision(bits):
        if len(points) == 1:
            return _differentiate_by_one(expand_along(1), points[0], len(wrt))
        return _differentiate_by_two(expand_along, points, wrt)


def _differentiate_by_one(series: Any, x: Any, order: int) -> Found:
    factor = 2 if order == 2 else 1
    derivative = series[..., order] * factor
    first = series[..., order + 1] * (factor * (order + 1))
    second = series[..., order + 2] * (factor * (order + 1) * (order + 2) // 2)
    curved = _condition([(x, second * x)], derivative)
    return series[..., 0], derivative, _condition([(x, first)], derivative), curved


def _differentiate_by_two(along: Any, points: list[Any], wrt: tuple[int, ...]) -> Found:
    """Derivatives of two arguments, from expansions along their axes and diagonals."""
    x, y = points
    none = np.zeros(len(x))
    first, second = along(1, 0), along(0, 1)
    if wrt in ((0,), (1,)):
        mixed = (along(1, 1)[..., 2] - along(1, -1)[..., 2]) / 2
        own = (first, second)[wrt[0]]
        pair = [(points[wrt[0]], 2 * own[..., 2]), (points[1 - wrt[0]], mixed)]
        return own[..., 0], own[..., 1], _condition(pair, own[..., 1]), none
    up, down = along(1, 1), along(1, -1)
    # Of the third derivatives: c3(1,±1) = (fxxx ± 3 fxxy + 3 fxyy ± fyyy) / 6.
    xxy = (up[..., 3] - down[..., 3]) - 2 * second[..., 3]
    xyy = (up[..., 3] + down[..., 3]) - 2 * first[..., 3]
    if wrt == (0, 1):
        derivative = (up[..., 2] - down[..., 2]) / 2
        pair = [(x, xxy), (y, xyy)]
    elif wrt == (0, 0):
        derivative, pair = 2 * first[..., 2], [(x, 6 * first[..., 3]), (y, xxy)]
    else:
        derivative, pair = 2 * second[..., 2], [(x, xyy), (y, 6 * second[..., 3])]
    return first[..., 0], derivative, _condition(pair, derivative), none


def _condition(pairs: Sequence[tuple[Any, Any]], derivative: Any) -> Any:
    total = np.zeros(len(derivative))
    for x, following in pairs:
        total += [
            _ratio(float(at), slope, size)
            for at, slope, size in zip(x, following, derivative, strict=True)
        ]
    return total


def _ratio(x: float, slope: Any, size: Any) -> float:
    if not (slope.is_finite() and size.is_finite()):
        return float("inf")
    if x == 0 or slope.is_zero():
        return 0.0
    if not slope.is_exact() and slope.rel_accuracy_bits() < _SOME:
        return float("inf")
    found = abs(slope * x / size)
    return float(found.mid()) if found.is_finite() else float("inf")
