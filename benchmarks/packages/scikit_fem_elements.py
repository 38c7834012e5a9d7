"""scikit-fem: shape functions of finite elements, and their derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import numpy as np
from skfem import element

from benchmarks.packages.pair import Pair

AT = {1: [0.3], 2: [0.3, 0.2], 3: [0.3, 0.2, 0.1]}


def pairs() -> Iterator[Pair]:
    """The last shape function of every element of class H1."""
    for name, kind in [*vars(element).items()]:
        if not inspect.isclass(kind) or not issubclass(kind, element.ElementH1):
            continue
        try:
            made = kind()
            point = np.array(AT[made.dim])[:, None]
            number = len(made.doflocs) - 1
            values = made.lbasis(point, number)
        except (TypeError, ValueError, KeyError, AttributeError, NotImplementedError):
            continue
        if np.shape(values[1]) != np.shape(point):
            continue

        def shape(x, made=made, number=number):
            return np.sum(made.lbasis(x, number)[0])

        def slope(x, made=made, number=number):
            return made.lbasis(x, number)[1]

        yield Pair(f"scikit-fem: {name}", shape, slope, (point,))
