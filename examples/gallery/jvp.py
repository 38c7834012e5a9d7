"""
A rule for forward mode
=======================

A JVP rule takes a tangent and returns the change of the output. This rule of the softmax lacks the
term that keeps the sum of the outputs at 1.
"""

import numpy as np

import verify


def softmax(x):
    """Exponentials that sum to 1."""
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def rule(x, t):
    """The change of the output along t, without its second term."""
    return softmax(x) * t


where = verify.box(-3, 3, shape=(3,))
r = verify.jvp(softmax, rule, over=where, effort=0.1)
print(r)
r.plot()


# %%
# With the term:


def corrected(x, t):
    """The change of the output along t."""
    y = softmax(x)
    return y * (t - np.sum(y * t))


r = verify.jvp(softmax, corrected, over=where, effort=0.1)
print(r.verdict.value, "-", r.evidence)
