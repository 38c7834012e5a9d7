"""numpy.polynomial: series and their ``deriv`` and ``integ``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy import polynomial

from benchmarks.packages.pair import Pair

COEFFICIENTS = [0.3, -1.0, 0.5, 0.2, -0.1]
CLASSES = ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")


def pairs() -> Iterator[Pair]:
    """Each class, over its own domain and over another one, and poly1d."""
    for name in CLASSES:
        made = getattr(polynomial, name)
        for label, series in {
            "": made(COEFFICIENTS),
            ", mapped": made(COEFFICIENTS, domain=[0, 3]),
        }.items():
            yield Pair(f"numpy: {name}.deriv{label}", series, series.deriv(), (0.3,))
            first, second = series.deriv(), series.deriv(2)
            yield Pair(f"numpy: {name}.deriv(2){label}", first, second, (0.3,))
            yield Pair(f"numpy: {name}.integ{label}", series.integ(), series, (0.3,))
    old = np.poly1d(COEFFICIENTS)
    yield Pair("numpy: poly1d.deriv", old, old.deriv(), (0.3,))
    yield Pair("numpy: poly1d.integ", old.integ(), old, (0.3,))
