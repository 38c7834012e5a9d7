"""Accuracy as SVG: bits of error over one coordinate.

Every point is a dot, the largest error of each stretch a step; bars above say where the claim is
zero, or of the wrong sign, or not finite. Drawn by hand: it is a few paths, and a page may hold
hundreds of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

from verify.model.accuracy import (
    MARKS,
    Accuracy,
    Coordinate,
    Profile,
    all_bits,
    caption,
    place_on_scale,
)
from verify.reporting import wording
from verify.reporting.legible import one_line
from verify.reporting.plots import frame_drawing

_WIDTH, _HEIGHT = 360.0, 196.0
_LEFT, _RIGHT, _BOTTOM = 40.0, 345.0, 168.0
_TOP: Final = 12.0
_BAR, _GAP = 6.0, 3.0
_RAILS: Final = {"zeros": "zero", "signs": "sign", "lost": "inf, nan"}
_NO_ERROR: Final = "no error at these points"
_INK: Final = "var(--plot-ink, #555)"
_RULE: Final = "var(--plot-rule, #bbb)"
_FIRST: Final = "var(--series-1, #26c)"
_SECOND: Final = "var(--series-2, #c51)"


def describe_plot(accuracy: Accuracy, coordinate: Coordinate, profile: Profile) -> str:
    """What the plot shows, for those who cannot see it."""
    known = [(peak, at) for at, peak in enumerate(profile.peaks) if peak is not None]
    worst, at = max(known, default=(0.0, 0))
    words = (
        f"Bits of error, 0 to {all_bits(accuracy.dtype)}, over {one_line(coordinate.name, 60)} "
        f"from {wording.quantity(profile.low)} to {wording.quantity(profile.high)}, "
        f"{caption(profile)}. "
    )
    if _is_flat(profile):
        return words + f"There is {_NO_ERROR}."
    words += (
        f"The largest error is {worst:.1f} bits, "
        f"{100 * (at + 0.5) / (len(profile.peaks) or 1):.0f} percent along the axis."
    )
    for name, bins in _rails(profile):
        words += f" In {len(bins)} of {len(profile.peaks)} stretches: {_meaning(name)}."
    return words


def svg(accuracy: Accuracy, coordinate: Coordinate, profile: Profile, prefix: str) -> str:
    """The plot as one ``<svg>`` element; its ids begin with `prefix`, unique on the page."""
    root = Element("svg")
    rails = list(_rails(profile))
    frame = _Frame(_TOP + len(rails) * (_BAR + _GAP), all_bits(accuracy.dtype))
    _draw_rules(root, frame, profile)
    _draw_peaks(root, frame, profile.peaks)
    _draw_dots(root, frame, accuracy, place_on_scale(coordinate.x, profile))
    for number, (name, bins) in enumerate(rails):
        _draw_rail(root, _TOP + number * (_BAR + _GAP), name, bins, len(profile.peaks))
    if _is_flat(profile):
        _text(root, (_LEFT + _RIGHT) / 2, frame.y(0.36 * frame.most), _NO_ERROR, "middle", 11)
    title = f"Accuracy over {one_line(coordinate.name, 60)}, {caption(profile)}"
    words = describe_plot(accuracy, coordinate, profile)
    frame_drawing(root, f"0 0 {_WIDTH:g} {_HEIGHT:g}", prefix, title, words)
    return tostring(root, encoding="unicode")


def _is_flat(profile: Profile) -> bool:
    """Whether no point that was read has an error; such a plot alone looks like a mistake."""
    return not any(_rails(profile)) and not any(profile.peaks)


class _Frame:
    """Where bits stand."""

    def __init__(self, top: float, most: int) -> None:
        self.top, self.most = top, most

    def y(self, bits: float) -> float:
        """The height of an error."""
        return _BOTTOM - (_BOTTOM - self.top - 4) * min(bits, self.most) / self.most


def _x(share: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * share


def _rails(profile: Profile) -> Iterator[tuple[str, Sequence[int]]]:
    for name in _RAILS:
        bins: tuple[int, ...] = getattr(profile, name)
        if bins:
            yield name, bins


def _meaning(name: str) -> str:
    return dict(zip(_RAILS, MARKS.values(), strict=True))[name]


def _path(parent: Element, steps: Iterable[str], style: str) -> None:
    line = "".join(steps)
    if line:
        SubElement(parent, "path", d=line, style=style)


def _text(parent: Element, x: float, y: float, words: str, anchor: str, size: float = 9) -> None:
    style = f"font-size: {size:g}px; fill: {_INK}; text-anchor: {anchor}"
    SubElement(parent, "text", x=f"{x:.1f}", y=f"{y:.1f}", style=style).text = words


def _draw_rules(root: Element, frame: _Frame, profile: Profile) -> None:
    levels = [frame.most * quarter // 4 for quarter in range(5)]
    lines = [f"M{_LEFT:g} {frame.y(level):.1f}H{_RIGHT:g}" for level in levels]
    marks = ticks(profile)
    lines += [f"M{_x(share):.1f} {_BOTTOM:g}V{frame.top:g}" for share, _ in marks]
    _path(root, lines, f"fill: none; stroke: {_RULE}; stroke-width: .5")
    for level in levels:
        _text(root, _LEFT - 5, frame.y(level) + 3, str(level), "end")
    for share, label in marks:
        _text(root, _x(share), _BOTTOM + 12, label, "middle")
    middle = (frame.top + _BOTTOM) / 2
    turned = SubElement(
        root,
        "text",
        transform=f"translate(9 {middle:.1f}) rotate(-90)",
        style=f"font-size: 9px; fill: {_INK}; text-anchor: middle",
    )
    turned.text = "bits of error"


def _draw_peaks(root: Element, frame: _Frame, peaks: Sequence[float | None]) -> None:
    """The largest error of each stretch, as steps over a tint."""
    steps, area = [], []
    width = (_RIGHT - _LEFT) / (len(peaks) or 1)
    open_at: float | None = None
    for at, peak in enumerate([*peaks, None]):
        left = _LEFT + at * width
        if peak is None:
            if open_at is not None:
                area.append(f"V{_BOTTOM:g}H{open_at:.1f}Z")
            open_at = None
            continue
        y = f"{frame.y(peak):.1f}"
        steps.append(f"{'M' if open_at is None else 'L'}{left:.1f} {y}H{left + width:.1f}")
        start = f"M{left:.1f} {_BOTTOM:g}" if open_at is None else ""
        area.append(f"{start}L{left:.1f} {y}H{left + width:.1f}")
        open_at = left if open_at is None else open_at
    _path(root, area, f"fill: {_FIRST}; fill-opacity: .12")
    _path(root, steps, f"fill: none; stroke: {_FIRST}; stroke-width: 1.3; stroke-linejoin: round")


def _draw_dots(root: Element, frame: _Frame, accuracy: Accuracy, shares: Iterable[float]) -> None:
    """Every point that was kept; those that are wrong beyond their size in another colour."""
    plain: list[str] = []
    marked: list[str] = []
    for share, bits, mark in zip(shares, accuracy.bits, accuracy.marks, strict=True):
        dot = f"M{_x(share):.1f} {frame.y(bits):.1f}h0"
        (plain if mark == "." else marked).append(dot)
    shape = "fill: none; stroke-width: 2.6; stroke-linecap: round; stroke-opacity: "
    _path(root, plain, f"{shape}.5; stroke: {_FIRST}")
    _path(root, marked, f"{shape}.6; stroke: {_SECOND}")


def _draw_rail(root: Element, top: float, name: str, bins: Sequence[int], count: int) -> None:
    """A bar over each stretch in which something of a kind was found."""
    _text(root, _LEFT - 5, top + _BAR - 0.5, _RAILS[name], "end", 7.5)
    width = (_RIGHT - _LEFT) / count
    bars = (f"M{_LEFT + at * width:.1f} {top:g}h{width:.2f}v{_BAR:g}h-{width:.2f}z" for at in bins)
    _path(root, bars, f"fill: {_SECOND}")


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
