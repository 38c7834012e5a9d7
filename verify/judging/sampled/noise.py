"""How much of a function's value is noise: rounding, or a tolerance inside of it.

The differences of high order of neighbouring values vanish for what is smooth; what is left of
them is noise. They are taken at several spacings, from a few floats to a small part of the scale,
since a solver's noise may be coarser than that of rounding. (Moré & Wild, *Estimating
computational noise*, SIAM J. Sci. Comput. 33, 2011.)
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any, Final

import numpy as np

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
