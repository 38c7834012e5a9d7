"""
A Hessian without its mixed terms
=================================

Newton's method with a wrong Hessian still converges, only slowly. The picture shows which entries
are missing.
"""

import numpy as np

import verify


def energy(x):
    """Rosenbrock's function of three variables."""
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def hessian(x):
    """The diagonal alone."""
    return np.diag(
        [
            1200 * x[0] ** 2 - 400 * x[1] + 2,
            1200 * x[1] ** 2 - 400 * x[2] + 202,
            200.0,
        ]
    )


x = np.array([1.0, 2.0, -1.0])
r = verify.hessian(energy, hessian, at=[x])
print(r)
r.plot()


# %%
# With the mixed terms:


def corrected(x):
    """The whole Hessian."""
    mixed = np.diag(-400 * x[:-1], 1)
    return hessian(x) + mixed + mixed.T


print(verify.hessian(energy, corrected, at=[x]).verdict.value)
