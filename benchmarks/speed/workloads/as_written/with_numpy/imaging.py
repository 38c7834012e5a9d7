"""Images and spectra, as users of NumPy write them."""

from __future__ import annotations

import numpy as np
from scipy.special import expit


def lorentzian(x, c, w):
    return w**2 / ((x - c) ** 2 + w**2)


def gaussian(x, c, w):
    return np.exp(-np.log(2) * ((x - c) / w) ** 2)


def pseudo_voigt(p, x, y):
    model = np.polyval(p["base"][::-1], x)
    for a, c, w, eta in zip(p["amp"], p["center"], p["width"], p["mix"]):
        e = expit(eta)
        model = model + a * (e * lorentzian(x, c, w) + (1 - e) * gaussian(x, c, w))
    return np.sum((y - model) ** 2) + 1e-3 * np.linalg.norm(p["amp"], 1)


def bilinear(img, yy, xx):
    h, w = img.shape
    y0, x0 = np.floor(yy).astype(int), np.floor(xx).astype(int)
    wy, wx = yy - y0, xx - x0
    inside = (y0 >= 0) & (y0 < h - 1) & (x0 >= 0) & (x0 < w - 1)
    y0, x0 = np.clip(y0, 0, h - 2), np.clip(x0, 0, w - 2)
    out = (
        img[y0, x0] * (1 - wy) * (1 - wx)
        + img[y0, x0 + 1] * (1 - wy) * wx
        + img[y0 + 1, x0] * wy * (1 - wx)
        + img[y0 + 1, x0 + 1] * wy * wx
    )
    return np.where(inside, out, 0.0)


def radon(img, angles, sino):
    n = img.shape[0]
    c = (n - 1) / 2
    grid = np.arange(n) - c
    Y, X = np.meshgrid(grid, grid, indexing="ij")
    rows = []
    for a in angles:
        ca, sa = np.cos(a), np.sin(a)
        rows.append(bilinear(img, sa * X + ca * Y + c, ca * X - sa * Y + c).sum(axis=0))
    return 0.5 * np.mean((np.stack(rows) - sino) ** 2)


def perona_malik(img, target, kappa, steps=15, lam=0.2):
    u = img
    for _ in range(steps):
        p = np.pad(u, 1, mode="edge")
        n, s = p[:-2, 1:-1] - u, p[2:, 1:-1] - u
        e, w = p[1:-1, 2:] - u, p[1:-1, :-2] - u
        u = u + lam * sum(np.exp(-((g / kappa) ** 2)) * g for g in (n, s, e, w))
    return np.sum(np.abs(u - target))


def phase_retrieval(x, masks, intensity):
    z = x[0] + 1j * x[1]
    far = np.fft.fft2(masks * z, norm="ortho")
    return np.sum((np.abs(far) ** 2 - intensity) ** 2) / masks.size


def planck_sed(p, wavelength, flux):
    T, scale, av = p
    h, c, kb = 6.626e-34, 2.998e8, 1.381e-23
    lam = wavelength * 1e-6
    b = 2 * h * c**2 / lam**5 / np.expm1(h * c / (lam * kb * T)) * 1e-13
    ext = 10 ** (
        -0.4 * av * np.where(wavelength < 1.1, 0.574 * wavelength**-1.61, 0.527 * wavelength**-1.61)
    )
    return np.sum((flux - scale * b * ext) ** 2)
