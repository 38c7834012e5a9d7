"""
Hyperparameters of a Gaussian process
=====================================

The likelihood is maximised over the logarithm of the length scale, so that it stays positive. The
code below computes the gradient by the length scale itself, so the factor of the chain rule is
missing.
"""

import matplotlib.pyplot as plt
import numpy as np

import verify

t = np.linspace(0, 3, 6)
y = np.sin(2 * t)
squares = (t[:, None] - t[None, :]) ** 2


def covariance(log_length):
    """The squared-exponential kernel with noise."""
    return np.exp(-0.5 * squares / np.exp(log_length) ** 2) + 0.01 * np.eye(6)


def log_marginal(log_length):
    """The log marginal likelihood, up to a constant."""
    K = covariance(log_length)
    return -0.5 * y @ np.linalg.solve(K, y) - 0.5 * np.linalg.slogdet(K)[1]


def by_length(log_length):
    """The gradient by the length scale instead of its logarithm."""
    K = covariance(log_length)
    length = np.exp(log_length)
    slope = np.exp(-0.5 * squares / length**2) * squares / length**3
    alpha = np.linalg.solve(K, y)
    return 0.5 * alpha @ slope @ alpha - 0.5 * np.trace(np.linalg.solve(K, slope))


r = verify.gradient(log_marginal, by_length, at=[-0.5])
print(r)


# %%
# Multiplied by the length scale, the gradient is correct:


def corrected(log_length):
    """The gradient by the logarithm of the length scale."""
    return np.exp(log_length) * by_length(log_length)


r = verify.gradient(log_marginal, corrected, at=[-0.5])
print(r.verdict.value, "-", r.evidence)

logs = np.linspace(-1.5, 1, 100)
plt.plot(logs, [by_length(p) for p in logs], label="by the length scale")
plt.plot(logs, [corrected(p) for p in logs], label="by its logarithm")
plt.axhline(0, color="gray", linewidth=0.7)
plt.xlabel("logarithm of the length scale")
plt.title("Gradient of the log marginal likelihood")
plt.legend()
