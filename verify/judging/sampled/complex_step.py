"""The slope of an analytic function by a step into the complex plane, which cancels nothing.

Code that takes complex numbers need not compute an analytic function of them. So the step is
compared with Cauchy's integral around the point, which differs for anything that is not: the
difference is the bar. (Squire & Trapp, SIAM Review 40, 1998; Lyness & Moler, SIAM J. Numer.
Anal. 4, 1967.)
"""

from __future__ import annotations

from typing import Final

import numpy as np

from verify.judging.sampled.line import Line

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
