"""
NaN from the branch that is not taken
=====================================

``np.where`` hides a division by zero from the value. It does not hide it from the derivative if the
rule multiplies infinity by 0.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import verify


def root(x):
    """The square root, continued by 0."""
    return np.where(x > 0, np.sqrt(np.abs(x)), 0.0)


def masked(x):
    """A derivative that multiplies by a mask: infinity times 0 is NaN at 0."""
    return (x > 0) * 0.5 / np.sqrt(np.abs(x))


warnings.simplefilter("ignore", RuntimeWarning)  # of the division by zero
r = verify.gradient(root, masked, over=[-2, 2], effort=0.1)
print(r)

# %%
# The last lines of the message offer two solutions: promise the derivative away from 0 only, or
# use the corrected line. The region without 0:

away = verify.box(-2, 2).away_from(0.0, by=1e-6)
print(verify.gradient(root, masked, over=away, effort=0.1).verdict.value)

x = np.linspace(-2, 2, 401)
plt.plot(x, root(x), label="function")
plt.plot(x, masked(x), label="claim, NaN at 0")
plt.ylim(-0.5, 4)
plt.legend()
