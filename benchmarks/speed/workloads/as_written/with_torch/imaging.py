"""Images and spectra, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as FN


def pseudo_voigt(p, x, y):
    m = p["base"][0] + p["base"][1] * x + p["base"][2] * x**2
    for a, c, w, eta in zip(p["amp"], p["center"], p["width"], p["mix"]):
        e = torch.sigmoid(eta)
        m = m + a * (
            e * w**2 / ((x - c) ** 2 + w**2)
            + (1 - e) * torch.exp(-math.log(2) * ((x - c) / w) ** 2)
        )
    return torch.sum((y - m) ** 2) + 1e-3 * torch.sum(torch.abs(p["amp"]))


def radon(img, angles, sino):
    n = img.shape[0]
    c = (n - 1) / 2
    grid = torch.arange(n) - c
    Y, X = torch.meshgrid(grid, grid, indexing="ij")
    rows = []
    for a in angles:
        ca, sa = torch.cos(a), torch.sin(a)
        yy, xx = sa * X + ca * Y + c, ca * X - sa * Y + c
        y0, x0 = torch.floor(yy).long(), torch.floor(xx).long()
        wy, wx = yy - y0, xx - x0
        ins = (y0 >= 0) & (y0 < n - 1) & (x0 >= 0) & (x0 < n - 1)
        y0, x0 = y0.clamp(0, n - 2), x0.clamp(0, n - 2)
        o = (
            img[y0, x0] * (1 - wy) * (1 - wx)
            + img[y0, x0 + 1] * (1 - wy) * wx
            + img[y0 + 1, x0] * wy * (1 - wx)
            + img[y0 + 1, x0 + 1] * wy * wx
        )
        rows.append(torch.where(ins, o, 0.0).sum(0))
    return 0.5 * torch.mean((torch.stack(rows) - sino) ** 2)


def perona_malik(u, target, kappa):
    for _ in range(15):
        p = FN.pad(u[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
        gs = (p[:-2, 1:-1] - u, p[2:, 1:-1] - u, p[1:-1, 2:] - u, p[1:-1, :-2] - u)
        u = u + 0.2 * sum(torch.exp(-((g / kappa) ** 2)) * g for g in gs)
    return torch.sum(torch.abs(u - target))


def phase_retrieval(x, masks, I):
    return (
        torch.sum(
            (torch.abs(torch.fft.fft2(masks * torch.complex(x[0], x[1]), norm="ortho")) ** 2 - I)
            ** 2
        )
        / masks.numel()
    )


def planck_sed(p, wl, flux):
    T, sc, av = p
    h, c, kb = 6.626e-34, 2.998e8, 1.381e-23
    lam = wl * 1e-6
    b = 2 * h * c**2 / lam**5 / torch.expm1(h * c / (lam * kb * T)) * 1e-13
    return torch.sum(
        (
            flux
            - sc
            * b
            * 10 ** (-0.4 * av * torch.where(wl < 1.1, 0.574 * wl**-1.61, 0.527 * wl**-1.61))
        )
        ** 2
    )
