"""
The sensitivity of a differential equation
==========================================

How does the end of a simulation depend on a parameter? The sensitivity has its own differential
equation, with one term for the state and one for the parameter. This code forgets the second term.
"""

import matplotlib.pyplot as plt
import numpy as np

import verify

STEPS, STEP = 20, 0.1


def population(rate):
    """Logistic growth by Euler's method."""
    n = 0.1
    for _ in range(STEPS):
        n = n + STEP * rate * n * (1 - n)
    return n


def sensitivity(rate):
    """The derivative by the rate, without the term of the rate itself."""
    n, s = 0.1, 0.01
    for _ in range(STEPS):
        n, s = n + STEP * rate * n * (1 - n), s + STEP * rate * (1 - 2 * n) * s
    return s


r = verify.gradient(population, sensitivity, at=[0.5])
print(r)


# %%
# The whole equation:


def corrected(rate):
    """The derivative by the rate."""
    n, s = 0.1, 0.0
    for _ in range(STEPS):
        growth = n * (1 - n)
        n, s = n + STEP * rate * growth, s + STEP * (growth + rate * (1 - 2 * n) * s)
    return s


r = verify.gradient(population, corrected, at=[0.5])
print(r.verdict.value, "-", r.evidence)

rates = np.linspace(0, 4, 100)
plt.plot(rates, [sensitivity(k) for k in rates], label="without the second term")
plt.plot(rates, [corrected(k) for k in rates], label="derivative")
plt.xlabel("rate")
plt.legend()
