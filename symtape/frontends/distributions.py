"""What distributions of SciPy compute by complex logarithms or in C, as it keeps tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.recording.in_place import joined


def log_gauss_mass(a: Any, b: Any) -> Any:
    """The logarithm of the normal probability between `a` and `b`, of their broadcast shape."""
    from scipy.special import log_ndtr, ndtr

    a, b = np.broadcast_arrays(joined(a), joined(b))
    right = np.greater(a, 0)
    central = np.less_equal(a, 0) & np.greater(b, 0)
    # The other tail is accurate where this one is next to 1.
    low, high = np.where(right, -b, a), np.where(right, -a, b)
    low, high = np.where(central, -1.0, low), np.where(central, -0.5, high)
    above = log_ndtr(high)
    tail = above + np.log1p(-np.exp(log_ndtr(low) - above))
    middle = np.log1p(-ndtr(np.where(central, a, -1.0)) - ndtr(np.where(central, -b, -1.0)))
    return np.where(central, middle, tail)


def von_mises_cdf(kappa: Any, x: Any) -> Any:
    """As SciPy's function in C, by its row."""
    from symtape.primitives.special.students import VONMISES_CDF

    return VONMISES_CDF(joined(kappa), joined(x))
