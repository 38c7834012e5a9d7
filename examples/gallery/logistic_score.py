"""
The score of a logistic regression
==================================

The gradient of a log-likelihood has one entry per coefficient. Here the gradient by the intercept
has the sign of the loss, and the others have the sign of the likelihood.
"""

import numpy as np

import verify

rng = np.random.default_rng(0)
X = rng.normal(size=(12, 3)).round(2)
y = (rng.random(12) < 0.5).astype(float)


def log_likelihood(w):
    """The first entry of w is the intercept."""
    eta = w[0] + X @ w[1:]
    return np.sum(y * eta - np.logaddexp(0, eta))


def score(w):
    """The gradient, with one sign wrong."""
    residual = y - 1 / (1 + np.exp(-(w[0] + X @ w[1:])))
    return np.concatenate([[-np.sum(residual)], X.T @ residual])


w = np.array([0.5, -0.25, 1.0, 0.125])
r = verify.gradient(log_likelihood, score, at=[w])
print(r)
r.plot()


# %%
# With one sign for all:


def corrected(w):
    """The gradient."""
    residual = y - 1 / (1 + np.exp(-(w[0] + X @ w[1:])))
    return np.concatenate([[np.sum(residual)], X.T @ residual])


print(verify.gradient(log_likelihood, corrected, at=[w]).verdict.value)
