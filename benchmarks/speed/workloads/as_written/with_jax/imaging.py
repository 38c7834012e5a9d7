"""Images and spectra, as users of JAX write them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import sigmoid


def pseudo_voigt(p, x, y):
    model = jnp.polyval(p["base"][::-1], x)
    e = sigmoid(p["mix"])[:, None]
    c = p["center"][:, None]
    w = p["width"][:, None]
    peaks = p["amp"][:, None] * (
        e * w**2 / ((x - c) ** 2 + w**2) + (1 - e) * jnp.exp(-jnp.log(2) * ((x - c) / w) ** 2)
    )
    return jnp.sum((y - model - peaks.sum(0)) ** 2) + 1e-3 * jnp.sum(jnp.abs(p["amp"]))


def radon(img, angles, sino):
    n = img.shape[0]
    c = (n - 1) / 2
    grid = jnp.arange(n) - c
    Y, X = jnp.meshgrid(grid, grid, indexing="ij")

    def row(a):
        ca, sa = jnp.cos(a), jnp.sin(a)
        yy, xx = sa * X + ca * Y + c, ca * X - sa * Y + c
        y0, x0 = jnp.floor(yy).astype(int), jnp.floor(xx).astype(int)
        wy, wx = yy - y0, xx - x0
        inside = (y0 >= 0) & (y0 < n - 1) & (x0 >= 0) & (x0 < n - 1)
        y0, x0 = jnp.clip(y0, 0, n - 2), jnp.clip(x0, 0, n - 2)
        out = (
            img[y0, x0] * (1 - wy) * (1 - wx)
            + img[y0, x0 + 1] * (1 - wy) * wx
            + img[y0 + 1, x0] * wy * (1 - wx)
            + img[y0 + 1, x0 + 1] * wy * wx
        )
        return jnp.where(inside, out, 0.0).sum(0)

    return 0.5 * jnp.mean((jax.vmap(row)(angles) - sino) ** 2)


def perona_malik(img, target, kappa):
    def step(u, _):
        p = jnp.pad(u, 1, mode="edge")
        gs = (p[:-2, 1:-1] - u, p[2:, 1:-1] - u, p[1:-1, 2:] - u, p[1:-1, :-2] - u)
        return u + 0.2 * sum(jnp.exp(-((g / kappa) ** 2)) * g for g in gs), None

    return jnp.sum(jnp.abs(lax.scan(step, img, None, length=15)[0] - target))


def phase_retrieval(x, masks, intensity):
    far = jnp.fft.fft2(masks * (x[0] + 1j * x[1]), norm="ortho")
    return jnp.sum((jnp.abs(far) ** 2 - intensity) ** 2) / masks.size


def planck_sed(p, wavelength, flux):
    T, scale, av = p
    h, c, kb = 6.626e-34, 2.998e8, 1.381e-23
    lam = wavelength * 1e-6
    b = 2 * h * c**2 / lam**5 / jnp.expm1(h * c / (lam * kb * T)) * 1e-13
    ext = 10 ** (
        -0.4
        * av
        * jnp.where(wavelength < 1.1, 0.574 * wavelength**-1.61, 0.527 * wavelength**-1.61)
    )
    return jnp.sum((flux - scale * b * ext) ** 2)
