"""Single balls: what they are made of, exactly, and what is read of them.

A ball is a ``flint.arb``. One that is not finite (nan, or of infinite radius) means that
nothing is known: the value may be any number, an infinity or nan. Bounds are read as decimal text,
distances from floats in ulps.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from flint import arb, fmpq

from symtape.process.precision import precision

Ball: TypeAlias = Any
"""A ``flint.arb``; the library has no types."""

UNKNOWN: Final[Ball] = arb("nan")
"""The ball of which nothing is known."""

_LARGEST_EXPONENT: Final = 5000
_DISTANCE_BITS: Final = 256
_HUGE_EXPONENT: Final = 30_000
"""Powers of ten beyond are not written out; the bounds say so, soundly."""


def to_ball(x: Any) -> Ball:
    """Convert a number exactly; a three-valued truth becomes 1, 0, or the hull of both.

    Raises
    ------
    TypeError
        `x` is no real number that a ball can hold exactly.

    Examples
    --------
    >>> import numpy as np
    >>> to_ball(np.float32(0.5))
    0.500000000000000
    """
    if type(x) is arb:
        return x
    if x is None:
        return arb(0).union(arb(1)).nonnegative_part()
    if isinstance(x, np.ndarray) and not x.ndim:
        return to_ball(x[()])
    if isinstance(x, bool | int | np.bool_ | np.integer):
        return arb(int(x))
    if isinstance(x, float | np.float32 | np.float16):
        return arb(float(x))
    if isinstance(x, Fraction):
        return arb(fmpq(x.numerator, x.denominator))
    if isinstance(x, fmpq):
        return arb(x)
    raise TypeError(
        f"{x!r} ({type(x).__name__}) has no ball: expected an int, a bool, a float16, float32 "
        "or float64, or an arb"
    )


def rational(x: Ball) -> Fraction | None:
    """The value of an exact, finite ball of moderate size; None for any other."""
    if not (x.is_exact() and x.is_finite()):
        return None
    mantissa, exponent = (int(part) for part in x.man_exp())
    if abs(exponent) > _LARGEST_EXPONENT:
        return None
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def list_entries(meaning: Any) -> list[Any]:
    """The entries of what a node means: of an array of balls, or of one ball or truth value."""
    if type(meaning) is arb:
        return [meaning]
    found: list[Any] = np.asarray(meaning, dtype=object).ravel().tolist()
    return found


def hull(*balls: Ball) -> Ball:
    """The least ball around all of `balls`, up to rounding."""
    return functools.reduce(lambda a, b: a.union(b), balls)


def enclose_interval(lower: Ball, upper: Ball) -> Ball:
    """The ball around ``[lower, upper]``, not crossing zero where these do not.

    Rounding the radius upwards would otherwise take ``[0, 1]`` a little below zero, and out of
    the domain of the square root.
    """
    ball = lower.union(upper)
    if lower >= 0:
        return ball.nonnegative_part()
    if upper <= 0:
        return -((-ball).nonnegative_part())
    return ball


def nonnegative(x: Ball) -> Ball:
    """The part of a ball of which it is known that its value is not negative."""
    return x if x >= 0 or x.is_nan() else x.nonnegative_part()


def is_narrow(x: Ball) -> bool:
    """Whether the radius is small beside 1 or the midpoint, so that slopes describe all."""
    return bool(x.rel_one_accuracy_bits() > 9)


def unary(function: Callable[[Ball], Ball]) -> Callable[[Any], Any]:
    """Let a function of a ball take any real number, and object arrays by element."""

    @functools.wraps(function)
    def call(x: Any) -> Any:
        if type(x) is arb:
            return function(x)
        if isinstance(x, np.ndarray) and x.ndim:
            return np.frompyfunc(call, 1, 1)(x)
        return function(to_ball(x))

    return call


def binary(function: Callable[[Ball, Ball], Ball]) -> Callable[[Any, Any], Any]:
    """As :func:`unary`, for two arguments, which are broadcast."""

    @functools.wraps(function)
    def call(x: Any, y: Any) -> Any:
        if type(x) is arb and type(y) is arb:
            return function(x, y)
        if any(isinstance(arg, np.ndarray) and arg.ndim for arg in (x, y)):
            return np.frompyfunc(call, 2, 1)(x, y)
        return function(to_ball(x), to_ball(y))

    return call


def apply_increasing(function: Callable[[Ball], Ball], x: Ball) -> Ball:
    """An increasing `function` of a wide ball, from its ends."""
    return enclose_interval(function(x.lower()), function(x.upper()))


def apply_decreasing(function: Callable[[Ball], Ball], x: Ball) -> Ball:
    """A decreasing `function` of a wide ball, from its ends."""
    return enclose_interval(function(x.upper()), function(x.lower()))


@dataclass(frozen=True, slots=True)
class DecimalBounds:
    """An enclosure as plain data.

    Attributes
    ----------
    lower, upper : str
        Decimal bounds, rounded outwards: the true value is certainly between them. ``-inf`` and
        ``inf`` where nothing is known.
    mid : float
        The middle; nan where nothing is known.
    radius : float
        At least half the width.
    bits : int
        Bits of relative accuracy; 0 where there are none.
    """

    lower: str
    upper: str
    mid: float
    radius: float
    bits: int

    @property
    def is_finite(self) -> bool:
        """Whether anything is known."""
        return not math.isnan(self.mid)

    def __str__(self) -> str:
        return f"[{self.lower}, {self.upper}]"


def decimal_bounds(ball: Ball, digits: int = 25) -> DecimalBounds:
    """A ball as an :class:`DecimalBounds`.

    Parameters
    ----------
    ball : flint.arb
        The enclosure.
    digits : int
        Most significant digits to write.

    Examples
    --------
    >>> from flint import arb
    >>> print(decimal_bounds(arb(1) / 3, digits=5))
    [0.33333, 0.33334]
    >>> print(decimal_bounds(arb(0.5)))
    [0.5, 0.5]
    """
    if not ball.is_finite():
        if ball.is_exact() and not ball.is_nan():
            text = "inf" if ball > 0 else "-inf"
            return DecimalBounds(text, text, float(ball), 0.0, 0)
        return DecimalBounds("-inf", "inf", math.nan, math.inf, 0)
    ends = _ends(ball)
    if ends is None:
        return _immense(ball)
    lower, upper, denominator = ends
    return DecimalBounds(
        _decimal(lower, denominator, digits, upwards=False),
        _decimal(upper, denominator, digits, upwards=True),
        float(ball.mid()),
        math.nextafter(float(ball.rad()), math.inf) if lower != upper else 0.0,
        _bits(ball),
    )


def _bits(ball: Ball) -> int:
    return int(min(max(ball.rel_accuracy_bits(), 0), 1_000_000))


def _ends(ball: Ball) -> tuple[int, int, int] | None:
    """The ends of a ball, exactly: two numerators and their denominator; None if immense."""
    middle, exponent = (int(part) for part in ball.mid().man_exp())
    radius, least = (int(part) for part in ball.rad().man_exp())
    if (abs(exponent) > 3 * _HUGE_EXPONENT and middle) or (
        abs(least) > 3 * _HUGE_EXPONENT and radius
    ):
        return None
    common = min(exponent if middle else 0, least if radius else 0, 0)
    middle = middle << exponent - common if middle else 0
    radius = radius << least - common if radius else 0
    return middle - radius, middle + radius, 1 << -common


def _immense(ball: Ball) -> DecimalBounds:
    """Bounds of a ball whose exponents are beyond anything a float can compare with."""
    limit = arb(10) ** _HUGE_EXPONENT
    tiny = 1 / limit
    text = f"1e+{_HUGE_EXPONENT}"
    if ball > limit:
        lower, upper = text, "inf"
    elif ball < -limit:
        lower, upper = "-inf", "-" + text
    elif abs(ball) < tiny:
        small = f"1e-{_HUGE_EXPONENT}"
        lower = "0" if ball >= 0 else "-" + small
        upper = "0" if ball <= 0 else small
    else:
        lower, upper = "-inf", "inf"
        if ball.rad() < tiny:
            near = decimal_bounds(ball.mid() + arb(0, tiny))
            lower, upper = near.lower, near.upper
    return DecimalBounds(lower, upper, float(ball.mid()), math.inf, _bits(ball))


def _decimal(numerator: int, denominator: int, digits: int, upwards: bool) -> str:
    """A quotient with `digits` significant digits, rounded upwards or downwards."""
    if not numerator:
        return "0"
    size, sign = abs(numerator), "-" if numerator < 0 else ""
    bits = size.bit_length() - denominator.bit_length()
    exponent = math.floor(bits * math.log10(2))
    if not _reaches(size, denominator, exponent):
        exponent -= 1
    elif _reaches(size, denominator, exponent + 1):
        exponent += 1
    above, below = _times_ten(size, denominator, digits - 1 - exponent)
    away = upwards != bool(sign)
    figures = str(-(-above // below) if away else above // below)
    exponent += len(figures) - digits
    figures = figures.rstrip("0") or "0"
    if -5 <= exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{figures}"
    if 0 <= exponent < 17:
        whole = figures[: exponent + 1].ljust(exponent + 1, "0")
        rest = figures[exponent + 1 :]
        return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"
    rest = f".{figures[1:]}" if len(figures) > 1 else ""
    return f"{sign}{figures[0]}{rest}e{exponent:+03d}"


def _times_ten(numerator: int, denominator: int, power: int) -> tuple[int, int]:
    """The quotient times ``10**power``."""
    if power >= 0:
        return numerator * 10**power, denominator
    return numerator, denominator * 10**-power


def _reaches(numerator: int, denominator: int, exponent: int) -> bool:
    """Whether the quotient is at least ``10**exponent``."""
    above, below = _times_ten(numerator, denominator, -exponent)
    return above >= below


def contains(ball: Ball, value: float) -> bool:
    """Whether a ball holds a float; one of which nothing is known holds any, nan included.

    Examples
    --------
    >>> from flint import arb
    >>> contains(arb(1, 0.5), 1.25), contains(arb(1, 0.5), float("nan"))
    (True, False)
    """
    if not ball.is_finite():
        return not ball.is_exact() or ball.is_nan() or bool(ball == arb(float(value)))
    return bool(math.isfinite(value) and ball.contains(arb(float(value))))


def ulps(claimed: float, exact: Ball, dtype: Any = np.float64) -> float:
    """The least distance of a claimed float from an exact ball, in ulps of its dtype.

    Parameters
    ----------
    claimed : float
        A value of `dtype`.
    exact : flint.arb
        Encloses the exact value.
    dtype : dtype
        Whose spacing at the exact value is the unit.

    Returns
    -------
    float
        0 for a value inside the ball, and for the infinity that the exact value overflows to;
        otherwise inf for an infinity or nan.

    Examples
    --------
    >>> from flint import arb
    >>> ulps(1.0 + 2**-51, arb(1))
    2.0
    """
    claimed = float(claimed)
    if contains(exact, claimed):
        return 0.0
    kind = np.dtype(dtype).type
    limits = np.finfo(kind)
    greatest = float(limits.max)
    gap = greatest - float(np.nextafter(limits.max, kind(0)))
    with precision(_DISTANCE_BITS):
        if math.isinf(claimed):
            overflows = (exact if claimed > 0 else -exact).upper() >= arb(greatest) + gap / 2
            return 0.0 if overflows else math.inf
        if math.isnan(claimed) or not exact.is_finite():
            return math.inf
        size = min(abs(float(exact.mid())), greatest)
        unit = gap if size == greatest else float(np.spacing(kind(size)))
        return float((arb(claimed) - exact).abs_lower() / unit)
