"""Readings: the cotangents of activation functions, as autograd computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.frontends.aten.constants import normal_density, root, root_of_two_over_pi
from symtape.frontends.aten.table import reads

__all__: list[str] = []


def _zero(g: Any) -> Any:
    return np.zeros((), g.dtype)


@reads("hardsigmoid_backward", promotes=True)
def hardsigmoid_backward(g: Any, x: Any) -> Any:
    """A sixth of `g` strictly between -3 and 3."""
    return np.where((x > -3) & (x < 3), g / 6, _zero(g))


@reads("hardshrink_backward", "softshrink_backward", promotes=True)
def shrink_backward(g: Any, x: Any, lambd: float) -> Any:
    """`g` outside of the bounds."""
    return np.where((x >= -lambd) & (x <= lambd), _zero(g), g)


@reads("gelu_backward", promotes=True)
def gelu_backward(g: Any, x: Any, approximate: str = "none") -> Any:
    """The distribution function plus `x` times the density; or of what is near to it."""
    if approximate == "tanh":
        factor = root_of_two_over_pi(x)
        inner = np.tanh(factor * (x + 0.044715 * (x * x * x)))
        slope = factor * (1 + 3 * (0.044715 * (x * x)))
        left = 0.5 * (1 + inner)
        return g * (left + 0.5 * x * ((1 - inner * inner) * slope))
    return g * (0.5 * (1 + special.erf(x / root(2, x))) + x * normal_density(x))
