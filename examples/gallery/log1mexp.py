"""
A formula that loses its digits
===============================

The derivative of log(1 - exp(-x)) is exp(-x) / (1 - exp(-x)). The formula is right, but for small x
the denominator cancels. A difference quotient with a tolerance of 1e-6 accepts it.
"""

import numpy as np

import verify


def log1mexp(x):
    """The logarithm of 1 - exp(-x), computed so that it keeps its digits."""
    return np.log(-np.expm1(-x))


def slope(x):
    """The textbook formula."""
    return np.exp(-x) / (1 - np.exp(-x))


r = verify.gradient(log1mexp, slope, over=[1e-12, 30], effort=0.1)
print(r)
r.plot()

# %%
# ``expm1`` keeps the digits:

r = verify.gradient(log1mexp, lambda x: 1 / np.expm1(x), over=[1e-12, 30], effort=0.1)
print(r.verdict.value, "-", r.evidence)
