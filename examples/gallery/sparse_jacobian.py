"""
A sparse Jacobian
=================

The Jacobian of a discretised equation is mostly 0. ``symtape.sparse_jacobian`` finds the pattern
and needs three products for it, whatever the number of unknowns. The tridiagonal matrix written by
hand forgets a factor.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import symtape
import verify

N = 8


def bratu(u):
    """The discretised equation u'' + exp(u) = 0 with zero boundary values."""
    padded = np.concatenate([np.zeros(1), u, np.zeros(1)])
    return (padded[2:] - 2 * u + padded[:-2]) * (N + 1) ** 2 + np.exp(u)


def by_hand(u):
    """The Jacobian, with 1 for the derivative of exp."""
    scale = (N + 1) ** 2
    return sparse.diags_array(
        [np.full(N - 1, scale), 1 - 2 * scale * np.ones(N), np.full(N - 1, scale)],
        offsets=[-1, 0, 1],
    )


u = np.linspace(0.125, 1, N)
print(verify.jacobian(bratu, by_hand, at=[u]))

# %%
# The Jacobian that the tape computes is a sparse array of SciPy. It can be given to the solver, and
# verified as any other claim:

found = symtape.sparse_jacobian(bratu)(u)
print(verify.jacobian(bratu, symtape.sparse_jacobian(bratu), at=[u]).verdict.value)
print(type(found).__name__, found.shape, "with", found.nnz, "entries")
plt.spy(found)
