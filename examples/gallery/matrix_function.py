"""
The logarithm of a determinant
==============================

The gradient of log det A is the transposed inverse of A. For symmetric matrices the transposition
makes no difference, and tests with covariance matrices pass without it.
"""

import numpy as np

import symtape
import verify


def logdet(A):
    """The logarithm of the determinant's absolute value."""
    return np.linalg.slogdet(A)[1]


symmetric = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]])
print(verify.gradient(logdet, np.linalg.inv, at=[symmetric]).verdict.value)

general = np.array([[2.0, 1.0, 0.0], [-1.0, 3.0, 0.5], [0.25, 2.0, 1.0]])
r = verify.gradient(logdet, np.linalg.inv, at=[general])
print(r)
r.plot()

# %%
# The formula, as symtape derives it:

print(symtape.derive(logdet, general, order=1))
