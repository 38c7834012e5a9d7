"""
Filters, images, splines, spectra and distances
===============================================

symtape differentiates programs that call SciPy, without changes to them: by the data, by the
coefficients of a filter, by the point at which a spline is evaluated, by the width of a spectral
line. This page has seven fits, and verifies the functions that they use.
"""

import matplotlib.pyplot as plt
import numpy as np
from numpy.polynomial import Chebyshev
from scipy import fft, interpolate, ndimage, optimize, signal, special
from scipy.spatial.distance import cdist, pdist

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
# Which recursive filter of second order turns one signal into the other? ``lfilter`` is a single
# operation on the tape for a signal of any length, and its adjoint is the filter run backwards.

time = np.arange(300)
noise = np.random.default_rng(0).normal(size=time.size)
target = signal.lfilter([0.2, 0.3], [1.0, -1.2, 0.5], noise)


def misfit(p):
    """The mean squared error of a filter's output."""
    a = np.concatenate([np.ones(1), p[2:]])
    return np.mean((signal.lfilter(p[:2], a, noise) - target) ** 2)


start = np.array([0.5, 0.0, -0.8, 0.3])
found = fitted(misfit, start)
print(np.round(found, 3), f"{misfit(start):.3f}", "to", f"{misfit(found):.6f}")


def short(p):
    """The power of a few filtered samples."""
    return np.sum(signal.lfilter(p[:2], [1.0, p[2], p[3]], noise[:20]) ** 2)


print(verify.gradient(short, at=[start]).verdict.value)

plt.figure()
for p, name in ((start, "at first"), (found, "found")):
    a = np.concatenate([np.ones(1), p[2:]])
    plt.plot(signal.lfilter(p[:2], a, noise)[:80], label=name)
plt.plot(target[:80], "k:", label="target")
plt.legend()
plt.title("A filter by its coefficients")
plt.show()

# %%
# An image
# --------
#
# By which angle was an image turned? ``rotate`` interpolates between pixels, so it has a
# derivative by the angle. It has kinks where a coordinate meets a row of pixels.

rows, columns = np.indices((24, 24)) - 11.5
image = np.exp(-(rows**2) / 60 - columns**2 / 12) + 0.5 * np.exp(-((rows - 5) ** 2) / 8)
turned = ndimage.rotate(image, 17.0, reshape=False, order=3, mode="nearest")


def apart(angle):
    """The difference of the blurred images after a turn by an angle."""
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
        (turned - ndimage.rotate(image, angle, reshape=False, mode="nearest"), "difference"),
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
# We look for the heights of a cubic spline whose slope is the cosine. The derivative of the
# spline's value at one place by the heights shows how far each height reaches.

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
# Newton's method finds the coefficients of a smooth Chebyshev series near a step. The objective is
# quadratic in the coefficients, so one step is enough.

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

# %%
# A spectral line
# ---------------
#
# Heat widens a line to a Gaussian, and collisions widen it to a Lorentzian. Both together give
# Voigt's profile, which is in ``scipy.special``. The slopes by the two widths show how to
# distinguish them: heat moves the shoulders, and collisions move the wings.

shift = np.linspace(-4.0, 4.0, 81)
line = special.voigt_profile(shift - 0.3, 0.5, 0.4)
line = line + 0.01 * np.random.default_rng(0).normal(size=shift.size)


def off(p):
    """The squared distance of a line with this centre and these widths from the data."""
    return np.sum((special.voigt_profile(shift - p[0], p[1], p[2]) - line) ** 2)


centre, heat, collisions = fitted(off, np.array([0.0, 1.0, 1.0]))
print(f"centre {centre:.2f}, widths {heat:.2f} and {collisions:.2f}")
print(verify.gradient(lambda s: special.voigt_profile(0.7, s, 0.4), at=[0.5]).verdict.value)
profile = symtape.jacobian(
    lambda p: special.voigt_profile(shift - centre, p[0], p[1]),
)(np.array([heat, collisions]))

plt.figure()
plt.plot(shift, line, ".", label="measured")
plt.plot(shift, special.voigt_profile(shift - centre, heat, collisions), label="fitted")
plt.plot(shift, profile, "--", label=["slope by the heat's width", "by the collisions'"])
plt.legend()
plt.title("A spectral line by its widths")
plt.show()

# %%
# A delay
# -------
#
# How much later does a second microphone hear a sound? A delay by a fraction of a sample
# multiplies the amplitude of each frequency by a factor, between ``rfft`` and ``irfft``. The
# derivative by the delay passes through both, and leads to one of several valleys.

tone = np.exp(-(((time[:128] - 50) / 12.0) ** 2)) * np.sin(time[:128] / 3.0)
frequencies = fft.rfftfreq(128)


def delayed(sound, by):
    """A sound that is delayed by some samples."""
    return fft.irfft(fft.rfft(sound) * np.exp(-2j * np.pi * frequencies * by), 128)


heard = delayed(tone, 7.35)


def unheard(by):
    """The difference of the delayed first sound from the second."""
    return np.sum((delayed(tone, by) - heard) ** 2)


(by,) = fitted(lambda d: unheard(d[0]), np.array([5.0]))
print(f"{by:.3f} samples")
print(verify.gradient(lambda d: delayed(tone, d)[55], at=[5.0]).verdict.value)

delays = np.linspace(-15.0, 30.0, 120)
plt.figure()
plt.plot(delays, [unheard(d) for d in delays], label="difference")
plt.plot(delays, [symtape.grad(unheard)(d) for d in delays], label="its slope")
plt.axvline(by, color="k", linestyle=":", label="found, from 5")
plt.axhline(0.0, color="0.8", zorder=0)
plt.legend()
plt.xlabel("delay in samples")
plt.title("A sound by its delay")
plt.show()

# %%
# A map from distances
# --------------------
#
# We know only how far six places are from each other and from two masts.

masts = np.array([[-1.0, 0.0], [1.0, 0.0]])
true = np.array([[-0.8, 0.5], [-0.3, 1.1], [0.1, 0.4], [0.5, 0.9], [0.9, 0.4], [0.2, 1.5]])
between, to_masts = pdist(true), cdist(true, masts)


def strain(p):
    """The squared error of the distances on a map."""
    places = p.reshape(6, 2)
    return np.sum((pdist(places) - between) ** 2) + np.sum((cdist(places, masts) - to_masts) ** 2)


start = np.random.default_rng(3).uniform([-1.0, 0.2], [1.0, 1.5], size=(6, 2)).ravel()
plan = fitted(strain, start).reshape(6, 2)
print(f"{strain(start):.2f} to {strain(plan.ravel()):.6f}", np.allclose(plan, true, atol=1e-6))
print(verify.gradient(strain, at=[start]).verdict.value)

pull = -symtape.grad(strain)(start).reshape(6, 2)
plt.figure()
plt.plot(*masts.T, "k^", label="masts")
plt.plot(*plan.T, "o", label="found")
plt.plot(*start.reshape(6, 2).T, ".", color="C1", label="guessed")
plt.quiver(*start.reshape(6, 2).T, *pull.T, color="C1", width=0.004, label="pull on them")
plt.axis("equal")
plt.legend()
plt.title("A map by its distances")
plt.show()
