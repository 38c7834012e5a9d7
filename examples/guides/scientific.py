"""
Filters, images, splines and polynomials
========================================

Programs that call SciPy by its own names are differentiated as they stand: by the data, by the
coefficients of a filter, by where a spline is asked. Four fits, each with its certificate.
"""

import matplotlib.pyplot as plt
import numpy as np
from numpy.polynomial import Chebyshev
from scipy import interpolate, ndimage, optimize, signal

import symtape
import verify

plt.rcParams["figure.figsize"] = (8, 4)


def fitted(f, start):
    """Where SciPy finds a minimum, by the gradient."""
    return optimize.minimize(f, start, jac=symtape.grad(f), method="BFGS", tol=1e-9).x


# %%
# A filter
# --------
#
# Which recursive filter of second order makes the one signal of the other? ``lfilter`` is one
# operation on the tape, however long the signal is, and its adjoint is the filter run backwards.

time = np.arange(300)
noise = np.random.default_rng(0).normal(size=time.size)
target = signal.lfilter([0.2, 0.3], [1.0, -1.2, 0.5], noise)


def misfit(p):
    """How unlike what is wanted a filter's answer is."""
    a = np.concatenate([np.ones(1), p[2:]])
    return np.mean((signal.lfilter(p[:2], a, noise) - target) ** 2)


start = np.array([0.5, 0.0, -0.8, 0.3])
found = fitted(misfit, start)
print(np.round(found, 3), f"{misfit(start):.3f}", "to", f"{misfit(found):.6f}")


def short(p):
    """The power of a few samples that came through."""
    return np.sum(signal.lfilter(p[:2], [1.0, p[2], p[3]], noise[:20]) ** 2)


print(verify.gradient(short, at=[start]).verdict.value)

plt.figure()
for p, name in ((start, "at first"), (found, "found")):
    a = np.concatenate([np.ones(1), p[2:]])
    plt.plot(signal.lfilter(p[:2], a, noise)[:80], label=name)
plt.plot(target[:80], "k:", label="wanted")
plt.legend()
plt.title("A filter by its coefficients")
plt.show()

# %%
# An image
# --------
#
# How far was an image turned? ``rotate`` interpolates between pixels, so that it has a derivative
# by its angle; kinks are where a coordinate meets a row of pixels.

rows, columns = np.indices((24, 24)) - 11.5
image = np.exp(-(rows**2) / 60 - columns**2 / 12) + 0.5 * np.exp(-((rows - 5) ** 2) / 8)
turned = ndimage.rotate(image, 17.0, reshape=False, order=3, mode="nearest")


def apart(angle):
    """How unlike, when blurred, the image that is turned by an angle is."""
    guess = ndimage.rotate(image, angle, reshape=False, order=3, mode="nearest")
    return np.mean(
        (ndimage.gaussian_filter(guess, 1.0) - ndimage.gaussian_filter(turned, 1.0)) ** 2
    )


(angle,) = fitted(lambda a: 1e3 * apart(a[0]), np.array([5.0]))
print(f"{angle:.3f} degrees")

plt.figure()
for place, (picture, name) in enumerate(
    [
        (image, "the image"),
        (turned, "turned"),
        (turned - ndimage.rotate(image, angle, reshape=False, mode="nearest"), "what is left"),
    ]
):
    plt.subplot(1, 3, place + 1)
    plt.imshow(picture, vmin=0, vmax=1)
    plt.title(name)
    plt.axis("off")
plt.show()

# %%
# A spline
# --------
#
# Heights of a cubic spline such that its slope is that of the cosine, and the derivative of what it
# is at one place by the heights: how far each of them reaches.

knots = np.linspace(0.0, 6.0, 9)
places = np.linspace(0.0, 6.0, 60)


def unlike(heights):
    """How far the slope of the spline is from the cosine."""
    slope = interpolate.CubicSpline(knots, heights)(places, 1)
    return np.mean((slope - np.cos(places)) ** 2) + heights[0] ** 2


heights = fitted(unlike, np.zeros(9))
reach = symtape.grad(lambda h: interpolate.CubicSpline(knots, h)(3.3))(heights)
print(np.round(reach, 3))
print(verify.gradient(lambda x: interpolate.CubicSpline(knots, heights)(x), at=[3.3]).verdict.value)

plt.figure()
plt.plot(places, interpolate.CubicSpline(knots, heights)(places), label="the spline")
plt.plot(places, np.sin(places), "k:", label="sine")
plt.stem(knots, reach, linefmt="C1-", basefmt=" ", label="reach of each height at 3.3")
plt.legend()
plt.title("A spline by its heights")
plt.show()

# %%
# A series
# --------
#
# Coefficients of a Chebyshev series that stays near a step and is smooth, by Newton's method: the
# function is a square of what is linear in them, so that one step is all.

at = np.linspace(-1.0, 1.0, 81)
step = np.where(at > 0, 1.0, -1.0)


def rough(c):
    """How far the series is from the step, and how bent."""
    series = Chebyshev(c)
    return np.mean((series(at) - step) ** 2) + 1e-4 * np.mean(series.deriv(2)(at) ** 2)


c = np.zeros(12)
c = c - np.linalg.solve(symtape.hessian(rough)(c), symtape.grad(rough)(c))
print(f"{rough(c):.4f}", "flat:", bool(np.max(np.abs(symtape.grad(rough)(c))) < 1e-12))

plt.figure()
plt.plot(at, step, "k:", label="a step")
plt.plot(at, Chebyshev(c)(at), label="the series")
plt.legend()
plt.title("A series by its coefficients")
plt.show()
