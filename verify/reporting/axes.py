"""Ticks: where an axis of an accuracy plot is labelled, in floats or in values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from verify.model.accuracy import Profile, place_on_scale
from verify.reporting import wording

_WIDE, _NARROW = 0.017, 0.011
"""The shares of the axis that a digit takes, and one of an exponent."""

_MOST: Final = 9
_EXPONENTS: Final = (0, -200, 200, -100, 100, -300, 300, -10, 10, -20, 20, -30, 30, -3, 3)
_TINIEST: Final = 1e-290


def ticks(profile: Profile) -> list[tuple[float, str]]:
    """Labels of the axis and where they stand, from 0 to 1, from left to right.

    Examples
    --------
    >>> " ".join(label for _, label in ticks(Profile("floats", -1e308, 1e308, ())))
    '−10³⁰⁸ −10¹⁰⁰ −1 −10⁻²⁰⁰ 0 10⁻²⁰⁰ 1 10¹⁰⁰ 10³⁰⁸'
    >>> [label for _, label in ticks(Profile("values", -60.0, 60.0, ()))]
    ['−60', '−40', '−20', '0', '20', '40', '60']
    >>> [label for _, label in ticks(Profile("values", 2e-309, 10.0, ()))]
    ['0', '2', '4', '6', '8', '10']
    """
    found: list[tuple[float, str]] = []
    # An end of the region that no point hit, 0 above all, is still where its label says.
    near = 1e-9 * (profile.high / 2 - profile.low / 2) if profile.scale == "values" else 0.0
    low, high = profile.low - near, profile.high + near
    groups = [
        [value for value in dict.fromkeys(group) if low <= value <= high]
        for group in _candidates(profile)
    ]
    values = list(itertools.chain.from_iterable(groups))  # placed at once: a page has many axes
    places = dict(zip(values, np.atleast_1d(place_on_scale(values, profile)).tolist(), strict=True))
    for group in groups:
        new = [(places[value], _label(value)) for value in group]
        if len(found) + len(new) <= _MOST and all(_fits(tick, found) for tick in new):
            found += new
    return sorted(found)


def _fits(tick: tuple[float, str], others: Sequence[tuple[float, str]]) -> bool:
    return all(
        abs(tick[0] - at) > (_width(tick[1]) + _width(label)) / 2 + _WIDE for at, label in others
    )


def _width(label: str) -> float:
    return sum(_NARROW if sign in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹." else _WIDE for sign in label)


def _candidates(profile: Profile) -> Iterator[tuple[float, ...]]:
    """Values worth a label, the most telling first; those of a group are shown together."""
    if profile.scale == "values":
        yield from ((value,) for value in _even(profile.low, profile.high))
        return
    yield (0.0,)
    yield (profile.low, profile.high)
    for exponent in (*_EXPONENTS, *range(-30, 31)):
        yield (10.0**exponent, -(10.0**exponent))
    yield from ((value,) for value in _even(profile.low, profile.high))


def _even(low: float, high: float) -> Iterator[float]:
    """About five round values between the ends."""
    width = high - low
    if not _TINIEST < width < math.inf:
        return
    power = 10.0 ** math.floor(math.log10(width / 5))
    step = next(power * factor for factor in (1, 2, 5, 10) if width / (power * factor) <= 6)
    for count in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        yield float(f"{count * step:.10g}")


def _label(value: float) -> str:
    """A number as short as it can be: a power of ten, or two digits."""
    size = abs(value)
    sign = "−" if value < 0 else ""
    if size and not 1e-3 < size < 99999:
        exact = math.log10(size)
        if math.isclose(exact, round(exact), abs_tol=1e-9):
            return wording.power_of_ten(value).replace("-", "−")
        # Of numbers this far out the power alone says where they are.
        return f"{sign}{wording.power_of_ten(10.0 ** round(exact))}"
    return f"{sign}{size:.3g}"
