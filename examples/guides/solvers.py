"""
Through SciPy's solvers
=======================

This page differentiates integrals, solutions of differential equations, roots and fits, through
SciPy's own functions.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import integrate, optimize

import symtape
import verify

plt.rcParams["figure.figsize"] = (8, 4.5)

# %%
# Parameters of a differential equation
# -------------------------------------
#
# We estimate the frequency and the damping of a pendulum with friction from observed angles. The
# derivatives of ``solve_ivp`` are those of the steps that it takes, so least squares gets an exact
# Jacobian.

seen = np.linspace(0.5, 10, 20)


def swing(parameters):
    """The angles at the observed times."""

    def motion(t, y):
        return np.array([y[1], -(parameters[0] ** 2) * np.sin(y[0]) - parameters[1] * y[1]])

    found = integrate.solve_ivp(motion, (0, 10), [1.5, 0.0], t_eval=seen, rtol=1e-8, atol=1e-8)
    return found.y[0]


true = np.array([1.3, 0.25])
data = swing(true) + 0.05 * np.random.default_rng(0).normal(size=seen.size)
jacobian = symtape.jacobian(swing)
fit = optimize.least_squares(lambda p: swing(p) - data, [1.2, 0.1], jac=jacobian)
print("frequency and damping:", np.round(fit.x, 3), " after", fit.nfev, "evaluations")

# %%
# Each column of the Jacobian shows how far a parameter moves the curve. Together the columns give
# the standard errors of the parameters.

slopes = jacobian(fit.x)
errors = np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)) * 0.05**2)
print("standard errors:", np.round(errors, 4))

figure, (left, right) = plt.subplots(1, 2)
left.plot(seen, data, "o", label="seen")
left.plot(seen, swing(fit.x), label="fitted")
left.set(xlabel="time", ylabel="angle")
left.legend()
right.plot(seen, slopes, label=["by the frequency", "by the damping"])
right.set(xlabel="time", ylabel="slope of the angle")
right.legend()
figure.tight_layout()
plt.show()

# %%
# The sensitivity of a root
# -------------------------
#
# Kepler's equation gives the eccentric anomaly E of an orbit from the time: ``E - e sin(E) = M``.
# The implicit function theorem gives the slope of the root, whatever steps ``brentq`` takes.


def anomaly(eccentricity, mean=1.0):
    """Kepler's eccentric anomaly."""
    return optimize.brentq(lambda E: E - eccentricity * np.sin(E) - mean, 0, 2 * np.pi)


def by_hand(eccentricity):
    """Its slope by the eccentricity."""
    E = anomaly(eccentricity)
    return np.sin(E) / (1 - eccentricity * np.cos(E))


print("slope by the eccentricity:", round(float(symtape.grad(anomaly)(0.4)), 12))
result = verify.gradient(lambda e: anomaly(e), claimed=by_hand, at=[0.4])
print("by hand:", result.verdict.value)

means = np.linspace(0.02, 2 * np.pi - 0.02, 30)
figure, axes = plt.subplots()
for eccentricity in (0.2, 0.5, 0.8):
    slope = [symtape.grad(anomaly)(eccentricity, mean) for mean in means]
    axes.plot(means, slope, label=f"eccentricity {eccentricity}")
axes.set(xlabel="mean anomaly", ylabel="slope of the eccentric anomaly by the eccentricity")
axes.legend()
plt.show()

# %%
# The sensitivity of an optimum
# -----------------------------
#
# A ridge regression balances its data against a penalty. The derivative of ``minimize``'s solution
# shows how the fitted coefficients move with the penalty. symtape does not unroll the iterations.

features = np.random.default_rng(1).normal(size=(30, 3))
targets = features @ np.array([1.0, -0.5, 0.0]) + 0.1 * np.random.default_rng(2).normal(size=30)


def coefficients(penalty):
    """The fitted coefficients under a penalty."""

    def loss(w):
        return np.sum((features @ w - targets) ** 2) + penalty * np.sum(w**2)

    return optimize.minimize(loss, np.zeros(3)).x


print("slopes by the penalty:", np.round(symtape.jacobian(coefficients)(1.0), 6))

# %%
# An integral, by its limit and by a parameter
# --------------------------------------------
#
# Leibniz's rule gives the first and second derivatives.


def period(amplitude):
    """The period of a pendulum of unit length where gravity is 1."""

    def integrand(s):
        return 1 / np.sqrt(1 - (np.sin(amplitude / 2) * np.sin(s)) ** 2)

    return 4 * integrate.quad(integrand, 0, np.pi / 2)[0]


print("period of a pendulum at 1 rad:", round(float(period(1.0)), 10))
print("its slope:", round(float(symtape.grad(period)(1.0)), 10))
print("its curvature:", round(float(symtape.hessian(period)(1.0)), 10))
print("verified:", verify.gradient(period, at=[1.0]).verdict.value)
