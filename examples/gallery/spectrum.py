"""
Through complex numbers
=======================

A loss on the power spectrum is a real function of a real signal, but its gradient passes through
complex numbers. The adjoint of ``fft`` is ``ifft`` times the length; the factor is easily lost.
"""

import numpy as np

import verify

N = 6
weights = np.arange(N) / 2.0


def power(x):
    """The weighted power of a signal."""
    return np.sum(weights * np.abs(np.fft.fft(x)) ** 2)


def gradient(x):
    """The gradient without the factor N."""
    return 2 * np.fft.ifft(weights * np.fft.fft(x)).real


x = np.array([1.0, 0.5, -0.25, 2.0, 0.0, -1.0])
r = verify.gradient(power, gradient, at=[x])
print(r)
r.plot()

# %%
# Multiplied by N, the gradient is correct:

print(verify.gradient(power, lambda x: N * gradient(x), at=[x]).verdict.value)
