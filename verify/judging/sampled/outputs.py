"""What the samples along one probe say of what is claimed there."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from verify.judging.sampled.directions import Direction, Probe
from verify.judging.sampled.line import (
    FINEST,
    Estimate,
    Line,
    complex_slope,
    noise_of,
    one_sided,
    two_sided,
)

_BARS: Final = 8.0
"""Off by so many bars is excluded; a bar bounds noise and remainder at worst already."""

_WINDOWS: Final = 3
"""So many windows must exclude it."""

_BLUNT: Final = 0.1
"""Where the bar is longer than this part of the slopes, one side is looked at by itself."""

_CLEAR: Final = 10.0

_STRUCTURE: Final = 100.0
"""Noise that is so much smaller between closer points is no noise, but structure."""

_ROUNDED: Final = 1e3
_EXPLAINED: Final = 400.0
"""Noise of so many roundings is that of a steep function, if the claim times so many floats of
the argument is as large."""


class OutputStatus(enum.Enum):
    """What an output looks like beside what is claimed of it."""

    AGREES = "agrees"
    OFF = "off"
    CLOSE = "off by little"
    KINK = "kink"
    BLIND = "blind"


@dataclass(frozen=True, slots=True)
class Output:
    """One output along one probe.

    Attributes
    ----------
    status : OutputStatus
    claimed, value, bar : float
        The derivative along the probe is within `bar` of `value`, by the samples; of a kink
        `bar` is that of the slopes.
    sides : (float, float) or None
        The slopes on the left and on the right, of a kink.
    """

    status: OutputStatus
    claimed: float
    value: float
    bar: float
    sides: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class LineDerivatives:
    """A line, and the derivatives of the outputs along it.

    Attributes
    ----------
    line : Line
    far, near : list of Estimate
        With structure finer than the windows taken for noise, and without.
    """

    line: Line
    far: list[Estimate]
    near: list[Estimate]


class BlackBox:
    """A function near a point, and what is known of it along every line.

    Parameters
    ----------
    function : callable ``(*arguments) -> array``
    point : tuple of arrays
    epsilon : float
        Of the coarsest format in the way.
    inside : callable ``(arguments) -> bool``
        Where the function may be called.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        point: tuple[Any, ...],
        epsilon: float,
        inside: Callable[[tuple[Any, ...]], bool],
    ) -> None:
        self.function, self.point = function, point
        self.epsilon, self.inside = epsilon, inside
        self._noise: np.ndarray | None = None
        self._fine: np.ndarray | None = None
        self._found: dict[tuple[Any, int], LineDerivatives] = {}

    @property
    def numbers(self) -> int:
        """How many numbers the function was asked for."""
        return sum(along.line.numbers for along in self._found.values())

    def noise(self, line: Line) -> np.ndarray | None:
        """Of the outputs; measured along the first line that can be, in which most moves."""
        if self._noise is None:
            self._noise = noise_of(line.evaluate, self.epsilon)
            self._fine = noise_of(line.evaluate, self.epsilon, FINEST)
        return self._noise

    def differentiate_along(self, direction: Direction, order: int) -> LineDerivatives:
        """What there is in a direction."""
        key = tuple((i, np.asarray(step).tobytes()) for i, step in direction.items()), order
        if key not in self._found:
            line = Line(self.function, self.point, direction, self.inside)
            noise = self.noise(line)
            far = [] if noise is None else two_sided(line.evaluate, noise, order)
            near = far
            if noise is not None and self._fine is not None:
                structured = np.any(noise > _STRUCTURE * self._fine)
                near = two_sided(line.evaluate, self._fine, order) if structured else far
            self._found[key] = LineDerivatives(line, far, near)
        return self._found[key]


class ProbeResult:
    """A probe of a black box.

    Parameters
    ----------
    box : BlackBox
    probe : Probe

    Attributes
    ----------
    views : list of lists of Estimate
        The derivative of each output, from afar and from near; the same where there is no
        structure that is finer than the windows.
    """

    def __init__(self, box: BlackBox, probe: Probe) -> None:
        self.box, self.probe, self.epsilon = box, probe, box.epsilon
        found = [box.differentiate_along(d, probe.order) for d, _ in probe.lines]
        self.lines = [each.line for each in found]
        self.noise = [box.noise(line) for line in self.lines]
        self.views = [self._estimates([each.far for each in found])]
        if any(each.near is not each.far for each in found):
            self.views.append(self._estimates([each.near for each in found]))

    def _estimates(self, each: list[list[Estimate]]) -> list[Estimate]:
        count = self.probe.claimed.size
        if not all(each):
            return [Estimate(0.0, np.inf, ())] * count
        if self.probe.order == 1:
            return [self._sharpen_estimate(k, found) for k, found in enumerate(each[0])]
        factors = [factor for _, factor in self.probe.lines]
        return [_combine_estimates([row[k] for row in each], factors) for k in range(count)]

    def _sharpen_estimate(self, output: int, found: Estimate) -> Estimate:
        """With the slope by a complex step, if that is better and agrees."""
        if self._complex is None:
            return found
        slope, bar = (float(values[output]) for values in self._complex)
        if bar >= found.bar or abs(slope - found.value) > bar + found.bar:
            return found
        return Estimate(slope, bar, found.agreeing)

    @cached_property
    def _complex(self) -> tuple[np.ndarray, np.ndarray] | None:
        noise = self.noise[0]
        return None if noise is None else complex_slope(self.lines[0], noise, self.epsilon)

    def outputs(self, lost: float) -> list[Output]:
        """Every output beside its claim, which rounding may have cost `lost` more.

        Of two views that one counts which the claim fits; from near there is nothing to see of a
        value that moves in steps.
        """
        found = []
        for k, (far, *near) in enumerate(zip(*self.views, strict=True)):
            views = [far, *(view for view in near if not view.stepped)]
            found.append(min((self._output(k, view, lost) for view in views), key=_rank))
        return found

    def _output(self, k: int, found: Estimate, lost: float) -> Output:
        claimed, spent = float(self.probe.claimed[k]), float(self.probe.rounding[k]) + lost
        off = abs(claimed - found.value) - spent
        size = float(self.probe.size[k]) + abs(found.value)
        if _BARS * found.bar > _BLUNT * max(abs(claimed), abs(found.value)):
            sides = self._sides(k)
            if sides is not None:
                (left, one), (right, other) = sides
                return Output(OutputStatus.KINK, claimed, found.value, one + other, (left, right))
        if not np.isfinite(found.bar):
            return Output(OutputStatus.BLIND, claimed, found.value, found.bar)
        toward = claimed - np.sign(claimed - found.value) * spent
        if off > 0 and found.excludes(toward, _BARS, _WINDOWS):
            if found.stepped or self._is_explained_by_noise(k, abs(claimed)):
                return Output(OutputStatus.BLIND, claimed, found.value, np.inf)
            close = off <= np.sqrt(self.epsilon) * size
            return Output(
                OutputStatus.CLOSE if close else OutputStatus.OFF, claimed, found.value, found.bar
            )
        unsure = off > _BARS * found.bar
        return Output(
            OutputStatus.CLOSE if unsure else OutputStatus.AGREES, claimed, found.value, found.bar
        )

    def _is_explained_by_noise(self, k: int, claimed: float) -> bool:
        """Whether the noise may be that of rounding the argument, were the claim right."""
        noise, centre = self.noise[0], self.lines[0].evaluate(0.0)
        if noise is None or centre is None:
            return True
        rounded = float(noise[k]) <= _ROUNDED * self.epsilon * abs(float(centre[k]))
        return not rounded and _EXPLAINED * self.epsilon * claimed >= float(noise[k])

    def _sides(self, k: int) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """The slopes on either side with their bars, if they differ for sure."""
        for line, noise in zip(self.lines, self.noise, strict=True):
            if noise is None:
                continue
            left, right = (one_sided(line.evaluate, noise, sign)[k] for sign in (-1.0, 1.0))
            if min(len(left.agreeing), len(right.agreeing)) < _WINDOWS:
                continue
            if abs(left.value - right.value) > _BARS * (left.bar + right.bar):
                return (left.value, left.bar), (right.value, right.bar)
        return None

    def bends(self) -> float:
        """How large the curvature along a first-order probe is for sure, at least."""
        noise = self.noise[0]
        if noise is None or self.probe.order != 1:
            return 0.0
        found = two_sided(self.lines[0].evaluate, noise, 2)
        return max((abs(each.value) - _BARS * each.bar for each in found), default=0.0)

    def remainder_order(self, k: int) -> float:
        """The order in which what the claim leaves of the change of output `k` falls with the step.

        2 or more, of the remainder of Taylor's expansion, where a first derivative is right; 1
        where it is wrong. Nan where noise leaves fewer than three steps.
        """
        line, noise = self.lines[0], self.noise[0]
        centre = line.evaluate(0.0)
        if noise is None or centre is None or self.probe.order != 1:
            return float("nan")
        steps, left = [], []
        for j in range(46):
            t = 0.9137 * 0.5**j
            value = line.evaluate(t)
            if value is None:
                continue
            rest = abs(float(value[k] - centre[k]) - t * float(self.probe.claimed[k]))
            if rest > _CLEAR * float(noise[k]):
                steps.append(t)
                left.append(rest)
        if len(steps) < 3:
            return float("nan")
        return float(np.polyfit(np.log2(steps[-5:]), np.log2(left[-5:]), 1)[0])


def _rank(look: Output) -> tuple[int, float]:
    order = (
        OutputStatus.AGREES,
        OutputStatus.CLOSE,
        OutputStatus.KINK,
        OutputStatus.BLIND,
        OutputStatus.OFF,
    )
    return order.index(look.status), look.bar


def _combine_estimates(parts: list[Estimate], factors: list[float]) -> Estimate:
    """The sum of estimates, each times its factor; so many windows agree as of the fewest."""
    value = sum(f * part.value for f, part in zip(factors, parts, strict=True))
    bar = sum(abs(f) * part.bar for f, part in zip(factors, parts, strict=True))
    if len(parts) == 1 and factors[0] == 1.0:
        return parts[0]
    fewest = min(len(part.agreeing) for part in parts)
    rows = []
    for rank in range(fewest):
        ranked = [sorted(part.agreeing, key=lambda pair: pair[1])[rank] for part in parts]
        rows.append(
            (
                sum(f * v for f, (v, _) in zip(factors, ranked, strict=True)),
                sum(abs(f) * b for f, (_, b) in zip(factors, ranked, strict=True)),
            )
        )
    return Estimate(value, bar, tuple(rows))
