"""
The slope of a Hermite spline
=============================

On each interval a Hermite spline is a polynomial of u, which runs from 0 to 1. Its slope by x needs
the factor 1 / h, and a test on a grid of spacing 1 cannot see that it is missing.
"""

import numpy as np

import verify

KNOTS = np.array([0.0, 0.5, 2.0])
VALUES = np.array([1.0, -1.0, 0.5])
SLOPES = np.array([0.0, 1.0, -2.0])


def piece(x):
    """The interval that x is in."""
    return 0 if x < KNOTS[1] else 1


def spline(x):
    """The interpolant through values and slopes."""
    i = piece(x)
    h = KNOTS[i + 1] - KNOTS[i]
    u = (x - KNOTS[i]) / h
    a = VALUES[i] * (1 + 2 * u) * (1 - u) ** 2 + VALUES[i + 1] * u**2 * (3 - 2 * u)
    return a + h * u * (1 - u) * (SLOPES[i] * (1 - u) - SLOPES[i + 1] * u)


def slope(x):
    """The derivative by u."""
    i = piece(x)
    h = KNOTS[i + 1] - KNOTS[i]
    u = (x - KNOTS[i]) / h
    a = 6 * u * (1 - u) * (VALUES[i + 1] - VALUES[i])
    return a + h * (SLOPES[i] * (1 - u) * (1 - 3 * u) + SLOPES[i + 1] * u * (3 * u - 2))


# %%
# The search follows both sides of the ``if`` and reports a factor.

r = verify.gradient(spline, slope, over=[0, 2], effort=0.1)
print(r)
r.plot()


# %%
# Divided by h, the slope is correct on both intervals and at the knot between them:


def corrected(x):
    """The derivative by x."""
    i = piece(x)
    return slope(x) / (KNOTS[i + 1] - KNOTS[i])


r = verify.gradient(spline, corrected, over=[0, 2], effort=0.1)
print(r.verdict.value, "-", r.evidence)
