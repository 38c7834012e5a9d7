"""Derivatives written by hand, searched over regions: ``symtape verify examples/by_hand.py``.

It exits with 1: one is inaccurate in a tail, one breaks a tie wrongly, one has lost a sign.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import verify


def one_minus_square(x: Any) -> Any:
    """Right on paper, and zero from x = 19 on."""
    return 1 - np.tanh(x) ** 2


def indicator(x: Any) -> Any:
    """1 at every largest entry, also where several are."""
    return (x == np.max(x)).astype(float)


def velocity(t: Any) -> Any:
    """The derivative of :func:`damped`, with a sign lost."""
    return np.exp(-t) * (np.cos(t) + np.sin(t))


@verify.case(over=[-60, 60], claimed=one_minus_square)
def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return np.tanh(x)


@verify.case(over=verify.box(-1, 1, shape=(3,)), claimed=indicator)
def largest(x: Any) -> Any:
    """The largest entry."""
    return np.max(x)


@verify.case(over=[0, 10], claimed=velocity)
def damped(t: Any) -> Any:
    """A damped oscillation."""
    return np.exp(-t) * np.sin(t)


@verify.case(over=verify.box(-2, 2, shape=(3,)))
def distance(x: Any) -> Any:
    """Manhattan distance from the origin; by symtape's own tape."""
    return np.sum(np.abs(x))


@verify.case(over=[-5, 5])
def fare(x: Any) -> Any:
    """Two branches that meet smoothly; by symtape's own tape."""
    return x * x if x > 1 else 2 * x - 1
