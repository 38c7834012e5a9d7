"""
A Jacobian for least squares
============================

``scipy.optimize.least_squares`` takes a hand-written Jacobian. A wrong sign in it raises no error:
the solver converges slowly, or stops somewhere else.
"""

import numpy as np
from scipy.optimize import least_squares

import verify


def residuals(p):
    """Rosenbrock's function as two residuals."""
    return np.stack([10 * (p[1] - p[0] ** 2), 1 - p[0]])


def jac(p):
    """The Jacobian, with a lost minus sign."""
    return np.array([[20 * p[0], 10.0], [-1.0, 0.0]])


fit = least_squares(residuals, [-1.2, 1.0], jac=jac, max_nfev=100)
print("success:", fit.success, "  x:", np.round(fit.x, 3), "  the minimum is at [1, 1]")

# %%
# One call finds the entry. The picture shows which entries are wrong.

r = verify.jacobian(residuals, jac, over=verify.box(-2, 2, shape=(2,)), effort=0.1)
print(r)
r.plot()

# %%
# With the sign restored the claim is correct, and the solver needs a few steps.


def corrected(p):
    """The Jacobian."""
    return np.array([[-20 * p[0], 10.0], [-1.0, 0.0]])


r = verify.jacobian(residuals, corrected, over=verify.box(-2, 2, shape=(2,)), effort=0.1)
print(r.verdict.value)
fit = least_squares(residuals, [-1.2, 1.0], jac=corrected)
print("x:", np.round(fit.x, 3), "  evaluations:", fit.nfev)
