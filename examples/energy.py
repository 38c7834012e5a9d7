"""Your own function beside your own gradient: ``symtape verify examples/energy.py``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import verify


def stretch_gradient(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """What I believe the gradient of :func:`stretch` to be."""
    gradient = np.zeros_like(x)
    gradient[1:] += x[1:] - x[:-1] - 1.0
    gradient[:-1] -= x[1:] - x[:-1] - 1.0
    return gradient


@verify.case(at=[[0.0, 1.25, 1.75, 3.5]], claimed=stretch_gradient)
@verify.case(at=[[0.0, 1.25, 1.75, 3.5]], quantity="hessian")
def stretch(x: NDArray[np.float64]) -> np.float64:
    """Energy of a chain of springs of length 1 between the positions `x`."""
    return 0.5 * np.sum((x[1:] - x[:-1] - 1.0) ** 2)


@verify.case(at=[(0.5, [0.25, 0.75])])
def free_energy(temperature: float, fractions: NDArray[np.float64]) -> np.float64:
    """Free energy of mixing; by both arguments."""
    return temperature * np.sum(fractions * np.log(fractions)) + np.prod(fractions)
